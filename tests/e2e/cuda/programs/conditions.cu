/* Nodes of a graph that run a graph while, if or at the index that a condition says, which kernels set. */
#include "program.h"
#ifndef PROGRAM_DRIVER
/* Halves the number and goes on while it is above 1: then `steps` is its binary logarithm. */
extern "C" __global__ void conditions_halve(unsigned long long handle, int *number, int *steps)
{
    *number /= 2, ++*steps;
    cudaGraphSetConditional(handle, *number > 1);
}
extern "C" __global__ void conditions_choose(unsigned long long odd, unsigned long long which, const int *steps)
{
    cudaGraphSetConditional(odd, *steps % 2), cudaGraphSetConditional(which, *steps % 4);
}
extern "C" __global__ void conditions_add(int *to, int amount) { *to += amount; }
#endif
#if defined(PROGRAM_DRIVER) || CUDART_VERSION < 13000 /* what poise cc compiles, and CUDA 12 */
#define CONDITIONS_OLD_ADD
#endif
#ifdef PROGRAM_DRIVER
typedef CUgraph ConditionsGraph;
typedef CUgraphNode ConditionsNode;
static int conditions_handle(unsigned long long *handle, CUgraph graph, unsigned value, unsigned flags)
{
    return cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)handle, graph, NULL, value, flags);
}
static int conditions_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, int type, unsigned long long handle, unsigned size, CUgraph *bodies)
{
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle, p.conditional.type = (CUgraphConditionalNodeType)type, p.conditional.size = size;
    const int status = cuGraphAddNode(node, graph, after, NULL, n, &p);
    for (unsigned i = 0; !status && i < size; i++) bodies[i] = p.conditional.phGraph_out[i];
    return status;
}
static int conditions_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, const char *name, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS p = {};
    p.func = driver_function(name), p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1, p.kernelParams = arguments;
    return cuGraphAddKernelNode(node, graph, after, n, &p);
}
#define CONDITIONS_KERNEL(node, graph, after, n, kernel, arguments) conditions_kernel(node, graph, after, n, #kernel, arguments)
#else
typedef cudaGraph_t ConditionsGraph;
typedef cudaGraphNode_t ConditionsNode;
static int conditions_handle(unsigned long long *handle, cudaGraph_t graph, unsigned value, unsigned flags)
{
    return cudaGraphConditionalHandleCreate(handle, graph, value, flags);
}
static int conditions_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, int type, unsigned long long handle, unsigned size, cudaGraph_t *bodies)
{
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle, p.conditional.type = (cudaGraphConditionalNodeType)type, p.conditional.size = size;
#ifdef CONDITIONS_OLD_ADD
    const int status = cudaGraphAddNode(node, graph, after, n, &p);
#else
    const int status = cudaGraphAddNode(node, graph, after, NULL, n, &p);
#endif
    for (unsigned i = 0; !status && i < size; i++) bodies[i] = p.conditional.phGraph_out[i];
    return status;
}
static int conditions_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, void *kernel, void **arguments)
{
    cudaKernelNodeParams p = {};
    p.func = kernel, p.gridDim = p.blockDim = dim3(1), p.kernelParams = arguments;
    return cudaGraphAddKernelNode(node, graph, after, n, &p);
}
#define CONDITIONS_KERNEL(node, graph, after, n, kernel, arguments) conditions_kernel(node, graph, after, n, (void *)kernel, arguments)
#endif

PROGRAM(conditions)
{
    Array<int> number(1), steps(1), sum(1);
    number[0] = 1 << 11, steps[0] = 0, sum[0] = 0;
    number.up(), steps.up(), sum.up();
    unsigned long long again, odd, which;
    ConditionsGraph graph, loop, branches[2], cases[3];
    ConditionsNode first, choose, node;
#ifdef PROGRAM_DRIVER
    CHECK(!cuGraphCreate(&graph, 0));
#else
    CHECK(!cudaGraphCreate(&graph, 0));
#endif
    CHECK(!conditions_handle(&again, graph, 1, 1) && !conditions_handle(&odd, graph, 0, 0) && !conditions_handle(&which, graph, 0, 0));
    /* while (again) halve; choose; if (odd) sum += 1 else sum += 10; switch (which) cases 0, 1 and 2: sum += 100, 200, 300 */
    CHECK(!conditions_node(&first, graph, NULL, 0, 1, again, 1, &loop));
    void *halve[] = {&again, &number.device, &steps.device}, *chosen[] = {&odd, &which, &steps.device};
    CHECK(!CONDITIONS_KERNEL(&node, loop, NULL, 0, conditions_halve, halve));
    CHECK(!CONDITIONS_KERNEL(&choose, graph, &first, 1, conditions_choose, chosen));
    CHECK(!conditions_node(&first, graph, &choose, 1, 0, odd, 2, branches));
    for (int i = 0; i < 2; i++) {
        int amount = i ? 10 : 1;
        void *add[] = {&sum.device, &amount};
        CHECK(!CONDITIONS_KERNEL(&node, branches[i], NULL, 0, conditions_add, add));
    }
    CHECK(!conditions_node(&first, graph, &choose, 1, 2, which, 3, cases));
    for (int i = 0; i < 3; i++) {
        int amount = 100 * (i + 1);
        void *add[] = {&sum.device, &amount};
        CHECK(!CONDITIONS_KERNEL(&node, cases[i], NULL, 0, conditions_add, add));
    }
#ifdef PROGRAM_DRIVER
    CUgraphExec ready;
    CHECK(!cuGraphInstantiate(&ready, graph, 0) && !cuGraphLaunch(ready, NULL) && !synchronise());
#else
    cudaGraphExec_t ready;
    CHECK(!cudaGraphInstantiate(&ready, graph, 0) && !cudaGraphLaunch(ready, NULL) && !synchronise());
#endif
    steps.down(), sum.down();
    CHECK(steps[0] == 11 && sum[0] == 1); /* 11 is odd, and there is no case 3 */
    number[0] = 64, number.up(), steps[0] = 0, steps.up(); /* the loop's condition is 1 again */
#ifdef PROGRAM_DRIVER
    CHECK(!cuGraphLaunch(ready, NULL) && !synchronise() && !cuGraphExecDestroy(ready) && !cuGraphDestroy(graph));
#else
    CHECK(!cudaGraphLaunch(ready, NULL) && !synchronise() && !cudaGraphExecDestroy(ready) && !cudaGraphDestroy(graph));
#endif
    steps.down(), sum.down();
    CHECK(steps[0] == 6 && sum[0] == 1 + 10 + 300);
    return 0;
}
