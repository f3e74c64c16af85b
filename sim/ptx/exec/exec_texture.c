/* Texture fetches. [CUDA C++ Programming Guide, "Texture Fetching"]: point sampling takes texel floor(x); linear
 * filtering weighs the neighbours of x - 0.5 with fractions of 8 bits. */
#include <math.h>
#include <string.h>
#include "exec/exec.h"
#include "poise/half.h"
#include "exec/lane_macros.h"
#include "lower/surface.h"

struct fetch {
    struct run *r;
    struct warp *w;
    const struct uop *u;
    const struct ptx_texture *t;
    uint32_t lane;
};

const struct ptx_texture *find_texture(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_module *m = r->kernel->module;
    uint64_t handle;
    memcpy(&handle, w->regs + u->a + lane * 8, 8);
    const uint64_t index = handle - PTX_TEXTURE_WINDOW;
    if (index < m->n_texrefs) {
        if (m->is_bound[index]) return &m->textures[index];
        run_fault(r, w, u, lane, "no memory is bound to texture or surface %s", m->texrefs[index]->name);
        return NULL;
    }
    const struct ptx_texture *t =
        r->services && r->services->texture ? r->services->texture(r->services->self, handle) : NULL;
    if (!t) run_fault(r, w, u, lane, "0x%llx is no texture or surface object", (unsigned long long)handle);
    return t;
}

/* A texel's index in [0, size), or -1: the border. */
static int64_t wrapped(int64_t i, uint32_t size, uint8_t mode, bool is_normalised)
{
    const int64_t n = size ? size : 1;
    if (i >= 0 && i < n) return i;
    if (mode == PTX_TEXTURE_BORDER) return -1;
    /* the others need normalised coordinates */
    if (mode == PTX_TEXTURE_CLAMP || !is_normalised) return i < 0 ? 0 : n - 1;
    if (mode == PTX_TEXTURE_WRAP) return (i % n + n) % n;
    const int64_t m = (i % (2 * n) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
}

static uint64_t texel_address(const struct ptx_texture *t, const int64_t at[3])
{
    return t->address + (uint64_t)at[2] * t->slice_pitch + (uint64_t)at[1] * t->pitch +
           (uint64_t)at[0] * (t->channels * t->channel_bits / 8u);
}

/* One channel as bits of the result's type: floats for float results, integers else. */
static uint32_t channel(const struct ptx_texture *t, bool as_float, const unsigned char *texel, uint32_t k)
{
    const uint32_t bits = t->channel_bits;
    uint32_t raw = 0;
    memcpy(&raw, texel + k * bits / 8, bits / 8);
    float x;
    if (t->kind == 'f') {
        if (bits == 32) return raw;
        x = (float)f16_get(raw);
    } else {
        const int32_t value = t->kind == 's' ? (bits == 8 ? (int8_t)raw : bits == 16 ? (int16_t)raw : (int32_t)raw) : 0;
        if (!t->reads_unit || !as_float || bits == 32) return t->kind == 's' ? (uint32_t)value : raw;
        const float top = (float)((1u << (t->kind == 's' ? bits - 1 : bits)) - 1);
        x = t->kind == 's' ? fmaxf((float)value / top, -1.0f) : (float)raw / top;
    }
    memcpy(&raw, &x, 4);
    return raw;
}

/* Texel (x, y, z) after the address mode; outside a border all zeros. */
static int texel(const struct fetch *f, const int64_t at[3], uint32_t out[4])
{
    const struct ptx_texture *t = f->t;
    const uint32_t size[3] = {t->width, t->height, t->depth};
    int64_t in[3];
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        in[k] = t->is_linear_memory ? (at[k] >= 0 && at[k] < (size[k] ? size[k] : 1) ? at[k] : -1)
                                    : wrapped(at[k], size[k], t->address_mode[k], t->is_normalised);
        if (in[k] < 0) return 0;
    }
    const uint32_t bytes = t->channels * t->channel_bits / 8u;
    const unsigned char *host = lane_memory(f->r, f->w, f->u, f->lane, texel_address(t, in), bytes);
    if (!host) return -1;
    for (uint32_t k = 0; k < t->channels && k < 4; k++) out[k] = channel(t, f->u->type == T_F32, host, k);
    return 0;
}

static int64_t to_index(float x)
{
    return x >= -1e9f && x <= 1e9f ? (int64_t)floorf(x) : x > 0 ? 1000000000 : x < 0 ? -1000000000 : 0;
}

