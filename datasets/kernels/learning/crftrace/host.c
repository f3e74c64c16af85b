/* crftrace: the best label sequences of a conditional random field. */
#include "workload.h"

enum { LABELS = 32, PREDECESSORS = 4 };
struct sizes {
    uint32_t sequences, positions;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 12},
    [WL_SMALL] = {8192, 32},
    [WL_EVAL] = {49152, 128}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {262144, 256},
};

/* Which labels may precede a label, and what the transition is worth. */
struct transition {
    uint8_t from;
    int worth;
};

static void draw_transitions(struct transition to[LABELS][PREDECESSORS], struct wl_rng *rng)
{
    for (uint32_t label = 0; label < LABELS; label++)
        for (uint32_t p = 0; p < PREDECESSORS; p++) {
            to[label][p].from = (uint8_t)(p == 0   ? label
                                          : p == 1 ? (label + LABELS - 1) % LABELS
                                                   : wl_rng_below(rng, LABELS));
            to[label][p].worth = (int)wl_rng_below(rng, 200);
        }
}

/* Viterbi's forward pass over one sequence: back[t] of every label, and the best label at the end. */
static uint8_t forward(struct sizes s, struct transition to[LABELS][PREDECESSORS], uint8_t *back, size_t pitch,
                       struct wl_rng *rng)
{
    int score[2][LABELS] = {{0}};
    for (uint32_t t = 0; t < s.positions; t++, back += pitch) {
        const int *before = score[t % 2];
        int *now = score[1 - t % 2];
        uint64_t drawn = 0;
        for (uint32_t label = 0; label < LABELS; label++, drawn >>= 8) {
            if (label % 8 == 0) drawn = wl_rng_next(rng);
            int best = -1;
            for (uint32_t p = 0; p < PREDECESSORS; p++) {
                int worth = before[to[label][p].from] + to[label][p].worth;
                if (worth > best) {
                    best = worth;
                    back[label] = to[label][p].from;
                }
            }
            now[label] = best + (int)(drawn & 255);
        }
    }
    uint8_t last = 0;
    for (uint8_t label = 1; label < LABELS; label++)
        if (score[s.positions % 2][label] > score[s.positions % 2][last]) last = label;
    return last;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "crftrace", .doc = "the best labels of a conditional random field", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.sequences, labels = LABELS;
    size_t pitch = (size_t)n * LABELS, n_path = (size_t)n * s.positions;
    uint8_t *back = WL_NEW(&w, uint8_t, pitch * s.positions), *last = WL_NEW(&w, uint8_t, n);
    uint8_t *got = WL_NEW(&w, uint8_t, n_path), *want = WL_NEW(&w, uint8_t, n_path);
    struct transition to[LABELS][PREDECESSORS];
    struct wl_rng rng = {95};
    draw_transitions(to, &rng);
    for (uint32_t i = 0; i < n; i++) last[i] = forward(s, to, back + (size_t)i * LABELS, pitch, &rng);

    CUdeviceptr d_back = wl_upload(&w, back, pitch * s.positions), d_last = wl_upload(&w, last, n);
    CUdeviceptr d_path = wl_alloc(&w, n_path);
    void *args[] = {&d_back, &d_last, &d_path, &s.positions, &labels, &n};
    wl_launch(&w, wl_function(&w, "crf_traceback"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        uint8_t label = last[i];
        for (uint32_t t = s.positions; t-- != 0; label = back[t * pitch + (size_t)i * LABELS + label])
            want[(size_t)t * n + i] = label;
    }
    wl_output(&w, got, d_path, n_path);
    wl_compare_u32(&w, "labels, four at a time", (const uint32_t *)got, (const uint32_t *)want, n_path / 4);
    return wl_end(&w);
}
