/* CTAs of a launch on several threads of the host: memory, trace, counts, messages and what is printed are those of
 * one thread, whatever the CTAs do to each other. */
#include "folder.h"
#include "ptx_rig.h"
#include "poise/arena.h"

#include <pthread.h>
#include <stdatomic.h>

#define CTAS 600u
#define THREADS 64u
#define WORDS (CTAS * THREADS)

/* Memory with three allocations, one of which stands elsewhere on the host. */
struct device {
    unsigned char *bytes, *elsewhere;
    struct ptx_extent allocations[3];
    struct ptx_memory memory;
    atomic_uint finds_by_others; /* by another thread than the test's */
    pthread_t test;
    char printed[256];
    unsigned told, strays;
};
#define ROOM (4u << 20)
static uint64_t room = ROOM;
#define FORMAT (RIG_BASE + room / 2 + WORDS * 4 + 512) /* behind what threads use of b: what is printed */

static struct ptx_extent find(void *self, uint64_t address)
{
    struct device *d = self;
    if (!pthread_equal(pthread_self(), d->test)) atomic_fetch_add(&d->finds_by_others, 1);
    for (int i = 0; i < 3; i++)
        if (address >= d->allocations[i].lo && address < d->allocations[i].hi) return d->allocations[i];
    return (struct ptx_extent){0, 0, NULL};
}

static void print(void *self, const char *text, size_t size)
{
    struct device *d = self;
    assert_true(pthread_equal(pthread_self(), d->test));
    snprintf(d->printed + strlen(d->printed), sizeof d->printed - strlen(d->printed), "%.*s", (int)size, text);
}

static void undefined(void *self, const char *kernel, uint32_t line, const char *what)
{
    struct device *d = self;
    (void)kernel, (void)line, (void)what;
    assert_true(pthread_equal(pthread_self(), d->test));
    d->told++;
}

static bool stray(void *self, const struct ptx_stray *x)
{
    struct device *d = self;
    (void)x;
    assert_true(pthread_equal(pthread_self(), d->test));
    d->strays++;
    return true;
}

/* What a launch left. */
struct result {
    struct device device;
    struct ptx_counts counts;
    struct hash trace;
    struct error err;
    int rc;
};

static const uint32_t *pattern(void)
{
    static uint32_t words[ROOM / 4];
    if (words[1] == 0)
        for (uint32_t i = 0; i < ROOM / 4; i++) words[i] = i * 2654435761u;
    return words;
}

/* a, b: 4 bytes for each thread of the launch and some more; c: the same, elsewhere. Filled alike each time. */
static void device_init(struct device *d)
{
    const uint64_t bytes = WORDS * 4 + 1024, most = room > ROOM ? room / 2 - 512 : bytes;
    memset(d, 0, sizeof *d);
    d->bytes = table_new(1, room); /* of large pages: it is touched all over */
    d->elsewhere = calloc(1, bytes);
    d->test = pthread_self();
    d->memory = (struct ptx_memory){d->bytes, RIG_BASE, room, find, d};
    d->allocations[0] = (struct ptx_extent){RIG_BASE + 256, RIG_BASE + 256 + most, NULL};
    d->allocations[1] = (struct ptx_extent){RIG_BASE + room / 2, RIG_BASE + room / 2 + bytes, NULL};
    d->allocations[2] = (struct ptx_extent){RIG_BASE + 3 * (room / 4), RIG_BASE + 3 * (room / 4) + bytes, d->elsewhere};
    memcpy(d->bytes, pattern(), ROOM);
    memcpy(d->bytes + (FORMAT - RIG_BASE), "told\n", 6);
}

static uint64_t address_of(const struct device *d, int allocation) { return d->allocations[allocation].lo; }

static struct ptx_module *module_of(const char *body)
{
    char text[8192];
    snprintf(text, sizeof text,
             HEADER ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                    ".global .align 1 .b8 format[6];\n"
                    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n.reg .pred %%p<20>; .reg .b16 "
                    "%%h<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .local .b32 mine[4]; .shared .b32 ours[64];\n"
                    "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mad.lo.u32 %%r3, %%r1, "
                    "%%r2, %%r0;\nld.param.u64 %%rd0, [a]; ld.param.u64 %%rd1, [b]; ld.param.u64 %%rd2, [c];\n"
                    "mul.wide.u32 %%rd3, %%r3, 4; add.u64 %%rd4, %%rd0, %%rd3; add.u64 %%rd5, %%rd1, %%rd3; add.u64 "
                    "%%rd6, %%rd2, %%rd3;\n%s\nret;\n}\n",
             body);
    struct ptx_module *m = rig_module(text);
    ptx_module_place(m, 0, FORMAT);
    return m;
}

