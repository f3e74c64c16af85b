/* spinchain: the Hamiltonian of a Heisenberg ring applied to a vector. */
#include "workload.h"

#include <math.h>

/* Sites of the ring; this process has the first rows of the matrix, one of so many shares. */
struct sizes {
    uint32_t sites, shares;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {10, 1},
    [WL_SMALL] = {18, 1},
    [WL_EVAL] = {24, 2}, /* 1,352,078 of 2,704,156 states: 5,282 blocks of 256 */
    [WL_FULL] = {28, 1},
};

static uint32_t n_up(uint32_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) n++;
    return n;
}

/* Where a state stands among all with so many spins up, in the order of their numbers: found by bisection, where the
 * kernel adds two entries of tables. */
static uint32_t rank_of(const uint32_t *states, uint32_t n, uint32_t state)
{
    uint32_t at = 0;
    for (uint32_t left = n; left > 1;) {
        uint32_t step = left / 2;
        if (states[at + step] <= state) at += step;
        left -= step;
    }
    return at;
}

enum { LOW_SITES = 8, LOW = 1 << LOW_SITES }; /* as in kernel.cu */

/* low: the rank of the lower sites' bits among those with as many spins up; high: the states whose upper bits are
 * smaller. */
static void fill_tables(uint32_t sites, uint8_t *low, uint32_t *high)
{
    uint32_t seen[LOW_SITES + 1] = {0}, before = 0;
    for (uint32_t bits = 0; bits < LOW; bits++) low[bits] = (uint8_t)seen[n_up(bits)]++;
    for (uint32_t bits = 0; bits < 1u << (sites - LOW_SITES); bits++) {
        uint32_t up = n_up(bits);
        high[bits] = before;
        if (up <= sites / 2 && sites / 2 - up <= LOW_SITES) before += seen[sites / 2 - up];
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "spinchain", .doc = "a Heisenberg ring's Hamiltonian times a vector", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t sites = sizes[w.size].sites, half = sites / 2, n = 0;
    for (uint32_t bits = 0; bits < 1u << sites; bits++) n += n_up(bits) == half;
    uint32_t rows = n / sizes[w.size].shares;
    uint32_t *states = WL_NEW(&w, uint32_t, n), *high = WL_NEW(&w, uint32_t, 1u << (sites - LOW_SITES));
    uint8_t *low = WL_NEW(&w, uint8_t, LOW);
    double *x = WL_NEW(&w, double, n), *got = WL_NEW(&w, double, rows), *want = WL_NEW(&w, double, rows);
    struct wl_rng rng = {98};
    for (uint32_t bits = 0, i = 0; bits < 1u << sites; bits++)
        if (n_up(bits) == half) states[i++] = bits;
    fill_tables(sites, low, high);
    for (uint32_t i = 0; i < n; i++) x[i] = wl_rng_unit(&rng);

    CUdeviceptr d_states = wl_upload(&w, states, rows * sizeof *states), d_x = wl_upload(&w, x, n * sizeof *x);
    CUdeviceptr d_low = wl_upload(&w, low, LOW), d_high = wl_upload(&w, high, sizeof *high << (sites - LOW_SITES));
    CUdeviceptr d_y = wl_alloc(&w, rows * sizeof *got);
    void *args[] = {&d_states, &d_low, &d_high, &d_x, &d_y, &sites, &rows};
    wl_launch(&w, wl_function(&w, "heisenberg"), wl_blocks(rows, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < rows; i++) {
        double sum = 0.0, diagonal = 0.25 * sites;
        for (uint32_t site = 0; site < sites; site++) {
            uint32_t left = site == 0 ? sites - 1 : site - 1, pair = 1u << site | 1u << left;
            if (n_up(states[i] & pair) != 1) continue;
            sum += x[rank_of(states, n, states[i] ^ pair)];
            diagonal -= 0.5;
        }
        want[i] = fma(0.5, sum, diagonal * x[i]);
    }
    wl_output(&w, got, d_y, rows * sizeof *got);
    wl_compare_f64(&w, "y", got, want, rows);
    return wl_end(&w);
}
