/* What CUDA forbids or promises beside results: faults that stay, limits of memory, host code that touches device
 * memory, variables that files keep to themselves, calls of several CUDA versions. */
#include "cuda_programs_rig.h"

#define RULES SOURCES "/rules"

static int build(void **state)
{
    if (folder(state) < 0) return -1;
    if (shell("command -v clang") == 0 && shell(POISE " cc " RULES "/rules.cu -o %s/rules", dir) != 0) {
        print_error("%s", said);
        return -1;
    }
    return 0;
}

static void after_a_fault_every_call_answers_with_it(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell("%s/rules faults", dir) != 0) fail_msg("%s", said);
    assert_null(strstr(said, "cudaErrorInvalid")); /* the fault alone is told */
}

static void host_code_may_touch_managed_and_pinned_memory_alone_where_that_is_asked_for(void **state)
{
    static const struct {
        const char *what, *line;
    } touches[] = {{"write", " 0x7f0000000428 ("},
                   {"read", ": byte 396 of 400 bytes of device memory (cudaMalloc) at 0x7f0000000400, "},
                   {"variable", " bytes of the device's variable variable at "},
                   {"freed", ": in the device's range, but in no allocation"},
                   {"beyond", ": in the device's range, but in no allocation"}};
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell(POISE " cuda --host-access strict %s/rules touch nothing", dir));
    assert_string_equal("1 5 4\n", said);
    for (size_t i = 0; i < sizeof touches / sizeof touches[0]; i++) {
        assert_int_equal(139, shell(POISE " cuda --host-access strict %s/rules touch %s", dir, touches[i].what));
        assert_non_null(strstr(said, "1 5 4\n"));
        if (!strstr(said, touches[i].line)) fail_msg("%s: %s", touches[i].what, said);
        assert_int_equal(0, shell("{ " POISE " cuda %s/rules touch %s; test $? -ne 139; }", dir, touches[i].what));
    }
    assert_int_equal(2, shell(POISE " cuda --host-access loose %s/rules", dir));
}

static void more_constant_or_static_shared_memory_than_there_is_does_not_compile(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("constant.cu", "__constant__ char table[70000];\n__global__ void k(char *o) { *o = table[69999]; }\n");
    assert_int_equal(2, shell(POISE " cc -c %s/constant.cu -o %s/constant.o", dir, dir));
    assert_non_null(strstr(said, "70000 bytes of __constant__ variables up to table, a program can have 65536"));
    write_text("shared.cu", "__global__ void k(char *o) { __shared__ char s[60000]; s[threadIdx.x] = 1;\n"
                            "__syncthreads(); *o = s[5]; }\n");
    assert_int_equal(2, shell(POISE " cc -c %s/shared.cu -o %s/shared.o", dir, dir));
    assert_non_null(strstr(said, "kernel k declares 60000 bytes of __shared__ variables, it can have 49152"));
}

static void variables_that_files_keep_to_themselves_are_linked(void **state)
{
    static const char *const lines[] = {"a: 101 30 12\n", "b: -1 70 12 counter 22\n", "b anon 6\n", "a counter 110\n",
                                        "a anon 12\n"};
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -rdc=true " RULES "/private_a.cu " RULES "/private_b.cu -o %s/private", dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell("%s/private", dir));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(said, lines[i])) fail_msg("no %s in %s", lines[i], said);
}

static void calls_of_CUDA_11_12_and_13_compile_and_run(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc " RULES "/calls.cu -o %s/calls", dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/calls", dir));
    assert_string_equal("calls ok\n", said);
}

static void memory_is_that_of_the_device_that_programs_see(void **state)
{
    static const struct {
        const char *device, *said;
    } rows[] = {
        {"a100", "40 40\n"}, {"rtx3090", "24 24\n"}, {"h100", "80 80\n"}, {"v100", "16 16\n"}, {"kepler32", "6 6\n"}};
    (void)state;
    need("clang", "apt-get install clang");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(0, shell(POISE " cuda --device %s %s/rules memory", rows[i].device, dir));
        assert_string_equal(rows[i].said, said);
    }
}

static void numbers_of_8_bits_are_rounded_and_saturated(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell("%s/rules numbers", dir));
    assert_string_equal("121 80010003 ff0001 4 10013 7e 80 2a 7b 35 0.3125 0.3125\n", said);
}

/* `static` variables of a module of its own have their plain names, and are no constants because no code writes them; a
 * file of the host takes the types of random numbers, and of arrays as old programs spell it. */
