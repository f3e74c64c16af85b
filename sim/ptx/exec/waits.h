/* What warps wait for: the parts of waits.c and waits_trace.c. */
#ifndef PTX_WAITS_H
#define PTX_WAITS_H
#include "exec/exec.h"

enum { WORDS_MOST = 1 << 22, LOG_MOST = 1 << 24, READS_MOST = 64, BACK_MOST = 1 << 14, NO_ENTRY = -1 };

/* Four aligned bytes that may be waited for. */
struct word {
    uint64_t address; /* as in struct trace_word */
    uint32_t cta, count;
    int32_t last;   /* change of it, in the log */
    uint32_t first; /* its value before the first */
    unsigned char *host;
    uint64_t stamp; /* of the access that touched it last */
};
/* A step that changed a word. */
struct change {
    uint64_t warp;
    uint32_t step, word, value;
    int32_t before; /* the change before this one of the same word */
};
struct read {
    uint32_t word, count; /* its changes until it was read */
    bool is_late;         /* other lanes of the warp went on between the round that spun and this one */
};
/* A wait, its step counted in its warp. */
struct found_wait {
    uint64_t warp;
    uint32_t step, word, count, round;
};
/* A warp in loops that can only wait. */
struct waited {
    uint64_t warp;
    struct read now[READS_MOST], before[READS_MOST]; /* in this round, and in the last that was marked as spun */
    uint32_t n_now, n_before;                        /* READS_MOST + 1: more than there is room for */
    uint32_t spun_end, spun_round;                   /* last step of that round, and how many it had */
    bool has_spun;
    int64_t last_wait, last_write; /* their steps; -1: none */
    struct waited *next;           /* of those to be freed */
};
struct waits {
    int (*run_warp)(struct run *, struct warp *); /* as a trial runs it: warp_run of exec/exec.h */
    struct word *words;
    struct change *log;
    struct found_wait *found;
    uint32_t *table; /* of words + 1, by address and CTA */
    size_t n_words, cap_words, n_log, cap_log, n_found, cap_found, cap_table;
    uint64_t stamp, low, high; /* low, high: addresses of words of global memory */
    bool has_shared;           /* there are words of shared memory */
    uint32_t touched[4 * LANES], old[4 * LANES], n_touched;
    struct waited *all;
    unsigned char *regs; /* what trials write */
    uint32_t *values;    /* older ones of the word in hand, BACK_MOST + 1 */
    bool is_trial, trial_is_over, gives_up, lacks_memory;
    uint32_t trial_taken;
};
#endif
