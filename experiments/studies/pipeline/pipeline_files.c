/* What every stage uses and what needs no simulator: files of the output folder, maps of parameters in specs, and
 * look-ups in measured profiles. */
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/file.h"
#include "poise/regret.h"

const char *pipeline_path(const struct pipeline *p, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", p->options->out_dir, name);
    return path;
}

int pipeline_write_json(const struct pipeline *p, const char *name, json_t *json, struct error *err)
{
    char path[1200], *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL, *line = NULL;
    int result =
        text && asprintf(&line, "%s\n", text) >= 0 ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", name);
    if (result == 0) {
        result = file_write(pipeline_path(p, name, path, sizeof path), line, strlen(line), err);
        free(line);
    }
    free(text);
    json_decref(json);
    return result;
}

int pipeline_read_set(char (*set)[2][64], size_t max, size_t *n, const struct yaml_file *file,
                      const struct yaml_node *map, struct error *err)
{
    if (!map) return 0;
    if (map->kind != YAML_MAP)
        return yaml_error(file, map, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    if (map->n > max) return yaml_error(file, map, err, "at most %zu parameters", max);
    for (size_t i = 0; i < map->n; i++) {
        if (map->items[i]->kind != YAML_SCALAR || strlen(map->items[i]->text) >= 64 || strlen(map->keys[i]) >= 64)
            return yaml_error(file, map->items[i], err, "%s needs one short value", map->keys[i]);
        snprintf(set[i][0], 64, "%s", map->keys[i]);
        snprintf(set[i][1], 64, "%s", map->items[i]->text);
    }
    *n = map->n;
    return 0;
}

const struct tuple_run *profile_at(const struct profile *profile, uint32_t N, uint32_t p,
                                   const struct feature_counters **counters)
{
    for (size_t i = 0; i < profile->n_runs; i++)
        if (profile->runs[i].at.N == N && profile->runs[i].at.p == p) {
            if (counters) *counters = &profile->counters[i];
            return &profile->runs[i];
        }
    return NULL;
}

size_t profile_points(const struct profile *profile, struct profile_point *out)
{
    const uint32_t W = profile->plan.warps_per_scheduler;
    const struct tuple_run *baseline = profile_at(profile, W, W, NULL);
    for (size_t i = 0; i < profile->n_runs; i++) {
        const struct tuple_run *r = &profile->runs[i];
        out[i] = (struct profile_point){r->at.N, r->at.p, (double)baseline->m.cycles / (double)r->m.cycles};
    }
    return profile->n_runs;
}

static double loss_of(const struct profile *q)
{
    struct profile_point *points = calloc(q->n_runs + 1, sizeof *points);
    if (!points || q->n_runs == 0) return free(points), 0;
    const size_t n = profile_points(q, points);
    const struct tuple_value at = profile_value(points, n, q->predicted_N, q->predicted_p);
    const double loss = profile_regret(points, n, at.speedup);
    free(points);
    return loss;
}

double pipeline_mean_loss(const struct pipeline *p)
{
    double loss = 0, n = 0;
    for (size_t i = p->n_training; i < p->n_profiles; i++)
        if (p->profiles[i].launch->is_profiled) loss += loss_of(&p->profiles[i]), n++;
    return n > 0 ? loss / n : 0;
}
