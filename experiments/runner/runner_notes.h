/* What runs were too short for: a warm-up, or a window or period of a mechanism (mech_waits), that lasts longer than
 * the run; and what of their mechanisms did nothing (mech_acts). Collected over a runner's batches, told once. Internal
 * to poise_lab. */
#ifndef POISE_RUNNER_NOTES_H
#define POISE_RUNNER_NOTES_H
#include "poise/runner.h"

/* One of them: the same parameter with the same value counts once, however many runs there are. */
struct run_note {
    char what[96];       /* "warm-up", "poise: T_warmup + T_feature" */
    char first[128];     /* launch of the first run that is shorter, */
    uint64_t lasts, has; /* how long it lasts, and what that run has, in `unit` */
    enum mech_wait_unit unit;
    size_t runs, shorter; /* that have it, and of these those that are shorter */
};
/* A part of a mechanism, and runs in which all that counts what it does is 0. */
struct idle_note {
    char what[96];      /* "bucl: the access level" */
    char counters[128]; /* "bypassed_accesses is 0" */
    char first[128];    /* launch of the first such run */
    size_t runs, idle;  /* that have it, and of these those in which it did nothing */
};
struct run_notes {
    struct run_note *items;
    size_t n;
    struct idle_note *idle;
    size_t n_idle;
    const struct mech_type *renamed[4]; /* mechanisms that a run was given by an old name, */
    const char *called[4];              /* and that name */
    size_t n_renamed;
};
/* Runs with a result; failed ones and those that stopped once they had lost say nothing. */
void run_notes_add(struct run_notes *notes, const struct run_job *jobs, size_t n);
/* The same of one program whose launches follow each other: what mechanisms keep goes on from launch to launch. */
void run_notes_add_program(struct run_notes *notes, const struct run_job *jobs, size_t n);
void run_notes_print(const struct run_notes *notes, FILE *out); /* a line each */
void run_notes_fini(struct run_notes *notes);
#endif