static void run_module(struct result *out, const struct ptx_module *m, unsigned threads, uint64_t limit)
{
    const struct ptx_kernel *k = ptx_module_kernel(m, 0);
    const struct ptx_grid grid = {{CTAS, 1, 1}, {THREADS, 1, 1}, 0};
    struct trace_launch launch = {.grid = {CTAS, 1, 1}, .block = {THREADS, 1, 1}, .regs_per_thread = 32};
    const struct trace_inst *code;
    const char *strings;
    size_t n_strings;
    struct trace_writer *writer;
    struct trace *trace = NULL;
    memset(&out->trace, 0, sizeof out->trace);
    device_init(&out->device);
    struct device *d = &out->device;
    const uint64_t params[3] = {address_of(d, 0), address_of(d, 1), address_of(d, 2)};
    const struct ptx_services services = {
        .threads = threads, .print = print, .undefined = undefined, .stray = stray, .self = d};
    ptx_kernel_code(k, &code, &launch.n_code, &strings, &n_strings, &launch.n_regs);
    assert_ok(trace_writer_new(&writer, "k", &launch, code, launch.n_code, strings, n_strings, &out->err), &out->err);
    out->err = (struct error){0};
    out->rc =
        ptx_run_with(k, &grid, params, sizeof params, &d->memory, &services, writer, limit, &out->counts, &out->err);
    if (out->rc < 0) {
        trace_writer_free(writer);
        return;
    }
    assert_ok(trace_writer_finish(writer, NULL, "{}", &trace, &out->err), &out->err);
    out->trace = trace->hash;
    trace_close(trace);
}

static void result_fini(struct result *r)
{
    free(r->device.bytes);
    free(r->device.elsewhere);
}

/* Runs the body with one thread and with 2 to `most`; returns whether other threads had a part in it. */
static bool same_with_threads(const char *body, uint64_t limit, unsigned most)
{
    static struct result one, many;
    struct ptx_module *alone = module_of(body);
    bool others = false;
    run_module(&one, alone, 1, limit);
    assert_int_equal(0, one.device.finds_by_others);
    for (unsigned threads = 2; threads <= most; threads++) {
        struct ptx_module *m = module_of(body);
        run_module(&many, m, threads, limit);
        assert_int_equal(one.rc, many.rc);
        assert_string_equal(one.err.text, many.err.text);
        assert_int_equal(one.err.line, many.err.line);
        assert_int_equal(one.counts.warp_insts, many.counts.warp_insts);
        assert_int_equal(one.counts.thread_insts, many.counts.thread_insts);
        assert_memory_equal(one.trace.bytes, many.trace.bytes, sizeof one.trace.bytes);
        assert_int_equal(0, memcmp(one.device.bytes, many.device.bytes, room)); /* cmocka's own goes byte by byte */
        assert_memory_equal(one.device.elsewhere, many.device.elsewhere, WORDS * 4 + 1024);
        assert_string_equal(one.device.printed, many.device.printed);
        assert_int_equal(one.device.told, many.device.told);
        assert_int_equal(one.device.strays, many.device.strays);
        others |= many.device.finds_by_others > 0;
        result_fini(&many);
        ptx_module_free(m);
    }
    result_fini(&one);
    ptx_module_free(alone);
    return others;
}

#if POISE_SANITIZED
enum { MOST_THREADS = 3 };
#else
enum { MOST_THREADS = 5 };
#endif
static bool same_with_any_threads(const char *body, uint64_t limit)
{
    return same_with_threads(body, limit, MOST_THREADS);
}

/* So many rounds of a loop that computes: a launch that is worth several threads. */
#define WORK_FOR(rounds) \
    "mov.u32 %r9, 0;\nW: add.u32 %r9, %r9, 1; mul.lo.u32 %r8, %r9, %r3; setp.lt.u32 %p9, %r9, " rounds ";\n" \
    "@%p9 bra W;\n"
#define WORK WORK_FOR("40")

