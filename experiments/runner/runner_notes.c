#include "runner/runner_notes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/say.h"
#include "runner/runner_internal.h"

enum { NOTES_MAX = 64 };
static const char *const units[N_WAIT_UNITS] = {"core cycles", "thread instructions", "warp instructions"};

/* What a run has of each unit, after its warm-up. */
struct length {
    uint64_t of[N_WAIT_UNITS];
};

static struct run_note *note_of(struct run_notes *notes, const char *what, uint64_t lasts, enum mech_wait_unit unit)
{
    for (size_t i = 0; i < notes->n; i++)
        if (notes->items[i].lasts == lasts && strcmp(notes->items[i].what, what) == 0) return &notes->items[i];
    if (!notes->items && !(notes->items = calloc(NOTES_MAX, sizeof *notes->items))) return NULL;
    if (notes->n == NOTES_MAX) return NULL;
    struct run_note *note = &notes->items[notes->n++];
    *note = (struct run_note){.lasts = lasts, .unit = unit};
    snprintf(note->what, sizeof note->what, "%s", what);
    return note;
}

static uint64_t counter(const json_t *stats, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(stats, name));
}

static bool compare(struct run_notes *notes, const char *what, uint64_t lasts, enum mech_wait_unit unit, uint64_t has,
                    const char *label)
{
    struct run_note *note = lasts ? note_of(notes, what, lasts, unit) : NULL;
    if (!note) return false;
    note->runs++;
    if (lasts < has) return false;
    if (!note->shorter++) {
        note->has = has;
        snprintf(note->first, sizeof note->first, "%s", label);
    }
    return true;
}

static void add_waits(struct run_notes *notes, const struct mech_spec *stack, unsigned n_stack,
                      const struct length *length, const char *label)
{
    for (unsigned k = 0; k < n_stack; k++) {
        struct mech_wait waits[MECH_WAITS_MAX];
        const size_t n = mech_waits(&stack[k], waits);
        for (size_t i = 0; i < n; i++) {
            char what[96];
            snprintf(what, sizeof what, "%s: %s", mech_name(stack[k].type), waits[i].what);
            compare(notes, what, waits[i].n, waits[i].unit, length->of[waits[i].unit], label);
        }
    }
}

/* What comes after a warm-up that the run does not outlive needs no further word. */
static void add_run(struct run_notes *notes, const struct run_job *job, const struct length *length, const char *label)
{
    const uint64_t warmup = job->n_stack ? job->limits.warmup_cycles : 0, cycles = length->of[WAIT_CYCLES];
    struct length left = *length;
    if (compare(notes, "warm-up", warmup, WAIT_CYCLES, cycles, label)) return;
    left.of[WAIT_CYCLES] -= warmup;
    add_waits(notes, job->stack, job->n_stack, &left, label);
}

/* ---- what did nothing ---- */

static void add_idle(struct run_notes *notes, const char *what, const char *counters, bool is_idle, const char *label)
{
    size_t i = 0;
    while (i < notes->n_idle && strcmp(notes->idle[i].what, what) != 0) i++;
    if (!notes->idle && !(notes->idle = calloc(NOTES_MAX, sizeof *notes->idle))) return;
    if (i == NOTES_MAX) return;
    struct idle_note *note = &notes->idle[i];
    if (i == notes->n_idle) {
        *note = (struct idle_note){0};
        snprintf(note->what, sizeof note->what, "%s", what);
        snprintf(note->counters, sizeof note->counters, "%s", counters);
        notes->n_idle++;
    }
    note->runs++;
    if (is_idle && !note->idle++) snprintf(note->first, sizeof note->first, "%s", label);
}

/* A part that the mechanism names. */
static void add_act(struct run_notes *notes, const char *mech, const struct mech_act *act, const json_t *stats,
                    const char *label)
{
    char what[96], counters[128] = "";
    bool is_idle = true;
    size_t n = 0;
    for (size_t c = 0; c < COUNT_OF(act->counters) && act->counters[c]; c++) {
        is_idle &= counter(stats, act->counters[c]) == 0;
        n = strlen(counters);
        snprintf(counters + n, sizeof counters - n, "%s%s", c ? " and " : "", act->counters[c]);
    }
    n = strlen(counters);
    snprintf(counters + n, sizeof counters - n, " %s 0", act->counters[1] ? "are" : "is");
    snprintf(what, sizeof what, "%s: %s", mech, act->what);
    add_idle(notes, what, counters, is_idle, label);
}

