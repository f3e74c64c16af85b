/* The timing model: one launch on a GPU with cold L1 and L2, cycle by cycle.                   [DESIGN §3.3, §3.6]
 * A run depends on (trace, configuration, mechanism stack, limits) and on nothing else; it is single-threaded,
 * allocates nothing after start-up, and any number of runs may go on in parallel over the same plan and
 * configuration. */
#ifndef POISE_GPU_H
#define POISE_GPU_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/features.h"
#include "poise/hash.h"
#include "poise/launches.h"
#include "poise/mech.h"
#include "poise/table.h"
#include "poise/trace.h"
struct json_t;
struct snapshot; /* simulation.h */

/* Bumped by hand whenever the same inputs give different statistics. Part of every run key. */
#define SIM_MODEL_VERSION 4

/* ---- configuration: groups of rows, one group a hardware unit ---- */
struct gpu_params;
struct gpu_param_group {
    struct param_table table; /* owner = the group's name in YAML: core, l1, xbar, l2, dram, clock, ... */
    size_t offset;            /* of the group's struct in struct gpu_params */
};
const struct gpu_param_group *gpu_param_groups(size_t *n);
struct gpu_params *gpu_params_new(void); /* defaults: kepler32; NULL when out of memory */
struct gpu_params *gpu_params_copy(const struct gpu_params *params);
void gpu_params_free(struct gpu_params *params);
/* A preset's name (DIR/NAME.yaml) or a path to a YAML file; `base: NAME` inherits. Unknown keys are errors. */
int gpu_params_load(struct gpu_params *params, const char *name_or_path, const char *dir, struct error *err);
/* The same from text; `name` is what errors call it. */
int gpu_params_parse(struct gpu_params *params, const char *name, const char *text, size_t size, const char *dir,
                     struct error *err);
int gpu_params_set(struct gpu_params *params, const char *dotted, const char *text, struct error *err); /* "l1.ways" */
/* Its row, and the struct in `params` that the row is of; NULL: there is none. */
const struct param_row *gpu_params_find(const struct gpu_params *params, const char *dotted, const void **of);
/* What a DRAM part (dram.part) sets, a row each. */
struct gpu_dram_part {
    const char *part, *parameter, *value, *source;
};
const struct gpu_dram_part *gpu_dram_parts(size_t *n);
int gpu_params_check(const struct gpu_params *params, struct error *err); /* combinations that no machine can have */
struct json_t *gpu_params_json(const struct gpu_params *params);          /* {core:{..}, l1:{..}, ...}, resolved */
/* Bits that the organisation of an SM's L1 needs beyond a plain one of its size. `tag_bits`: of a line's tag in
 * that. [TSC Tab. 3] */
uint64_t gpu_l1_extra_bits(const struct gpu_params *params, unsigned tag_bits);

/* ---- plan: per-trace work done once per sweep and shared by all its runs ---- */
struct plan;
int plan_new(struct plan **out, const struct trace *trace, const struct gpu_params *params, struct error *err);
/* Lines of memory are counted from one near the lowest that the launch touches. Launches whose caches are carried over
 * must count from the same: plan_new_from says from which (0: from its own). */
int plan_new_from(struct plan **out, const struct trace *trace, const struct gpu_params *params, uint64_t first_line,
                  struct error *err);
struct plan_lines {
    uint64_t first;     /* counted from here */
    uint64_t low, high; /* touched in global memory; low > high: none */
    bool is_own;        /* `first` is what plan_new would choose */
};
struct plan_lines plan_lines(const struct plan *plan);
/* The line that plans of all these launches can count from, each by its own choice where those agree; ERR_INPUT where
 * their memory is too far apart. *first_line is 0 then, or where none touches memory. */
int plan_lines_join(uint64_t *first_line, const struct plan_lines *lines, size_t n, const struct gpu_params *params,
                    struct error *err);
void plan_free(struct plan *plan); /* accepts NULL */
/* W: warps per scheduler that occupancy and grid allow. [MECHANISMS 'Scaling'] */
uint32_t plan_warps_per_scheduler(const struct plan *plan);
uint64_t plan_warp_insts(const struct plan *plan);
uint32_t plan_warps(const struct plan *plan);
uint32_t plan_kernel(const struct plan *plan);        /* which kernel, as mech_env.kernel tells them apart */
uint64_t plan_line_requests(const struct plan *plan); /* global and local accesses after coalescing */
size_t plan_bytes(const struct plan *plan);
/* What is seen of the launch without timing, and of the machine for it. (poise/launches.h) */
int plan_counts(struct launch_counts *out, const struct plan *plan, struct error *err);
/* The same of a trace, for telling launches apart: of a launch of many CTAs, what needs more than the warps' lengths is
 * counted over some of them, evenly spread, and multiplied by the instructions of all over theirs. */
