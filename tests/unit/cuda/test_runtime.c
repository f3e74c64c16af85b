/* The runtime API as compilers call it: kernels.ptx in a fat binary, registered by hand. */
#include "rig.h"
#include "where.h"
#include <cuda_runtime_api.h>
#include "poise/cuda_shim.h"
#include "poise/fatbin.h"
#include "poise/file.h"

#define assert_cudart(expected, call) \
    do { \
        const cudaError_t got_ = (call); \
        if (got_ != (expected)) fail_msg("%s: %s: %s", #call, cudaGetErrorName(got_), poise_cuda_last_error()); \
    } while (0)
#define assert_cuda(call) assert_cudart(cudaSuccess, call)

static char add_stub, scale_stub, far_stub, no_stub; /* stand for the host's functions */
static float factor_shadow;
static unsigned char *binary;
static struct fatbin_wrapper wrapper;
static void **handle;

static int up(void **state)
{
    (void)state;
    struct error err;
    char *text;
    size_t size, n;
    if (file_read(&text, &size, POISE_SOURCE_DIR "/tests/unit/cuda/kernels.ptx", &err) < 0) return -1;
    const int result = fatbin_from_ptx(&binary, &n, text, size, 35, &err);
    free(text);
    wrapper = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, binary, NULL};
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &add_stub, NULL, "vector_add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &scale_stub, NULL, "scale", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &far_stub, NULL, "far_store", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &no_stub, NULL, "not_there", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&factor_shadow, NULL, "factor", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    cudaGetLastError();
    return result;
}
static int down(void **state)
{
    (void)state;
    cudaDeviceReset();
    __cudaUnregisterFatBinary(handle);
    free(binary);
    return 0;
}

