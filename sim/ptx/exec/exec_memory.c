/* Loads and stores: addresses of all lanes, one bounds check for the warp where its lanes touch one allocation, then a
 * gather or a scatter. Lanes store in ascending order, so the highest lane wins a conflict. */
#include <string.h>
#include "exec/access.h"
#include "exec/exec.h"
#include "exec/extent.h"

static uint32_t first_lane(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }

void lane_addresses(const struct warp *w, const struct uop *u, uint32_t mask, uint64_t addresses[LANES])
{
    addresses_of(w->regs, u, mask, addresses);
}

/* What the trace shows: local memory interleaved by lane, as the hardware lays it out, and apart for each warp. */
void record_addresses(struct warp *w, const struct uop *u, uint32_t mask, const uint64_t addresses[LANES])
{
    if (!w->buffer) return;
    if (u->space != SP_LOCAL && u->space != SP_GENERIC) {
        trace_record_access(w->buffer, mask, addresses);
        return;
    }
    uint64_t shown[LANES];
    if (u->proven == SP_SHARED || u->proven == SP_PARAM) { /* offsets, as for ld.shared and ld.param */
        EACH_LANE shown[l] = addresses[l] & UINT32_MAX;
        trace_record_access(w->buffer, mask, shown);
        return;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        const uint64_t offset = u->space == SP_LOCAL ? addresses[l] : addresses[l] - PTX_LOCAL_WINDOW;
        const uint64_t param = addresses[l] - PTX_PARAM_WINDOW;
        const bool is_local = u->space == SP_LOCAL || offset < UINT32_MAX;
        shown[l] = is_local                   ? w->local_base + offset / 4 * 128 + l * 4 + offset % 4
                   : param < PARAM_BANK_BYTES ? PTX_LOCAL_WINDOW + param
                                              : addresses[l];
    }
    trace_record_access(w->buffer, mask, shown);
}

int each_space(struct run *r, struct warp *w, const struct uop *u, uint32_t mask, uint64_t addresses[LANES],
               space_fn *each)
{
    if (u->space != SP_GENERIC) return each(r, w, u, (enum space)u->space, mask, addresses);
    static const struct {
        enum space space;
        uint64_t window;
    } windows[] = {{SP_SHARED, PTX_SHARED_WINDOW}, {SP_LOCAL, PTX_LOCAL_WINDOW}, {SP_PARAM, PTX_PARAM_WINDOW}};
    const int n = r->kernel->has_generic_params ? 3 : 2;
    for (int i = 0; i < n; i++) {
        uint32_t inside = 0;
        EACH_LANE inside |= addresses[l] - windows[i].window <= UINT32_MAX ? lane_bits[l] : 0;
        inside &= mask;
        if (!inside) continue;
        if (windows[i].space == SP_PARAM && u->kind != UOP_LOAD && u->kind != UOP_LOAD_PART)
            return run_fault(r, w, u, first_lane(inside), "the kernel's parameters cannot be written");
        uint64_t moved[LANES];
        const uint64_t fill = addresses[first_lane(inside)];
        EACH_LANE moved[l] = (inside & lane_bits[l] ? addresses[l] : fill) - windows[i].window;
        if (each(r, w, u, windows[i].space, inside, moved) < 0) return -1;
        mask &= ~inside;
    }
    if (!mask) return 0;
    const uint64_t fill = addresses[first_lane(mask)];
    EACH_LANE addresses[l] = mask & lane_bits[l] ? addresses[l] : fill;
    return each(r, w, u, SP_GLOBAL, mask, addresses);
}

/* Whether an access outside every allocation goes on all the same, as hardware's pages may let it. */
static bool lets_stray(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                       uint32_t bytes)
{
    const struct ptx_memory *m = r->memory;
    if (!r->services || !r->services->stray || address < m->base || m->size < bytes ||
        address - m->base > m->size - bytes)
        return false;
    const struct trace_inst *inst = &r->kernel->insts[u - r->kernel->code];
    const uint32_t *block = r->grid->block, thread = w->index * LANES + lane;
    const struct ptx_stray stray = {
        .kernel = r->kernel->info.name,
        .instruction = r->kernel->strings + inst->name,
        .cta = {r->cta[0], r->cta[1], r->cta[2]},
        .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]},
        .line = inst->line,
        .bytes = bytes,
        .address = address};
    return r->services->stray(r->services->self, &stray);
}

