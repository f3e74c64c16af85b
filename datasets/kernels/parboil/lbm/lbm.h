/* The D3Q19 lattice and its arithmetic, for the kernel and for its reference alike. A cell has 19 distributions and
 * a flag, each an array of its own over the grid (structure of arrays). A cell's index is x + nx (y + ny z). */
#ifndef LBM_H
#define LBM_H
#ifdef __CUDA__
#define LBM_FN static inline __device__
#else
#define LBM_FN static inline
#endif

enum { LBM_DIRECTIONS = 19, LBM_FLAG = 19, LBM_FIELDS = 20 };
enum { LBM_FLUID, LBM_OBSTACLE, LBM_ACCELERATED };

/* F(number, x, y, z, opposite, weight): rest, six axes, twelve diagonals */
/* clang-format off */
#define LBM_LATTICE(F) \
    F(0, 0, 0, 0, 0, 1.0f / 3.0f) \
    F(1, 0, 1, 0, 2, 1.0f / 18.0f) F(2, 0, -1, 0, 1, 1.0f / 18.0f) F(3, 1, 0, 0, 4, 1.0f / 18.0f) \
    F(4, -1, 0, 0, 3, 1.0f / 18.0f) F(5, 0, 0, 1, 6, 1.0f / 18.0f) F(6, 0, 0, -1, 5, 1.0f / 18.0f) \
    F(7, 1, 1, 0, 10, 1.0f / 36.0f) F(8, -1, 1, 0, 9, 1.0f / 36.0f) F(9, 1, -1, 0, 8, 1.0f / 36.0f) \
    F(10, -1, -1, 0, 7, 1.0f / 36.0f) F(11, 0, 1, 1, 14, 1.0f / 36.0f) F(12, 0, 1, -1, 13, 1.0f / 36.0f) \
    F(13, 0, -1, 1, 12, 1.0f / 36.0f) F(14, 0, -1, -1, 11, 1.0f / 36.0f) F(15, 1, 0, 1, 18, 1.0f / 36.0f) \
    F(16, 1, 0, -1, 17, 1.0f / 36.0f) F(17, -1, 0, 1, 16, 1.0f / 36.0f) F(18, -1, 0, -1, 15, 1.0f / 36.0f)
/* clang-format on */

/* One step of one cell: reads its own distributions, collides, and writes each to the neighbour it moves to. */
LBM_FN void lbm_cell(const float *from, float *to, int cell, int row, int layer, int cells, float omega, float push)
{
    const float *in = from + cell;
    float *out = to + cell;
#define READ(k, x, y, z, opposite, weight) float f##k = in[k * cells];
    LBM_LATTICE(READ)
#undef READ
    float flag = in[LBM_FLAG * cells];
    if (flag == (float)LBM_OBSTACLE) { /* bounces back */
#define BOUNCE(k, x, y, z, opposite, weight) out[k * cells + x + y * row + z * layer] = f##opposite;
        LBM_LATTICE(BOUNCE)
#undef BOUNCE
        return;
    }
    float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#define MOMENT(k, x, y, z, opposite, weight) \
    rho += f##k; \
    if (x) ux += x > 0 ? f##k : -f##k; \
    if (y) uy += y > 0 ? f##k : -f##k; \
    if (z) uz += z > 0 ? f##k : -f##k;
    LBM_LATTICE(MOMENT)
#undef MOMENT
    ux = ux / rho;
    uy = uy / rho;
    uz = uz / rho;
    if (flag == (float)LBM_ACCELERATED) {
        ux = push;
        uy = 0.4f * push;
        uz = 0.0f;
    }
    float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f, base = 1.0f - omega;
#define COLLIDE(k, x, y, z, opposite, weight) \
    { \
        float u = (x ? (x > 0 ? ux : -ux) : 0.0f) + (y ? (y > 0 ? uy : -uy) : 0.0f) + (z ? (z > 0 ? uz : -uz) : 0.0f); \
        float equilibrium = rho * (u * (4.5f * u + 3.0f) - u2); \
        out[k * cells + x + y * row + z * layer] = base * f##k + omega * weight * equilibrium; \
    }
    LBM_LATTICE(COLLIDE)
#undef COLLIDE
}
#endif
