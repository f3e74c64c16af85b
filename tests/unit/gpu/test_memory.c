/* What a run takes: nothing after start-up, whatever mechanism is on it, and at most 64 MB beyond the trace, on
 * every machine; and it leaves nothing behind. */
#include "synth.h"
#include "where.h"

#include <dirent.h>
#include <malloc.h>
#include "poise/gpgpusim.h"

/* The linker sends every allocation of the libraries here (--wrap). */
static uint64_t n_allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size) { return n_allocations++, __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return n_allocations++, __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t size) { return n_allocations++, __real_realloc(p, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return n_allocations++, __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return n_allocations++, __real_posix_memalign(out, alignment, size);
}

struct rig {
    struct trace *trace;
    struct gpu_params *params;
    struct plan *plan;
};

static void rig_init(struct rig *r, struct trace *trace, const char *preset)
{
    struct error err;
    r->trace = trace;
    r->params = gpu_params_new();
    assert_non_null(r->params);
    assert_ok(gpu_params_load(r->params, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(plan_new(&r->plan, trace, r->params, &err), &err);
}

/* A configuration of the reference's newer cards. */
static void rig_init_card(struct rig *r, struct trace *trace, const char *card)
{
    struct error err;
    char path[2][512];
    snprintf(path[0], sizeof path[0], POISE_SOURCE_DIR "/tests/reference/accelsim/volta/%s.config", card);
    snprintf(path[1], sizeof path[1], POISE_SOURCE_DIR "/tests/reference/accelsim/volta/%s.trace.config", card);
    const char *const paths[] = {path[0], path[1]};
    r->trace = trace;
    r->params = gpu_params_new();
    assert_non_null(r->params);
    assert_ok(gpgpusim_load(r->params, paths, 2, NULL, &err), &err);
    assert_ok(plan_new(&r->plan, trace, r->params, &err), &err);
}

static void rig_fini(struct rig *r)
{
    plan_free(r->plan);
    gpu_params_free(r->params);
}

/* Allocations of a run that ends after `max_cycles` (0: when it is done). */
static uint64_t allocations(const struct rig *r, const char *mech, uint64_t max_cycles, size_t *bytes)
{
    struct error err;
    struct mech_spec spec;
    struct gpu_result result;
    const struct gpu_limits limits = {.max_cycles = max_cycles};
    assert_ok(mech_parse(&spec, mech, &err), &err);
    const uint64_t before = n_allocations;
    assert_ok(gpu_run(&result, r->plan, r->params, &spec, 1, &limits, &err), &err);
    const uint64_t n = n_allocations - before;
    if (bytes) *bytes = result.arena_bytes;
    gpu_result_free(&result);
    mech_free(&spec);
    return n;
}

static void a_run_allocates_nothing_after_its_start(void **state)
{
    static const char *const mechs[] = {
        "gto",  "tuple,N=2,p=1", "swl,N=2",
        "ccws", "pcal",          "bucl",
        "mrpb", "divergence",    "poise,model=" POISE_SOURCE_DIR "/models/poise-thesis.json"};
    (void)state;
    struct trace *trace = synth_mixture(96, 8, 12, 7);
    struct rig r;
    rig_init(&r, trace, "kepler32");
    for (size_t i = 0; i < sizeof mechs / sizeof mechs[0]; i++) {
        allocations(&r, mechs[i], 1, NULL); /* takes the block that later runs use again */
        const uint64_t shortest = allocations(&r, mechs[i], 1, NULL), whole = allocations(&r, mechs[i], 0, NULL);
        assert_true(shortest > 0); /* the arena: the count counts */
        if (whole != shortest)
            fail_msg("%s: %llu allocations in one cycle, %llu in the whole run", mechs[i], (unsigned long long)shortest,
                     (unsigned long long)whole);
    }
    rig_fini(&r);
    trace_close(trace);
}

static void a_run_takes_at_most_64_MB_on_every_machine(void **state)
{
    (void)state;
    struct trace *trace = synth_mixture(8, 8, 1, 7);
    DIR *dir = opendir(POISE_SOURCE_DIR "/experiments/configs");
    size_t n = 0, most = 0;
    char worst[256] = "";
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        char name[256];
        struct rig r;
        size_t bytes;
        const size_t length = strlen(e->d_name);
        if (length < 6 || length >= sizeof name || strcmp(e->d_name + length - 5, ".yaml") != 0) continue;
        memcpy(name, e->d_name, length - 5);
        name[length - 5] = '\0';
        rig_init(&r, trace, name);
        allocations(&r, "gto", 1, &bytes);
        rig_fini(&r);
        if (bytes > (64u << 20)) fail_msg("%s: a run takes %zu bytes", name, bytes);
        if (bytes > most) most = bytes, memcpy(worst, name, sizeof worst);
        n++;
    }
    closedir(dir);
    trace_close(trace);
    assert_true(n >= 10);
    print_message("%zu machines; the largest run: %.1f MB (%s)\n", n, 1e-6 * (double)most, worst);
}

/* As many SMs, slices of L2 (40 MB) and channels as an A100 has. */
static void enlarge_to_a100(struct rig *r)
{
    struct error err;
    static const char *const sets[][2] = {
        {"core.sms", "108"}, {"dram.channels", "40"}, {"l2.banks", "80"}, {"l2.sets", "256"}, {"l2.ways", "16"}};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        assert_ok(gpu_params_set(r->params, sets[i][0], sets[i][1], &err), &err);
    plan_free(r->plan);
    assert_ok(plan_new(&r->plan, r->trace, r->params, &err), &err);
}

/* Of launches that read no textures, for which no SM has a cache then. */
static void a_run_takes_at_most_64_MB_on_the_references_cards_and_at_the_size_of_an_A100(void **state)
{
    static const char *const cards[] = {"SM7_QV100", "SM7_TITANV", "SM86_RTX3070", "SM7_QV100"};
    enum { N = sizeof cards / sizeof cards[0] };
    (void)state;
    struct trace *trace = synth_rows(8, 8, 4, 1);
    for (size_t i = 0; i < N; i++) {
        struct rig r;
        size_t bytes;
        rig_init_card(&r, trace, cards[i]);
        if (i == N - 1) enlarge_to_a100(&r);
        allocations(&r, "gto", 1, &bytes);
        rig_fini(&r);
        print_message("%s%s: %.1f MB\n", cards[i], i == N - 1 ? " at the size of an A100" : "", 1e-6 * (double)bytes);
        if (bytes > 64000000) fail_msg("%s: a run takes %zu bytes", cards[i], bytes);
    }
    trace_close(trace);
}

/* What the C library has given out, of its heap and of mappings. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void a_hundred_runs_leave_as_much_memory_in_use_as_one(void **state)
{
    static const char *const mechs[] = {"gto", "ccws", "pcal", "bucl"};
    (void)state;
    struct trace *trace = synth_mixture(8, 8, 1, 7);
    struct rig r;
    rig_init_card(&r, trace, "SM7_QV100");
    size_t after_one = 0;
    for (int i = 0; i < 100; i++) {
        allocations(&r, mechs[i % 4], 40, NULL);
        if (i == 3) after_one = bytes_in_use(); /* one of each */
    }
    print_message("more in use after 100 runs than after one of each mechanism: %zd bytes\n",
                  (ssize_t)(bytes_in_use() - after_one));
    assert_int_equal(after_one, bytes_in_use());
    rig_fini(&r);
    trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_allocates_nothing_after_its_start),
        cmocka_unit_test(a_run_takes_at_most_64_MB_on_every_machine),
        cmocka_unit_test(a_run_takes_at_most_64_MB_on_the_references_cards_and_at_the_size_of_an_A100),
        cmocka_unit_test(a_hundred_runs_leave_as_much_memory_in_use_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