int trace_counts(struct launch_counts *out, const struct trace *trace, const struct gpu_params *params,
                 struct error *err);
struct launch_machine gpu_launch_machine(const struct gpu_params *params);
/* True if `params` would give the same plan, so that a sweep can share it. */
bool plan_fits(const struct plan *plan, const struct gpu_params *params);

/* ---- statistics ---- */
struct gpu_stats; /* rows in stats.h; plain uint64_t counters */
extern const struct stat_table gpu_stat_table;
extern const struct ratio_row gpu_ratio_rows[];
extern const size_t n_gpu_ratio_rows;
/* Sums of two counters, for people who compare with a profiler: printed beside them, and in no store. */
struct gpu_sum_row {
    const char *name, *unit, *doc, *terms[2];
};
extern const struct gpu_sum_row gpu_sum_rows[];
extern const size_t n_gpu_sum_rows;
/* Rows side by side that one unit counts: `first` .. `first` + n - 1 of gpu_stat_table. */
struct gpu_stat_group {
    const char *name, *doc, *source; /* "l1"; what is counted; where in this tree */
    size_t first, n;
};
extern const struct gpu_stat_group gpu_stat_groups[];
extern const size_t n_gpu_stat_groups;
/* The counters that a ratio divides: rows of gpu_stat_table. */
void gpu_ratio_parts(const struct ratio_row *ratio, const struct stat_row **num, const struct stat_row **den);
/* The `stats` object of CONTRACTS.md: counters, ratios, stalls{}. */
struct json_t *gpu_stats_json(const struct gpu_stats *stats);
void gpu_stats_features(const struct gpu_stats *stats, struct feature_counters *out);
/* One value by the name it has in JSON ("core_cycles", "l1d_hit_rate"). NAN if there is no such row. */
double gpu_stats_value(const struct gpu_stats *stats, const char *name);

/* ---- one run ---- */
/* What a run tells of itself: mechanisms' states and tuples, IPC and hit rate every `interval_cycles`, per SM. For
 * one run at a time; written in the Chrome trace-event format. NULL when out of memory. */
struct gpu_timeline;
struct gpu_timeline *gpu_timeline_new(uint64_t interval_cycles);
void gpu_timeline_free(struct gpu_timeline *timeline); /* accepts NULL */
int gpu_timeline_write(const struct gpu_timeline *timeline, const char *path, struct error *err);
/* The order in which a run performs its atomics of global memory, at L2 or at the SMs. A line of memory is always
 * performed on at one place, so that its atomics are in order for certain. For one run at a time, on a machine whose
 * atomics go as one request a line. NULL when out of memory. */
struct gpu_atomic_order;
struct gpu_atomic_order *gpu_atomic_order_new(void);
void gpu_atomic_order_free(struct gpu_atomic_order *order); /* accepts NULL */
uint64_t gpu_atomic_order_n(const struct gpu_atomic_order *order);
/* The text that ptx_order_parse (poise/ptx.h) reads. */
int gpu_atomic_order_write(const struct gpu_atomic_order *order, const char *path, struct error *err);
/* Every queue of the machine, each kind summed over its units: for Little's law. The L2 rows count reads only as
 * they should. */
enum {
    GPU_QUEUE_L1_MSHRS,
    GPU_QUEUE_L1_MISS,
    GPU_QUEUE_L2_ACCESS,
    GPU_QUEUE_L2_MSHRS,
    GPU_QUEUE_L2_MISS,
    GPU_QUEUE_DRAM,
    GPU_QUEUE_L2_RESPONSES,
    GPU_QUEUE_SM_REPLIES,
    GPU_N_QUEUES
};
struct gpu_queue_watch {
    const char *name;
    double occupancy;              /* mean number in it */
    double wait_cycles;            /* mean stay, core cycles */
    uint64_t arrived, left, level; /* over the run; level: still in it */
    double area, stayed;           /* sums behind the means */
};
struct gpu_watch {
    struct gpu_queue_watch queues[GPU_N_QUEUES];
    double time; /* core cycles watched */
};
/* Programs of the machine's CPU cores, which share L2 and DRAM with the kernel: on the first n cores. The run ends
 * when each program and the kernel have come to their end once; those that end before start again. [TECHNIQUES 5;
 * the usual rule for mixes] */
