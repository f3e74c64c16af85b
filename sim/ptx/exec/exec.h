/* A launch being executed. */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H
#include <string.h>
#include "exec/atomic_order.h"
#include "exec/shadow.h"
#include "lower/code.h"

#define N_BARRIERS 16
/* Where a trace shows generic accesses to parameters of which only their addresses tell: in front of local memory, and
 * so much room is kept there in kernels that make such addresses. */
#define PARAM_BANK_BYTES ((uint64_t)64 << 10)
/* Leaves of a diverged warp have disjoint masks and every reconvergence entry has a mask larger than what is above
 * it, so 32 lanes cannot need more. */
#define STACK_DEPTH 72

/* PARKED: its lanes wait at pc for others of the warp; RELEASED: these have come, what is at pc is done for them. */
enum entry_state { ENTRY_RUNS, ENTRY_PARKED, ENTRY_RELEASED };
struct stack_entry {
    uint32_t pc, reconverge, mask, state;
};
enum warp_state { WARP_READY, WARP_WAITS, WARP_DONE };

struct warp {
    struct stack_entry *stack; /* STACK_DEPTH, and more where there are frames */
    uint32_t depth;
    struct frame *frames; /* MAX_CALL_FRAMES, where there are any */
    uint32_t n_frames;
    unsigned char *saved; /* of the frames, one behind the other */
    size_t saved_bytes, saved_cap;
    uint32_t lanes; /* that exist */
    uint32_t index; /* in its CTA */
    enum warp_state state;
    uint32_t barrier;       /* WAITS: which */
    const struct uop *wait; /* WAITS: the instruction */
    uint32_t wait_mask;
    unsigned char *regs, *local;
    uint64_t local_base;              /* of the trace's interleaved addresses */
    struct trace_warp_buffer *buffer; /* NULL: nothing is recorded */
    uint64_t busy;                    /* instructions since it waited, or its lanes took turns */
    uint32_t spin_pc, spin_mask; /* the branch back of a loop that can only wait, taken last, and the lanes that took
                                  * it */
    uint64_t spin_at;            /* counts.warp_insts then */
    uint64_t round_begin;        /* the same, as if no other warp had had a turn since; between turns in_round is kept
                                  * instead */
    uint64_t in_round;           /* its own instructions since then */
    bool round_changed;          /* it changed memory in a turn before this one, but since then */
    bool has_turned;             /* lanes have gone beyond their meeting point: they wait for the others at barriers */
    bool spins;                  /* its last round changed nothing: until memory changes, neither will the next */
    struct waited *waited;       /* waits.c; NULL: it has been in no loop that can only wait */
    bool is_held;                /* it stands at an instruction whose turn in the order of atomics has not come, */
    uint32_t held_mask;          /* and these lanes of an atomic are still to be performed; 0: all, or no atomic */
};

/* A call in progress. It is over when the SIMT stack is as low as it was. */
struct frame {
    uint32_t depth, mask;
    const struct uop *call;
    const struct callee *callee;
    size_t saved; /* in w->saved */
};

struct barrier {
    uint32_t warps;          /* waiting */
    uint32_t arrived;        /* by bar.arrive */
    uint32_t threads;        /* expected; 0: all live warps */
    uint32_t popc, all, any; /* bar.red */
};

struct run {
    const struct ptx_kernel *kernel;
    const struct ptx_grid *grid;
    const struct ptx_memory *memory;
    const struct ptx_services *services; /* may be NULL */
    void *own_block;                     /* in which all else of the run lies; NULL: in one of several runs */
    struct stack_entry *stacks;
    struct frame *frames;
    unsigned char *params, *shared, *local, *files;
    uint32_t shared_bytes, local_bytes, n_warps;
    uint32_t cta[3];
    uint64_t cta_index;
    struct warp *warps;
    struct barrier barriers[N_BARRIERS];
    struct ptx_extent *extents; /* by instruction: the allocation it touched last */
    struct shadows *shadows;    /* on one of several threads: global memory as this one sees it; else NULL */
    struct ptx_counts counts;   /* of the whole launch so far */
    uint64_t limit;             /* of counts.warp_insts */
    uint64_t stop;              /* where the warp in hand makes room for others; at most the limit */
    uint64_t spin_insts;        /* a warp that is busy for longer may spin */
    uint64_t turn_begin;        /* count when the warp in hand got its turn */
    uint64_t changed;           /* count when global or shared memory last changed, by whichever CTA */
    uint64_t progress;          /* ... or a warp ended or came to a barrier */
    uint64_t idle_since;        /* the same of the whole launch */
    uint64_t idle_limit;        /* so many warp instructions without progress are an error */
    struct waits *waits;        /* what is waited for; NULL: it is not recorded */
    struct error *err;
    bool has_told_shuffle; /* services->undefined knows */
};

