/* Streams and events. Work is done when a call returns, so they only keep order, which is there already, and the
 * device's time. */
#include "driver/graph.h"

#include <stdlib.h>

static CUresult event_find(CUcontext context, CUevent event)
{
    for (CUevent e = context->events; e; e = e->next)
        if (e == event) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not an event of the current context");
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!stream || flags > CU_STREAM_NON_BLOCKING))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: NULL or flags %u", flags);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    CUstream st = malloc(sizeof *st);
    if (!st) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a stream"));
    *st = (struct CUstream_st){.next = context->streams,
                               .context = context,
                               .flags = flags,
                               .priority = priority < -5  ? -5
                                           : priority > 0 ? 0
                                                          : priority};
    *stream = context->streams = st;
    return shim_unlock(s, CUDA_SUCCESS);
}
CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

static bool has_settings(CUstream stream)
{
    return stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
}
static CUresult get_settings(CUstream stream, unsigned *flags, int *priority)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && !flags && !priority)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "a stream's settings: NULL");
    if (result == CUDA_SUCCESS && flags) *flags = has_settings(stream) ? stream->flags : 0;
    if (result == CUDA_SUCCESS && priority) *priority = has_settings(stream) ? stream->priority : 0;
    return shim_unlock(s, result);
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) { return get_settings(stream, flags, NULL); }
CUresult cuStreamGetPriority(CUstream stream, int *priority) { return get_settings(stream, NULL, priority); }

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
            capture_forget(stream);
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
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS && stream_is_captured(stream))
        result = capture_spoil(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                               "the stream is being captured: nothing of it runs until the graph is launched");
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
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    if (result == CUDA_SUCCESS && event->capture) result = capture_wait(stream, event);
    else if (result == CUDA_SUCCESS && stream_is_captured(stream)) result = capture_wait_outside(stream, event, flags);
    return shim_unlock(s, result);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS && !function) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchHostFunc: NULL");
    const bool is_captured = result == CUDA_SUCCESS && stream_is_captured(stream);
    if (is_captured)
        result = capture_work(stream, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {function, data}});
    shim_unlock(s, result);
    if (result == CUDA_SUCCESS && !is_captured) function(data);
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
    *e = (struct CUevent_st){.next = context->events, .context = context, .timing = !(flags & CU_EVENT_DISABLE_TIMING)};
    *event = context->events = e;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    if (result == CUDA_SUCCESS && flags > CU_EVENT_RECORD_EXTERNAL)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuEventRecord: flags %u", flags);
    if (result == CUDA_SUCCESS && stream_is_captured(stream) && flags == CU_EVENT_RECORD_EXTERNAL) {
        result = capture_work(stream, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .event = event});
    } else if (result == CUDA_SUCCESS && stream_is_captured(stream)) {
        result = capture_record(stream, event);
    } else if (result == CUDA_SUCCESS) {
        event->capture = NULL;
        event->time_ns = (int64_t)s->busy_ns;
        event->recorded = true;
    }
    return shim_unlock(s, result);
}

CUresult cuEventRecord(CUevent event, CUstream stream) { return cuEventRecordWithFlags(event, stream, 0); }

static CUresult wait_for(CUevent event, const char *unsafe)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = event_find(context, event);
    if (result == CUDA_SUCCESS && event->capture)
        result = capture_spoil_event(event, CUDA_ERROR_CAPTURED_EVENT,
                                     "the event was recorded in a captured stream: nothing of it runs");
    if (result == CUDA_SUCCESS && unsafe) result = capture_allows(context, unsafe);
    return shim_unlock(s, result);
}
CUresult cuEventSynchronize(CUevent event) { return wait_for(event, NULL); }
CUresult cuEventQuery(CUevent event) { return wait_for(event, "cuEventQuery"); }

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
            free(event->tail);
            free(event);
        } else {
            result = shim_fail(CUDA_ERROR_INVALID_HANDLE, "cuEventDestroy: not an event of the current context");
        }
    }
    return shim_unlock(s, result);
}
