/* What the report makes of tunings and of estimates, from files that are written here. */
#include "document.h"
#include "where.h"

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("LSAN_OPTIONS", "print_suppressions=0:suppressions=" POISE_SOURCE_DIR "/tests/e2e/report/lsan.supp", 1);
    return 0;
}

static json_t *trial(int rung, double metric, json_t *params)
{
    return json_pack("{s:o,s:i,s:f}", "params", params, "rung", rung, "metric", metric);
}

/* Twenty trials: N by rank, a period of twenty values by its logarithm, a word, and a parameter that exists for one
 * word. */
static json_t *trials(void)
{
    json_t *list = json_array();
    for (int i = 0; i < 20; i++) {
        json_t *params =
            json_pack("{s:i,s:f,s:s}", "N", 1 << i % 4, "period", 100 * pow(1.4, i), "mode", i % 2 ? "fixed" : "dyn");
        if (i % 2) json_object_set_new(params, "tags", json_integer(2 + i % 3));
        json_array_append_new(list, trial(0, 1 + 0.01 * i, params));
    }
    json_object_set_new(json_array_get(list, 3), "named", json_string("default"));
    json_array_append_new(list, trial(2, 9, json_pack("{s:i}", "N", 1))); /* a prefix is not comparable */
    return list;
}

static json_t *side(double metric) { return json_pack("{s:{s:f}}", "train", "metric", metric); }

static void write_tuning(const char *name)
{
    json_t *list = trials(), *published = json_pack("{s:{s:i,s:i,s:s},s:s,s:b,s:b,s:{s:f}}", "params", "N", 16,
                                                    "period", 1000, "mode", "dyn", "words", "N 16 of PAPER Tab. 2",
                                                    "is_trial", 0, "is_default", 0, "train", "metric", 1.05);
    json_t *folds =
        json_pack("{s:[{s:s,s:f,s:f,s:f,s:{s:{s:i}}},{s:s,s:f,s:f,s:f,s:{s:{s:i}}}],s:f,s:f}", "groups", "name", "mvt",
                  "train_metric", 1.3, "heldout_metric", 0.9, "own_metric", 1.0, "best", "params", "N", 2, "name",
                  "bicg", "train_metric", 1.2, "heldout_metric", 1.1, "own_metric", 1.01, "best", "params", "N", 4,
                  "heldout_metric", 0.99, "own_metric", 1.005);
    json_t *best = json_deep_copy(json_object_get(json_array_get(list, 19), "params")), *own = side(1.03);
    json_object_set_new(own, "params", json_pack("{s:i}", "N", 8));
    result_json(name, "tune.json",
                json_pack("{s:s,s:s,s:b,s:{s:o},s:f,s:f,s:o,s:o,s:o,s:o,s:o}", "name", "drawn", "metric", "speedup",
                          "is_min", 0, "best", "params", best, "train_metric", 1.19, "heldout_metric", 1.1, "trials",
                          list, "published", published, "default", own, "folds", folds, "compared", side(1.19)));
}

static const json_t *axis(const json_t *figure, const char *label)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(figure, "axes"), i, item)
        if (strcmp(json_string_value(json_object_get(item, "label")), label) == 0) return item;
    fail_msg("no axis %s", label);
    return NULL;
}

static double place(const json_t *figure, const char *label, size_t line)
{
    return json_number_value(json_array_get(json_object_get(axis(figure, label), "places"), line));
}

static const char *string_at(const json_t *list, size_t i) { return json_string_value(json_array_get(list, i)); }

