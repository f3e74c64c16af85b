/* Points put together: what a spec's `combine` makes of them, and what the study says of measurements of our making. */
#include "study_rig.h"

#include <math.h>
#include <string.h>

static const char head[] =
    "schema: 1\nkind: repro\nname: t\nconfig: kepler32\nquick: {size: test}\nfull: {size: small}\n";

static int parse(struct repro_spec *spec, const char *config, const char *rest, struct error *err)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rest);
    return repro_spec_parse(spec, "t.yaml", text, strlen(text), CONFIGS, config, err);
}

static const struct repro_refusal *refusal_of(const struct repro_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_refusals; i++)
        if (strcmp(spec->refusals[i].name, name) == 0) return &spec->refusals[i];
    fail_msg("%s is not refused", name);
    return NULL;
}

static size_t point_of(const struct repro_spec *spec, const char *name)
{
    for (size_t p = 0; p < spec->n_points; p++)
        if (strcmp(spec->points[p], name) == 0) return p;
    fail_msg("no point '%s'", name);
    return 0;
}

static void two_points_together_have_both_stacks_and_both_machines_changes(void **state)
{
    (void)state;
    static struct repro_spec spec;
    struct error err;
    char text[64];
    assert_ok(parse(&spec, NULL,
                    "points:\n  - {name: A, mech: 'swl,N=@swl'}\n  - {name: B, mech: bucl, set: {l1.ways: 8}}\n"
                    "  - {name: C, set: {l2.banks: 12}, marking: techniques/by-rule.json}\n"
                    "combine: {pairs: all, triples: [[A, C, B]]}\n",
                    &err),
              &err);
    assert_int_equal(1 + 3 + 3 + 1, spec.n_points);
    assert_int_equal(0, spec.n_refusals);
    const size_t p = point_of(&spec, "A + C + B");
    assert_int_equal(3, spec.combined[p].n);
    assert_true(spec.combined[p].members[1] == 3 && spec.combined[p].members[2] == 2);
    assert_true(spec.n_stacks[p] == 2 && strcmp(mech_name(spec.stacks[p][1].type), "bucl") == 0);
    assert_string_equal("N", spec.limit_keys[p][0]);
    assert_string_equal("", spec.limit_keys[p][1]);
    assert_non_null(strstr(spec.markings[p], "by-rule.json"));
    const struct repro_data data = {.n_points = spec.n_points, .params = {[0] = spec.params[0], [1] = spec.params[p]}};
    assert_true(repro_param(&data, 1, "l1", "ways") == 8 && repro_param(&data, 1, "l2", "banks") == 12);
    const size_t alone = point_of(&spec, "C"); /* gto is no mechanism to put together */
    assert_string_equal("gto", mech_name(spec.stacks[alone][0].type));
    params_text(params_find(mech_params(spec.stacks[p][0].type), "N"), spec.stacks[p][0].params, text, sizeof text);
    assert_string_equal("1", text);
    repro_spec_fini(&spec);
}

static void what_no_machine_has_together_is_refused_with_the_reason(void **state)
{
    (void)state;
    static struct repro_spec spec;
    struct error err;
    assert_ok(
        parse(&spec, NULL,
              "points:\n  - {name: TSC, set: {l1.organisation: tsc}}\n  - {name: DSC, set: {l1.organisation: dsc}}\n"
              "  - {name: mesh, mech: atomdir}\n  - {name: wire, mech: atomnaive}\n"
              "combine: {pairs: all, triples: [[TSC, mesh, DSC]]}\n",
              &err),
        &err);
    assert_int_equal(1 + 4 + 4, spec.n_points);
    assert_int_equal(3, spec.n_refusals);
    assert_string_equal("TSC sets l1.organisation to tsc and DSC to dsc; a machine has one of them",
                        refusal_of(&spec, "TSC + DSC")->why);
    assert_string_equal("TSC sets l1.organisation to tsc and DSC to dsc; a machine has one of them",
                        refusal_of(&spec, "TSC + mesh + DSC")->why);
    const char *why = refusal_of(&spec, "mesh + wire")->why;
    assert_true(strstr(why, "atomdir") && strstr(why, "atomnaive"));
    repro_spec_fini(&spec);
    /* a point that another machine cannot be */
    assert_ok(parse(&spec, "volta80",
                    "points:\n  - {name: TSC, set: {l1.organisation: tsc}}\n  - {name: A, mech: bucl}\n"
                    "  - {name: B, mech: mrpb}\ncombine: {pairs: all, triples: [[TSC, A, B]]}\n",
                    &err),
              &err);
    assert_int_equal(1 + 2 + 1, spec.n_points);
    assert_int_equal(0, refusal_of(&spec, "TSC")->of.n);
    repro_spec_fini(&spec);
}

