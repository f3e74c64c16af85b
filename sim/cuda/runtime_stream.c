/* Streams and events of the runtime API: those of the driver. All work is done when a call returns. */
#include "runtime.h"

/* An API function that is the driver's after the device is there. */
#define FORWARD(call)                                                                                                 \
    do {                                                                                                              \
        cudaError_t error = runtime_ready();                                                                          \
        if (error == cudaSuccess) error = (cudaError_t)(call);                                                        \
        return runtime_note(error);                                                                                   \
    } while (0)

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { FORWARD(cuStreamCreate(stream, flags)); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    (void)priority; /* one at a time, in the order of the calls */
    return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { FORWARD(cuStreamDestroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { FORWARD(cuStreamSynchronize(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { FORWARD(cuStreamQuery(stream)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    FORWARD(cuStreamWaitEvent(stream, event, flags));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    if (!callback || flags) return runtime_note(cudaErrorInvalidValue);
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) callback(stream, cudaSuccess, data);
    return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    if (!function) return runtime_note(cudaErrorInvalidValue);
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) function(data);
    return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) { FORWARD(cuEventCreate(event, flags)); }
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { FORWARD(cuEventRecord(event, stream)); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { FORWARD(cuEventSynchronize(event)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { FORWARD(cuEventQuery(event)); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    FORWARD(cuEventElapsedTime(milliseconds, start, end));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { FORWARD(cuEventDestroy(event)); }

cudaError_t cudaDeviceSynchronize(void) { FORWARD(cuCtxSynchronize()); }
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(void) { return runtime_note(runtime_reset()); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
