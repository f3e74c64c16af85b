/* poise tune SPEC: parameters of mechanisms and of the machine against a metric. */
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/say.h"
#include "poise/spec_format.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/terms.h"
#include "poise/tune.h"

struct tune_options {
    const char *out, *seed_points, *sample;
    uint64_t threads, seeds;
    struct texts against;
    bool each, apart, ask_tell, unchecked, json, example;
};
static const struct option_row rows[] = {
    OPTION(tune_options, out, 'o', OPTION_TEXT, "DIR", "store.sqlite and tune.json go here (default: results/NAME)"),
    OPTION(tune_options, each, 0, OPTION_FLAG, NULL, "then tune each benchmark on its own too, held-out ones as well"),
    OPTION(tune_options, apart, 0, OPTION_FLAG, NULL,
           "then tune each mechanism of the stack alone, and compare what that finds with the stack tuned at once"),
    OPTION(tune_options, against, 0, OPTION_TEXTS, "METHOD",
           "then search by this method too, on the same budget: curves of the best value; may be repeated"),
    OPTION(tune_options, seeds, 0, OPTION_COUNT, "N", "seeds of each method (default: 5)", .modes = "--against"),
    OPTION_NAMED(tune_options, seed_points, "seed-points", 0, OPTION_TEXT, "FILE",
                 "points that are tried first: CSV with a column for each parameter"),
    OPTION(tune_options, sample, 0, OPTION_TEXT, "error=E[,..]",
           "estimate the speedups of trials from a sample of each program's launches, the same under the baseline, "
           "within E, as 0.02"),
    OPTION(tune_options, unchecked, 0, OPTION_FLAG, NULL, "leave out the exact runs of the best point at the end",
           .modes = "--sample"),
    OPTION_NAMED(tune_options, ask_tell, "ask-tell", 0, OPTION_FLAG, NULL,
                 "trials go out on standard output as lines {\"id\":1,\"params\":{}}; their values come in as "
                 "{\"id\":1,\"value\":1.8}"),
    OPTION(tune_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION(tune_options, json, 0, OPTION_FLAG, NULL, "print the report as JSON"),
    OPTION(tune_options, example, 0, OPTION_FLAG, NULL,
           "print an annotated spec that runs (poise tune --example > my.yaml)"),
};

static double value_of(const json_t *report, const char *key)
{
    return json_number_value(json_object_get(report, key));
}

/* "N=4 p=2 T_period=100000": as a person writes it. */
static const char *params_text_of(const json_t *params, char *text, size_t size)
{
    const char *name;
    json_t *value;
    size_t used = 0;
    *text = '\0';
    json_object_foreach((json_t *)(uintptr_t)params, name, value) {
        if (used + 1 >= size) break;
        used += (size_t)snprintf(text + used, size - used, "%s%s=", used ? " " : "", name);
        if (used + 1 >= size) break;
        if (json_is_string(value)) used += (size_t)snprintf(text + used, size - used, "%s", json_string_value(value));
        else if (json_is_integer(value))
            used += (size_t)snprintf(text + used, size - used, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else used += (size_t)snprintf(text + used, size - used, "%.6g", json_number_value(value));
    }
    return text;
}

static const char *best_of(const json_t *found, char *text, size_t size)
{
    return params_text_of(json_object_get(json_object_get(found, "best"), "params"), text, size);
}

/* Half of the interval of an estimate; NAN: it is none. */
static double half_of(const json_t *row, const char *key)
{
    char low[64], high[64];
    snprintf(low, sizeof low, "%s_low", key);
    snprintf(high, sizeof high, "%s_high", key);
    return json_object_get(row, low) ? (value_of(row, high) - value_of(row, low)) / 2 : NAN;
}

/* "1.24", or of an estimate "1.24 +-0.013". */
static const char *figure_text(const json_t *row, const char *key, char *text, size_t size)
{
    const json_t *value = json_object_get(row, key);
    const double half = half_of(row, key);
    if (!json_is_number(value)) snprintf(text, size, "-");
    else if (isfinite(half)) snprintf(text, size, "%.4g +-%.2g", json_number_value(value), half);
    else snprintf(text, size, "%.4g", json_number_value(value));
    return text;
}

/* Indented, and broken where the line ends. */
static void print_wrapped(const char *text, unsigned left)
{
    printf("%*s", (int)left, "");
    text_wrapped(stdout, text, left, cli_width(true));
}

static void print_folds(const json_t *folds)
{
    const json_t *group;
    size_t i;
    char text[400], line[500], figures[3][40];
    printf("  folds: tuned without one benchmark, then evaluated on it%s\n",
           json_is_true(json_object_get(folds, "is_estimate")) ? " (estimates)" : "");
    json_array_foreach(json_object_get(folds, "groups"), i, group) {
        snprintf(line, sizeof line, "%-20.20s %s on the others, %s on it, default %s",
                 json_string_value(json_object_get(group, "name")),
                 figure_text(group, "train_metric", figures[0], sizeof figures[0]),
                 figure_text(group, "heldout_metric", figures[1], sizeof figures[1]),
                 figure_text(group, "own_metric", figures[2], sizeof figures[2]));
        print_wrapped(line, 4);
        print_wrapped(best_of(group, text, sizeof text), 6);
    }
    printf("    out of fold: %.4g, default %.4g\n", value_of(folds, "heldout_metric"), value_of(folds, "own_metric"));
}

/* A point that is no trial may be the better one. */
static void print_better(const json_t *report, const char *name)
{
    const json_t *of = json_object_get(report, name);
    const double value = value_of(json_object_get(of, "train"), "metric"), best = value_of(report, "train_metric");
    if (json_is_false(json_object_get(of, "is_trial")) &&
        (json_is_true(json_object_get(report, "is_min")) ? value < best : value > best))
        printf("  the %s point, which the spec's parameters do not contain, is better than the best\n", name);
}

/* A speedup below 1 is a result that nobody should use. */
static void print_warnings(const json_t *report)
{
    const json_t *heldout = json_object_get(report, "heldout_metric");
    if (json_is_null(json_object_get(report, "train_metric"))) return; /* an estimate says it with its interval */
    print_better(report, "default");
    if (json_is_false(json_object_get(json_object_get(report, "published"), "is_default")))
        print_better(report, "published");
    if (strcmp(json_string_value(json_object_get(report, "metric")), "speedup") != 0) return;
    if (value_of(report, "train_metric") < 1)
        printf("  the best point is slower than the baseline even on the tuning set: nothing in this grid helps\n");
    if (json_is_number(heldout) && json_number_value(heldout) < 1)
        printf("  on the held-out set it is slower than the baseline (%.4g is below 1): what was tuned does not "
               "carry over\n",
               json_number_value(heldout));
}

static void print_cell(const json_t *row, const char *set, const char *key, int width)
{
    char text[40];
    printf(" %*s", width, figure_text(json_object_get(row, set), key, text, sizeof text));
}

/* One line a figure: what a reader may hold against the best point, tuning set and held-out set beside each other. */
struct columns {
    bool has_heldout;
    int width;
};
static void print_line(const char *name, const json_t *row, const char *key, const struct columns *c)
{
    printf("  %-46s", name);
    print_cell(row, "train", key, c->width);
    if (c->has_heldout) print_cell(row, "heldout", key, c->width);
    putchar('\n');
}

/* A point in words; a long line has the figures below it. */
static void print_named(const char *line, const char *name, const json_t *of, const struct columns *c)
{
    const bool is_long = strlen(line) > 46;
    if (is_long) print_wrapped(line, 2);
    print_line(is_long ? name : line, of, "metric", c);
}

static void print_compared(const json_t *report)
{
    const json_t *compared = json_object_get(report, "compared"), *own = json_object_get(report, "default");
    const char *metric = json_string_value(json_object_get(report, "metric"));
    const struct columns columns = {json_object_get(compared, "heldout") != NULL,
                                    json_object_get(report, "sample") ? 15 : 10},
                         *c = &columns;
    const bool is_speedup = strcmp(metric, "speedup") == 0,
               is_tuned = json_is_true(json_object_get(compared, "machine_is_tuned"));
    char text[400], line[500];
    printf("  %-46s %*s", metric, c->width, "tuning set");
    if (c->has_heldout) printf(" %*s", c->width, "held out");
    putchar('\n');
    print_line(is_speedup ? "best, over the baseline on the spec's machine" : "best", compared, "metric", c);
    if (is_tuned && is_speedup) {
        print_line("best, over the baseline on the best's machine", compared, "over_same_machine", c);
        print_line("the best's machine alone, over the spec's", compared, "same_machine_without", c);
    } else if (!is_speedup) {
        print_line(is_tuned ? "the best's machine under the baseline" : "the baseline", compared,
                   "same_machine_without", c);
    }
    snprintf(line, sizeof line, "default: %s", params_text_of(json_object_get(own, "params"), text, sizeof text));
    print_named(line, "default", own, c);
    const json_t *published = json_object_get(report, "published");
    if (!json_is_object(published)) return;
    snprintf(line, sizeof line, "%s: %s",
             json_is_true(json_object_get(published, "is_default")) ? "published, the same" : "published",
             json_string_value(json_object_get(published, "words")));
    print_named(line, "published", published, c);
}

/* Where the default's values come from: a paper, or nowhere. */
static void print_sources(const json_t *report)
{
    json_t *sources = json_object_get(json_object_get(report, "default"), "sources"), *source;
    const char *name;
    char *text = NULL;
    size_t size, n = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    json_object_foreach(sources, name, source)
        fprintf(out, "%s%s %s", n++ ? "; " : "the default's values: ", name, json_string_value(source));
    fclose(out);
    if (n) print_wrapped(text, 2);
    free(text);
}

static void print_each(const json_t *each)
{
    const json_t *benchmark;
    size_t i;
    char text[400];
    json_array_foreach(json_object_get(each, "benchmarks"), i, benchmark)
        printf("  %-16s %-8s %.4g on its own, %.4g with the point for all\n    %s\n",
               json_string_value(json_object_get(benchmark, "name")),
               json_is_true(json_object_get(benchmark, "heldout")) ? "held out" : "", value_of(benchmark, "metric"),
               value_of(benchmark, "shared_metric"), best_of(benchmark, text, sizeof text));
    printf("  harmonic means: %.4g on their own, %.4g with the point for all\n", value_of(each, "mean"),
           value_of(each, "shared_mean"));
}

static void print_metrics(const json_t *metrics)
{
    const json_t *value;
    size_t i;
    json_array_foreach(metrics, i, value)
        if (json_is_number(value)) printf(" %10.4g", json_number_value(value));
        else printf(" %10s", "-");
}

/* What no point beats in every metric. */
static void print_front(const json_t *report)
{
    const json_t *point, *objective;
    size_t i;
    char text[400];
    printf("  front: points that no other beats in every metric (hypervolume %.3g)\n   ",
           value_of(report, "hypervolume"));
    json_array_foreach(json_object_get(report, "objectives"), i, objective)
        printf(" %10.10s", json_string_value(json_object_get(objective, "metric")));
    printf(" on the tuning set%s\n",
           json_is_array(json_object_get(json_array_get(json_object_get(report, "front"), 0), "heldout"))
               ? ", then held out"
               : "");
    json_array_foreach(json_object_get(report, "front"), i, point) {
        printf("   ");
        print_metrics(json_object_get(point, "metrics"));
        if (json_is_array(json_object_get(point, "heldout")))
            printf("  | "), print_metrics(json_object_get(point, "heldout"));
        printf("  %s\n", params_text_of(json_object_get(point, "params"), text, sizeof text));
    }
}

static void print_judged(const char *name, const json_t *of)
{
    static const char *const sets[] = {"train", "heldout"};
    printf("  %-46s", name);
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        if (json_is_number(json_object_get(of, sets[i]))) printf(" %10.4g", value_of(of, sets[i]));
        else printf(" %10s", "-");
    printf("\n");
}

static void print_apart(const json_t *apart)
{
    const json_t *part, *together = json_object_get(apart, "together");
    size_t i;
    char text[400];
    printf("  each mechanism tuned alone\n");
    json_array_foreach(json_object_get(apart, "parts"), i, part)
        printf("    %-16s %.4g after %.0f points: %s\n", json_string_value(json_object_get(part, "name")),
               value_of(part, "metric"), value_of(part, "points"), best_of(part, text, sizeof text));
    if (json_object_get(together, "why"))
        printf("    put together they are no point: %s\n", json_string_value(json_object_get(together, "why")));
    print_judged("put together", together);
    print_judged("tuned at once", json_object_get(apart, "joint"));
}

static void print_curves(const json_t *curves)
{
    const json_t *method;
    size_t i;
    const size_t budget = (size_t)value_of(curves, "budget");
    printf("  %s after a quarter, half and all of %zu points, mean of %.0f seeds\n",
           json_string_value(json_object_get(curves, "of")), budget, value_of(curves, "seeds"));
    json_array_foreach(json_object_get(curves, "methods"), i, method) {
        const json_t *mean = json_object_get(method, "mean");
        printf("    %-12s", json_string_value(json_object_get(method, "method")));
        for (size_t part = 4; part > 0; part /= 2)
            printf(" %10.4g", json_number_value(json_array_get(mean, (budget + part - 1) / part - 1)));
        printf("\n");
    }
}

/* What a sampled tuning estimated, and what the exact runs of its best point say of that. */
static void print_sample(const json_t *report)
{
    const json_t *sample = json_object_get(report, "sample");
    const double low = value_of(report, "train_estimate_low"), high = value_of(report, "train_estimate_high"),
                 exact = value_of(report, "train_metric");
    if (!sample) return;
    printf("  trials are estimates from %.3g %% of their warp instructions\n", 100 * value_of(sample, "share_of_work"));
    if (!json_object_get(report, "train_estimate_low")) return;
    const bool is_checked = json_is_true(json_object_get(sample, "is_checked"));
    char line[400], checked[160] = "it was not simulated exactly";
    if (is_checked)
        snprintf(checked, sizeof checked, "exact runs say %.4g%s", exact,
                 exact < low ? ": the best of many estimates is one by luck, too" : "");
    snprintf(line, sizeof line, "the best was estimated at %.4g, %.4g to %.4g with 95 %% confidence; %s",
             value_of(report, "train_estimate"), low, high, checked);
    print_wrapped(line, 2);
}

static void print_sensitivity(const json_t *shares)
{
    const json_t *value;
    const char *name;
    char text[1000] = "share of the variance:";
    json_object_foreach((json_t *)(uintptr_t)shares, name, value) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %.60s %.2g", name, json_number_value(value));
    }
    print_wrapped(text, 2);
}

static void print_report(const json_t *report)
{
    char text[400], line[600];
    snprintf(line, sizeof line, "%.150s: best %s", json_string_value(json_object_get(report, "name")),
             best_of(report, text, sizeof text));
    text_wrapped(stdout, line, 2, cli_width(true));
    print_compared(report);
    print_sources(report);
    print_sample(report);
    print_warnings(report);
    printf("  %.0f of %.0f points, %.0f runs", value_of(report, "points"), value_of(report, "grid"),
           value_of(report, "runs"));
    if (json_is_number(json_object_get(report, "regret")))
        printf(", regret against the grid %.3g %%", 100 * value_of(report, "regret"));
    printf("\n");
    print_sensitivity(json_object_get(report, "sensitivity"));
    if (json_object_get(report, "folds")) print_folds(json_object_get(report, "folds"));
    if (json_object_get(report, "each")) print_each(json_object_get(report, "each"));
    if (json_object_get(report, "front")) print_front(report);
    if (json_object_get(report, "apart")) print_apart(json_object_get(report, "apart"));
    if (json_object_get(report, "curves")) print_curves(json_object_get(report, "curves"));
}

static int write_report(const char *dir, json_t *report, struct error *err)
{
    char path[1200], *text = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    snprintf(path, sizeof path, "%s/tune.json", dir);
    const int result =
        text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory for the report");
    free(text);
    return result;
}

static int keep_report(const struct runner *runner, const char *dir, json_t *report, bool json, struct error *err)
{
    const struct runner_totals *t = runner_totals(runner);
    json_t *out = lab_json();
    json_object_update(out, report);
    const int result = write_report(dir, out, err);
    json_object_set_new(out, "run_info",
                        json_pack("{s:I,s:I,s:f,s:I}", "runs_simulated", (json_int_t)t->simulated, "runs_reused",
                                  (json_int_t)t->reused, "wall_s", t->wall_s, "threads",
                                  (json_int_t)runner_threads(runner)));
    runner_note_into(runner, json_object_get(out, "run_info"));
    if (result == 0 && json) return cli_print_json(out, err);
    if (result == 0) print_report(out);
    json_decref(out);
    return result;
}

/* ---- trials that somebody else evaluates ---- */

struct recording {
    struct tune *tune;
    const struct registry *registry;
    const struct lab_paths *paths;
};
static int record(void *context, struct error *err)
{
    const struct recording *r = context;
    return tune_launches(r->tune, r->registry, r->paths, err);
}

/* The other side reads to the end of the trials, and may say something more before it knows that they have ended. */
static void end_lines(void)
{
    enum { QUIET_MS = 500 };
    char rest[4096];
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    fflush(stdout);
    if (!freopen("/dev/null", "w", stdout)) return;
    while (poll(&in, 1, QUIET_MS) > 0 && read(STDIN_FILENO, rest, sizeof rest) > 0) continue;
}

static int ask_and_tell(struct cli *cli, struct tune *tune, const struct registry *registry, struct runner *runner,
                        const char *dir, struct error *err)
{
    struct recording recording = {tune, registry, &cli->paths};
    const struct tune_pipe lines = {STDIN_FILENO, stdout, cli->stop, record, &recording};
    json_t *report = NULL;
    char text[400];
    if (tune_run_asked(tune, &lines, runner, &report, err) < 0) return -1;
    json_t *out = lab_json();
    json_object_update(out, report);
    json_decref(report);
    const int result = write_report(dir, out, err);
    if (result == 0) {
        end_lines();
        say_line(stderr, "poise: %s: best of %.0f points: %s, with a %s of %.6g; %s/tune.json has all", tune_name(tune),
                 value_of(out, "points"), best_of(out, text, sizeof text),
                 json_string_value(json_object_get(out, "metric")), value_of(out, "train_metric"), dir);
    }
    json_decref(out);
    return result;
}

static struct tune_rivals rivals_of(const struct tune_options *o)
{
    return (struct tune_rivals){(const char *const *)o->against.items, o->against.n, o->seeds};
}

static int compare_methods(struct cli *cli, const struct tune_options *o, struct tune *tune, const char *spec,
                           struct runner *runner, json_t *report, struct error *err)
{
    const struct tune_rivals rivals = rivals_of(o);
    return tune_curves(tune, &rivals, spec, cli->paths.configs, runner, report, err);
}

static int tune_all(struct cli *cli, const struct tune_options *o, struct tune *tune, const char *spec, const char *dir,
                    struct error *err)
{
    struct registry registry = {0};
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    struct error later;
    json_t *report = NULL;
    char path[1200], *text = NULL;
    size_t size;
    int result = -1;
    cli_runner_options(cli, &options, o->threads);
    if (!options.is_terminal) options.progress = NULL; /* many small batches: a line for each says nothing */
    if (registry_load(&registry, cli->paths.kernels, err) < 0 ||
        (!o->ask_tell && tune_launches(tune, &registry, &cli->paths, err) < 0))
        goto done;
    snprintf(path, sizeof path, "%s/store.sqlite", dir);
    if (file_make_folders(dir, err) < 0 || store_open(&store, path, err) < 0 ||
        file_read(&text, &size, spec, err) < 0 || store_put_experiment(store, tune_name(tune), text, err) < 0 ||
        runner_new(&runner, store, &options, err) < 0)
        goto done;
    if (o->ask_tell) {
        result = ask_and_tell(cli, tune, &registry, runner, dir, err);
        goto done;
    }
    if (tune_run(tune, runner, &report, err) < 0 || tune_compare(tune, runner, report, err) < 0 ||
        (tune_has_folds(tune) && tune_folds(tune, spec, cli->paths.configs, runner, report, err) < 0) ||
        (o->each && tune_each(tune, spec, cli->paths.configs, runner, report, err) < 0) ||
        (o->apart && tune_apart(tune, spec, cli->paths.configs, runner, report, err) < 0) ||
        (o->against.n && compare_methods(cli, o, tune, spec, runner, report, err) < 0))
        goto done;
    result = keep_report(runner, dir, report, o->json, err);
done:
    free(text);
    json_decref(report);
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    registry_fini(&registry);
    return result;
}

static int read_sample(const struct tune_options *o, struct tune *tune, struct error *err)
{
    if (o->sample && tune_set_sample(tune, o->sample, err) < 0) return -1;
    if (o->unchecked && !tune_is_sampled(tune)) return error_set(err, ERR_USAGE, "--unchecked goes with --sample");
    if (o->unchecked) tune_leave_unchecked(tune);
    if (!tune_is_sampled(tune) || !(o->each || o->apart || o->against.n || o->ask_tell)) return 0;
    return error_set(err, ERR_USAGE, "a sampled tuning goes without --each, --apart, --against and --ask-tell");
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct tune_options *o = options;
    struct tune *tune;
    char dir[512];
    if (o->example) return cli_print_example(cli, &spec_format_tune);
    if (arguments->n != 1)
        return error_set(err, ERR_USAGE, "poise tune needs one spec, such as experiments/specs/ci-tune.yaml");
    if (tune_load(&tune, arguments->items[0], cli->paths.configs, err) < 0) return -1;
    snprintf(dir, sizeof dir, "results/%s", tune_name(tune));
    int result = o->seed_points ? tune_seed_file(tune, o->seed_points, err) : 0;
    if (result == 0 && o->ask_tell && (o->each || o->apart || o->against.n))
        result =
            error_set(err, ERR_USAGE, "--each, --apart and --against tune by simulation: they go without --ask-tell");
    if (result == 0) result = read_sample(o, tune, err);
    if (result == 0 && o->seeds && !o->against.n) result = error_set(err, ERR_USAGE, "--seeds goes with --against");
    const struct tune_rivals rivals = rivals_of(o);
    if (result == 0 && o->against.n) result = tune_check_rivals(tune, &rivals, err);
    if (result == 0) result = tune_all(cli, o, tune, arguments->items[0], o->out ? o->out : dir, err);
    tune_free(tune);
    return result;
}

#define M(id, doc) "  " #id ": " doc "\n"
const struct command command_tune = {"tune",
                                     "search parameters of mechanisms and of the machine for a metric",
                                     "SPEC [--each] [--apart] [--against METHOD] [--seed-points FILE] [--ask-tell] "
                                     "[--sample error=E] [--out DIR]",
                                     "'poise help spec-tune' explains the spec, --example prints one. Runs that the "
                                     "store has are not simulated again: a tuning that was "
                                     "interrupted continues. The default and what papers publish are tried first.\n"
                                     "With --sample the report has the intervals of trials, and the best point is "
                                     "simulated whole at the end: experiments/sampling/README.md.\n"
                                     "With --ask-tell another program evaluates the trials, or proposes its own: "
                                     "experiments/README.md. Methods:\n" TUNE_METHODS(M),
                                     rows,
                                     COUNT_OF(rows),
                                     sizeof(struct tune_options),
                                     run};
#undef M
