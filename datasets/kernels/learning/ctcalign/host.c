/* ctcalign: forced alignment of speech to its text. */
#include "workload.h"

enum { STATES = 256 };
#define UNREACHED -1.0e30f
struct sizes {
    uint32_t utterances, frames, pieces;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 12, 64},
    [WL_SMALL] = {48, 64, 512},
    [WL_EVAL] = {192, 160, 1024}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {2048, 400, 1024},
};

/* Texts of 96 to 127 pieces, the low numbers more frequent; piece 0 is the blank, which stands at even states. */
static void draw_texts(struct sizes s, uint32_t *labels, uint32_t *n_states, struct wl_rng *rng)
{
    for (uint32_t u = 0; u < s.utterances; u++, labels += STATES) {
        n_states[u] = 2 * (96 + wl_rng_below(rng, 32)) + 1;
        for (uint32_t i = 1; i < n_states[u]; i += 2) {
            float drawn = wl_rng_unit(rng);
            labels[i] = 1 + (uint32_t)(drawn * drawn * (float)(s.pieces - 1));
        }
    }
}

static void align(struct sizes s, const float *outputs, const uint32_t *labels, uint32_t states, uint8_t *steps,
                  float *score)
{
    float before[STATES];
    for (uint32_t i = 0; i < STATES; i++) score[i] = i < 2 ? outputs[labels[i]] : UNREACHED;
    for (uint32_t t = 1; t < s.frames; t++) {
        outputs += s.pieces;
        steps += STATES;
        for (uint32_t i = 0; i < states; i++) before[i] = score[i];
        for (uint32_t i = 0; i < states; i++) {
            float best = before[i];
            if (i > 0 && before[i - 1] > best) {
                best = before[i - 1];
                steps[i] = 1;
            }
            if (i > 1 && i % 2 == 1 && labels[i] != labels[i - 2] && before[i - 2] > best) {
                best = before[i - 2];
                steps[i] = 2;
            }
            score[i] = best + outputs[labels[i]];
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "ctcalign", .doc = "forced alignment of speech to its text", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t of_utterance = (size_t)s.frames * s.pieces, n_outputs = of_utterance * s.utterances;
    size_t of_steps = (size_t)s.frames * STATES, n_steps = of_steps * s.utterances, n = (size_t)s.utterances * STATES;
    float *outputs = WL_NEW(&w, float, n_outputs), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    uint32_t *labels = WL_NEW(&w, uint32_t, n), *n_states = WL_NEW(&w, uint32_t, s.utterances);
    uint8_t *got_steps = WL_NEW(&w, uint8_t, n_steps), *want_steps = WL_NEW(&w, uint8_t, n_steps);
    struct wl_rng rng = {101};
    for (size_t i = 0; i < n_outputs; i++) outputs[i] = -8.0f * wl_rng_unit(&rng);
    draw_texts(s, labels, n_states, &rng);

    CUdeviceptr d_outputs = wl_upload(&w, outputs, n_outputs * sizeof *outputs);
    CUdeviceptr d_labels = wl_upload(&w, labels, n * sizeof *labels);
    CUdeviceptr d_n_states = wl_upload(&w, n_states, s.utterances * sizeof *n_states);
    CUdeviceptr d_steps = wl_alloc(&w, n_steps), d_scores = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_outputs, &d_labels, &d_n_states, &d_steps, &d_scores, &s.frames, &s.pieces};
    wl_launch(&w, wl_function(&w, "ctc_align"), s.utterances, 1, STATES, 1, args);

    for (uint32_t u = 0; u < s.utterances; u++)
        align(s, outputs + u * of_utterance, labels + (size_t)u * STATES, n_states[u], want_steps + u * of_steps,
              want + (size_t)u * STATES);
    wl_output(&w, got, d_scores, n * sizeof *got);
    wl_output(&w, got_steps, d_steps, n_steps);
    wl_compare_f32(&w, "scores", got, want, n);
    wl_compare_u32(&w, "steps, four at a time", (const uint32_t *)got_steps, (const uint32_t *)want_steps, n_steps / 4);
    return wl_end(&w);
}
