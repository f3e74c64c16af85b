/* AtomNaive: atomics at the SMs, under mutexes that a rotating token hands out.                      [TECHNIQUES §3.2]
 *
 *   SM 0 --> SM 1 --> .. --> SM n-1 --> SM 0     the token: SM (cycle / token_cycles) mod n has it, nothing is sent
 *
 * Every SM has the table of all mutexes. With the token it may acquire a free one that it has atomics for, or release
 * one. What it changes goes to L2 and to the copies of all SMs; from then until L2 has acknowledged it and the farthest
 * SM has it, the mutex's busy wire is asserted, and with it no mutex of that wire can be acquired. So copies stay good,
 * and only the first atomic of an SM on a line fetches it.
 *
 * What the survey leaves open is in MECHANISMS 'Fast atomics'. */
#include "mech/atom_unit.h"

#define ATOMNAIVE_PARAMS(P) \
    ATOM_PARAMS(P) \
    P(U32, wires, 8, 1, ATOM_WIRES_MAX, "wires", "assumed", "busy wires; mutex M is under wire M mod wires") \
    P(U32, update_cycles, 4, 0, 10000, "cycles", "assumed", \
      "of an update, beside the way to the farthest SM: a line in 32-byte flits")
PARAM_STRUCT(atomnaive_params, ATOMNAIVE_PARAMS);
#define ROW(...) PARAM_ROW_OF(atomnaive_params, __VA_ARGS__)
static const struct param_row atomnaive_rows[] = {ATOMNAIVE_PARAMS(ROW)};
#undef ROW

static struct atom_config config_of(const struct atomnaive_params *p)
{
    return (struct atom_config){.columns = p->columns,
                                .mutexes = p->mutexes,
                                .wires = p->wires,
                                .requests = p->requests,
                                .copies = p->copies,
                                .hold = p->hold,
                                .hop_cycles = p->hop_cycles,
                                .token_cycles = p->token_cycles,
                                .update_cycles = p->update_cycles,
                                .epoch_cycles = UINT32_MAX,
                                .kind = ATOM_NAIVE};
}

static int atomnaive_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    return atom_unit_init(self, config_of(params), env, err);
}

/* Each SM has its own table of mutexes. */
static size_t atomnaive_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct atom_config config = config_of(params);
    const size_t n = atom_unit_cost(&config, env, out);
    out[n - 1] = (struct mech_cost){"table of mutexes, an SM: held", config.mutexes, 0, STORAGE_REGISTER};
    out[n] = (struct mech_cost){"busy wires, not storage: wires beside each link of the mesh", 0, 0, STORAGE_WIRES};
    return n + 1;
}

const struct mech_type mech_atomnaive = {
    .name = "atomnaive",
    .title = "atomics at the SMs, mutexes by a rotating token and updates of copies",
    .source = "TECHNIQUES 3.2",
    .params = {"atomnaive", atomnaive_rows, COUNT_OF(atomnaive_rows), sizeof(struct atomnaive_params)},
    .stats = {"atomnaive", atom_stat_rows, ATOM_N_STATS, sizeof(struct atom_stats)},
    .init = atomnaive_init,
    .cost = atomnaive_cost,
    ATOM_MEMBERS,
};
