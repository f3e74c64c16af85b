/* The surrogate against closed forms, and what is wrong in a spec. */
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "studies/tune/tune_internal.h"

static void the_surrogate_passes_through_what_it_was_fitted_to_and_is_unsure_elsewhere(void **state)
{
    (void)state;
    struct error err;
    struct gp *gp;
    double x[10], y[10], mean, variance;
    for (int i = 0; i < 10; i++) x[i] = 0.05 + 0.1 * i, y[i] = sin(6 * x[i]);
    assert_ok(gp_fit(&gp, x, y, 10, 1, GP_EXACT, &err), &err);
    for (int i = 0; i < 10; i++) {
        gp_predict(gp, &x[i], &mean, &variance);
        assert_true(fabs(mean - y[i]) < 1e-3 && variance < 1e-3);
    }
    const double between = 0.5, far = 3;
    gp_predict(gp, &between, &mean, &variance);
    assert_true(fabs(mean - sin(3)) < 0.02);
    gp_predict(gp, &far, &mean, &variance);
    assert_true(variance > 0.1);
    gp_free(gp);
}

static void one_point_gives_the_closed_forms_of_mean_variance_and_improvement(void **state)
{
    (void)state;
    struct error err;
    struct gp *gp;
    const double x = 0.5, y = 2, far = 1e6;
    double mean, variance;
    assert_ok(gp_fit(&gp, &x, &y, 1, 1, GP_EXACT, &err), &err);
    gp_predict(gp, &far, &mean, &variance); /* the prior: mean 2, variance 1 */
    assert_true(fabs(mean - 2) < 1e-12 && fabs(variance - 1) < 1e-5);
    /* (m - b) Phi(0) + s phi(0) with m = b */
    assert_true(fabs(gp_expected_improvement(gp, &far, 2) - 1 / sqrt(2 * acos(-1))) < 1e-5);
    assert_true(gp_expected_improvement(gp, &x, 2) < 1e-2);
    gp_free(gp);
}

static const char head[] = "schema: 1\nkind: tune\nname: t\nsize: test\nkernels: [mvt]\n";
static int parse(struct tune **out, const char *rest, struct error *err)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rest);
    return tune_parse(out, "t.yaml", text, strlen(text), POISE_SOURCE_DIR "/experiments/configs", err);
}

static void points_and_coordinates_are_inverse_over_a_grid_of_24_by_3(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    assert_ok(parse(&t, "mech: swl\nparameters: {N: {from: 1, to: 24}, l1.ways: [2, 4, 8]}\n", &err), &err);
    assert_true(tune_grid_size(t) == 72);
    for (size_t p = 0; p < 72; p++) {
        double x[AXES_MAX];
        point_coordinates(&t->axes, p, x);
        assert_int_equal(p, point_at(&t->axes, x));
        assert_int_equal(p / 3, point_level(&t->axes, p, 0));
        assert_int_equal(p % 3, point_level(&t->axes, p, 1));
    }
    const double outside[] = {1.5, -2};
    assert_int_equal(69, point_at(&t->axes, outside));
    assert_int_equal(0, t->target[0]);
    assert_int_equal(-1, t->target[1]);
    tune_free(t);
}

static void the_stacks_own_values_are_a_point_where_they_are_levels(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    size_t point, axis;
    assert_ok(parse(&t,
                    "mech: 'ladder,gain=0.06'\nparameters: {gain: [0.03, 0.06], steps: [3, 6], l1.ways: [2, 4, 8]}\n",
                    &err),
              &err);
    assert_true(tune_own_point(t, &point, &axis));
    assert_string_equal("0.06", axes_value(&t->axes, point, 0));
    assert_string_equal("6", axes_value(&t->axes, point, 1));
    assert_string_equal("4", axes_value(&t->axes, point, 2)); /* kepler32 */
    tune_free(t);
    assert_ok(parse(&t, "mech: ladder\nparameters: {gain: [0.03, 0.06], steps: [3, 5]}\n", &err), &err);
    assert_false(tune_own_point(t, &point, &axis));
    assert_int_equal(1, axis);
    tune_free(t);
}

static const char *text_of(const json_t *report, const char *name, const char *key)
{
    return json_string_value(json_object_get(json_object_get(report, name), key));
}

