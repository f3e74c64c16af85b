/* Streams and events. Work is done when a call returns, so they only keep order, which is there already, and the
 * device's time. */
#include "shim.h"

#include <stdlib.h>

CUresult stream_find(CUcontext context, CUstream stream)
{
    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return CUDA_SUCCESS;
    for (CUstream st = context->streams; st; st = st->next)
        if (st == stream) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not a stream of the current context");
}

static CUresult event_find(CUcontext context, CUevent event)
{
    for (CUevent e = context->events; e; e = e->next)
        if (e == event) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not an event of the current context");
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!stream || flags > CU_STREAM_NON_BLOCKING))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: NULL or flags %u", flags);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    CUstream st = malloc(sizeof *st);
    if (!st) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a stream"));
    *st = (struct CUstream_st){context->streams, context};
    *stream = context->streams = st;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuStreamDestroy(CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) {
        CUstream *link = &context->streams;
        while (*link && *link != stream) link = &(*link)->next;
        if (stream && *link) {
            *link = stream->next;
            free(stream);
        } else {
            result = shim_fail(CUDA_ERROR_INVALID_HANDLE, "cuStreamDestroy: not a stream of the current context");
        }
    }
    return shim_unlock(s, result);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    return shim_unlock(s, result);
}

CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && flags > 1)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamWaitEvent: flags %u", flags);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    return shim_unlock(s, result);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    const CUresult result = function ? cuStreamSynchronize(stream) : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchHostFunc: NULL");
    if (result == CUDA_SUCCESS) function(data);
    return result;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!event || flags > 3))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuEventCreate: NULL or flags %u", flags);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    CUevent e = malloc(sizeof *e);
    if (!e) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event"));
    *e = (struct CUevent_st){context->events, context, !(flags & CU_EVENT_DISABLE_TIMING), false, 0};
    *event = context->events = e;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    if (result == CUDA_SUCCESS) {
        event->time_ns = (int64_t)s->busy_ns;
        event->recorded = true;
    }
    return shim_unlock(s, result);
}

CUresult cuEventSynchronize(CUevent event)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    return shim_unlock(s, result);
}

CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }

/* The device's estimated time (shim.h), the same at every run. */
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !milliseconds)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuEventElapsedTime: NULL");
    if (result == CUDA_SUCCESS) result = event_find(context, start);
    if (result == CUDA_SUCCESS) result = event_find(context, end);
    if (result == CUDA_SUCCESS && (!start->timing || !end->timing || !start->recorded || !end->recorded))
        result = shim_fail(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: an event without timing or never recorded");
    if (result == CUDA_SUCCESS) *milliseconds = (float)((double)(end->time_ns - start->time_ns) * 1e-6);
    return shim_unlock(s, result);
}

CUresult cuEventDestroy(CUevent event)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) {
        CUevent *link = &context->events;
        while (*link && *link != event) link = &(*link)->next;
        if (event && *link) {
            *link = event->next;
            free(event);
        } else {
            result = shim_fail(CUDA_ERROR_INVALID_HANDLE, "cuEventDestroy: not an event of the current context");
        }
    }
    return shim_unlock(s, result);
}
