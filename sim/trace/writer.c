/* Recording: a CTA's warps grow their own buffers; at the CTA's end they are appended to the launch's arrays. */
#include "buffer_pool.h"
#include "encoder.h"
#include "internal.h"
#include "poise/arena.h"
#include "poise/threads.h"
#include "poise/text.h"

#include <stdlib.h>
#include <string.h>

struct trace_writer {
    struct trace *trace; /* its arrays are those below */
    struct trace_inst *code;
    char *strings;
    struct trace_warp *warps;
    struct trace_step *steps;
    uint32_t *accesses, *guards;
    struct trace_spun *spun;
    struct trace_waited waited;
    uint64_t cap_steps, cap_accesses, cap_guards, cap_spun;
    struct trace_warp_buffer *buffers;
    struct buffer_pool pool; /* of all buffers */
    uint32_t n_buffers;      /* warps_per_cta */
    uint32_t n_ctas;         /* recorded so far */
    unsigned threads;        /* that compress columns, with the caller */
    struct background *background;
};
#define BACKGROUND_STEPS 32768u /* shorter traces are compressed before a thread has begun */

static void grow_buffer(struct trace_warp_buffer *b, void *pointer, size_t *cap, size_t n, size_t least, size_t item)
{
    void **at = pointer, *more = buffer_pool_grow(b->pool, *at, cap, n, least, item);
    if (more) *at = more;
    else b->failed = true;
}

void trace_buffer_grow(struct trace_warp_buffer *b)
{
    if (b->failed) return;
    if (b->n_steps == b->cap_steps) grow_buffer(b, &b->steps, &b->cap_steps, b->n_steps, 256, sizeof *b->steps);
    if (b->n_accesses + TRACE_ACCESS_WORDS_MOST > b->cap_accesses)
        grow_buffer(b, &b->accesses, &b->cap_accesses, b->n_accesses, 512, sizeof *b->accesses);
    if (b->n_guards == b->cap_guards) grow_buffer(b, &b->guards, &b->cap_guards, b->n_guards, 64, sizeof *b->guards);
}

void trace_record_spun(struct trace_warp_buffer *b, uint64_t n)
{
    struct trace_spun *last = b->n_spun ? &b->spun[b->n_spun - 1] : NULL;
    if (b->failed || n == 0 || n > b->n_steps) return;
    const uint64_t first = b->n_steps - n;
    if (last && last->first + last->n >= first) {
        last->n = b->n_steps - last->first;
        return;
    }
    b->failed = !array_reserve(&b->spun, &b->cap_spun, b->n_spun + 16, sizeof *b->spun);
    if (!b->failed) b->spun[b->n_spun++] = (struct trace_spun){first, n};
}

static int check_geometry(struct trace_launch *l, const char *kernel, struct error *err)
{
    uint64_t ctas = 1, threads = 1;
    for (int d = 0; d < 3; d++) {
        if (l->grid[d] == 0 || l->block[d] == 0 || l->block[d] > 1024)
            return error_set(err, ERR_INPUT, "%s: grid or block dimension %d is %u, %u", kernel, d, l->grid[d],
                             l->block[d]);
        ctas *= l->grid[d];
        threads *= l->block[d];
        if (ctas > UINT32_MAX) return error_set(err, ERR_INPUT, "%s: more than %u CTAs", kernel, UINT32_MAX);
    }
    if (threads > 1024)
        return error_set(err, ERR_INPUT, "%s: %llu threads in a CTA, at most 1024", kernel,
                         (unsigned long long)threads);
    l->n_ctas = (uint32_t)ctas;
    l->warps_per_cta = (uint32_t)(threads + TRACE_LANES - 1) / TRACE_LANES;
    return 0;
}

static struct trace_writer *writer_alloc(const struct trace_launch *launch, uint32_t n_code, size_t n_strings)
{
    struct trace_writer *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->trace = trace_alloc();
    w->code = calloc(n_code ? n_code : 1, sizeof *w->code);
    w->strings = malloc(n_strings);
    w->warps = calloc((size_t)launch->n_ctas * launch->warps_per_cta, sizeof *w->warps);
    w->n_buffers = launch->warps_per_cta;
    w->buffers = trace_writer_buffers(w);
    if (w->trace && w->code && w->strings && w->warps && w->buffers) {
        w->trace->launch = *launch;
        return w;
    }
    trace_writer_free(w);
    return NULL;
}

