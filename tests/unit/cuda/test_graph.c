/* Graphs, stream capture and libraries on the driver API: order, copies of arguments, errors; that all memory is
 * given back. */
#include "cuda_rig.h"
#include <stdbool.h>
#include <string.h>

enum { N = 64 };
static CUdeviceptr take(const float *from)
{
    CUdeviceptr p;
    assert_cuda(cuMemAlloc(&p, N * sizeof(float)));
    assert_cuda(cuMemcpyHtoD(p, from, N * sizeof(float)));
    return p;
}
static float first(CUdeviceptr p)
{
    float x[N];
    assert_cuda(cuMemcpyDtoH(x, p, sizeof x));
    return x[0];
}

static void nodes_run_after_those_they_depend_on_and_else_in_the_order_of_making(void **state)
{
    float ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1;
    CUdeviceptr a = take(ones), b = take(ones);
    int n = N;
    void *doubles[] = {&a, &a, &a, &n}, *adds[] = {&a, &b, &a, &n};
    CUDA_KERNEL_NODE_PARAMS twice = {.func = rig_kernel(state, "vector_add"),
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = N,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = doubles},
                            add = twice;
    add.kernelParams = adds;
    CUgraph graph, clone;
    CUgraphNode x, y, found;
    CUgraphExec exec;
    CUgraphNodeType type;
    assert_cuda(cuGraphCreate(&graph, 0));
    assert_cuda(cuGraphAddKernelNode(&x, graph, NULL, 0, &twice));
    assert_cuda(cuGraphAddKernelNode(&y, graph, NULL, 0, &add));
    assert_cuda(cuGraphClone(&clone, graph));
    assert_cuda(cuGraphAddDependencies(graph, &y, &x, 1)); /* the clone has no such edge */
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    n = 0; /* the nodes keep what it was */
    assert_cuda(cuGraphLaunch(exec, NULL));
    assert_true(first(a) == 4); /* (1 + 1) * 2 */
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphInstantiate(&exec, clone, 0));
    assert_cuda(cuGraphLaunch(exec, NULL));
    assert_true(first(a) == 9); /* 4 * 2 + 1 */
    assert_cuda(cuGraphNodeFindInClone(&found, x, clone));
    assert_cuda(cuGraphNodeGetType(found, &type));
    assert_int_equal(CU_GRAPH_NODE_TYPE_KERNEL, type);
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &found, &x, 1)); /* of another graph */
    assert_cuda(cuGraphRemoveDependencies(graph, &y, &x, 1));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, &y, &x, 1)); /* not there any more */
    assert_cuda(cuGraphAddDependencies(graph, &y, &x, 1));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &y, &x, 1)); /* there already */
    assert_cuda(cuGraphAddDependencies(graph, &x, &y, 1));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, graph, 0)); /* a circle */
    assert_cuda(cuGraphDestroyNode(y));
    size_t left = 0;
    assert_cuda(cuGraphGetNodes(graph, NULL, &left));
    assert_int_equal(1, left);
    CUgraphExecUpdateResultInfo info;
    assert_cuda_error(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, graph, &info));
    assert_int_equal(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphDestroy(clone));
    assert_cuda(cuGraphDestroy(graph));
}

