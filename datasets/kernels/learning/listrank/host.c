/* listrank: ranks of linked lists by pointer jumping. */
#include "workload.h"

/* `n` nodes in lists of at least `shortest` and at most `longest` nodes; a round follows `jumps` pointers. */
struct sizes {
    uint32_t n, shortest, longest, jumps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1500, 4, 200, 8},
    [WL_SMALL] = {16384, 64, 4096, 8},
    [WL_FULL] = {1u << 18, 64, 65536, 16},
    [WL_EVAL] = {1u << 18, 64, 65536, 16},
};

struct pointer {
    uint32_t next, distance;
};
struct lists {
    uint32_t longest;
    struct pointer *pointers, *ends;
};

/* Nodes are dealt to lists in a random order; lengths have a Pareto law with exponent 1. The reference comes with it:
 * from the end of a list, node k is k links away. */
static struct lists make_lists(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    struct lists l = {.pointers = WL_NEW(w, struct pointer, s.n), .ends = WL_NEW(w, struct pointer, s.n)};
    uint32_t *order = WL_NEW(w, uint32_t, s.n);
    for (uint32_t i = 0; i < s.n; i++) { /* Fisher and Yates, inside out */
        uint32_t j = wl_rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t first = 0, length; first < s.n; first += length) {
        float drawn = (float)s.shortest / (1.0f - wl_rng_unit(rng));
        length = drawn < (float)s.longest ? (uint32_t)drawn : s.longest;
        if (length > s.n - first) length = s.n - first;
        if (length > l.longest) l.longest = length;
        uint32_t end = order[first];
        for (uint32_t k = 0; k < length; k++) {
            l.pointers[order[first + k]] = k ? (struct pointer){order[first + k - 1], 1} : (struct pointer){end, 0};
            l.ends[order[first + k]] = (struct pointer){end, k};
        }
    }
    return l;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "listrank", .doc = "ranks of linked lists by pointer jumping", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {83};
    struct lists l = make_lists(&w, s, &rng);

    CUdeviceptr from = wl_upload(&w, l.pointers, s.n * sizeof *l.pointers), to = wl_alloc(&w, s.n * sizeof *l.pointers);
    CUfunction jump = wl_function(&w, "listrank_jump");
    /* A round multiplies how far a pointer leads by `jumps`; what leads over a whole list leads to its end. */
    for (uint64_t reach = 1; reach + 1 < l.longest; reach *= s.jumps) {
        void *args[] = {&from, &to, &s.jumps, &s.n};
        wl_launch(&w, jump, wl_blocks(s.n, 256), 1, 256, 1, args);
        CUdeviceptr was = from;
        from = to;
        to = was;
    }

    struct pointer *got = WL_NEW(&w, struct pointer, s.n);
    wl_output(&w, got, from, s.n * sizeof *got);
    wl_compare_u32(&w, "end and rank", (const uint32_t *)got, (const uint32_t *)l.ends, (size_t)s.n * 2);
    return wl_end(&w);
}