int trace_writer_new(struct trace_writer **out, const char *kernel, const struct trace_launch *launch,
                     const struct trace_inst *code, uint32_t n_code, const char *strings, size_t n_strings,
                     struct error *err)
{
    *out = NULL;
    struct trace_launch l = *launch;
    if (check_geometry(&l, kernel, err) < 0) return -1;
    const size_t n_kernel = strlen(kernel) + 1;
    if (n_strings + n_kernel > UINT32_MAX)
        return error_set(err, ERR_INPUT, "%s: more than 4 GB of opcode text", kernel);
    l.n_code = n_code;
    l.kernel = (uint32_t)n_strings;
    struct trace_writer *w = writer_alloc(&l, n_code, n_strings + n_kernel);
    if (!w) return error_set(err, ERR_MEMORY, "%s: no memory to record %u CTAs", kernel, l.n_ctas);
    struct trace *t = w->trace;
    memcpy(w->code, code, n_code * sizeof *code);
    if (n_strings) memcpy(w->strings, strings, n_strings);
    memcpy(w->strings + n_strings, kernel, n_kernel);
    for (char *c = w->strings + n_strings; *c; c++)
        if (text_control(c)) *c = '?';
    t->code = w->code;
    t->strings = w->strings;
    t->n_strings = n_strings + n_kernel;
    t->warps = w->warps;
    if (trace_check_code(t, kernel, NULL, err) < 0) {
        trace_writer_free(w);
        return -1;
    }
    *out = w;
    return 0;
}

struct trace_warp_buffer *trace_writer_buffers(struct trace_writer *w)
{
    struct trace_warp_buffer *buffers = calloc(w->n_buffers, sizeof *buffers);
    for (uint32_t i = 0; buffers && i < w->n_buffers; i++) buffers[i].pool = &w->pool;
    return buffers;
}

void trace_writer_buffers_free(struct trace_writer *w, struct trace_warp_buffer *buffers)
{
    for (uint32_t i = 0; buffers && i < w->n_buffers; i++) {
        const struct trace_warp_buffer *b = &buffers[i];
        buffer_pool_give(&w->pool, b->steps, b->cap_steps * sizeof *b->steps);
        buffer_pool_give(&w->pool, b->accesses, b->cap_accesses * sizeof *b->accesses);
        buffer_pool_give(&w->pool, b->guards, b->cap_guards * sizeof *b->guards);
        free(b->spun);
    }
    free(buffers);
}

struct trace_warp_buffer *trace_writer_cta_begin(struct trace_writer *w)
{
    for (uint32_t i = 0; i < w->n_buffers; i++)
        w->buffers[i].n_steps = w->buffers[i].n_accesses = w->buffers[i].n_guards = w->buffers[i].n_spun = 0;
    return w->buffers;
}

void trace_writer_threads(struct trace_writer *w, unsigned threads) { w->threads = threads; }

static struct encoder_source recorded(const struct trace_writer *w)
{
    return (struct encoder_source){w->warps, w->steps, w->accesses, w->guards};
}

/* Room in the launch's arrays for so many of each. */
static bool make_room(struct trace_writer *w, uint64_t steps, uint64_t accesses, uint64_t guards, uint64_t spun)
{
    const bool moves = steps > w->cap_steps || accesses > w->cap_accesses || guards > w->cap_guards;
    if (moves && w->background) background_pause(w->background);
    return array_reserve(&w->steps, &w->cap_steps, steps, sizeof *w->steps) &&
           array_reserve(&w->accesses, &w->cap_accesses, accesses, sizeof *w->accesses) &&
           array_reserve(&w->guards, &w->cap_guards, guards, sizeof *w->guards) &&
           array_reserve(&w->spun, &w->cap_spun, spun, sizeof *w->spun);
}

static bool make_room_for_cta(struct trace_writer *w, const struct trace_warp_buffer *buffers)
{
    const struct trace *t = w->trace;
    uint64_t steps = t->n_steps, accesses = t->n_accesses, guards = t->n_guards, spun = t->n_spun;
    for (uint32_t i = 0; i < w->n_buffers; i++) {
        const struct trace_warp_buffer *b = &buffers[i];
        if (b->failed) return false;
        steps += b->n_steps;
        accesses += b->n_accesses;
        guards += b->n_guards;
        spun += b->n_spun;
    }
    return make_room(w, steps, accesses, guards, spun);
}

static void compress_recorded(struct trace_writer *w)
{
    const struct encoder_source from = recorded(w);
    if (!w->background && w->threads > 1 && w->trace->n_steps >= BACKGROUND_STEPS) {
        w->background = background_start(w->trace, &from, w->threads);
        if (!w->background) w->threads = 1;
    }
    if (w->background) background_go_on(w->background, &from, w->trace->n_warps);
}