static void every_trial_in_full_is_a_line_through_an_axis_of_each_parameter_and_the_metric(void **state)
{
    (void)state;
    write_tuning("tuned");
    json_t *json = document(folder("tuned"));
    const json_t *figure = part(section(json, "tune"), "figures", "tune-parallel"),
                 *groups = json_object_get(figure, "groups"),
                 *progress = json_object_get(part(section(json, "tune"), "figures", "tune-best"), "series"),
                 *best = json_object_get(json_array_get(progress, 0), "values");
    assert_int_equal(20, json_array_size(best)); /* and no prefix */
    assert_true(json_number_value(json_array_get(best, 19)) == 1.19);
    assert_int_equal(21, json_array_size(groups)); /* and the published point, which is no trial */
    assert_int_equal(5, json_array_size(json_object_get(figure, "axes")));
    assert_string_equal("best", string_at(groups, 19));
    assert_string_equal("default", string_at(groups, 3));
    assert_string_equal("published", string_at(groups, 20));
    assert_string_equal("best tenth", string_at(groups, 18));
    assert_string_equal("best tenth", string_at(groups, 17));
    assert_string_equal("other trials", string_at(groups, 16));
    /* 1, 2, 4, 8 and 16 are equally far apart; the period is drawn by its logarithm, the metric by its value */
    assert_true(place(figure, "N", 0) == 0 && place(figure, "N", 2) == 0.5 && place(figure, "N", 20) == 1);
    assert_true(fabs(place(figure, "period", 10) - 10.0 / 19) < 1e-3);
    assert_true(fabs(place(figure, "speedup", 5) - 5.0 / 19) < 1e-4);
    assert_true(place(figure, "mode", 0) != place(figure, "mode", 1));
    assert_true(place(figure, "tags", 0) == 0 && place(figure, "tags", 1) > 0.1);
    assert_string_equal("none", json_string_value(json_object_get(
                                    json_array_get(json_object_get(axis(figure, "tags"), "ticks"), 0), "text")));
    json_decref(json);
    char line[300], path[200], svg[60000];
    snprintf(line, sizeof line, "report %s --figures %s/figures", folder("tuned"), root);
    must(line);
    snprintf(path, sizeof path, "%s/figures/tune-parallel.svg", root);
    slurp(path, svg, sizeof svg);
    size_t lines = 0;
    for (const char *at = svg; (at = strstr(at, "<path fill=\"none\"")); at++) lines++;
    assert_int_equal(21, lines);
    snprintf(line, sizeof line, "%s --width 80", folder("tuned"));
    char *text = report(line, "report.txt");
    assert_non_null(strstr(text, "# best"));
    free(text);
}

static void folds_and_the_published_point_have_their_rows_and_what_folds_promise_is_a_finding(void **state)
{
    (void)state;
    write_tuning("folds");
    json_t *json = document(folder("folds"));
    const json_t *tune = section(json, "tune"), *rows = json_object_get(part(tune, "tables", "tune-folds"), "rows"),
                 *compared = json_object_get(part(tune, "tables", "tune-compared"), "rows");
    assert_int_equal(3, json_array_size(rows));
    assert_true(json_number_value(json_array_get(json_array_get(rows, 2), 2)) == 0.99);
    assert_string_equal("published: N 16 of PAPER Tab. 2",
                        string_at(json_array_get(compared, json_array_size(compared) - 1), 0));
    assert_int_equal(2, json_array_size(json_object_get(part(tune, "figures", "tune-out-of-fold"), "labels")));
    char *text = json_dumps(json_object_get(json, "findings"), JSON_COMPACT);
    assert_non_null(strstr(text, "on benchmarks that the tuning had not seen the speedup is 0.99"));
    free(text);
    json_decref(json);
}