static void a_wrong_combination_names_its_line(void **state)
{
    (void)state;
    static struct repro_spec spec;
    static const struct {
        const char *rest, *says;
    } cases[] = {{"points: [{name: A, mech: bucl}]\ncombine: {pairs: [[A, B]]}\n", "no point 'B'"},
                 {"points: [{name: A, mech: bucl}]\ncombine: {pairs: [[A, A]]}\n", "'A' twice"},
                 {"points: [{name: A, mech: bucl}]\ncombine: {pairs: [[A]]}\n", "a list of 2 points"},
                 {"points: [{name: A, mech: bucl}]\ncombine: {pears: all}\n", "pairs"},
                 {"points: [{name: A, mech: bucl}]\ncombine: all\n", "combine is a map"},
                 {"mech: swl\npoints: [{name: A, mech: bucl}]\ncombine: {pairs: all}\n", "name 'mech' in the points"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct error err;
        assert_int_equal(-1, parse(&spec, NULL, cases[i].rest, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].rest, err.text);
        assert_true(err.line >= 7);
    }
}

/* ---- the study ---- */

enum { N = 8, CYCLES = 100000 };
static const char *const names[N] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void set_speedup(struct study_rig *r, const char *point, double speedup, double step)
{
    for (size_t b = 0; b < N; b++)
        study_set(r, b, point, "core_cycles", (uint64_t)(CYCLES / (speedup + step * (double)b)));
}

static const json_t *combination(const struct repro_report *report, const char *name)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(report->matrix, "combinations"), i, item)
        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0) return item;
    fail_msg("no combination '%s'", name);
    return NULL;
}

static const char *class_of(const struct repro_report *report, const char *name)
{
    return json_string_value(json_object_get(combination(report, name), "class"));
}

static void a_pair_adds_amplifies_substitutes_or_fights_by_its_interval_over_families(void **state)
{
    static const struct study_counter usual[] = {
        {"core_cycles", CYCLES}, {"thread_insts", CYCLES}, {"warp_insts", CYCLES}, {"l1d_fills", 1000}};
    struct study_rig *rig = calloc(1, sizeof *rig);
    struct repro_report report = {0};
    (void)state;
    study_begin(rig, study_of("combinations"), names, N, usual, COUNT_OF(usual));
    set_speedup(rig, "SWL", 1.2, 0.01);
    set_speedup(rig, "CCWS", 1.1, 0.01);
    set_speedup(rig, "BUCL", 1.3, 0.01);
    set_speedup(rig, "SWL + CCWS", 1.25, 0.01); /* less than the product, more than SWL */
    set_speedup(rig, "SWL + BUCL", 1.1, 0.005); /* slower than BUCL */
    set_speedup(rig, "CCWS + BUCL", 1.9, 0.01); /* more than the product */
    set_speedup(rig, "Poise + SWL", 1.2, 0.01); /* Poise does nothing: the product */
    for (size_t b = 0; b < N; b++)              /* the pair waits the longer the more it loses */
        study_set(rig, b, "SWL + BUCL", "miss_latency_sum", 100000 * (b + 1));
    study_report("combinations", &rig->data, &report);
    assert_string_equal("substitutes", class_of(&report, "SWL + CCWS"));
    assert_string_equal("fight", class_of(&report, "SWL + BUCL"));
    assert_string_equal("amplify", class_of(&report, "CCWS + BUCL"));
    assert_string_equal("add", class_of(&report, "Poise + SWL"));
    const json_t *fight = combination(&report, "SWL + BUCL"), *because = json_object_get(fight, "because");
    assert_string_equal("average memory latency", json_string_value(json_object_get(because, "title")));
    assert_true(fabs(json_number_value(json_object_get(because, "correlation"))) > 0.9);
    const json_t *first = json_object_get(json_object_get(fight, "programs"), "a");
    assert_true(fabs(json_number_value(json_object_get(first, "interaction")) - log(1.1 / (1.2 * 1.3))) < 1e-3);
    const json_t *ci = json_object_get(fight, "ci95");
    assert_true(json_number_value(json_array_get(ci, 1)) < 0);
    const json_t *refused = combination(&report, "TSC+ + DSC-4");
    assert_string_equal("refused", json_string_value(json_object_get(refused, "class")));
    assert_non_null(strstr(json_string_value(json_object_get(refused, "why")), "l1.organisation"));
    assert_int_equal(N, report.n_families);
    assert_true(study_row(&report, "SWL, speedup")->has_ci);
    assert_false(study_check(&report, "SWL and BUCL together"));
    repro_report_fini(&report);
    study_end(rig);
    free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_points_together_have_both_stacks_and_both_machines_changes),
        cmocka_unit_test(what_no_machine_has_together_is_refused_with_the_reason),
        cmocka_unit_test(a_wrong_combination_names_its_line),
        cmocka_unit_test(a_pair_adds_amplifies_substitutes_or_fights_by_its_interval_over_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
