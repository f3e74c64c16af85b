/* Device memory as a thread of the host sees it that runs CTAs of a launch beside others: its own stores go to copies
 * of its own, and each byte of these is marked as read or written. Allocations that nobody is known to write are read
 * where they are; only that they were read is noted. Of allocations that the thread itself does not read, its stores
 * alone are kept. */
#ifndef PTX_SHADOW_H
#define PTX_SHADOW_H
#include "exec/store_log.h"
#include "poise/ptx.h"

#define SHADOW_PAGE STORE_PAGE
#define SHADOW_PAGES_MOST 65536u /* 512 MiB with their marks: a thread that touches more between two merges gives up */
#define SHADOW_PAGES_KEPT 2048u  /* 16 MiB: an allocation's copies that are kept for later ones; more are given back */
enum {
    MARK_READ = 1,    /* a byte that was read before the thread wrote it */
    MARK_WRITTEN = 2, /* (both of a page: some byte of it) */
    PAGE_PRESENT = 4  /* of a page: it is copied, its marks are in use */
};

/* A copy of an allocation, page by page. Address space for all of it, memory for the pages that are touched. */
struct shadow {
    unsigned char *bytes, *marks; /* one mapping */
    size_t map_bytes;
    uint8_t *states; /* by page */
    uint32_t *pages; /* that are present, in the order of their first use; room for all */
    size_t n_pages;
    size_t n_kept; /* pages that have memory of before */
};
/* An allocation that was touched. */
struct touched {
    struct ptx_extent real; /* host is never NULL */
    struct shadow *shadow;  /* NULL: read where it is, or only written */
    struct store_log *log;  /* its stores, where there is no shadow; NULL: none so far */
    bool is_read_unmarked;
};
/* The allocation that an instruction touched last. */
struct view {
    uint64_t lo, hi;
    uint64_t shift; /* from device addresses to the host's: of the copy, or of the allocation */
    struct shadow *shadow;
    struct store_log *log;
};
struct shadows {
    const struct ptx_memory *memory;
    struct view *views; /* by instruction */
    size_t n_code;
    struct touched *touched; /* ascending addresses */
    size_t n, cap;
    const struct ptx_extent *written; /* allocations that are copied when they are read, as somebody may write them */
    size_t n_written;
    size_t n_pages; /* present, of all copies */
    bool gives_up;  /* the thread came to what only a launch in order can do, or has no memory */
};
int shadows_init(struct shadows *s, const struct ptx_memory *memory, size_t n_code); /* -1: out of memory */
void shadows_fini(struct shadows *s);
/* Nothing is touched. The first keeps what was allocated and how allocations are seen. */
void shadows_forget_marks(struct shadows *s);
void shadows_forget_all(struct shadows *s);

/* Turns the addresses of the lanes of mask, all `bytes` wide, into the host's, of copies where there are any; false,
 * and the thread gives up: one is outside of all allocations. The other lanes get that of the first. kind: MARK_READ,
 * MARK_WRITTEN or both. The addresses hold until the next call. */
bool shadows_lanes(struct shadows *s, size_t instruction, unsigned kind, uint32_t mask, uint32_t bytes,
                   uint64_t addresses[32]);

/* Whether a byte was written by `before` that `after`, whose CTAs are later ones, has read. *unmarked: it may have, in
 * an allocation in which reads were not marked. */
bool shadows_overlap(const struct shadows *before, const struct shadows *after, bool *unmarked);
/* Stores what was written, of every `of` pages the one whose turn `share` is. Threads with different shares may do so
 * at once. */
void shadows_merge(const struct shadows *s, unsigned share, unsigned of);
/* The allocations that are copied, added to a list of *n that grows; -1: out of memory. */
int shadows_list_copied(const struct shadows *s, struct ptx_extent **list, size_t *n);
#endif
