#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/simulation.h"
#include "poise/workload.h"
#include "synth.h"
#include "trial.h"
#include "where.h"

enum { KERNELS = 4, TRIAL_SECONDS = 100 }; /* of processor time; trials that ended took below one */
struct setup {
    struct gpu_params *params;
    struct trace *traces[KERNELS];
    struct plan *plans[KERNELS];
    struct mech_spec stack[MECH_STACK_MAX];
    unsigned n_kernels, n_stack;
    bool carries, is_watched, is_recorded, forks, is_contract;
    uint64_t hops;
    struct gpu_limits limits;
};

/* ---- a line and its tokens ---- */

void trial_parse(struct trial *out, const char *line)
{
    *out = (struct trial){0};
    for (const char *at = line + strspn(line, " \n"); *at && out->n < TRIAL_TOKENS; at += strspn(at, " \n")) {
        const size_t n = strcspn(at, " \n");
        snprintf(out->tokens[out->n++], TRIAL_TOKEN, "%.*s", (int)n, at);
        at += n;
    }
}

void trial_add(struct trial *t, const char *format, ...)
{
    va_list list;
    if (t->n == TRIAL_TOKENS) return;
    va_start(list, format);
    vsnprintf(t->tokens[t->n++], TRIAL_TOKEN, format, list);
    va_end(list);
}

char *trial_line(const struct trial *t, char line[TRIAL_LINE])
{
    size_t used = 0;
    line[0] = '\0';
    for (size_t i = 0; i < t->n && used < TRIAL_LINE; i++)
        used += (size_t)snprintf(line + used, TRIAL_LINE - used, "%s%s", i ? " " : "", t->tokens[i]);
    return line;
}

/* ---- what it asks for ---- */

static int open_workload(struct trace **out, const char *text, struct error *err)
{
    struct lab_paths paths;
    struct registry registry;
    struct launches launches = {0};
    const struct workload *w;
    char name[64];
    unsigned index;
    if (sscanf(text, "%63[^/]/%u", name, &index) != 2) return error_set(err, ERR_INPUT, "no kernel '%s'", text);
    lab_paths_init(&paths);
    if (registry_load(&registry, paths.kernels, err) < 0) return -1;
    int result = registry_find(&registry, name, &w, err);
    if (result == 0) result = workload_launches(&launches, &paths, w, workload_size("test"), w->inputs[0], err);
    if (result == 0 && index >= launches.n) result = error_set(err, ERR_INPUT, "%s has %zu launches", name, launches.n);
    if (result == 0) result = trace_open(out, launches.items[index].path, NULL, err);
    launches_fini(&launches);
    registry_fini(&registry);
    return result;
}

static int open_kernel(struct trace **out, const char *text, struct error *err)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    char kind[32] = "";
    const int n = sscanf(text, "%31[a-z],%u,%u,%u,%u", kind, &a, &b, &c, &d);
    const bool is_grid = n == 5 && a && b && b <= 32;
    *out = is_grid && !strcmp(kind, "mixture")     ? synth_mixture(a, b, c, d)
           : is_grid && !strcmp(kind, "any")       ? synth_any(a, b, c, d)
           : is_grid && !strcmp(kind, "rows")      ? synth_rows(a, b, c, d)
           : n == 4 && !strcmp(kind, "chase") && c ? synth_chase(a, b, c)
                                                   : NULL;
    return *out ? 0 : open_workload(out, text, err);
}

static int add_mech(struct setup *s, const char *text, struct error *err)
{
    char whole[2 * TRIAL_TOKEN];
    const char *at = strstr(text, "@models");
    if (s->n_stack == MECH_STACK_MAX)
        return error_set(err, ERR_USAGE, "a stack of more than %d mechanisms", MECH_STACK_MAX);
    snprintf(whole, sizeof whole, "%.*s%s%s", at ? (int)(at - text) : (int)strlen(text), text,
             at ? POISE_SOURCE_DIR "/models" : "", at ? at + strlen("@models") : "");
    if (mech_parse(&s->stack[s->n_stack], whole, err) < 0) return -1;
    s->forks |= strcmp(mech_name(s->stack[s->n_stack++].type), "oracle") == 0;
    return 0;
}

static int add_setting(struct setup *s, const char *text, struct error *err)
{
    char name[128];
    const size_t n = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    return text[n] ? gpu_params_set(s->params, name, text + n + 1, err)
                   : error_set(err, ERR_INPUT, "set=%s: GROUP.NAME=VALUE is needed", text);
}

