/* Penalties on the weights of columns, and how they are written. */
#include "penalty.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/table.h"
#include "state.h"

#define NEAR 1e-8   /* a parabola touches |b| no nearer to 0; of scaled estimates, as HELD */
#define HELD 1e-5   /* what the lasso part has brought below this is 0, */
#define CLOSED 1e30 /* by this curvature */

int penalty_init(struct penalty *p, const struct glm_penalty *options, const struct glm_data *data,
                 const struct design *design, struct error *err)
{
    struct scaling scaling;
    double total = 0;
    *p = (struct penalty){.r = design->r, .ridge = calloc(3 * design->r + 1, sizeof *p->ridge)};
    if (!p->ridge) return error_set(err, ERR_MEMORY, "out of memory");
    if (scaling_init(&scaling, data, err) < 0) return -1;
    p->smooth = p->ridge + p->r;
    p->absolute = p->smooth + p->r;
    for (size_t i = 0; i < data->n; i++) total += weight_of(data, i);
    for (size_t j = 0; j < p->r; j++) {
        const double spread = scaling.sd[design->kept[j]] * design->scales[j];
        p->smooth[j] = total * options->lambda * (1 - options->mix) * spread * spread;
        p->absolute[j] = total * options->lambda * options->mix * spread;
        p->ridge[j] = p->smooth[j] + p->absolute[j] * spread; /* as if |b| were 1 */
    }
    scaling_fini(&scaling);
    return 0;
}

void penalty_fini(struct penalty *p)
{
    free(p->ridge);
    *p = (struct penalty){0};
}

double penalty_touch(struct penalty *p, const double *beta, double *before)
{
    double moved = 0;
    for (size_t j = 0; j < p->r; j++) {
        moved = fmax(moved, fabs(beta[j] - before[j]) / fmax(1, fabs(beta[j])));
        before[j] = beta[j];
        p->ridge[j] = p->smooth[j] + p->absolute[j] / fmax(fabs(beta[j]), NEAR);
    }
    return moved;
}

void penalty_close(struct penalty *p, const double *beta)
{
    for (size_t j = 0; j < p->r; j++)
        if (p->absolute[j] > 0 && fabs(beta[j]) < HELD) p->ridge[j] = CLOSED;
}

int penalty_check(const struct glm_penalty *o, enum glm_family family, struct error *err)
{
    if (o->lambda == 0) return 0;
    if (!(o->lambda > 0) || !isfinite(o->lambda) || !(o->mix >= 0 && o->mix <= 1))
        return error_set(err, ERR_USAGE, "a penalty of lambda %g and mix %g: lambda is 0 or more, mix is from 0 to 1",
                         o->lambda, o->mix);
    if (family != GLM_OLS) return 0;
    error_set(err, ERR_USAGE, "ols takes no penalty");
    return error_at(err, NULL, 0, -1, "the family 'ridge' is penalised least squares");
}

static bool read_number(const char *text, char **end, double *out)
{
    *out = strtod(text, end);
    return *end != text && isfinite(*out) && *out >= 0;
}

int glm_penalty_parse(struct glm_penalty *out, bool *is_chosen, const char *text, struct error *err)
{
    static const struct {
        const char *name;
        double mix;
    } kinds[] = {{"ridge=", 0}, {"lasso=", 1}, {"elastic-net=", 0.5}};
    char *end = NULL;
    *out = (struct glm_penalty){0};
    if (is_chosen) *is_chosen = false;
    if (strcmp(text, "none") == 0) return 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const size_t length = strlen(kinds[i].name);
        const char *value = text + length;
        if (strncmp(text, kinds[i].name, length) != 0) continue;
        out->mix = kinds[i].mix;
        if (is_chosen && strncmp(value, "cv", 2) == 0) *is_chosen = true, end = (char *)(uintptr_t)value + 2;
        else if (!read_number(value, &end, &out->lambda)) break;
        if (i == 2 && *end == ':' && (!read_number(end + 1, &end, &out->mix) || out->mix > 1)) break;
        if (*end == '\0') return 0;
        break;
    }
    error_set(err, ERR_USAGE, "'%.60s' is no penalty", text);
    return error_at(err, NULL, 0, -1,
                    is_chosen
                        ? "write none, ridge=0.1, lasso=0.1, elastic-net=0.1 or elastic-net=0.1:0.3 (share of the "
                          "lasso); cv in place of 0.1 chooses the number by leaving groups out"
                        : "write none, ridge=0.1, lasso=0.1, elastic-net=0.1 or elastic-net=0.1:0.3 (share of the "
                          "lasso)");
}
