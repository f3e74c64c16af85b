/* Graphs, stream capture and libraries on the driver API: order, copies of arguments, errors; that all memory is
 * given back. */
#include "cuda_rig.h"

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
    assert_cuda_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
