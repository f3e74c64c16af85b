/* poise features coverage, poise features additions. */
#ifndef FEATURES_COVERAGE_H
#define FEATURES_COVERAGE_H
#include "cli/options.h"

/* paths: the table of samplings whose launches are judged, and tables of what may be added to its training. */
int features_coverage(const char *const *paths, size_t n, bool json, struct error *err);
/* learner NULL: gp. nested: also choose anew without each training family. */
int features_additions(const char *const *paths, size_t n, const char *learner, bool nested, bool json,
                       struct error *err);
#endif