/* The allocation that holds the access of a lane, into *last, or leave to go on without one. */
static bool find_allocation(struct run *r, const struct warp *w, const struct uop *u, struct ptx_extent *last,
                            uint32_t lane, uint64_t address, uint32_t bytes)
{
    if (extent_holds(last->lo, last->hi, address, bytes)) return true;
    const struct ptx_extent found = r->memory->find(r->memory->self, address);
    if (!extent_holds(found.lo, found.hi, address, bytes)) return lets_stray(r, w, u, lane, address, bytes);
    *last = found;
    return true;
}

/* The warp as a whole did not fit the last allocation: look at each lane. Lanes that are off go with the first. */
static int find_lanes(struct run *r, const struct warp *w, const struct uop *u, struct ptx_extent *last, uint32_t mask,
                      uint32_t bytes, uint64_t addresses[LANES])
{
    uint64_t found[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask & lane_bits[l])) continue;
        if (!find_allocation(r, w, u, last, l, addresses[l], bytes))
            return run_fault(r, w, u, l, "0x%llx is outside every allocation", (unsigned long long)addresses[l]);
        found[l] = addresses[l] + extent_shift(r->memory, last, addresses[l]);
    }
    for (uint32_t l = 0; l < LANES; l++) addresses[l] = found[mask & lane_bits[l] ? l : first_lane(mask)];
    return 0;
}

static int out_of_space(struct run *r, const struct warp *w, const struct uop *u, const char *what, uint64_t size,
                        uint32_t mask, uint32_t bytes, const uint64_t addresses[LANES])
{
    for (uint32_t l = 0; l < LANES; l++)
        if (mask & lane_bits[l] && (addresses[l] > size || size - addresses[l] < bytes))
            return run_fault(r, w, u, l, "byte %lld is outside the %llu bytes of %s",
                             addresses[l] <= UINT32_MAX ? (int32_t)addresses[l] : (long long)addresses[l],
                             (unsigned long long)size, what);
    return 0;
}

/* Whether the access of every lane lies in the `size` bytes from lo on. A lane's offset, or what it leaves of them, is
 * negative as a signed number where it does not: no comparison of 64 bits, so that the baseline vectorises it too. */
static bool all_inside(const uint64_t addresses[LANES], uint64_t lo, uint64_t size, uint32_t bytes)
{
    if (size < bytes || size > INT64_MAX) return false;
    const uint64_t last = size - bytes;
    uint64_t outside = 0;
    EACH_LANE outside |= (addresses[l] - lo) | (last - (addresses[l] - lo));
    return outside >> 63 == 0;
}

static bool all_from(const uint64_t addresses[LANES], uint64_t least)
{
    bool all = true;
    EACH_LANE all &= addresses[l] >= least;
    return all;
}

/* What an instruction does to the bytes it touches; of some it may write a part. */
static unsigned marks_of(const struct uop *u)
{
    switch (u->kind) {
    case UOP_LOAD:
    case UOP_LOAD_PART:
    case UOP_TEXTURE: return MARK_READ;
    case UOP_STORE: return MARK_WRITTEN;
    case UOP_SURFACE: return u->sign ? MARK_READ | MARK_WRITTEN : MARK_READ;
    default: return MARK_READ | MARK_WRITTEN;
    }
}

static int to_shadow(const struct run *r, const struct uop *u, uint32_t mask, uint32_t bytes, uint64_t addresses[LANES])
{
    return shadows_lanes(r->shadows, (size_t)(u - r->kernel->code), marks_of(u), mask, bytes, addresses) ? 0 : -1;
}