/* A mechanism that names none does something where one of its own counters says so. */
static void add_acts(struct run_notes *notes, const struct mech_spec *stack, unsigned n_stack, const json_t *mechs,
                     const char *label)
{
    for (unsigned k = 0; k < n_stack; k++) {
        struct mech_act acts[MECH_ACTS_MAX];
        const struct mech_type *type = stack[k].type;
        const json_t *stats = json_object_get(json_array_get(mechs, k), "stats");
        const size_t n = mech_acts(&stack[k], acts);
        if (!stats) continue;
        for (size_t i = 0; i < n; i++) add_act(notes, mech_name(type), &acts[i], stats, label);
        if (n || mech_stats(type)->n_rows == 0) continue;
        bool is_idle = true;
        for (size_t r = 0; r < mech_stats(type)->n_rows; r++)
            is_idle &= counter(stats, mech_stats(type)->rows[r].name) == 0;
        add_idle(notes, mech_name(type), "every counter of its own is 0", is_idle, label);
    }
}

/* Of two launches side by side each stack has its own launch's length. */
static void add_both(struct run_notes *notes, const struct run_job *job)
{
    const struct gpu_beside *beside = job->limits.beside;
    for (size_t i = 0; i < 2; i++) {
        const json_t *launch = run_result_launch(&job->result, i), *stats = json_object_get(launch, "stats");
        const char *label = (i ? job->beside : job->launch)->label;
        const struct length length = {{[WAIT_CYCLES] = counter(launch, "cycles"),
                                       [WAIT_THREAD_INSTS] = counter(stats, "thread_insts"),
                                       [WAIT_WARP_INSTS] = counter(stats, "warp_insts")}};
        add_waits(notes, i ? beside->stack : job->stack, i ? beside->n_stack : job->n_stack, &length, label);
    }
    add_acts(notes, job->stack, job->n_stack, json_object_get(run_result_launch(&job->result, 0), "mech"),
             job->launch->label);
    add_acts(notes, beside->stack, beside->n_stack, json_object_get(run_result_launch(&job->result, 1), "mech"),
             job->beside->label);
}

static bool has_length(const struct run_job *job)
{
    return job->result.is_done && job->result.err.code == ERR_NONE && job->result.stats && !job->result.is_bounded;
}

static void add_length(struct length *sum, const struct run_result *r)
{
    const double cycles = r->estimate.cycles > 0 ? r->estimate.cycles : gpu_stats_value(r->stats, "core_cycles");
    sum->of[WAIT_CYCLES] += (uint64_t)cycles;
    sum->of[WAIT_THREAD_INSTS] += (uint64_t)gpu_stats_value(r->stats, "thread_insts");
    sum->of[WAIT_WARP_INSTS] += (uint64_t)gpu_stats_value(r->stats, "warp_insts");
}

static void add_old_names(struct run_notes *notes, const struct run_job *job)
{
    for (unsigned k = 0; k < job->n_stack; k++) {
        size_t i = 0;
        if (!job->stack[k].called) continue;
        while (i < notes->n_renamed && notes->renamed[i] != job->stack[k].type) i++;
        if (i < notes->n_renamed || i == COUNT_OF(notes->renamed)) continue;
        notes->renamed[notes->n_renamed] = job->stack[k].type;
        notes->called[notes->n_renamed++] = job->stack[k].called;
    }
}

void run_notes_add(struct run_notes *notes, const struct run_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct length length = {{0}};
        add_old_names(notes, &jobs[i]);
        if (!has_length(&jobs[i]) || jobs[i].limits.phases) continue; /* its mechanisms have a part of it each */
        add_length(&length, &jobs[i].result);
        if (jobs[i].limits.beside) {
            add_both(notes, &jobs[i]);
            continue;
        }
        add_run(notes, &jobs[i], &length, jobs[i].launch->label);
        add_acts(notes, jobs[i].stack, jobs[i].n_stack, jobs[i].result.mechs, jobs[i].launch->label);
    }
}

