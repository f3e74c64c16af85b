/* nw: Needleman-Wunsch alignment of pairs of sequences. */
#include "workload.h"

enum { SIDE = 16, LETTERS = 24 };
struct sizes {
    uint32_t n, pairs;
}; /* n is a multiple of SIDE */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 2}, [WL_SMALL] = {256, 16}, [WL_FULL] = {4096, 1}, [WL_EVAL] = {256, 680}};

static int32_t best(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a > b ? a : b;
    return m > c ? m : c;
}

/* The similarity of the letters of each pair of sequences, and the borders of the score matrix. */
static void fill(struct sizes s, int32_t penalty, int32_t *similarity, int32_t *score, uint32_t *letters)
{
    struct wl_rng rng = {24};
    size_t columns = s.n + 1;
    int32_t table[LETTERS][LETTERS];
    for (size_t i = 0; i < LETTERS; i++)
        for (size_t j = 0; j <= i; j++)
            table[i][j] = table[j][i] =
                i == j ? 4 + (int32_t)wl_rng_below(&rng, 8) : (int32_t)wl_rng_below(&rng, 8) - 4;
    for (size_t p = 0; p < s.pairs; p++, similarity += columns * columns, score += columns * columns) {
        for (size_t i = 0; i < 2 * columns; i++) letters[i] = wl_rng_below(&rng, LETTERS);
        for (size_t i = 1; i < columns; i++) {
            score[i] = score[i * columns] = -(int32_t)i * penalty;
            for (size_t j = 1; j < columns; j++) similarity[i * columns + j] = table[letters[i]][letters[columns + j]];
        }
    }
}

static void reference(struct sizes s, int32_t penalty, const int32_t *similarity, int32_t *score)
{
    size_t columns = s.n + 1;
    for (size_t p = 0; p < s.pairs; p++, similarity += columns * columns, score += columns * columns)
        for (size_t i = 1; i < columns; i++)
            for (size_t j = 1; j < columns; j++) {
                size_t at = i * columns + j;
                score[at] = best(score[at - columns - 1] + similarity[at], score[at - 1] - penalty,
                                 score[at - columns] - penalty);
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "nw-batched", .doc = "Needleman-Wunsch sequence alignment (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t columns = s.n + 1, width = s.n / SIDE;
    int32_t penalty = 10;
    size_t n = (size_t)columns * columns * s.pairs, bytes = n * sizeof(int32_t);
    int32_t *similarity = WL_NEW(&w, int32_t, n), *score = WL_NEW(&w, int32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *letters = WL_NEW(&w, uint32_t, 2 * columns);
    fill(s, penalty, similarity, score, letters);

    CUdeviceptr d_similarity = wl_upload(&w, similarity, bytes), d_score = wl_upload(&w, score, bytes);
    CUfunction upper = wl_function(&w, "nw_upper"), lower = wl_function(&w, "nw_lower");
    uint32_t length = 0;
    void *args[] = {&d_similarity, &d_score, &columns, &penalty, &length, &width};
    for (length = 1; length <= width; length++) wl_launch(&w, upper, length, s.pairs, SIDE, 1, args);
    for (length = width - 1; length >= 1; length--) wl_launch(&w, lower, length, s.pairs, SIDE, 1, args);

    reference(s, penalty, similarity, score);
    wl_output(&w, got, d_score, bytes);
    wl_compare_u32(&w, "score", got, (const uint32_t *)score, n);
    return wl_end(&w);
}
