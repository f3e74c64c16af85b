/* What a sweep of many runs on many nodes would take: a simulation of the scheduling, from run times that a store
 * measured. The same store gives the same figures. */
#ifndef POISE_SCALING_H
#define POISE_SCALING_H
#include "poise/store.h"

struct scaling_input {
    const double *seconds;   /* of each measured run, in the order of the store's keys */
    const double *estimates; /* what the runner would have guessed for it: longest first follows these */
    size_t n;
    size_t runs, nodes, threads; /* of the sweep: each is one of the measured runs, drawn by its number */
    double factor;               /* every run takes so many times as long */
    double run_cost_s;           /* of rank 0, for a run's messages and its row */
    double latency_s;            /* one way, with the pauses of those who poll */
};
struct scaling_result {
    double ideal_s;           /* all threads busy until the end */
    double makespan_s;        /* runs given out one by one by rank 0 */
    double shards_s;          /* every node takes every nodes-th run, as a job array does */
    double coordinator_share; /* of the makespan, that rank 0 is busy */
    double messages_hz;       /* at rank 0, in the mean */
    double first_idle_s;      /* the first thread that finds nothing more to do */
};
int scaling_simulate(struct scaling_result *out, const struct scaling_input *in, struct error *err);
struct scaling_shape {
    size_t runs, nodes, threads;
    double run_cost_us; /* 0: what the store measured */
};
/* Reads a store's times, prints the figures for factors 1, 10, 100 and 1000 as Markdown to `out` (may be NULL), and
 * adds them to `json`. */
int scaling_report(struct store *store, const struct scaling_shape *shape, FILE *out, struct json_t *json,
                   struct error *err);
#endif
