#include "cuda_rig.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child of the test below does: managed memory is there only where device addresses are the host's as well. */
static int touch_managed_memory(void)
{
    CUcontext context;
    CUdeviceptr p = 0;
    if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL)) return 1;
    *(volatile char *)(uintptr_t)p = 1;
    return 0;
}

/* The system's random layout has something of the program in the device's 40 GB one start in 25. */
static void device_addresses_are_the_hosts_however_often_a_program_starts(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", "test_cuda_memory", "--touch", (char *)NULL);
            _exit(127);
        }
        assert_int_equal(child, waitpid(child, &status, 0));
        assert_int_equal(0, status);
    }
}

static void addresses_are_fixed_aligned_to_256_and_apart_by_256(void **state)
{
    (void)state;
    CUdeviceptr a, b, c, again;
    CUcontext fresh;
    assert_cuda(cuCtxCreate(&fresh, 0, 0));
    assert_cuda(cuMemAlloc(&a, 1));
    assert_cuda(cuMemAlloc(&b, 256));
    assert_cuda(cuMemAlloc(&c, 257));
    assert_true(a % 256 == 0 && b % 256 == 0 && c % 256 == 0);
    assert_true(a >= 0x7f0000000000u && a < 0x7f0000001000u);
    assert_int_equal(512, b - a);
    assert_int_equal(512, c - b);
    assert_cuda(cuMemFree(b));
    assert_cuda(cuMemAlloc(&again, 256)); /* first fit */
    assert_true(again == b);
    assert_cuda(cuMemFree(again));
    assert_cuda(cuMemAlloc(&again, 257)); /* does not fit with its gap */
    assert_true(again > c);
    assert_cuda(cuCtxDestroy(fresh));
}

static void the_same_calls_give_the_same_addresses_after_freeing(void **state)
{
    (void)state;
    CUdeviceptr first[20], second[20];
    for (int i = 0; i < 20; i++) assert_cuda(cuMemAlloc(&first[i], (size_t)(i * 37 % 11 + 1) * 100));
    for (int i = 0; i < 20; i++) assert_cuda(cuMemFree(first[(i * 7) % 20]));
    for (int i = 0; i < 20; i++) assert_cuda(cuMemAlloc(&second[i], (size_t)(i * 37 % 11 + 1) * 100));
    assert_memory_equal(first, second, sizeof first);
}

static void memory_is_zero_when_allocated_again(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 5000000};
    for (int i = 0; i < 2; i++) {
        CUdeviceptr p, q;
        unsigned char *host = malloc(sizes[i]);
        assert_cuda(cuMemAlloc(&p, sizes[i]));
        assert_cuda(cuMemsetD8(p, 0xab, sizes[i]));
        assert_cuda(cuMemFree(p));
        assert_cuda(cuMemAlloc(&q, sizes[i]));
        assert_true(p == q);
        assert_cuda(cuMemcpyDtoH(host, q, sizes[i]));
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(0, host[k]);
        free(host);
    }
}

static void too_much_memory_is_refused_and_what_is_freed_counts_again(void **state)
{
    (void)state;
    CUdeviceptr p, q;
    size_t before, after, total;
    assert_cuda(cuMemGetInfo(&before, &total));
    assert_cuda_error(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, total));
    assert_cuda_error(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, SIZE_MAX));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    assert_cuda(cuMemAlloc(&p, 39ull << 30));
    assert_cuda_error(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&q, 1ull << 30));
    assert_cuda(cuMemFree(p));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    assert_cuda(cuMemAlloc(&q, 39ull << 30));
    assert_cuda(cuMemFree(q));
    assert_cuda(cuMemFree(0));
    assert_cuda(cuMemGetInfo(&after, &total));
    assert_int_equal(before, after);
}

static void copies_beyond_an_allocation_are_refused_with_the_byte_counts(void **state)
{
    (void)state;
    CUdeviceptr p, base;
    char host[128];
    size_t bytes;
    assert_cuda(cuMemAlloc(&p, 100));
    assert_cuda(cuMemcpyHtoD(p, host, 100));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, host, 101));
    assert_non_null(strstr(poise_cuda_last_error(), "go 1 beyond the end of the allocation"));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, p + 99, 2));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, p + 100, 1));
    assert_non_null(strstr(poise_cuda_last_error(), "lies in no allocation"));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(p, p + 1, 100));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, NULL, 1));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 0, 101));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
    assert_cuda(cuMemcpyHtoD(p, host, 0));
    assert_cuda(cuMemGetAddressRange(&base, &bytes, p + 99));
    assert_true(base == p && bytes == 100);
}