static float *vectors(int n)
{
    float *d, host[64];
    for (int i = 0; i < n; i++) host[i] = (float)i;
    assert_cuda(cudaMalloc((void **)&d, 3 * 64 * sizeof *d));
    assert_cuda(cudaMemcpy(d, host, (size_t)n * sizeof *d, cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(d + 64, d, (size_t)n * sizeof *d, cudaMemcpyDeviceToDevice));
    return d;
}
static void assert_doubled(const float *d, int n)
{
    float host[64];
    assert_cuda(cudaMemcpy(host, d + 128, (size_t)n * sizeof *d, cudaMemcpyDefault));
    for (int i = 0; i < n; i++) assert_true(host[i] == 2.0f * (float)i);
    assert_cuda(cudaFree((void *)(uintptr_t)d));
}
static const dim3 two = {2, 1, 1}, warp = {32, 1, 1};

static void a_kernel_runs_by_each_of_the_three_launch_ABIs(void **state)
{
    (void)state;
    int n = 50;
    for (int abi = 0; abi < 3; abi++) {
        float *a = vectors(n), *b = a + 64, *c = a + 128;
        void *arguments[] = {&a, &b, &c, &n};
        if (abi == 0) {
            dim3 grid, block;
            size_t shared;
            cudaStream_t stream;
            assert_int_equal(0, __cudaPushCallConfiguration(two, warp, 0, NULL));
            assert_cuda(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
            assert_cuda(cudaLaunchKernel(&add_stub, grid, block, arguments, shared, stream));
        } else if (abi == 1) {
            cudaFunction_t kernel;
            assert_cuda(__cudaGetKernel(&kernel, &add_stub));
            assert_cuda(__cudaLaunchKernel(kernel, two, warp, arguments, 0, NULL));
        } else {
            assert_cuda(cudaConfigureCall(two, warp, 0, NULL));
            assert_cuda(cudaSetupArgument(&a, 8, 0));
            assert_cuda(cudaSetupArgument(&b, 8, 8));
            assert_cuda(cudaSetupArgument(&c, 8, 16));
            assert_cuda(cudaSetupArgument(&n, 4, 24));
            assert_cuda(cudaLaunch(&add_stub));
        }
        assert_doubled(a, n);
    }
}

static void variables_are_found_by_shadow_and_by_name_and_bounds_hold(void **state)
{
    (void)state;
    float value = 0;
    assert_cuda(cudaMemcpyFromSymbol(&value, &factor_shadow, 4, 0, cudaMemcpyDeviceToHost));
    assert_true(value == 2.5f);
    value = 3;
    assert_cuda(cudaMemcpyToSymbol("factor", &value, 4, 0, cudaMemcpyHostToDevice));
    value = 0;
    assert_cuda(cudaMemcpyFromSymbol(&value, "factor", 4, 0, cudaMemcpyDeviceToHost));
    assert_true(value == 3);
    assert_cudart(cudaErrorInvalidValue, cudaMemcpyToSymbol(&factor_shadow, &value, 4, 1, cudaMemcpyHostToDevice));
    assert_cudart(cudaErrorInvalidSymbol, cudaMemcpyToSymbol("nothing", &value, 4, 0, cudaMemcpyHostToDevice));
    /* After a reset the module is loaded afresh. */
    assert_cuda(cudaDeviceReset());
    assert_cuda(cudaMemcpyFromSymbol(&value, &factor_shadow, 4, 0, cudaMemcpyDeviceToHost));
    assert_true(value == 2.5f);
}

static void wrong_calls_give_CUDAs_codes_and_the_last_error_is_told_once(void **state)
{
    (void)state;
    float *d = vectors(10), host[64];
    void *arguments[] = {&d, &d, &d, &d};
    const dim3 large = {2048, 1, 1};
    cudaFunction_t kernel;
    assert_cudart(cudaErrorInvalidConfiguration, cudaLaunchKernel(&add_stub, two, large, arguments, 0, NULL));
    assert_int_equal(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
    assert_int_equal(cudaErrorInvalidConfiguration, cudaGetLastError());
    assert_int_equal(cudaSuccess, cudaGetLastError());
    assert_cudart(cudaErrorInvalidValue, cudaLaunchKernel(&add_stub, two, warp, arguments, 64 << 10, NULL));
    assert_int_equal(cudaErrorInvalidValue, cudaGetLastError());
    assert_cudart(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(host, two, warp, arguments, 0, NULL));
    assert_cudart(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&no_stub, two, warp, arguments, 0, NULL));
    assert_cudart(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, host));
    assert_cudart(cudaErrorMissingConfiguration, cudaLaunch(&add_stub));
    assert_cudart(cudaErrorInvalidValue, cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
    assert_cudart(cudaErrorInvalidValue, cudaMemcpy(host, d, 3 * 64 * 4 + 1, cudaMemcpyDeviceToHost));
    assert_cudart(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host, d, 4, (enum cudaMemcpyKind)9));
    assert_cudart(cudaErrorInvalidValue, cudaFree(d + 1));
    assert_cudart(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 8, host, 4, 8, 2, cudaMemcpyHostToDevice));
    assert_cudart(cudaErrorInvalidDevice, cudaSetDevice(1));
    assert_cuda(cudaFree(NULL));
}

static void limits_are_those_of_cuda_and_unknown_ones_are_refused(void **state)
{
    (void)state;
    size_t value;
    for (int limit = cudaLimitStackSize; limit <= cudaLimitPersistingL2CacheSize; limit++)
        assert_cuda(cudaDeviceGetLimit(&value, (enum cudaLimit)limit));
    assert_cudart(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    for (int limit = 7; limit < 1000; limit += 331) {
        assert_cudart(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((enum cudaLimit)limit, 1));
        assert_cudart(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, (enum cudaLimit)limit));
    }
    assert_int_equal(cudaErrorUnsupportedLimit, cudaGetLastError());
    assert_cuda(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    assert_cuda(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
    assert_int_equal(4096, value);
    assert_cudart(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25));
    assert_cuda(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 4096)); /* a hint, cut to what there is */
    assert_cuda(cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity));
    assert_int_equal(128, value);
}