static void what_papers_publish_is_a_point_beside_the_default_and_told_with_its_place(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    assert_ok(
        parse(&t, "mech: 'bucl,TUCD=8'\nparameters: {TUCD: [2, 5, 8], uib_delay: [2, 4], period: [500, 1e3]}\n", &err),
        &err);
    json_t *report = json_object();
    tune_find_named(t);
    tune_add_named(t, report);
    const struct named_point *own = &t->named[TUNE_DEFAULT], *published = &t->named[TUNE_PUBLISHED];
    assert_true(own->is_on_grid && published->is_there && published->is_on_grid);
    assert_string_equal("8", axes_value(&t->axes, own->point, 0));
    assert_string_equal("5", axes_value(&t->axes, published->point, 0));
    assert_string_equal("4", axes_value(&t->axes, published->point, 1)); /* assumed: as by default */
    assert_string_equal("default", tune_name_of(t, own->point));
    assert_string_equal("published", tune_name_of(t, published->point));
    assert_string_equal("TUCD 5, period 1000 of BUCL Tab. II", text_of(report, "published", "words"));
    const json_t *sources = json_object_get(json_object_get(report, "default"), "sources");
    assert_string_equal("the spec's stack", json_string_value(json_object_get(sources, "TUCD")));
    assert_string_equal("BUCL Tab. II", json_string_value(json_object_get(sources, "period")));
    json_decref(report);
    tune_free(t);
    /* the value of another paper than the row's source, which is no level: tried all the same, and no trial */
    assert_ok(parse(&t, "mech: ucp\nparameters: {repartition: [1e5, 2e5]}\n", &err), &err);
    report = json_object();
    tune_find_named(t);
    tune_add_named(t, report);
    assert_true(t->named[TUNE_PUBLISHED].is_there && !t->named[TUNE_PUBLISHED].is_on_grid);
    assert_string_equal("repartition 5000000 of Qureshi, Patt, MICRO 2006", text_of(report, "published", "words"));
    json_decref(report);
    tune_free(t);
    assert_ok(parse(&t, "mech: swl\nparameters: {N: [0, 4]}\n", &err), &err);
    report = json_object();
    tune_find_named(t);
    tune_add_named(t, report);
    assert_true(json_is_null(json_object_get(report, "published")));
    json_decref(report);
    tune_free(t);
}

/* The default need not be a point of the grid. */
static void the_default_has_the_parameters_that_exist_with_its_values(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    assert_ok(parse(&t,
                    "mech: [swl]\nparameters: {N: [2, 4], l1.organisation: [tsc, dsc], l1.tsc_mode: [fine, duel], "
                    "l1.dsc_tags: [2, 4]}\n"
                    "when: {l1.tsc_mode: l1.organisation == tsc, l1.dsc_tags: l1.organisation == dsc}\n",
                    &err),
              &err);
    json_t *report = json_object(), *expected = json_pack("{s:i,s:s}", "N", 0, "l1.organisation", "plain");
    tune_find_named(t);
    tune_add_named(t, report);
    assert_true(json_equal(expected, json_object_get(json_object_get(report, "default"), "params")));
    json_decref(expected);
    json_decref(report);
    tune_free(t);
}

static void a_parameter_exists_where_its_mechanism_does_and_points_that_differ_in_nothing_else_are_one(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    size_t own, axis, n = 0;
    assert_ok(parse(&t,
                    "mech: [swl, bucl]\nparameters: {swl.N: [2, 4], bucl: [off, on], bucl.TUCD: [2, 5, 8], "
                    "l1.organisation: [dsc, plain], l1.dsc_tags: [4, 2]}\n"
                    "when: {l1.dsc_tags: l1.organisation == dsc}\nwhere: bucl.TUCD <= 5\n",
                    &err),
              &err);
    for (size_t p = 0; p < (size_t)tune_grid_size(t); p++) {
        const size_t c = tune_canonical(t, p);
        const bool has_bucl = point_level(&t->axes, p, 1) == 1, is_dsc = point_level(&t->axes, p, 3) == 0;
        assert_int_equal(has_bucl, tune_exists(t, p, 2));
        assert_int_equal(is_dsc, tune_exists(t, p, 4));
        assert_int_equal(c, tune_canonical(t, c));
        assert_true(has_bucl || point_level(&t->axes, c, 2) == 0);
        if (c != p) assert_false(tune_allows(t, p));
        n += tune_allows(t, p);
        json_t *params = tune_params_json(t, c);
        assert_int_equal(has_bucl, json_object_get(params, "bucl.TUCD") != NULL);
        json_decref(params);
    }
    assert_int_equal(2 * (1 + 2) * (2 + 1), n); /* TUCD 8 is not allowed where it exists */
    assert_true(tune_space_size(t) == 2 * (1 + 3) * (2 + 1));
    assert_false(tune_own_point(t, &own, &axis)); /* swl without N */
    assert_int_equal(0, axis);
    tune_free(t);
}

