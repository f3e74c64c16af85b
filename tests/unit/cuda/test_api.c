#include "cuda_rig.h"

#include <pthread.h>
#include "poise/cuda_device.h"

/* The first test of the program: nothing has called cuInit yet. */
static void before_cuInit_calls_say_so(void **state)
{
    (void)state;
    int count;
    CUdeviceptr p;
    assert_cuda_error(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    assert_cuda_error(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 4));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    assert_cuda_error(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    assert_cuda(cuDriverGetVersion(&count));
    assert_int_equal(13000, count); /* a driver as new as the newest runtime */
}

static void without_a_context_memory_calls_say_so(void **state)
{
    (void)state;
    CUdeviceptr p;
    CUcontext c;
    assert_cuda(cuInit(0));
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    assert_cuda(cuCtxGetCurrent(&c));
    assert_null(c);
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)(void *)&p));
}

static void error_codes_have_their_published_names_and_values(void **state)
{
    (void)state;
    static const struct {
        int value;
        const char *name;
    } rows[] = {{0, "CUDA_SUCCESS"},
                {1, "CUDA_ERROR_INVALID_VALUE"},
                {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                {3, "CUDA_ERROR_NOT_INITIALIZED"},
                {201, "CUDA_ERROR_INVALID_CONTEXT"},
                {218, "CUDA_ERROR_INVALID_PTX"},
                {400, "CUDA_ERROR_INVALID_HANDLE"},
                {500, "CUDA_ERROR_NOT_FOUND"},
                {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                {719, "CUDA_ERROR_LAUNCH_FAILED"}};
    const char *name, *text;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_cuda(cuGetErrorName((CUresult)rows[i].value, &name));
        assert_string_equal(rows[i].name, name);
        assert_cuda(cuGetErrorString((CUresult)rows[i].value, &text));
        assert_true(text[0] != '\0');
    }
    assert_int_equal(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &name));
    assert_null(name);
}

static void the_device_that_programs_see_is_a_current_one(void **state)
{
    (void)state;
    int count, value, major, minor;
    CUdevice device;
    char name[64];
    size_t bytes;
    assert_cuda(cuDeviceGetCount(&count));
    assert_int_equal(1, count);
    assert_cuda_error(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
    assert_cuda(cuDeviceGet(&device, 0));
    assert_cuda(cuDeviceGetName(name, sizeof name, device));
    assert_string_equal("NVIDIA A100 (Poise functional device)", name);
    assert_cuda(cuDeviceTotalMem(&bytes, device));
    assert_true(bytes == 40ull << 30);
    assert_cuda(cuDeviceComputeCapability(&major, &minor, device));
    assert_int_equal(80, 10 * major + minor);
    static const struct {
        CUdevice_attribute attribute;
        int value;
    } rows[] = {{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 108},
                {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
                {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 166912},
                {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_cuda(cuDeviceGetAttribute(&value, rows[i].attribute, device));
        assert_int_equal(rows[i].value, value);
    }
    for (int attribute = 1; attribute <= 135; attribute++) /* all of CUDA 12 */
        assert_cuda(cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, device));
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, device));
}

static void devices_are_chosen_by_name_and_number_of_SMs(void **state)
{
    (void)state;
    struct cuda_device d;
    struct error err;
    assert_ok(cuda_device_choose(&d, "kepler32", 0, &err), &err);
    assert_true(d.sms == 32 && d.sm.registers == 32768 && d.sm.ctas == 8 && cuda_device_capability(&d) == 35);
    assert_ok(cuda_device_choose(&d, "h100", 7, &err), &err);
    assert_true(d.sms == 7 && cuda_device_capability(&d) == 90);
    assert_int_equal(-1, cuda_device_choose(&d, "gtx", 0, &err));
    assert_non_null(strstr(err.hint, "a100, rtx3090, h100, v100, kepler32"));
    assert_int_equal(-1, cuda_device_choose(&d, "a100", 5000, &err));
    for (size_t i = 0; cuda_device_at(i); i++) { /* sound as a whole */
        const struct cuda_device *at = cuda_device_at(i);
        assert_true(at->sm.warps * 32 == at->sm.threads && at->block_shared_bytes <= at->optin_shared_bytes);
        assert_true(at->optin_shared_bytes + at->reserved_shared_bytes <= at->sm.shared_bytes);
    }
}

