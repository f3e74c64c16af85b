/* What every row of mech_list.def must fulfil. */
#include "synth.h"
#include "where.h"

#include "poise/sys/hooks.h"

/* A model file of the kind that the mechanism reads. */
static const char *model_of(const struct mech_type *type)
{
    return strcmp(type->name, "learned") == 0 ? POISE_SOURCE_DIR "/tests/rig/response.json"
                                              : POISE_SOURCE_DIR "/models/poise-thesis.json";
}

static void make(struct mech_spec *spec, const struct mech_type *type)
{
    struct error err;
    assert_ok(mech_new(spec, type, &err), &err);
    if (params_find(&type->params, "model")) assert_ok(mech_set(spec, "model", model_of(type), &err), &err);
}

static void names_titles_and_sources_are_there_and_names_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        assert_true(t->name && *t->name && t->title && *t->title && t->source && *t->source);
        assert_string_equal(t->name, t->params.owner);
        assert_string_equal(t->name, t->stats.owner);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(t->name, mech_at(k)->name);
        assert_ptr_equal(mech_find(t->name), t);
    }
}

static void every_row_has_a_unit_a_source_and_a_doc_and_a_default_in_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        for (size_t k = 0; k < t->params.n_rows; k++) {
            const struct param_row *r = &t->params.rows[k];
            assert_true(*r->unit && *r->source && *r->doc);
            if (r->type != VALUE_TEXT) assert_true(r->def >= r->min && r->def <= r->max);
        }
        for (size_t k = 0; k < t->stats.n_rows; k++) assert_true(*t->stats.rows[k].unit && *t->stats.rows[k].doc);
        for (size_t k = 0; k < t->n_ratios; k++) assert_true(*t->ratios[k].name && *t->ratios[k].doc);
        assert_true((t->stats.n_rows > 0) == (t->stats_of != NULL));
    }
}

/* Tunings set these, and tell the place as a paper's. */
static void every_published_value_is_a_value_of_its_parameter_and_comes_from_a_paper(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t i = 0; i < mech_count(); i++) {
        struct mech_spec spec;
        make(&spec, mech_at(i));
        for (size_t k = 0; k < mech_at(i)->params.n_rows; k++) {
            const struct param_row *r = &mech_at(i)->params.rows[k];
            struct error err;
            if (!r->published) {
                assert_null(param_published_in(r));
                continue;
            }
            assert_ok(mech_set(&spec, r->name, r->published, &err), &err);
            if (strstr(param_published_in(r), "assumed") || strstr(param_published_in(r), "training"))
                fail_msg("%s.%s: %s is no paper", spec.type->name, r->name, param_published_in(r));
            n++;
        }
        mech_free(&spec);
    }
    assert_true(n >= 30);
}

static void defaults_pass_the_check_and_survive_a_round_trip_through_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        struct error err;
        struct mech_spec a, b;
        make(&a, t);
        make(&b, t);
        if (t->check) assert_ok(t->check(a.params, &err), &err);
        for (size_t k = 0; k < t->params.n_rows; k++) {
            char text[PARAM_TEXT_MAX];
            params_text(&t->params.rows[k], a.params, text, sizeof text);
            assert_ok(mech_set(&b, t->params.rows[k].name, text, &err), &err);
        }
        assert_memory_equal(a.params, b.params, t->params.size);
        mech_free(&a);
        mech_free(&b);
    }
}

static void init_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    const struct mech_env env = {.sms = 5, .schedulers = 2, .W = 24, .l1_chunk_bytes = 32};
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        const size_t size = t->state_size + env.sms * t->per_sm_size;
        struct error err;
        struct mech_spec spec;
        if (!t->init) continue;
        make(&spec, t);
        char *self = calloc(1, size), *first = malloc(size);
        assert_ok(t->init(self, spec.params, &env, &err), &err);
        memcpy(first, self, size);
        memset(self, 0, size);
        assert_ok(t->init(self, spec.params, &env, &err), &err);
        assert_memory_equal(first, self, size);
        free(self);
        free(first);
        mech_free(&spec);
    }
}

static bool is_counted(const struct mech_type *t, const char *counter)
{
    for (size_t k = 0; k < t->stats.n_rows; k++)
        if (strcmp(t->stats.rows[k].name, counter) == 0) return true;
    return false;
}

