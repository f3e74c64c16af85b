/* A build without MPI: plain runs, and an answer for those who start it under mpirun. */
#include "runner/runner_ranks.h"

#include <stddef.h>

int ranks_begin(struct ranks **out, struct error *err)
{
    *out = NULL;
    if (ranks_launched() <= 1) return 0;
    error_set(err, ERR_USAGE, "this build of poise has no MPI, and %u processes of it were started", ranks_launched());
    return error_at(
        err, NULL, 0, -1,
        "install libopenmpi-dev and build again, or run --shard I/N in each and 'poise store merge' afterwards");
}

void ranks_end(struct ranks *ranks) { (void)ranks; }
bool ranks_is_first(const struct ranks *ranks) { return !ranks; }
unsigned ranks_threads(const struct ranks *ranks, unsigned most) { return ranks ? 0 : most; }
const struct ranks_load *ranks_load(const struct ranks *ranks) { return (const void *)ranks; }
int ranks_serve(struct ranks *ranks, const volatile sig_atomic_t *stop, ranks_lost_fn *on_lost, void *context,
                struct error *err)
{
    (void)ranks, (void)stop, (void)on_lost, (void)context;
    return error_set(err, ERR_USAGE, "this build has no MPI");
}

int ranks_execute(struct ranks *ranks, struct batch *batch, struct error *err)
{
    (void)ranks, (void)batch;
    return error_set(err, ERR_USAGE, "this build has no MPI");
}