static void estimates_of_a_sampled_sweep_are_drawn_with_their_intervals_and_called_no_runs(void **state)
{
    (void)state;
    FILE *out = result_file("sampled", "estimates.csv");
    fputs("program,input,config,mechs,launches,launches_simulated,clusters,share_of_work,core_cycles,core_cycles_low,"
          "core_cycles_high,speedup,speedup_low,speedup_high,over_best,over_best_low,over_best_high,round,verdict\n"
          "nw,,kepler32,gto,255,48,18,0.19,1000,990,1010,1,1,1,,,,,\n"
          "nw,,kepler32,ccws,255,48,18,0.19,800,790,810,1.25,1.23,1.27,,,,,best\n"
          "lud,,kepler32,gto,46,46,46,1,500,500,500,1,1,1,,,,,best\n"
          "lud,,kepler32,ccws,46,46,46,1,625,625,625,0.8,0.8,0.8,,,,,\n",
          out);
    fclose(out);
    json_t *json = document(folder("sampled"));
    const json_t *estimates = section(json, "estimates"),
                 *series = json_object_get(part(estimates, "figures", "estimates-kepler32"), "series");
    assert_int_equal(1, json_array_size(series)); /* the first stack is what the others refer to */
    const json_t *ccws = json_array_get(series, 0);
    assert_string_equal("ccws", json_string_value(json_object_get(ccws, "name")));
    assert_true(json_number_value(json_array_get(json_object_get(ccws, "low"), 0)) == 1.23 &&
                json_number_value(json_array_get(json_object_get(ccws, "high"), 0)) == 1.27);
    assert_int_equal(4, json_array_size(json_object_get(part(estimates, "tables", "estimates-table"), "rows")));
    assert_non_null(strstr(json_string_value(json_object_get(estimates, "text")), "None of these figures is a run"));
    json_decref(json);
    /* a race, of more stacks than are drawn beside each other */
    out = result_file("race", "estimates.csv");
    fputs("program,input,config,mechs,core_cycles,core_cycles_low,core_cycles_high,over_best,over_best_low,"
          "over_best_high,round,verdict\n",
          out);
    for (int i = 0; i < 9; i++)
        fprintf(out, "nw,3,kepler32,\"swl,N=%d\",%d,%d,%d,%g,%g,%g,1,slower\n", i + 1, 1000 - 10 * i, 990 - 10 * i,
                1010 - 10 * i, 2 - 0.1 * i, 1.9 - 0.1 * i, 2.1 - 0.1 * i);
    fclose(out);
    json = document(folder("race"));
    const json_t *figure = part(section(json, "estimates"), "figures", "estimates-nw-3");
    assert_string_equal("swl,N=9", string_at(json_object_get(figure, "labels"), 0)); /* fewest cycles first */
    json_decref(json);
}

static void trials_of_a_sampled_tuning_are_drawn_with_their_intervals_beside_what_was_simulated(void **state)
{
    (void)state;
    json_t *list = json_array();
    for (int i = 0; i < 3; i++) {
        json_t *row = trial(0, 1 + 0.1 * i, json_pack("{s:i}", "N", i + 1));
        json_object_set_new(row, "metric_low", json_real(0.99 + 0.1 * i));
        json_object_set_new(row, "metric_high", json_real(1.01 + 0.1 * i));
        json_object_set_new(row, "is_estimate", json_true());
        json_array_append_new(list, row);
    }
    result_json("estimated", "tune.json",
                json_pack("{s:s,s:s,s:b,s:{s:{s:i}},s:f,s:f,s:f,s:f,s:o,s:{s:f,s:f}}", "name", "drawn", "metric",
                          "speedup", "is_min", 0, "best", "params", "N", 3, "train_metric", 1.17, "train_estimate", 1.2,
                          "train_estimate_low", 1.19, "train_estimate_high", 1.21, "trials", list, "sample", "error",
                          0.02, "share_of_work", 0.2));
    json_t *json = document(folder("estimated"));
    const json_t *tune = section(json, "tune"),
                 *series = json_object_get(part(tune, "figures", "tune-estimates"), "series"),
                 *estimate = json_array_get(series, 0), *simulated = json_array_get(series, 1);
    assert_true(json_number_value(json_array_get(json_object_get(estimate, "low"), 0)) == 1.19);
    assert_true(json_number_value(json_array_get(json_object_get(simulated, "values"), 0)) == 1.17);
    assert_true(json_is_null(json_array_get(json_object_get(simulated, "values"), 1)));
    assert_non_null(strstr(json_string_value(json_object_get(tune, "text")), "the estimate was 1.2, 1.19 to 1.21"));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_in_full_is_a_line_through_an_axis_of_each_parameter_and_the_metric),
        cmocka_unit_test(folds_and_the_published_point_have_their_rows_and_what_folds_promise_is_a_finding),
        cmocka_unit_test(trials_of_a_sampled_tuning_are_drawn_with_their_intervals_beside_what_was_simulated),
        cmocka_unit_test(estimates_of_a_sampled_sweep_are_drawn_with_their_intervals_and_called_no_runs),
    };
    return cmocka_run_group_tests(tests, begin, results_end);
}