static void twenty_parameters_are_a_space_of_whole_numbers_and_twenty_one_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"l1.ways",
                                        "l1.mshrs",
                                        "l1.miss_queue",
                                        "l1.mshr_merge",
                                        "l2.banks",
                                        "l2.ways",
                                        "l2.mshrs",
                                        "l2.miss_queue",
                                        "l2.response_queue",
                                        "l2.access_queue",
                                        "xbar.request_flit_bytes",
                                        "xbar.reply_flit_bytes",
                                        "lsu.pending_requests",
                                        "core.max_ctas",
                                        "bucl.TUCD",
                                        "bucl.period",
                                        "bucl.L1DHR_threshold",
                                        "bucl.UIB_threshold",
                                        "swl.N",
                                        "bucl",
                                        "bucl.uib_delay"};
    char text[2048];
    for (size_t many = 20; many <= 21; many++) {
        struct error err;
        struct tune *t;
        size_t used = (size_t)snprintf(text, sizeof text, "mech: [swl, bucl]\nparameters:\n");
        for (size_t i = 0; i < many; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "  %s: %s\n", names[i],
                                     strcmp(names[i], "bucl") == 0   ? "[on, off]"
                                     : strstr(names[i], "threshold") ? "[0.1, 0.3, 0.5, 0.7]"
                                                                     : "[2, 4, 8, 16]");
        if (many == 21) {
            assert_int_equal(-1, parse(&t, text, &err));
            assert_non_null(strstr(err.text, "at most 20"));
            continue;
        }
        assert_ok(parse(&t, text, &err), &err);
        assert_int_equal(20, t->axes.n);
        double x[AXES_MAX];
        const size_t last = tune_canonical(t, point_at(&t->axes, (const double[AXES_MAX]){[19] = 0.1, [0] = 0.9}));
        point_coordinates(&t->axes, last, x);
        assert_int_equal(last, point_at(&t->axes, x));
        assert_true(tune_allows(t, last) && point_level(&t->axes, last, 0) == 3);
        tune_free(t);
    }
}

static void the_hypervolume_of_few_points_is_what_geometry_says(void **state)
{
    (void)state;
    static const double low[] = {0, 0, 0}, high[] = {2, 2, 2};
    static const double two[][TUNE_OBJECTIVES_MAX] = {{0, 1}, {1, 0}, {1.5, 1.5}},
                        one[][TUNE_OBJECTIVES_MAX] = {{1, 1, 1}},
                        cross[][TUNE_OBJECTIVES_MAX] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    assert_true(fabs(tune_hypervolume(two, 3, 2, low, high) - 0.75) < 1e-12);
    assert_true(fabs(tune_hypervolume(one, 1, 3, low, high) - 0.125) < 1e-12);
    assert_true(fabs(tune_hypervolume(cross, 3, 3, low, high) - 0.5) < 1e-12); /* three boxes of 1/4 share one of 1/8 */
    assert_true(fabs(tune_hypervolume(two, 0, 2, low, high)) < 1e-12);
}

static void the_front_has_what_no_trial_beats_in_every_metric(void **state)
{
    (void)state;
    static const double metrics[][2] = {{1, 10}, {2, 12}, {1.5, 12}, {3, 20}, {2, 12}, {NAN, 1}};
    struct error err;
    struct tune *t;
    const struct trial *front[8];
    double scores[8];
    assert_ok(parse(&t, "mech: swl\nparameters: {N: {from: 1, to: 24}}\nmetric: [speedup, energy]\n", &err), &err);
    assert_true(t->n_objectives == 2 && !t->objectives[0].is_min && t->objectives[1].is_min);
    for (size_t i = 0; i < COUNT_OF(metrics); i++) assert_ok(tune_add_trial(t, i, 0, metrics[i], &err), &err);
    assert_int_equal(3, tune_front(t, front, 8));
    assert_true(front[0]->point == 3 && front[1]->point == 1 && front[2]->point == 0);
    tune_scalarise(t, (const double[]){1, 0}, scores); /* speed alone */
    assert_true(scores[3] > scores[1] && scores[1] > scores[2] && scores[2] > scores[0] && isnan(scores[5]));
    tune_scalarise(t, (const double[]){0, 1}, scores);
    assert_true(scores[0] > scores[1] && scores[1] > scores[3]);
    tune_free(t);
}

