/* What warps wait for: the parts of waits.c, waits_words.c and waits_trace.c. */
#ifndef PTX_WAITS_H
#define PTX_WAITS_H
#include "exec/exec.h"

enum {
    WORDS_MOST = 1 << 22,
    PAGES_MOST = 1 << 20,
    LOG_MOST = 1 << 24,
    READS_MOST = 64,
    BACK_MOST = 1 << 14,
    TOUCHED_MOST = 8 * LANES, /* 32 bytes a lane */
    NO_ENTRY = -1
};

/* Four aligned bytes that a loop has read, or that have changed since they may be waited for. */
struct word {
    uint64_t address; /* as in struct trace_word */
    uint32_t cta, count;
    int32_t last;   /* change of it, in the log */
    uint32_t first; /* its value before the first */
    unsigned char *host;
};
/* Which words of a page may be waited for: many more than are read or change. */
struct known_page {
    uint64_t key, bits[16]; /* by word */
};
struct touched_word {
    uint64_t address;
    unsigned char *host;
    uint32_t old; /* its value before the access */
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
    struct known_page *pages;
    uint32_t *table, *page_table; /* of words + 1 by address and CTA; of pages + 1 */
    size_t n_words, cap_words, n_log, cap_log, n_found, cap_found, cap_table, n_pages, cap_pages, cap_page_table;
    uint64_t low, high; /* addresses of known words of global memory */
    bool has_shared;    /* there are some of shared memory */
    struct touched_word touched[TOUCHED_MOST];
    uint32_t n_touched;
    struct waited *all;
    unsigned char *regs; /* what trials write */
    uint32_t *values;    /* older ones of the word in hand, BACK_MOST + 1 */
    bool is_trial, trial_is_over, gives_up, lacks_memory;
    uint32_t trial_taken;
};

/* waits_words.c */
int waits_words_init(struct waits *x); /* -1: out of memory */
void waits_words_fini(struct waits *x);
/* Room for one more of n items; where there is none nothing is noted any more. */
bool waits_room(struct waits *x, void *pointer, size_t *cap, size_t n, size_t most, size_t item);
/* Whether an access is nowhere near a known word. */
bool waits_misses_words(const struct waits *x, const uint64_t addresses[LANES], uint32_t bytes);
/* Where the host has a word that may be waited for, or, if is_new_too, may be from now on; shared memory from
 * PTX_SHARED_WINDOW on. NULL: none, or it lies in no allocation. */
unsigned char *waits_host_of_word(struct run *r, const struct uop *u, uint64_t address, bool is_new_too);
/* NULL: there is no room for it. */
struct word *waits_word(struct run *r, const struct touched_word *t);
#endif