static int append(struct trace_writer *w, const struct trace_warp_buffer *buffers, struct error *err)
{
    struct trace *t = w->trace;
    if (w->n_ctas == t->launch.n_ctas)
        return error_set(err, ERR_RUN, "%s: more than %u CTAs were recorded", trace_kernel(t), w->n_ctas);
    if (!make_room_for_cta(w, buffers))
        return error_set(err, ERR_MEMORY, "%s: no memory to record CTA %u; record a smaller input", trace_kernel(t),
                         w->n_ctas);
    for (uint32_t i = 0; i < w->n_buffers; i++) {
        const struct trace_warp_buffer *b = &buffers[i];
        w->warps[t->n_warps++] = (struct trace_warp){t->n_steps, t->n_accesses, t->n_guards, b->n_steps};
        if (b->n_steps) memcpy(w->steps + t->n_steps, b->steps, b->n_steps * sizeof *b->steps);
        if (b->n_accesses) memcpy(w->accesses + t->n_accesses, b->accesses, b->n_accesses * sizeof *b->accesses);
        if (b->n_guards) memcpy(w->guards + t->n_guards, b->guards, b->n_guards * sizeof *b->guards);
        for (size_t k = 0; k < b->n_spun; k++)
            w->spun[t->n_spun++] = (struct trace_spun){t->n_steps + b->spun[k].first, b->spun[k].n};
        t->n_steps += b->n_steps;
        t->n_accesses += b->n_accesses;
        t->n_guards += b->n_guards;
    }
    w->n_ctas++;
    compress_recorded(w);
    return 0;
}

int trace_writer_cta_end(struct trace_writer *w, struct error *err) { return append(w, w->buffers, err); }

int trace_writer_cta_put(struct trace_writer *w, struct trace_warp_buffer *buffers, struct error *err)
{
    const int rc = append(w, buffers, err);
    trace_writer_buffers_free(w, buffers);
    return rc;
}

uint64_t trace_writer_first_step(const struct trace_writer *w, uint64_t warp) { return w->warps[warp].first_step; }

void trace_writer_waited(struct trace_writer *w, const struct trace_waited *waited) { w->waited = *waited; }

/* ---- parts that other threads have recorded ---- */

int trace_writer_part(struct trace_writer **out, const struct trace_writer *of, struct error *err)
{
    *out = writer_alloc(&of->trace->launch, 0, 1);
    if (!*out) return error_set(err, ERR_MEMORY, "%s: no memory to record", trace_kernel(of->trace));
    (*out)->trace->strings = of->trace->strings; /* for messages */
    return 0;
}

void trace_writer_part_clear(struct trace_writer *part)
{
    struct trace *t = part->trace;
    t->n_warps = t->n_steps = t->n_accesses = t->n_guards = t->n_spun = 0;
    part->n_ctas = 0;
}

struct joining {
    struct trace_writer *to, *const *parts;
    struct trace_warp at[HOST_THREADS_MAX]; /* where each part goes: its first step, access and guard */
    uint64_t first_warp[HOST_THREADS_MAX];  /* and its first warp */
};

static void copy_part(void *self, unsigned index)
{
    const struct joining *j = self;
    const struct trace_writer *part = j->parts[index];
    const struct trace *t = part->trace;
    const struct trace_warp *at = &j->at[index];
    if (t->n_steps) memcpy(j->to->steps + at->first_step, part->steps, t->n_steps * sizeof *part->steps);
    if (t->n_accesses)
        memcpy(j->to->accesses + at->first_access, part->accesses, t->n_accesses * sizeof *part->accesses);
    if (t->n_guards) memcpy(j->to->guards + at->first_guard, part->guards, t->n_guards * sizeof *part->guards);
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const struct trace_warp *x = &part->warps[w];
        j->to->warps[j->first_warp[index] + w] =
            (struct trace_warp){at->first_step + x->first_step, at->first_access + x->first_access,
                                at->first_guard + x->first_guard, x->n_steps};
    }
}

