/* poise tune on kernels of size test. */
#include "lab.h"

#include <jansson.h>
#include <math.h>

static json_t *tuned(const char *method, const char *dir)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "tune %s/%s.yaml --json --out %s/%s", root, method, root, dir);
    char text[2048], from[64], path[128], to[64];
    slurp(POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml", text, sizeof text);
    snprintf(from, sizeof from, "name: gp");
    char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(to, sizeof to, "name: %s", method);
    snprintf(path, sizeof path, "%s/%s.yaml", root, method);
    FILE *out = fopen(path, "w");
    fprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(out);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    assert_non_null(json);
    return json;
}

static void a_metric_that_is_finite_nowhere_is_named_at_its_line(void **state)
{
    (void)state;
    char text[2048], path[128], arguments[300];
    slurp(POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml", text, sizeof text);
    char *at = strstr(text, "metric: ");
    assert_non_null(at);
    snprintf(path, sizeof path, "%s/nowhere.yaml", root);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%.*smetric: ipc / (warp_insts - warp_insts)\nmethod: {name: random, budget: 2}\n", (int)(at - text),
            text);
    fclose(out);
    snprintf(arguments, sizeof arguments, "tune %s --out %s/t", path, root);
    const struct said *s = poise(root, arguments);
    if (s->status != 2 ||
        !strstr(s->err, "nowhere.yaml:14:9: the metric 'ipc / (warp_insts - warp_insts)' is no finite"))
        fail_msg("status %d: %s", s->status, s->err);
}

/* A method that there is not is told before anything is simulated; what conditions leave is not the metric's fault. */
static void what_cannot_be_searched_is_told_before_anything_is_simulated(void **state)
{
    (void)state;
    char text[2048], path[128], arguments[300];
    slurp(POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml", text, sizeof text);
    snprintf(arguments, sizeof arguments,
             "tune " POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml --against foo --out %s/a", root);
    const struct said *s = poise(root, arguments);
    snprintf(path, sizeof path, "%s/a/store.sqlite", root);
    if (s->status != 2 || !strstr(s->err, "--against foo") || access(path, F_OK) == 0)
        fail_msg("status %d: %s", s->status, s->err);
    char *at = strstr(text, "where: ");
    assert_non_null(at);
    snprintf(path, sizeof path, "%s/nothing.yaml", root);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%.*swhere: N > 1000%s", (int)(at - text), text, strchr(at, '\n'));
    fclose(out);
    snprintf(arguments, sizeof arguments, "tune %s --out %s/t", path, root);
    s = poise(root, arguments);
    if (s->status != 2 || !strstr(s->err, "no point is allowed: these conditions leave none of"))
        fail_msg("status %d: %s", s->status, s->err);
}

static double number(const json_t *json, const char *key)
{
    if (!json_is_number(json_object_get(json, key))) fail_msg("%s is no number", key);
    return json_number_value(json_object_get(json, key));
}

static void
every_method_stays_in_its_budget_of_16_of_136_points_and_three_come_within_1_percent_of_the_grid(void **state)
{
    (void)state;
    /* The kernels' landscape has a plateau at p = 2, N >= 4, 18 % below the best point (2, 2): with 16 points local
     * methods stay there. */
    static const struct {
        const char *name;
        double bound;
    } methods[] = {{"random", 0.2},     {"sobol", 0.2},   {"bobyqa", 0.2}, {"cobyla", 0.2},   {"sbplx", 0.2},
                   {"neldermead", 0.2}, {"direct", 0.01}, {"crs", 0.2},    {"halving", 0.01}, {"gp", 0.01}};
    json_t *grid = tuned("grid", "t");
    assert_int_equal(136, (int)number(grid, "points"));
    assert_true(number(grid, "regret") == 0);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        json_t *json = tuned(methods[i].name, "t");
        print_message("%-10s regret %.4f, %g points, %g runs\n", methods[i].name, number(json, "regret"),
                      number(json, "points"), number(json, "runs"));
        if (number(json, "regret") > methods[i].bound)
            fail_msg("%s: regret %g", methods[i].name, number(json, "regret"));
        assert_true(number(json, "points") <= 16);
        assert_true(number(json, "train_metric") <= number(grid, "train_metric") + 1e-12);
        json_decref(json);
    }
    json_decref(grid);
}

static void the_report_has_the_keys_that_scripts_rely_on_and_does_not_depend_on_the_store(void **state)
{
    (void)state;
    static const char *const keys[] = {"best", "train_metric", "heldout_metric", "regret",
                                       "runs", "sensitivity",  "trials",         "overfitting"};
    json_t *cold = tuned("gp", "cold"), *warm = tuned("gp", "cold");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(cold, keys[i])) fail_msg("no key %s", keys[i]);
    assert_int_equal(0, (int)number(json_object_get(warm, "run_info"), "runs_simulated"));
    json_object_del(cold, "run_info");
    json_object_del(warm, "run_info");
    assert_true(json_equal(cold, warm));
    json_decref(cold);
    json_decref(warm);
}