/* A warp in a loop that can only wait (lower/spin.c) gives its turn away after a round in which it changed no
 * memory, and gets none before memory has changed. Where all warps of a CTA do so, CTAs take turns. Other loops may
 * wait in ways that nobody sees: warps take turns of so many instructions where none ends, waits at a barrier or
 * changes memory: a warp may wait for what another one writes. Where a whole CTA spins so, it waits for another CTA,
 * and CTAs take turns as well. */
#define TURN_INSTS ((uint64_t)1 << 18)
#define SPIN_INSTS ((uint64_t)2 << 18)
#define RESIDENT_TURN_INSTS 512u
#define SPIN_PATIENCE \
    ((uint64_t)1 << 20)       /* a launch idle for longer hangs, as a rule: whole turns, to come to its
                               * end sooner */
#define AFTER_SPIN_INSTS 512u /* once a warp has been seen to spin, others of the launch will: look sooner */

/* The bytes of one element: a memcpy of each size that there is, in place of a call. */
static inline void copy_bytes(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 4) memcpy(to, from, 4);
    else if (bytes == 8) memcpy(to, from, 8);
    else if (bytes == 1) memcpy(to, from, 1);
    else if (bytes == 2) memcpy(to, from, 2);
    else memcpy(to, from, bytes);
}
/* An element of 1, 2, 4 or 8 bytes, zero-extended. It is never put together in memory from fewer bytes than are read
 * then: the host would wait for the store. */
static inline uint64_t zero_extended(const void *from, uint32_t bytes)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    if (bytes == 4) return memcpy(&w, from, 4), w;
    if (bytes == 8) return memcpy(&d, from, 8), d;
    if (bytes == 2) return memcpy(&h, from, 2), h;
    return memcpy(&b, from, 1), b;
}

static inline void run_tell_progress(const struct run *r, uint64_t ctas, uint64_t n_ctas)
{
    const struct ptx_services *s = r->services;
    if (s && s->progress) s->progress(s->self, ctas, n_ctas, r->counts.warp_insts);
}

/* cta.c */
/* r->kernel, grid, memory, services, limit, err are set. memory: run_bytes() of it that stay until run_free, or NULL:
 * it takes its own. */
int run_new(struct run *r, const void *params, size_t param_bytes, void *memory);
size_t run_bytes(const struct run *r, size_t param_bytes);
void run_free(struct run *r);
void cta_start(struct run *r, uint64_t index, struct trace_warp_buffer *buffers);
/* A turn for each warp that can go on. CTA_ENDED; CTA_GOES_ON; CTA_SPINS: all of its warps that are not at a barrier
 * wait for memory to change, and it did not in this round; or -1. asks_all: no other warp, and no other CTA, can go
 * on: other lanes of the same warps are asked, and those that wait once more, as another thread of the host may
 * write managed memory. */
enum { CTA_GOES_ON, CTA_ENDED, CTA_SPINS };
int cta_round(struct run *r, uint64_t turn_insts, bool asks_all);
/* parallel.c: whether several threads of the host may be of use. Then, after some CTAs have run, those from *next on,
 * which is moved behind the last that is done; the others are to run in order. -1: out of memory. */
bool may_run_in_parallel(const struct run *r, uint64_t n_ctas);
/* pace: the seconds that an instruction takes in order, by which they must be faster; 0: they need not be. */
int run_in_parallel(struct run *r, const void *params, size_t param_bytes, uint64_t *next, uint64_t n_ctas, double pace,
                    struct trace_writer *recorder);
/* grid.c: CTAs from r's on are resident together and take turns. r is in progress, or has not begun (is_fresh). All of
 * them: else as many as there is room for, the earliest first. */
int run_residents(struct run *r, const void *params, size_t param_bytes, bool is_fresh, bool needs_all, uint64_t n_ctas,
                  struct trace_writer *recorder);