enum { GPU_CPU_CORES = 8 };
struct cpu_stream;
struct gpu_cpu_programs {
    const struct cpu_stream *streams[GPU_CPU_CORES]; /* borrowed */
    unsigned n;
    bool without_gpu; /* the kernel is not launched: programs alone */
};
/* When each came to its end first, and how often. */
struct gpu_cpu_result {
    uint64_t gpu_cycles, gpu_runs; /* core cycles */
    unsigned n;
    uint64_t cycles[GPU_CPU_CORES], runs[GPU_CPU_CORES], insts[GPU_CPU_CORES]; /* CPU cycles; instructions of one run */
    struct json_t *stats[GPU_CPU_CORES];                                       /* counters of each core */
};
/* Another launch beside the first: its CTAs run on the second half of the SMs, the first's on the first half (of an odd
 * number the larger one); L2 and DRAM are shared. What neither of them shares with the other (all memory, or of one
 * program all but global memory) has lines of its own in L2 and DRAM. Each has mechanisms of its own, which see its SMs
 * alone: none that decides about L2 or has a unit. The run ends when both launches have. [THESIS §5.7.10, §6.3] */
struct gpu_beside {
    struct hash trace;       /* of the launch: for the key of the run */
    const struct plan *plan; /* of a machine of gpu_beside_sms() SMs, as the first launch's */
    const struct mech_spec *stack;
    unsigned n_stack;
    bool is_same_program; /* as the first launch: both plans count lines from the same one (plan_lines_join) */
};
uint32_t gpu_beside_sms(const struct gpu_params *params, unsigned which); /* SMs of the first (0), or the second (1) */
/* What one of them did until its last CTA had finished. */
struct gpu_launch_result {
    uint64_t cycles;
    uint32_t sms;
    bool complete;
    struct gpu_stats *stats; /* what its SMs count; nothing of the network, L2 and DRAM */
    unsigned n_mechs;
    struct json_t *mechs[MECH_STACK_MAX];
};
/* Policies one after another within one launch, which a policy changes mechanisms and parameters of l1 and lsu of.
 * Before each change the warps stop until nothing is on its way; L1 begins empty where its parameters change. */
enum { GPU_PHASES_MAX = 32 };
struct gpu_phase {
    const char *name; /* of its policy, for people */
    const struct gpu_params *params;
    const struct plan *plan;
    const struct mech_spec *stack;
    unsigned n_stack;
    uint64_t cycles; /* core cycles until the next one's turn; 0: to the end of the launch, the last one's alone */
};
struct gpu_phase_seen {
    uint64_t cycles, insts; /* until its end, and warp instructions that it has executed */
};
struct gpu_phases {
    const struct gpu_phase *items;
    unsigned n;
    /* Which of them the rest of the launch runs under, by what has been seen of all. NULL: there is none to decide. */
    unsigned (*decide)(const void *self, const struct gpu_phase_seen *seen);
    const void *self;
    const char *rule; /* what decides, for the run's key; NULL where nothing does */
};
struct gpu_limits {
    uint64_t max_cycles;           /* core cycles; 0 = none. Reached: the result is incomplete, not an error */
    uint64_t max_insts;            /* warp instructions retired over all SMs; 0 = none. Reached: likewise incomplete */
    uint64_t warmup_cycles;        /* the baseline runs so long (no mechanism), then the stack takes over; 0 = the stack
                                    * from the start */
    const struct snapshot *warm;   /* the end of that warm-up, of the same launch and machine, to begin with; NULL:
                                    * simulate it */
    double early_end;              /* 0: never. End when progress is steady and the core cycles of the whole launch are
                                    * known within this share with 95 % confidence (sim/gpu/run/steady.h): incomplete,
                                    * with an estimate */
    uint64_t watchdog_cycles;      /* nothing goes on for so long: ERR_DEADLOCK; 0 = a million beyond what the machine
                                    * itself may wait (sim/gpu/run/watchdog.h) */
    unsigned threads;              /* for runs that fork (the oracle); 0 = 1. The same bytes on any number */
    unsigned cores;                /* of the host, threads that share the work of one run; 0 = 1. Likewise */
    bool cores_always;             /* they share it even where that takes longer: for tests */
    bool no_skip;                  /* tick every unit in every cycle: slower, same bytes */
    struct gpu_timeline *timeline; /* NULL: nobody records */
    struct gpu_watch *watch;       /* NULL: nobody watches; slower, same bytes */
    const struct gpu_cpu_programs *cpu; /* NULL: CPU cores idle */
    const struct gpu_beside *beside;    /* NULL: the launch has the machine to itself */
    struct gpu_atomic_order *atomics;   /* NULL: nobody notes their order */
    const struct gpu_phases *phases; /* NULL: one policy. Else plan, parameters and stack of the run are the first's */
    /* 0: never. Of a launch of many waves of CTAs a part is simulated, so that its core cycles are known within this
     * share with 95 % confidence (sim/gpu/run/waves.h): incomplete, with estimates of the whole launch. Other launches
     * run as without it. */
    double sample;
};
/* Core cycles of a launch that ended early or was simulated in part, and half of their 95 % interval as a share; cycles
 * 0: it ran to its end. */