static void a_captured_stream_runs_nothing_until_its_graph_is_launched(void **state)
{
    float ones[N], out[N] = {0};
    for (int i = 0; i < N; i++) ones[i] = 1;
    CUdeviceptr a = take(ones);
    int n = N;
    void *doubles[] = {&a, &a, &a, &n};
    CUstream stream;
    CUgraph graph;
    CUgraphNode nodes[8];
    CUgraphExec exec;
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuStreamCreate(&stream, 0));
    assert_cuda_error(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_cuda(cuMemsetD32Async(a, 0x40400000, N, stream)); /* 3 */
    assert_cuda(cuLaunchKernel(rig_kernel(state, "vector_add"), 1, 1, 1, N, 1, 1, 0, stream, doubles, NULL));
    assert_cuda(cuMemcpyDtoHAsync(out, a, sizeof out, stream));
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_true(first(a) == 1 && out[0] == 0);
    size_t count = 8;
    assert_cuda(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(3, count);
    count = 8;
    assert_cuda(cuGraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(2, count);
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda(cuGraphDestroy(graph));
    for (int round = 0; round < 2; round++) {
        assert_cuda(cuGraphLaunch(exec, stream));
        assert_cuda(cuStreamSynchronize(stream));
        assert_true(out[N - 1] == 6);
        out[N - 1] = 0;
    }
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuStreamDestroy(stream));
}

/* ---- what a capture forbids ---- */
struct forbidden {
    CUstream stream, other;
    CUevent event, outside;
    CUdeviceptr memory;
};
static CUresult waits(const struct forbidden *f) { return cuStreamSynchronize(f->stream); }
static CUresult asks(const struct forbidden *f) { return cuStreamQuery(f->stream); }
static CUresult waits_for_all(const struct forbidden *f) { return (void)f, cuCtxSynchronize(); }
static CUresult allocates(const struct forbidden *f)
{
    CUdeviceptr p;
    return (void)f, cuMemAlloc(&p, 4);
}
static CUresult frees(const struct forbidden *f) { return cuMemFree(f->memory); }
static CUresult copies(const struct forbidden *f) { return cuMemsetD8(f->memory, 1, 4); }
static CUresult waits_for_the_event(const struct forbidden *f) { return cuEventSynchronize(f->event); }
static CUresult waits_for_one_outside(const struct forbidden *f) { return cuStreamWaitEvent(f->stream, f->outside, 0); }
static CUresult joins_by_the_default_stream(const struct forbidden *f) { return cuStreamWaitEvent(NULL, f->event, 0); }

static void what_a_capture_forbids_spoils_it_and_its_end_gives_no_graph(void **state)
{
    static const struct {
        CUresult (*call)(const struct forbidden *);
        CUresult answer;
    } rows[] = {{waits, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                {asks, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                {waits_for_all, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                {allocates, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                {frees, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                {copies, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT},
                {waits_for_the_event, CUDA_ERROR_CAPTURED_EVENT},
                {waits_for_one_outside, CUDA_ERROR_STREAM_CAPTURE_ISOLATION},
                {joins_by_the_default_stream, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT}};
    struct forbidden f;
    CUgraph graph;
    (void)state;
    assert_cuda(cuStreamCreate(&f.stream, 0));
    assert_cuda(cuStreamCreate(&f.other, 0));
    assert_cuda(cuEventCreate(&f.event, 0));
    assert_cuda(cuEventCreate(&f.outside, 0));
    assert_cuda(cuMemAlloc(&f.memory, 64));
    assert_cuda(cuEventRecord(f.outside, f.other));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CUstreamCaptureStatus status;
        assert_cuda(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        assert_cuda(cuMemsetD8Async(f.memory, 7, 64, f.stream));
        assert_cuda(cuEventRecord(f.event, f.stream));
        assert_cuda_error(rows[i].answer, rows[i].call(&f));
        assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(f.memory, 7, 64, f.stream));
        assert_cuda(cuStreamIsCapturing(f.stream, &status));
        assert_int_equal(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status);
        graph = (CUgraph)&f;
        assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(f.stream, &graph));
        assert_null(graph);
        assert_cuda(cuMemsetD8Async(f.memory, 1, 64, f.stream)); /* a stream like any other again */
    }
    /* asked of the default stream, the state is an error that spoils nothing; a mode that there is not is no state */
    CUstreamCaptureStatus status;
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(f.stream, (CUstreamCaptureMode)9));
    assert_cuda(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(NULL, &status));
    assert_cuda(cuStreamEndCapture(f.stream, &graph));
    assert_cuda(cuGraphDestroy(graph));
    /* two captures that would become one */
    CUevent theirs;
    assert_cuda(cuEventCreate(&theirs, 0));
    assert_cuda(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuStreamBeginCapture(f.other, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuEventRecord(theirs, f.other));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(f.stream, theirs, 0));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(f.stream, &graph));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(f.other, &graph));
}

static void a_relaxed_capture_and_streams_that_wait_for_none_allow_what_others_do(void **state)
{
    CUstream stream;
    CUgraph graph;
    CUdeviceptr p, q;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    (void)state;
    assert_cuda(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_cuda(cuMemAlloc(&p, 4));
    assert_cuda(cuMemsetD32(p, 9, 1)); /* on the default stream, which does not wait for this one */
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_cuda(cuGraphDestroy(graph));
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
    assert_cuda(cuMemAlloc(&q, 4));
    assert_cuda(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(CU_STREAM_CAPTURE_MODE_RELAXED, mode);
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_cuda(cuGraphDestroy(graph));
    assert_cuda(cuStreamDestroy(stream));
}

static void captured_memory_is_taken_and_given_back_by_each_launch(void **state)
{
    float ones[N], out[N] = {0};
    for (int i = 0; i < N; i++) ones[i] = 1;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec, frees;
    CUdeviceptr p = 0, plain = take(ones);
    int n = N;
    void *doubles[] = {&p, &p, &p, &n};
    uint64_t used = 1;
    assert_cuda(cuStreamCreate(&stream, 0));
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuMemAllocAsync(&p, sizeof ones, stream));
    assert_cuda(cuMemcpyHtoDAsync(p, ones, sizeof ones, stream));
    assert_cuda(cuLaunchKernel(rig_kernel(state, "vector_add"), 1, 1, 1, N, 1, 1, 0, stream, doubles, NULL));
    assert_cuda(cuMemcpyDtoHAsync(out, p, sizeof out, stream));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(plain, stream)); /* no graph's */
    assert_cuda(cuMemFreeAsync(p, stream));
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_cuda(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    assert_true(used == 0 && out[0] == 0);
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda(cuGraphDestroy(graph));
    for (int round = 0; round < 3; round++) {
        assert_cuda(cuGraphLaunch(exec, stream));
        assert_true(out[N - 1] == 2);
        out[N - 1] = 0;
    }
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFree(p)); /* no launch has it */
    assert_cuda(cuGraphExecDestroy(exec));
    /* taken, and left to the program */
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuMemAllocAsync(&p, sizeof ones, stream));
    assert_cuda(cuMemsetD32Async(p, 0x40400000, N, stream)); /* 3 */
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda(cuGraphInstantiate(&frees, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    assert_cuda(cuGraphLaunch(exec, stream));
    assert_true(first(p) == 3);
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, stream));
    assert_cuda(cuGraphLaunch(frees, stream));
    assert_cuda(cuMemFree(p));
    assert_cuda(cuGraphLaunch(exec, stream));
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphExecDestroy(frees));
    assert_cuda(cuGraphDestroy(graph));
    assert_true(first(p) == 3); /* it outlives the graph */
    assert_cuda(cuMemFree(p));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
}

