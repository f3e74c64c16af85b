/* swalign: Smith-Waterman scores of short reads. */
#include "workload.h"

#include <string.h>

/* The window of a read has `window` bases, of which a launch takes `rows`. */
struct sizes {
    uint32_t reads, window, rows;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {288, 4, 2},
    [WL_SMALL] = {2048, 4, 2},
    [WL_FULL] = {32768, 80, 2},
    [WL_EVAL] = {32768, 8, 2}, /* 256 blocks of 128: all places of 32 SMs */
};
#define BLOCK 128u
enum { MATCH = 2, MISMATCH = -3, GAP = 4 };
enum { QUADS_MIN = 12, QUADS_MAX = 19, CELLS = 4 * QUADS_MAX, REFERENCE = 1 << 20, SLACK = 2 };

/* Read r has 4 x quads[r] bases, four a byte; its window begins at windows[r]. */
struct reads {
    uint32_t n, *windows;
    uint8_t *bases, *quads, *reference;
};

/* Reads are cut from the reference: one base of 50 is read wrongly, one of 200 is missing, one of 200 is inserted. Two
 * thirds have all 76 bases, the others lost groups of four of their end, as trimming by quality does. The longest come
 * first, as batches are sorted for a GPU. */
static struct reads draw_reads(struct wl *w, uint32_t n, struct wl_rng *rng)
{
    struct reads r = {.n = n,
                      .windows = WL_NEW(w, uint32_t, n),
                      .bases = WL_NEW(w, uint8_t, (size_t)n * QUADS_MAX),
                      .quads = WL_NEW(w, uint8_t, n),
                      .reference = WL_NEW(w, uint8_t, REFERENCE)};
    for (uint32_t i = 0; i < REFERENCE; i++) r.reference[i] = (uint8_t)wl_rng_below(rng, 4);
    uint32_t lost[QUADS_MAX - QUADS_MIN + 1] = {0};
    for (uint32_t i = 0; i < n; i++) lost[wl_rng_below(rng, 3) ? 0 : wl_rng_below(rng, QUADS_MAX - QUADS_MIN + 1)]++;
    for (uint32_t i = 0, l = 0; i < n; i++) {
        while (lost[l] == 0) l++;
        lost[l]--;
        r.quads[i] = (uint8_t)(QUADS_MAX - l);
        r.windows[i] = wl_rng_below(rng, REFERENCE - 2 * CELLS);
        uint32_t at = r.windows[i] + wl_rng_below(rng, SLACK + 1);
        for (uint32_t k = 0; k < 4u * r.quads[i]; k++) {
            uint32_t base = r.reference[at++], error = wl_rng_below(rng, 200);
            if (error < 4) base = (base + 1 + wl_rng_below(rng, 3)) % 4;
            else if (error == 4) at++;
            else if (error == 5) at--;
            r.bases[(size_t)i * QUADS_MAX + k / 4] |= (uint8_t)(base << k % 4 * 2);
        }
    }
    return r;
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Adds the row of one base of the reference to a table, in place; the best score up to here. */
static int add_row(const uint8_t *bases, uint32_t length, uint32_t base, uint16_t *row, int best)
{
    int diagonal = 0, left = 0;
    for (uint32_t k = 0; k < length; k++) {
        int up = row[k], score = (uint32_t)(bases[k / 4] >> k % 4 * 2 & 3) == base ? MATCH : MISMATCH;
        left = larger(larger(diagonal + score, 0), larger(up, left) - GAP);
        diagonal = up;
        row[k] = (uint16_t)left;
        best = larger(best, left);
    }
    return best;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "swalign", .doc = "Smith-Waterman scores of short reads", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {76};
    struct reads r = draw_reads(&w, s.reads, &rng);
    size_t n_cells = (size_t)r.n * CELLS, table_bytes = n_cells * sizeof(uint16_t);
    uint16_t *table = WL_NEW(&w, uint16_t, n_cells), *got_table = WL_NEW(&w, uint16_t, n_cells);
    uint32_t *best = WL_NEW(&w, uint32_t, r.n), *got_best = WL_NEW(&w, uint32_t, r.n);

    CUdeviceptr d_bases = wl_upload(&w, r.bases, (size_t)r.n * QUADS_MAX), d_quads = wl_upload(&w, r.quads, r.n);
    CUdeviceptr d_reference = wl_upload(&w, r.reference, REFERENCE),
                d_windows = wl_upload(&w, r.windows, r.n * sizeof *r.windows);
    CUdeviceptr d_table = wl_alloc(&w, table_bytes), d_best = wl_alloc(&w, r.n * sizeof *best);
    CUfunction kernel = wl_function(&w, "swalign_rows");
    for (uint32_t first = 0; first < s.window; first += s.rows) {
        void *args[] = {&d_bases, &d_quads, &d_reference, &d_windows, &d_table, &d_best, &first, &s.rows, &r.n};
        wl_launch(&w, kernel, wl_blocks(r.n, BLOCK), 1, BLOCK, 1, args);
    }

    for (uint32_t i = 0; i < r.n; i++)
        for (uint32_t k = 0; k < s.window; k++)
            best[i] = (uint32_t)add_row(r.bases + (size_t)i * QUADS_MAX, 4u * r.quads[i], r.reference[r.windows[i] + k],
                                        table + (size_t)i * CELLS, (int)best[i]);
    wl_output(&w, got_best, d_best, r.n * sizeof *got_best);
    wl_compare_u32(&w, "best", got_best, best, r.n);
    wl_output(&w, got_table, d_table, table_bytes);
    for (size_t i = 0; i < n_cells; i++) wl_expect(&w, got_table[i] == table[i], "cell", i);
    return wl_end(&w);
}
