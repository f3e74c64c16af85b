/* Studies that compute something of their own, in C: the others are data, in experiments/figures. Internal to
 * poise_lab. */
#ifndef POISE_REPRO_OWN_H
#define POISE_REPRO_OWN_H
#include "poise/repro.h"

/* clang-format off */
#define REPRO_OWN(S) \
    S(thesis_3_2) S(ccn_4_2) S(ccn_learned) S(ccn_windows) S(thesis_5_2) S(thesis_5_5) S(thesis_5_7) \
    S(thesis_tab_5_3) S(thesis_tab_5_4) S(thesis_5_7_2) S(thesis_5_15) S(thesis_5_7_9) S(thesis_5_7_10) \
    S(bucl_learn) S(tech_8) \
    S(tech_9) S(tsc_learned) S(elastic_assoc) S(learned_gate) S(learned_1) S(learned_lengths) \
    S(learned_programs) S(learned_sealed) S(combinations) S(combinations_strongest)
/* clang-format on */
#define S(id) extern const struct repro_study repro_##id;
REPRO_OWN(S)
#undef S
extern const struct repro_study *const repro_own[];
extern const size_t n_repro_own;
#endif