void run_notes_add_program(struct run_notes *notes, const struct run_job *jobs, size_t n)
{
    struct length length = {{0}};
    for (size_t i = 0; i < n; i++)
        if (has_length(&jobs[i])) add_length(&length, &jobs[i].result);
    if (n) add_old_names(notes, &jobs[0]);
    if (n && has_length(&jobs[0])) add_run(notes, &jobs[0], &length, jobs[0].launch->label);
    for (size_t i = 0; i < n; i++)
        if (has_length(&jobs[i]))
            add_acts(notes, jobs[i].stack, jobs[i].n_stack, jobs[i].result.mechs, jobs[i].launch->label);
}

/* One rule, one sentence. */
static void tell(const struct run_note *note, char *text, size_t size)
{
    char runs[96] = "the run is not longer";
    if (note->runs > 1) snprintf(runs, sizeof runs, "%zu of %zu runs are not longer", note->shorter, note->runs);
    snprintf(text, size, "%s lasts %" PRIu64 " %s, and %s (%s%s: %" PRIu64 "): what comes after it never happens there",
             note->what, note->lasts, units[note->unit], runs, note->shorter > 1 ? "the first, " : "", note->first,
             note->has);
}

static void tell_idle(const struct idle_note *note, char *text, size_t size)
{
    if (note->runs > 1)
        snprintf(text, size, "%s did nothing in %zu of %zu runs (%s%s): %s there", note->what, note->idle, note->runs,
                 note->idle > 1 ? "the first, " : "", note->first, note->counters);
    else snprintf(text, size, "%s did nothing (%s): %s", note->what, note->first, note->counters);
}

static void print_note(char *text, FILE *out)
{
    char shown[1024];
    say_note(out, "%s", kernel_shown(text, shown, sizeof shown));
}

void run_notes_print(const struct run_notes *notes, FILE *out)
{
    char text[512];
    for (size_t i = 0; i < notes->n_renamed; i++) lab_note_old(out, notes->called[i], mech_name(notes->renamed[i]));
    for (size_t i = 0; i < notes->n && out; i++) {
        if (!notes->items[i].shorter) continue;
        tell(&notes->items[i], text, sizeof text);
        print_note(text, out);
    }
    for (size_t i = 0; i < notes->n_idle && out; i++) {
        if (!notes->idle[i].idle) continue;
        tell_idle(&notes->idle[i], text, sizeof text);
        print_note(text, out);
    }
}

struct json_t *runner_notes(const struct runner *runner)
{
    json_t *list = json_array();
    char text[512];
    for (size_t i = 0; i < runner->notes.n; i++) {
        const struct run_note *note = &runner->notes.items[i];
        if (!note->shorter) continue;
        tell(note, text, sizeof text);
        json_array_append_new(list, json_pack("{s:s,s:I,s:s,s:I,s:I,s:s,s:I,s:s}", "what", note->what, "lasts",
                                              (json_int_t)note->lasts, "unit", units[note->unit], "runs",
                                              (json_int_t)note->runs, "shorter", (json_int_t)note->shorter, "first",
                                              note->first, "first_has", (json_int_t)note->has, "text", text));
    }
    for (size_t i = 0; i < runner->notes.n_idle; i++) {
        const struct idle_note *note = &runner->notes.idle[i];
        if (!note->idle) continue;
        tell_idle(note, text, sizeof text);
        json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:I,s:s,s:s}", "what", note->what, "counters",
                                              note->counters, "runs", (json_int_t)note->runs, "idle",
                                              (json_int_t)note->idle, "first", note->first, "text", text));
    }
    return list;
}

void runner_note_into(const struct runner *runner, struct json_t *info)
{
    json_t *notes = runner_notes(runner);
    if (json_array_size(notes)) json_object_set(info, "notes", notes);
    json_decref(notes);
}

void run_notes_fini(struct run_notes *notes)
{
    free(notes->items);
    free(notes->idle);
    *notes = (struct run_notes){0};
}
