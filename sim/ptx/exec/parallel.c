/* CTAs of one launch on several threads of the host. The next CTAs of the launch, a window of them, are cut into parts
 * of CTAs that follow each other; each thread runs one part in order, on copies of what it writes (exec/shadow.h).
 * Where no part has read a byte that an earlier one wrote, each CTA has seen what it would have seen in order, and the
 * stores become real, the earlier part's first. Else, and where a part came to anything that only a launch in order can
 * do, nothing has happened yet, and the launch goes on in order. So results, traces and messages are those of one
 * thread. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "exec/shadow.h"
#include "poise/clock.h"
#include "poise/threads.h"

#define LEAST_INSTS ((uint64_t)1 << 16) /* threads are not worth it for less */
#define PART_INSTS ((uint64_t)1 << 15)  /* of a part in the first window, about 2 ms; later ones grow up to */
#define PART_MOST ((uint64_t)1 << 17)   /* this: what a part records and copies stays in the host's caches */
#define LEAST_PART ((uint64_t)1 << 14)  /* a thread more, which takes some 50 us to begin, is not worth it for less */
#define UNEVEN 16u                      /* a part that runs for so many times its share is lost in what others write */
#define FEW_PAGES 256u                  /* one thread has them done before another has begun */
#define PAGE_INSTS 128u                 /* who copies a page for fewer instructions than this gains nothing */

struct part {
    struct run run;
    struct shadows shadows;
    struct trace_writer *writer; /* NULL: nothing is recorded */
    struct error err;            /* of a part: told again, if it is one, in order */
    uint64_t first, end;         /* CTAs */
    bool is_lost, is_unmarked;
};
struct parallel {
    struct run *launch;
    struct trace_writer *recorder;
    unsigned n, most; /* parts in use, and in all */
    struct part *parts;
    struct ptx_extent *written;
    size_t n_written;
    uint64_t part_insts; /* expected of each */
    double pace;         /* seconds for an instruction in order; 0: nobody asks */
    atomic_bool is_lost; /* some part is: the others need not go on */
};

/* ---- which launches ---- */

/* A clock shows the order. What waits for others shows it too; and stacks in local memory are too large to be cleared
 * for each CTA, without which what a thread finds there depends on the CTA before. */
static bool is_in_order_only(const struct ptx_kernel *k)
{
    if (k->n_callees || k->stack_slot != NO_SLOT) return true;
    for (uint32_t i = 0; i < k->n_code; i++)
        if (k->code[i].kind == UOP_CLOCK || k->code[i].round) return true;
    return false;
}

bool may_run_in_parallel(const struct run *r, uint64_t n_ctas)
{
    const struct ptx_services *s = r->services;
    return s && s->threads > 1 && n_ctas > 2 && !s->order && !s->grid_workspace &&
           !atomic_load(r->kernel->runs_in_order);
}

/* Atomics on global memory that have been performed will be again, as a rule on the same words. */
static bool has_used_atomics(const struct run *r)
{
    for (uint32_t i = 0; i < r->kernel->n_code; i++)
        if (r->kernel->code[i].kind == UOP_ATOMIC && r->extents[i].hi) return true;
    return false;
}

/* ---- a part ---- */

static int run_cta(struct parallel *p, struct part *x, uint64_t cta)
{
    struct run *r = &x->run;
    struct trace_warp_buffer *buffers = x->writer ? trace_writer_cta_begin(x->writer) : NULL;
    int rc = CTA_GOES_ON;
    if (x->writer && !buffers) return -1;
    cta_start(r, cta, buffers);
    while ((rc = cta_round(r, TURN_INSTS, false)) == CTA_GOES_ON)
        if (r->counts.warp_insts - r->progress > SPIN_INSTS || atomic_load(&p->is_lost)) return -1;
    if (rc != CTA_ENDED || x->shadows.gives_up || r->spin_insts != p->launch->spin_insts) return -1;
    return x->writer ? trace_writer_cta_end(x->writer, &x->err) : 0;
}

static void run_part(void *self, unsigned index)
{
    struct parallel *p = self;
    struct part *x = &p->parts[index];
    struct run *r = &x->run;
    const uint64_t begin = p->launch->counts.warp_insts, most = begin + UNEVEN * p->part_insts + LEAST_INSTS;
    shadows_forget_marks(&x->shadows);
    if (x->writer) trace_writer_part_clear(x->writer);
    r->counts = p->launch->counts;
    r->changed = p->launch->changed;
    r->limit = most < p->launch->limit ? most : p->launch->limit;
    r->has_told_shuffle = p->launch->has_told_shuffle;
    x->is_lost = false;
    for (uint64_t cta = x->first; cta < x->end && !x->is_lost; cta++) x->is_lost = run_cta(p, x, cta) < 0;
    if (x->is_lost) atomic_store(&p->is_lost, true);
}

