/* chemlu: sparse LU factors of one pattern for many cells. */
#include "workload.h"

#include <math.h>

enum { SPECIES_MAX = 64, STEPS_MAX = 4096 };
struct sizes {
    uint32_t species, reactions, cells;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6, 8, 200},
    [WL_SMALL] = {16, 24, 8192},
    [WL_EVAL] = {24, 32, 49152}, /* 384 blocks of 128: the places of 32 SMs */
    [WL_FULL] = {40, 64, 1u << 18},
};
struct steps {
    uint32_t (*at)[4];
    uint32_t n, entries, place[SPECIES_MAX][SPECIES_MAX]; /* of an entry, plus one; 0: there is none */
};

static void entry(struct steps *s, uint32_t row, uint32_t column)
{
    if (!s->place[row][column]) s->place[row][column] = ++s->entries;
}

/* Who reacts with whom: a reaction has two reactants and a product, and each of them changes with each reactant. A few
 * species are in most reactions, as OH and NO are. */
static void draw_pattern(struct steps *s, struct sizes size, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < size.species; i++) entry(s, i, i);
    for (uint32_t r = 0; r < size.reactions; r++) {
        uint32_t who[3];
        for (int k = 0; k < 3; k++) {
            const uint32_t drawn = wl_rng_below(rng, size.species);
            who[k] = wl_rng_below(rng, 4) == 0 ? size.species - 1 - drawn % 4 : drawn; /* busy ones last: less fill */
        }
        for (int k = 0; k < 3; k++) {
            entry(s, who[k], who[0]);
            entry(s, who[k], who[1]);
        }
    }
}

static void add_step(struct wl *w, struct steps *s, uint32_t target, uint32_t left, uint32_t right)
{
    if (s->n == STEPS_MAX) wl_fail(w, "more than %d steps", STEPS_MAX);
    const uint32_t step[4] = {target - 1, left - 1, right ? right - 1 : 0, right != 0};
    for (int k = 0; k < 4; k++) s->at[s->n][k] = step[k];
    s->n++;
}

/* Gaussian elimination in the order of the species, with fill where an update falls on no entry. */
static void make_steps(struct wl *w, struct steps *s, uint32_t species)
{
    for (uint32_t k = 0; k < species; k++)
        for (uint32_t i = k + 1; i < species; i++) {
            if (!s->place[i][k]) continue;
            add_step(w, s, s->place[i][k], s->place[k][k], 0);
            for (uint32_t j = k + 1; j < species; j++) {
                if (!s->place[k][j]) continue;
                entry(s, i, j);
                add_step(w, s, s->place[i][j], s->place[i][k], s->place[k][j]);
            }
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "chemlu", .doc = "sparse LU factors of one pattern for many cells", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes size = sizes[w.size];
    uint32_t n = size.cells;
    struct steps *s = WL_NEW(&w, struct steps, 1);
    struct wl_rng rng = {112};
    s->at = wl_host(&w, STEPS_MAX, sizeof *s->at);
    draw_pattern(s, size, &rng);
    const uint32_t drawn = s->entries;
    make_steps(&w, s, size.species);
    const size_t count = (size_t)s->entries * n;
    float *values = WL_NEW(&w, float, count), *want = WL_NEW(&w, float, count);
    wl_rng_fill(&rng, values, (size_t)drawn * n); /* fill begins as 0 */
    for (uint32_t i = 0; i < size.species; i++)
        for (uint32_t c = 0; c < n; c++) values[(size_t)(s->place[i][i] - 1) * n + c] += 16.0f;

    wl_symbol(&w, "steps", s->at, s->n * sizeof *s->at);
    CUdeviceptr d_values = wl_upload(&w, values, count * sizeof *values);
    void *args[] = {&d_values, &s->n, &n};
    wl_launch(&w, wl_function(&w, "factorise"), wl_blocks(n, 128), 1, 128, 1, args);

    for (size_t i = 0; i < count; i++) want[i] = values[i];
    for (uint32_t k = 0; k < s->n; k++) {
        float *target = want + (size_t)s->at[k][0] * n;
        const float *left = want + (size_t)s->at[k][1] * n, *right = want + (size_t)s->at[k][2] * n;
        for (uint32_t c = 0; c < n; c++)
            target[c] = s->at[k][3] ? fmaf(-left[c], right[c], target[c]) : target[c] / left[c];
    }
    wl_output(&w, values, d_values, count * sizeof *values);
    wl_compare_f32(&w, "factors", values, want, count);
    return wl_end(&w);
}
