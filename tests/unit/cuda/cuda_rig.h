/* A context and the module of kernels.ptx for each test of the driver shim. */
#ifndef CUDA_RIG_H
#define CUDA_RIG_H
#include "rig.h"
#include "where.h"
#include <cuda.h>
#include "poise/cuda_shim.h"

#define KERNELS_PTX POISE_SOURCE_DIR "/tests/unit/cuda/kernels.ptx"

static inline void assert_cuda_at(CUresult got, CUresult expected, const char *what, const char *file, int line)
{
    const char *name = "?", *wanted = "?";
    if (got == expected) return;
    cuGetErrorName(got, &name);
    cuGetErrorName(expected, &wanted);
    print_error("%s: %s, not %s: %s\n", what, name, wanted, poise_cuda_last_error());
    _fail(file, line);
}
#define assert_cuda(call) assert_cuda_at(call, CUDA_SUCCESS, #call, __FILE__, __LINE__)
#define assert_cuda_error(expected, call) assert_cuda_at(call, expected, #call, __FILE__, __LINE__)

struct cuda_rig {
    CUcontext context;
    CUmodule module;
};

static inline int rig_up(void **state)
{
    static struct cuda_rig rig;
    assert_cuda(cuInit(0));
    assert_cuda(cuCtxCreate(&rig.context, 0, 0));
    assert_cuda(cuModuleLoad(&rig.module, KERNELS_PTX));
    *state = &rig;
    return 0;
}
static inline int rig_down(void **state)
{
    struct cuda_rig *rig = *state;
    assert_cuda(cuCtxDestroy(rig->context));
    return 0;
}
#define cuda_test(function) cmocka_unit_test_setup_teardown(function, rig_up, rig_down)
static inline CUfunction rig_kernel(void **state, const char *name)
{
    CUfunction f;
    assert_cuda(cuModuleGetFunction(&f, ((struct cuda_rig *)*state)->module, name));
    return f;
}
#endif