static int add_token(struct setup *s, const char *token, struct error *err)
{
    const char *value = strchr(token, '=');
    const size_t n = value ? (size_t)(value++ - token) : 0;
#define IS(word) (n == strlen(word) && strncmp(token, word, n) == 0)
    if (IS("kernel"))
        return s->n_kernels < KERNELS ? open_kernel(&s->traces[s->n_kernels++], value, err)
                                      : error_set(err, ERR_INPUT, "more than %d kernels", KERNELS);
    if (IS("config")) return gpu_params_load(s->params, value, POISE_SOURCE_DIR "/experiments/configs", err);
    if (IS("set")) return add_setting(s, value, err);
    if (IS("mech")) return add_mech(s, value, err);
    const uint64_t number = value ? strtoull(value, NULL, 10) : 0;
    if (IS("carry")) s->carries = number;
    else if (IS("watch")) s->is_watched = number;
    else if (IS("timeline")) s->is_recorded = number;
    else if (IS("contract")) s->is_contract = number;
    else if (IS("hops")) s->hops = number;
    else if (IS("warmup")) s->limits.warmup_cycles = number;
    else if (IS("max_cycles")) s->limits.max_cycles = number;
    else if (IS("max_insts")) s->limits.max_insts = number;
    else if (IS("early_end")) s->limits.early_end = strtod(value, NULL);
    else return error_set(err, ERR_INPUT, "'%s' is no part of a trial", token);
#undef IS
    return 0;
}

static int set_up(struct setup *s, const struct trial *t, struct error *err)
{
    *s = (struct setup){.params = gpu_params_new()};
    for (size_t i = 0; i < t->n; i++)
        if (add_token(s, t->tokens[i], err) < 0) return -1;
    if (!s->n_kernels) return error_set(err, ERR_INPUT, "a trial needs a kernel");
    s->carries |= s->n_kernels > 1;
    return 0;
}

static int plan_all(struct setup *s, struct error *err)
{
    if (gpu_params_check(s->params, err) < 0) return -1;
    for (unsigned i = 0; i < s->n_kernels; i++)
        if (plan_new(&s->plans[i], s->traces[i], s->params, err) < 0) return -1;
    return 0;
}

static void tear_down(struct setup *s)
{
    for (unsigned i = 0; i < s->n_stack; i++) mech_free(&s->stack[i]);
    for (unsigned i = 0; i < s->n_kernels; i++) {
        plan_free(s->plans[i]);
        if (s->traces[i]) trace_close(s->traces[i]);
    }
    gpu_params_free(s->params);
}

/* ---- one way to run it ---- */

/* What a run gave, as an object; where it failed, of which kind. Takes the result. */
static json_t *told(struct gpu_result *result, int status, const struct error *err)
{
    if (status < 0) return json_pack("{s:s}", "error", error_name(err->code));
    json_t *mechs = json_array();
    for (unsigned i = 0; i < result->n_mechs; i++) json_array_append(mechs, result->mechs[i]);
    json_t *out = json_pack("{s:o,s:o,s:b,s:f,s:f}", "stats", stats_json(&gpu_stat_table, result->stats), "mechs",
                            mechs, "complete", (int)result->complete, "estimate", result->estimate.cycles,
                            "error_of_estimate", result->estimate.error);
    gpu_result_free(result);
    return out;
}

static json_t *run_launches(const struct setup *s, const struct gpu_limits *limits)
{
    json_t *all = json_array();
    struct gpu_carry *carry = s->carries ? gpu_carry_new(s->params) : NULL;
    const unsigned n = s->carries && s->n_kernels == 1 ? 2 : s->n_kernels;
    for (unsigned i = 0; i < n; i++) {
        struct gpu_result result;
        struct error err;
        const int status =
            gpu_run_carry(&result, s->plans[i % s->n_kernels], s->params, s->stack, s->n_stack, limits, carry, &err);
        json_array_append_new(all, told(&result, status, &err));
        if (status < 0) break;
    }
    gpu_carry_free(carry);
    return all;
}

static json_t *run_as(const struct setup *s, bool ticks, const struct snapshot *warm)
{
    struct gpu_limits limits = s->limits;
    limits.no_skip = ticks;
    limits.warm = warm;
    return run_launches(s, &limits);
}

/* On several threads, each turn of which is handed out however small it is. */
static json_t *run_on(const struct setup *s, unsigned cores, bool ticks)
{
    struct gpu_limits limits = s->limits;
    limits.no_skip = ticks;
    limits.cores = cores;
    limits.cores_always = true;
    return run_launches(s, &limits);
}

