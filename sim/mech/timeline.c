/* Timelines in the Chrome trace-event format, for Perfetto and chrome://tracing: a process an SM, with a track of
 * states and counters N, p, loadable warps, IPC and L1 hit rate. One microsecond of the viewer is one core cycle.
 * Processes and threads count from 1: 0 is the idle process to viewers of operating systems' traces. */
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include "poise/file.h"

enum { THREAD = 1 };
enum kind { RECORD_STATE, RECORD_LOADABLE, RECORD_SAMPLE };
struct record {
    uint64_t at;
    const char *state;
    double ipc, hit_rate;
    uint32_t sm, N, p;
    enum kind kind;
};
struct gpu_timeline {
    struct record *records;
    struct feature_counters *before; /* an SM: at the last sample */
    uint64_t interval, next, end;
    size_t n, room;
    uint32_t sms;
    bool is_short_of_memory;
};

struct gpu_timeline *gpu_timeline_new(uint64_t interval_cycles)
{
    struct gpu_timeline *t = calloc(1, sizeof *t);
    if (t) t->interval = interval_cycles ? interval_cycles : 1;
    return t;
}

void gpu_timeline_free(struct gpu_timeline *t)
{
    if (!t) return;
    free(t->records);
    free(t->before);
    free(t);
}

static void add(struct gpu_timeline *t, const struct record *record)
{
    if (t->n == t->room) {
        const size_t room = t->room ? t->room * 2 : 1024;
        struct record *more = realloc(t->records, room * sizeof *more);
        t->is_short_of_memory |= !more;
        if (!more) return;
        t->records = more;
        t->room = room;
    }
    t->records[t->n++] = *record;
}

void timeline_state(struct gpu_timeline *t, uint32_t sm, uint64_t now, const char *state, uint32_t N, uint32_t p)
{
    if (t) add(t, &(struct record){.at = now, .state = state, .sm = sm, .N = N, .p = p, .kind = RECORD_STATE});
}

void timeline_loadable(struct gpu_timeline *t, uint32_t sm, uint64_t now, uint32_t loadable)
{
    if (t) add(t, &(struct record){.at = now, .sm = sm, .N = loadable, .kind = RECORD_LOADABLE});
}

void timeline_begin(struct gpu_timeline *t, uint32_t sms)
{
    if (!t) return;
    free(t->before);
    t->before = calloc(sms, sizeof *t->before);
    t->is_short_of_memory = !t->before;
    t->sms = sms;
    t->n = 0;
    t->end = 0;
    t->next = t->before ? t->interval : UINT64_MAX;
}

uint64_t timeline_next(const struct gpu_timeline *t) { return t ? t->next : UINT64_MAX; }

void timeline_sample(struct gpu_timeline *t, uint32_t sm, const struct feature_counters *c)
{
    const struct feature_counters *b = &t->before[sm];
    const uint64_t cycles = c->cycles - b->cycles, accesses = c->l1_accesses - b->l1_accesses;
    add(t, &(struct record){.at = b->cycles,
                            .sm = sm,
                            .kind = RECORD_SAMPLE,
                            .ipc = cycles ? (double)(c->insts - b->insts) / (double)cycles : 0,
                            .hit_rate = accesses ? (double)(c->l1_hits - b->l1_hits) / (double)accesses : 0});
    t->before[sm] = *c;
}

void timeline_sampled(struct gpu_timeline *t) { t->next += t->interval; }

void timeline_end(struct gpu_timeline *t, uint64_t now)
{
    if (t) t->end = now;
}

/* ---- writing ---- */

static void counter(FILE *out, const struct record *r, const char *what, double value)
{
    fprintf(out, ",\n{\"ph\":\"C\",\"pid\":%u,\"tid\":%d,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%.6g}}",
            r->sm + 1, THREAD, r->at, what, value);
}

/* A state lasts until the SM's next one, or the end: `from` is the record after it. */
static uint64_t until(const struct gpu_timeline *t, const struct record *r)
{
    for (const struct record *later = r + 1; later < t->records + t->n; later++)
        if (later->kind == RECORD_STATE && later->sm == r->sm) return later->at;
    return t->end > r->at ? t->end : r->at;
}

static void write_record(FILE *out, const struct gpu_timeline *t, const struct record *r)
{
    switch (r->kind) {
    case RECORD_STATE:
        fprintf(out,
                ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%d,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
                ",\"cat\":\"policy\",\"name\":\"%s (%u,%u)\",\"args\":{\"N\":%u,\"p\":%u}}",
                r->sm + 1, THREAD, r->at, until(t, r) - r->at, r->state, r->N, r->p, r->N, r->p);
        counter(out, r, "N", r->N);
        counter(out, r, "p", r->p);
        break;
    case RECORD_LOADABLE: counter(out, r, "loadable warps", r->N); break;
    case RECORD_SAMPLE:
        counter(out, r, "IPC", r->ipc);
        counter(out, r, "L1 hit rate", r->hit_rate);
        break;
    }
}

int gpu_timeline_write(const struct gpu_timeline *t, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = t->is_short_of_memory ? NULL : open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "no memory for the timeline %s", path);
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us = 1 core cycle\",\"core_cycles\":%" PRIu64
            "},\"traceEvents\":[",
            t->end);
    for (uint32_t i = 0; i < t->sms; i++) {
        fprintf(out,
                "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"SM %02u\"}}",
                i ? "," : "", i + 1, THREAD, i);
        fprintf(out,
                ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
                i + 1, THREAD, i);
        fprintf(out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"policy\"}}",
                i + 1, THREAD);
    }
    for (size_t i = 0; i < t->n; i++) write_record(out, t, &t->records[i]);
    fprintf(out, "\n]}\n");
    int result = fclose(out) == 0 ? 0 : error_set(err, ERR_MEMORY, "no memory for the timeline %s", path);
    if (result == 0) result = file_write(path, text, size, err);
    free(text);
    return result;
}
