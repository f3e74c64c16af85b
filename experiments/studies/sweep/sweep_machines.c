/* What a sweep over machines says of them: cycles and time of each under each stack, and its speed over a reference, by
 * time, as clocks may differ. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/sweep.h"

/* By launch, machine and stack; 0 where a run did not come to its end. */
struct cells {
    double *cycles, *times; /* times: microseconds */
    size_t n_launches, n_configs, n_stacks;
};

static size_t cell(const struct cells *c, size_t launch, size_t config, size_t stack)
{
    return (launch * c->n_configs + config) * c->n_stacks + stack;
}

static int cells_init(struct cells *c, const struct sweep *sweep, const struct run_job *jobs, size_t n,
                      struct error *err)
{
    c->n_configs = sweep_n_configs(sweep);
    c->n_stacks = sweep_n_stacks(sweep);
    const size_t each = c->n_configs * c->n_stacks;
    c->n_launches = n ? jobs[n - 1].index / each + 1 : 0;
    c->cycles = calloc(2 * c->n_launches * each + 1, sizeof *c->cycles);
    if (!c->cycles) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    c->times = c->cycles + c->n_launches * each;
    for (size_t i = 0; i < n; i++) {
        const struct run_result *r = &jobs[i].result;
        const struct energy_run of = run_energy(&jobs[i]);
        if (!r->stats || r->err.code != ERR_NONE || !r->complete) continue;
        c->cycles[jobs[i].index] = gpu_stats_value(r->stats, "core_cycles");
        c->times[jobs[i].index] = run_value(&of, r->stats, "time_us");
    }
    return 0;
}

/* A launch counts where every machine and stack came to its end. */
static bool is_whole(const struct cells *c, size_t launch)
{
    for (size_t k = 0; k < c->n_configs * c->n_stacks; k++)
        if (!(c->cycles[launch * c->n_configs * c->n_stacks + k] > 0)) return false;
    return true;
}

static json_t *machine_json(const struct sweep *sweep, const struct cells *c, size_t config, size_t stack)
{
    size_t reference_config, reference_stack, launches = 0;
    double cycles = 0, time = 0, inverse = 0;
    sweep_reference(sweep, &reference_config, &reference_stack);
    for (size_t l = 0; l < c->n_launches; l++) {
        if (!is_whole(c, l)) continue;
        const size_t mine = cell(c, l, config, stack);
        cycles += c->cycles[mine];
        time += c->times[mine];
        inverse += c->times[mine] / c->times[cell(c, l, reference_config, reference_stack)];
        launches++;
    }
    json_t *row = json_pack("{s:s,s:s,s:I,s:f}", "config", sweep_config_text(sweep, config), "mechs",
                            sweep_stack_text(sweep, stack), "launches", (json_int_t)launches, "core_cycles", cycles);
    json_object_set_new(row, "time_us", json_real(time));
    json_object_set_new(row, "speed", launches ? json_real((double)launches / inverse) : json_null());
    return row;
}

int sweep_machines(const struct sweep *sweep, const struct run_job *jobs, size_t n, json_t **out, struct error *err)
{
    struct cells c = {.cycles = NULL};
    size_t config, stack;
    if (cells_init(&c, sweep, jobs, n, err) < 0) return -1;
    json_t *rows = json_array();
    for (size_t v = 0; v < c.n_stacks; v++)
        for (size_t k = 0; k < c.n_configs; k++) json_array_append_new(rows, machine_json(sweep, &c, k, v));
    free(c.cycles);
    sweep_reference(sweep, &config, &stack);
    *out = json_pack("{s:{s:s,s:s},s:o}", "relative_to", "config", sweep_config_text(sweep, config), "mechs",
                     sweep_stack_text(sweep, stack), "rows", rows);
    return *out ? 0 : error_set(err, ERR_MEMORY, "out of memory for a table of machines");
}
