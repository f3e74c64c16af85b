/* Kernels: attributes and occupancy. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>

static bool has_function(CUcontext context, CUfunction function)
{
    for (CUmodule m = context ? context->modules : NULL; m; m = m->next)
        for (size_t i = 0; i < m->n_functions; i++)
            if (function == &m->functions[i]) return true;
    return false;
}

CUresult function_find(CUcontext context, CUfunction function)
{
    struct shim *s = shim_lock();
    const bool is_known = has_function(context, function) || has_function(s->primary, function);
    shim_unlock(s, CUDA_SUCCESS);
    if (is_known) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not a kernel of the current context");
}

struct trace_launch function_launch(const struct CUfunc_st *f, const struct ptx_grid *grid)
{
    struct trace_launch launch = {.regs_per_thread = f->info->regs_per_thread,
                                  .shared_bytes = f->info->static_shared_bytes + grid->dynamic_shared_bytes,
                                  .local_bytes = f->info->local_bytes};
    for (int d = 0; d < 3; d++) {
        launch.grid[d] = grid->grid[d];
        launch.block[d] = grid->block[d];
    }
    return launch;
}

/* What programs see, read under the lock. */
static struct cuda_device seen_device(void)
{
    struct shim *s = shim_lock();
    const struct cuda_device d = s->device;
    shim_unlock(s, CUDA_SUCCESS);
    return d;
}

/* Whether the number of registers is a fact of the program, not our estimate of what an assembler would need. */
static bool registers_are_known(const struct CUfunc_st *f) { return strcmp(f->info->regs_source, "live range") != 0; }

struct occupancy function_occupancy(const struct shim *s, const struct CUfunc_st *f, const struct ptx_grid *grid)
{
    struct trace_launch launch = function_launch(f, grid);
    launch.shared_bytes += s->device.reserved_shared_bytes;
    struct occupancy o = trace_occupancy(&launch, &s->device.sm);
    if (o.ctas == 0 && o.limit == OCCUPANCY_REGISTERS && !registers_are_known(f)) {
        launch.regs_per_thread = 0;
        o = trace_occupancy(&launch, &s->device.sm);
        if (o.ctas) o = (struct occupancy){1, o.warps / o.ctas, OCCUPANCY_REGISTERS};
    }
    return o;
}

/* The largest CTA that registers and .maxntid allow. */
static int max_threads(const struct shim *s, const struct CUfunc_st *f)
{
    int threads = f->info->max_threads && f->info->max_threads < MAX_BLOCK_THREADS ? (int)f->info->max_threads
                                                                                   : MAX_BLOCK_THREADS;
    while (threads > TRACE_LANES) {
        const struct trace_launch launch = {.block = {(uint32_t)threads, 1, 1},
                                            .regs_per_thread = f->info->regs_per_thread};
        if (trace_occupancy(&launch, &s->device.sm).ctas > 0) break;
        threads -= TRACE_LANES;
    }
    return threads;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !value) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute: NULL");
    if (result == CUDA_SUCCESS) result = function_find(context, function);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = max_threads(s, function); break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)function->info->static_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)function->info->local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)function->info->regs_per_thread; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: { /* the virtual architecture, 75 of sm_75; libraries choose their kernels by
                                           * it */
        const char *digits = strpbrk(function->module->target, "0123456789");
        *value = digits ? (int)strtol(digits, NULL, 10) : 0;
        break;
    }
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)cuda_device_capability(&s->device); break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 1; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)function->max_dynamic_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
    default: result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute: attribute %d", (int)attribute);
    }
    return shim_unlock(s, result);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    struct shim *s = shim_lock();
    const uint32_t most = s->device.optin_shared_bytes;
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = function_find(context, function);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || (uint64_t)value + function->info->static_shared_bytes > most)
            result = shim_fail(CUDA_ERROR_INVALID_VALUE,
                               "kernel %s: %d dynamic + %u static bytes of shared memory, a CTA can have %u",
                               function->info->name, value, function->info->static_shared_bytes, most);
        else function->max_dynamic_shared_bytes = (uint32_t)value;
    } else if (attribute != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncSetAttribute: attribute %d cannot be set", (int)attribute);
    }
    return shim_unlock(s, result);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = function_find(context, function);
    if (result == CUDA_SUCCESS && config > CU_FUNC_CACHE_PREFER_EQUAL)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cache configuration %d", (int)config);
    return shim_unlock(s, result);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
                                                     size_t dynamic_shared_bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = function_find(context, function);
    if (result == CUDA_SUCCESS && (!blocks || block_size <= 0))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE,
                           "cuOccupancyMaxActiveBlocksPerMultiprocessor: NULL or block size %d", block_size);
    if (result == CUDA_SUCCESS) {
        const struct ptx_grid grid = {{1, 1, 1},
                                      {(uint32_t)block_size, 1, 1},
                                      dynamic_shared_bytes < UINT32_MAX / 2 ? (uint32_t)dynamic_shared_bytes
                                                                            : UINT32_MAX / 2};
        *blocks = block_size > max_threads(s, function) ? 0 : (int)function_occupancy(s, function, &grid).ctas;
    }
    return shim_unlock(s, result);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_size,
                                                              size_t dynamic_shared_bytes, unsigned int flags)
{
    if (flags > 1)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: flags %u",
                         flags);
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared_bytes);
}

/* The most with which `blocks` CTAs still fit on an SM. */
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int block_size)
{
    const uint32_t most = seen_device().block_shared_bytes;
    int fit = 0;
    if (!bytes || blocks <= 0)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuOccupancyAvailableDynamicSMemPerBlock: NULL or %d CTAs", blocks);
    CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, block_size, 0);
    if (result == CUDA_SUCCESS && fit < blocks)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%d CTAs of %d threads do not fit on an SM", blocks, block_size);
    /* as it is given out */
    for (*bytes = most; result == CUDA_SUCCESS && *bytes; *bytes -= *bytes > 256 ? 256 : *bytes) {
        result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, block_size, *bytes);
        if (fit >= blocks) break;
    }
    return result;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_bytes_of, size_t dynamic_shared_bytes, int limit)
{
    const int sms = (int)seen_device().sms;
    int best = 0, blocks;
    CUresult result = min_grid && block_size
                          ? CUDA_SUCCESS
                          : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuOccupancyMaxPotentialBlockSize: NULL");
    for (int threads = limit > 0 && limit < MAX_BLOCK_THREADS ? limit / TRACE_LANES * TRACE_LANES : MAX_BLOCK_THREADS;
         result == CUDA_SUCCESS && threads > 0; threads -= TRACE_LANES) {
        result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, threads, shared_bytes_of ? shared_bytes_of(threads) : dynamic_shared_bytes);
        if (result != CUDA_SUCCESS || blocks * threads <= best) continue;
        best = blocks * threads;
        *block_size = threads;
        *min_grid = blocks * sms;
    }
    return result;
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction function,
                                                   CUoccupancyB2DSize shared_bytes_of, size_t dynamic_shared_bytes,
                                                   int limit, unsigned int flags)
{
    if (flags > 1)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuOccupancyMaxPotentialBlockSizeWithFlags: flags %u", flags);
    return cuOccupancyMaxPotentialBlockSize(min_grid, block_size, function, shared_bytes_of, dynamic_shared_bytes,
                                            limit);
}
