/* Stream capture. A stream that is being captured keeps the nodes that its next one depends on; an event recorded in it
 * takes them along, and a stream that waits for the event joins the capture. What a capture forbids spoils it: every
 * further use of its streams is refused until its end, which gives no graph. [CUDA Programming Guide, Creating a Graph
 * Using Stream Capture: Prohibited and Unhandled Operations, Invalidation] */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

struct capture {
    CUgraph graph;
    CUstream origin;
    unsigned n_streams; /* that are in it */
    unsigned long long id;
    CUstreamCaptureMode mode;
    pthread_t thread; /* that began it */
    bool is_spoilt;
    bool is_programs; /* the graph was there before, with n_before nodes */
    size_t n_before;
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

static void leave(CUstream stream)
{
    free(stream->tail);
    stream->tail = NULL;
    stream->n_tail = 0;
    stream->capture = NULL;
}

/* The graph goes, or what the capture put into the program's. */
static void drop_nodes(struct capture *c)
{
    if (!c->is_programs) graph_free(c->graph);
    while (c->is_programs && c->graph->n_nodes > c->n_before) graph_remove(c->graph->nodes[c->graph->n_nodes - 1]);
}

static void capture_end(struct capture *c)
{
    const CUcontext context = c->origin->context;
    for (CUstream st = context->streams; st; st = st->next)
        if (st->capture == c) leave(st);
    for (CUevent e = context->events; e; e = e->next)
        if (e->capture == c) e->capture = NULL;
    if (c->origin->capture) leave(c->origin); /* which its destruction has taken off the list */
    free(c);
}

void capture_forget(CUstream stream)
{
    struct capture *c = stream->capture;
    if (!c) return;
    if (c->origin != stream) { /* its work can no longer be joined by an event that is yet to come */
        leave(stream);
        return;
    }
    drop_nodes(c);
    capture_end(c);
}

/* ---- what is forbidden ---- */
CUresult capture_spoil(CUstream stream, CUresult code, const char *why)
{
    stream->capture->is_spoilt = true;
    return shim_fail(code, "%s; the capture is of no more use", why);
}
CUresult capture_spoil_event(CUevent event, CUresult code, const char *why)
{
    event->capture->is_spoilt = true;
    return shim_fail(code, "%s; the capture is of no more use", why);
}

/* Whether there are captures in the context that `concerns`; they are spoilt if so wanted. */
static bool any_capture(CUcontext context, bool (*concerns)(const struct CUstream_st *), bool spoil)
{
    bool any = false;
    for (CUstream st = context->streams; st; st = st->next) {
        if (!st->capture || !concerns(st)) continue;
        st->capture->is_spoilt |= spoil;
        any = true;
    }
    return any;
}
static bool waits_for_legacy(const struct CUstream_st *stream) { return !(stream->flags & CU_STREAM_NON_BLOCKING); }
static bool any_stream(const struct CUstream_st *stream) { return stream != NULL; }
static bool forbids_unsafe(const struct CUstream_st *stream)
{
    const struct capture *c = stream->capture;
    const CUstreamCaptureMode own = shim_thread()->capture_mode;
    if (own == CU_STREAM_CAPTURE_MODE_RELAXED || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
    if (pthread_equal(c->thread, pthread_self())) return true;
    return own == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult capture_allows(CUcontext context, const char *function)
{
    if (!any_capture(context, forbids_unsafe, true)) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "%s: not while a stream is captured in this mode (cudaThreadExchangeStreamCaptureMode allows it); "
                     "the capture is of no more use",
                     function);
}

CUresult capture_is_over(CUcontext context, const char *function)
{
    if (!any_capture(context, any_stream, true)) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "%s waits for all streams, and one is being captured; the capture is of no more use", function);
}

CUresult stream_use(CUcontext context, CUstream stream)
{
    const CUresult result = stream_find(context, stream);
    if (result != CUDA_SUCCESS || (is_default(stream) && shim_default_is_per_thread(stream))) return result;
    if (is_default(stream) && any_capture(context, waits_for_legacy, true))
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                         "work in the default stream waits for a stream that is being captured (unless that was made "
                         "with cudaStreamNonBlocking); the capture is of no more use");
    if (!is_default(stream) && stream->capture && stream->capture->is_spoilt)
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                         "the stream's capture was spoilt by an earlier error: end it");
    return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    struct shim_thread *t = shim_thread();
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuThreadExchangeStreamCaptureMode: NULL or mode %d",
                         mode ? (int)*mode : 0);
    const CUstreamCaptureMode before = t->capture_mode;
    t->capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

/* ---- work ---- */
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

/* The stream's next node depends on these as well. */
static CUresult depend_on(CUstream stream, const CUgraphNode *nodes, size_t n_nodes)
{
    CUgraphNode *all = malloc((stream->n_tail + n_nodes + 1) * sizeof *all);
    if (!all) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    size_t n = stream->n_tail;
    if (n) memcpy(all, stream->tail, n * sizeof *all);
    for (size_t i = 0; i < n_nodes; i++) {
        size_t k = 0;
        while (k < n && all[k] != nodes[i]) k++;
        if (k == n) all[n++] = nodes[i];
    }
    const CUresult result = set_tail(&stream->tail, &stream->n_tail, all, n);
    free(all);
    return result;
}

