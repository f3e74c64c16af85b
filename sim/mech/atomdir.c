/* AtomDir: atomics at the SMs, under mutexes that their owners hand out; its hybrid with token rings; speculative
 * fetches.                                                                             [TECHNIQUES §3.2, 3.3, 3.4]
 *
 *   topology=owner   requester --dx + dy--> owner --dx + dy--> requester         in the order in which they came
 *   topology=rings   requester --dy--> member of the row in its column, which waits for the row's token
 *                              --dy--> requester
 *
 * With a mutex comes whether the same SM was the last to release it: then its copies of the lines under it are still
 * good. Else its data comes along from the SM that had it last (`writes=travel`: the survey tells of the benefit of
 * being able to cache atomic data, which goes where the data is written to L2 for each holding), or from L2. There are
 * no updates. With `speculate`, an SM that has no copy asks L2 for the data along with the mutex; what comes is used if
 * the last release was in an earlier epoch than the answer, and the request in the same one as its arrival, else it is
 * fetched again. With `refetch` it does so too where it has an old copy, as it cannot know before the answer whether
 * that is still good.
 *
 * With `writes=through` what an SM changes is written to L2, and when that is acknowledged the mutex goes back. With
 * `writes=back` changes stay at the SM beyond the release: it can have the mutex again without L2. Who answers for
 * the mutex recalls them before it gives the mutex to another; what no SM asks for goes to L2 after flush_cycles. With
 * `writes=travel` the recalled SM sends them to the other SM itself, and the mutex with them; to L2 only where that one
 * has no room.
 *
 * What the survey leaves open is in MECHANISMS 'Fast atomics'. */
#include "mech/atom_unit.h"

#define ATOMDIR_PARAMS(P) \
    ATOM_PARAMS(P) \
    P(ENUM, topology, 0, 0, 1, "owner|rings", "TECHNIQUES 3.2, 3.3", \
      "who answers for a mutex: one owner, or the members of a row of the mesh") \
    P(ENUM, writes, 2, 0, 2, "through|back|travel", "TECHNIQUES 3.5", \
      "what an SM has changed goes to L2 before it releases the mutex, or when another SM is to get it, or to that " \
      "SM") \
    P(U32, data_cycles, 4, 0, 10000, "cycles", "assumed", \
      "writes=travel: of a line, beside the way between the SMs: in 32-byte flits") \
    P(U32, flush_cycles, 1024, 0, 100000000, "cycles", "assumed", \
      "writes=back, travel: what no SM asks for goes to L2 so long after the release") \
    P(FLAG, speculate, 0, 0, 1, "flag", "TECHNIQUES 3.4", "data is fetched along with the request for its mutex") \
    P(FLAG, refetch, 0, 0, 1, "flag", "TECHNIQUES 3.4", \
      "speculate=1: also where the SM has a copy that another may have made old; else only where it has none") \
    P(U32, epoch_cycles, 1024, 1, 100000000, "cycles", "assumed", "an epoch; longer than the slowest write")
PARAM_STRUCT(atomdir_params, ATOMDIR_PARAMS);
#define ROW(...) PARAM_ROW_OF(atomdir_params, __VA_ARGS__)
static const struct param_row atomdir_rows[] = {ATOMDIR_PARAMS(ROW)};
#undef ROW

static struct atom_config config_of(const struct atomdir_params *p)
{
    return (struct atom_config){.columns = p->columns,
                                .mutexes = p->mutexes,
                                .wires = 1,
                                .requests = p->requests,
                                .copies = p->copies,
                                .hold = p->hold,
                                .hop_cycles = p->hop_cycles,
                                .token_cycles = p->token_cycles,
                                .epoch_cycles = p->epoch_cycles,
                                .kind = p->topology ? ATOM_RINGS : ATOM_DIRECTORY,
                                .update_cycles = p->data_cycles,
                                .writes_back = p->writes >= 1,
                                .travels = p->writes == 2,
                                .flush_cycles = p->flush_cycles,
                                .speculates = p->speculate,
                                .refetches = p->speculate && p->refetch};
}

static int atomdir_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    return atom_unit_init(self, config_of(params), env, err);
}

/* An owner, or the members of a ring together, remember who waits for each of its mutexes: a bit an SM, and order. */
static size_t atomdir_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct atomdir_params *p = params;
    const struct atom_config config = config_of(p);
    const size_t n = atom_unit_cost(&config, env, out);
    out[n] = (struct mech_cost){"requests that wait for mutexes, GPU-wide: SM and order", 0,
                                (uint64_t)p->mutexes * env->sms * 12, STORAGE_QUEUE};
    out[n + 1] =
        (struct mech_cost){"stale, an SM: a bit a mutex asked for", p->speculate ? p->mutexes : 0, 0, STORAGE_REGISTER};
    return n + 2;
}

const struct mech_type mech_atomdir = {
    .name = "atomdir",
    .title = "atomics at the SMs, mutexes by owners or by rings of the mesh",
    .source = "TECHNIQUES 3.2-3.4",
    .params = {"atomdir", atomdir_rows, COUNT_OF(atomdir_rows), sizeof(struct atomdir_params)},
    .stats = {"atomdir", atom_stat_rows, ATOM_N_STATS, sizeof(struct atom_stats)},
    .init = atomdir_init,
    .cost = atomdir_cost,
    ATOM_MEMBERS,
};