static int filtered(const struct fetch *f, const float x[3], uint32_t dims, int64_t layer, uint32_t out[4])
{
    int64_t base[3] = {0, 0, layer};
    float fraction[3] = {0};
    float sum[4] = {0};
    for (uint32_t k = 0; k < dims; k++) {
        const float moved = x[k] - 0.5f;
        base[k] = to_index(moved);
        fraction[k] = rintf((moved - floorf(moved)) * 256.0f) / 256.0f;
        if (!(fraction[k] >= 0.0f && fraction[k] <= 1.0f)) fraction[k] = 0.0f;
    }
    for (uint32_t corner = 0; corner < 1u << dims; corner++) {
        int64_t at[3] = {base[0], base[1], base[2]};
        float weight = 1.0f;
        uint32_t bits[4];
        for (uint32_t k = 0; k < dims; k++) {
            at[k] += corner >> k & 1;
            weight *= corner >> k & 1 ? fraction[k] : 1.0f - fraction[k];
        }
        if (texel(f, at, bits) < 0) return -1;
        for (int k = 0; k < 4; k++) {
            float value;
            memcpy(&value, &bits[k], 4);
            sum[k] += weight != 0.0f ? weight * value : 0.0f;
        }
    }
    memcpy(out, sum, 4 * sizeof *out);
    return 0;
}

/* tld4: one channel of the four texels that linear filtering would mix, (0, 1), (1, 1), (1, 0), (0, 0). */
static int gathered(const struct fetch *f, const float x[3], int64_t layer, uint32_t out[4])
{
    static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int k = 0; k < 4; k++) {
        const int64_t at[3] = {to_index(x[0] - 0.5f) + corners[k][0], to_index(x[1] - 0.5f) + corners[k][1], layer};
        uint32_t bits[4];
        if (texel(f, at, bits) < 0) return -1;
        out[k] = bits[f->u->proven - 1];
    }
    return 0;
}

/* The face of a cube that a direction points to, 0 to 5: the axis of the largest coordinate m and its sign; and where
 * on that face, s and t from 0 to 1. [CUDA C++ Programming Guide, "Cubemap Textures", table 3] Which of two equal
 * coordinates is the largest it leaves open: z before y before x here. */
static uint32_t cube_face(const float x[3], float st[2])
{
    const float size[3] = {fabsf(x[0]), fabsf(x[1]), fabsf(x[2])};
    const uint32_t axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
    const bool is_negative = x[axis] < 0;
    const float s = axis == 0 ? (is_negative ? x[2] : -x[2]) : axis == 2 && is_negative ? -x[0] : x[0];
    const float t = axis != 1 ? -x[1] : is_negative ? -x[2] : x[2];
    const float m = size[axis];
    st[0] = m > 0 ? (s / m + 1.0f) / 2.0f : 0.5f;
    st[1] = m > 0 ? (t / m + 1.0f) / 2.0f : 0.5f;
    return 2 * axis + is_negative;
}

/* A fetch from a cube is one from the layer of a face, whose edge it does not leave: `face` becomes the cube as a
 * texture of layers, six for each cube. Coordinates, index, layer and the result as coordinates() has them. */
static uint64_t cube_coordinates(struct fetch *f, struct ptx_texture *face, float x[3], int64_t at[3], int64_t *layer)
{
    const struct uop *u = f->u;
    const uint32_t slots[] = {u->b, u->c, u->e, u->d2}, cubes = f->t->depth / 6, first = u->aux & TEXTURE_LAYERED;
    float direction[3], st[2];
    uint32_t cube = 0;
    for (uint32_t k = 0; k < 3; k++) memcpy(&direction[k], f->w->regs + slots[k + first] + f->lane * 4, 4);
    if (first) memcpy(&cube, f->w->regs + slots[0] + f->lane * 4, 4);
    if (cube >= cubes) cube = cubes ? cubes - 1 : 0;
    at[2] = *layer = 6 * (int64_t)cube + cube_face(direction, st);
    *face = *f->t;
    memset(face->address_mode, PTX_TEXTURE_CLAMP, sizeof face->address_mode);
    f->t = face;
    x[0] = st[0] * (float)face->width;
    x[1] = st[1] * (float)face->height;
    x[2] = 0.0f;
    int64_t shown[3] = {0, 0, at[2]};
    for (uint32_t k = 0; k < 2; k++) {
        at[k] = to_index(x[k]);
        shown[k] = wrapped(at[k], k ? face->height : face->width, PTX_TEXTURE_CLAMP, true);
    }
    return texel_address(face, shown);
}

