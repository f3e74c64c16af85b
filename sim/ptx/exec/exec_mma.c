/* Matrix multiply and accumulate over a warp. Products are exact and their sum has double precision, rounded once:
 * the hardware's order and intermediate roundings are not published. Fragments of mma.sync lie as PTX says (group =
 * lane / 4); those of wmma, which PTX leaves open, as rows of consecutive elements. */
#include <string.h>
#include "exec/exec.h"
#include "poise/half.h"
#include "exec/lane_macros.h"
#include "lower/mma.h"

#define MAX_SIDE 32
#define MAX_DEPTH 256 /* of factors of single bits */

static uint32_t bits_of(uint8_t type)
{
    static const uint8_t bits[] = {[MMA_F64] = 64,  [MMA_S8] = 8, [MMA_U8] = 8, [MMA_F16] = 16,
                                   [MMA_BF16] = 16, [MMA_S4] = 4, [MMA_U4] = 4, [MMA_B1] = 1};
    return type < sizeof bits && bits[type] ? bits[type] : 32;
}

static double to_double(uint8_t type, uint64_t raw)
{
    float narrow;
    double wide;
    const uint32_t low = (uint32_t)raw & (type == MMA_TF32 ? ~0x1fffu : ~0u);
    switch ((enum mma_type)type) {
    case MMA_F16: return f16_get(low);
    case MMA_BF16: return bf16_get(low);
    case MMA_S8: return (int8_t)low;
    case MMA_U8: return (uint8_t)low;
    case MMA_S4: return (int8_t)(low << 4) >> 4;
    case MMA_U4:
    case MMA_B1: return low;
    case MMA_S32: return (int32_t)low;
    case MMA_F64: memcpy(&wide, &raw, 8); return wide;
    default: memcpy(&narrow, &low, 4); return (double)narrow;
    }
}

static uint64_t from_double(uint8_t type, double x, bool saturates)
{
    uint64_t raw = 0;
    if (type == MMA_F16) return f16_put(x);
    if (type == MMA_S32) { /* sums of 8-bit products are exact */
        if (saturates) x = x > 2147483647.0 ? 2147483647.0 : x < -2147483648.0 ? -2147483648.0 : x;
        return (uint32_t)(int64_t)x;
    }
    const float narrow = (float)x;
    if (type == MMA_F64) memcpy(&raw, &x, 8);
    else memcpy(&raw, &narrow, 4);
    return raw;
}

/* Rows and columns of a fragment. */
static void sides(const struct mma *m, enum mma_fragment f, uint32_t *rows, uint32_t *columns)
{
    *rows = f == MMA_B ? m->k : m->m;
    *columns = f == MMA_A ? m->k : m->n;
}

/* Where element i of a lane's registers belongs. */
static void place(const struct mma *m, enum mma_fragment f, bool is_wmma, bool is_column, uint8_t type, uint32_t lane,
                  uint32_t i, uint32_t *row, uint32_t *column)
{
    uint32_t rows, columns;
    sides(m, f, &rows, &columns);
    if (is_wmma) {
        const uint32_t each = rows * columns / LANES, n = lane * each + i % each; /* what is left over repeats */
        *row = is_column ? n % rows : n / columns;
        *column = is_column ? n / rows : n % columns;
        return;
    }
    const uint32_t group = lane / 4, in_group = lane % 4, packed = bits_of(type) == 64 ? 1 : 32 / bits_of(type),
                   reg = i / packed, part = i % packed;
    if (f == MMA_A) {
        *row = group + (m->m == 16 ? 8 * (reg & 1) : 0);
        *column = in_group * packed + part + (m->m == 16 ? reg >> 1 : reg) * 4 * packed;
    } else if (f == MMA_B) {
        *row = in_group * packed + part + reg * 4 * packed;
        *column = group;
    } else {
        *row = group + 8 * (i >> 1);
        *column = in_group * 2 + (i & 1);
    }
}

static uint32_t elements_of(const struct mma *m, enum mma_fragment f)
{
    const uint32_t bits = bits_of(m->type[f]);
    return m->n_regs[f] * (bits >= 32 ? 1 : 32 / bits);
}

static unsigned char *element_at(const struct run *r, const struct warp *w, size_t first, uint8_t type, uint32_t lane,
                                 uint32_t i)
{
    const uint32_t bits = bits_of(type), packed = bits >= 32 ? 1 : 32 / bits;
    const struct call_arg *a = &r->kernel->args[first + i / packed];
    return w->regs + a->slot + (size_t)lane * a->bytes + i % packed * bits / 8;
}

/* The bits of an element, which may have fewer than a byte. */
static uint64_t element_bits(const struct run *r, const struct warp *w, size_t first, uint8_t type, uint32_t lane,
                             uint32_t i)
{
    const uint32_t bits = bits_of(type), each = 8 / bits;
    uint64_t raw = 0;
    if (bits >= 8) {
        memcpy(&raw, element_at(r, w, first, type, lane, i), bits / 8);
        return raw;
    }
    return (uint64_t)*element_at(r, w, first, type, lane, i) >> i % each * bits & ((1u << bits) - 1);
}

/* out: row after row */
static void gather(const struct run *r, const struct warp *w, const struct mma *m, enum mma_fragment f, size_t first,
                   double *out)
{
    uint32_t rows, columns;
    sides(m, f, &rows, &columns);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < elements_of(m, f); i++) {
            uint32_t row, column;
            place(m, f, m->op == MMA_WMMA, m->is_column[f], m->type[f], lane, i, &row, &column);
            out[row * columns + column] = to_double(m->type[f], element_bits(r, w, first, m->type[f], lane, i));
        }
}