struct gpu_estimate {
    double cycles, error;
};
struct gpu_result {
    struct gpu_stats *stats;
    bool complete;
    struct gpu_estimate estimate;
    unsigned n_mechs;
    struct json_t *mechs[MECH_STACK_MAX]; /* {"name","params","stats"} */
    size_t arena_bytes;
    struct gpu_cpu_result cpu; /* of a run with CPU programs; n = 0 otherwise */
    unsigned n_launches;       /* 2: of launches side by side, of which mechs[] has the first one's; 0 otherwise */
    struct gpu_launch_result launches[2];
    /* Of a launch simulated in part, whose stats are estimates of the whole: {name, params {warp_insts: how many were
     * simulated}, stats {counter: half of its interval of 95 %, as a share}}; NULL: of any other. */
    struct json_t *sampled;
    /* Of a run of several policies, whose mechs[] are the first one's: {name GPU_PHASES, params {}, stats {changes,
     * drain_cycles}, chosen, phases [{policy, cycles, drain_cycles, warp_insts, complete, stats {}, mech []}]}. */
    struct json_t *phases;
};
#define GPU_SAMPLED "simulated in part"
#define GPU_PHASES "phases"
int gpu_run(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params,
            const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits, struct error *err);
/* Whether the SMs of such a run share state, so that one thread ticks them whatever limits->cores says: which, as text.
 * NULL: they do not. */
const char *gpu_sms_share(const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                          const struct gpu_limits *limits, char *text, size_t size);
void gpu_result_free(struct gpu_result *result);
/* Whole programs: what L2 and DRAM hold when one launch ends, for the next (L1 is flushed between launches). */
struct gpu_carry;
struct gpu_carry *gpu_carry_new(const struct gpu_params *params); /* empty caches; NULL when out of memory */
void gpu_carry_free(struct gpu_carry *carry);
/* The line that plans of its launches count from (plan_lines_join); 0: each from its own. NULL: 0. */
void gpu_carry_count_from(struct gpu_carry *carry, uint64_t first_line);
uint64_t gpu_carry_counts_from(const struct gpu_carry *carry);
/* What L2 holds of the launches so far (nothing of what mechanisms keep), the caller's; NULL when out of memory. */
struct gpu_carry *gpu_carry_copy(const struct gpu_carry *carry);
/* The launch's line requests reach L2 without time, but for the first `skip`. */
int gpu_carry_replay(struct gpu_carry *carry, const struct plan *plan, const struct gpu_params *params, uint64_t skip,
                     struct error *err);
/* gpu_run that starts from `carry` and leaves its end there. Launches of one program, in order, on one
 * configuration. */
int gpu_run_carry(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params,
                  const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                  struct gpu_carry *carry, struct error *err);
/* Identity of a run: trace, resolved configuration, mechanism stack with parameters and the content of files they name,
 * limits that change results, SIM_MODEL_VERSION. */
int gpu_run_key(struct hash *out, const struct hash *trace, const struct gpu_params *params,
                const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits, struct error *err);
/* The same in two steps, for many runs of one configuration: what a key says of it (the caller's to free(); NULL
 * when out of memory), and the rest. */
char *gpu_key_config(const struct gpu_params *params);
int gpu_run_key_with(struct hash *out, const struct hash *trace, const char *config, const struct mech_spec *stack,
                     unsigned n_stack, const struct gpu_limits *limits, struct error *err);
#endif
