/* What a run takes: nothing after start-up, whatever mechanism is on it, and at most 64 MB beyond the trace, on
 * every machine. */
#include "synth.h"

#include <dirent.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_allocates_nothing_after_its_start),
                                       cmocka_unit_test(a_run_takes_at_most_64_MB_on_every_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
