/* hashjoin: a join of two relations by a hash table with linear probing. */
#include "workload.h"

#include <string.h>

/* A table of 2^bits slots, half of which are filled, with SPARE behind them so that no search wraps around; `probes`
 * foreign keys for `blocks` blocks of 256. */
struct sizes {
    uint32_t bits, probes, blocks;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 7000, 8},
    [WL_SMALL] = {16, 49152, 64},
    [WL_FULL] = {18, 20 * 49152, 192},
    [WL_EVAL] = {18, 20 * 49152, 192}, /* 192 blocks: all threads of 32 SMs */
};
#define BLOCK 256u
#define SPARE 1024u
#define EMPTY 0u
#define NO_MATCH 0xffffffffu

struct tuple {
    uint32_t key, price, quantity, discount;
};
struct join {
    uint32_t shift, n_slots, n_build, n_probe, *probes;
    struct tuple *tuples, *table;
};

/* A bijection of 32-bit words that maps 0 to 0 alone: distinct numbers are distinct keys, and none is EMPTY. */
static uint32_t scatter(uint32_t a)
{
    a = (a ^ a >> 16) * 0x7feb352du;
    a = (a ^ a >> 15) * 0x846ca68bu;
    return a ^ a >> 16;
}

/* The slot of `key`, or the empty one at which a search for it ends. */
static struct tuple *find(const struct join *j, uint32_t key)
{
    struct tuple *slot = &j->table[key * 2654435769u >> j->shift];
    while (slot->key != key && slot->key != EMPTY) slot++;
    return slot;
}

/* Tuple i of the small relation has key scatter(i + 1). Half of the foreign keys refer to it, the first tuples more
 * often than the last (the tenth part of the tuples that is referred to most has 32 % of the references); the other
 * half are keys that it does not have. */
static struct join make_join(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    struct join j = {
        .shift = 32 - s.bits, .n_slots = (1u << s.bits) + SPARE, .n_build = 1u << (s.bits - 1), .n_probe = s.probes};
    j.tuples = WL_NEW(w, struct tuple, j.n_build);
    j.probes = WL_NEW(w, uint32_t, j.n_probe);
    j.table = WL_NEW(w, struct tuple, j.n_slots);
    for (uint32_t i = 0; i < j.n_build; i++) {
        j.tuples[i] = (struct tuple){scatter(i + 1), 100 + wl_rng_below(rng, 10000), 1 + wl_rng_below(rng, 50),
                                     wl_rng_below(rng, 100)};
        struct tuple *slot = find(&j, j.tuples[i].key);
        if (slot + 1 == j.table + j.n_slots) wl_fail(w, "the table has too few spare slots");
        *slot = j.tuples[i];
    }
    for (uint32_t i = 0; i < j.n_probe; i++) {
        float u = wl_rng_unit(rng);
        uint32_t matching = (uint32_t)(u * u * (float)j.n_build), other = j.n_build + wl_rng_below(rng, j.n_build);
        j.probes[i] = scatter((wl_rng_below(rng, 2) ? matching : other) + 1);
    }
    return j;
}

/* Which of two keys with one home came first is the GPU's choice: the table is compared as a set of tuples. */
static void compare_table(struct wl *w, const struct join *j, const struct tuple *got)
{
    static const struct tuple none;
    uint32_t filled = 0;
    for (uint32_t at = 0; at < j->n_slots; at++) {
        const struct tuple *want = got[at].key == EMPTY ? &none : find(j, got[at].key);
        if (got[at].key != EMPTY) filled++;
        wl_expect(w, memcmp(&got[at], want, sizeof *want) == 0, "slot", at);
    }
    wl_expect(w, filled == j->n_build, "number of filled slots", filled);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "hashjoin", .doc = "join of two relations by a hash table", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {71};
    struct join j = make_join(&w, s, &rng);
    size_t table_bytes = j.n_slots * sizeof *j.table;
    uint32_t *want = WL_NEW(&w, uint32_t, j.n_probe), *got = WL_NEW(&w, uint32_t, j.n_probe);
    struct tuple *table = WL_NEW(&w, struct tuple, j.n_slots);

    CUdeviceptr d_tuples = wl_upload(&w, j.tuples, j.n_build * sizeof *j.tuples), d_table = wl_alloc(&w, table_bytes);
    CUdeviceptr d_probes = wl_upload(&w, j.probes, j.n_probe * sizeof *j.probes),
                d_costs = wl_alloc(&w, j.n_probe * sizeof *got);
    void *build[] = {&d_tuples, &d_table, &j.shift, &j.n_build};
    wl_launch(&w, wl_function(&w, "hashjoin_build"), wl_blocks(j.n_build, BLOCK), 1, BLOCK, 1, build);
    void *probe[] = {&d_probes, &d_table, &d_costs, &j.shift, &j.n_probe};
    wl_launch(&w, wl_function(&w, "hashjoin_probe"), s.blocks, 1, BLOCK, 1, probe);

    wl_output(&w, got, d_costs, j.n_probe * sizeof *got);
    for (uint32_t i = 0; i < j.n_probe; i++) {
        const struct tuple *t = find(&j, j.probes[i]);
        want[i] = t->key == EMPTY ? NO_MATCH : t->price * t->quantity - t->discount;
    }
    wl_compare_u32(&w, "costs", got, want, j.n_probe);
    wl_output(&w, table, d_table, table_bytes);
    compare_table(&w, &j, table);
    return wl_end(&w);
}
