/* The table that a choice is learned from. Internal to the program. */
#ifndef POISE_CHOICE_TABLE_H
#define POISE_CHOICE_TABLE_H
#include "poise/choice_study.h"

/* What the spec's lengths, window and trial, are to these launches: an error where one executes nothing in them, a note
 * where launches end before them. */
int choice_table_check(const struct choice_study *study, const struct launches *launches, const struct run_job *jobs,
                       FILE *notes, struct error *err);
/* A row a launch: names, part, cycles of the baseline, columns, gains. `jobs` are those of choice_study_jobs(), run. */
int choice_table_write(const struct choice_study *study, const struct launches *launches, const struct run_job *jobs,
                       const char *path, const volatile sig_atomic_t *stop, struct error *err);
#endif