static void check_part(void *self, unsigned index)
{
    struct parallel *p = self;
    struct part *x = &p->parts[index];
    for (unsigned i = 0; i < index && !x->is_lost; i++)
        x->is_lost = shadows_overlap(&p->parts[i].shadows, &x->shadows, &x->is_unmarked);
}

static void merge_share(void *self, unsigned index)
{
    struct parallel *p = self;
    for (unsigned i = 0; i < p->n; i++) shadows_merge(&p->parts[i].shadows, index, p->n);
}

/* ---- a window ---- */

static size_t pages_of(const struct parallel *p)
{
    size_t n = 0;
    for (unsigned i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->parts[i].shadows.n; k++) {
            const struct touched *t = &p->parts[i].shadows.touched[k];
            n += t->shadow ? t->shadow->n_pages : t->log ? t->log->used / SHADOW_PAGE : 0;
        }
    return n;
}

/* For all parts, on threads of their own or all here. */
static void each_part(struct parallel *p, bool is_much, void (*work)(void *self, unsigned index))
{
    if (is_much) threads_run(p->n, work, p);
    else
        for (unsigned i = 0; i < p->n; i++) work(p, i);
}

static bool any_lost(const struct parallel *p, bool *unmarked)
{
    bool any = false;
    *unmarked = false;
    for (unsigned i = 0; i < p->n; i++) {
        any |= p->parts[i].is_lost;
        *unmarked |= p->parts[i].is_unmarked;
    }
    return any;
}

/* 0: done; 1: the parts overlap, or one of them gave up, and nothing has changed; 2: they may have overlapped, and will
 * tell at another try. */
static int run_window(struct parallel *p, uint64_t first, uint64_t n_ctas)
{
    bool unmarked;
    p->n = n_ctas < p->most ? (unsigned)n_ctas : p->most;
    atomic_store(&p->is_lost, false);
    for (unsigned i = 0; i < p->n; i++) {
        struct part *x = &p->parts[i];
        x->first = first + n_ctas * i / p->n;
        x->end = first + n_ctas * (i + 1) / p->n;
        x->is_unmarked = false;
        x->shadows.written = p->written;
        x->shadows.n_written = p->n_written;
    }
    threads_run(p->n, run_part, p);
    if (any_lost(p, &unmarked)) return 1;
    uint64_t insts = p->launch->counts.warp_insts;
    for (unsigned i = 0; i < p->n; i++) insts += p->parts[i].run.counts.warp_insts - p->launch->counts.warp_insts;
    if (insts >= p->launch->limit) return 1;
    const bool is_much = pages_of(p) > FEW_PAGES;
    each_part(p, is_much, check_part);
    if (any_lost(p, &unmarked)) return unmarked ? 2 : 1;
    each_part(p, is_much, merge_share);
    return 0;
}

/* What was counted and recorded, the earliest part's first. */
static int keep_window(struct parallel *p)
{
    struct ptx_counts *all = &p->launch->counts;
    const struct ptx_counts begin = *all;
    struct trace_writer *writers[HOST_THREADS_MAX];
    for (unsigned i = 0; i < p->n; i++) {
        const struct ptx_counts *c = &p->parts[i].run.counts;
        all->warp_insts += c->warp_insts - begin.warp_insts;
        all->thread_insts += c->thread_insts - begin.thread_insts;
        writers[i] = p->parts[i].writer;
    }
    return p->recorder ? trace_writer_join(p->recorder, writers, p->n, p->launch->err) : 0;
}

/* At another try reads are marked in all that was written. */
static int mark_written(struct parallel *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (shadows_list_copied(&p->parts[i].shadows, &p->written, &p->n_written) < 0) return -1;
    for (unsigned i = 0; i < p->most; i++) shadows_forget_all(&p->parts[i].shadows);
    return 0;
}

/* ---- a launch ---- */

static int part_init(struct parallel *p, struct part *x, const void *params, size_t param_bytes)
{
    const struct run *r = p->launch;
    x->run = (struct run){.kernel = r->kernel,
                          .grid = r->grid,
                          .memory = r->memory,
                          .services = r->services,
                          .spin_insts = r->spin_insts,
                          .idle_limit = r->idle_limit,
                          .shadows = &x->shadows,
                          .err = &x->err};
    if (shadows_init(&x->shadows, r->memory, r->kernel->n_code) < 0) return -1;
    if (p->recorder && trace_writer_part(&x->writer, p->recorder, &x->err) < 0) return -1;
    return run_new(&x->run, params, param_bytes, NULL);
}

