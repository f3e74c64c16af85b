/* What a learned correction of the quick model sees of a warp tuple, and the table that `poise train` learns it from.
 * (private) */
#ifndef POISE_HINT_COLUMNS_H
#define POISE_HINT_COLUMNS_H
#include <stddef.h>
#include <stdint.h>
#include "poise/points.h"
#include "poise/quick.h"

/* A launch as the quick model has run it: n tuples, the last one (W, W). */
struct hint_surface {
    const struct warp_tuple *tuples;
    const struct quick_run *runs;
    size_t n;
    uint32_t W;
    double waves; /* warps of the launch by those that are resident */
};
/* Rates are by cycle of the modelled SMs; `all` is what (W, W) has. No column is a number of cycles, lines or bytes as
 * such, so that a launch of another size has the same. */
#define HINT_COLUMNS(C) \
    C(quick, "ln of the speedup over (W, W) that the quick model gives") \
    C(smooth, "mean of it over tuples, by their distance in doublings of N and p") \
    C(below, "what it lies below the surface's highest point") \
    C(relief, "the surface's highest point") \
    C(l1_hit, "hit rate of L1") \
    C(l1_more, "less that of all") \
    C(l1_one, "hit rate of L1 at (1, 1)") \
    C(l2_hit, "hit rate of L2") \
    C(l2_more, "less that of all") \
    C(lines, "accesses of L1 a cycle") \
    C(dram, "lines of DRAM a cycle") \
    C(reply, "bytes that come from L2 a cycle") \
    C(lines_all, "accesses of L1 a cycle, of all") \
    C(dram_all, "lines of DRAM a cycle, of all") \
    C(reply_all, "bytes that come from L2 a cycle, of all") \
    C(insts_all, "instructions a cycle, of all") \
    C(lines_inst, "log2 of accesses of L1 an instruction") \
    C(log2_N, "log2 of N") \
    C(log2_p, "log2 of p") \
    C(log2_W, "log2 of W") \
    C(log2_share, "log2 of N / W") \
    C(is_all, "1 at (W, W)") \
    C(is_equal, "1 where p = N") \
    C(log2_waves, "log2 of 1 + waves")
enum {
#define C(name, doc) HINT_##name,
    HINT_COLUMNS(C)
#undef C
        N_HINT_COLUMNS
};
extern const char *const hint_column_names[N_HINT_COLUMNS], *const hint_column_docs[N_HINT_COLUMNS];
void hint_columns(const struct hint_surface *surface, size_t tuple, double out[N_HINT_COLUMNS]);
#endif
