/* Stream capture. A stream that is being captured keeps the nodes that its next one depends on; an event recorded in it
 * takes them along, and a stream that waits for the event joins the capture. */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

struct capture {
    CUgraph graph;
    CUstream origin;
    unsigned n_streams; /* that are in it */
    unsigned long long id;
};

static bool is_default(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}
bool stream_is_captured(CUstream stream) { return !is_default(stream) && stream->capture; }

static CUresult set_tail(CUgraphNode **tail, size_t *n_tail, const CUgraphNode *nodes, size_t n)
{
    CUgraphNode *copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    if (n) memcpy(copy, nodes, n * sizeof *copy);
    free(*tail);
    *tail = copy;
    *n_tail = n;
    return CUDA_SUCCESS;
}

void capture_forget(CUstream stream)
{
    free(stream->tail);
    stream->tail = NULL;
    stream->n_tail = 0;
    stream->capture = NULL;
}

CUresult capture_work(CUstream stream, const struct graph_work *work)
{
    CUgraphNode node;
    const CUresult result = graph_add(&node, stream->capture->graph, stream->tail, stream->n_tail, work);
    return result == CUDA_SUCCESS ? set_tail(&stream->tail, &stream->n_tail, &node, 1) : result;
}

CUresult capture_record(CUstream stream, CUevent event)
{
    const CUresult result = set_tail(&event->tail, &event->n_tail, stream->tail, stream->n_tail);
    if (result == CUDA_SUCCESS) event->capture = stream->capture;
    return result;
}

CUresult capture_wait(CUstream stream, CUevent event)
{
    if (is_default(stream))
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream cannot join a capture");
    if (!stream->capture) {
        stream->capture = event->capture;
        stream->capture->n_streams++;
    }
    if (stream->capture != event->capture)
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_MERGE, "a stream waits for an event of another capture");
    CUgraphNode *all = malloc((stream->n_tail + event->n_tail + 1) * sizeof *all);
    if (!all) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    size_t n = stream->n_tail;
    if (n) memcpy(all, stream->tail, n * sizeof *all);
    for (size_t i = 0; i < event->n_tail; i++) {
        size_t k = 0;
        while (k < n && all[k] != event->tail[i]) k++;
        if (k == n) all[n++] = event->tail[i];
    }
    const CUresult result = set_tail(&stream->tail, &stream->n_tail, all, n);
    free(all);
    return result;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    static unsigned long long captures;
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && is_default(stream))
        result = shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                           "cuStreamBeginCapture: the default stream cannot be captured; create one");
    if (result == CUDA_SUCCESS && (stream->capture || mode > CU_STREAM_CAPTURE_MODE_RELAXED))
        result = shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture: the stream is being captured, or mode %d",
                           (int)mode);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    struct capture *c = calloc(1, sizeof *c);
    CUgraph graph = calloc(1, sizeof *graph);
    if (!c || !graph) {
        free(c);
        free(graph);
        return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture"));
    }
    graph->context = context;
    *c = (struct capture){graph, stream, 1, ++captures};
    stream->capture = c;
    return shim_unlock(s, CUDA_SUCCESS);
}

/* Whether what other streams of the capture did reaches the origin: every node without a successor is in its tail. */
static bool is_joined(const struct capture *c)
{
    for (size_t i = 0; i < c->graph->n_nodes; i++) {
        const CUgraphNode node = c->graph->nodes[i];
        bool has_next = false;
        for (size_t k = 0; k < c->graph->n_nodes && !has_next; k++)
            for (size_t d = 0; d < c->graph->nodes[k]->n_after; d++) has_next |= c->graph->nodes[k]->after[d] == node;
        for (size_t k = 0; k < c->origin->n_tail; k++) has_next |= c->origin->tail[k] == node;
        if (!has_next) return false;
    }
    return true;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && (!graph || !stream_is_captured(stream)))
        result = shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture: the stream is not being captured");
    if (result == CUDA_SUCCESS && stream->capture->origin != stream)
        result =
            shim_fail(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "cuStreamEndCapture: another stream began this capture");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    struct capture *c = stream->capture;
    *graph = c->graph;
    if (c->n_streams > 1 && !is_joined(c)) {
        result = shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                           "cuStreamEndCapture: a stream that joined the capture was not waited for");
        graph_free(c->graph);
        *graph = NULL;
    }
    for (CUstream st = context->streams; st; st = st->next)
        if (st->capture == c) capture_forget(st);
    for (CUevent e = context->events; e; e = e->next)
        if (e->capture == c) e->capture = NULL;
    free(c);
    return shim_unlock(s, result);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id,
                                   CUgraph *graph, const CUgraphNode **after, size_t *n)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && !status) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamGetCaptureInfo: NULL");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    const bool is_captured = stream_is_captured(stream);
    *status = is_captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    if (id) *id = is_captured ? stream->capture->id : 0;
    if (graph && is_captured) *graph = stream->capture->graph;
    if (after && is_captured) *after = stream->tail;
    if (n) *n = is_captured ? stream->n_tail : 0;
    return shim_unlock(s, CUDA_SUCCESS);
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    return cuStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL);
}

/* flags 0: these as well, 1: these instead. */
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t n, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && (!stream_is_captured(stream) || flags > 1 || (n && !nodes)))
        result =
            shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamUpdateCaptureDependencies: no capture, or flags %u", flags);
    if (result == CUDA_SUCCESS && flags == 1) result = set_tail(&stream->tail, &stream->n_tail, nodes, n);
    else if (result == CUDA_SUCCESS) {
        struct CUevent_st also = {.capture = stream->capture, .tail = nodes, .n_tail = n};
        result = capture_wait(stream, &also);
    }
    return shim_unlock(s, result);
}