static void a_fault_on_the_device_stays_until_a_reset(void **state)
{
    (void)state;
    float *d = vectors(10);
    int stride = 1 << 20;
    void *arguments[] = {&d, &stride};
    assert_cudart(cudaErrorIllegalAddress, cudaLaunchKernel(&far_stub, two, warp, arguments, 0, NULL));
    assert_cudart(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    assert_cuda(cudaDeviceReset());
    assert_doubled((d = vectors(0)), 0);
}

static void events_tell_the_same_time_at_every_run(void **state)
{
    (void)state;
    float ms[2];
    for (int k = 0; k < 2; k++) {
        int n = 64;
        float *a = vectors(n), *b = a + 64, *c = a + 128;
        void *arguments[] = {&a, &b, &c, &n};
        cudaEvent_t start, stop;
        assert_cuda(cudaEventCreate(&start));
        assert_cuda(cudaEventCreate(&stop));
        assert_cuda(cudaEventRecord(start, NULL));
        assert_cuda(cudaLaunchKernel(&add_stub, two, warp, arguments, 0, NULL));
        assert_cuda(cudaEventRecord(stop, NULL));
        assert_cuda(cudaEventElapsedTime(&ms[k], start, stop));
        assert_cuda(cudaFree(a));
    }
    assert_true(ms[0] == ms[1] && ms[0] >= 0.005f);
}

static void properties_are_those_of_the_device_that_programs_see(void **state)
{
    (void)state;
    struct cudaDeviceProp p;
    struct cudaFuncAttributes attributes;
    int blocks;
    assert_cuda(cudaGetDeviceProperties(&p, 0));
    assert_int_equal(108, p.multiProcessorCount);
    assert_int_equal(1410000, p.clockRate);
    assert_int_equal(8, p.major);
    assert_int_equal(65536, p.regsPerBlock);
    assert_int_equal(1215000, p.memoryClockRate);
    assert_int_equal(5120, p.memoryBusWidth);
    assert_int_equal(1, p.managedMemory);
    assert_true(p.sharedMemPerBlock == 48 << 10 && p.sharedMemPerBlockOptin == 163 << 10);
    assert_true(p.maxBlocksPerMultiProcessor > 0);
    assert_cuda(cudaFuncGetAttributes(&attributes, &add_stub));
    assert_true(attributes.numRegs > 0 && attributes.maxThreadsPerBlock == 1024);
    assert_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_stub, 256, 0));
    assert_in_range(blocks, 1, 16);
}

static void managed_and_pinned_memory_is_one_pointer_on_both_sides(void **state)
{
    (void)state;
    float *m;
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaMallocManaged((void **)&m, 192 * sizeof *m, cudaMemAttachGlobal);
    if (error == cudaErrorNotSupported) skip(); /* the system put something at the device's addresses */
    assert_cuda(error);
    int n = 64;
    float *b = m + 64, *c = m + 128;
    void *arguments[] = {&m, &b, &c, &n};
    for (int i = 0; i < 128; i++) m[i] = (float)(i % 64);
    assert_cuda(cudaLaunchKernel(&add_stub, two, warp, arguments, 0, NULL));
    for (int i = 0; i < 64; i++) assert_true(c[i] == 2.0f * (float)i);
    assert_cuda(cudaPointerGetAttributes(&attributes, m + 5));
    assert_int_equal(cudaMemoryTypeManaged, attributes.type);
    assert_cuda(cudaPointerGetAttributes(&attributes, &n));
    assert_int_equal(cudaMemoryTypeUnregistered, attributes.type);
    assert_cuda(cudaFree(m));
}

#define with_binary(test) cmocka_unit_test_setup_teardown(test, up, down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        with_binary(a_kernel_runs_by_each_of_the_three_launch_ABIs),
        with_binary(variables_are_found_by_shadow_and_by_name_and_bounds_hold),
        with_binary(wrong_calls_give_CUDAs_codes_and_the_last_error_is_told_once),
        with_binary(limits_are_those_of_cuda_and_unknown_ones_are_refused),
        with_binary(a_fault_on_the_device_stays_until_a_reset),
        with_binary(events_tell_the_same_time_at_every_run),
        with_binary(properties_are_those_of_the_device_that_programs_see),
        with_binary(managed_and_pinned_memory_is_one_pointer_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