static void fills_and_copies_move_the_bytes(void **state)
{
    (void)state;
    CUdeviceptr p;
    CUstream stream;
    unsigned char host[16], *pinned;
    static const unsigned char expected[16] = {7,    7,    7,    7,    0x34, 0x12, 0x34, 0x12,
                                               0xef, 0xbe, 0xad, 0xde, 7,    7,    0x34, 0x12};
    assert_cuda(cuStreamCreate(&stream, 0));
    assert_cuda(cuMemAlloc(&p, 16));
    assert_cuda(cuMemsetD8Async(p, 7, 4, stream));
    assert_cuda(cuMemsetD16(p + 4, 0x1234, 2));
    assert_cuda(cuMemsetD32Async(p + 8, 0xdeadbeef, 1, stream));
    assert_cuda(cuMemcpyDtoDAsync(p + 12, p + 2, 4, stream));
    assert_cuda(cuMemcpyDtoHAsync(host, p, 16, stream));
    assert_memory_equal(expected, host, 16);
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuMemcpyDtoHAsync(host, p, 16, (CUstream)(void *)host));
    assert_cuda(cuMemHostAlloc((void **)&pinned, 16, CU_MEMHOSTALLOC_PORTABLE));
    memcpy(pinned, expected, 16);
    assert_cuda(cuMemcpyHtoDAsync(p, pinned, 16, CU_STREAM_PER_THREAD));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)p)); /* the device's: it stays */
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)(uintptr_t)pinned));
    assert_cuda(cuMemcpyDtoH(host, p, 16));
    assert_cuda(cuMemFreeHost(pinned));
}

/* PTX may have the lower halves of the addresses of constants alone, so the upper half is one for all of a module. */
static void constants_are_read_by_32_bits_of_their_addresses_wherever_memory_is_free(void **state)
{
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 first[750] = {11, 12, 13};\n"
        ".const .align 4 .b32 second[750] = {21, 22, 23};\n.visible .entry k(.param .u64 out) {\n"
        ".reg .b32 r, v, w, x; .reg .b64 p, q, t; .reg .b32 s; ld.param.u64 p, [out]; mov.u32 s, %tid.x; shl.b32 s, s, "
        "2;\n"
        "mov.u32 r, first; add.u32 r, r, s; ld.const.u32 v, [r+4]; mov.u32 r, second; add.u32 r, r, s;\n"
        "ld.const.u32 w, [r+4]; cvt.u64.u32 t, r; cvta.const.u64 q, t; ld.u32 x, [q]; mad.lo.u32 v, v, 100, w;\n"
        "mad.lo.u32 v, v, 100, x; cvt.u64.u32 t, s; add.u64 p, p, t; st.global.u32 [p], v; ret; }";
    const CUdeviceptr boundary = 0x7f0100000000;
    CUdeviceptr low, most, out, first, second;
    CUmodule module;
    CUfunction kernel;
    uint32_t host[2];
    assert_cuda(cuMemAlloc(&low, 1));
    assert_cuda(cuMemAlloc(&out, sizeof host));
    assert_cuda(cuMemAlloc(&most, boundary - 4096 - 256 - (out + 512))); /* room for one of both below the boundary */
    assert_cuda(cuModuleLoadData(&module, text));
    assert_cuda(cuModuleGetGlobal(&first, NULL, module, "first"));
    assert_cuda(cuModuleGetGlobal(&second, NULL, module, "second"));
    assert_true(first >= boundary && second > first);
    void *arguments[] = {&out};
    assert_cuda(cuModuleGetFunction(&kernel, module, "k"));
    assert_cuda(cuLaunchKernel(kernel, 1, 1, 1, 2, 1, 1, 0, NULL, arguments, NULL));
    assert_cuda(cuMemcpyDtoH(host, out, sizeof host));
    assert_int_equal(122221, host[0]);
    assert_int_equal(132322, host[1]);
    assert_cuda(cuModuleUnload(module));
    assert_cuda(cuMemFree(most));
    assert_cuda(cuMemFree(out));
    assert_cuda(cuMemFree(low));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--touch") == 0) return touch_managed_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_addresses_are_the_hosts_however_often_a_program_starts),
        cuda_test(addresses_are_fixed_aligned_to_256_and_apart_by_256),
        cuda_test(the_same_calls_give_the_same_addresses_after_freeing),
        cuda_test(memory_is_zero_when_allocated_again),
        cuda_test(too_much_memory_is_refused_and_what_is_freed_counts_again),
        cuda_test(copies_beyond_an_allocation_are_refused_with_the_byte_counts),
        cuda_test(fills_and_copies_move_the_bytes),
        cuda_test(constants_are_read_by_32_bits_of_their_addresses_wherever_memory_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
