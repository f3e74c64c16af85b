/* The table of studies: above all of them, as it names each. */
#include <string.h>
#include "poise/repro.h"
#include "poise/table.h"

const struct repro_study *const repro_studies[] = {
#define S(id) &repro_##id,
    REPRO_STUDIES(S)
#undef S
};
const size_t n_repro_studies = COUNT_OF(repro_studies);

int repro_find(const char *id, const struct repro_study **out, struct error *err)
{
    const char *ids[COUNT_OF(repro_studies)];
    for (size_t i = 0; i < n_repro_studies; i++) {
        ids[i] = repro_studies[i]->id;
        if (strcmp(ids[i], id) != 0) continue;
        *out = repro_studies[i];
        return 0;
    }
    const char *near = nearest_name(id, ids, n_repro_studies, sizeof *ids);
    error_set(err, ERR_USAGE, "no study '%s'%s%s%s", id, near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : "");
    return error_at(err, NULL, 0, -1, "'poise repro --list' lists them");
}
