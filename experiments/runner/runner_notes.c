#include "runner/runner_notes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/kernel_name.h"
#include "poise/lab.h"
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

/* What comes after a warm-up that the run does not outlive needs no further word. */
static void add_run(struct run_notes *notes, const struct run_job *job, const struct length *length, const char *label)
{
    const uint64_t warmup = job->n_stack ? job->limits.warmup_cycles : 0, cycles = length->of[WAIT_CYCLES];
    struct length left = *length;
    if (compare(notes, "warm-up", warmup, WAIT_CYCLES, cycles, label)) return;
    left.of[WAIT_CYCLES] -= warmup;
    for (unsigned k = 0; k < job->n_stack; k++) {
        struct mech_wait waits[MECH_WAITS_MAX];
        const size_t n = mech_waits(&job->stack[k], waits);
        for (size_t i = 0; i < n; i++) {
            char what[96];
            snprintf(what, sizeof what, "%s: %s", mech_name(job->stack[k].type), waits[i].what);
            compare(notes, what, waits[i].n, waits[i].unit, left.of[waits[i].unit], label);
        }
    }
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
        if (!has_length(&jobs[i])) continue;
        add_length(&length, &jobs[i].result);
        add_run(notes, &jobs[i], &length, jobs[i].launch->label);
    }
}

void run_notes_add_program(struct run_notes *notes, const struct run_job *jobs, size_t n)
{
    struct length length = {{0}};
    for (size_t i = 0; i < n; i++)
        if (has_length(&jobs[i])) add_length(&length, &jobs[i].result);
    if (n) add_old_names(notes, &jobs[0]);
    if (n && has_length(&jobs[0])) add_run(notes, &jobs[0], &length, jobs[0].launch->label);
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

void run_notes_print(const struct run_notes *notes, FILE *out)
{
    char text[512], shown[1024];
    for (size_t i = 0; i < notes->n_renamed; i++) lab_note_old(out, notes->called[i], mech_name(notes->renamed[i]));
    for (size_t i = 0; i < notes->n && out; i++) {
        if (!notes->items[i].shorter) continue;
        tell(&notes->items[i], text, sizeof text);
        fprintf(out, "poise: note: %s\n", kernel_shown(text, shown, sizeof shown));
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
    *notes = (struct run_notes){0};
}
