/* hybridsort: bucket sort, then merge sort of each bucket. */
#include "workload.h"

#include <stdlib.h>

enum { DIVISIONS = 1024, BINS = 1024, THREADS = 128, PER_BLOCK = 512 };
static const uint32_t sizes[WL_N_SIZES] = {[WL_TEST] = 1024, [WL_SMALL] = 49152, [WL_FULL] = 4194304};

struct sort {
    uint32_t n, n_fours, longest; /* elements; fours with fillers; fours of the longest division */
    float *values, pivots[DIVISIONS];
    uint32_t histogram[BINS], totals[DIVISIONS], offsets[DIVISIONS], starts[DIVISIONS + 1], fillers[DIVISIONS],
        scatter[DIVISIONS];
};

static int by_value(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Pivots that give each division about the same share of the histogram; within a bin they are spread evenly. */
static void choose_pivots(struct sort *s, float low, float width)
{
    uint32_t bin = 0, before = 0;
    s->pivots[0] = low;
    for (uint32_t d = 1; d < DIVISIONS; d++) {
        float want = (float)d * (float)s->n / DIVISIONS;
        while (bin < BINS - 1 && (float)(before + s->histogram[bin]) < want) before += s->histogram[bin++];
        float within = s->histogram[bin] ? (want - (float)before) / (float)s->histogram[bin] : 0.0f;
        s->pivots[d] = low + ((float)bin + within) * width;
    }
}

/* Divisions begin at whole fours; fillers below every value make up the difference and end at the front. */
static void lay_out(struct sort *s)
{
    uint32_t offset = 0, start = 0;
    for (uint32_t d = 0; d < DIVISIONS; d++) {
        uint32_t fours = (s->totals[d] + 3) / 4;
        s->offsets[d] = offset;
        s->starts[d] = start;
        s->fillers[d] = 4 * fours - s->totals[d];
        s->scatter[d] = 4 * start + s->fillers[d];
        if (fours > s->longest) s->longest = fours;
        offset += s->totals[d];
        start += fours;
    }
    s->starts[DIVISIONS] = s->n_fours = start;
}

/* Bucket phase: returns the buckets, with fillers. */
static CUdeviceptr to_buckets(struct wl *w, struct sort *s, CUdeviceptr d_in)
{
    uint32_t n_blocks = wl_blocks(s->n, PER_BLOCK), n_fillers = 4 * (s->n / 4 + DIVISIONS);
    float low = s->values[0], high = low, *empty = WL_NEW(w, float, n_fillers);
    for (uint32_t i = 0; i < s->n; i++) {
        low = s->values[i] < low ? s->values[i] : low;
        high = s->values[i] > high ? s->values[i] : high;
    }
    float width = (high - low) / BINS, scale = 1.0f / width;
    CUdeviceptr d_histogram = wl_alloc(w, sizeof s->histogram), d_places = wl_alloc(w, s->n * sizeof(uint32_t));
    CUdeviceptr d_counts = wl_alloc(w, n_blocks * DIVISIONS * sizeof(uint32_t)),
                d_totals = wl_alloc(w, sizeof s->totals);
    void *histogram_args[] = {&d_in, &s->n, &low, &scale, &d_histogram};
    wl_launch(w, wl_function(w, "sort_histogram"), n_blocks < 32 ? n_blocks : 32, 1, 96, 1, histogram_args);
    wl_read(w, s->histogram, d_histogram, sizeof s->histogram);
    choose_pivots(s, low, width);
    CUdeviceptr d_pivots = wl_upload(w, s->pivots, sizeof s->pivots);
    void *count_args[] = {&d_in, &d_pivots, &s->n, &d_places, &d_counts};
    wl_launch(w, wl_function(w, "sort_bucket_count"), n_blocks, 1, THREADS, 1, count_args);
    void *prefix_args[] = {&d_counts, &d_totals, &n_blocks};
    wl_launch(w, wl_function(w, "sort_bucket_prefix"), DIVISIONS / THREADS, 1, THREADS, 1, prefix_args);
    wl_read(w, s->totals, d_totals, sizeof s->totals);
    lay_out(s);
    for (uint32_t i = 0; i < n_fillers; i++) empty[i] = -1.0f;
    CUdeviceptr d_out = wl_upload(w, empty, n_fillers * sizeof(float)),
                d_scatter = wl_upload(w, s->scatter, sizeof s->scatter);
    void *scatter_args[] = {&d_in, &d_places, &d_out, &s->n, &d_counts, &d_scatter};
    wl_launch(w, wl_function(w, "sort_scatter"), n_blocks, 1, THREADS, 1, scatter_args);
    return d_out;
}

/* Merge phase: sorts each bucket; the sorted values without fillers go to `d_out`. */
static void merge(struct wl *w, struct sort *s, CUdeviceptr d_fours, CUdeviceptr d_out)
{
    CUdeviceptr from = wl_alloc(w, (size_t)s->n_fours * 16), to = d_fours,
                d_starts = wl_upload(w, s->starts, sizeof s->starts);
    void *fours_args[] = {&d_fours, &from, &s->n_fours};
    wl_launch(w, wl_function(w, "sort_fours"), wl_blocks(s->n_fours, 256), 1, 256, 1, fours_args);
    CUfunction pass = wl_function(w, "sort_merge");
    for (uint32_t run = 1; run < s->longest; run *= 2) {
        uint32_t threads = (s->longest + 2 * run - 1) / (2 * run);
        void *args[] = {&from, &to, &d_starts, &threads, &run};
        wl_launch(w, pass, wl_blocks((size_t)threads * DIVISIONS, 208), 1, 208, 1, args);
        CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    CUdeviceptr d_fillers = wl_upload(w, s->fillers, sizeof s->fillers),
                d_offsets = wl_upload(w, s->offsets, sizeof s->offsets);
    CUdeviceptr d_totals = wl_upload(w, s->totals, sizeof s->totals);
    void *pack_args[] = {&from, &d_out, &d_starts, &d_fillers, &d_offsets, &d_totals};
    wl_launch(w, wl_function(w, "sort_pack"), DIVISIONS, 1, 32, 1, pack_args);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "hybridsort", .doc = "bucket sort and merge sort of floats (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    static struct sort s;
    s.n = sizes[w.size];
    s.values = WL_NEW(&w, float, s.n);
    float *got = WL_NEW(&w, float, s.n);
    struct wl_rng rng = {41};
    wl_rng_fill(&rng, s.values, s.n);
    CUdeviceptr d_in = wl_upload(&w, s.values, s.n * sizeof(float)), d_out = wl_alloc(&w, s.n * sizeof(float));
    merge(&w, &s, to_buckets(&w, &s, d_in), d_out);

    qsort(s.values, s.n, sizeof(float), by_value);
    wl_output(&w, got, d_out, s.n * sizeof(float));
    wl_compare_f32(&w, "sorted value", got, s.values, s.n);
    return wl_end(&w);
}
