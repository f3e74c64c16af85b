/* b+tree: point and range queries of a B+ tree. */
#include "workload.h"

/* A node: location, ORDER + 1 indices, ORDER + 1 keys, leaf flag, number of keys. Key 0 is the smallest integer, and
 * the keys beyond the last are the largest, so that child i holds the keys from keys[i] to below keys[i + 1]. */
enum { ORDER = 256, FANOUT = 128, INDICES = 1, KEYS = ORDER + 2, LEAF = 2 * ORDER + 3, N_KEYS, NODE_WORDS };
struct sizes {
    uint32_t records, queries, range;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {65536, 20, 100},
                                               [WL_SMALL] = {262144, 384, 1000},
                                               [WL_FULL] = {1000000, 10000, 6000},
                                               [WL_EVAL] = {1000000, 36000, 6000}};

struct tree {
    int32_t *nodes; /* the root is node 0; the levels follow in order */
    uint32_t n_nodes, height;
};

static int32_t key_of(uint32_t record) { return 3 * (int32_t)record + 1; }

/* Levels of half full nodes, as inserting rising keys leaves them. Level 0 is the root's. */
static struct tree build(struct wl *w, uint32_t records)
{
    uint32_t count[16], first[16], n_levels = 1;
    for (uint32_t n = wl_blocks(records, FANOUT); n > 1; n = wl_blocks(n, FANOUT)) n_levels++;
    count[n_levels - 1] = wl_blocks(records, FANOUT);
    for (uint32_t level = n_levels - 1; level-- > 0;) count[level] = wl_blocks(count[level + 1], FANOUT);
    struct tree t = {.height = n_levels - 1};
    for (uint32_t level = 0; level < n_levels; t.n_nodes += count[level++]) first[level] = t.n_nodes;
    t.nodes = WL_NEW(w, int32_t, (size_t)t.n_nodes * NODE_WORDS);
    uint32_t span = FANOUT; /* records below a node */
    for (uint32_t level = n_levels; level-- > 0; span *= FANOUT) {
        bool is_leaf = level + 1 == n_levels;
        uint32_t children = is_leaf ? records : count[level + 1];
        for (uint32_t i = 0; i < count[level]; i++) {
            int32_t *node = t.nodes + (size_t)(first[level] + i) * NODE_WORDS;
            uint32_t n = children - i * FANOUT < FANOUT ? children - i * FANOUT : FANOUT;
            node[0] = (int32_t)(first[level] + i);
            for (uint32_t k = 0; k <= ORDER; k++) node[KEYS + k] = k == 0 ? INT32_MIN : INT32_MAX;
            for (uint32_t k = 0; k < n; k++) { /* a leaf's records stand from place 1, a node's children from 0 */
                uint32_t child = i * FANOUT + k;
                node[INDICES + k + is_leaf] = (int32_t)(is_leaf ? child : first[level + 1] + child);
                if (is_leaf || k > 0) node[KEYS + k + is_leaf] = key_of(child * (is_leaf ? 1 : span / FANOUT));
            }
            node[LEAF] = is_leaf;
            node[N_KEYS] = (int32_t)n;
        }
    }
    return t;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "b+tree", .doc = "point and range queries of a B+ tree (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct tree t = build(&w, s.records);
    uint32_t q = s.queries;
    size_t bytes = q * sizeof(int32_t);
    int32_t *records = WL_NEW(&w, int32_t, s.records), *keys = WL_NEW(&w, int32_t, q), *ends = WL_NEW(&w, int32_t, q);
    uint32_t *value = WL_NEW(&w, uint32_t, q), *first = WL_NEW(&w, uint32_t, q), *length = WL_NEW(&w, uint32_t, q);
    uint32_t *got = WL_NEW(&w, uint32_t, q);
    struct wl_rng rng = {26};
    for (uint32_t r = 0; r < s.records; r++) records[r] = (int32_t)wl_rng_below(&rng, 1000000000);
    for (uint32_t i = 0; i < q; i++) {
        first[i] = wl_rng_below(&rng, s.records - s.range);
        length[i] = 1 + wl_rng_below(&rng, s.range);
        value[i] = (uint32_t)records[first[i]];
        keys[i] = key_of(first[i]);
        ends[i] = key_of(first[i] + length[i] - 1);
    }

    CUdeviceptr d_nodes = wl_upload(&w, t.nodes, (size_t)t.n_nodes * NODE_WORDS * sizeof *t.nodes);
    CUdeviceptr d_records = wl_upload(&w, records, s.records * sizeof *records), d_state[6], d_answer[3];
    CUdeviceptr d_keys = wl_upload(&w, keys, bytes), d_ends = wl_upload(&w, ends, bytes);
    for (int i = 0; i < 6; i++) d_state[i] = wl_alloc(&w, bytes); /* every query begins at node 0 */
    for (int i = 0; i < 3; i++) d_answer[i] = wl_alloc(&w, bytes);
    void *find_args[] = {&t.height, &d_nodes, &t.n_nodes, &d_records, &d_state[0], &d_state[1], &d_keys, &d_answer[0]};
    wl_launch(&w, wl_function(&w, "btree_find"), q, 1, ORDER, 1, find_args);
    void *range_args[] = {&t.height,   &d_nodes, &t.n_nodes, &d_state[2],  &d_state[3], &d_state[4],
                          &d_state[5], &d_keys,  &d_ends,    &d_answer[1], &d_answer[2]};
    wl_launch(&w, wl_function(&w, "btree_find_range"), q, 1, ORDER, 1, range_args);

    const uint32_t *want[3] = {value, first, length};
    static const char *const names[3] = {"value", "first record", "records in range"};
    for (int i = 0; i < 3; i++) {
        wl_output(&w, got, d_answer[i], bytes);
        wl_compare_u32(&w, names[i], got, want[i], q);
    }
    return wl_end(&w);
}