int trace_writer_join(struct trace_writer *w, struct trace_writer *const *parts, unsigned n, struct error *err)
{
    struct trace *t = w->trace;
    struct joining j = {.to = w, .parts = parts};
    uint64_t steps = t->n_steps, accesses = t->n_accesses, guards = t->n_guards, spun = t->n_spun, ctas = w->n_ctas;
    const uint64_t n_steps = steps;
    if (n > HOST_THREADS_MAX) return error_set(err, ERR_USAGE, "%s: %u parts", trace_kernel(t), n);
    for (unsigned i = 0; i < n; i++) {
        const struct trace *x = parts[i]->trace;
        j.at[i] = (struct trace_warp){steps, accesses, guards, 0};
        j.first_warp[i] = ctas * t->launch.warps_per_cta;
        steps += x->n_steps;
        accesses += x->n_accesses;
        guards += x->n_guards;
        spun += x->n_spun;
        ctas += parts[i]->n_ctas;
    }
    if (ctas > t->launch.n_ctas)
        return error_set(err, ERR_RUN, "%s: more than %u CTAs were recorded", trace_kernel(t), t->launch.n_ctas);
    if (!make_room(w, steps, accesses, guards, spun))
        return error_set(err, ERR_MEMORY, "%s: no memory to record %llu CTAs; record a smaller input", trace_kernel(t),
                         (unsigned long long)ctas);
    if (steps - n_steps >= BACKGROUND_STEPS) threads_run(n, copy_part, &j);
    else
        for (unsigned i = 0; i < n; i++) copy_part(&j, i);
    for (unsigned i = 0; i < n; i++) {
        const struct trace *x = parts[i]->trace;
        for (uint64_t k = 0; k < x->n_spun; k++)
            w->spun[t->n_spun++] =
                (struct trace_spun){j.at[i].first_step + parts[i]->spun[k].first, parts[i]->spun[k].n};
        t->n_warps += x->n_warps;
        trace_writer_part_clear(parts[i]);
    }
    t->n_steps = steps;
    t->n_accesses = accesses;
    t->n_guards = guards;
    w->n_ctas = (uint32_t)ctas;
    compress_recorded(w);
    return 0;
}

/* The trace owns its arrays from here on. */
static int writer_seal(struct trace_writer *w, const char *provenance, struct error *err)
{
    struct trace *t = w->trace;
    char *copy = strdup(provenance ? provenance : "{}");
    const struct trace_waited *waited = &w->waited;
    void *const blocks[] = {w->code, w->strings,    w->warps,      w->steps,       w->accesses, w->guards,
                            w->spun, waited->words, waited->waits, waited->writes, copy};
    memcpy(t->owner->blocks, blocks, sizeof blocks);
    t->steps = w->steps;
    t->accesses = w->accesses;
    t->guards = w->guards;
    t->spun = w->spun;
    t->words = waited->words;
    t->waits = waited->waits;
    t->writes = waited->writes;
    t->n_words = waited->n_words;
    t->n_waits = waited->n_waits;
    t->n_writes = waited->n_writes;
    t->provenance = copy;
    w->code = NULL;
    w->strings = NULL;
    w->warps = NULL;
    w->steps = NULL;
    w->accesses = w->guards = NULL;
    w->spun = NULL;
    w->waited = (struct trace_waited){0};
    if (!copy) return error_set(err, ERR_MEMORY, "%s: no memory for the provenance", trace_kernel(t));
    if (w->n_ctas != t->launch.n_ctas)
        return error_set(err, ERR_RUN, "%s: %u of %u CTAs were recorded", trace_kernel(t), w->n_ctas, t->launch.n_ctas);
    if (trace_check_warps(t, trace_kernel(t), -1, err) < 0 || trace_check_spun(t, trace_kernel(t), -1, err) < 0 ||
        trace_check_waits(t, trace_kernel(t), -1, err) < 0)
        return -1;
    return trace_identity(t, &t->hash, err);
}

static int compress(struct trace_writer *w, struct container_out *file, struct error *err)
{
    if (!w->background) return trace_to_rest(file, w->trace, err);
    if (background_pack(w->background, file, w->trace) == 0) return 0;
    return error_set(err, ERR_MEMORY, "%s: no memory to compress the trace", trace_kernel(w->trace));
}

int trace_writer_finish(struct trace_writer *w, const char *path, const char *provenance, struct trace **out,
                        struct error *err)
{
    struct container_out *file = NULL;
    int result = writer_seal(w, provenance, err);
    if (out) *out = NULL;
    if (result == 0 && path) {
        file = malloc(sizeof *file);
        result = file ? compress(w, file, err) : error_set(err, ERR_MEMORY, "%s: no memory to write", path);
        if (result == 0) {
            result = container_write(file, path, err);
            w->trace->file_bytes = file->header.file_bytes;
            container_out_free(file);
        }
        free(file);
    }
    if (result == 0 && out) {
        *out = w->trace;
        w->trace = NULL;
    }
    trace_writer_free(w);
    return result;
}

void trace_writer_free(struct trace_writer *w)
{
    if (!w) return;
    background_free(w->background);
    trace_writer_buffers_free(w, w->buffers);
    buffer_pool_fini(&w->pool);
    trace_close(w->trace);
    free(w->code);
    free(w->strings);
    free(w->warps);
    free(w->steps);
    free(w->accesses);
    free(w->guards);
    free(w->spun);
    free(w->waited.words);
    free(w->waited.waits);
    free(w->waited.writes);
    free(w);
}
