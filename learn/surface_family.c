/* The list of families of surfaces, and what a predictor is around the state of one. */
#include <stdlib.h>
#include <string.h>
#include "poise/numerics.h"
#include "surface_parts.h"

const struct surface_family *const surface_families[] = {&surface_constant, &surface_ridge, &surface_gp,
                                                         &surface_forest};
const size_t n_surface_families = COUNT_OF(surface_families);

const struct surface_family *surface_family_find(const char *name)
{
    for (size_t i = 0; i < n_surface_families; i++)
        if (strcmp(surface_families[i]->name, name) == 0) return surface_families[i];
    return NULL;
}

int surface_family_parse(const struct surface_family **out, const char *name, struct error *err)
{
    char names[256] = "";
    *out = surface_family_find(name);
    if (*out) return 0;
    for (size_t i = 0; i < n_surface_families; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s",
                 i == 0                       ? ""
                 : i + 1 < n_surface_families ? ", "
                                              : " or ",
                 surface_families[i]->name);
    }
    error_set(err, ERR_USAGE, "no family of surfaces '%s'", name);
    char hint[300];
    snprintf(hint, sizeof hint, "choose %s", names);
    return error_at(err, NULL, 0, -1, hint);
}

void surface_defaults(const struct surface_family *family, struct family_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    if (family->settings->n_rows > 0) params_defaults(family->settings, settings);
}

int surface_set(const struct surface_family *family, struct family_settings *settings, const char *name,
                const char *text, struct error *err)
{
    if (family->settings->n_rows == 0)
        return error_set(err, ERR_INPUT, "family %s has no settings: '%s' is none", family->name, name);
    return params_set(family->settings, settings, name, text, err);
}

struct surface_predictor {
    const struct surface_family *family;
    size_t m;
    void *state;
};

int surface_fit(struct surface_predictor **out, const struct surface_family *family, const struct surface_data *data,
                const struct family_settings *settings, struct error *err)
{
    struct family_settings defaults;
    *out = NULL;
    if (surface_data_check(data, err) < 0) return -1;
    numerics_set_up();
    struct surface_predictor *p = calloc(1, sizeof *p);
    void *state = calloc(1, family->state_size);
    if (!p || !state) {
        free(p);
        free(state);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    *p = (struct surface_predictor){family, data->m, state};
    surface_defaults(family, &defaults);
    if (family->fit(state, data, settings ? settings : &defaults, err) < 0) {
        surface_predictor_free(p);
        return error_while(err, "%s", family->name);
    }
    *out = p;
    return 0;
}

void surface_predictor_free(struct surface_predictor *p)
{
    if (!p) return;
    p->family->fini(p->state);
    free(p->state);
    free(p);
}

void surface_predict(const struct surface_predictor *p, const double *x, double *mean, double *spread)
{
    for (size_t j = 0; spread && j < p->m; j++) spread[j] = 0;
    p->family->predict(p->state, x, mean, spread);
}