static void a_wrong_spec_is_refused_with_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *says;
    } cases[] = {
        {"mech: swl\nparameters: {M: [1, 2]}\n", "'M'"},
        {"mech: swl\nparameters: {N: {from: 1, to: 999}}\n", "allowed 0 .. 64"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmethod: {name: sobl}\n", "did you mean 'sobol'?"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmetric: sped\n", "no statistic 'sped'"},
        {"mech: swl\nparameters: {N: [1, 2]}\nfolds: kernel\n", "folds: benchmark or family"},
        {"mech: 'pcal,@swl'\nparameters: {gain: [0.1, 0.2]}\n", "@swl"},
        {"mech: 'pcal,n=@swl'\nparameters: {gain: [0.1, 0.2]}\n", "'n'"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{name: s, synth: {}}]\n", "one to 16 knobs"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{name: s, synth: {reuse: [4, {a: 1}]}}]\n",
         "reuse: a number is needed here"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{synth: {reuse: 4}}]\n", "'name' is missing"},
        {"mech: swl\nparameters: {N: [1, 2]}\ngoal: most\n", "goal: max or min"},
        {"mech: [swl, bucl]\nparameters: {bucl: [1, 2]}\n", "[on, off] leaves it in or out"},
        {"mech: bucl\nparameters: {TUCD: [2, 5]}\nwhen: {period: TUCD == 2}\n", "period is no parameter"},
        {"mech: bucl\nparameters: {TUCD: [2, 5]}\nwhen: {TUCD: TUCD == 2}\n", "cannot exist by its own value"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmetric: [speedup, edp]\ngoal: [min]\n", "1 goals for 2 metrics"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmetric: [speedup, edp]\nmethod: {name: crs}\n", "crs follows one metric"},
        {"mech: swl\nparameters: {N: [1, 2]}\nsample: error=2\n", "a share from 0.0001 to 0.5"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmetric: ipc\nsample: error=0.02\n", "one metric, speedup"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmethod: {name: halving}\nsample: error=0.02\n", "another method"},
        {"mech: swl\nparameters: {N: [1, 2]}\nlimits: {max_cycles: 9}\nsample: error=0.02\n", "the spec has limits"},
        {"mech: swl\n", "'parameters' must be a map"},
        {"parameters: {N: [1, 2]}\n", "'mech' is missing"},
        {"mech: swl\nparameters: {l1.wys: [1, 2]}\n", "wys"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        struct tune *t;
        assert_int_equal(-1, parse(&t, cases[i].rest, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' is not in '%s'", cases[i].says, err.text);
        if (err.line < 1) fail_msg("no line in '%s'", err.text);
        assert_int_equal(ERR_INPUT, err.code);
    }
}

static void less_time_and_energy_is_better_unless_the_goal_says_otherwise(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        bool is_min;
    } cases[] = {{"metric: speedup\n", false}, {"metric: ipc\n", false},
                 {"metric: edp\n", true},      {"metric: energy\n", true},
                 {"metric: ed2p\n", true},     {"metric: time_us\n", true},
                 {"metric: power_w\n", true},  {"metric: edp\ngoal: max\n", false},
                 {"metric: 1 / edp\n", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        struct tune *t;
        char text[200];
        snprintf(text, sizeof text, "mech: swl\nparameters: {N: [1, 2]}\n%s", cases[i].rest);
        assert_ok(parse(&t, text, &err), &err);
        if (t->objectives[0].is_min != cases[i].is_min) fail_msg("%s", cases[i].rest);
        tune_free(t);
    }
}

static void seeds_are_points_of_the_spec_and_of_a_table_and_are_told_by_line_where_they_are_none(void **state)
{
    (void)state;
    static const char two[] = "mech: tuple\nparameters: {N: {from: 1, to: 8}, p: [1, 2, 4]}\nwhere: p <= N\n";
    static const struct {
        const char *seeds, *message;
    } specs[] = {{"seed_points: {N: 1, p: 1}\n", "t.yaml:9:14: seed_points: a list of maps is needed"},
                 {"seed_points: [{N: 9, p: 1}]\n", "t.yaml:9:15: N: 9 is none of its 8 levels, 1 to 8"},
                 {"seed_points: [{N: 4}]\n", "t.yaml:9:15: no value of p"},
                 {"seed_points: [{N: 1, p: 2}]\n", "do not allow this point"},
                 {"seed_points: [{N: 1, p: 1, q: 2}]\n", "q is no parameter of this tuning"},
                 {"seed_points: [default]\n", "the stack's own values are no point here: give N its own level"}};
    struct error err;
    struct tune *t;
    char rest[400];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        snprintf(rest, sizeof rest, "%s%s", two, specs[i].seeds);
        assert_int_equal(-1, parse(&t, rest, &err));
        if (!strstr(err.text, specs[i].message)) fail_msg("%s: %s", specs[i].seeds, err.text);
    }
    snprintf(rest, sizeof rest, "%sseed_points: [{N: 4, p: 2}, {p: 1.0, N: 8}, {N: 4, p: 2}]\n", two);
    assert_ok(parse(&t, rest, &err), &err);
    assert_int_equal(2, t->n_seeds);
    assert_int_equal(3 * 3 + 1, t->seeds[0]);
    assert_int_equal(7 * 3, t->seeds[1]);
    static const char table[] = "speedup,p,N\n1.5,4,8\n1.2,2,4\n";
    assert_ok(tune_seed_table(t, "s.csv", table, sizeof table - 1, &err), &err);
    assert_int_equal(3, t->n_seeds);
    static const char wrong[] = "p,N\n4,8\n4,3\n";
    assert_int_equal(-1, tune_seed_table(t, "s.csv", wrong, sizeof wrong - 1, &err));
    assert_non_null(strstr(err.text, "s.csv:3: the spec's conditions"));
    assert_int_equal(3, err.line);
    assert_int_equal(-1, tune_seed_table(t, "s.csv", "p,N\n", 4, &err));
    assert_non_null(strstr(err.text, "s.csv: no points below the header"));
    tune_free(t);
    assert_ok(parse(&t, "mech: swl\nparameters: {N: [0, 2]}\nseed_points: [default]\n", &err), &err);
    assert_int_equal(0, t->seeds[0]);
    tune_free(t);
}