/* Its storage has a size, and what takes energy is a count of its own of bits in an array or over wires. */
static void costs_are_bits_and_events_name_counters_of_their_mechanism(void **state)
{
    const struct mech_env env = {.sms = 5,
                                 .schedulers = 2,
                                 .W = 24,
                                 .warps = 48,
                                 .l1_mshrs = 32,
                                 .l1_chunk_bytes = 32,
                                 .l2_banks = 6,
                                 .l2_sets = 64,
                                 .l2_ways = 8,
                                 .l2_frames = 6 * 64 * 8,
                                 .line_bytes = 128};
    (void)state;
    size_t n_costs = 0, n_events = 0;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        struct mech_cost costs[MECH_COSTS_MAX];
        struct mech_event events[MECH_EVENTS_MAX];
        struct mech_spec spec;
        make(&spec, t);
        const size_t c = t->cost ? t->cost(spec.params, &env, costs) : 0;
        const size_t e = t->events ? t->events(spec.params, &env, events) : 0;
        assert_true(c <= MECH_COSTS_MAX && e <= MECH_EVENTS_MAX);
        uint64_t bits = 0;
        for (size_t k = 0; k < c; k++) bits += costs[k].sm_bits + costs[k].gpu_bits;
        assert_true(c == 0 || bits > 0);
        for (size_t k = 0; k < e; k++) {
            assert_true(is_counted(t, events[k].counter) && events[k].bits > 0);
            assert_true(c > 0 && events[k].bits <= 2.0 * (double)(bits * env.sms));
        }
        n_costs += c > 0;
        n_events += e > 0;
        mech_free(&spec);
    }
    assert_true(n_costs >= 20 && n_events >= 6);
}

static void every_mechanism_finishes_a_launch_with_barriers_and_gives_the_same_bytes_without_skipping(void **state)
{
    (void)state;
    static const char *const small_gpu[] = {"core.sms=4", "l2.banks=6", NULL};
    const uint32_t n_ctas = POISE_SANITIZED ? 8 : 24;
    struct trace *t = synth_mixture(n_ctas, 6, 12, 9);
    for (size_t i = 0; i < mech_count(); i++) {
        char mech[512];
        snprintf(mech, sizeof mech, "%s%s%s", mech_at(i)->name,
                 params_find(&mech_at(i)->params, "model") ? ",model=" : "",
                 params_find(&mech_at(i)->params, "model") ? model_of(mech_at(i)) : "");
        char *a = synth_run_both(t, (struct synth_run){.set = small_gpu, .mech = mech});
        assert_true(synth_value(a, "warps") == 6 * n_ctas);
        free(a);
    }
    trace_close(t);
}

static void what_a_mechanism_says_that_it_does_is_counted_by_its_own_rows(void **state)
{
    (void)state;
    size_t named = 0;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *t = mech_at(i);
        struct mech_act acts[MECH_ACTS_MAX];
        struct mech_spec spec;
        make(&spec, t);
        const size_t n = mech_acts(&spec, acts);
        assert_true(n <= MECH_ACTS_MAX);
        for (size_t k = 0; k < n; k++) {
            assert_true(*acts[k].what && acts[k].counters[0]);
            for (size_t c = 0; c < COUNT_OF(acts[k].counters) && acts[k].counters[c]; c++)
                if (!is_counted(t, acts[k].counters[c])) fail_msg("%s has no counter %s", t->name, acts[k].counters[c]);
        }
        named += n > 0;
        mech_free(&spec);
    }
    assert_true(named >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_titles_and_sources_are_there_and_names_differ),
        cmocka_unit_test(every_row_has_a_unit_a_source_and_a_doc_and_a_default_in_range),
        cmocka_unit_test(every_published_value_is_a_value_of_its_parameter_and_comes_from_a_paper),
        cmocka_unit_test(defaults_pass_the_check_and_survive_a_round_trip_through_text),
        cmocka_unit_test(init_twice_gives_the_same_bytes),
        cmocka_unit_test(costs_are_bits_and_events_name_counters_of_their_mechanism),
        cmocka_unit_test(what_a_mechanism_says_that_it_does_is_counted_by_its_own_rows),
        cmocka_unit_test(every_mechanism_finishes_a_launch_with_barriers_and_gives_the_same_bytes_without_skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
