/* What the runs of a study need before they begin: SWL's warp limits and traces with a marking. Internal to
 * poise_lab. */
#ifndef POISE_REPRO_PREPARE_H
#define POISE_REPRO_PREPARE_H
#include "poise/repro.h"

enum { REPRO_MARKINGS_MAX = 8 };
struct repro_prepared {
    uint32_t *limits; /* of each launch; NULL: no point asks for one */
    struct {
        const char *marking;     /* of the spec */
        struct launch *launches; /* each launch with this marking */
    } marked[REPRO_MARKINGS_MAX];
    size_t n_marked;
};
/* For a study that does not prepare its runs: a spec with @swl, whose stacks have no limit yet, is an error. */
int repro_refuse_limits(const struct repro_spec *spec, const char *study, struct error *err);
/* Limits by simulation on the unchanged machine. `marks`: traces get the markings here, beside the store; runs of whole
 * programs see to it themselves. */
int repro_prepare(struct repro_prepared *out, const struct repro_spec *spec, const struct launches *launches,
                  struct runner *runner, const struct gpu_limits *limits, const char *store, bool marks,
                  struct error *err);
/* Of a job of that launch under that point, whose stack is there. */
int repro_prepare_job(const struct repro_prepared *prepared, const struct repro_spec *spec, size_t launch, size_t point,
                      struct run_job *job, struct error *err);
void repro_prepared_fini(struct repro_prepared *prepared);
#endif