static void each_benchmark_is_tuned_on_its_own_and_compared_with_the_point_for_all(void **state)
{
    (void)state;
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "tune " POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml --each --json --out %s/t", root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *each = json_object_get(json, "each"), *benchmark;
    const char *const names[] = {"mvt-batched", "bicg-batched", "atax-batched"};
    size_t i;
    assert_int_equal(3, json_array_size(json_object_get(each, "benchmarks")));
    json_array_foreach(json_object_get(each, "benchmarks"), i, benchmark) {
        assert_string_equal(names[i], json_string_value(json_object_get(benchmark, "name")));
        assert_true(json_is_true(json_object_get(benchmark, "heldout")) == (i == 2));
        assert_true(number(benchmark, "metric") > 0 && number(benchmark, "shared_metric") > 0);
        assert_non_null(json_object_get(json_object_get(benchmark, "best"), "params"));
    }
    assert_true(number(json_array_get(json_object_get(each, "benchmarks"), 2), "shared_metric") ==
                number(json, "heldout_metric"));
    assert_true(number(each, "mean") >= 0.95 * number(each, "shared_mean")); /* both are found by search */
    json_decref(json);
}

static json_t *tuned_with(const char *text, const char *name, const char *options)
{
    char path[128], arguments[512];
    struct error err;
    snprintf(path, sizeof path, "%s/%s.yaml", root, name);
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    snprintf(arguments, sizeof arguments, "tune %s --json --out %s/%s %s", path, root, name, options);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    return json_loads(s->out, 0, NULL);
}

static json_t *tuned_text(const char *text, const char *name) { return tuned_with(text, name, ""); }

#define KERNELS \
    "schema: 1\nkind: tune\nsize: test\nkernels:\n  - mvt\n  - {name: bicg, launches: [0]}\n" \
    "  - {name: one, benchmark: drawn, synth: {blocks: 16, divergence: 8, distance: 32, working_set: 32, reuse: 3, " \
    "in: 20}}\n" \
    "  - {name: two, benchmark: drawn, synth: {blocks: 16, phases: 2, divergence: [16, 2], distance: [32, 8], " \
    "working_set: 32, reuse: 3, in: 30}}\n"

static const json_t *trial_at(const json_t *report, const json_t *params)
{
    const json_t *trial;
    size_t i;
    json_array_foreach(json_object_get(report, "trials"), i, trial)
        if (json_equal(json_object_get(trial, "params"), params)) return trial;
    return NULL;
}