static void ctas_that_do_not_meet_run_on_several_threads(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        /* one array from another; the same array in place; an allocation of the host's; narrow and wide elements */
        WORK "ld.global.u32 %r5, [%rd5]; add.u32 %r5, %r5, %r8; st.global.u32 [%rd4], %r5;",
        WORK "ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5;",
        WORK "ld.u32 %r5, [%rd6]; add.u32 %r5, %r5, %r3; st.u32 [%rd6], %r5; st.global.u32 [%rd5], %r3;",
        WORK "mul.wide.u32 %rd7, %r3, 1; add.u64 %rd7, %rd0, %rd7; cvt.u16.u32 %h1, %r3; st.global.u8 [%rd7], %h1;",
        WORK "and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0; @%p1 st.global.v2.u32 [%rd4], {%r3, %r8};",
        /* all write the same words, whoever comes last wins; what is read, a later CTA writes */
        WORK "st.global.u32 [%rd0], %r3; add.u64 %rd7, %rd0, 4; mov.u32 %r5, 7; st.global.u8 [%rd7], %r5;",
        WORK "ld.global.u32 %r5, [%rd4+256]; st.global.u32 [%rd4], %r5;",
        /* local and shared memory that a thread has not written is zero */
        WORK
        "ld.local.u32 %r5, [mine]; ld.shared.u32 %r6, [ours+32]; add.u32 %r5, %r5, %r6; st.global.u32 [%rd4], %r5; "
        "st.local.u32 [mine], %r3; st.shared.u32 [ours+32], %r3;",
        /* scattered over pages */
        WORK "mul.lo.u32 %r4, %r3, 7001; rem.u32 %r4, %r4, 38400; mul.wide.u32 %rd7, %r4, 4; add.u64 %rd7, %rd0, %rd7; "
             "ld.global.u32 %r5, [%rd7]; xor.b32 %r5, %r5, %r3; st.global.u32 [%rd7], %r5;",
        /* an allocation in place that the first CTAs leave alone: reads are marked at the second try */
        WORK "setp.lt.u32 %p1, %r1, 100; @%p1 bra E; ld.global.u32 %r5, [%rd5]; add.u32 %r5, %r5, %r3; "
             "st.global.u32 [%rd5], %r5;\nE:",
        /* only written: scattered, wide, several times the same, in rows that lie across pages */
        WORK "mul.lo.u32 %r4, %r3, 7001; rem.u32 %r4, %r4, 9600; mul.wide.u32 %rd7, %r4, 4; add.u64 %rd7, %rd0, %rd7; "
             "st.global.u32 [%rd7], %r3; mul.wide.u32 %rd8, %r4, 16; add.u64 %rd8, %rd1, %rd8; and.b32 %r5, %r0, 3; "
             "setp.ne.u32 %p1, %r5, 0; @%p1 st.global.v4.u32 [%rd8], {%r3, %r8, %r4, %r0}; "
             "st.global.u32 [%rd6+4], %r8;",
        /* only written at first, then read by the thread itself, and added to */
        WORK "st.global.u32 [%rd4], %r8; st.global.u8 [%rd4+1], %r3; setp.lt.u32 %p1, %r1, 250; @%p1 bra E; "
             "ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, 3; st.global.u32 [%rd4], %r5;\nE:",
        /* atomics of words of its own */
        WORK
        "setp.lt.u32 %p1, %r1, 100; @%p1 bra E; atom.global.add.u32 %r5, [%rd4], 5; st.global.u32 [%rd5], %r5;\nE:",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        if (!same_with_any_threads(bodies[i], 0)) fail_msg("no other thread took part: %s", bodies[i]);
}

static void ctas_that_meet_give_what_they_give_in_order(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        /* each reads what the CTA before has written, a whole word or a byte of one */
        WORK "setp.eq.u32 %p1, %r1, 0; @%p1 bra F; ld.global.u32 %r5, [%rd4+-256];\nF: add.u32 %r5, %r5, 1; "
             "st.global.u32 [%rd4], %r5;",
        WORK "setp.eq.u32 %p1, %r1, 0; @%p1 bra F; ld.global.u8 %r5, [%rd4+-254];\nF: add.u32 %r5, %r5, 1; "
             "st.global.u32 [%rd4], %r5;",
        /* now and then alone, and first in an allocation that is only read */
        WORK "rem.u32 %r4, %r1, 97; setp.ne.u32 %p1, %r4, 0; ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd4], %r5; "
             "@%p1 bra F; st.global.u32 [%rd5+256], %r3;\nF:",
        /* few read what others only write, one word or many */
        WORK "st.global.u32 [%rd4], %r8; rem.u32 %r4, %r1, 97; setp.ne.u32 %p1, %r4, 96; @%p1 bra F; "
             "ld.global.u32 %r5, [%rd4+-20480]; st.global.u32 [%rd5], %r5;\nF:",
        WORK "mul.lo.u32 %r4, %r3, 7001; rem.u32 %r4, %r4, 38400; mul.wide.u32 %rd7, %r4, 4; add.u64 %rd7, %rd0, %rd7; "
             "st.global.u32 [%rd7], %r3; setp.ne.u32 %p1, %r3, 30001; @%p1 bra F; ld.global.u32 %r5, [%rd0+5120]; "
             "st.global.u32 [%rd5], %r5;\nF:",
        /* counters: the old value, and the sum alone */
        WORK "atom.global.add.u32 %r5, [%rd0], 1; st.global.u32 [%rd5], %r5;",
        WORK "red.global.add.u32 [%rd0], 1; st.global.u32 [%rd5], %r8;",
        WORK
        "setp.lt.u32 %p1, %r1, 300; @%p1 bra F; atom.global.add.u32 %r5, [%rd0], 1; st.global.u32 [%rd5], %r5;\nF:",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) same_with_any_threads(bodies[i], 0);
}

