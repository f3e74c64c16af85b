/* md: Lennard-Jones forces from lists of neighbours. */
#include "workload.h"

#include <math.h>
#include <stdio.h>

#define BLOCK 256u
#define LONGEST 128u /* neighbours in a list */
#define REACH 3.08f  /* of the lists; the unit is the distance at which two atoms neither repel nor attract */
#define CUTOFF 2.8f  /* of the forces */
#define MARGIN 4     /* sites around the box whose atoms are copies of those at the other side */
#define NOBODY UINT32_MAX

/* side^3 places for atoms; numbers are swapped with ones at most `mixed` away. */
struct sizes {
    int side;
    uint32_t mixed;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8, 64},
    [WL_SMALL] = {15, 512},
    [WL_FULL] = {45, 16384}, /* about SHOC's largest size, 73,728 atoms */
    [WL_EVAL] = {31, 8192},  /* about its second, 24,576: 96 blocks, three for each of 32 SMs */
};

struct atom {
    float x, y, z, w;
};
/* Atoms 0 .. n - 1 and the copies of some, so that the box is periodic; neighbour k of atom i is list[k * n + i]. */
struct system {
    uint32_t n, n_all, *counts, *list;
    struct atom *atoms;
};

/* Which atom is at each place of the box, or NOBODY: places are taken with a probability that is 0.67 in the middle of
 * the box and 0.97 at its ends. Numbers follow the places, as after a sort by cells, but atoms have moved since. */
static uint32_t *draw_places(struct wl *w, struct wl_rng *rng, struct sizes s, uint32_t *n)
{
    uint32_t places = (uint32_t)(s.side * s.side * s.side), *at = WL_NEW(w, uint32_t, places),
             *number = WL_NEW(w, uint32_t, places);
    for (uint32_t p = 0; p < places; p++) {
        float along = 2.0f * (float)(p / (uint32_t)(s.side * s.side)) / (float)s.side - 1.0f;
        at[p] = wl_rng_unit(rng) < 0.67f + 0.3f * fabsf(along) ? (*n)++ : NOBODY;
    }
    for (uint32_t i = 0; i < *n; i++) number[i] = i;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t k = (i + wl_rng_below(rng, s.mixed)) % *n, keep = number[i];
        number[i] = number[k];
        number[k] = keep;
    }
    for (uint32_t p = 0; p < places; p++)
        if (at[p] != NOBODY) at[p] = number[at[p]];
    return at;
}

/* Atoms near their places, and copies of them in a margin around the box; at: who is where, margin included. */
static void place_atoms(struct wl *w, struct wl_rng *rng, int side, const uint32_t *inside, struct system *m,
                        uint32_t *at)
{
    int wide = side + 2 * MARGIN;
    m->atoms = WL_NEW(w, struct atom, (size_t)wide * (size_t)wide * (size_t)wide);
    for (int p = 0; p < side * side * side; p++) {
        if (inside[p] == NOBODY) continue;
        struct atom *a = &m->atoms[inside[p]];
        a->x = (float)(p / (side * side)) + 0.4f * wl_rng_unit(rng);
        a->y = (float)(p / side % side) + 0.4f * wl_rng_unit(rng);
        a->z = (float)(p % side) + 0.4f * wl_rng_unit(rng);
        a->w = wl_rng_below(rng, 4) ? 3.4f : 5.0f; /* two kinds of atoms: the root of 12 times the depth of the well */
    }
    m->n_all = m->n;
    for (int p = 0; p < wide * wide * wide; p++) {
        int x = p / (wide * wide) - MARGIN, y = p / wide % wide - MARGIN, z = p % wide - MARGIN;
        int ix = (x + side) % side, iy = (y + side) % side, iz = (z + side) % side;
        at[p] = inside[(ix * side + iy) * side + iz];
        if (at[p] == NOBODY || (ix == x && iy == y && iz == z)) continue;
        struct atom a = m->atoms[at[p]];
        a.x += (float)(x - ix);
        a.y += (float)(y - iy);
        a.z += (float)(z - iz);
        at[p] = m->n_all++;
        m->atoms[at[p]] = a;
    }
}

