/* Mechanisms as users of the library see them: find one, set its parameters, put it on a stack.       [DESIGN §3.4]
 * The hooks that mechanisms implement are in poise/sys/hooks.h. */
#ifndef POISE_MECH_H
#define POISE_MECH_H
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/table.h"
struct json_t;

#define MECH_STACK_MAX 6
struct mech_type;
struct mech_spec {
    const struct mech_type *type;
    void *params;       /* type's parameter struct */
    const char *called; /* the old name by which mech_parse() was given it; NULL: its own */
};
size_t mech_count(void);
const struct mech_type *mech_at(size_t i);
const struct mech_type *mech_find(const char *name); /* NULL if there is none; old names are known as well */
const char *mech_name(const struct mech_type *type);
bool mech_carries(const struct mech_type *type); /* it keeps something from launch to launch of a program */
const char *mech_title(const struct mech_type *type);
const char *mech_source(const struct mech_type *type);
const struct param_table *mech_params(const struct mech_type *type);
const struct stat_table *mech_stats(const struct mech_type *type);
/* Sets the mechanism's ratios in `stats`, an object of its counters by name: of one launch, or of several summed. */
void mech_set_ratios(const struct mech_type *type, struct json_t *stats);

/* "tuple,N=6,p=2": name, then key=value pairs. A wrong name or key names the nearest known one. */
int mech_parse(struct mech_spec *out, const char *text, struct error *err);
int mech_new(struct mech_spec *out, const struct mech_type *type, struct error *err); /* defaults */
int mech_set(struct mech_spec *spec, const char *key, const char *value, struct error *err);
void mech_free(struct mech_spec *spec);
/* Canonical text for run keys: every parameter, and the content hash of files in place of their paths. */
int mech_key(const struct mech_spec *spec, char *text, size_t size, struct error *err);
/* Of the mechanisms in their order and of every parameter's value: equal for equal stacks, in this process. */
uint64_t mech_stack_hash(const struct mech_spec *stack, unsigned n);
/* Storage in bits: so much in each SM, and so much once. Of wires, so many from an SM to its neighbour; of a switch,
 * inputs times outputs times the bits of each. */
#define MECH_COSTS_MAX 12
enum storage_kind { STORAGE_ARRAY, STORAGE_QUEUE, STORAGE_REGISTER, STORAGE_WIRES, STORAGE_SWITCH };
struct mech_cost {
    const char *what;
    uint64_t sm_bits, gpu_bits;
    enum storage_kind kind;
};
/* What the mechanism's hardware takes on a machine, and how many SMs that has; 0 rows where it is not worked out. */
struct gpu_params;
size_t mech_costs(const struct mech_spec *spec, const struct gpu_params *machine, struct mech_cost out[MECH_COSTS_MAX],
                  uint32_t *sms);
/* What a mechanism does that takes energy beyond keeping its storage: for each count of a counter of its statistics,
 * bits read or written in an array or a queue of so many bits, or moved over wires from an SM to its neighbour. */
#define MECH_EVENTS_MAX 8
struct mech_event {
    const char *what, *counter;
    double bits;         /* of one count */
    uint64_t array_bits; /* of the array or queue; 0: wires */
};
size_t mech_events(const struct mech_spec *spec, const struct gpu_params *machine,
                   struct mech_event out[MECH_EVENTS_MAX]);
/* What must pass before a mechanism does what it is there for, or does it again: a warm-up, a window, a period. A
 * launch that is shorter never sees it. */
#define MECH_WAITS_MAX 4
enum mech_wait_unit { WAIT_CYCLES, WAIT_THREAD_INSTS, WAIT_WARP_INSTS, N_WAIT_UNITS };
struct mech_wait {
    const char *what; /* parameters, as "T_warmup + T_feature" */
    uint64_t n;
    enum mech_wait_unit unit;
};
size_t mech_waits(const struct mech_spec *spec, struct mech_wait out[MECH_WAITS_MAX]);
/* What a mechanism does to a run, part by part: where every one of these counters is 0, that part did nothing. */
#define MECH_ACTS_MAX 4
struct mech_act {
    const char *what; /* "the access level" */
    const char *counters[3];
};
size_t mech_acts(const struct mech_spec *spec, struct mech_act out[MECH_ACTS_MAX]);
struct json_t *mech_spec_json(const struct mech_spec *spec); /* {"name","params"} */
#endif