static void contexts_stack_and_die_with_what_they_own(void **state)
{
    (void)state;
    CUcontext a, b, c;
    CUdeviceptr p;
    CUstream stream;
    size_t before, after, total;
    assert_cuda(cuCtxCreate(&a, 0, 0));
    assert_cuda(cuMemGetInfo(&before, &total));
    assert_cuda(cuCtxCreate(&b, 0, 0));
    assert_cuda(cuMemAlloc(&p, 1000));
    assert_cuda(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    assert_cuda(cuCtxDestroy(b));
    assert_cuda(cuCtxGetCurrent(&c));
    assert_ptr_equal(a, c);
    assert_cuda(cuMemGetInfo(&after, &total));
    assert_int_equal(before, after);
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(b));
    assert_cuda(cuCtxPushCurrent(a));
    assert_cuda(cuCtxPopCurrent(&c));
    assert_cuda(cuCtxDestroy(a));
    assert_cuda(cuDevicePrimaryCtxRetain(&a, 0));
    assert_cuda(cuDevicePrimaryCtxRetain(&b, 0));
    assert_ptr_equal(a, b);
    assert_cuda(cuCtxSetCurrent(a));
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
    assert_cuda(cuDevicePrimaryCtxRelease(0));
    assert_cuda(cuCtxSynchronize());
    assert_cuda(cuDevicePrimaryCtxRelease(0));
    assert_cuda_error(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    assert_cuda_error(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    assert_cuda(cuCtxSetCurrent(NULL));
}

static void modules_give_kernels_and_variables_by_name(void **state)
{
    const struct cuda_rig *rig = *state;
    CUfunction f;
    CUdeviceptr p;
    CUmodule m;
    size_t bytes;
    float factor;
    assert_cuda(cuModuleGetFunction(&f, rig->module, "vector_add"));
    assert_cuda_error(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, rig->module, "vector_ad"));
    assert_non_null(strstr(poise_cuda_last_error(), "the module has no kernel 'vector_ad'"));
    assert_cuda(cuModuleGetGlobal(&p, &bytes, rig->module, "factor"));
    assert_int_equal(4, bytes);
    assert_cuda(cuMemcpyDtoH(&factor, p, 4));
    assert_true(factor == 2.5f);
    assert_cuda_error(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    assert_cuda_error(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&p, &bytes, rig->module, "nothing"));
    assert_cuda_error(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nonexistent.ptx"));
    assert_cuda_error(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, "\177ELF..."));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload((CUmodule)(void *)&m));
    assert_cuda(cuModuleUnload(rig->module));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, rig->module, "vector_add"));
}

static void wrong_PTX_is_refused_with_line_in_the_error_log(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k()\n{\n frobnicate.u32 %r1;\n ret;\n}\n";
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule m;
    assert_cuda_error(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, ptx, 2, options, values));
    assert_non_null(strstr(log, "frobnicate"));
    assert_non_null(strstr(log, "6"));
}

static void streams_and_events_have_order_and_time(void **state)
{
    (void)state;
    CUstream stream;
    CUevent start, end, untimed;
    float ms = -1;
    assert_cuda(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_cuda(cuEventCreate(&start, CU_EVENT_DEFAULT));
    assert_cuda(cuEventCreate(&end, CU_EVENT_DEFAULT));
    assert_cuda(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, start, end));
    assert_cuda(cuEventRecord(start, stream));
    assert_cuda(cuEventRecord(end, stream));
    assert_cuda(cuEventRecord(untimed, NULL));
    assert_cuda(cuStreamWaitEvent(stream, end, 0));
    assert_cuda(cuEventSynchronize(end));
    assert_cuda(cuEventElapsedTime(&ms, start, end));
    assert_true(ms >= 0);
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, start, untimed));
    assert_cuda(cuEventDestroy(start));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(start));
    assert_cuda(cuStreamSynchronize(stream));
    assert_cuda(cuStreamDestroy(stream));
    assert_cuda_error(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
}

static void *other_thread(void *context)
{
    CUdeviceptr p;
    const CUresult without = cuMemAlloc(&p, 16);
    cuCtxSetCurrent(context);
    return without == CUDA_ERROR_INVALID_CONTEXT && cuMemAlloc(&p, 16) == CUDA_SUCCESS ? context : NULL;
}

static void the_current_context_belongs_to_the_thread(void **state)
{
    const struct cuda_rig *rig = *state;
    pthread_t thread;
    void *result;
    assert_int_equal(0, pthread_create(&thread, NULL, other_thread, rig->context));
    assert_int_equal(0, pthread_join(thread, &result));
    assert_ptr_equal(rig->context, result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_cuInit_calls_say_so),
        cmocka_unit_test(without_a_context_memory_calls_say_so),
        cmocka_unit_test(error_codes_have_their_published_names_and_values),
        cmocka_unit_test(the_device_that_programs_see_is_a_current_one),
        cmocka_unit_test(devices_are_chosen_by_name_and_number_of_SMs),
        cmocka_unit_test(contexts_stack_and_die_with_what_they_own),
        cuda_test(modules_give_kernels_and_variables_by_name),
        cuda_test(wrong_PTX_is_refused_with_line_in_the_error_log),
        cuda_test(streams_and_events_have_order_and_time),
        cuda_test(the_current_context_belongs_to_the_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