static float distance2(const struct atom *a, const struct atom *b)
{
    float dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
    return fmaf(dx, dx, fmaf(dy, dy, dz * dz));
}

static struct system make_system(struct wl *w, struct wl_rng *rng, struct sizes s)
{
    struct system m = {0};
    int wide = s.side + 2 * MARGIN;
    uint32_t *inside = draw_places(w, rng, s, &m.n),
             *at = WL_NEW(w, uint32_t, (size_t)wide * (size_t)wide * (size_t)wide);
    place_atoms(w, rng, s.side, inside, &m, at);
    m.counts = WL_NEW(w, uint32_t, m.n);
    m.list = WL_NEW(w, uint32_t, (size_t)m.n * LONGEST);
    for (int p = 0; p < wide * wide * wide; p++) {
        uint32_t i = at[p];
        if (i >= m.n) continue; /* nobody, or a copy */
        for (int near = 0; near < 9 * 9 * 9; near++) {
            uint32_t k = at[p + ((near / 81 - 4) * wide + near / 9 % 9 - 4) * wide + near % 9 - 4];
            if (k == NOBODY || k == i || distance2(&m.atoms[i], &m.atoms[k]) >= REACH * REACH) continue;
            if (m.counts[i] == LONGEST) wl_fail(w, "atom %u has more than %u neighbours", i, LONGEST);
            m.list[(size_t)m.counts[i]++ * m.n + i] = k;
        }
    }
    return m;
}

static void reference(const struct system *m, struct atom *force)
{
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < m->counts[i]; k++) {
            const struct atom *own = &m->atoms[i], *other = &m->atoms[m->list[(size_t)k * m->n + i]];
            float r2 = distance2(own, other);
            if (r2 >= CUTOFF * CUTOFF) continue;
            float inverse = 1.0f / r2, r6 = inverse * inverse * inverse,
                  s = own->w * other->w * inverse * (r6 * (r6 - 1.0f));
            force[i].x = fmaf(own->x - other->x, s, force[i].x);
            force[i].y = fmaf(own->y - other->y, s, force[i].y);
            force[i].z = fmaf(own->z - other->z, s, force[i].z);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "md", .doc = "Lennard-Jones forces from lists of neighbours (SHOC)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {60};
    struct system m = make_system(&w, &rng, sizes[w.size]);
    struct atom *force = WL_NEW(&w, struct atom, m.n), *got = WL_NEW(&w, struct atom, m.n);
    float cutoff2 = CUTOFF * CUTOFF;

    CUdeviceptr d_atoms = wl_upload(&w, m.atoms, m.n_all * sizeof *m.atoms),
                d_counts = wl_upload(&w, m.counts, m.n * sizeof *m.counts);
    CUdeviceptr d_list = wl_upload(&w, m.list, (size_t)m.n * LONGEST * sizeof *m.list),
                d_force = wl_alloc(&w, m.n * sizeof *force);
    void *args[] = {&d_atoms, &d_list, &d_counts, &d_force, &m.n, &cutoff2};
    wl_launch(&w, wl_function(&w, "md_forces"), wl_blocks(m.n, BLOCK), 1, BLOCK, 1, args);

    reference(&m, force);
    if (w.verbose) {
        uint32_t least = LONGEST, most = 0;
        for (uint32_t i = 0; i < m.n; i++) {
            least = m.counts[i] < least ? m.counts[i] : least;
            most = m.counts[i] > most ? m.counts[i] : most;
        }
        printf("%u atoms and %u copies, %u to %u neighbours\n", m.n, m.n_all - m.n, least, most);
    }
    wl_output(&w, got, d_force, m.n * sizeof *got);
    wl_compare_f32(&w, "force", &got->x, &force->x, (size_t)m.n * 4);
    return wl_end(&w);
}