static json_t *run_seen(const struct setup *s)
{
    struct gpu_watch watch;
    struct gpu_limits limits = s->limits;
    limits.watch = s->is_watched ? &watch : NULL;
    limits.timeline = s->is_recorded ? gpu_timeline_new(500) : NULL;
    json_t *all = run_launches(s, &limits);
    gpu_timeline_free(limits.timeline);
    return all;
}

/* The end of the warm-up by a run of either kind; NULL where it ends within or cannot begin. */
static struct snapshot *warm_up(const struct setup *s, bool ticks)
{
    struct simulation *sim;
    struct snapshot *copy = NULL;
    struct error ignored;
    const struct gpu_limits limits = {.no_skip = ticks};
    if (simulation_new(&sim, s->plans[0], s->params, NULL, 0, &limits, NULL, &ignored) < 0) return NULL;
    if (simulation_run(sim, s->limits.warmup_cycles, &ignored) < 0 || simulation_snapshot(sim, &copy, &ignored) < 0) {
        snapshot_free(copy);
        copy = NULL;
    }
    simulation_free(sim);
    return copy;
}

/* From instance to instance, one of which ticks while the other skips. Whichever of the two fails, `err` has it. */
static int hop(const struct setup *s, struct simulation *sims[2], unsigned *at, struct error *err)
{
    struct snapshot *copy = NULL;
    int status = 0;
    while (status == 0) {
        const uint64_t now = simulation_now(sims[*at]);
        status = simulation_run(sims[*at], now + s->hops, err);
        if (status != 0 || simulation_now(sims[*at]) < now + s->hops) break; /* the end, or a limit */
        if (simulation_snapshot(sims[*at], &copy, err) < 0 || simulation_restore(sims[!*at], copy, err) < 0)
            status = -1;
        *at = !*at;
    }
    snapshot_free(copy);
    return status < 0 ? -1 : 0;
}

static json_t *run_hopping(const struct setup *s)
{
    struct simulation *sims[2] = {NULL, NULL};
    struct gpu_result result;
    struct error err;
    unsigned at = 0;
    int status = 0;
    const bool is_warm = s->limits.warmup_cycles;
    for (unsigned i = 0; i < 2 && status == 0; i++) {
        struct gpu_limits limits = s->limits;
        limits.no_skip = i;
        status = simulation_new(&sims[i], s->plans[0], s->params, is_warm ? NULL : s->stack, is_warm ? 0 : s->n_stack,
                                &limits, NULL, &err);
    }
    if (status == 0 && is_warm && simulation_run(sims[0], s->limits.warmup_cycles, &err) < 0) status = -1;
    if (status == 0 && is_warm) status = simulation_switch(sims[0], s->stack, s->n_stack, &err);
    if (status == 0) status = hop(s, sims, &at, &err);
    if (status == 0) status = simulation_end(sims[at], &result, &err);
    json_t *all = json_pack("[o]", told(&result, status, &err));
    simulation_free(sims[0]);
    simulation_free(sims[1]);
    return all;
}

/* ---- held against each other ---- */

/* Where the second object is other than the first: the way to it, and both values. */
static bool find_difference(const json_t *a, const json_t *b, char *why, size_t size)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_equal(a, b)) return false;
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        json_array_foreach(a, i, value)
            if (find_difference(value, json_array_get(b, i), why, size)) return true;
    }
    if (json_is_object(a) && json_is_object(b)) {
        json_object_foreach((json_t *)(uintptr_t)a, key, value) {
            char below[200];
            if (!find_difference(value, json_object_get(b, key), below, sizeof below)) continue;
            snprintf(why, size, "%s %s", key, below);
            return true;
        }
    }
    char *from = json_dumps(a, JSON_COMPACT | JSON_ENCODE_ANY), *to = json_dumps(b, JSON_COMPACT | JSON_ENCODE_ANY);
    snprintf(why, size, "is %.60s, not %.60s", to ? to : "missing", from ? from : "missing");
    free(from);
    free(to);
    return true;
}

/* Takes `other`. True if the two are the same. */
static bool check(const json_t *ticking, json_t *other, const char *what, char *why, size_t size)
{
    char below[300];
    const bool differs = find_difference(ticking, other, below, sizeof below);
    if (differs) snprintf(why, size, "%s: %s", what, below);
    json_decref(other);
    return !differs;
}

static bool check_warm(const struct setup *s, const json_t *ticking, char *why, size_t size)
{
    static const char *const what[2][2] = {
        {"a run that skips, warmed up skipping", "a run that skips, warmed up ticking"},
        {"a run that ticks, warmed up skipping", "a run that ticks, warmed up ticking"}};
    bool is_same = true;
    for (int from = 0; from < 2 && is_same; from++) {
        struct snapshot *warm = warm_up(s, from);
        for (int to = 0; to < 2 && is_same && warm; to++)
            is_same = check(ticking, run_as(s, to, warm), what[to][from], why, size);
        snapshot_free(warm);
    }
    return is_same;
}

