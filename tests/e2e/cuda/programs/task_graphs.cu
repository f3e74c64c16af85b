/* Graphs: made node by node and captured from streams, changed after instantiation, run again and again. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void task_graphs_add(int *x, int by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}
extern "C" __global__ void task_graphs_scale(int *x, int factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
#endif
static void task_graphs_count(void *data) { ++*(int *)data; }

#ifdef PROGRAM_DRIVER
typedef CUgraph TaskGraph;
typedef CUgraphNode TaskNode;
typedef CUgraphExec TaskExec;
typedef CUstream TaskStream;
typedef CUevent TaskEvent;
#define G(name) cu##name
#define TASK_STREAM(s) cuStreamCreate(s, 0)
#define TASK_ACTIVE CU_STREAM_CAPTURE_STATUS_ACTIVE
typedef CUstreamCaptureStatus TaskStatus;
static CUDA_KERNEL_NODE_PARAMS task_graphs_kernel(const char *name, void **arguments, int n)
{
    CUDA_KERNEL_NODE_PARAMS p = {};
    p.func = driver_function(name);
    p.gridDimX = (unsigned)(n + 255) / 256, p.gridDimY = p.gridDimZ = 1, p.blockDimX = 256, p.blockDimY = p.blockDimZ = 1, p.kernelParams = arguments;
    return p;
}
#define TASK_KERNEL(name, arguments, n) task_graphs_kernel(#name, arguments, n)
static int task_graphs_copy(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n_after, void *to, int *from, size_t bytes)
{
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = (CUdeviceptr)from, c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = to;
    c.WidthInBytes = bytes, c.Height = c.Depth = 1;
    CUcontext context;
    cuCtxGetCurrent(&context);
    return cuGraphAddMemcpyNode(node, graph, after, n_after, &c, context);
}
static int task_graphs_fill(CUgraphNode *node, CUgraph graph, int *to, unsigned value, size_t n)
{
    CUDA_MEMSET_NODE_PARAMS f = {};
    f.dst = (CUdeviceptr)to, f.value = value, f.elementSize = 4, f.width = n, f.height = 1;
    CUcontext context;
    cuCtxGetCurrent(&context);
    return cuGraphAddMemsetNode(node, graph, NULL, 0, &f, context);
}
static int task_graphs_launch(const char *name, CUstream stream, int *x, int value, int n)
{
    void *arguments[] = {&x, &value, &n};
    return cuLaunchKernel(driver_function(name), (unsigned)(n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, NULL);
}
#define TASK_LAUNCH(name, stream, x, value, n) task_graphs_launch(#name, stream, x, value, n)
static int task_graphs_read(int *to, int *from, size_t bytes, CUstream s) { return cuMemcpyDtoHAsync(to, (CUdeviceptr)from, bytes, s); }
static int task_graphs_clear(int *x, size_t n, CUstream s) { return cuMemsetD32Async((CUdeviceptr)x, 0, n, s); }
static int task_graphs_begin(CUstream s) { return cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL); }
static int task_graphs_update(CUgraphExec e, CUgraph g)
{
    CUgraphExecUpdateResultInfo info;
    return cuGraphExecUpdate(e, g, &info);
}
#else
typedef cudaGraph_t TaskGraph;
typedef cudaGraphNode_t TaskNode;
typedef cudaGraphExec_t TaskExec;
typedef cudaStream_t TaskStream;
typedef cudaEvent_t TaskEvent;
#define G(name) cuda##name
#define TASK_STREAM(s) cudaStreamCreate(s)
#define TASK_ACTIVE cudaStreamCaptureStatusActive
typedef cudaStreamCaptureStatus TaskStatus;
static cudaKernelNodeParams task_graphs_kernel(void *f, void **arguments, int n)
{
    cudaKernelNodeParams p = {};
    p.func = f, p.gridDim = dim3((unsigned)(n + 255) / 256), p.blockDim = dim3(256), p.kernelParams = arguments;
    return p;
}
#define TASK_KERNEL(name, arguments, n) task_graphs_kernel((void *)name, arguments, n)
static int task_graphs_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n_after, void *to, int *from, size_t bytes)
{
    return cudaGraphAddMemcpyNode1D(node, graph, after, n_after, to, from, bytes, cudaMemcpyDeviceToHost);
}
static int task_graphs_fill(cudaGraphNode_t *node, cudaGraph_t graph, int *to, unsigned value, size_t n)
{
    cudaMemsetParams f = {};
    f.dst = to, f.value = value, f.elementSize = 4, f.width = n, f.height = 1;
    return cudaGraphAddMemsetNode(node, graph, NULL, 0, &f);
}
#define TASK_LAUNCH(name, stream, x, value, n) (name<<<((n) + 255) / 256, 256, 0, stream>>>(x, value, n), (int)cudaGetLastError())
static int task_graphs_read(int *to, int *from, size_t bytes, cudaStream_t s) { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s); }
static int task_graphs_clear(int *x, size_t n, cudaStream_t s) { return cudaMemsetAsync(x, 0, n * sizeof(int), s); }
static int task_graphs_begin(cudaStream_t s) { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }
static int task_graphs_update(cudaGraphExec_t e, cudaGraph_t g)
{
    cudaGraphExecUpdateResultInfo info;
    return cudaGraphExecUpdate(e, g, &info);
}
#endif

PROGRAM(task_graphs)
{
    const int n = 1000;
    Array<int> x(n, 9), y(n, 2);
    std::vector<int> result(n), captured(n);
    int counted = 0, seven = 7, three = 3, count = n;
    TaskGraph graph, clone, made;
    TaskNode fill, add, scale, copy, host, child, empty;
    TaskExec exec;
    TaskStream a, b;
    CHECK(!TASK_STREAM(&a) && !TASK_STREAM(&b));

    /* ---- by hand: fill, then scale and add in the order of an edge that is added last, then copy and call ---- */
    void *adds[] = {&x.device, &seven, &count}, *scales[] = {&x.device, &three, &count};
    CHECK(!G(GraphCreate)(&graph, 0) && !task_graphs_copy(&copy, graph, NULL, 0, result.data(), x.device, n * sizeof(int)));
    auto scale_params = TASK_KERNEL(task_graphs_scale, scales, n);
    CHECK(!G(GraphAddKernelNode)(&scale, graph, NULL, 0, &scale_params));
    auto add_params = TASK_KERNEL(task_graphs_add, adds, n);
    CHECK(!G(GraphAddKernelNode)(&add, graph, NULL, 0, &add_params));
    seven = 1000; /* the node has the value of before */
    CHECK(!task_graphs_fill(&fill, graph, x.device, 5, n) && !G(GraphAddEmptyNode)(&empty, graph, &fill, 1));
