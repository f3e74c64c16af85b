/* Launches, by the three ABIs: cudaLaunchKernel, __cudaLaunchKernel with a handle (CUDA 12.1 on), and the old
 * cudaConfigureCall, cudaSetupArgument, cudaLaunch. Attributes and occupancy of kernels. */
#include "runtime/runtime.h"

#include <string.h>

/* Codes of the driver that the runtime tells differently: of a grid or a block, but not of dynamic shared memory. */
static cudaError_t launch_error(CUresult result, CUfunction function, size_t shared_bytes)
{
    int most = 0;
    if (result != CUDA_ERROR_INVALID_VALUE) return (cudaError_t)result;
    cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    return shared_bytes > (size_t)most ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
}

static cudaError_t launch(CUfunction function, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
                          void **params, void **extra)
{
    if (shared_bytes > UINT32_MAX) return cudaErrorInvalidValue;
    runtime_managed_exchange(true);
    const CUresult result = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                           (unsigned)shared_bytes, stream, params, extra);
    runtime_managed_exchange(false);
    return launch_error(result, function, shared_bytes);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    CUfunction kernel;
    cudaError_t error = runtime_function(&kernel, function);
    if (error == cudaSuccess) error = launch(kernel, grid, block, shared_bytes, stream, arguments, NULL);
    return runtime_note(error);
}

cudaError_t __cudaLaunchKernel(cudaFunction_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream)
{
    struct runtime_function *f = (struct runtime_function *)kernel;
    CUfunction function;
    if (!f) return runtime_note(cudaErrorInvalidDeviceFunction);
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = runtime_kernel(&function, f);
    if (error == cudaSuccess) error = launch(function, grid, block, shared_bytes, stream, arguments, NULL);
    return runtime_note(error);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    CUfunction f;
    cudaError_t error = shared_bytes > UINT32_MAX ? cudaErrorInvalidValue : runtime_function(&f, function);
    if (error == cudaSuccess)
        error = launch_error(cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                       (unsigned)shared_bytes, stream, arguments),
                             f, shared_bytes);
    return runtime_note(error);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function, void **arguments)
{
    CUfunction f;
    if (!c || c->dynamicSmemBytes > UINT32_MAX) return runtime_note(cudaErrorInvalidValue);
    const CUlaunchConfig config = {
        c->gridDim.x, c->gridDim.y, c->gridDim.z, c->blockDim.x, c->blockDim.y, c->blockDim.z,
        /* alike, by their ABI */
        (unsigned)c->dynamicSmemBytes, c->stream, (CUlaunchAttribute *)c->attrs, c->numAttrs};
    cudaError_t error = runtime_function(&f, function);
    if (error == cudaSuccess)
        error = launch_error(cuLaunchKernelEx(&config, f, arguments, NULL), f, c->dynamicSmemBytes);
    return runtime_note(error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    return runtime_note(function ? runtime_function(function, symbol) : cudaErrorInvalidValue);
}

/* ---- configurations, as <<<...>>> pushes them ---- */
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
    struct runtime_thread *t = runtime_thread();
    if (t->depth == CALL_STACK) return runtime_note(cudaErrorMissingConfiguration);
    struct runtime_call *call = &t->calls[t->depth++];
    call->grid = grid;
    call->block = block;
    call->shared_bytes = shared_bytes;
    call->argument_bytes = 0;
    call->stream = stream;
    return cudaSuccess;
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream)
{
    return cudaConfigureCall(grid, block, shared_bytes, stream) == cudaSuccess ? 0 : 1;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    struct runtime_thread *t = runtime_thread();
    if (t->depth == 0) return runtime_note(cudaErrorMissingConfiguration);
    const struct runtime_call *call = &t->calls[--t->depth];
    *grid = call->grid;
    *block = call->block;
    *shared_bytes = call->shared_bytes;
    *(cudaStream_t *)stream = call->stream;
    return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t offset)
{
    struct runtime_thread *t = runtime_thread();
    if (t->depth == 0) return runtime_note(cudaErrorMissingConfiguration);
    struct runtime_call *call = &t->calls[t->depth - 1];
    if (!argument || offset > ARGUMENTS_BYTES || bytes > ARGUMENTS_BYTES - offset)
        return runtime_note(cudaErrorInvalidValue);
    memcpy(call->arguments + offset, argument, bytes);
    if (call->argument_bytes < offset + bytes) call->argument_bytes = offset + bytes;
    return cudaSuccess;
}

cudaError_t cudaLaunch(const void *function)
{
    struct runtime_thread *t = runtime_thread();
    CUfunction kernel;
    if (t->depth == 0) return runtime_note(cudaErrorMissingConfiguration);
    struct runtime_call *call = &t->calls[--t->depth];
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, call->arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &call->argument_bytes, CU_LAUNCH_PARAM_END};
    cudaError_t error = runtime_function(&kernel, function);
    if (error == cudaSuccess)
        error = launch(kernel, call->grid, call->block, call->shared_bytes, call->stream, NULL, extra);
    return runtime_note(error);
}

/* ---- attributes ---- */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
    CUfunction f;
    int shared = 0, local = 0;
    if (!a) return runtime_note(cudaErrorInvalidValue);
    const cudaError_t error = runtime_function(&f, function);
    if (error != cudaSuccess) return runtime_note(error);
    const struct {
        CUfunction_attribute attribute;
        int *value;
    } rows[] = {
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &a->maxThreadsPerBlock},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &a->numRegs},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &a->ptxVersion},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &a->binaryVersion},
        {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &a->cacheModeCA},
    };
    /* The struct grew over CUDA's versions; only members that all of them have are written. */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const CUresult result = cuFuncGetAttribute(rows[i].value, rows[i].attribute, f);
        if (result != CUDA_SUCCESS) return runtime_note_driver(result);
    }
    a->sharedSizeBytes = (size_t)shared;
    a->constSizeBytes = 0;
    a->localSizeBytes = (size_t)local;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    CUfunction f;
    cudaError_t error = runtime_function(&f, function);
    if (error == cudaSuccess) error = (cudaError_t)cuFuncSetAttribute(f, (CUfunction_attribute)attribute, value);
    return runtime_note(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    CUfunction f;
    cudaError_t error = runtime_function(&f, function);
    if (error == cudaSuccess) error = (cudaError_t)cuFuncSetCacheConfig(f, (CUfunc_cache)config);
    return runtime_note(error);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    CUfunction f;
    if (config > cudaSharedMemBankSizeEightByte) return runtime_note(cudaErrorInvalidValue);
    return runtime_note(runtime_function(&f, function));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared_bytes)
{
    CUfunction f;
    cudaError_t error = runtime_function(&f, function);
    if (error == cudaSuccess)
        error = (cudaError_t)cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, block_size, dynamic_shared_bytes);
    return runtime_note(error);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int block_size)
{
    CUfunction f;
    cudaError_t error = runtime_function(&f, function);
    if (error == cudaSuccess)
        error = (cudaError_t)cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, block_size);
    return runtime_note(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned int flags)
{
    if (flags > 1) return runtime_note(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared_bytes);
}
