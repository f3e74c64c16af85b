/* poise policies: one kernel under every policy, as a table with bars. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/model_kind.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/policies_sample.h"
#include "cli/sim_print.h"
#include "cli/tuple_map.h"
#include "poise/kernel_name.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/terms.h"

struct policies_options {
    const char *kernel, *trace, *program, *size, *input, *launch, *config, *model, *store, *sample;
    struct texts mech, set;
    uint64_t threads, cap;
    bool map, all, json, carry_l2;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(policies_options, kernel, 0, OPTION_TEXT, "NAME", "a workload ('poise kernels'); recorded if it is not yet"),
    OPTION(policies_options, launch, 0, OPTION_TEXT, "I", "one launch of it (default: all, their cycles summed)",
           .modes = "--kernel"),
    OPTION(policies_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "--kernel"),
    OPTION(policies_options, input, 0, OPTION_TEXT, "I", "one of its inputs (default: the first)", .modes = "--kernel"),
    OPTION(policies_options, trace, 0, OPTION_TEXT, "FILE",
           "a trace, a quoted glob or a folder of traces, in place of a kernel"),
    OPTION(policies_options, program, 0, OPTION_TEXT, "FILE", "a CUDA program of your own; its arguments follow --"),
    OPTION(policies_options, mech, 0, OPTION_TEXTS, "M,K=V..",
           "this policy, or stack 'A + B'; may be repeated (default: every mechanism); @swl is SWL's best N"),
    OPTION(policies_options, map, 0, OPTION_FLAG, NULL, "simulate every warp tuple as well, for a map and Static-Best"),
    OPTION(policies_options, all, 0, OPTION_FLAG, NULL, "show policies as well that do here what gto does"),
    OPTION(policies_options, model, 0, OPTION_TEXT, "FILE",
           "the model of poise or of learned, whichever runs it (default: the shipped poise-quickstart.json and "
           "poise-best.json)"),
    OPTION(policies_options, config, 0, OPTION_TEXT, "C",
           "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(policies_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter, as l1.ways=8; may be repeated"),
    OPTION(
        policies_options, sample, 0, OPTION_TEXT, "error=E[,..]",
        "some of the launches, the same under all policies of --mech, until each speedup is known within E, as 0.02"),
    OPTION_NAMED(policies_options, carry_l2, "carry-l2", 0, OPTION_FLAG, NULL,
                 "launches in order, as a program: L2 and DRAM keep what they hold; the store keeps no such runs"),
    OPTION(policies_options, cap, 0, OPTION_COUNT, "N",
           "of the program the first N warp instructions, over its launches in order"),
    OPTION(policies_options, store, 0, OPTION_TEXT, "FILE",
           "take runs from this store and keep new ones there (default: results/policies.sqlite)"),
    OPTION(policies_options, threads, 0, OPTION_WHOLE, "N",
           "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(policies_options),
    OPTION(policies_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

/* What stands in no list of its own accord, and why. */
static const struct {
    const char *mech, *why;
} left_out[] = {
    {"tuple", "its defaults are gto's; --map has every tuple"},
    {"oracle", "takes minutes: it forks the launch in every window"},
    {"divergence", "only observes"},
    {"locality", "only observes"},
};
static const uint32_t limits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};

enum { POLICIES_MAX = 64, NAME_MAX_CHARS = 600 };
struct policy_row {
    char text[NAME_MAX_CHARS]; /* "swl,N=3", or a stack "A + B" */
    char shown[80];            /* as the table calls it */
    struct gpu_stats *total;   /* of all launches; NULL: a run failed */
    struct energy energy;      /* of them */
    struct error err;
};
struct policies {
    const struct policies_options *options;
    char model[PARAM_TEXT_MAX + 16]; /* the mechanism that runs --model */
    struct registry registry;
    struct launches launches;
    struct gpu_params *params;
    struct store *store;
    struct runner *runner;
    uint32_t W; /* of the launch with the most warps */
    struct policy_row rows[POLICIES_MAX];
    size_t n_rows;
    struct tuple_speed *map; /* NULL: nobody asked */
    size_t n_map;
};

