/* poise sim --check: the program's result in the order of atomics of the runs. Internal to the program. */
#ifndef POISE_SIM_CHECK_H
#define POISE_SIM_CHECK_H
#include "poise/order_check.h"
#include "poise/runner.h"

struct sim_check {
    struct gpu_atomic_order **orders; /* one a job; NULL: nothing is checked */
    size_t n;
    struct order_check found;
};
/* Has each job note its order. The orders live until sim_check_fini. */
int sim_check_begin(struct sim_check *check, struct run_job *jobs, size_t n, struct error *err);
/* After complete runs of all jobs, which are launches of one workload. */
int sim_check_end(struct sim_check *check, const struct lab_paths *paths, const struct run_job *jobs,
                  struct error *err);
void sim_check_fini(struct sim_check *check);
struct json_t *sim_check_json(const struct sim_check *check); /* NULL where nothing is checked */
void sim_check_print(const struct sim_check *check);
#endif