static void without_each_benchmark_in_turn_the_choice_is_judged_on_what_it_has_not_seen(void **state)
{
    (void)state;
    static const char *const names[] = {"mvt", "bicg", "drawn"};
    json_t *json = tuned_text(KERNELS "name: folds\nmech: 'ladder,first=1'\nparameters: {T_sample: [500, 1000, 2000], "
                                      "first: [1, 2, 4], gain: [0.03, 0.1]}\n"
                                      "method: {name: coordinate, budget: 9}\nfolds: benchmark\n",
                              "folds"),
           *group;
    const json_t *folds = json_object_get(json, "folds"), *groups = json_object_get(folds, "groups");
    json_t *own = json_pack("{s:i,s:i,s:f}", "T_sample", 2000, "first", 1, "gain", 0.03);
    double inverse[2] = {0}, n = 0;
    size_t i;
    assert_true(number(json, "train_metric") >= number(trial_at(json, own), "metric") && number(json, "points") <= 9);
    assert_int_equal(3, json_array_size(groups));
    json_array_foreach(groups, i, group) {
        assert_string_equal(names[i], json_string_value(json_object_get(group, "name")));
        assert_int_equal(i == 2 ? 2 : 1, (int)number(group, "benchmarks"));
        inverse[0] += number(group, "benchmarks") / number(group, "heldout_metric");
        inverse[1] += number(group, "benchmarks") / number(group, "own_metric");
        n += number(group, "benchmarks");
    }
    assert_true(fabs(number(folds, "heldout_metric") - n / inverse[0]) < 1e-12);
    /* the same runs, cut up */
    assert_true(fabs(number(folds, "own_metric") - number(trial_at(json, own), "metric")) < 1e-12);
    json_decref(own);
    json_decref(json);
}

/* Of one benchmark a speedup over the spec's machine is the one over the same machine times what the machine gives. */
static void the_best_is_compared_with_its_own_machine_and_with_the_stack_s_own_values(void **state)
{
    (void)state;
    json_t *json =
        tuned_text("schema: 1\nkind: tune\nsize: test\nname: machine\nkernels: [{name: mvt, launches: [0]}]\n"
                   "set: {l1.ways: 3}\nmech: ccws\nparameters: {l1.ways: [2, 8], K_throttle: [4, 16]}\n"
                   "method: {name: grid}\n",
                   "machine");
    const json_t *train = json_object_get(json_object_get(json, "compared"), "train"),
                 *own = json_object_get(json, "default"), *values = json_object_get(own, "params");
    assert_true(json_is_true(json_object_get(json_object_get(json, "compared"), "machine_is_tuned")));
    assert_true(number(train, "metric") == number(json, "train_metric"));
    assert_true(number(train, "same_machine_without") > 1); /* L1 is larger: the baseline gains as well */
    assert_true(fabs(number(train, "over_same_machine") * number(train, "same_machine_without") -
                     number(train, "metric")) < 1e-9);
    assert_int_equal(3, (int)number(values, "l1.ways")); /* no level of the grid, and tried all the same */
    assert_int_equal(8, (int)number(values, "K_throttle"));
    assert_true(number(json_object_get(own, "train"), "metric") > 0);
    assert_non_null(json_object_get(json_object_get(own, "sources"), "K_throttle"));
    json_decref(json);
    const struct said *s = poisef(root, "tune %s/machine.yaml --out %s/machine", root, root);
    assert_non_null(strstr(s->out, "default: l1.ways=3 K_throttle=8"));
    assert_non_null(strstr(s->out, "over the baseline on the best's machine"));
}

static void the_default_and_the_published_point_are_tried_first_and_told_in_words(void **state)
{
    (void)state;
    json_t *json = tuned_text("schema: 1\nkind: tune\nsize: test\nname: paper\nkernels: [{name: mvt, launches: [0]}]\n"
                              "mech: 'bucl,TUCD=8'\nparameters: {TUCD: [2, 5, 8, 12]}\nlimits: {max_cycles: 2000}\n"
                              "method: {name: random, budget: 3}\n",
                              "paper");
    static const char *const names[] = {"default", "published"};
    static const int values[] = {8, 5};
    assert_int_equal(3, (int)number(json, "points")); /* they are of the budget */
    for (size_t i = 0; i < 2; i++) {
        const json_t *trial = json_array_get(json_object_get(json, "trials"), i);
        assert_string_equal(names[i], json_string_value(json_object_get(trial, "named")));
        assert_int_equal(values[i], (int)number(json_object_get(trial, "params"), "TUCD"));
        assert_true(number(json_object_get(json_object_get(json, names[i]), "train"), "metric") ==
                    number(trial, "metric"));
    }
    json_decref(json);
    const struct said *s = poisef(root, "tune %s/paper.yaml --out %s/paper", root, root);
    assert_non_null(strstr(s->out, "  published: TUCD 5 of BUCL Tab. II "));
}