/* Allocations that the launch has written so far; the memory of instructions that store holds one of each. */
static int list_written(struct parallel *p)
{
    const struct run *r = p->launch;
    size_t n = 0;
    p->written = calloc((size_t)r->kernel->n_code + 1, sizeof *p->written);
    for (uint32_t i = 0; p->written && i < r->kernel->n_code; i++) {
        const uint8_t cls = r->kernel->insts[i].cls;
        if ((cls != TRACE_STORE && cls != TRACE_ATOMIC) || !r->extents[i].hi) continue;
        for (n = 0; n < p->n_written && p->written[n].lo != r->extents[i].lo;) n++;
        if (n == p->n_written) p->written[p->n_written++] = r->extents[i];
    }
    return p->written ? 0 : -1;
}

/* Whether a window that came out well was not worth it all the same. */
static bool copies_too_much(const struct parallel *p, uint64_t insts)
{
    size_t pages = 0;
    for (unsigned i = 0; i < p->n; i++) pages += p->parts[i].shadows.n_pages;
    return pages * PAGE_INSTS > insts;
}

/* Whether the windows since `begin` were slower than one CTA after another would have been. */
#define WORTH 0.9          /* of that time, at most */
#define SETTLED_WINDOWS 3u /* the first ones are short, and pages are new */
static bool is_slower(const struct parallel *p, unsigned windows, double begin, uint64_t insts)
{
    return p->pace > 0 && windows >= SETTLED_WINDOWS && clock_s() - begin > WORTH * p->pace * (double)insts;
}

/* Windows, as long as they come out well. */
static int run_windows(struct parallel *p, uint64_t *next, uint64_t n_ctas)
{
    bool tries_again = true;
    unsigned windows = 0;
    const double begin = clock_s();
    const uint64_t begin_insts = p->launch->counts.warp_insts;
    for (uint64_t insts = PART_INSTS * p->most; *next < n_ctas;) {
        const uint64_t each = p->launch->counts.warp_insts / *next + 1; /* instructions of a CTA */
        uint64_t n = insts / each + p->most;
        if ((n_ctas - *next) * each < LEAST_INSTS) break;
        if (n > n_ctas - *next || (n_ctas - *next - n) * each < LEAST_INSTS) n = n_ctas - *next;
        p->part_insts = n * each / p->most;
        const int rc = run_window(p, *next, n);
        if (rc == 2 && tries_again) {
            tries_again = false;
            if (mark_written(p) < 0) return 0;
            continue;
        }
        if (rc) {
            atomic_store(p->launch->kernel->runs_in_order, true);
            return 0;
        }
        const uint64_t before = p->launch->counts.warp_insts;
        *next += n;
        if (keep_window(p) < 0) return -1;
        run_tell_progress(p->launch, *next, n_ctas);
        if (copies_too_much(p, p->launch->counts.warp_insts - before) ||
            is_slower(p, ++windows, begin, p->launch->counts.warp_insts - begin_insts)) {
            atomic_store(p->launch->kernel->runs_in_order, true);
            return 0;
        }
        if (insts < PART_MOST * p->most) insts *= 2;
    }
    return 0;
}

int run_in_parallel(struct run *r, const void *params, size_t param_bytes, uint64_t *next, uint64_t n_ctas, double pace,
                    struct trace_writer *recorder)
{
    struct parallel p = {.launch = r, .recorder = recorder, .most = r->services->threads, .pace = pace};
    const uint64_t each = r->counts.warp_insts / *next + 1;
    if (n_ctas - *next < 2 || (n_ctas - *next) * each < LEAST_INSTS) return 0;
    if (is_in_order_only(r->kernel) || has_used_atomics(r)) return 0;
    if (p.most > HOST_THREADS_MAX) p.most = HOST_THREADS_MAX;
    if (p.most > n_ctas - *next) p.most = (unsigned)(n_ctas - *next);
    if (p.most > (n_ctas - *next) * each / LEAST_PART) p.most = (unsigned)((n_ctas - *next) * each / LEAST_PART);
    p.parts = calloc(p.most, sizeof *p.parts);
    bool failed = !p.parts || list_written(&p) < 0;
    for (unsigned i = 0; i < p.most && !failed; i++) failed = part_init(&p, &p.parts[i], params, param_bytes) < 0;
    const int rc = failed ? 0 : run_windows(&p, next, n_ctas);
    for (unsigned i = 0; p.parts && i < p.most; i++) {
        run_free(&p.parts[i].run);
        shadows_fini(&p.parts[i].shadows);
        trace_writer_free(p.parts[i].writer);
    }
    free(p.parts);
    free(p.written);
    return rc;
}