static void multiply(struct run *r, struct warp *w, const struct uop *u, const struct mma *m)
{
    double a[MAX_SIDE * MAX_DEPTH], b[MAX_DEPTH * MAX_SIDE], c[MAX_SIDE * MAX_SIDE];
    const uint32_t n = m->n, depth = m->k;
    const size_t d_first = (size_t)u->imm, a_first = d_first + m->n_regs[MMA_D], b_first = a_first + m->n_regs[MMA_A],
                 c_first = b_first + m->n_regs[MMA_B];
    gather(r, w, m, MMA_A, a_first, a);
    gather(r, w, m, MMA_B, b_first, b);
    gather(r, w, m, MMA_C, c_first, c);
    for (uint32_t row = 0; row < m->m; row++)
        for (uint32_t column = 0; column < m->n; column++) {
            double sum = 0.0;
            if (m->is_xor)
                for (uint32_t k = 0; k < depth; k++) sum += a[row * depth + k] != b[k * n + column] ? 1.0 : 0.0;
            else
                for (uint32_t k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + column];
            c[row * n + column] += sum;
        }
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < elements_of(m, MMA_D); i++) {
            uint32_t row, column;
            place(m, MMA_D, m->op == MMA_WMMA, false, m->type[MMA_D], lane, i, &row, &column);
            const uint64_t raw = from_double(m->type[MMA_D], c[row * n + column], m->saturates);
            memcpy(element_at(r, w, d_first, m->type[MMA_D], lane, i), &raw, bits_of(m->type[MMA_D]) / 8);
        }
}

static uint64_t window_of(enum space space) { return space == SP_SHARED ? PTX_SHARED_WINDOW : 0; }

static uint64_t base_of(const struct warp *w, const struct uop *u, uint32_t lane)
{
    uint64_t base = 0;
    if (u->flags & UOP_WIDE_BASE) memcpy(&base, w->regs + u->a + lane * 8, 8);
    else memcpy(&base, w->regs + u->a + lane * 4, 4);
    return base + (uint64_t)(int64_t)(int32_t)u->e;
}

/* wmma.load and wmma.store: `stride` elements from row to row (or column to column). */
static int move(struct run *r, struct warp *w, const struct uop *u, const struct mma *m, uint64_t shown[LANES])
{
    const uint8_t type = m->type[MMA_D];
    const uint32_t bytes = bits_of(type) / 8;
    const bool is_column = m->is_column[MMA_D], is_factor = m->fragment != MMA_C;
    uint32_t rows, columns;
    sides(m, (enum mma_fragment)m->fragment, &rows, &columns);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t stride = is_column ? rows : columns;
        if (u->b != NO_SLOT) memcpy(&stride, w->regs + u->b + lane * 4, 4);
        for (uint32_t i = 0; i < elements_of(m, MMA_D); i++) {
            uint32_t row, column;
            place(m, (enum mma_fragment)m->fragment, true, is_factor && is_column, type, lane, i, &row, &column);
            const uint64_t at = base_of(w, u, lane) + window_of(m->space) +
                                ((uint64_t)(is_column ? column : row) * stride + (is_column ? row : column)) * bytes;
            unsigned char *host = lane_memory(r, w, u, lane, at, bytes),
                          *reg = element_at(r, w, (size_t)u->imm, type, lane, i);
            if (!host) return -1;
            if (i == 0) shown[lane] = at;
            memcpy(m->op == MMA_STORE ? host : reg, m->op == MMA_STORE ? reg : host, bytes);
        }
    }
    return 0;
}

/* Lanes 8 j to 8 j + 7 give the rows of matrix j; a lane has two elements of row lane / 4. */
static int move_matrices(struct run *r, struct warp *w, const struct uop *u, const struct mma *m, uint64_t shown[LANES])
{
    const bool is_store = m->op == MMA_STMATRIX;
    for (uint32_t lane = 0; lane < LANES; lane++)
        shown[lane] = base_of(w, u, lane % (8u * m->n_regs[MMA_D])) + window_of(m->space);
    for (uint32_t j = 0; j < m->n_regs[MMA_D]; j++) {
        unsigned char *rows[8];
        for (uint32_t row = 0; row < 8; row++)
            if (!(rows[row] = lane_memory(r, w, u, 8 * j + row, shown[8 * j + row], 16))) return -1;
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t x = lane / 4, y = lane % 4 * 2 + k;
                unsigned char *const element = element_at(r, w, (size_t)u->imm, MMA_F16, lane, 2 * j + k),
                                     *const memory = m->transposes ? rows[y] + 2 * x : rows[x] + 2 * y;
                memcpy(is_store ? memory : element, is_store ? element : memory, 2);
            }
    }
    return 0;
}

int exec_mma(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const struct mma *m = &r->kernel->mmas[u->target];
    uint64_t shown[LANES] = {0};
    if (mask != FULL_MASK)
        return run_fault(r, w, u, (uint32_t)__builtin_ctz(mask), "all 32 lanes must execute it together");
    if (m->op == MMA_MMA || m->op == MMA_WMMA) {
        multiply(r, w, u, m);
        return 0;
    }
    if ((m->op == MMA_LDMATRIX || m->op == MMA_STMATRIX ? move_matrices(r, w, u, m, shown) : move(r, w, u, m, shown)) <
        0)
        return -1;
    if (m->space == SP_SHARED) EACH_LANE shown[l] -= PTX_SHARED_WINDOW;
    record_addresses(w, u, mask, shown);
    return 0;
}
