/* A study of a paper over measurements of our making: its spec is loaded, every point of every benchmark gets the same
 * counters, and a test sets those that differ. What all tests of studies share. */
#ifndef STUDY_RIG_H
#define STUDY_RIG_H
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include "poise/repro.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"
enum { STUDY_BENCHMARKS_MAX = 8 };
struct study_counter {
    const char *name;
    uint64_t value;
};
struct study_rig {
    struct repro_spec spec;
    struct repro_benchmark benchmarks[STUDY_BENCHMARKS_MAX];
    struct repro_data data;
};
const struct repro_list *studies(void);
const struct repro_study *study_of(const char *id);
/* The study's rows, checks and deviations; a test fails where its file is wrong. */
void study_report(const char *id, const struct repro_data *data, struct repro_report *report);
/* `usual`: n_usual counters of every point; the others are 0, and no mechanism has counted anything. */
void study_begin(struct study_rig *r, const struct repro_study *study, const char *const *names, size_t n,
                 const struct study_counter *usual, size_t n_usual);
/* Every point takes 1000 cycles for 1000 instructions. */
void study_begin_even(struct study_rig *r, const struct repro_study *study, const char *const *names, size_t n);
void study_end(struct study_rig *r);
void set_counter(struct gpu_stats *stats, const char *name, uint64_t value);
/* Of a benchmark at a point of the spec; the second: what a mechanism has counted there. */
void study_set(struct study_rig *r, size_t benchmark, const char *point, const char *counter, uint64_t value);
void study_set_mech(struct study_rig *r, size_t benchmark, const char *point, const char *mech, const char *counter,
                    uint64_t value);
/* The row of a report with this label; whether the statement that contains this text holds. Without them a test
 * fails. */
const struct repro_row *study_row(const struct repro_report *report, const char *label);
bool study_check(const struct repro_report *report, const char *text);
#endif