/* fault.c: the lane's place and the instruction in front, then the format: returns -1. */
int run_fault(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* exec_control.c: runs the warp until it waits at a barrier, ends, or its turn is over. */
int warp_run(struct run *r, struct warp *w);
/* The lanes in front may wait for others of their warp, which the stack holds back at a branch or at its meeting
 * point (a lock taken lane by lane): those that have waited longest go on, on their own. */
void warp_turn_lanes(struct warp *w);
/* Whether the warp changed memory since the last branch back of a loop that can only wait. */
bool round_changed_memory(const struct run *r, const struct warp *w);
/* The lanes of `active` that the instruction's guard lets through. */
static inline uint32_t guard_mask(const struct warp *w, const struct uop *u, uint32_t active)
{
    uint32_t p;
    if (u->guard == NO_SLOT) return active;
    memcpy(&p, w->regs + u->guard, 4);
    return active & (u->flags & UOP_GUARD_NOT ? ~p : p);
}
/* exec_gather.c: before an instruction that waits for other lanes of its warp, where the warp has diverged. */
enum gathered {
    GATHER_WAITS, /* others must come first, and are in front now */
    GATHER_RUNS,  /* all that can come are there: *mask has grown by those parked here */
    GATHER_PASSES /* done already, together with others */
};
enum gathered gather_lanes(struct warp *w, const struct uop *code, uint32_t pc, uint32_t *mask);

/* Lets the warps of completed barriers go on; false if there is none. */
bool barriers_release(struct run *r);

/* exec_memory.c */
int exec_load(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
int exec_store(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
void exec_argument(struct warp *w, const struct uop *u, uint32_t mask);
/* Lane addresses, alike in active and (filled with the first active lane's) inactive lanes. mask != 0 */
void lane_addresses(const struct warp *w, const struct uop *u, uint32_t mask, uint64_t addresses[LANES]);
void record_addresses(struct warp *w, const struct uop *u, uint32_t mask, const uint64_t addresses[LANES]);
/* Splits a generic access by space; calls `each` with addresses of that space. */
typedef int space_fn(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                     uint64_t addresses[LANES]);
int each_space(struct run *r, struct warp *w, const struct uop *u, uint32_t mask, uint64_t addresses[LANES],
               space_fn *each);
/* Checks bounds and alignment of `bytes` at each address and turns addresses into host addresses. */
int to_host(struct run *r, const struct warp *w, const struct uop *u, enum space space, uint32_t mask, uint32_t bytes,
            uint64_t addresses[LANES]);

/* `bytes` of one lane at a generic address: where the host has them, or NULL and a fault. */
unsigned char *lane_memory(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                           uint32_t bytes);

/* exec_call.c: frames, the stack in local memory */
int exec_call(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
void exec_frames_end(struct run *r, struct warp *w); /* those that are over */
int exec_stack(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);

/* exec_builtin.c */
int exec_builtin(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);

/* exec_texture.c */
int exec_texture(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
/* exec_surface.c */
const struct ptx_texture *find_texture(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane);
bool texture_is_sound(const struct ptx_texture *t);
int exec_surface(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
/* exec_mma.c */
int exec_mma(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
int exec_texture_query(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);

/* exec_atomic.c */
int exec_atomic(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
/* atomic_apply.c */
uint64_t atomic_apply(uint8_t op, enum ptx_type type, uint64_t old, uint64_t b, uint64_t c);

/* atomic_words.c: the lanes of mask, where there is a function for such atomics; else false, and nothing is done. */
bool atomic_words(const struct warp *w, const struct uop *u, uint32_t mask, const uint64_t hosts[LANES], bool *changed);

/* waits.c: what warps wait for, where a kernel has loops that can only wait and is recorded. */
int waits_new(struct run *r, int (*run_warp)(struct run *, struct warp *));
void waits_free(struct waits *waits);
/* About an access that may be waited for (uop.notes): its addresses as lane_addresses() gives them. */
void waits_begin_access(struct run *r, struct warp *w, const struct uop *u, uint32_t mask,
                        const uint64_t addresses[LANES]);
void waits_end_access(struct run *r, struct warp *w);
/* At the branch back `u` of such a loop, which `taken` of the active lanes take; the round has n instructions. */
void waits_round(struct run *r, struct warp *w, const struct uop *u, uint32_t active, uint32_t taken, uint64_t n);
/* The round is a trial: the warp's state is not touched, and it stops here. */
bool waits_trial_ends(struct run *r, uint32_t taken);
/* A wait of the warp ends right before its last n steps: they cannot be marked as one with those before. */
bool waits_end_at(const struct warp *w, uint64_t n);
void waits_warp_ends(struct run *r, struct warp *w);
int waits_record(struct run *r, struct trace_writer *recorder); /* puts it into the trace */

/* exec_async.c */
int exec_load_part(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
int exec_mbarrier(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);

/* A fence or a barrier: true, and the warp is held, while atomics of its own wait for their turn. */
bool is_held_for_atomics(struct run *r, struct warp *w, const struct uop *u);
static inline struct ptx_order *order_of(const struct run *r) { return r->services ? r->services->order : NULL; }

/* exec_warp.c: moves, votes, shuffles */
void exec_warp_op(struct run *r, struct warp *w, const struct uop *u, uint32_t mask);
#endif