#ifdef PROGRAM_DRIVER
    CUDA_HOST_NODE_PARAMS call = {task_graphs_count, &counted};
#define EDGES(g, from, to, n) cuGraphAddDependencies(g, from, to, n)
#else
    cudaHostNodeParams call = {task_graphs_count, &counted};
#if CUDART_VERSION >= 13000
#define EDGES(g, from, to, n) cudaGraphAddDependencies(g, from, to, NULL, n)
#else
#define EDGES(g, from, to, n) cudaGraphAddDependencies(g, from, to, n)
#endif
#endif
    CHECK(!G(GraphAddHostNode)(&host, graph, &copy, 1, &call));
    const TaskNode from[] = {empty, add, scale}, to[] = {add, scale, copy};
    CHECK(!EDGES(graph, from, to, 3));
    size_t nodes = 0, roots = 0;
    CHECK(!G(GraphGetNodes)(graph, NULL, &nodes) && nodes == 6 && !G(GraphGetRootNodes)(graph, NULL, &roots) && roots == 1);
    CHECK(!G(GraphInstantiate)(&exec, graph, 0));
    for (int round = 0; round < 3; round++) CHECK(!G(GraphLaunch)(exec, a));
    CHECK(!G(StreamSynchronize)(a) && counted == 3);
    for (int i = 0; i < n; i++) CHECK(result[i] == (5 + 7) * 3);

    /* ---- changed: an argument in the executable graph, a node switched off ---- */
    int eleven = 11;
    void *changed[] = {&x.device, &eleven, &count};
    auto changed_params = TASK_KERNEL(task_graphs_add, changed, n);
    CHECK(!G(GraphExecKernelNodeSetParams)(exec, add, &changed_params) && !G(GraphLaunch)(exec, a) && !G(StreamSynchronize)(a));
    for (int i = 0; i < n; i++) CHECK(result[i] == (5 + 11) * 3);
    CHECK(!G(GraphNodeSetEnabled)(exec, scale, 0) && !G(GraphLaunch)(exec, a) && !G(StreamSynchronize)(a));
    for (int i = 0; i < n; i++) CHECK(result[i] == 5 + 11);
    CHECK(!task_graphs_update(exec, graph) && !G(GraphLaunch)(exec, a) && !G(StreamSynchronize)(a) && result[n - 1] == 5 + 7);
    CHECK(!G(GraphExecDestroy)(exec));

    /* ---- captured: two streams that part and meet; nothing runs before the launch ---- */
    TaskEvent start, joined;
    TaskStatus status;
    CHECK(!G(EventCreate)(&start, 0) && !G(EventCreate)(&joined, 0) && !task_graphs_begin(a) && !G(StreamIsCapturing)(a, &status) && status == TASK_ACTIVE);
    CHECK(!task_graphs_clear(x.device, n, a) && !G(EventRecord)(start, a) && !G(StreamWaitEvent)(b, start, 0));
    CHECK(!TASK_LAUNCH(task_graphs_add, b, y.device, 40, n) && !G(EventRecord)(joined, b));
    CHECK(!TASK_LAUNCH(task_graphs_add, a, x.device, 4, n) && !G(StreamWaitEvent)(a, joined, 0) && !G(LaunchHostFunc)(a, task_graphs_count, &counted));
    CHECK(!TASK_LAUNCH(task_graphs_scale, a, x.device, 6, n) && !task_graphs_read(captured.data(), x.device, n * sizeof(int), a));
    CHECK(!G(StreamEndCapture)(a, &made) && made && !G(StreamIsCapturing)(a, &status) && status != TASK_ACTIVE);
    y.down();
    CHECK(counted == 6 && captured[0] == 0 && y[0] == 2 && !G(GraphGetNodes)(made, NULL, &nodes) && nodes == 6);
    /* as a part of another graph, which is a copy of one */
    CHECK(!G(GraphClone)(&clone, graph) && !G(GraphAddChildGraphNode)(&child, clone, NULL, 0, made) && !G(GraphInstantiate)(&exec, clone, 0));
    CHECK(!G(GraphDestroy)(made) && !G(GraphDestroy)(graph) && !G(GraphDestroy)(clone) && !G(GraphLaunch)(exec, b) && !G(StreamSynchronize)(b));
    y.down();
    for (int i = 0; i < n; i++) CHECK(captured[i] == 24 && y[i] == 42);
    CHECK(counted == 8 && !G(GraphExecDestroy)(exec));

    /* ---- a branch that nobody waits for, and a circle ---- */
    CHECK(!task_graphs_begin(a) && !task_graphs_clear(x.device, n, a) && !G(EventRecord)(start, a) && !G(StreamWaitEvent)(b, start, 0));
    CHECK(!TASK_LAUNCH(task_graphs_add, b, y.device, 1, n) && G(StreamEndCapture)(a, &made) && !G(GraphCreate)(&graph, 0));
    CHECK(!G(GraphAddEmptyNode)(&empty, graph, NULL, 0) && !G(GraphAddEmptyNode)(&child, graph, &empty, 1) && !EDGES(graph, &child, &empty, 1));
    CHECK(G(GraphInstantiate)(&exec, graph, 0) && !G(GraphDestroy)(graph) && !G(StreamDestroy)(a) && !G(StreamDestroy)(b));
#ifndef PROGRAM_DRIVER
    cudaGetLastError();
    /* ---- memory that graphs take ---- */
    cudaMemAllocNodeParams memory = {};
    uint64_t used = 1, high = 1, nothing = 0;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 4096;
    CHECK(!cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used) && used == 0 && !cudaGraphCreate(&graph, 0));
    CHECK(!cudaGraphAddMemAllocNode(&empty, graph, NULL, 0, &memory) && !cudaGraphInstantiate(&exec, graph, 0) && !cudaGraphLaunch(exec, 0));
    CHECK(!cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used) && used == 4096 && !cudaFree(memory.dptr));
    CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph) && !cudaDeviceGraphMemTrim(0));
    CHECK(!cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used) && used == 0);
    CHECK(!cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high) && high == 4096);
    CHECK(!cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &nothing) && !cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    CHECK(high == 0);
#endif
    return 0;
}
