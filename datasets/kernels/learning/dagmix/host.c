/* dagmix: the search for a nonce as Ethash has it. */
#include "workload.h"
#include "mix.h"

struct sizes {
    uint32_t pages, nonces; /* pages: a prime, as Ethash's; nonces: a multiple of 16, which a block has */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {4093, 64},
    [WL_SMALL] = {65521, 2048},
    [WL_EVAL] = {262139, 16384}, /* 1024 blocks of 128, four times the places of 32 SMs */
    [WL_FULL] = {8388593, 1048576},
};

static void reference(const uint32_t *dag, uint32_t pages, uint32_t nonce, uint32_t *mixes)
{
    uint32_t mix[DAG_WORDS], seed = dag_seed(nonce, 0);
    for (uint32_t k = 0; k < DAG_WORDS; k++) mix[k] = dag_seed(nonce, k);
    for (uint32_t read = 0; read < DAG_READS; read++) {
        const uint32_t *page = dag + (size_t)(dag_fnv(seed ^ read, mix[read % DAG_WORDS]) % pages) * DAG_WORDS;
        for (uint32_t k = 0; k < DAG_WORDS; k++) mix[k] = dag_fnv(mix[k], page[k]);
    }
    for (uint32_t k = 0; k < DAG_LANES; k++)
        mixes[k] = dag_fnv(dag_fnv(dag_fnv(mix[4 * k], mix[4 * k + 1]), mix[4 * k + 2]), mix[4 * k + 3]);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "dagmix", .doc = "the search for a nonce in a large table of pages", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_words = (size_t)s.pages * DAG_WORDS, n = (size_t)s.nonces * DAG_LANES;
    uint32_t *dag = WL_NEW(&w, uint32_t, n_words), *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    uint32_t first_nonce = 84;
    for (size_t i = 0; i < n_words; i++) dag[i] = dag_seed((uint32_t)(i / DAG_WORDS), (uint32_t)(i % DAG_WORDS) + 64);

    CUdeviceptr d_dag = wl_upload(&w, dag, n_words * sizeof *dag), d_mixes = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_dag, &s.pages, &first_nonce, &d_mixes};
    wl_launch(&w, wl_function(&w, "dag_search"), wl_blocks(n, 128), 1, 128, 1, args);

    for (uint32_t i = 0; i < s.nonces; i++) reference(dag, s.pages, first_nonce + i, want + (size_t)i * DAG_LANES);
    wl_output(&w, got, d_mixes, n * sizeof *got);
    wl_compare_u32(&w, "mixes", got, want, n);
    return wl_end(&w);
}
