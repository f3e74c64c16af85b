/* Streams and events of the runtime API: those of the driver. All work is done when a call returns. */
#include "runtime/runtime.h"

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    FORWARD(cuStreamCreate(stream, flags));
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    FORWARD(cuStreamCreateWithPriority(stream, flags, priority)); /* kept for questions; work runs in the order of
                                                                   * the calls */
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    runtime_forget_settings(stream);
    FORWARD(cuStreamDestroy(stream));
}
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
    FORWARD(cuLaunchHostFunc(stream, function, data));
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

cudaError_t cudaDeviceSynchronize(void)
{
    runtime_managed_exchange(false); /* what copies and graphs have changed */
    FORWARD(cuCtxSynchronize());
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(void) { return runtime_note(runtime_reset()); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) { FORWARD(cuStreamGetFlags(stream, flags)); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    FORWARD(cuStreamGetPriority(stream, priority));
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    FORWARD(cuEventRecordWithFlags(event, stream, flags));
}