int to_host(struct run *r, const struct warp *w, const struct uop *u, enum space space, uint32_t mask, uint32_t bytes,
            uint64_t addresses[LANES])
{
    uint64_t low_bits = 0;
    EACH_LANE low_bits |= addresses[l];
    if (low_bits & (bytes - 1))
        for (uint32_t l = 0; l < LANES; l++)
            if (mask & lane_bits[l] && addresses[l] & (bytes - 1))
                return run_fault(r, w, u, l, "0x%llx is not aligned to %u bytes", (unsigned long long)addresses[l],
                                 bytes);
    uint64_t shift;
    if (space == SP_GLOBAL || space == SP_CONST) {
        if (r->shadows) return to_shadow(r, u, mask, bytes, addresses);
        struct ptx_extent *last = &r->extents[u - r->kernel->code];
        if (!all_inside(addresses, last->lo, last->hi - last->lo, bytes))
            return find_lanes(r, w, u, last, mask, bytes, addresses);
        shift = extent_shift(r->memory, last, addresses[0]);
    } else {
        const bool is_shared = space == SP_SHARED, is_param = space == SP_PARAM;
        if (is_param &&
            all_from(addresses, ARGUMENT_BASE)) { /* of a device function: in the warp's own register file */
            EACH_LANE addresses[l] -= ARGUMENT_BASE;
            if (out_of_space(r, w, u, "arguments", r->kernel->file_bytes, mask, bytes, addresses) < 0) return -1;
            EACH_LANE addresses[l] = (mask & lane_bits[l] ? addresses[l] : 0) + (uint64_t)(uintptr_t)w->regs;
            return 0;
        }
        const uint64_t size = is_shared  ? r->shared_bytes
                              : is_param ? r->kernel->info.param_bytes
                                         : r->kernel->info.local_bytes;
        const char *what = is_shared ? "shared memory" : is_param ? "parameters" : "local memory";
        if (!all_inside(addresses, 0, size, bytes) && out_of_space(r, w, u, what, size, mask, bytes, addresses) < 0)
            return -1;
        shift = (uint64_t)(uintptr_t)(is_shared ? r->shared : is_param ? r->params : w->local);
        if (space == SP_LOCAL) EACH_LANE addresses[l] += (uint64_t)l * r->local_bytes;
    }
    EACH_LANE addresses[l] += shift;
    return 0;
}

unsigned char *lane_memory(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                           uint32_t bytes)
{
    const uint64_t shared = address - PTX_SHARED_WINDOW, local = address - PTX_LOCAL_WINDOW,
                   param = address - PTX_PARAM_WINDOW;
    if (param <= UINT32_MAX && (u->kind == UOP_LOAD_PART || u->kind == UOP_BUILTIN)) { /* they read */
        const uint64_t size = r->kernel->info.param_bytes;
        if (param <= size && size - param >= bytes) return r->params + param;
    } else if (shared <= UINT32_MAX || local <= UINT32_MAX) {
        const bool is_shared = shared <= UINT32_MAX;
        const uint64_t at = is_shared ? shared : local,
                       size = is_shared ? r->shared_bytes : r->kernel->info.local_bytes;
        if (at <= size && size - at >= bytes)
            return is_shared ? r->shared + at : w->local + (size_t)lane * r->local_bytes + at;
    } else if (r->shadows) {
        uint64_t at[LANES];
        EACH_LANE at[l] = address;
        return to_shadow(r, u, 1u << lane, bytes, at) < 0 ? NULL : (unsigned char *)(uintptr_t)at[lane];
    } else {
        struct ptx_extent *last = &r->extents[u - r->kernel->code];
        if (find_allocation(r, w, u, last, lane, address, bytes))
            return (unsigned char *)(uintptr_t)(address + extent_shift(r->memory, last, address));
    }
    run_fault(r, w, u, lane, "0x%llx is outside every allocation", (unsigned long long)address);
    return NULL;
}

/* A whole warp's values go to the register at once: a copy of them would wait for the stores that it reads. */
#define GATHER(M, D, put, value) \
    { \
        D t[LANES]; \
        if (mask == FULL_MASK) { \
            D##_any *to = (D##_any *)(void *)regs; \
            EACH_LANE \
            { \
                M x; \
                memcpy(&x, (const void *)(uintptr_t)(host[l] + skip), sizeof x); \
                to[l] = (D)(value); \
            } \
            return; \
        } \
        EACH_LANE \
        { \
            M x; \
            memcpy(&x, (const void *)(uintptr_t)(host[l] + skip), sizeof x); \
            t[l] = (D)(value); \
        } \
        put(regs, t, mask); \
        return; \
    }

/* One element of a load for all lanes: extended to the width of the register. */
static void gather(unsigned char *regs, const struct uop *u, const uint64_t host[LANES], uint64_t skip, uint32_t mask)
{
    if (u->width == 64) {
        switch (u->bytes * 2 + u->sign) {
        case 2: GATHER(uint8_t, u64, put64, x)
        case 3: GATHER(int8_t, s64, put64, x)
        case 4: GATHER(uint16_t, u64, put64, x)
        case 5: GATHER(int16_t, s64, put64, x)
        case 8: GATHER(uint32_t, u64, put64, x)
        case 9: GATHER(int32_t, s64, put64, x)
        default: GATHER(uint64_t, u64, put64, x)
        }
    }
    switch (u->bytes * 2 + u->sign) {
    case 2: GATHER(uint8_t, u32, put32, x)
    case 3: GATHER(int8_t, u32, put32, (uint32_t)x & (u->width == 16 ? 0xffffu : ~0u))
    case 4: GATHER(uint16_t, u32, put32, x)
    case 5: GATHER(int16_t, u32, put32, (uint32_t)x & (u->width == 16 ? 0xffffu : ~0u))
    default: GATHER(uint32_t, u32, put32, x)
    }
}

