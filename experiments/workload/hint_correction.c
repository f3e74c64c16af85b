#include "workload/hint_correction.h"

#include <math.h>
#include <string.h>

int hint_correction_read(struct hint_correction *out, const char *path, struct error *err)
{
    if (correction_read(&out->model, path, err) < 0) return -1;
    for (size_t j = 0; j < out->model.k; j++) {
        size_t c = 0;
        while (c < N_HINT_COLUMNS && strcmp(out->model.names[j], hint_column_names[c]) != 0) c++;
        if (c == N_HINT_COLUMNS)
            return error_set(err, ERR_INPUT, "%s: features: the quick model has no column '%s'", path,
                             out->model.names[j]);
        out->columns[j] = c;
    }
    return 0;
}

size_t hint_correct(const struct hint_correction *c, struct quick_response *s)
{
    const struct hint_surface surface = {s->tuples, s->runs, s->n, s->W, s->waves};
    double z[RESPONSE_POINTS_MAX], all[N_HINT_COLUMNS], x[RESPONSE_FEATURES_MAX];
    for (size_t i = 0; i < s->n; i++) {
        hint_columns(&surface, i, all);
        for (size_t j = 0; j < c->model.k; j++) x[j] = all[c->columns[j]];
        z[i] = correction_predict(&c->model, x);
    }
    for (size_t i = 0; i < s->n; i++) s->speedup[i] = exp(z[i] - z[s->n - 1]);
    return correction_choose(z, s->n, s->n - 1, c->model.settings.margin);
}

double hint_correction_low(const struct hint_correction *c, double gain)
{
    return gain * exp(-1.645 * c->model.spread);
}
double hint_correction_high(const struct hint_correction *c, double gain)
{
    return gain * exp(1.645 * c->model.spread);
}

struct json_t *hint_correction_hint(const struct hint_correction *c, struct quick_response *s)
{
    const size_t best = hint_correct(c, s);
    const double gain = s->speedup[best];
    return quick_response_hint_of(s, best,
                                  (double[]){gain, hint_correction_low(c, gain), hint_correction_high(c, gain)});
}