static void what_only_a_launch_in_order_does_is_done_in_order(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        /* errors: out of bounds, alignment, a trap; stores of CTAs before the error stay */
        WORK "st.global.u32 [%rd4], %r8; setp.eq.u32 %p1, %r3, 30001; @%p1 st.global.u32 [%rd4+1], %r3;",
        WORK "st.global.u32 [%rd4], %r8; setp.eq.u32 %p1, %r3, 30001; @%p1 trap;",
        WORK "st.global.u32 [%rd4], %r8; setp.eq.u32 %p1, %r1, 501; @!%p1 bra F; bar.sync 1, 96;\nF:",
        /* an access outside every allocation that goes on; an undefined shuffle */
        WORK "st.global.u32 [%rd4], %r8; setp.eq.u32 %p1, %r3, 30001; @%p1 st.global.u32 [%rd0+-64], %r3;",
        WORK
        "setp.lt.u32 %p1, %r1, 400; @%p1 bra F; shfl.sync.idx.b32 %r5, %r3, 3, 31, 1; st.global.u32 [%rd4], %r5;\nF:",
        /* the clock */
        WORK "mov.u32 %r5, %clock; st.global.u32 [%rd4], %r5;",
        /* printing */
        WORK
        "st.global.u32 [%rd5], %r8; rem.u32 %r4, %r3, 15000; setp.ne.u32 %p1, %r4, 1; @%p1 bra F;\n{ .param .b64 f; "
        ".param .b64 q; .param .b32 r; mov.u64 %rd7, format; st.param.b64 [f], %rd7; mov.u64 %rd8, 0; st.param.b64 "
        "[q], %rd8; call.uni (r), vprintf, (f, q); }\nF:",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) same_with_any_threads(bodies[i], 0);
    same_with_any_threads(WORK "st.global.u32 [%rd4], %r8;", 150000); /* the limit */
}

static void a_cta_that_waits_for_the_one_before_ends(void **state)
{
    (void)state;
    /* each waits for the flag of the CTA before it */
    same_with_any_threads(WORK "setp.eq.u32 %p1, %r1, 0; @%p1 bra F; mul.wide.u32 %rd7, %r1, 4; add.u64 %rd7, %rd2, "
                               "%rd7;\nL: ld.volatile.global.u32 %r5, [%rd7+-4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\n"
                               "F: mul.wide.u32 %rd7, %r1, 4; add.u64 %rd7, %rd2, %rd7; mov.u32 %r6, 1; "
                               "st.volatile.global.u32 [%rd7], %r6; st.global.u32 [%rd4], %r5;",
                          0);
    /* the same in a loop that also counts, so that nobody knows beforehand that it waits */
    same_with_any_threads(WORK
                          "mov.u32 %r7, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra F; mul.wide.u32 %rd7, %r1, 4; add.u64 "
                          "%rd7, %rd2, %rd7;\nL: add.u32 %r7, %r7, 1; ld.volatile.global.u32 %r5, [%rd7+-4]; "
                          "setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\nF: mul.wide.u32 %rd7, %r1, 4; add.u64 %rd7, %rd2, "
                          "%rd7; mov.u32 %r6, 1; st.volatile.global.u32 [%rd7], %r6; st.global.u32 [%rd4], %r7;",
                          0);
}

#define MANY_PAGES \
    "mul.wide.u32 %rd7, %r3, 1024; add.u64 %rd7, %rd0, %rd7; ld.global.u32 %r5, [%rd7]; add.u32 %r5, %r5, %r3; " \
    "st.global.u32 [%rd7], %r5; st.global.u8 [%rd7+1001], %r5;"

/* Copies of pages are given back between windows where there are many. */
static void launches_that_write_many_pages_come_out_the_same(void **state)
{
    (void)state;
    room = (uint64_t)192 << 20;
    const bool others = same_with_threads(WORK_FOR("400") MANY_PAGES, 0, 3);
    room = ROOM;
    assert_true(others);
}

