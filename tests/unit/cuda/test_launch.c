#include "cuda_rig.h"

#include <unistd.h>

static void vector_add_computes_1000_sums_through_the_driver_API(void **state)
{
    enum { N = 1000 };
    static float a[N], b[N], c[N];
    CUdeviceptr da, db, dc;
    int n = N;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i * 0.25f;
        b[i] = (float)(N - i);
    }
    assert_cuda(cuMemAlloc(&da, sizeof a));
    assert_cuda(cuMemAlloc(&db, sizeof b));
    assert_cuda(cuMemAlloc(&dc, sizeof c));
    assert_cuda(cuMemcpyHtoD(da, a, sizeof a));
    assert_cuda(cuMemcpyHtoD(db, b, sizeof b));
    void *params[] = {&da, &db, &dc, &n};
    assert_cuda(cuLaunchKernel(rig_kernel(state, "vector_add"), 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    assert_cuda(cuMemcpyDtoH(c, dc, sizeof c));
    for (int i = 0; i < N; i++) assert_true(c[i] == a[i] + b[i]);

    /* the same through a parameter buffer */
    struct {
        CUdeviceptr a, b, c;
        int n;
    } buffer = {da, db, dc, N};
    size_t size = 28;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    assert_cuda(cuMemsetD8(dc, 0, sizeof c));
    assert_cuda(cuLaunchKernel(rig_kernel(state, "vector_add"), 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    assert_cuda(cuMemcpyDtoH(c, dc, sizeof c));
    for (int i = 0; i < N; i++) assert_true(c[i] == a[i] + b[i]);
    size = 20;
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE,
                      cuLaunchKernel(rig_kernel(state, "vector_add"), 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
}

static void module_variables_are_read_and_written_by_kernels(void **state)
{
    const struct cuda_rig *rig = *state;
    float host[300];
    unsigned hits;
    int n = 300;
    const float three = 3;
    CUdeviceptr a, factor, counter;
    for (int i = 0; i < n; i++) host[i] = (float)i;
    assert_cuda(cuMemAlloc(&a, sizeof host));
    assert_cuda(cuMemcpyHtoD(a, host, sizeof host));
    assert_cuda(cuModuleGetGlobal(&factor, NULL, rig->module, "factor"));
    assert_cuda(cuModuleGetGlobal(&counter, NULL, rig->module, "hits"));
    assert_cuda(cuMemcpyHtoD(factor, &three, 4));
    void *params[] = {&a, &n};
    assert_cuda(cuLaunchKernel(rig_kernel(state, "scale"), 2, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    assert_cuda(cuMemcpyDtoH(host, a, sizeof host));
    assert_cuda(cuMemcpyDtoH(&hits, counter, 4));
    for (int i = 0; i < n; i++) assert_true(host[i] == 3.0f * (float)i);
    assert_int_equal(300, hits);
}

static void shared_memory_and_a_barrier_reverse_each_CTA(void **state)
{
    int host[512];
    CUdeviceptr a;
    for (int i = 0; i < 512; i++) host[i] = i;
    assert_cuda(cuMemAlloc(&a, sizeof host));
    assert_cuda(cuMemcpyHtoD(a, host, sizeof host));
    void *params[] = {&a};
    assert_cuda(cuLaunchKernel(rig_kernel(state, "reverse"), 2, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    assert_cuda(cuMemcpyDtoH(host, a, sizeof host));
    for (int i = 0; i < 512; i++) assert_int_equal(i / 256 * 256 + 255 - i % 256, host[i]);
}

/* Silences stderr for the launches that are meant to fail. */
static void quietly(CUresult expected, CUfunction f, unsigned blocks, void **params)
{
    fflush(stderr);
    const int keep = dup(2);
    assert_non_null(freopen("/dev/null", "w", stderr));
    const CUresult result = cuLaunchKernel(f, blocks, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    assert_int_equal(expected, result);
}

static void an_out_of_range_store_names_kernel_thread_line_and_address_and_ends_the_context(void **state)
{
    CUdeviceptr a, more;
    CUcontext fresh;
    int stride = 1, one;
    assert_cuda(cuMemAlloc(&a, 4 * 32 - 4));
    void *params[] = {&a, &stride};
    quietly(CUDA_ERROR_ILLEGAL_ADDRESS, rig_kernel(state, "far_store"), 1, params);
    const char *text = poise_cuda_last_error();
    char address[32];
    snprintf(address, sizeof address, "%llx", a + 124);
    assert_non_null(strstr(text, "far_store"));
    assert_non_null(strstr(text, "31"));
    assert_non_null(strstr(text, address));
    assert_non_null(strstr(text, "line"));
    assert_cuda_error(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyDtoH(&one, a, 4));
    assert_cuda_error(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&more, 4));
    assert_cuda_error(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    assert_cuda(cuCtxCreate(&fresh, 0, 0)); /* another context is sound */
    assert_cuda(cuMemAlloc(&more, 4));
    assert_cuda(cuCtxDestroy(fresh));
}

static void the_gap_behind_an_allocation_is_not_its_neighbour(void **state)
{
    CUdeviceptr a, b;
    int stride = 16; /* thread 4 is at byte 256, just behind; thread 8 at 512 is where b starts */
    assert_cuda(cuMemAlloc(&a, 256));
    assert_cuda(cuMemAlloc(&b, 1 << 20));
    void *params[] = {&a, &stride};
    quietly(CUDA_ERROR_ILLEGAL_ADDRESS, rig_kernel(state, "far_store"), 1, params);
}

static void a_kernel_that_never_ends_is_stopped_by_POISE_MAX_WARP_INSTS(void **state)
{
    CUdeviceptr a;
    assert_cuda(cuMemAlloc(&a, 4));
    void *params[] = {&a};
    quietly(CUDA_ERROR_LAUNCH_TIMEOUT, rig_kernel(state, "forever"), 1, params);
    assert_non_null(strstr(poise_cuda_last_error(), "100000 warp instructions executed, the limit"));
    assert_non_null(strstr(poise_cuda_last_error(), "POISE_MAX_WARP_INSTS=N"));
}

/* Loads the body of a kernel k(pointer in %rd1) and runs it with one warp. */
static void run_body(const char *body, CUresult expected)
{
    char ptx[600];
    CUmodule m;
    CUfunction f;
    CUdeviceptr a;
    snprintf(ptx, sizeof ptx,
             ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 "
             "%%rd<4>;\n.reg .b32 %%r<4>;\n"
             "ld.param.u64 %%rd1, [p];\n%s\nret;\n}\n",
             body);
    assert_cuda(cuModuleLoadData(&m, ptx));
    assert_cuda(cuModuleGetFunction(&f, m, "k"));
    assert_cuda(cuMemAlloc(&a, 64));
    void *params[] = {&a};
    quietly(expected, f, 1, params);
}

static void a_misaligned_access_is_MISALIGNED_ADDRESS(void **state)
{
    (void)state;
    run_body("mov.u32 %r1, 5; st.global.u32 [%rd1+2], %r1;", CUDA_ERROR_MISALIGNED_ADDRESS);
    assert_non_null(strstr(poise_cuda_last_error(), "not aligned to 4 bytes"));
}

static void a_trap_is_LAUNCH_FAILED(void **state)
{
    (void)state;
    run_body("trap;", CUDA_ERROR_LAUNCH_FAILED);
    assert_cuda_error(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
}

static void launches_that_cannot_run_are_refused_before_they_start(void **state)
{
    CUdeviceptr a;
    int stride = 1;
    CUfunction f = rig_kernel(state, "far_store"), r = rig_kernel(state, "reverse");
    assert_cuda(cuMemAlloc(&a, 4096));
    void *params[] = {&a, &stride}, *missing[] = {&a, NULL};
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 65536, 1, 32, 1, 1, 0, NULL, params, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 64, 32, 1, 0, NULL, params, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE,
                      cuLaunchKernel(r, 1, 1, 1, 512, 1, 1, 0, NULL, params, NULL)); /* .maxntid 256 */
    assert_non_null(strstr(poise_cuda_last_error(), ".maxntid is 256"));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 49153, NULL, params, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, missing, NULL));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE,
                      cuLaunchKernel((CUfunction)(void *)&a, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    assert_cuda(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 49152, NULL, params, NULL));
}

static void too_many_registers_for_a_CTA_are_LAUNCH_OUT_OF_RESOURCES(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry fat()\n.maxnreg 128\n{\n ret;\n}\n";
    CUmodule m;
    CUfunction f;
    int value, blocks;
    assert_cuda(cuModuleLoadData(&m, ptx));
    assert_cuda(cuModuleGetFunction(&f, m, "fat"));
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    assert_int_equal(128, value);
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(35, value); /* of the target */
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    assert_int_equal(512, value); /* 65536 / 128 */
    assert_cuda(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    assert_int_equal(4, blocks);
    assert_cuda(cuLaunchKernel(f, 1, 1, 1, 512, 1, 1, 0, NULL, NULL, NULL));
    assert_cuda_error(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cuLaunchKernel(f, 1, 1, 1, 544, 1, 1, 0, NULL, NULL, NULL));
    assert_cuda(cuCtxSynchronize()); /* not sticky */
}

static void function_attributes_and_occupancy_follow_shared_memory(void **state)
{
    CUfunction f = rig_kernel(state, "reverse");
    int value;
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    assert_int_equal(1024, value);
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    assert_int_equal(256, value);
    assert_cuda(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    assert_int_equal(48 * 1024 - 1024, value);
    assert_cuda(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 2048));
    assert_cuda(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 163 * 1024 - 1024));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE,
                      cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 163 * 1024));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
    assert_cuda(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 0));
    assert_int_equal(8, value);
    /* + 1 KiB static + 1 KiB reserved, of 164 */
    assert_cuda(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 40 * 1024));
    assert_int_equal(3, value);
}

static void a_module_with_more_constant_or_declared_shared_memory_than_there_is_is_refused(void **state)
{
    static const char head[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    static const struct {
        const char *text, *why;
    } rows[] = {{".visible .const .align 4 .b8 table[65536];", NULL},
                {".visible .const .align 4 .b8 table[65540];", "65540 bytes of __constant__ variables up to table"},
                {".const .b8 one[40000];\n.const .align 16 .b8 two[30000];",
                 "70000 bytes of __constant__ variables up to two, a program can have 65536"},
                {".visible .entry k() {\n.reg .u32 %a;\n.shared .align 4 .b8 s[49152];\nmov.u32 %a, s;\nst.shared.u32 "
                 "[%a], %a;\nret;\n}",
                 NULL},
                {".visible .entry k() {\n.reg .u32 %a;\n.shared .align 4 .b8 s[49153];\nmov.u32 %a, s;\nst.shared.u32 "
                 "[%a], %a;\nret;\n}",
                 "kernel k declares 49153 bytes of __shared__ variables, it can have 49152"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        CUmodule module;
        snprintf(text, sizeof text, "%s%s\n", head, rows[i].text);
        const CUresult result = cuModuleLoadData(&module, text);
        if (!rows[i].why) {
            assert_cuda(result);
            assert_cuda(cuModuleUnload(module));
            continue;
        }
        assert_cuda_error(CUDA_ERROR_INVALID_PTX, result);
        if (!strstr(poise_cuda_last_error(), rows[i].why)) fail_msg("%s", poise_cuda_last_error());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cuda_test(a_module_with_more_constant_or_declared_shared_memory_than_there_is_is_refused),
        cuda_test(vector_add_computes_1000_sums_through_the_driver_API),
        cuda_test(module_variables_are_read_and_written_by_kernels),
        cuda_test(shared_memory_and_a_barrier_reverse_each_CTA),
        cuda_test(an_out_of_range_store_names_kernel_thread_line_and_address_and_ends_the_context),
        cuda_test(the_gap_behind_an_allocation_is_not_its_neighbour),
        cuda_test(a_kernel_that_never_ends_is_stopped_by_POISE_MAX_WARP_INSTS),
        cuda_test(a_misaligned_access_is_MISALIGNED_ADDRESS),
        cuda_test(a_trap_is_LAUNCH_FAILED),
        cuda_test(launches_that_cannot_run_are_refused_before_they_start),
        cuda_test(too_many_registers_for_a_CTA_are_LAUNCH_OUT_OF_RESOURCES),
        cuda_test(function_attributes_and_occupancy_follow_shared_memory),
    };
    setenv("POISE_MAX_WARP_INSTS", "100000", 1);
    setenv("POISE_BOUNDS", "strict", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
