#include "studies/repro/repro_internal.h"

#include <stdlib.h>
#include <string.h>
#include "studies/sweep/warp_limit.h"

static bool asks_for_limits(const struct repro_spec *spec)
{
    for (size_t p = 0; p < spec->n_points; p++)
        for (unsigned k = 0; k < spec->n_stacks[p]; k++)
            if (spec->limit_keys[p][k][0]) return true;
    return false;
}

int repro_refuse_keys(const struct repro_spec *spec, const char *study, struct error *err)
{
    if (*spec->sample)
        return error_set(err, ERR_USAGE,
                         "%s: %s: this study computes something of its own and estimates nothing: leave out sample",
                         study, spec->name);
    if (!asks_for_limits(spec)) return 0;
    return error_set(err, ERR_USAGE,
                     "%s: %s: @swl is found only for launches that run one by one: write the warp limit, as in swl,N=4",
                     study, spec->name);
}

/* Launches of one benchmark are one program's: a rule looks at them together. */
static int mark_all(struct launch *out, const struct launches *launches, const char *marking, const char *store,
                    struct error *err)
{
    const struct launch **from = calloc(launches->n + 1, sizeof *from);
    const char *slash = strrchr(marking, '/'), *name = slash ? slash + 1 : marking;
    int result = from ? 0 : error_set(err, ERR_MEMORY, "out of memory for a marking");
    for (size_t i = 0, to; i < launches->n && result == 0; i = to) {
        char dir[600], whose[160];
        for (to = i; to < launches->n && is_same_benchmark(&launches->items[i], &launches->items[to]); to++)
            from[to - i] = &launches->items[to];
        const struct launch *first = &launches->items[i];
        snprintf(whose, sizeof whose, "%.60s-%d-%s-%zu", first->workload->name, (int)first->input,
                 workload_sizes[first->size], to - i);
        for (char *at = whose; *at; at++)
            if (*at == '/') *at = '-'; /* of a suite */
        repro_path_beside(dir, sizeof dir, store, "marked", whose, name, "");
        result = repro_mark_launches(&out[i], from, to - i, marking, dir, err);
    }
    free(from);
    return result;
}

static int add_marking(struct repro_prepared *out, const char *marking, const struct launches *launches,
                       const char *store, struct error *err)
{
    for (size_t i = 0; i < out->n_marked; i++)
        if (strcmp(out->marked[i].marking, marking) == 0) return 0;
    if (out->n_marked == REPRO_MARKINGS_MAX)
        return error_set(err, ERR_INPUT, "a study of more than %d markings", REPRO_MARKINGS_MAX);
    struct launch *marked = calloc(launches->n + 1, sizeof *marked);
    if (!marked) return error_set(err, ERR_MEMORY, "out of memory for a marking");
    out->marked[out->n_marked].marking = marking;
    out->marked[out->n_marked++].launches = marked;
    return mark_all(marked, launches, marking, store, err);
}

int repro_prepare(struct repro_prepared *out, const struct repro_spec *spec, const struct launches *launches,
                  struct runner *runner, const struct gpu_limits *limits, const char *store, bool marks,
                  struct error *err)
{
    size_t runs = 0;
    *out = (struct repro_prepared){0};
    if (asks_for_limits(spec)) {
        if (!(out->limits = calloc(launches->n + 1, sizeof *out->limits)))
            return error_set(err, ERR_MEMORY, "out of memory for warp limits");
        if (warp_limits_find(out->limits, runner, spec->name, launches, spec->params[0], limits, &runs, err) < 0)
            return -1;
    }
    for (size_t p = 0; p < spec->n_points && marks; p++)
        if (*spec->markings[p] && add_marking(out, spec->markings[p], launches, store, err) < 0) return -1;
    return 0;
}

int repro_prepare_job(const struct repro_prepared *prepared, const struct repro_spec *spec, size_t launch, size_t point,
                      struct run_job *job, struct error *err)
{
    for (size_t i = 0; i < prepared->n_marked && *spec->markings[point]; i++)
        if (strcmp(prepared->marked[i].marking, spec->markings[point]) == 0)
            job->launch = &prepared->marked[i].launches[launch];
    return prepared->limits
               ? warp_limit_set(job->stack, spec->limit_keys[point], job->n_stack, prepared->limits[launch], err)
               : 0;
}

void repro_prepared_fini(struct repro_prepared *prepared)
{
    free(prepared->limits);
    for (size_t i = 0; i < prepared->n_marked; i++) free(prepared->marked[i].launches);
    *prepared = (struct repro_prepared){0};
}
