/* The columns of sweep.csv, and the file beside it that explains them.   (private to the lab) */
#ifndef POISE_SWEEP_UNITS_H
#define POISE_SWEEP_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"

struct run_columns;
enum { N_SWEEP_IDENTITIES = 7, N_SWEEP_FIGURES = 11 };
struct sweep_identity {
    const char *name, *meaning;
};
extern const struct sweep_identity sweep_identities[N_SWEEP_IDENTITIES];
extern const char *const sweep_figures[N_SWEEP_FIGURES];
/* units.csv beside the sweep.csv at `path`: column, unit, meaning. */
int sweep_write_units(const char *path, const struct run_columns *columns, bool has_estimates,
                      const char *const *metrics, size_t n_metrics, struct error *err);
#endif
