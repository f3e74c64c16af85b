/* spmv: sparse matrix vector product in jagged diagonal storage. */
#include "workload.h"

#include <math.h>
#include <stdlib.h>

struct sizes {
    uint32_t n, length_min, length_max, band;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1000, 2, 12, 100},
    [WL_SMALL] = {49152, 3, 15, 2000},
    [WL_FULL] = {146689, 8, 48, 20000},
};
#define MAX_DIAGONALS 4096u

/* Rows in lists: length[r] elements from first[r]. */
struct matrix {
    uint32_t n, m, *length, *first, *column;
    float *value;
};
/* The same as jagged diagonals: place i holds row perm[i]; element k of it is at diagonal[k] + i. */
struct jagged {
    uint32_t *perm, *diagonal, *warp_length, *index, n_diagonals, n_padded;
    float *data;
};

/* Three quarters of a row's columns lie in a band around the diagonal. */
static struct matrix make_matrix(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    struct matrix a = {.n = s.n, .length = WL_NEW(w, uint32_t, s.n), .first = WL_NEW(w, uint32_t, s.n)};
    a.column = WL_NEW(w, uint32_t, (size_t)s.n * s.length_max);
    a.value = WL_NEW(w, float, (size_t)s.n *s.length_max);
    for (uint32_t r = 0; r < s.n; r++) {
        a.first[r] = a.m;
        a.length[r] = s.length_min + wl_rng_below(rng, s.length_max - s.length_min + 1);
        for (uint32_t k = 0; k < a.length[r]; k++) {
            bool near = wl_rng_below(rng, 4) != 0;
            a.column[a.m] =
                near ? (r + s.n - s.band + wl_rng_below(rng, 2 * s.band + 1)) % s.n : wl_rng_below(rng, s.n);
            a.value[a.m++] = wl_rng_unit(rng) - 0.5f;
        }
    }
    return a;
}

/* Sorted by counting: longest first, ties in order. */
static struct jagged make_jagged(struct wl *w, const struct matrix *a, uint32_t longest)
{
    uint32_t n_warps = (a->n + 31) / 32, n = n_warps * 32, at = 0;
    struct jagged j = {.perm = WL_NEW(w, uint32_t, a->n),
                       .diagonal = WL_NEW(w, uint32_t, MAX_DIAGONALS),
                       .warp_length = WL_NEW(w, uint32_t, n_warps),
                       .n_diagonals = longest};
    for (uint32_t length = longest; length + 1 > 0; length--)
        for (uint32_t r = 0; r < a->n; r++)
            if (a->length[r] == length) j.perm[at++] = r;
    for (uint32_t i = 0; i < n_warps; i++) j.warp_length[i] = a->length[j.perm[32 * i]];
    j.index = WL_NEW(w, uint32_t, (size_t)n * longest);
    j.data = WL_NEW(w, float, (size_t)n *longest);
    for (uint32_t k = 0; k < longest; k++) {
        j.diagonal[k] = j.n_padded;
        for (uint32_t i = 0; i < n && j.warp_length[i / 32] > k; i++, j.n_padded++) {
            if (i >= a->n || a->length[j.perm[i]] <= k) continue; /* padding: 0 x element 0 */
            j.index[j.n_padded] = a->column[a->first[j.perm[i]] + k];
            j.data[j.n_padded] = a->value[a->first[j.perm[i]] + k];
        }
    }
    return j;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "spmv",
                                        .doc = "sparse matrix vector product, jagged diagonals (Parboil)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {41};
    struct matrix a = make_matrix(&w, s, &rng);
    struct jagged j = make_jagged(&w, &a, s.length_max);
    uint32_t n = s.n;
    float *x = WL_NEW(&w, float, n), *y = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);
    wl_rng_fill(&rng, x, n);

    wl_symbol(&w, "spmv_diagonal", j.diagonal, j.n_diagonals * sizeof(uint32_t));
    wl_symbol(&w, "spmv_length", j.warp_length, (n + 31) / 32 * sizeof(uint32_t));
    CUdeviceptr d_data = wl_upload(&w, j.data, j.n_padded * sizeof *j.data);
    CUdeviceptr d_index = wl_upload(&w, j.index, j.n_padded * sizeof *j.index);
    CUdeviceptr d_perm = wl_upload(&w, j.perm, n * sizeof *j.perm), d_x = wl_upload(&w, x, n * sizeof *x);
    CUdeviceptr d_y = wl_alloc(&w, n * sizeof *y);
    void *args[] = {&d_data, &d_index, &d_perm, &d_x, &d_y, &n};
    wl_launch(&w, wl_function(&w, "spmv_jds"), wl_blocks(n, 192), 1, 192, 1, args);

    for (uint32_t r = 0; r < n; r++) {
        float sum = 0.0f;
        for (uint32_t k = 0; k < a.length[r]; k++)
            sum = fmaf(a.value[a.first[r] + k], x[a.column[a.first[r] + k]], sum);
        y[r] = sum + 0.0f; /* padding adds products of 0 */
    }
    wl_output(&w, out, d_y, n * sizeof *out);
    wl_compare_f32(&w, "y", out, y, n);
    return wl_end(&w);
}
