/* Streams and events of the runtime API: those of the driver. All work is done when a call returns. */
#include "runtime.h"

#include <stdatomic.h>
#include <stdio.h>

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

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    if (!flags) return runtime_note(cudaErrorInvalidValue);
    *flags = 0;
    return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    if (!priority) return runtime_note(cudaErrorInvalidValue);
    *priority = 0;
    return cudaStreamSynchronize(stream);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) { return (void)flags, cudaEventRecord(event, stream); }

/* ---- graphs are not offered: the reason is told once, since most programs print a code at best ---- */
static cudaError_t no_graphs(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        fputs("poise: this device has no CUDA graphs and no stream capture; launch the kernels in a stream instead\n", stderr);
    return runtime_note(cudaErrorStreamCaptureUnsupported);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (!status) return runtime_note(cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
    return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) { return (void)stream, (void)mode, no_graphs(); }
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) { return (void)stream, (void)graph, no_graphs(); }
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) { return (void)graph, (void)flags, no_graphs(); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) { return (void)executable, (void)graph, (void)flags, no_graphs(); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) { return (void)executable, (void)stream, no_graphs(); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return (void)graph, no_graphs(); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return (void)executable, no_graphs(); }
