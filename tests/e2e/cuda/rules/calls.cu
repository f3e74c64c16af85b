// Calls under the names and with the arguments of CUDA 11, 12 and 13, by poise cc; those of 13 by nvcc 13 too.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(int *x) { *x += 1; }
#define CHECK(call) \
    if (!(call)) return printf("%d: %s\n", __LINE__, #call), 1
int main()
{
    int *x, value = 0;
    cudaStream_t s;
    cudaGraph_t g, same;
    cudaGraphExec_t e;
    cudaGraphNode_t n[4], from[4], to[4];
    size_t count;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    const cudaGraphNode_t *after;
    const cudaGraphEdgeData *edges;
    cudaGraphEdgeData data[4];
    cudaMalloc(&x, 4), cudaMemset(x, 0, 4), cudaStreamCreate(&s), cudaGraphCreate(&g, 0);
    CHECK(!cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    k<<<1, 1, 0, s>>>(x);
    CHECK(!cudaStreamGetCaptureInfo(s, &status, &id, &same, &after, &edges, &count) && count == 1 && same == g);
    n[0] = after[0];
    CHECK(!cudaStreamUpdateCaptureDependencies(s, n, nullptr, 1, cudaStreamSetCaptureDependencies));
    k<<<1, 1, 0, s>>>(x);
    CHECK(!cudaStreamEndCapture(s, &same) && same == g);
    CHECK((count = 4, !cudaGraphGetNodes(g, n, &count)) && count == 2);
    CHECK((count = 4, !cudaGraphGetEdges(g, from, to, data, &count)) && count == 1 && from[0] == n[0]);
    CHECK((count = 4, !cudaGraphNodeGetDependencies(n[1], from, data, &count)) && count == 1 && from[0] == n[0]);
    CHECK((count = 4, !cudaGraphNodeGetDependentNodes(n[0], to, data, &count)) && count == 1 && to[0] == n[1]);
    CHECK(!cudaGraphRemoveDependencies(g, n, n + 1, nullptr, 1) && !cudaGraphAddDependencies(g, n, n + 1, nullptr, 1));
    CHECK(!cudaGraphInstantiate(&e, g, 0));
    cudaGraphExecUpdateResultInfo info;
    CHECK(!cudaGraphExecUpdate(e, g, &info) && info.result == cudaGraphExecUpdateSuccess);
#if CUDART_VERSION < 13000
    cudaGraphNode_t fault = n[0];
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    CHECK(!cudaGraphExecUpdate(e, g, &fault, &result) && result == cudaGraphExecUpdateSuccess && !fault);
    CHECK((count = 4, !cudaGraphGetEdges_v2(g, from, to, data, &count)) && count == 1);
    CHECK((count = 4, !cudaGraphGetEdges(g, from, to, &count)) && count == 1);
#endif
    CHECK(!cudaGraphLaunch(e, s) && !cudaStreamSynchronize(s) && !cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) && value == 2);
    puts("calls ok");
    return 0;
}
