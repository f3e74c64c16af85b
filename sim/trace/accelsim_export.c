/* One of our traces as a kernel file that Accel-Sim replays.                                     [TRACE_FORMAT] */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "accelsim_internal.h"
#include "internal.h"
#include "poise/file.h"

#define SHARED_BASE UINT64_C(0x00007e0000000000)
#define LOCAL_BASE UINT64_C(0x00007e0100000000)

struct exporter {
    const struct trace *trace;
    FILE *out;
    const char *name;
    char (*shapes)[SHAPE_MAX];
    uint64_t local_bytes;
    bool has_raw_local;
};

static void write_header(const struct exporter *ex, enum accelsim_isa isa, uint64_t id, const char *code)
{
    const struct trace_launch *l = &ex->trace->launch;
    fprintf(ex->out, "-kernel name = %s\n-kernel id = %" PRIu64 "\n", trace_kernel(ex->trace), id);
    fprintf(ex->out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2]);
    fprintf(ex->out, "-shmem = %u\n-nregs = %u\n-binary version = %d\n-cuda stream id = 0\n", l->shared_bytes,
            l->regs_per_thread, (int)isa);
    fprintf(ex->out, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n", SHARED_BASE,
            LOCAL_BASE);
    fprintf(ex->out, "-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n");
    fprintf(ex->out,
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
            "[mem_addresses] immediate%s%s\n\n",
            CODE_MARK, code);
}

/* Mode 1 where lanes without gaps stand at one stride, else 2 where it is shorter than a list would be. */
static void write_addresses(const struct exporter *ex, uint32_t mask, const uint64_t addresses[TRACE_LANES])
{
    uint64_t dense[TRACE_LANES];
    uint32_t n = 0;
    for (uint32_t left = mask; left; left &= left - 1) dense[n++] = addresses[__builtin_ctz(left)];
    const uint32_t run = mask >> __builtin_ctz(mask);
    const int64_t stride = n > 1 ? (int64_t)(dense[1] - dense[0]) : 0;
    bool is_even = n > 1 && (run & (run + 1)) == 0 && stride == (int32_t)stride, is_near = true;
    for (uint32_t i = 1; i < n; i++) {
        const int64_t delta = (int64_t)(dense[i] - dense[i - 1]);
        is_even &= delta == stride;
        is_near &= delta == (int32_t)delta;
    }
    if (is_even) {
        fprintf(ex->out, " 1 0x%" PRIx64 " %" PRId64, dense[0], stride);
    } else if (is_near) {
        fprintf(ex->out, " 2 0x%" PRIx64, dense[0]);
        for (uint32_t i = 1; i < n; i++) fprintf(ex->out, " %" PRId64, (int64_t)(dense[i] - dense[i - 1]));
    } else {
        fprintf(ex->out, " 0");
        for (uint32_t i = 0; i < n; i++) fprintf(ex->out, " 0x%" PRIx64, dense[i]);
    }
}

/* Local addresses lose their interleaving: the other simulator has its own. False where they do not lie as the PTX
 * executor lays them. */
static bool plain_local(const struct exporter *ex, uint64_t warp, uint32_t mask, uint64_t addresses[TRACE_LANES])
{
    const uint64_t base = LOCAL_WINDOW_BASE + warp * TRACE_LANES * ex->local_bytes;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t at = addresses[lane] - base;
        if (addresses[lane] < base || at / 128 * 4 >= ex->local_bytes || at % 128 / 4 != lane) return false;
        addresses[lane] = at / 128 * 4 + at % 4;
    }
    return true;
}

static bool has_raw_local(const struct exporter *ex)
{
    const struct trace *t = ex->trace;
    bool has_local = false;
    for (uint32_t i = 0; i < t->launch.n_code; i++)
        has_local |= inst_is_memory(&t->code[i]) && t->code[i].space == TRACE_SPACE_LOCAL;
    for (uint64_t warp = 0; warp < t->n_warps && has_local; warp++) {
        const struct trace_warp *w = &t->warps[warp];
        const uint32_t *access = t->accesses + w->first_access;
        for (uint64_t s = w->first_step; s < w->first_step + w->n_steps; s++) {
            const struct trace_inst *inst = &t->code[t->steps[s].inst];
            uint64_t addresses[TRACE_LANES];
            if (!inst_is_memory(inst) || !t->steps[s].mask) continue;
            access += trace_access_decode(access, t->steps[s].mask, addresses);
            if (inst->space != TRACE_SPACE_LOCAL) continue;
            uint64_t back[TRACE_LANES];
            memcpy(back, addresses, sizeof back);
            if (!plain_local(ex, warp, t->steps[s].mask, back)) return true;
        }
    }
    return false;
}