/* Whether other threads have a part in a second launch of the kernel. */
static bool is_tried_again(const char *body)
{
    struct ptx_module *m = module_of(body);
    struct result r;
    bool is_tried = false;
    for (int launch = 0; launch < 2; launch++) {
        run_module(&r, m, 3, 0);
        assert_int_equal(0, r.rc);
        is_tried = r.device.finds_by_others > 0;
        assert_true(is_tried || launch == 1);
        result_fini(&r);
    }
    ptx_module_free(m);
    return is_tried;
}

static void a_kernel_that_copies_a_page_for_few_instructions_is_not_tried_again(void **state)
{
    (void)state;
    room = (uint64_t)192 << 20;
    const bool few = is_tried_again(WORK MANY_PAGES), many = is_tried_again(WORK_FOR("400") MANY_PAGES);
    room = ROOM;
    assert_false(few);
    assert_true(many);
}

static void a_kernel_whose_ctas_met_is_not_tried_again(void **state)
{
    (void)state;
    assert_false(is_tried_again(WORK "setp.eq.u32 %p1, %r1, 0; @%p1 bra F; ld.global.u32 %r5, [%rd4+-256];\nF: "
                                     "add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5;"));
}

/* Statements drawn at random: loads and stores of all widths, at addresses of the thread's own, of the CTA before, of a
 * later one, or of nobody in particular, under guards. */
static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static void random_body(char *out, size_t size, uint64_t seed)
{
    static const char *const widths[] = {"u8", "u16", "u32", "u32", "u32"};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    size_t at = (size_t)snprintf(out, size, "%s", WORK "mov.u32 %r5, %r3;\n");
    const uint32_t n = 2 + draw(&state, 5), wild = draw(&state, 4);
    for (uint32_t i = 0; i < n; i++) {
        const char *width = widths[draw(&state, 5)];
        const uint32_t base = draw(&state, 3), guard = draw(&state, 3);
        if (guard == 0)
            at += (size_t)snprintf(out + at, size - at,
                                   "rem.u32 %%r6, %%r3, %u; setp.eq.u32 %%p1, %%r6, 0; @!%%p1 bra G%u;\n",
                                   2 + draw(&state, 900), i);
        if (draw(&state, 8) < wild)
            at += (size_t)snprintf(out + at, size - at,
                                   "mul.lo.u32 %%r6, %%r3, %u; rem.u32 %%r6, %%r6, 38400; mul.wide.u32 %%rd7, %%r6, 4; "
                                   "add.u64 %%rd7, %%rd%u, %%rd7;\n",
                                   1 + 2 * draw(&state, 5000), base);
        else
            at += (size_t)snprintf(out + at, size - at, "add.u64 %%rd7, %%rd%u, %u;\n", 4 + base,
                                   draw(&state, 6) ? 0 : 256 + 4 * draw(&state, 60));
        if (draw(&state, 3) == 0)
            at += (size_t)snprintf(out + at, size - at,
                                   "ld.global.%s %%r6, [%%rd7]; mad.lo.u32 %%r5, %%r5, 31, %%r6;\n", width);
        else at += (size_t)snprintf(out + at, size - at, "st.global.%s [%%rd7], %%r5;\n", width);
        if (guard == 0) at += (size_t)snprintf(out + at, size - at, "G%u:\n", i);
    }
}

#if POISE_SANITIZED
enum { SEEDS = 6 };
#else
enum { SEEDS = 24 };
#endif

static void random_kernels_give_the_same_with_any_threads(void **state)
{
    (void)state;
    const char *seeds = getenv("POISE_SEEDS");
    const uint64_t n = seeds ? (uint64_t)atoi(seeds) : SEEDS;
    uint64_t apart = 0;
    for (uint64_t seed = 0; seed < n; seed++) {
        char body[4096];
        random_body(body, sizeof body, seed);
        apart += same_with_any_threads(body, 0);
    }
    assert_true(apart > n / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctas_that_do_not_meet_run_on_several_threads),
        cmocka_unit_test(ctas_that_meet_give_what_they_give_in_order),
        cmocka_unit_test(what_only_a_launch_in_order_does_is_done_in_order),
        cmocka_unit_test(a_cta_that_waits_for_the_one_before_ends),
        cmocka_unit_test(launches_that_write_many_pages_come_out_the_same),
        cmocka_unit_test(a_kernel_whose_ctas_met_is_not_tried_again),
        cmocka_unit_test(a_kernel_that_copies_a_page_for_few_instructions_is_not_tried_again),
        cmocka_unit_test(random_kernels_give_the_same_with_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