static double value(const struct policy_row *row, const char *name)
{
    return row->total ? gpu_stats_value(row->total, name) : NAN;
}

/* ---- running ---- */

/* "A + B" as a stack of the job. */
static int parse_stack(struct run_job *job, const char *text, struct error *err)
{
    char copy[NAME_MAX_CHARS], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, "+", &rest); part; part = strtok_r(NULL, "+", &rest)) {
        while (*part == ' ') part++;
        for (size_t n = strlen(part); n && part[n - 1] == ' '; n--) part[n - 1] = '\0';
        if (job->n_stack == MECH_STACK_MAX)
            return error_set(err, ERR_USAGE, "a stack holds at most %d mechanisms", MECH_STACK_MAX);
        if (mech_parse(&job->stack[job->n_stack], part, err) < 0) return -1;
        job->n_stack++;
    }
    return job->n_stack ? 0 : error_set(err, ERR_USAGE, "--mech '%s': a mechanism is needed", text);
}

static void take_totals(struct policy_row *policies, size_t n, const struct run_job *jobs, size_t n_launches)
{
    for (size_t i = 0; i < n; i++) {
        const struct run_job *mine = &jobs[i * n_launches];
        for (size_t k = 0; k < n_launches && policies[i].err.code == ERR_NONE; k++)
            if (mine[k].result.err.code != ERR_NONE) policies[i].err = mine[k].result.err;
        if (policies[i].err.code != ERR_NONE || !(policies[i].total = sim_total(mine, n_launches))) continue;
        json_t *mechs = sim_mechs(mine, n_launches);
        const struct energy_run run = {mine->params, mine->stack, mine->n_stack, mechs};
        energy_of(&policies[i].energy, &run, policies[i].total);
        json_decref(mechs);
    }
}

