#include "cli/sim_check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

int sim_check_begin(struct sim_check *check, struct run_job *jobs, size_t n, struct error *err)
{
    *check = (struct sim_check){.orders = calloc(n + 1, sizeof *check->orders), .n = n};
    bool is_out = !check->orders;
    for (size_t i = 0; i < n && !is_out; i++)
        is_out = !(jobs[i].limits.atomics = check->orders[i] = gpu_atomic_order_new());
    return is_out ? error_set(err, ERR_MEMORY, "out of memory for the order of atomics") : 0;
}

int sim_check_end(struct sim_check *check, const struct lab_paths *paths, const struct run_job *jobs, struct error *err)
{
    const struct launch **launches = calloc(check->n + 1, sizeof *launches);
    int result = launches ? 0 : error_set(err, ERR_MEMORY, "out of memory for the order of atomics");
    for (size_t i = 0; i < check->n && result == 0; i++) {
        const double performed = gpu_stats_value(jobs[i].result.stats, "l1d_atomics");
        const uint64_t noted = gpu_atomic_order_n(check->orders[i]);
        launches[i] = jobs[i].launch;
        if (!jobs[i].result.complete)
            result = error_set(err, ERR_USAGE,
                               "--check: %s did not come to its end, so that the order of its atomics is not known",
                               launches[i]->label);
        else if ((double)noted != performed) /* a run in a process of its own would keep its notes to itself */
            result = error_set(err, ERR_RUN, "--check: %s performed %.0f atomics and noted %" PRIu64,
                               launches[i]->label, performed, noted);
    }
    if (result == 0)
        result = order_check(&check->found, paths, launches, (const struct gpu_atomic_order *const *)check->orders,
                             check->n, err);
    free(launches);
    return result;
}

void sim_check_fini(struct sim_check *check)
{
    for (size_t i = 0; i < check->n && check->orders; i++) gpu_atomic_order_free(check->orders[i]);
    free(check->orders);
    *check = (struct sim_check){0};
}

struct json_t *sim_check_json(const struct sim_check *check)
{
    const struct order_check *c = &check->found;
    if (!check->orders) return NULL;
    json_t *out =
        json_pack("{s:b,s:I,s:I,s:I,s:I}", "result_holds", c->holds, "atomics", (json_int_t)c->atomics, "in_order",
                  (json_int_t)c->in_order, "left_out", (json_int_t)c->left_out, "beyond", (json_int_t)c->beyond);
    if (*c->said) json_object_set_new(out, "said", json_string(c->said));
    return out;
}

void sim_check_print(const struct sim_check *check)
{
    const struct order_check *c = &check->found;
    if (!check->orders) return;
    printf("result in the order of this machine's atomics: %s\n", c->holds ? "holds" : "does not hold");
    if (!c->holds) printf("  %s\n", c->said);
    else
        printf("  %" PRIu64 " line accesses by atomics, %" PRIu64 " in their turn, %" PRIu64 " left out, %" PRIu64
               " beyond them\n",
               c->atomics, c->in_order, c->left_out, c->beyond);
}