static void sampled_trials_have_intervals_and_the_best_point_is_what_exact_runs_say(void **state)
{
    (void)state;
    static const char text[] = "schema: 1\nkind: tune\nsize: test\nname: sampled\nkernels: [gaussian]\nheldout: "
                               "[pagerank]\nmech: swl\nparameters: {N: [1, 2, 24], l1.ways: [1, 4]}\n"
                               "method: {name: grid}\n",
                      sample[] = "--sample error=0.1,whole=0";
    json_t *json = tuned_with(text, "sampled", sample), *again = tuned_with(text, "sampled", sample), *trial;
    assert_int_equal(0, (int)number(json_object_get(again, "run_info"), "runs_simulated"));
    json_object_del(again, "run_info");
    json_object_del(json, "run_info");
    assert_true(json_equal(json, again)); /* the store makes no difference */
    json_decref(again);
    again = tuned_with(text, "sampled", "--sample error=0.1,whole=0 --unchecked");
    assert_true(json_is_null(json_object_get(again, "train_metric")));
    assert_true(number(again, "train_estimate") == number(json, "train_estimate"));
    assert_true(
        json_is_true(json_object_get(json_object_get(json_object_get(again, "compared"), "train"), "is_estimate")));
    json_decref(again);
    /* with all runs, those of the sampled tuning among them, and with none */
    json_t *exact = tuned_text(text, "sampled"), *cold = tuned_text(text, "elsewhere");
    json_object_del(exact, "run_info");
    json_object_del(cold, "run_info");
    assert_true(json_equal(exact, cold));
    size_t i, held = 0;
    json_array_foreach(json_object_get(json, "trials"), i, trial) {
        const double value = number(trial_at(exact, json_object_get(trial, "params")), "metric"),
                     low = number(trial, "metric_low"), high = number(trial, "metric_high");
        assert_true(json_is_true(json_object_get(trial, "is_estimate")));
        assert_true(low < number(trial, "metric") && high > number(trial, "metric"));
        assert_true(high - low < 0.3 * number(trial, "metric")); /* not by being wide */
        held += low <= value && value <= high;
    }
    if (held + 1 < i) fail_msg("%zu of %zu intervals hold", held, i);
    const json_t *best = json_object_get(json_object_get(json, "best"), "params");
    assert_true(number(json, "train_metric") == number(trial_at(exact, best), "metric"));
    assert_true(number(json_object_get(json, "sample"), "share_of_work") < 0.9);
    assert_true(json_is_number(json_object_get(json, "heldout_metric")));
    json_decref(cold);
    json_decref(exact);
    json_decref(json);
    const struct said *s = poisef(root, "tune %s/sampled.yaml --out %s/sampled %s", root, root, sample);
    assert_non_null(strstr(s->out, " +-"));
    assert_non_null(strstr(s->out, "exact runs say"));
}

static void a_mechanism_that_starts_from_the_warp_limit_gets_each_benchmarks_best(void **state)
{
    (void)state;
    /* With nothing but its N, the limit as a parameter cannot do better on any benchmark. */
    json_t *best = tuned_text(
        KERNELS "name: with\nmech: 'swl,N=@swl'\nparameters: {l1.ways: [4]}\nmethod: {name: grid}\n", "with");
    json_t *all = tuned_text(
        KERNELS "name: all\nmech: swl\nparameters: {N: [1, 2, 3, 4, 6, 8, 12, 24]}\nmethod: {name: grid}\n", "all");
    assert_true(number(best, "train_metric") >= number(all, "train_metric"));
    json_decref(best);
    json_decref(all);
}