/* ---- trials that somebody outside evaluates ---- */

static int refuse(void *context, struct error *err)
{
    (void)context;
    return error_set(err, ERR_RUN, "nothing is simulated here");
}

/* What goes out and the report, for what comes in; NULL: an error. */
static json_t *asked(const char *rest, const char *in, char *out, size_t size, struct error *err)
{
    int ends[2];
    struct tune *t;
    json_t *report = NULL;
    assert_ok(parse(&t, rest, err), err);
    assert_int_equal(0, pipe(ends));
    assert_int_equal(strlen(in), write(ends[1], in, strlen(in)));
    close(ends[1]);
    memset(out, 0, size);
    FILE *to = fmemopen(out, size, "w");
    const struct tune_pipe lines = {.in = ends[0], .out = to, .prepare = refuse};
    const int result = tune_run_asked(t, &lines, NULL, &report, err);
    fclose(to);
    close(ends[0]);
    tune_free(t);
    return result < 0 ? NULL : report;
}

#define SWL "mech: swl\nparameters: {N: {from: 1, to: 6}}\nmethod: {name: grid}\n"

static void a_trial_is_out_and_the_next_follows_its_value(void **state)
{
    (void)state;
    struct error err;
    char out[2048];
    json_t *report = asked(SWL,
                           "{\"id\":1,\"value\":1}\n\n{\"id\":2,\"value\":3.5}\r\n{\"id\": 3, \"value\": null}\n"
                           "{\"tell\":{\"id\":4,\"value\":2}}\n{\"id\":5,\"value\":1}\n{\"id\":6,\"value\":-1}",
                           out, sizeof out, &err);
    if (!report) fail_msg("%s", err.text);
    assert_string_equal("{\"id\": 1, \"params\": {\"N\": 1}}\n{\"id\": 2, \"params\": {\"N\": 2}}\n"
                        "{\"id\": 3, \"params\": {\"N\": 3}}\n{\"id\": 4, \"params\": {\"N\": 4}}\n"
                        "{\"id\": 5, \"params\": {\"N\": 5}}\n{\"id\": 6, \"params\": {\"N\": 6}}\n",
                        out);
    assert_int_equal(
        2, json_integer_value(json_object_get(json_object_get(json_object_get(report, "best"), "params"), "N")));
    assert_int_equal(6, json_array_size(json_object_get(report, "trials")));
    assert_true(json_is_null(json_object_get(json_array_get(json_object_get(report, "trials"), 2), "metric")));
    json_decref(report);
}

