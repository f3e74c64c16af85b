/* Surface loads and stores: unformatted, the first coordinate in bytes. [PTX ISA 9.7.11] */
#include <string.h>
#include "exec/exec.h"
#include "exec/lane_macros.h"
#include "lower/surface.h"

/* Where the lane's element lies; *inside is false outside of the surface, where .clamp goes to its edge. -1: a fault */
static int place(struct run *r, struct warp *w, const struct uop *u, uint32_t lane, uint64_t *address, bool *inside)
{
    const struct ptx_texture *t = find_texture(r, w, u, lane);
    if (!t) return -1;
    if (!texture_is_sound(t)) return run_fault(r, w, u, lane, "the surface has a format that does not exist");
    const uint32_t slots[] = {u->b, u->c, u->e, u->d2}, element = u->bytes * u->n_vec,
                   texel = t->channels * t->channel_bits / 8u;
    const int64_t size[3] = {(int64_t)t->width * texel, t->height ? t->height : 1, t->depth ? t->depth : 1};
    int64_t at[3] = {0};
    *inside = true;
    for (uint32_t k = 0; k < u->op + (u->aux ? 1u : 0u); k++) {
        const uint32_t axis = u->aux ? (k == 0 ? 2 : k - 1) : k;
        int32_t value;
        memcpy(&value, w->regs + slots[k] + lane * 4, 4);
        at[axis] = value;
        const int64_t last = axis == 0 ? size[0] - element : size[axis] - 1;
        if (axis == 0 && at[0] % element)
            return run_fault(r, w, u, lane, "byte %lld of a surface's row is not aligned to %u", (long long)at[0],
                             element);
        if (at[axis] >= 0 && at[axis] <= last && last >= 0) continue;
        if (u->proven == SURFACE_TRAP)
            return run_fault(r, w, u, lane, "coordinate %c = %lld is outside of the surface", 'x' + (char)axis,
                             (long long)at[axis]);
        *inside &= u->proven == SURFACE_CLAMP && last >= 0;
        at[axis] = at[axis] < 0 || last < 0 ? 0 : last;
    }
    *address = t->address + (uint64_t)at[2] * t->slice_pitch + (uint64_t)at[1] * t->pitch + (uint64_t)at[0];
    return 0;
}

static void move_elements(struct warp *w, const struct uop *u, uint32_t lane, unsigned char *host)
{
    for (uint32_t v = 0; v < u->n_vec; v++) {
        if (u->vec[v] == NO_SLOT) continue;
        const uint32_t stride = u->width == 64 ? 8 : 4;
        unsigned char *reg = w->regs + u->vec[v] + lane * stride;
        uint64_t value = 0;
        if (u->sign) { /* a store */
            memcpy(host + v * u->bytes, reg, u->bytes);
        } else {
            if (host) memcpy(&value, host + v * u->bytes, u->bytes);
            memcpy(reg, &value, stride);
        }
    }
}

int exec_surface(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES] = {0};
    if (u->sign) r->changed = r->counts.warp_insts;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        unsigned char *host = NULL;
        bool inside = false;
        if (place(r, w, u, l, &addresses[l], &inside) < 0) return -1;
        if (inside && !(host = lane_memory(r, w, u, l, addresses[l], u->bytes * u->n_vec))) return -1;
        if (host || !u->sign) move_elements(w, u, l, host);
    }
    const uint64_t fill = addresses[__builtin_ctz(mask)];
    EACH_LANE addresses[l] = mask & lane_bits[l] ? addresses[l] : fill;
    record_addresses(w, u, mask, addresses);
    return 0;
}
