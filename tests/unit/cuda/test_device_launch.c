/* Kernels that launch kernels, in the form in which nvcc writes it. */
#include "cuda_rig.h"

#define CALLS \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param " \
    ".align 4 .b8 b[12], .param .b32 s);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 at, .param .b64 stream);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 at, .param .b32 flags);\n"
/* Launches the kernel at %rd9 with a grid and a block of so many, its parameters %rd1 and %r1. */
#define LAUNCH(grid, block) \
    "{ .param .b64 f; st.param.b64 [f], %rd9; .param .align 4 .b8 g[12]; st.param.b32 [g], " grid "; st.param.b32 " \
    "[g+4], 1; st.param.b32 [g+8], 1; .param .align 4 .b8 b[12]; st.param.b32 [b], " block "; st.param.b32 [b+4], 1; " \
    "st.param.b32 [b+8], 1; .param .b32 s; st.param.b32 [s], 0; .param .b64 r; call.uni (r), " \
    "__cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd8, [r]; }\n" \
    "st.u64 [%rd8], %rd1; st.u32 [%rd8+8], %r1;\n" \
    "{ .param .b64 at; st.param.b64 [at], %rd8; .param .b64 q; st.param.b64 [q], 0; .param .b32 r; call.uni (r), " \
    "__cudaCDP2LaunchDeviceV2, (at, q); ld.param.b32 %r7, [r]; }\n"
#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n" CALLS
#define ENTRY(name) \
    ".visible .entry " name "(.param .u64 o, .param .u32 n) { .reg .b64 %rd<10>; .reg .b32 %r<10>; .reg .pred %p<4>; " \
    "ld.param.u64 %rd1, [o]; ld.param.u32 %r1, [n];\n"

static CUmodule load(const char *text)
{
    CUmodule m;
    assert_cuda(cuModuleLoadData(&m, text));
    return m;
}

static CUresult launch(CUmodule m, const char *name, unsigned threads, CUdeviceptr at, unsigned n)
{
    CUfunction f;
    void *params[] = {&at, &n};
    assert_cuda(cuModuleGetFunction(&f, m, name));
    return cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
}

/* n grids of 2 blocks of 3 threads, each adding its number to every word; the last has launched all before any runs. */
static void a_kernel_launches_kernels_that_run_when_it_has_ended_in_the_order_of_their_launches(void **state)
{
    (void)state;
    CUmodule m = load(HEAD ENTRY(
        "child") "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 3, %r3; mul.wide.u32 %rd2, "
                 "%r2, 4; add.u64 %rd2, %rd2, %rd1; ld.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 10, %r1; st.u32 "
                 "[%rd2], %r4; ret; }\n" ENTRY("parent") "mov.u64 %rd9, child; mov.u32 %r5, %r1; mov.u32 %r1, 0;\n"
                                                         "AGAIN: add.u32 %r1, %r1, 1;\n" LAUNCH(
                                                             "2",
                                                             "3") "setp.ne.u32 %p1, %r7, 0; @%p1 trap; setp.lt.u32 "
                                                                  "%p2, %r1, %r5; @%p2 bra AGAIN; ld.u32 %r6, "
                                                                  "[%rd1]; st.u32 [%rd1+24], %r6; ret; }\n");
    unsigned words[7];
    CUdeviceptr at;
    assert_cuda(cuMemAlloc(&at, sizeof words));
    assert_cuda(cuMemsetD32(at, 0, 7));
    size_t before, after, total;
    assert_cuda(cuMemGetInfo(&before, &total));
    assert_cuda(launch(m, "parent", 1, at, 4));
    assert_cuda(cuMemGetInfo(&after, &total));
    assert_int_equal(before, after);
    assert_cuda(cuMemcpyDtoH(words, at, sizeof words));
    for (int i = 0; i < 6; i++) assert_int_equal(1234, words[i]);
    assert_int_equal(0, words[6]); /* the parent saw nothing of them */
}

