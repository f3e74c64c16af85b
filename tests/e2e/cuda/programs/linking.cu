/* Code at run time: a kernel from a text, linked from two texts, functions of the driver by name. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cuda.h>
extern "C" __global__ void linking_kernel(int *x) { x[threadIdx.x] = 3; }
#endif
static const char linking_head[] = ".version 6.0\n.target sm_30\n.address_size 64\n";
static const char linking_function[] = ".visible .func (.param .b32 r) linking_twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\n"
                                       "add.s32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n";
static const char linking_entry[] = ".extern .func (.param .b32 r) linking_twice(.param .b32 x);\n.visible .entry linking_run(.param .u64 out)\n{\n.reg .b32 %r<4>;\n"
                                    ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
                                    "call.uni (b), linking_twice, (a);\nld.param.b32 %r2, [b];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                                    "st.global.u32 [%rd3], %r2;\nret;\n}\n";
typedef CUresult linking_load(CUmodule *, const void *);
typedef CUresult linking_find(CUfunction *, CUmodule, const char *);
typedef CUresult linking_launch(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
typedef CUresult linking_create(unsigned, CUjit_option *, void **, CUlinkState *);
typedef CUresult linking_add(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned, CUjit_option *, void **);
typedef CUresult linking_complete(CUlinkState, void **, size_t *);
template <class F> static bool linking_name(const char *name, F **f)
{
#ifdef PROGRAM_DRIVER
    return cuGetProcAddress_v2(name, (void **)f, 12000, 0, NULL) == CUDA_SUCCESS && *f;
#elif CUDART_VERSION >= 13000
    return cudaGetDriverEntryPointByVersion(name, (void **)f, 12000, cudaEnableDefault, NULL) == cudaSuccess && *f;
#else
    return cudaGetDriverEntryPoint(name, (void **)f, 0) == cudaSuccess && *f;
#endif
}

PROGRAM(linking)
{
    Array<int> out(64);
    linking_load *load;
    linking_find *find;
    linking_launch *launch;
    linking_create *create;
    linking_add *add;
    linking_complete *complete;
    CHECK(linking_name("cuModuleLoadData", &load) && linking_name("cuModuleGetFunction", &find) && linking_name("cuLaunchKernel", &launch));
    CHECK(linking_name("cuLinkCreate", &create) && linking_name("cuLinkAddData", &add) && linking_name("cuLinkComplete", &complete));
    char first[1024], second[1024];
    snprintf(first, sizeof first, "%s%s", linking_head, linking_function), snprintf(second, sizeof second, "%s%s", linking_head, linking_entry);
    CUlinkState state;
    CUmodule module;
    CUfunction f;
    void *image, *arguments[] = {&out.device};
    size_t size;
    CHECK(!create(0, NULL, NULL, &state) && !add(state, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "a", 0, NULL, NULL));
    CHECK(!add(state, CU_JIT_INPUT_PTX, second, strlen(second) + 1, "b", 0, NULL, NULL) && !complete(state, &image, &size) && size > 500);
    CHECK(!load(&module, image) && !find(&f, module, "linking_run") && !launch(f, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    out.down();
    for (int i = 0; i < 64; i++) CHECK(out[i] == 2 * i);
    /* what is defined twice is told in the log */
    char log[600];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK(!create(2, options, values, &state) && !add(state, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "a", 0, NULL, NULL));
    CHECK(!*log && !add(state, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "b", 0, NULL, NULL));
    CHECK(complete(state, &image, &size) && strstr(log, "linking_twice"));
    return 0;
}