CUresult capture_wait(CUstream stream, CUevent event)
{
    if (is_default(stream))
        return capture_spoil_event(event, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                                   "the default stream cannot join a capture");
    if (event->capture->is_spoilt)
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the event's capture was spoilt by an earlier error");
    if (!stream->capture) {
        stream->capture = event->capture;
        stream->capture->n_streams++;
    }
    if (stream->capture != event->capture) {
        event->capture->is_spoilt = true;
        return capture_spoil(stream, CUDA_ERROR_STREAM_CAPTURE_MERGE, "a stream waits for an event of another capture");
    }
    return depend_on(stream, event->tail, event->n_tail);
}

CUresult capture_wait_outside(CUstream stream, CUevent event, unsigned flags)
{
    if (flags & CU_EVENT_WAIT_EXTERNAL)
        return capture_work(stream, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .event = event});
    if (!event->recorded) return CUDA_SUCCESS;
    return capture_spoil(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                         "a captured stream waits for an event that was recorded outside of the capture");
}

/* ---- begin and end ---- */
static CUresult begin(CUstream stream, CUgraph graph, const CUgraphNode *after, size_t n, CUstreamCaptureMode mode)
{
    static unsigned long long captures;
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && is_default(stream))
        result = shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                           "cuStreamBeginCapture: the default stream cannot be captured; create one");
    if (result == CUDA_SUCCESS && (unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamBeginCapture: mode %d", (int)mode);
    if (result == CUDA_SUCCESS && stream->capture)
        result = shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture: the stream is being captured");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    struct capture *c = calloc(1, sizeof *c);
    CUgraph made = graph ? graph : calloc(1, sizeof *made);
    result = c && made ? set_tail(&stream->tail, &stream->n_tail, after, n)
                       : shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    if (result != CUDA_SUCCESS) {
        free(c);
        if (!graph) free(made);
        return shim_unlock(s, result);
    }
    made->context = context;
    *c = (struct capture){.graph = made,
                          .origin = stream,
                          .n_streams = 1,
                          .id = ++captures,
                          .mode = mode,
                          .thread = pthread_self(),
                          .is_programs = graph != NULL,
                          .n_before = made->n_nodes};
    stream->capture = c;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    return begin(stream, NULL, NULL, 0, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t n, CUstreamCaptureMode mode)
{
    (void)edges; /* how soon a node may begin */
    bool is_right = graph && (after || !n);
    for (size_t i = 0; is_right && i < n; i++) is_right = after[i] && after[i]->graph == graph;
    if (!is_right)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamBeginCaptureToGraph: NULL, or a node of another graph");
    return begin(stream, graph, after, n, mode);
}

/* Whether what other streams of the capture did reaches the origin: every node of the capture without a successor is in
 * its tail. */
static bool is_joined(const struct capture *c)
{
    for (size_t i = c->n_before; i < c->graph->n_nodes; i++) {
        const CUgraphNode node = c->graph->nodes[i];
        bool has_next = false;
        for (size_t k = 0; k < c->graph->n_nodes && !has_next; k++)
            for (size_t d = 0; d < c->graph->nodes[k]->n_after; d++) has_next |= c->graph->nodes[k]->after[d] == node;
        for (size_t k = 0; k < c->origin->n_tail; k++) has_next |= c->origin->tail[k] == node;
        if (!has_next) return false;
    }
    return true;
}

/* How a capture ends that may end. */
static CUresult outcome(const struct capture *c)
{
    if (c->is_spoilt)
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                         "cuStreamEndCapture: an earlier error spoilt the capture, so there is no graph");
    if (c->n_streams > 1 && !is_joined(c))
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                         "cuStreamEndCapture: a stream that joined the capture was not waited for");
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && !stream_is_captured(stream))
        result = shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture: the stream is not being captured");
    if (result == CUDA_SUCCESS && !graph && !stream->capture->is_programs) /* whose graph the program has */
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamEndCapture: nowhere to put the graph");
    if (result == CUDA_SUCCESS && stream->capture->origin != stream)
        result =
            shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "cuStreamEndCapture: another stream began this capture");
    if (result == CUDA_SUCCESS && stream->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(stream->capture->thread, pthread_self()))
        result =
            shim_fail(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "cuStreamEndCapture: another thread began this capture");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    struct capture *c = stream->capture;
    result = outcome(c);
    if (graph) *graph = result == CUDA_SUCCESS ? c->graph : NULL;
    if (result != CUDA_SUCCESS) drop_nodes(c);
    capture_end(c);
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
    if (result == CUDA_SUCCESS && is_default(stream) && !shim_default_is_per_thread(stream) &&
        any_capture(context, waits_for_legacy, false)) /* which goes on [CUDA driver API] */
        result = shim_fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                           "cuStreamGetCaptureInfo: the default stream, while a stream that waits for it is captured");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    const struct capture *c = stream_is_captured(stream) ? stream->capture : NULL;
    const bool is_active = c && !c->is_spoilt;
    *status = is_active ? CU_STREAM_CAPTURE_STATUS_ACTIVE
              : c       ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                        : CU_STREAM_CAPTURE_STATUS_NONE;
    if (id) *id = is_active ? c->id : 0;
    if (graph && is_active) *graph = c->graph;
    if (after && is_active) *after = stream->tail;
    if (n) *n = is_active ? stream->n_tail : 0;
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
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS && (!stream_is_captured(stream) || flags > 1 || (n && !nodes)))
        result =
            shim_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamUpdateCaptureDependencies: no capture, or flags %u", flags);
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        if (!nodes[i] || nodes[i]->graph != stream->capture->graph)
            result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamUpdateCaptureDependencies: a node of another graph");
    if (result == CUDA_SUCCESS)
        result = flags == 1 ? set_tail(&stream->tail, &stream->n_tail, nodes, n) : depend_on(stream, nodes, n);
    return shim_unlock(s, result);
}