static int run_rows(struct policies *p, const char *what, struct policy_row *policies, size_t n, struct error *err)
{
    const size_t n_launches = p->launches.n;
    struct run_job *jobs = calloc(n * n_launches + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu policies", n);
    int result = 0;
    for (size_t i = 0; i < n * n_launches && result == 0; i++) {
        jobs[i].launch = &p->launches.items[i % n_launches];
        jobs[i].params = p->params;
        jobs[i].limits.max_insts = launches_left(&p->launches, i % n_launches, p->options->cap);
        result = parse_stack(&jobs[i], policies[i / n_launches].text, err);
    }
    if (result == 0)
        result = p->options->carry_l2 ? runner_run_programs(p->runner, jobs, n_launches, n, err)
                                      : runner_run(p->runner, what, jobs, n * n_launches, err);
    if (result == 0) take_totals(policies, n, jobs, n_launches);
    if (result == 0 && p->options->mech.n) note_jobs(jobs, n * n_launches, n_launches);
    for (size_t i = 0; i < n * n_launches; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

static struct policy_row *add_row(struct policies *p, const char *text, const char *shown)
{
    if (p->n_rows == POLICIES_MAX) return NULL;
    struct policy_row *row = &p->rows[p->n_rows++];
    *row = (struct policy_row){.total = NULL};
    snprintf(row->text, sizeof row->text, "%s", text);
    snprintf(row->shown, sizeof row->shown, "%.79s", shown);
    return row;
}

/* SWL's limit with the fewest cycles over all launches; that row is kept as `swl`. */
static int find_swl(struct policies *p, struct policy_row *swl, uint32_t *best, struct error *err)
{
    struct policy_row tried[COUNT_OF(limits)] = {{.total = NULL}};
    size_t n = 0, first = 0;
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        if (limits[i] <= p->W) snprintf(tried[n++].text, sizeof tried[0].text, "swl,N=%u", (unsigned)limits[i]);
    const int result = run_rows(p, "SWL's limits", tried, n, err);
    for (size_t i = 1; i < n && result == 0; i++)
        if (!(value(&tried[i], "core_cycles") >= value(&tried[first], "core_cycles"))) first = i;
    *best = limits[first];
    *swl = tried[first];
    snprintf(swl->shown, sizeof swl->shown, "%.30s (best of %zu limits)", swl->text, n);
    for (size_t i = 0; i < n; i++)
        if (i != first) free(tried[i].total);
    return result;
}

/* Speeds of the tuples over (W, W), all launches' cycles summed; a launch with fewer warps does with N what it can. */
static int run_map(struct policies *p, struct error *err)
{
    const size_t n = points_grid_size(p->W);
    struct warp_tuple *grid = calloc(n, sizeof *grid);
    struct policy_row *cells = calloc(n, sizeof *cells);
    int result = grid && cells && (p->map = calloc(n, sizeof *p->map))
                     ? 0
                     : error_set(err, ERR_MEMORY, "out of memory for %zu tuples", n);
    if (result == 0) points_grid(p->W, grid);
    for (size_t i = 0; i < n && result == 0; i++)
        snprintf(cells[i].text, sizeof cells[i].text, "tuple,N=%u,p=%u", (unsigned)grid[i].N, (unsigned)grid[i].p);
    if (result == 0) result = run_rows(p, "tuples", cells, n, err);
    for (size_t i = 0; i < n && result == 0; i++) {
        if (!cells[i].total) *err = cells[i].err, result = -1;
        else
            p->map[p->n_map++] =
                (struct tuple_speed){grid[i], value(&cells[n - 1], "core_cycles") / value(&cells[i], "core_cycles")};
    }
    if (result == 0) {
        const struct tuple_speed *best = &p->map[tuple_map_best(p->map, p->n_map)];
        char text[64], shown[120];
        snprintf(text, sizeof text, "tuple,N=%u,p=%u", (unsigned)best->at.N, (unsigned)best->at.p);
        snprintf(shown, sizeof shown, "%s (best of %zu tuples)", text, n);
        struct policy_row *row = add_row(p, text, shown);
        if (row) row->total = cells[best - p->map].total, cells[best - p->map].total = NULL;
    }
    for (size_t i = 0; cells && i < n; i++) free(cells[i].total);
    free(cells);
    free(grid);
    return result;
}

/* ---- which policies ---- */

/* Why a mechanism is in no list of its own accord; NULL where it is. `poise` has a shipped model. */
static const char *why_left_out(const struct mech_type *type)
{
    const struct param_row *model = params_find(mech_params(type), "model");
    for (size_t i = 0; i < COUNT_OF(left_out); i++)
        if (strcmp(left_out[i].mech, mech_name(type)) == 0) return left_out[i].why;
    const bool is_shipped = strcmp(mech_name(type), "poise") == 0 || strcmp(mech_name(type), "learned") == 0;
    return model && model->type == VALUE_TEXT && !is_shipped ? "needs model=FILE" : NULL;
}

/* The model that a mechanism runs: --model where it is of that kind, else the shipped one. */
static const char *model_path(const struct policies *p, const struct cli *cli, bool is_learned, char *path, size_t size)
{
    char folder[600];
    lab_models(folder, sizeof folder, cli->paths.configs);
    if (p->options->model && model_mech_is_learned(p->model) == is_learned)
        snprintf(path, size, "%s", p->options->model);
    else snprintf(path, size, "%s/%s", folder, is_learned ? "poise-best.json" : "poise-quickstart.json");
    return path;
}

/* "@swl" -> SWL's best N. */
static void with_limit(char *out, size_t size, const char *text, uint32_t limit)
{
    const char *at = strstr(text, "@swl");
    if (!at) snprintf(out, size, "%s", text);
    else snprintf(out, size, "%.*s%u%s", (int)(at - text), text, (unsigned)limit, at + 4);
}

static void add_all(struct policies *p, const struct cli *cli, uint32_t limit)
{
    char text[NAME_MAX_CHARS], path[800];
    for (size_t i = 0; i < mech_count(); i++) {
        const char *name = mech_name(mech_at(i));
        if (strcmp(name, "gto") == 0 || strcmp(name, "swl") == 0 || why_left_out(mech_at(i))) continue;
        const bool is_learned = strcmp(name, "learned") == 0;
        if (is_learned || strcmp(name, "poise") == 0) {
            const char *file = model_path(p, cli, is_learned, path, sizeof path), *slash = strrchr(file, '/');
            char shown[80];
            snprintf(text, sizeof text, "%s,model=%.500s", name, file);
            snprintf(shown, sizeof shown, "%s (%.60s)", name, slash ? slash + 1 : file);
            add_row(p, text, shown);
            continue;
        }
        if (strcmp(name, "pcal") == 0) snprintf(text, sizeof text, "pcal,N=%u", (unsigned)limit);
        else snprintf(text, sizeof text, "%s", name);
        add_row(p, text, text);
    }
}

/* What @swl stands for is not known yet. */
static bool is_same_policy(const struct texts *mechs, const uint64_t *hashes, size_t a, size_t b)
{
    const bool is_open = strstr(mechs->items[a], "@swl") || strstr(mechs->items[b], "@swl");
    return is_open ? strcmp(mechs->items[a], mechs->items[b]) == 0 : hashes[a] == hashes[b];
}

static int check_mechs(const struct texts *mechs, struct error *err)
{
    uint64_t hashes[POLICIES_MAX];
    if (mechs->n > POLICIES_MAX - 4) return error_set(err, ERR_USAGE, "at most %d policies", POLICIES_MAX - 4);
    for (size_t i = 0; i < mechs->n; i++) {
        struct run_job job = {.n_stack = 0};
        char text[NAME_MAX_CHARS];
        if (strlen(mechs->items[i]) > NAME_MAX_CHARS - 20)
            return error_set(err, ERR_USAGE, "--mech %.60s...: this is too long", mechs->items[i]);
        with_limit(text, sizeof text, mechs->items[i], 1);
        const int result = parse_stack(&job, text, err);
        hashes[i] = result < 0 ? 0 : mech_stack_hash(job.stack, job.n_stack);
        run_job_fini(&job);
        if (result < 0) return -1;
        for (size_t k = 0; k < i; k++)
            if (is_same_policy(mechs, hashes, k, i))
                return error_set(err, ERR_USAGE, "--mech '%s' is given twice", mechs->items[i]);
    }
    return 0;
}

static int run_all(struct policies *p, const struct cli *cli, struct error *err)
{
    const struct texts *mechs = &p->options->mech;
    bool wants_swl = mechs->n == 0;
    uint32_t limit = 0;
    for (size_t i = 0; i < mechs->n; i++) wants_swl |= strstr(mechs->items[i], "@swl") != NULL;
    add_row(p, "gto", "gto");
    if (wants_swl) {
        struct policy_row *swl = add_row(p, "", "");
        if (find_swl(p, swl, &limit, err) < 0) return -1;
    }
    if (p->options->map && run_map(p, err) < 0) return -1;
    const size_t first = p->n_rows;
    if (mechs->n == 0) add_all(p, cli, limit);
    else if (p->options->model) add_row(p, p->model, p->model);
    for (size_t i = 0; i < mechs->n; i++) {
        char text[NAME_MAX_CHARS];
        with_limit(text, sizeof text, mechs->items[i], limit);
        if (strcmp(text, "gto") != 0) add_row(p, text, text); /* the first row is gto's */
    }
    if (run_rows(p, "gto", p->rows, 1, err) < 0) return -1;
    if (p->rows[0].err.code != ERR_NONE) return *err = p->rows[0].err, -1;
    return run_rows(p, "policies", &p->rows[first], p->n_rows - first, err);
}

/* ---- printing ---- */

static void print_bar(double share, unsigned width)
{
    static const char *const parts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    const unsigned eighths = (unsigned)(share * 8 * width + 0.5);
    for (unsigned i = 0; i < eighths / 8; i++) fputs("\u2588", stdout);
    puts(parts[eighths % 8]);
}

/* Does the policy do what the baseline does, as far as the table shows? What --mech names is never left out. */
static bool is_idle(const struct policies *p, const struct policy_row *r)
{
    static const char *const figures[] = {"core_cycles", "l1d_load_hits", "miss_latency_sum", "dram_reads"};
    if (p->options->mech.n || p->options->all || r == p->rows || !r->total) return false;
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        const double mine = value(r, figures[i]), base = value(&p->rows[0], figures[i]);
        if (mine < base || mine > base) return false;
    }
    return true;
}

static void print_row(const struct policies *p, const struct policy_row *r, int width, double most, unsigned bars)
{
    const double speedup = value(&p->rows[0], "core_cycles") / value(r, "core_cycles");
    char text[2 * sizeof r->err.text];
    if (!r->total) {
        printf("%-*.*s failed: %s\n", width, width, r->shown, kernel_shown(r->err.text, text, sizeof text));
        return;
    }
    const double energy = r->energy.total.value / p->rows[0].energy.total.value;
    printf("%-*.*s %11.0f %7.3f %6.3f %6.3f %5.1f%% %6.1f ", width, width, r->shown, value(r, "core_cycles"), speedup,
           energy, energy / speedup, 100 * value(r, "l1d_hit_rate"), value(r, "aml_cycles"));
    print_bar(speedup / most, bars);
}

/* Policies that change nothing on this kernel, and those that are in no list of their own accord. */
static void print_others(const struct policies *p)
{
    char *text = NULL;
    size_t size, n = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fprintf(out,
            "Speedups are over gto, which runs every warp: its cycles over theirs, %senergy and energy-delay product "
            "are theirs over its; limits and tuples called best "
            "are chosen with hindsight.",
            p->launches.n > 1 ? "each summed over the launches; " : "of one launch; ");
    fflush(out);
    text_wrapped(stdout, text, 0, cli_width(true));
    rewind(out);
    for (size_t i = 0; i < p->n_rows; i++) n += is_idle(p, &p->rows[i]);
    if (n) {
        fprintf(out, "%zu polic%s not shown, because on this kernel %s equal to gto (--all shows them): ", n,
                n == 1 ? "y is" : "ies are", n == 1 ? "it is" : "they are");
        for (size_t i = 0, told = 0; i < p->n_rows; i++)
            if (is_idle(p, &p->rows[i])) fprintf(out, "%s%s", told++ ? " " : "", p->rows[i].shown);
        fputc('\0', out);
        fflush(out);
        text_wrapped(stdout, text, 0, cli_width(true));
        rewind(out);
    }
    const char *before = "Not here unless --mech names it: ";
    for (size_t i = 0; i < mech_count() && p->options->mech.n == 0; i++) {
        const char *why = why_left_out(mech_at(i));
        if (why) fprintf(out, "%s%s: %s", before, mech_name(mech_at(i)), why);
        if (why) before = "; ";
    }
    fputs(p->options->mech.n ? "" : ".", out);
    fputc('\0', out);
    fclose(out);
    if (*text) text_wrapped(stdout, text, 0, cli_width(true));
    free(text);
}

static void print_table(const struct policies *p)
{
    enum { NAMES_MAX = 29, BARS_MAX = 40, NUMBERS = 49 };
    const double base = value(&p->rows[0], "core_cycles");
    double most = 1;
    int width = 10;
    for (size_t i = 0; i < p->n_rows; i++) {
        most = fmax(most, p->rows[i].total ? base / value(&p->rows[i], "core_cycles") : 0);
        if ((int)strlen(p->rows[i].shown) > width && !is_idle(p, &p->rows[i])) width = (int)strlen(p->rows[i].shown);
    }
    const unsigned room = cli_width(true);
    if (room <= 100 && width > NAMES_MAX) width = NAMES_MAX;
    const unsigned used = (unsigned)width + NUMBERS, left = room > used ? room - used : 0;
    printf("%-*s %11s %7s %6s %6s %6s %6s\n", width, "policy", "cycles", "speedup", "energy", "EDP", "L1 hit", "AML");
    for (size_t i = 0; i < p->n_rows; i++)
        if (!is_idle(p, &p->rows[i])) print_row(p, &p->rows[i], width, most, left < BARS_MAX ? left : BARS_MAX);
    print_others(p);
}

/* Its own figures, and energy over the baseline's with what the sources leave open. */
static void add_energy(json_t *row, const struct energy *e, const struct energy *base)
{
    const struct energy_range ratio = energy_ratio(e, base);
    json_object_set_new(row, "time_us", json_real(e->time_us));
    json_object_set_new(row, "energy_j", json_real(e->total.value));
    json_object_set_new(row, "energy_low_j", json_real(e->total.low));
    json_object_set_new(row, "energy_high_j", json_real(e->total.high));
    json_object_set_new(row, "edp", json_real(e->total.value * e->time_us * 1e-6));
    json_object_set_new(row, "energy_ratio",
                        json_pack("{s:f,s:f,s:f}", "value", ratio.value, "low", ratio.low, "high", ratio.high));
}

static json_t *rows_json(const struct policies *p)
{
    json_t *list = json_array();
    const double base = value(&p->rows[0], "core_cycles");
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct policy_row *r = &p->rows[i];
        json_t *row = json_pack("{s:s}", "mech", r->text);
        if (!r->total) {
            json_object_set_new(row, "error", json_string(r->err.text));
        } else {
            static const char *const figures[] = {"core_cycles",  "warp_insts", "ipc",
                                                  "l1d_hit_rate", "aml_cycles", "dram_reads"};
            json_object_set_new(row, "speedup", json_real(base / value(r, "core_cycles")));
            for (size_t f = 0; f < COUNT_OF(figures); f++)
                json_object_set_new(row, figures[f], json_real(value(r, figures[f])));
            add_energy(row, &r->energy, &p->rows[0].energy);
        }
        json_array_append_new(list, row);
    }
    return list;
}

static int print_all(const struct policies *p, struct error *err)
{
    size_t failed = 0;
    for (size_t i = 0; i < p->n_rows; i++) failed += !p->rows[i].total;
    if (p->options->json) {
        json_t *out = lab_json(), *skipped = json_array();
        for (size_t i = 0; i < mech_count() && p->options->mech.n == 0; i++) {
            const char *why = why_left_out(mech_at(i));
            if (why) json_array_append_new(skipped, json_pack("{s:s,s:s}", "mech", mech_name(mech_at(i)), "why", why));
        }
        json_object_set_new(out, "kernel", json_string(p->launches.items[0].workload->name));
        json_object_set_new(out, "launches", json_integer((json_int_t)p->launches.n));
        json_object_set_new(out, "policies", rows_json(p));
        json_object_set_new(out, "left_out", skipped);
        if (p->map) json_object_set_new(out, "map", tuple_map_json(p->map, p->n_map, p->W));
        if (cli_print_json(out, err) < 0) return -1;
    } else {
        char name[200];
        printf("%s, %zu launch%s, %u warps a scheduler\n",
               kernel_shown(p->launches.items[0].workload->name, name, sizeof name), p->launches.n,
               p->launches.n == 1 ? "" : "es", (unsigned)p->W);
        print_table(p);
        if (p->map) putchar('\n'), tuple_map_print(p->map, p->n_map, p->W, (struct warp_tuple){0, 0}, stdout);
    }
    return failed ? 1 : 0;
}

/* ---- the command ---- */

static int find_launches(struct policies *p, const struct cli *cli, const struct texts *arguments, struct error *err)
{
    const struct policies_options *o = p->options;
    const struct texts none = {.n = 0}, traces = {.items = {o->trace}, .n = o->trace ? 1 : 0};
    if (!o->kernel + !o->trace + !o->program != 2)
        return error_set(err, ERR_USAGE, "poise policies needs one of --kernel NAME, --trace FILE and --program FILE");
    if (o->cap && o->launch)
        return error_set(err, ERR_USAGE, "--cap counts over a program's launches: it goes without --launch");
    const struct kernel_choice choice = {&none, &traces, o->program, arguments, NULL};
    const int result = o->kernel
                           ? sim_launches(&p->launches, &p->registry, cli, o->kernel, o->size, o->input, o->launch, err)
                           : cli_launches(&p->launches, &p->registry, cli, &choice, err);
    if (result == 0) launches_cap(&p->launches, o->cap);
    return result;
}

static int find_warps(struct policies *p, struct error *err)
{
    struct store_plan *plans = calloc(p->launches.n, sizeof *plans);
    if (!plans) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", p->launches.n);
    const int result = runner_survey(p->runner, p->launches.items, p->launches.n, p->params, plans, err);
    for (size_t i = 0; i < p->launches.n && result == 0; i++)
        if (plans[i].warps_per_scheduler > p->W) p->W = plans[i].warps_per_scheduler;
    free(plans);
    return result;
}

static int prepare(struct policies *p, const struct cli *cli, const struct texts *arguments, struct error *err)
{
    const struct policies_options *o = p->options;
    struct runner_options options;
    cli_runner_options(cli, &options, o->threads);
    if (check_mechs(&o->mech, err) < 0 || (o->model && model_mech(p->model, sizeof p->model, o->model, err) < 0) ||
        sim_config(&p->params, cli, o->config, &o->set, err) < 0 || find_launches(p, cli, arguments, err) < 0)
        return -1;
    if (cli_open_store(&p->store, o->store ? o->store : "results/policies.sqlite", err) < 0 ||
        runner_new(&p->runner, p->store, &options, err) < 0)
        return -1;
    return find_warps(p, err);
}

static int check_sample(struct sample_options *out, const struct policies_options *o, struct error *err)
{
    if (sample_options_parse(out, o->sample, err) < 0) return -1;
    out->carry = o->carry_l2;
    if (o->mech.n == 0 || o->map)
        return error_set(err, ERR_USAGE, "--sample compares the policies that --mech names, and goes without --map");
    for (size_t k = 0; k < o->mech.n; k++)
        if (strstr(o->mech.items[k], "@swl"))
            return error_set(err, ERR_USAGE, "--mech '%s': --sample does not look for SWL's limit", o->mech.items[k]);
    return 0;
}

/* gto, and the policies named. */
static int run_sample(struct policies *p, struct error *err)
{
    const struct texts *mechs = &p->options->mech;
    const char *names[POLICIES_MAX] = {"gto"};
    const size_t n = p->launches.n, n_policies = mechs->n + 1;
    struct sample_options sample;
    if (check_sample(&sample, p->options, err) < 0) return -1;
    for (size_t k = 0; k < mechs->n; k++) names[k + 1] = mechs->items[k];
    struct run_job *jobs = calloc(n * n_policies + 1, sizeof *jobs);
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu policies", n_policies);
    for (size_t i = 0; i < n * n_policies && result == 0; i++) {
        jobs[i].launch = &p->launches.items[i % n];
        jobs[i].params = p->params;
        result = parse_stack(&jobs[i], names[i / n], err);
    }
    if (result == 0)
        result = policies_sample(p->runner, &p->launches, p->params, jobs, names, n_policies, &sample, p->options->json,
                                 err);
    for (size_t i = 0; jobs && i < n * n_policies; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    struct policies *p = calloc(1, sizeof *p);
    struct error later;
    if (!p) return error_set(err, ERR_MEMORY, "out of memory for policies");
    p->options = options;
    int result = cli_check_arguments("policies", p->options->program, arguments, err);
    struct sample_options sample;
    if (result == 0 && p->options->sample) result = check_sample(&sample, p->options, err);
    if (result == 0) result = prepare(p, cli, arguments, err);
    const bool is_sampled = p->options->sample != NULL;
    if (result == 0) result = is_sampled ? run_sample(p, err) : run_all(p, cli, err);
    if (result == 0 && p->options->mech.n == 0) {
        char path[800];
        json_decref(cli_warn_of_training(
            model_path(p, cli, p->options->model && model_mech_is_learned(p->model), path, sizeof path), &p->launches));
    }
    if (result == 0 && !is_sampled) result = print_all(p, err);
    runner_free(p->runner);
    if (store_close(p->store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; i < p->n_rows; i++) free(p->rows[i].total);
    free(p->map);
    launches_fini(&p->launches);
    registry_fini(&p->registry);
    gpu_params_free(p->params);
    free(p);
    return result;
}

const struct command command_policies = {
    "policies",
    "compare every policy on one kernel: a table with bars, and a map of warp tuples",
    "(--kernel NAME | --trace FILE | --program FILE) [--mech M]... [--map] [-- ARGS OF THE PROGRAM]",
    "Example: poise policies --kernel mvt --map\n"
    "Without --mech: gto, SWL with its best limit, PCAL from there, and every other mechanism with its defaults. "
    "Cycles are sums over\n"
    "launches. Runs that the store has are not simulated again.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct policies_options),
    run};