/* One of them a trial: more threads than processors take long. */
static bool check_cores(const struct setup *s, const json_t *ticking, char *why, size_t size)
{
    const bool ticks = s->limits.max_cycles % 2;
    return check(ticking, run_on(s, ticks ? 3 : 2, ticks),
                 ticks ? "a run that ticks on 3 threads" : "a run that skips on 2 threads", why, size);
}

static bool check_all(const struct setup *s, const json_t *ticking, char *why, size_t size)
{
    const bool can_hop = s->hops && !s->carries && !s->forks && s->limits.early_end <= 0;
    if (!check(ticking, run_as(s, false, NULL), "a run that skips", why, size)) return false;
    if (!check_cores(s, ticking, why, size)) return false;
    if (s->limits.warmup_cycles && !s->carries && !check_warm(s, ticking, why, size)) return false;
    if (can_hop && !check(ticking, run_hopping(s), "a run that hops", why, size)) return false;
    const bool can_be_seen = (s->is_watched || s->is_recorded) && !s->limits.warmup_cycles;
    return !can_be_seen ||
           check(ticking, run_seen(s), s->is_watched ? "a run that is watched" : "a run that is recorded", why, size);
}

static double counter(const json_t *launch, const char *name)
{
    return (double)json_integer_value(json_object_get(json_object_get(launch, "stats"), name));
}

/* What must hold of a stack that a machine takes, however odd both are: it runs, and loses no request. */
static bool keeps_contract(const json_t *launches, char *why, size_t size)
{
    const json_t *launch;
    size_t i;
    json_array_foreach(launches, i, launch) {
        const char *error = json_string_value(json_object_get(launch, "error"));
        if (error && strcmp(error, error_name(ERR_USAGE)) != 0 && strcmp(error, error_name(ERR_INPUT)) != 0) {
            snprintf(why, size, "a run ends with %s", error);
            return false;
        }
        if (!json_is_true(json_object_get(launch, "complete"))) continue;
        const double loads = counter(launch, "line_requests") - counter(launch, "l1d_stores") -
                             counter(launch, "l1d_atomics") - counter(launch, "l1d_local_stores_kept");
        const double ways = counter(launch, "l1d_load_hits") + counter(launch, "l1d_mshr_merges") +
                            counter(launch, "l1d_misses") + counter(launch, "l1d_bypassed");
        if (loads == ways) continue;
        snprintf(why, size, "%.0f line requests of loads, of which %.0f went a way", loads, ways);
        return false;
    }
    return true;
}

enum verdict trial_run(const struct trial *t, char *why, size_t size)
{
    struct setup s;
    struct error err;
    enum verdict verdict = TRIAL_BROKEN;
    const int ready = set_up(&s, t, &err), planned = ready == 0 ? plan_all(&s, &err) : -1;
    if (planned == 0) {
        json_t *ticking = run_as(&s, true, NULL);
        const json_t *refused = json_object_get(json_array_get(ticking, 0), "error");
        const bool holds = check_all(&s, ticking, why, size) && (!s.is_contract || keeps_contract(ticking, why, size));
        verdict = !holds ? TRIAL_DIFFERS : refused ? TRIAL_REFUSED : TRIAL_SAME;
        if (verdict == TRIAL_REFUSED) snprintf(why, size, "error %s", json_string_value(refused));
        json_decref(ticking);
    } else {
        verdict = ready == 0 ? TRIAL_REFUSED : TRIAL_BROKEN; /* no machine, or the launch fits none of its SMs */
        snprintf(why, size, "%s", err.text);
    }
    tear_down(&s);
    return verdict;
}

enum verdict trial_run_apart(const struct trial *t, char *why, size_t size)
{
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends) < 0) abort();
    const pid_t child = fork();
    if (child == 0) {
        char mine[1024] = "";
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {TRIAL_SECONDS, 0}}, NULL);
        const enum verdict verdict = trial_run(t, mine, sizeof mine);
        if (write(ends[1], mine, strlen(mine)) < 0) _exit(TRIAL_BROKEN);
        _exit((int)verdict);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], why, size - 1);
    why[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    if (WIFEXITED(status) && WEXITSTATUS(status) <= TRIAL_BROKEN) return (enum verdict)WEXITSTATUS(status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) snprintf(why, size, "no end within %d s", TRIAL_SECONDS);
    else snprintf(why, size, "the run crashed (wait status %d)", status);
    return TRIAL_DIFFERS;
}