static void every_call_that_takes_a_captured_stream_waits_for_the_launch(void **state)
{
    enum { BYTES = 64 };
    unsigned char in[BYTES], from_array[BYTES] = {0}, on_host[BYTES] = {0};
    CUarray array;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUevent event;
    CUgraphNode nodes[16];
    size_t n = 16;
    (void)state;
    memset(in, 5, sizeof in);
    assert_cuda(cuStreamCreate(&stream, 0));
    assert_cuda(cuEventCreate(&event, 0));
    assert_cuda(cuArrayCreate(&array, &(CUDA_ARRAY_DESCRIPTOR){BYTES, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1}));
    assert_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuMemcpyHtoAAsync(array, 0, in, BYTES, stream));
    assert_cuda(cuMemcpyAtoHAsync(from_array, array, 0, BYTES, stream));
    assert_cuda(cuMemcpyAsync((uintptr_t)on_host, (uintptr_t)in, BYTES, stream));
    assert_cuda(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    assert_cuda(cuStreamEndCapture(stream, &graph));
    assert_cuda(cuGraphGetNodes(graph, nodes, &n));
    assert_int_equal(4, n);
    assert_true(from_array[0] == 0 && on_host[0] == 0);
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda(cuGraphLaunch(exec, stream));
    assert_memory_equal(in, from_array, BYTES);
    assert_memory_equal(in, on_host, BYTES);
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphDestroy(graph));
    assert_cuda(cuArrayDestroy(array));
}

static void a_capture_into_a_graph_adds_to_its_nodes(void **state)
{
    float ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1;
    CUdeviceptr a = take(ones);
    int n = N;
    void *doubles[] = {&a, &a, &a, &n};
    CUstream stream;
    CUgraph graph, same = NULL;
    CUgraphNode fill, other[2];
    CUgraphExec exec;
    size_t count = 0, before = 2;
    assert_cuda(cuGraphCreate(&graph, 0));
    assert_cuda(cuGraphAddMemsetNode(
        &fill, graph, NULL, 0,
        &(CUDA_MEMSET_NODE_PARAMS){.dst = a, .value = 0x40400000, .elementSize = 4, .width = N, .height = 1}, NULL));
    assert_cuda(cuStreamCreate(&stream, 0));
    assert_cuda(cuStreamBeginCaptureToGraph(stream, graph, &fill, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuLaunchKernel(rig_kernel(state, "vector_add"), 1, 1, 1, N, 1, 1, 0, stream, doubles, NULL));
    assert_cuda(cuStreamEndCapture(stream, &same));
    assert_ptr_equal(graph, same);
    assert_cuda(cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuStreamEndCapture(stream, NULL)); /* the program has it */
    assert_cuda(cuGraphNodeGetDependentNodes(fill, other, &before));
    assert_int_equal(1, before);
    /* what is spoilt leaves nothing behind */
    assert_cuda(cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_cuda(cuMemsetD32Async(a, 0, N, stream));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &same));
    assert_cuda(cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(2, count);
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda(cuGraphLaunch(exec, stream));
    assert_true(first(a) == 6);
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphDestroy(graph));
}