/* The coordinates of a lane in texels; and for the trace the address of the texel that point sampling takes. */
static uint64_t coordinates(const struct fetch *f, float x[3], int64_t at[3], int64_t *layer)
{
    const struct uop *u = f->u;
    const uint32_t slots[] = {u->b, u->c, u->e, u->d2}, size[3] = {f->t->width, f->t->height, f->t->depth};
    int64_t shown[3] = {0};
    *layer = 0;
    at[0] = at[1] = at[2] = 0;
    x[0] = x[1] = x[2] = 0.0f;
    if (u->aux) {
        uint32_t n;
        memcpy(&n, f->w->regs + slots[0] + f->lane * 4, 4);
        *layer = n;
        if (*layer >= size[2]) *layer = size[2] ? (int64_t)size[2] - 1 : 0;
        shown[2] = at[2] = *layer;
    }
    for (uint32_t k = 0; k < u->op; k++) {
        const unsigned char *from = f->w->regs + slots[k + (u->aux ? 1 : 0)] + f->lane * 4;
        int32_t index;
        memcpy(&index, from, 4);
        memcpy(&x[k], from, 4);
        if (u->sign) x[k] = (float)index;
        else if (f->t->is_normalised) x[k] *= (float)(size[k] ? size[k] : 1);
        at[k] = u->sign ? index : to_index(x[k]);
        const int64_t in = wrapped(at[k], size[k], f->t->address_mode[k], f->t->is_normalised);
        shown[k] = in < 0 ? 0 : in;
    }
    return texel_address(f->t, shown);
}

bool texture_is_sound(const struct ptx_texture *t)
{
    return (t->channels == 1 || t->channels == 2 || t->channels == 4) &&
           (t->channel_bits == 8 || t->channel_bits == 16 || t->channel_bits == 32) &&
           (t->kind == 'u' || t->kind == 's' || (t->kind == 'f' && t->channel_bits > 8)) && t->width;
}

int exec_texture(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES] = {0};
    uint32_t out[4][LANES] = {{0}};
    for (uint32_t left = mask; left; left &= left - 1) {
        struct fetch f = {r, w, u, NULL, (uint32_t)__builtin_ctz(left)};
        float x[3];
        int64_t at[3], layer;
        uint32_t bits[4];
        struct ptx_texture face;
        const bool is_cube = u->aux & TEXTURE_CUBE;
        if (!(f.t = find_texture(r, w, u, f.lane))) return -1;
        if (!texture_is_sound(f.t)) return run_fault(r, w, u, f.lane, "the texture has a format that does not exist");
        if (is_cube && (f.t->depth < 6 || f.t->width != f.t->height))
            return run_fault(r, w, u, f.lane, "the texture is no cube map: it has %u x %u texels and %u layers",
                             f.t->width, f.t->height, f.t->depth);
        addresses[f.lane] = is_cube ? cube_coordinates(&f, &face, x, at, &layer) : coordinates(&f, x, at, &layer);
        const bool floats = f.t->kind == 'f' || (f.t->reads_unit && u->type == T_F32 && f.t->channel_bits < 32);
        const bool filters = f.t->filters && floats && !u->sign && !f.t->is_linear_memory;
        if ((u->proven ? gathered(&f, x, layer, bits)
             : filters ? filtered(&f, x, is_cube ? 2 : u->op, layer, bits)
                       : texel(&f, at, bits)) < 0)
            return -1;
        for (int k = 0; k < 4; k++) out[k][f.lane] = bits[k];
    }
    if (mask != FULL_MASK) {
        const uint64_t fill = addresses[__builtin_ctz(mask)];
        for (uint32_t l = 0; l < LANES; l++)
            if (!(mask >> l & 1)) addresses[l] = fill;
    }
    record_addresses(w, u, mask, addresses);
    for (int k = 0; k < 4; k++)
        if (u->vec[k] != NO_SLOT) put32(w->regs + u->vec[k], out[k], mask);
    return 0;
}

int exec_texture_query(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const struct ptx_texture *t = find_texture(r, w, u, l);
        if (!t) return -1;
        const uint32_t values[] = {t->width, t->height, t->depth, 0, 0, t->is_normalised};
        memcpy(w->regs + u->d + l * 4, &values[u->op], 4);
    }
    return 0;
}