static void calls_of_both_APIs_meet_in_the_context_that_a_program_made(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("k.cu", "static __constant__ int given[2];\n"
                       "extern \"C\" __global__ void k(int *p) { p[0] = 7 + given[threadIdx.x]; }\n");
    write_text("host.cpp", "#include <curand_kernel.h>\nint bytes = sizeof(curandState) + sizeof(curandStateSobol32);\n"
                           "struct cudaArray *old;\ncudaArray *older = old;\n");
    if (shell(POISE " cc -ptx -arch=sm_80 %s/k.cu -o %s/k.ptx && " POISE " cc -c %s/host.cpp -o %s/host.o", dir, dir,
              dir, dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell("grep -c '^.visible .const .align 4 .b8 given.8.;' %s/k.ptx", dir));
    assert_int_equal(0, shell("%s/rules contexts %s/k.ptx", dir, dir));
    assert_string_equal("7 13 1 0\n", said);
}

/* gcc's do in nearly all programs, and nvcc calls it; clang takes their overflow for impossible unless told. */
static void whole_numbers_of_the_host_wrap_around(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell("%s/rules wraps", dir));
    assert_string_equal("0.000006 0.235712 0.471418 0.707124 0.942830 -0.821464 -0.585758 -0.350052\n", said);
}

/* NPB's generators of random numbers take pow(0.5, 46.0) for 2^-46, as NVIDIA's functions give it. */
static void powers_that_are_whole_come_out_whole_and_halves_have_signs_and_steps(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell("%s/rules powers", dir));
    assert_string_equal("0\n", said);
}

/* Shared memory of 4 GiB has no 64-bit addresses, and a break goes out of its loop at once. */
static void loops_over_shared_memory_take_no_instructions_that_nvcc_does_not(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("loop.cu",
               "__constant__ float limits[64];\n__global__ void k(float *out, float at, int n) {\n"
               "    __shared__ float held[256];\n    float sum = 0;\n    held[threadIdx.x] = out[threadIdx.x];\n"
               "    __syncthreads();\n#pragma unroll 1\n    for (unsigned i = 0; i < n; i++) {\n"
               "        const float *a = held + 4 * i;\n        float q = a[3];\n        if (q == 0.0f) break;\n"
               "        float x = a[0] - at, r = x * x;\n        if (r < limits[i]) sum += q / r;\n    }\n"
               "    out[threadIdx.x] = sum;\n}\n");
    if (shell(POISE " cc -ptx -arch=sm_80 %s/loop.cu -o %s/loop.ptx", dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("grep -c 'ld.shared.f32.*\\[%%r[0-9]' %s/loop.ptx", dir));
    assert_string_equal("2\n", said);
    assert_int_equal(1, shell("grep -E '(ld|st).shared.*\\[%%rd|(and|or).pred' %s/loop.ptx", dir));
}

/* Threads that nobody asked for change no byte; how far it is goes to a terminal. */
static void long_launches_use_all_threads_and_tell_how_far_they_are(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell("OMP_NUM_THREADS=3 " POISE " cuda --trace-dir %s/many %s/rules", dir, dir));
    assert_int_equal(0, shell(POISE " cuda --threads 1 --trace-dir %s/one %s/rules", dir, dir));
    assert_int_equal(0,
                     shell("cmp %s/one/launches.jsonl %s/many/launches.jsonl && cmp %s/one/*.ptrace %s/many/*.ptrace",
                           dir, dir, dir, dir));
    need("script", "apt-get install bsdutils");
    assert_int_equal(0,
                     shell("script -qec '" POISE " cuda --progress --threads 1 %s/rules busy 10000' /dev/null", dir));
    assert_non_null(strstr(said, "launch 0 _Z4busyPfi, "));
    assert_non_null(strstr(said, " of 1024 CTAs; "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_fault_every_call_answers_with_it),
        cmocka_unit_test(host_code_may_touch_managed_and_pinned_memory_alone_where_that_is_asked_for),
        cmocka_unit_test(more_constant_or_static_shared_memory_than_there_is_does_not_compile),
        cmocka_unit_test(variables_that_files_keep_to_themselves_are_linked),
        cmocka_unit_test(calls_of_CUDA_11_12_and_13_compile_and_run),
        cmocka_unit_test(memory_is_that_of_the_device_that_programs_see),
        cmocka_unit_test(numbers_of_8_bits_are_rounded_and_saturated),
        cmocka_unit_test(calls_of_both_APIs_meet_in_the_context_that_a_program_made),
        cmocka_unit_test(whole_numbers_of_the_host_wrap_around),
        cmocka_unit_test(powers_that_are_whole_come_out_whole_and_halves_have_signs_and_steps),
        cmocka_unit_test(loops_over_shared_memory_take_no_instructions_that_nvcc_does_not),
        cmocka_unit_test(long_launches_use_all_threads_and_tell_how_far_they_are),
    };
    return cmocka_run_group_tests(tests, build, remove_all);
}