/* A WHILE node with a condition of 1 and a body of nothing, or of a fill of other memory. */
static void run_while(bool has_fill)
{
    CUgraph graph;
    CUgraphNode node, fill;
    CUgraphExec exec;
    CUgraphConditionalHandle handle;
    CUdeviceptr p;
    assert_cuda(cuMemAlloc(&p, 64));
    assert_cuda(cuGraphCreate(&graph, 0));
    assert_cuda(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                                .conditional = {.handle = handle, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 1}};
    assert_cuda(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    if (has_fill)
        assert_cuda(cuGraphAddMemsetNode(
            &fill, params.conditional.phGraph_out[0], NULL, 0,
            &(CUDA_MEMSET_NODE_PARAMS){.dst = p, .value = 5, .elementSize = 1, .width = 64, .height = 1}, NULL));
    assert_cuda(cuGraphInstantiate(&exec, graph, 0));
    assert_cuda_error(CUDA_ERROR_LAUNCH_TIMEOUT, cuGraphLaunch(exec, NULL));
    assert_non_null(strstr(poise_cuda_last_error(), "WHILE node never ends"));
    assert_cuda_error(CUDA_ERROR_LAUNCH_TIMEOUT, cuCtxSynchronize());
    assert_cuda(cuGraphExecDestroy(exec));
    assert_cuda(cuGraphDestroy(graph));
}
static void a_while_node_whose_body_is_empty_never_ends_and_says_so(void **state) { (void)state, run_while(false); }
static void a_while_node_whose_rounds_change_nothing_ends_with_an_error(void **state) { (void)state, run_while(true); }

static void a_library_is_loaded_asked_and_launched_from(void **state)
{
    float ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1;
    CUdeviceptr a = take(ones), factor;
    int n = N, registers = 0;
    void *params[] = {&a, &n};
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUmodule module;
    unsigned count = 0;
    size_t bytes = 0;
    (void)state;
    assert_cuda(cuLibraryLoadFromFile(&library, KERNELS_PTX, NULL, NULL, 0, NULL, NULL, 0));
    assert_cuda(cuLibraryGetKernelCount(&count, library));
    assert_int_equal(5, count);
    assert_cuda(cuLibraryGetKernel(&kernel, library, "scale"));
    assert_cuda_error(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "none"));
    assert_cuda(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
    assert_int_equal(4, bytes);
    assert_cuda(cuKernelGetFunction(&function, kernel));
    assert_cuda(cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    assert_true(registers > 0);
    /* as CUDA allows */
    assert_cuda(cuLaunchKernel((CUfunction)(void *)kernel, 1, 1, 1, N, 1, 1, 0, NULL, params, NULL));
    assert_true(first(a) == 2.5f);
    assert_cuda(cuLibraryGetModule(&module, library));
    assert_cuda(cuLibraryUnload(library));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&function, kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cuda_test(nodes_run_after_those_they_depend_on_and_else_in_the_order_of_making),
        cuda_test(a_library_is_loaded_asked_and_launched_from),
        cuda_test(a_captured_stream_runs_nothing_until_its_graph_is_launched),
        cuda_test(what_a_capture_forbids_spoils_it_and_its_end_gives_no_graph),
        cuda_test(a_relaxed_capture_and_streams_that_wait_for_none_allow_what_others_do),
        cuda_test(captured_memory_is_taken_and_given_back_by_each_launch),
        cuda_test(every_call_that_takes_a_captured_stream_waits_for_the_launch),
        cuda_test(a_capture_into_a_graph_adds_to_its_nodes),
        cuda_test(a_while_node_whose_body_is_empty_never_ends_and_says_so),
        cuda_test(a_while_node_whose_rounds_change_nothing_ends_with_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