static int load_space(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                      uint64_t addresses[LANES])
{
    if (to_host(r, w, u, space, mask, (uint32_t)u->bytes * u->n_vec, addresses) < 0) return -1;
    for (uint32_t v = 0; v < u->n_vec; v++)
        if (u->vec[v] != NO_SLOT) gather(w->regs + u->vec[v], u, addresses, (uint64_t)v * u->bytes, mask);
    return 0;
}

/* Where the instruction's addresses lie, if they lie where they did the last time; false: that is to be found out. */
static bool span_of(const struct run *r, const struct warp *w, const struct uop *u, struct access_span *s)
{
    const struct ptx_kernel_info *info = &r->kernel->info;
    const struct ptx_extent *last = &r->extents[u - r->kernel->code];
    switch (u->space) {
    case SP_SHARED: *s = (struct access_span){0, r->shared_bytes, (uint64_t)(uintptr_t)r->shared, 0}; return true;
    case SP_LOCAL:
        *s = (struct access_span){0, info->local_bytes, (uint64_t)(uintptr_t)w->local, r->local_bytes};
        return true;
    case SP_PARAM: *s = (struct access_span){0, info->param_bytes, (uint64_t)(uintptr_t)r->params, 0}; return true;
    default:
        *s = (struct access_span){last->lo, last->hi - last->lo, extent_shift(r->memory, last, last->lo), 0};
        return !r->shadows && last->hi;
    }
}

/* Whether it is done. Nothing has to know of it that may be waited for. */
static bool is_usual(const struct run *r, struct warp *w, const struct uop *u, uint32_t mask, uint64_t addresses[LANES])
{
    struct access_span span;
    if ((u->notes && r->waits) || !span_of(r, w, u, &span)) return false;
    if (!u->fn.access(w->regs, u, mask, &span, addresses)) return false;
    record_addresses(w, u, mask, addresses);
    return true;
}

int exec_load(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    if (is_usual(r, w, u, mask, addresses)) return 0;
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    if (u->notes && r->waits) waits_begin_access(r, w, u, mask, addresses);
    return each_space(r, w, u, mask, addresses, load_space);
}

static void scatter(const unsigned char *regs, const struct uop *u, const uint64_t host[LANES], uint64_t skip,
                    uint32_t mask)
{
    const uint32_t stride = u->width == 64 ? 8 : 4;
    if (mask == FULL_MASK && stride == 4 && u->bytes == 4) {
        EACH_LANE memcpy((void *)(uintptr_t)(host[l] + skip), regs + l * 4, 4);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = first_lane(left);
        const unsigned char *from = regs + l * stride; /* little-endian: the low bytes */
        unsigned char *to = (unsigned char *)(uintptr_t)(host[l] + skip);
        copy_bytes(to, from, u->bytes);
    }
}

static int store_space(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                       uint64_t addresses[LANES])
{
    if (to_host(r, w, u, space, mask, (uint32_t)u->bytes * u->n_vec, addresses) < 0) return -1;
    for (uint32_t v = 0; v < u->n_vec; v++) scatter(w->regs + u->vec[v], u, addresses, (uint64_t)v * u->bytes, mask);
    return 0;
}

int exec_store(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    if (u->space != SP_LOCAL) r->changed = r->counts.warp_insts;
    if (is_usual(r, w, u, mask, addresses)) return 0;
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    if (!u->notes || !r->waits) return each_space(r, w, u, mask, addresses, store_space);
    waits_begin_access(r, w, u, mask, addresses);
    const int rc = each_space(r, w, u, mask, addresses, store_space);
    waits_end_access(r, w);
    return rc;
}

/* Parameters of device functions: u->b bytes a lane at u->a of the register file. */
void exec_argument(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t host[LANES];
    EACH_LANE host[l] = (uint64_t)(uintptr_t)(w->regs + u->a) + (uint64_t)l * u->b + (uint64_t)u->imm;
    for (uint32_t v = 0; v < u->n_vec; v++) {
        if (u->kind == UOP_STORE_ARG) scatter(w->regs + u->vec[v], u, host, (uint64_t)v * u->bytes, mask);
        else if (u->vec[v] != NO_SLOT) gather(w->regs + u->vec[v], u, host, (uint64_t)v * u->bytes, mask);
    }
}