static void write_warp(const struct exporter *ex, uint64_t warp, uint32_t lanes)
{
    const struct trace *t = ex->trace;
    const struct trace_warp *w = &t->warps[warp];
    const uint32_t *access = t->accesses + w->first_access, *guard = t->guards + w->first_guard;
    uint32_t alive = lanes;
    for (uint64_t s = w->first_step; s < w->first_step + w->n_steps; s++)
        if (t->code[t->steps[s].inst].cls == TRACE_EXIT) alive &= ~t->steps[s].mask;
    const bool ends_well =
        w->n_steps && !alive && t->code[t->steps[w->first_step + w->n_steps - 1].inst].cls == TRACE_EXIT;
    fprintf(ex->out, "warp = %u\ninsts = %" PRIu64 "\n", (uint32_t)(warp % t->launch.warps_per_cta),
            w->n_steps + !ends_well);
    for (uint64_t s = w->first_step; s < w->first_step + w->n_steps; s++) {
        const uint32_t i = t->steps[s].inst, mask = t->steps[s].mask;
        const struct trace_inst *inst = &t->code[i];
        const bool is_memory = inst_is_memory(inst);
        fprintf(ex->out, "%04x %08x %s", i * SASS_PC_BYTES, mask, ex->shapes[i]);
        if (is_memory && !mask) fprintf(ex->out, " 0"); /* a list of no addresses */
        if (is_memory && mask) {
            uint64_t addresses[TRACE_LANES];
            access += trace_access_decode(access, mask, addresses);
            if (inst->space == TRACE_SPACE_LOCAL && !ex->has_raw_local) plain_local(ex, warp, mask, addresses);
            write_addresses(ex, mask, addresses);
        }
        fprintf(ex->out, " %u\n", inst->flags & TRACE_GUARDED ? *guard++ : 0u);
    }
    if (!ends_well) fprintf(ex->out, "%04x %08x 0 EXIT 0 0 0\n", t->launch.n_code * SASS_PC_BYTES, alive);
    fprintf(ex->out, "\n");
}

static int write_blocks(const struct exporter *ex, struct error *err)
{
    const struct trace_launch *l = &ex->trace->launch;
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    for (uint64_t c = 0; c < l->n_ctas; c++) {
        fprintf(ex->out, "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n\n", c % l->grid[0],
                c / l->grid[0] % l->grid[1], c / l->grid[0] / l->grid[1]);
        for (uint32_t w = 0; w < l->warps_per_cta; w++)
            write_warp(ex, c * l->warps_per_cta + w, warp_lanes(threads, w));
        fprintf(ex->out, "#END_TB\n\n");
        if (ferror(ex->out)) return error_set(err, ERR_IO, "%s: %s", ex->name, strerror(errno));
    }
    return 0;
}

int accelsim_export_stream(const struct trace *trace, FILE *out, const char *name, enum accelsim_isa isa, uint64_t id,
                           struct error *err)
{
    struct exporter ex = {
        .trace = trace, .out = out, .name = name, .local_bytes = (trace->launch.local_bytes + 15ull) & ~15ull};
    char *code = NULL;
    int result = -1;
    if (trace->launch.n_code > 65535) return error_set(err, ERR_INPUT, "%s: more than 65535 static instructions", name);
    if (strpbrk(trace_kernel(trace), "\n\r"))
        return error_set(err, ERR_INPUT, "%s: the kernel's name has a line break", name);
    ex.shapes = calloc(trace->launch.n_code + 1, sizeof *ex.shapes);
    if (!ex.shapes) return error_set(err, ERR_MEMORY, "%s: no memory to export", name);
    for (uint32_t i = 0; i < trace->launch.n_code; i++) sass_shape_text(ex.shapes[i], SHAPE_MAX, &trace->code[i], isa);
    ex.has_raw_local = has_raw_local(&ex);
    if ((code = sass_code_pack(trace, ex.has_raw_local, err)) != NULL) {
        write_header(&ex, isa, id, code);
        result = write_blocks(&ex, err);
    }
    if (result == 0 && fflush(out) != 0) result = error_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    free(code);
    free(ex.shapes);
    return result;
}

int accelsim_export(const struct trace *trace, const char *path, enum accelsim_isa isa, uint64_t id, struct error *err)
{
    struct file_target target;
    if (file_target(&target, path, err) < 0) return -1;
    FILE *out = fopen(target.path, "we");
    if (!out) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    int result = accelsim_export_stream(trace, out, path, isa, id, err);
    if (fclose(out) != 0 && result == 0) return file_target_end(&target, errno, path, err);
    if (result == 0) return file_target_end(&target, 0, path, err);
    if (!target.is_direct) unlink(target.path);
    return -1;
}
