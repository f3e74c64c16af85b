#include "cli/choice_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"
#include "cli/choice_data.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/say.h"

static int columns_of_launch(double x[N_CHOICE_COLUMNS], const struct choice_study *s, const struct run_job *jobs,
                             struct error *err)
{
    const struct run_job *window = &jobs[CHOICE_WINDOW];
    const struct gpu_params *machine = choice_study_machine(s);
    if (window->result.err.code != ERR_NONE || jobs[CHOICE_BASELINE].result.err.code != ERR_NONE) {
        *err = window->result.err.code != ERR_NONE ? window->result.err : jobs[CHOICE_BASELINE].result.err;
        return error_while(err, "%s under the baseline", window->launch->label);
    }
    if (choice_columns_before(x, window->launch, machine, err) < 0)
        return error_while(err, "the quick model of %s", window->launch->label);
    choice_columns_after(x, window->result.stats, gpu_launch_machine(machine).sms);
    return 0;
}

static void print_row(FILE *out, const struct choice_study *s, const struct run_job *jobs, bool is_sealed,
                      const double *x)
{
    const struct launch *l = jobs[0].launch;
    struct measure base;
    measure_stats(&base, jobs[CHOICE_BASELINE].result.stats);
    csv_print(out, l->label);
    csv_next(out, l->workload ? l->workload->name : l->label);
    csv_next(out, l->workload ? workload_family(l->workload) : l->label);
    fprintf(out, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, is_sealed ? "sealed" : "training", base.cycles,
            jobs[CHOICE_WINDOW].limits.max_cycles, jobs[choice_study_each(s) - 1].limits.max_cycles);
    for (size_t j = 0; j < N_CHOICE_COLUMNS; j++) fprintf(out, ",%.4g", x[j]);
    for (size_t p = 0; p < choice_study_n(s); p++) {
        const double trial = choice_study_trial(s, jobs, p);
        fprintf(out, ",%.3f", choice_trial_value(trial));
    }
    for (size_t p = 0; p < choice_study_n(s); p++) {
        const double gain = choice_study_gain(jobs, p);
        if (isfinite(gain)) fprintf(out, ",%.3f", gain);
        else fputc(',', out);
    }
    fputc('\n', out);
}

/* One length of the spec, `key`, which is of the at-th run of each launch: long enough that all launches execute
 * something in it, and what is told where launches end before it, as their columns know the outcome. */
static int check_length(const char *key, size_t at, const struct choice_study *s, const struct launches *launches,
                        const struct run_job *jobs, FILE *notes, struct error *err)
{
    const size_t each = choice_study_each(s);
    const uint64_t lasts = jobs[at].limits.max_cycles;
    size_t shorter = 0, first = 0;
    for (size_t i = 0; i < launches->n; i++) {
        const struct run_job *base = &jobs[i * each + CHOICE_BASELINE], *run = &jobs[i * each + at];
        struct measure begun, whole;
        if (run->result.err.code != ERR_NONE || base->result.err.code != ERR_NONE) continue;
        measure_stats(&begun, run->result.stats);
        measure_stats(&whole, base->result.stats);
        if (begun.warp_insts == 0)
            return error_set(err, ERR_INPUT, "%s: %" PRIu64 " core cycles are too few: %s executes nothing in them",
                             key, lasts, base->launch->label);
        if (whole.cycles <= lasts && !shorter++) first = i;
    }
    if (shorter)
        say_note(notes,
                 "%s lasts %" PRIu64 " core cycles, and %zu of %zu launches are not longer (the first, %s): its "
                 "columns show their ends, not their beginnings",
                 key, lasts, shorter, launches->n, launches->items[first].label);
    return 0;
}

int choice_table_check(const struct choice_study *s, const struct launches *launches, const struct run_job *jobs,
                       FILE *notes, struct error *err)
{
    return check_length("window", CHOICE_WINDOW, s, launches, jobs, notes, err) < 0
               ? -1
               : check_length("trial", choice_study_each(s) - 1 - choice_study_n(s), s, launches, jobs, notes, err);
}

int choice_table_write(const struct choice_study *s, const struct launches *launches, const struct run_job *jobs,
                       const char *path, const volatile sig_atomic_t *stop, struct error *err)
{
    const size_t each = choice_study_each(s);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool *is_sealed = calloc(launches->n + 1, sizeof *is_sealed);
    int failed = out && is_sealed ? choice_study_seal(s, launches, is_sealed, err)
                                  : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (!failed) {
        fprintf(out, "launch,program,family,part,cycles,window,trial");
        for (size_t j = 0; j < N_CHOICE_COLUMNS; j++) fprintf(out, ",%s", choice_column_names[j]);
        for (size_t p = 0; p < choice_study_n(s); p++)
            fprintf(out, ",%s%.*s", CHOICE_TRIAL, choice_name_bytes(choice_study_policy(s, p)),
                    choice_study_policy(s, p));
        for (size_t p = 0; p < choice_study_n(s); p++) {
            char name[CHOICE_TEXT_MAX + sizeof CHOICE_GAIN];
            snprintf(name, sizeof name, "%s%s", CHOICE_GAIN, choice_study_policy(s, p));
            csv_next(out, name);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < launches->n && !failed; i++) {
        double x[N_CHOICE_COLUMNS];
        if (stop && *stop) failed = error_set(err, ERR_INTERRUPTED, "interrupted: %zu launches were done", i);
        if (!failed) failed = columns_of_launch(x, s, jobs + i * each, err);
        if (!failed) print_row(out, s, jobs + i * each, is_sealed[i], x);
    }
    free(is_sealed);
    if (!failed) return file_write_stream(path, out, &text, &size, err);
    if (out) fclose(out);
    free(text);
    return -1;
}
