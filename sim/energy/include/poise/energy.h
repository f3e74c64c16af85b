/* Energy of a run from what it counted: each event is a row with a counter, picojoules at a process node, a low and a
 * high value and a source (energy_events.c). Time from the core clock; area of storage (storage.c). */
#ifndef POISE_ENERGY_H
#define POISE_ENERGY_H
#include <stdio.h>
#include "poise/gpu.h"
struct json_t;

/* Parts of the machine that energy is told by: name in JSON, what it is. */
#define ENERGY_PARTS(X) \
    X(core, "fetch, decode, scheduling and arithmetic") \
    X(register_file, "operands read and results written") \
    X(shared_memory, "shared memory") \
    X(l1, "L1 data cache, instructions, constants and textures") \
    X(network, "crossbars") \
    X(l2, "L2") \
    X(dram, "DRAM: commands and background") \
    X(mechanism, "storage and wires of the stack's mechanisms and of L1's organisation") \
    X(static, "leakage, and clocks of idle units") \
    X(constant, "what the board takes in any case")
enum energy_part {
#define X(id, doc) ENERGY_##id,
    ENERGY_PARTS(X)
#undef X
        N_ENERGY_PARTS
};
extern const char *const energy_part_names[N_ENERGY_PARTS];
extern const char *const energy_part_docs[N_ENERGY_PARTS];

struct energy_range {
    double low, value, high;
};
/* What a run was of. Borrowed. */
struct energy_run {
    const struct gpu_params *params;
    const struct mech_spec *stack;
    unsigned n_stack;
    const struct json_t *mechs; /* the run's list [{"name","stats"}] in the stack's order, for events of mechanisms;
                                 * NULL: what their storage takes alone */
};
struct energy {
    double time_us;
    struct energy_range parts[N_ENERGY_PARTS], total; /* joules */
};
/* The total's low and high take the parts as independent of each other: roots of sums of squares. */
void energy_of(struct energy *out, const struct energy_run *run, const struct gpu_stats *stats);
/* a's total over b's: what is uncertain in both alike does not make the ratio uncertain. NAN where b is 0. */
struct energy_range energy_ratio(const struct energy *a, const struct energy *b);
/* [{"name","joules","low","high","share"}], and {"node_nm","power_w","parts"} around it. */
struct json_t *energy_json(const struct energy *energy, const struct gpu_params *params);

/* ---- figures of a run by name, beside those of gpu_stats_value() ---- */
struct energy_value_row {
    const char *name, *unit, *doc, *formula;
    bool is_better_small;
};
extern const struct energy_value_row energy_value_rows[];
extern const size_t n_energy_value_rows;
/* NULL: no such figure. `energy_<part>_j` are rows too. */
const struct energy_value_row *energy_value_find(const char *name);
/* A counter, ratio or sum of poise/gpu.h, or one of these rows; NAN if there is none of that name, or if `run` is NULL
 * and the figure needs a machine. */
double run_value(const struct energy_run *run, const struct gpu_stats *stats, const char *name);
/* The rows that every run shows (time_us, energy_j, ..), into an object of counters. */
void energy_into_json(struct json_t *stats, const struct energy_run *run, const struct gpu_stats *stats_of);

/* ---- the rows ---- */
struct energy_event_shown {
    const char *part, *name, *unit, *source;
    char counts[640];
    double node_nm;                /* that the source has; 0: not scaled */
    struct energy_range published; /* in `unit` */
    struct energy_range here;      /* picojoules a count on this machine, scaled and fitted */
};
/* Row i on this machine; false where there are no more. Rows of DRAM that the machine does not have are 0. */
bool energy_event_at(struct energy_event_shown *out, size_t i, const struct gpu_params *params);
double energy_node_nm(const struct gpu_params *params);
double energy_cycle_us(const struct gpu_params *params); /* a core cycle */
/* Joules of one count of each counter: energy is their sum over counters. For tables in a store: calls `take` with
 * counters that some row has, each once. */
void energy_coefficients(const struct gpu_params *params, void (*take)(void *to, const char *counter, double joules),
                         void *to);

/* ---- area ---- */
/* Of so many bits of this kind in one place, at a node, in mm2. */
struct energy_range storage_mm2(enum storage_kind kind, uint64_t bits, double node_nm);
/* Leakage of the same, in watts. */
struct energy_range storage_leakage_w(enum storage_kind kind, uint64_t bits, double node_nm);
/* The wires of a crossbar, which are its switch: ports of SMs, times ports of banks, times the bits of both directions.
 * [THESIS 3.7.3] */
double crossbar_mm2(double crosspoint_bits, double node_nm);
/* Of all a mechanism has on a machine. */
struct storage_cost {
    uint64_t sm_bits, gpu_bits, bits; /* in each SM, once, in all; wires and switches are no storage */
    struct energy_range mm2;
};
struct storage_cost storage_of(const struct mech_cost *rows, size_t n, uint32_t sms, double node_nm);
/* What a paper says of it: the same beside ours in `poise mechs --cost`. */
struct storage_published {
    const char *mech, *what, *unit, *source;
    double value, node_nm; /* node_nm 0: no area */
    uint32_t sms;          /* of its machine */
};
extern const struct storage_published storage_published[];
extern const size_t n_storage_published;
#endif
