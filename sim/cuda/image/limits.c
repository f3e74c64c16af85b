#include "poise/cuda_limits.h"

#include <stdio.h>

static int check_constants(const struct ptx_module *module, const char *name, struct error *err)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < ptx_module_n_variables(module); i++) {
        const struct ptx_variable *v = ptx_module_variable(module, i);
        const uint64_t align = v->align ? v->align : 1;
        if (v->space != TRACE_SPACE_CONST) continue;
        bytes = (bytes + align - 1) / align * align + v->bytes;
        if (bytes <= CUDA_CONSTANT_BYTES) continue;
        error_set(err, ERR_LIMIT, "%s: %llu bytes of __constant__ variables up to %s, a program can have %u", name,
                  (unsigned long long)bytes, v->name, CUDA_CONSTANT_BYTES);
        return error_at(err, NULL, 0, -1, "larger tables are __device__ variables, or arguments");
    }
    return 0;
}

int cuda_limits_check(const struct ptx_module *module, const char *name, struct error *err)
{
    if (check_constants(module, name, err) < 0) return -1;
    for (size_t i = 0; i < ptx_module_n_kernels(module); i++) {
        const struct ptx_kernel_info *k = ptx_kernel_info(ptx_module_kernel(module, i));
        if (k->static_shared_bytes <= CUDA_STATIC_SHARED_BYTES) continue;
        error_set(err, ERR_LIMIT, "%s: kernel %s declares %u bytes of __shared__ variables, it can have %u", name,
                  k->name, k->static_shared_bytes, CUDA_STATIC_SHARED_BYTES);
        return error_at(
            err, NULL, 0, -1,
            "more is dynamic shared memory: extern __shared__, cudaFuncSetAttribute, <<<grid, block, bytes>>>");
    }
    return 0;
}