static void a_kernel_may_launch_itself_and_errors_of_launched_kernels_are_errors_of_the_launch(void **state)
{
    (void)state;
    CUmodule m = load(HEAD ENTRY(
        "countdown") "mov.u64 %rd9, countdown; atom.add.u32 %r2, [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 "
                     "%r1, %r1, 1;\n" LAUNCH("1", "1") "ret; }\n" ENTRY(
                         "bad") "mov.u64 %rd9, bad; setp.eq.u32 %p1, %r1, 0; @%p1 st.u32 [0], %r1; @%p1 ret; mov.u32 "
                                "%r1, 0;\n" LAUNCH("1", "1") "ret; }\n");
    unsigned n;
    CUdeviceptr at;
    assert_cuda(cuMemAlloc(&at, 4));
    assert_cuda(cuMemsetD32(at, 0, 1));
    assert_cuda(launch(m, "countdown", 1, at, 9));
    assert_cuda(cuMemcpyDtoH(&n, at, 4));
    assert_int_equal(10, n);
    assert_cuda(launch(m, "countdown", 1, at, 100)); /* 24 deep at most */
    assert_non_null(strstr(poise_cuda_last_error(), "24 deep at most"));
    assert_cuda(cuMemcpyDtoH(&n, at, 4));
    assert_int_equal(10 + 25, n);
    assert_cuda_error(CUDA_ERROR_ILLEGAL_ADDRESS, launch(m, "bad", 1, at, 1));
}

static void what_is_no_kernel_cannot_be_launched(void **state)
{
    (void)state;
    CUmodule m = load(HEAD ENTRY("none") "mov.u64 %rd9, 4096;\n" LAUNCH("1", "1") "ret; }\n");
    CUdeviceptr at;
    assert_cuda(cuMemAlloc(&at, 4));
    assert_cuda_error(CUDA_ERROR_LAUNCH_FAILED, launch(m, "none", 1, at, 1));
    assert_non_null(strstr(poise_cuda_last_error(), "a launch of 0x1000, which is no kernel of this module"));
}

/* A fill of n bytes at o behind a launch that counts there; the launch comes first, and so does its count. */
static void a_kernel_may_fill_memory_behind_its_launches_within_an_allocation(void **state)
{
    (void)state;
    CUmodule m = load(
        HEAD
        ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync_ptsz(.param .b64 at, .param .b32 v, "
        ".param .b64 n, .param .b64 s);\n" ENTRY("child") "ld.u32 %r2, [%rd1+4]; st.u32 [%rd1], %r2; ret; }\n" ENTRY(
            "parent") "mov.u64 %rd9, child;\n" LAUNCH("1", "1") "add.u64 %rd2, %rd1, 4; cvt.u64.u32 %rd3, %r1;\n"
                                                                "{ .param .b64 at; st.param.b64 [at], %rd2; .param "
                                                                ".b32 v; st.param.b32 [v], "
                                                                "300; .param .b64 n; st.param.b64 [n], %rd3; .param "
                                                                ".b64 s; st.param.b64 [s], "
                                                                "0; .param .b32 r; call.uni (r), "
                                                                "__cudaCDP2MemsetAsync_ptsz, (at, v, n, s); "
                                                                "ld.param.b32 %r7, [r]; }\n"
                                                                "st.u32 [%rd1+4], 9; ret; }\n");
    unsigned words[3];
    CUdeviceptr at;
    assert_cuda(cuMemAlloc(&at, sizeof words));
    assert_cuda(cuMemsetD32(at, 5, 3));
    assert_cuda(launch(m, "parent", 1, at, 4));
    assert_cuda(cuMemcpyDtoH(words, at, sizeof words));
    assert_int_equal(9, words[0]);
    assert_int_equal(0x2c2c2c2c, words[1]);
    assert_int_equal(5, words[2]);
    assert_int_equal(CUDA_ERROR_INVALID_VALUE, launch(m, "parent", 1, at, 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cuda_test(a_kernel_launches_kernels_that_run_when_it_has_ended_in_the_order_of_their_launches),
        cuda_test(a_kernel_may_launch_itself_and_errors_of_launched_kernels_are_errors_of_the_launch),
        cuda_test(a_kernel_may_fill_memory_behind_its_launches_within_an_allocation),
        cuda_test(what_is_no_kernel_cannot_be_launched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