static void coordinate_says_what_it_starts_from(void **state)
{
    (void)state;
    char arguments[256];
    json_decref(
        tuned_text(KERNELS "name: fine\nmech: swl\nparameters: {N: [0, 1]}\nmethod: {name: coordinate}\n", "fine"));
    struct error err;
    char path[128];
    static const char text[] = KERNELS "name: wrong\nmech: swl\nparameters: {N: [1, 2]}\nmethod: {name: coordinate}\n";
    snprintf(path, sizeof path, "%s/wrong.yaml", root);
    assert_ok(file_write(path, text, sizeof text - 1, &err), &err);
    snprintf(arguments, sizeof arguments, "tune %s --out %s/wrong", path, root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "give N its own among its levels"));
}

static void points_that_another_program_proposes_are_simulated_and_a_second_time_come_from_the_store(void **state)
{
    (void)state;
    static const char lines[] = "{\"id\":\"a\",\"params\":{\"N\":2}}\n{\"id\":1,\"value\":9}\n",
                      text[] = KERNELS "name: asked\nmech: swl\nparameters: {N: [1, 2, 3]}\nmethod: {name: grid}\n";
    struct error err;
    char path[128], in[128];
    snprintf(path, sizeof path, "%s/asked.yaml", root);
    snprintf(in, sizeof in, "%s/lines", root);
    assert_ok(file_write(path, text, sizeof text - 1, &err), &err);
    assert_ok(file_write(in, lines, sizeof lines - 1, &err), &err);
    char *first = NULL;
    for (int i = 0; i < 2; i++) {
        const struct said *s = poisef(root, "tune %s --ask-tell --out %s/asked <%s", path, root, in);
        if (s->status) fail_msg("%s", s->err);
        assert_non_null(strstr(s->err, "best of 2 points: N=1"));
        static const char begins[] = "{\"id\": 1, \"params\": {\"N\": 1}}\n{\"id\": \"a\", \"value\": ";
        assert_int_equal(0, strncmp(s->out, begins, strlen(begins)));
        if (first) assert_string_equal(first, s->out);
        else first = strdup(s->out);
    }
    free(first);
    const struct said *s =
        poisef(root, "sim --kernel mvt --launch 0 --size test --mech swl,N=2 --store %s/asked/store.sqlite", root);
    if (!strstr(s->err, "1 of 1 runs were there")) fail_msg("%s", s->err);
}

static double at_of(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }

/* Speed up, energy down: nobody on the front is beaten by any trial. */
static void check_front(const json_t *report)
{
    const json_t *point, *trial;
    size_t i, k;
    assert_true(json_array_size(json_object_get(report, "front")) > 0);
    json_array_foreach(json_object_get(report, "front"), i, point) {
        const json_t *own = json_object_get(point, "metrics");
        assert_int_equal(2, json_array_size(json_object_get(point, "heldout")));
        json_array_foreach(json_object_get(report, "trials"), k, trial) {
            const json_t *other = json_object_get(trial, "metrics");
            const bool is_no_worse = at_of(other, 0) >= at_of(own, 0) && at_of(other, 1) <= at_of(own, 1),
                       is_better = at_of(other, 0) > at_of(own, 0) || at_of(other, 1) < at_of(own, 1);
            assert_false(is_no_worse && is_better);
        }
    }
}

