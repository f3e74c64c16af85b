/* poise features coverage. */
#ifndef FEATURES_COVERAGE_H
#define FEATURES_COVERAGE_H
#include "cli/options.h"

/* paths: the table of samplings whose launches are judged, and tables of what may be added to its training. */
int features_coverage(const char *const *paths, size_t n, bool json, struct error *err);
#endif
