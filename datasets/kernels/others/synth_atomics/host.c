/* synth_atomics: a parametric kernel of atomics; see README.md. */
#include "workload.h"

#include <math.h>

enum { BLOCKS, WARPS, ATOMICS, REPEATS, WORDS, PITCH, MEET, OWN, SHARERS, WORK, READ, SEED, N_KNOBS };
static const struct wl_knob knobs[N_KNOBS] = {
    [BLOCKS] = {"blocks", 0, 0, 2048, "blocks; 0: by size, 2, 192 or 2048"},
    [WARPS] = {"warps", 8, 1, 32, "warps a block"},
    [ATOMICS] = {"atomics", 8, 1, 65536, "atomic instructions of a thread"},
    [REPEATS] = {"repeats", 1, 1, 65536,
                 "how often a warp uses the same words before it chooses others: locality in time"},
    [WORDS] = {"words", 64, 1, 1048576, "words of a region: few words cause contention between warps"},
    [PITCH] = {"pitch", 1, 1, 32, "words from one to the next; 32: each in a line of its own"},
    [MEET] = {"meet", 1, 1, 32, "lanes of a warp that use the same word: contention within a warp"},
    [OWN] = {"own", 0, 0, 100,
             "percent of the rounds that use the region of the block's group; the others use the common one"},
    [SHARERS] = {"sharers", 1, 1, 2048, "consecutive blocks that are a group"},
    [WORK] = {"work", 4, 0, 100000, "rounds of computing between two atomics, of four instructions each"},
    [READ] = {"read", 0, 0, 1, "1: the thread waits for what each atomic returns"},
    [SEED] = {"seed", 1, 0, UINT32_MAX, "of which words a warp chooses"},
};
static const uint32_t blocks_of_size[WL_N_SIZES] = {2, 192, 2048};
#define MAX_WORDS (1u << 27)

/* As in kernel.cu. */
struct knob_values {
    uint32_t atomics, repeats, words, pitch, meet, own, sharers, work, read, seed;
};

static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static uint32_t word_of(const struct knob_values *k, uint32_t block, uint32_t warp, uint32_t lane, uint32_t turn)
{
    uint32_t draw = mix(k->seed + mix(warp * 65536 + turn));
    uint32_t region = draw % 100 < k->own ? 1 + block / k->sharers : 0;
    return (region * k->words + (draw / 128 + lane / k->meet) % k->words) * k->pitch;
}

/* How often each word is added to. */
static void count_words(const struct knob_values *k, uint32_t blocks, uint32_t warps, uint32_t *counts)
{
    for (uint32_t warp = 0; warp < blocks * warps; warp++)
        for (uint32_t i = 0; i < k->atomics; i++)
            for (uint32_t lane = 0; lane < 32; lane++) counts[word_of(k, warp / warps, warp, lane, i / k->repeats)]++;
}

/* Of n additions to a word each returns another of 0 .. n - 1, whatever their order: the sum of all that is
 * returned, and of where each thread's computing ended. */
static uint32_t sum_returned(const uint32_t *counts, size_t n_words, uint32_t threads, uint32_t x)
{
    uint32_t sum = threads * x;
    for (size_t i = 0; i < n_words; i++) sum += (uint32_t)((uint64_t)counts[i] * (counts[i] - 1ull) / 2);
    return sum;
}

static void compare(struct wl *w, const struct knob_values *k, const uint32_t *out, uint32_t threads,
                    const uint32_t *want, size_t n_words)
{
    float x = 1.0f;
    for (uint64_t i = 0; i < (uint64_t)k->atomics * k->work; i++) x = fmaf(x, 0.75f, 0.5f);
    const uint32_t end = (uint32_t)(x * 1024.0f);
    if (k->read) {
        uint32_t sum = 0, all = sum_returned(want, n_words, threads, end);
        for (uint32_t i = 0; i < threads; i++) sum += out[i];
        wl_compare_u32(w, "sum of what was returned", &sum, &all, 1);
        return;
    }
    for (uint32_t i = 0; i < threads; i++) wl_expect(w, out[i] == end, "result", i);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "synth_atomics",
                                        .doc = "a parametric kernel of atomics, of given contention and locality",
                                        .knobs = knobs,
                                        .n_knobs = N_KNOBS};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const uint32_t blocks = wl_knob(&w, BLOCKS, 0) ? wl_knob(&w, BLOCKS, 0) : blocks_of_size[w.size],
                   warps = wl_knob(&w, WARPS, 0);
    const struct knob_values k = {.atomics = wl_knob(&w, ATOMICS, 0),
                                  .repeats = wl_knob(&w, REPEATS, 0),
                                  .words = wl_knob(&w, WORDS, 0),
                                  .pitch = wl_knob(&w, PITCH, 0),
                                  .meet = wl_knob(&w, MEET, 0),
                                  .own = wl_knob(&w, OWN, 0),
                                  .sharers = wl_knob(&w, SHARERS, 0),
                                  .work = wl_knob(&w, WORK, 0),
                                  .read = wl_knob(&w, READ, 0),
                                  .seed = wl_knob(&w, SEED, 0)};
    const uint32_t threads = blocks * warps * 32, regions = 1 + wl_blocks(blocks, k.sharers);
    const uint64_t n_words = (uint64_t)regions * k.words * k.pitch;
    if (n_words > MAX_WORDS)
        wl_refuse(&w, "%u regions of %u words %u apart are more than 512 MB", regions, k.words, k.pitch);
    uint32_t *want = WL_NEW(&w, uint32_t, n_words), *got = WL_NEW(&w, uint32_t, n_words),
             *out = WL_NEW(&w, uint32_t, threads);
    count_words(&k, blocks, warps, want);

    CUdeviceptr d_memory = wl_alloc(&w, n_words * sizeof *got), d_out = wl_alloc(&w, threads * sizeof *out);
    wl_symbol(&w, "synth_knobs", &k, sizeof k);
    void *args[] = {&d_memory, &d_out};
    wl_launch(&w, wl_function(&w, "synth_atomics"), blocks, 1, 32 * warps, 1, args);
    wl_output(&w, got, d_memory, n_words * sizeof *got);
    wl_compare_u32(&w, "word", got, want, n_words);
    wl_output(&w, out, d_out, threads * sizeof *out);
    compare(&w, &k, out, threads, want, n_words);
    return wl_end(&w);
}
