/* attention: scores of local attention. */
#include "workload.h"

#include <math.h>

/* `queries` of each of `heads`; a multiple of BLOCK. Windows have at least `shortest` and at most `longest` rows. */
struct sizes {
    uint32_t heads, queries, shortest, longest;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 256, 12, 40},
    [WL_SMALL] = {1, 1024, 64, 256},
    [WL_FULL] = {8, 4096, 64, 256},
    [WL_EVAL] = {3, 4096, 64, 256}, /* 96 blocks: shared memory has room for 3 on each of 32 SMs */
};
enum { BLOCK = 128, WIDTH = 32 };

struct window {
    uint32_t first, rows;
};

/* Runs of 16 to 144 queries look equally far, as the words of a passage do, and most not much further than the shortest
 * window (the least of four drawn). A window has its query in the middle and is moved where the text begins or ends. */
static void draw_windows(struct sizes s, struct wl_rng *rng, struct window *windows)
{
    for (uint32_t head = 0; head < s.heads; head++, windows += s.queries)
        for (uint32_t query = 0; query < s.queries;) {
            uint32_t rows = s.longest, end = query + 16 + wl_rng_below(rng, 129);
            for (int draw = 0; draw < 4; draw++) {
                uint32_t drawn = s.shortest + wl_rng_below(rng, s.longest - s.shortest + 1);
                if (drawn < rows) rows = drawn;
            }
            for (; query < end && query < s.queries; query++) {
                uint32_t first = query > rows / 2 ? query - rows / 2 : 0;
                windows[query] = (struct window){first + rows < s.queries ? first : s.queries - rows, rows};
            }
        }
}

static void reference(struct sizes s, const float *queries, const float *keys, const struct window *windows,
                      float scale, float *scores)
{
    for (size_t head = 0; head < s.heads; head++)
        for (size_t query = 0; query < s.queries; query++) {
            struct window in = windows[head * s.queries + query];
            for (size_t row = 0; row < in.rows; row++) {
                const float *q = queries + (head * s.queries + query) * WIDTH;
                const float *k = keys + (head * s.queries + in.first + row) * WIDTH;
                float sum = 0.0f;
                for (size_t i = 0; i < WIDTH; i++) sum = fmaf(q[i], k[i], sum);
                scores[(head * s.longest + row) * s.queries + query] = sum * scale;
            }
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "attention", .doc = "scores of local attention", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.heads * s.queries, n_scores = n * s.longest;
    float *queries = WL_NEW(&w, float, n *WIDTH), *keys = WL_NEW(&w, float, n *WIDTH),
          scale = 0.17677669f; /* 1 / sqrt(32) */
    float *want = WL_NEW(&w, float, n_scores), *got = WL_NEW(&w, float, n_scores);
    struct window *windows = WL_NEW(&w, struct window, n);
    struct wl_rng rng = {97};
    wl_rng_fill(&rng, queries, n * WIDTH);
    wl_rng_fill(&rng, keys, n * WIDTH);
    draw_windows(s, &rng, windows);

    CUdeviceptr d_queries = wl_upload(&w, queries, n * WIDTH * sizeof *queries),
                d_keys = wl_upload(&w, keys, n * WIDTH * sizeof *keys);
    CUdeviceptr d_windows = wl_upload(&w, windows, n * sizeof *windows),
                d_scores = wl_alloc(&w, n_scores * sizeof *got);
    void *args[] = {&d_queries, &d_keys, &d_windows, &d_scores, &s.queries, &s.longest, &scale};
    wl_launch(&w, wl_function(&w, "attention_scores"), wl_blocks(s.queries, BLOCK), s.heads, BLOCK, 1, args);

    reference(s, queries, keys, windows, scale, want);
    wl_output(&w, got, d_scores, n_scores * sizeof *got);
    wl_compare_f32(&w, "scores", got, want, n_scores);
    return wl_end(&w);
}
