/* The part of cuda_runtime.h, which includes it, that only C++ has: overloads by the type of what is pointed to. */
template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)(void *)pointer, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags = 0)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size,
                                                                        size_t dynamic_shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size,
                                                         dynamic_shared_bytes);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
                                                       size_t dynamic_shared_bytes, unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block_size,
                                                                  dynamic_shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks,
                                                                    int block_size)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, block_size);
}
/* The block size that fills an SM with most threads; the largest of equals. shared_bytes_of(threads) is a block's
 * dynamic shared memory. */
template <class F, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size, T function,
                                                                         F shared_bytes_of, int limit = 0)
{
    int best = 0, blocks = 0, sms = 0;
    *block_size = *min_grid = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; error == cudaSuccess && threads > 0;
         threads -= 32) {
        if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads,
                                                          shared_bytes_of(threads)) != cudaSuccess)
            return cudaErrorInvalidDeviceFunction;
        if (blocks * threads > best) best = blocks * threads, *block_size = threads, *min_grid = blocks * sms;
    }
    return error;
}
template <class F, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *block_size,
                                                                                  T function, F shared_bytes_of,
                                                                                  int limit = 0, unsigned = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid, block_size, function, shared_bytes_of, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T function,
                                                             size_t dynamic_shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        min_grid, block_size, function, [=](int) { return dynamic_shared_bytes; }, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, T function,
                                                                      size_t dynamic_shared_bytes = 0, int limit = 0,
                                                                      unsigned = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(min_grid, block_size, function, dynamic_shared_bytes, limit);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <class... Formal, class... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*function)(Formal...),
                                             Actual &&...actual)
{
    return [&](Formal... formal) {
        void *arguments[] = {&formal..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)function, arguments);
    }(actual...);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
#ifdef __CUDA__ /* references are variables of device code */
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p,
                                          const cudaChannelFormatDesc &desc, size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, (const textureReference *)&t, p, &desc, bytes);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p,
                                          size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, (const textureReference *)&t, p, &t.channelDesc, bytes);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p,
                                            const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, (const textureReference *)&t, p, &desc, width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p, size_t width,
                                            size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, (const textureReference *)&t, p, &t.channelDesc, width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    const cudaError_t error = cudaGetChannelDesc(&desc, array);
    return error == cudaSuccess ? cudaBindTextureToArray((const textureReference *)&t, array, &desc) : error;
}
template <class T, int d, cudaTextureReadMode m> static inline cudaError_t cudaUnbindTexture(const texture<T, d, m> &t)
{
    return cudaUnbindTexture((const textureReference *)&t);
}
template <class T, int d>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array)
{
    return cudaBindSurfaceToArray((const surfaceReference *)&s, array, nullptr);
}
#endif
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
/* As CUDA 10 and 11 had it. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *fault,
                                               char *log, size_t log_bytes)
{
    if (fault) *fault = nullptr;
    if (log && log_bytes) *log = '\0';
    return cudaGraphInstantiateWithFlags(executable, graph, 0);
}
/* As CUDA 13 has them: where memory should be is a place, and edges of graphs have ports, which nothing here asks
 * for. */
static inline int poise_device_of(cudaMemLocation place)
{
    return place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation place, unsigned int,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(pointer, bytes, poise_device_of(place), stream);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation place)
{
    return cudaMemAdvise(pointer, bytes, advice, poise_device_of(place));
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           const cudaGraphEdgeData *, size_t n, cudaGraphNodeParams *params)
{
    return cudaGraphAddNode(node, graph, after, n, params);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, const cudaGraphEdgeData *, size_t n)
{
    return cudaGraphAddDependencies(graph, from, to, n);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *, size_t n)
{
    return cudaGraphRemoveDependencies(graph, from, to, n);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
                                                   size_t *n)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, n);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                              const cudaGraphEdgeData *edges, size_t n,
                                                              unsigned flags = 0)
{
    return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, edges, n, flags);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                            cudaGraphEdgeData *edges, size_t *n)
{
    return cudaGraphGetEdges_v2(graph, from, to, edges, n);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                       cudaGraphEdgeData *edges, size_t *n)
{
    return cudaGraphNodeGetDependencies_v2(node, nodes, edges, n);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                         cudaGraphEdgeData *edges, size_t *n)
{
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, n);
}
/* As CUDA 10 and 11 had it: the node at fault and the result by themselves. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *fault,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (fault) *fault = info.errorNode;
    if (result) *result = info.result;
    return error;
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *function)
{
    return cudaFuncGetName(name, (const void *)function);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, T *function)
{
    return cudaGetFuncBySymbol(out, (const void *)function);
}
