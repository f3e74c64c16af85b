/* The table of the studies in C: above all of them, as it names each. */
#include "studies/repro/repro_own.h"
#include "poise/table.h"

const struct repro_study *const repro_own[] = {
#define S(id) &repro_##id,
    REPRO_OWN(S)
#undef S
};
const size_t n_repro_own = COUNT_OF(repro_own);
