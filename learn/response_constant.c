/* The mean response surface, whatever the features: its best point is the best constant tuple, which every learner has
 * to beat. */
#include <string.h>
#include "state.h"
#include "response_parts.h"

struct constant_state {
    size_t m;
    double mean[M_MAX];
};

static int constant_fit(void *opaque, const struct response_data *data, const void *settings, struct error *err)
{
    struct constant_state *state = opaque;
    struct response_rows rows;
    (void)settings;
    if (response_rows_init(&rows, data, err) < 0) return -1;
    state->m = data->m;
    for (size_t i = 0; i < rows.n; i++)
        for (size_t j = 0; j < rows.m; j++) state->mean[j] += rows.w[i] * rows.z[i * rows.m + j] / (double)rows.n;
    response_rows_fini(&rows);
    return 0;
}

static void constant_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct constant_state *state = opaque;
    (void)x, (void)spread;
    memcpy(mean, state->mean, state->m * sizeof *mean);
}

static void constant_fini(void *opaque) { (void)opaque; }

const struct response_family response_constant = {.name = "constant",
                                                  .title = "the mean response surface: the best constant tuple",
                                                  .source = "baseline",
                                                  .settings = &no_settings,
                                                  .state_size = sizeof(struct constant_state),
                                                  .fit = constant_fit,
                                                  .predict = constant_predict,
                                                  .fini = constant_fini};