static void as_many_trials_are_out_as_were_asked_for_and_the_end_of_input_ends_the_tuning(void **state)
{
    (void)state;
    struct error err;
    char out[2048];
    size_t n = 0;
    json_t *report = asked(SWL, "ask\n{\"ask\":2}\n{\"id\":3,\"value\":7}\n{\"params\":{\"N\":6},\"value\":9}\n", out,
                           sizeof out, &err);
    if (!report) fail_msg("%s", err.text);
    for (const char *at = out; (at = strchr(at, '\n')); at++) n++;
    assert_int_equal(3, n);
    assert_int_equal(
        6, json_integer_value(json_object_get(json_object_get(json_object_get(report, "best"), "params"), "N")));
    assert_int_equal(2, json_array_size(json_object_get(report, "trials")));
    json_decref(report);
    /* more than the method wants to know now: gp has one point at a time behind its first ones */
    report = asked("mech: swl\nparameters: {N: {from: 1, to: 24}}\nmethod: {name: gp, budget: 20, initial: 2}\n",
                   "{\"ask\":5}\n{\"id\":1,\"value\":1}\n{\"id\":2,\"value\":2}\n", out, sizeof out, &err);
    if (!report) fail_msg("%s", err.text);
    json_decref(report);
    n = 0;
    for (const char *at = out; (at = strchr(at, '\n')); at++) n++;
    assert_int_equal(5, n);
}

static void a_line_that_says_nothing_is_refused_by_its_number(void **state)
{
    (void)state;
    static const struct {
        const char *in, *message;
    } cases[] = {
        {"", "the input ended before any trial had a value"},
        {"{\"id\":2,\"value\":1}\n", "standard input:1: id: no such trial is out; 1 were written"},
        {"{\"id\":1,\"value\":1}\n{\"id\":1,\"value\":1}\n", "standard input:2: id: trial 1 has its value already"},
        {"{\"id\":1,\"value\":\"x\"}\n", "standard input:1: value: a number is needed"},
        {"\n{\"id\":1}\n", "standard input:2: neither a value nor params"},
        {"hello\n", "standard input:1: this is no JSON"},
        {"[1]\n", "standard input:1: an object is needed"},
        {"{\"ask\":0}\n", "standard input:1: ask: a number of trials from 1 on is needed"},
        {"{\"id\":\"x\",\"params\":{\"N\":7}}\n", "standard input:1: params: N: 7 is none of its 6 levels"},
        {"{\"id\":\"x\",\"params\":{\"N\":2}}\n", "nothing is simulated here"},
        {"{\"id\":1,\"value\":null}\n{\"id\":2,\"value\":null}\n", "no trial has a value"},
    };
    struct error err;
    char out[2048];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(asked(SWL, cases[i].in, out, sizeof out, &err));
        if (!strstr(err.text, cases[i].message)) fail_msg("%s: %s", cases[i].in, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surrogate_passes_through_what_it_was_fitted_to_and_is_unsure_elsewhere),
        cmocka_unit_test(one_point_gives_the_closed_forms_of_mean_variance_and_improvement),
        cmocka_unit_test(points_and_coordinates_are_inverse_over_a_grid_of_24_by_3),
        cmocka_unit_test(the_stacks_own_values_are_a_point_where_they_are_levels),
        cmocka_unit_test(what_papers_publish_is_a_point_beside_the_default_and_told_with_its_place),
        cmocka_unit_test(the_default_has_the_parameters_that_exist_with_its_values),
        cmocka_unit_test(a_parameter_exists_where_its_mechanism_does_and_points_that_differ_in_nothing_else_are_one),
        cmocka_unit_test(twenty_parameters_are_a_space_of_whole_numbers_and_twenty_one_are_refused),
        cmocka_unit_test(the_hypervolume_of_few_points_is_what_geometry_says),
        cmocka_unit_test(the_front_has_what_no_trial_beats_in_every_metric),
        cmocka_unit_test(a_wrong_spec_is_refused_with_line_and_column),
        cmocka_unit_test(seeds_are_points_of_the_spec_and_of_a_table_and_are_told_by_line_where_they_are_none),
        cmocka_unit_test(a_trial_is_out_and_the_next_follows_its_value),
        cmocka_unit_test(as_many_trials_are_out_as_were_asked_for_and_the_end_of_input_ends_the_tuning),
        cmocka_unit_test(a_line_that_says_nothing_is_refused_by_its_number),
        cmocka_unit_test(less_time_and_energy_is_better_unless_the_goal_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
