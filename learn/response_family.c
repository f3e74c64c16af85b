/* The list of families of response surfaces, and what a predictor is around the state of one. */
#include <stdlib.h>
#include <string.h>
#include "poise/numerics.h"
#include "response_parts.h"

const struct response_family *const response_families[] = {&response_constant, &response_ridge, &response_gp,
                                                           &response_forest};
const size_t n_response_families = COUNT_OF(response_families);

const struct response_family *response_family_find(const char *name)
{
    for (size_t i = 0; i < n_response_families; i++)
        if (strcmp(response_families[i]->name, name) == 0) return response_families[i];
    return NULL;
}

int response_family_parse(const struct response_family **out, const char *name, struct error *err)
{
    char names[256] = "";
    *out = response_family_find(name);
    if (*out) return 0;
    for (size_t i = 0; i < n_response_families; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s",
                 i == 0                        ? ""
                 : i + 1 < n_response_families ? ", "
                                               : " or ",
                 response_families[i]->name);
    }
    error_set(err, ERR_USAGE, "no family of response surfaces '%s'", name);
    char hint[300];
    snprintf(hint, sizeof hint, "choose %s", names);
    return error_at(err, NULL, 0, -1, hint);
}

void response_defaults(const struct response_family *family, struct family_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    if (family->settings->n_rows > 0) params_defaults(family->settings, settings);
}

int response_set(const struct response_family *family, struct family_settings *settings, const char *name,
                 const char *text, struct error *err)
{
    if (family->settings->n_rows == 0)
        return error_set(err, ERR_INPUT, "family %s has no settings: '%s' is none", family->name, name);
    return params_set(family->settings, settings, name, text, err);
}

struct response_predictor {
    const struct response_family *family;
    size_t m;
    void *state;
};

int response_fit(struct response_predictor **out, const struct response_family *family,
                 const struct response_data *data, const struct family_settings *settings, struct error *err)
{
    struct family_settings defaults;
    *out = NULL;
    if (response_data_check(data, err) < 0) return -1;
    numerics_set_up();
    struct response_predictor *p = calloc(1, sizeof *p);
    void *state = calloc(1, family->state_size);
    if (!p || !state) {
        free(p);
        free(state);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    *p = (struct response_predictor){family, data->m, state};
    response_defaults(family, &defaults);
    if (family->fit(state, data, settings ? settings : &defaults, err) < 0) {
        response_predictor_free(p);
        return error_while(err, "%s", family->name);
    }
    *out = p;
    return 0;
}

void response_predictor_free(struct response_predictor *p)
{
    if (!p) return;
    p->family->fini(p->state);
    free(p->state);
    free(p);
}

void response_predict(const struct response_predictor *p, const double *x, double *mean, double *spread)
{
    for (size_t j = 0; spread && j < p->m; j++) spread[j] = 0;
    p->family->predict(p->state, x, mean, spread);
}