static void a_stack_is_tuned_at_once_for_time_and_energy_beside_its_parts_and_random_search(void **state)
{
    (void)state;
    static const char text[] =
        "schema: 1\nkind: tune\nname: stack\nsize: test\nkernels: [{name: mvt-batched, launches: [0]}]\n"
        "heldout: [{name: atax-batched, launches: [0]}]\nmech: [swl, bucl]\n"
        "parameters: {swl.N: [2, 4, 8, 16], bucl: [on, off], bucl.TUCD: [2, 8], l1.organisation: [plain, dsc], "
        "l1.dsc_tags: [2, 4]}\nwhen: {l1.dsc_tags: l1.organisation == dsc}\n"
        "metric: [speedup, energy_j / baseline.energy_j]\ngoal: [max, min]\n"
        "method: {name: gp, budget: 9, initial: 5}\nlimits: {max_cycles: 8000}\n";
    json_t *json = tuned_with(text, "stack", "--apart --against random --seeds 2"), *trial;
    size_t i, without = 0;
    check_front(json);
    assert_true(number(json, "hypervolume") > 0 && number(json, "hypervolume") <= 1);
    assert_int_equal(4 * 3 * 3, (int)number(json, "grid"));
    json_array_foreach(json_object_get(json, "trials"), i, trial) {
        const json_t *params = json_object_get(trial, "params");
        const bool is_off = strcmp(json_string_value(json_object_get(params, "bucl")), "off") == 0,
                   is_plain = strcmp(json_string_value(json_object_get(params, "l1.organisation")), "plain") == 0;
        assert_true((json_object_get(params, "bucl.TUCD") == NULL) == is_off);
        assert_true((json_object_get(params, "l1.dsc_tags") == NULL) == is_plain);
        without += is_off;
    }
    assert_true(i == 9 && without > 0 && without < 9);
    const json_t *apart = json_object_get(json, "apart"),
                 *methods = json_object_get(json_object_get(json, "curves"), "methods");
    assert_int_equal(3, json_array_size(json_object_get(apart, "parts"))); /* the machine, swl, bucl */
    assert_true(number(json_object_get(apart, "joint"), "train") == number(json, "train_metric"));
    assert_true(number(json_object_get(apart, "together"), "heldout") > 0);
    assert_int_equal(2, json_array_size(methods));
    for (size_t m = 0; m < 2; m++) {
        const json_t *mean = json_object_get(json_array_get(methods, m), "mean");
        assert_int_equal(9, json_array_size(mean));
        for (size_t k = 1; k < 9; k++) assert_true(at_of(mean, k) >= at_of(mean, k - 1));
    }
    json_t *again = tuned_with(text, "stack", "--apart --against random --seeds 2");
    assert_int_equal(0, (int)number(json_object_get(again, "run_info"), "runs_simulated"));
    json_object_del(again, "run_info");
    json_object_del(json, "run_info");
    assert_true(json_equal(json, again));
    json_decref(again);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_that_is_finite_nowhere_is_named_at_its_line),
        cmocka_unit_test(what_cannot_be_searched_is_told_before_anything_is_simulated),
        cmocka_unit_test(
            every_method_stays_in_its_budget_of_16_of_136_points_and_three_come_within_1_percent_of_the_grid),
        cmocka_unit_test(the_report_has_the_keys_that_scripts_rely_on_and_does_not_depend_on_the_store),
        cmocka_unit_test(without_each_benchmark_in_turn_the_choice_is_judged_on_what_it_has_not_seen),
        cmocka_unit_test(the_best_is_compared_with_its_own_machine_and_with_the_stack_s_own_values),
        cmocka_unit_test(the_default_and_the_published_point_are_tried_first_and_told_in_words),
        cmocka_unit_test(sampled_trials_have_intervals_and_the_best_point_is_what_exact_runs_say),
        cmocka_unit_test(a_mechanism_that_starts_from_the_warp_limit_gets_each_benchmarks_best),
        cmocka_unit_test(coordinate_says_what_it_starts_from),
        cmocka_unit_test(a_stack_is_tuned_at_once_for_time_and_energy_beside_its_parts_and_random_search),
        cmocka_unit_test(each_benchmark_is_tuned_on_its_own_and_compared_with_the_point_for_all),
        cmocka_unit_test(points_that_another_program_proposes_are_simulated_and_a_second_time_come_from_the_store),
    };
    return cmocka_run_group_tests(tests, lab_begin, lab_end);
}
