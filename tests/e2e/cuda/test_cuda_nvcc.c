/* The same programs built by nvcc for a shared runtime, with PTX stored in each of its ways. Without nvcc the tests
 * skip. */
#include "cuda_programs_rig.h"

static const char *nvcc(void)
{
    static const char *found;
    if (!found) found = access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc" : "nvcc";
    return found;
}
#define FLAGS "-cudart shared -gencode arch=compute_75,code=compute_75"

static void the_programs_pass_built_by_nvcc(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("%s " FLAGS " --compress-mode=size " SUITE " -o %s/suite", nvcc(), dir) != 0) fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/suite", dir));
    assert_all_programs_passed("nvcc");
    if (shell("%s " FLAGS " --default-stream per-thread " SOURCES "/programs/streams.cu -o %s/streams", nvcc(), dir) !=
        0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/streams", dir));
}

/* The makefile that test_cuda_build gives to poise cc. */
static void a_makefile_of_c_cpp_and_cuda_files_builds_with_nvcc(void **state)
{
    (void)state;
    need("make", "apt-get install make");
    need(nvcc(), "CUDA toolkit");
    assert_int_equal(0, shell("mkdir %s/nvcc", dir));
    if (shell("make -f " SOURCES "/makefile/Makefile NVCC='%s -cudart shared' GENCODE='-gencode "
              "arch=compute_75,code=compute_75' OUT=%s/nvcc",
              nvcc(), dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell(POISE " cuda %s/nvcc/program", dir));
    assert_string_equal("8 2 9 1\n", said);
}

static void fat_binaries_may_be_plain_or_compressed(void **state)
{
    static const char *const modes[] = {"none", "speed", "size"};
    (void)state;
    need(nvcc(), "CUDA toolkit");
    for (size_t i = 0; i < 3; i++) {
        if (shell("%s " FLAGS " --compress-mode=%s " SOURCES "/vector_add.cu -o %s/add", nvcc(), modes[i], dir) != 0)
            fail_msg("nvcc: %s", said);
        assert_int_equal(7, shell(POISE " cuda %s/add", dir)); /* the program's own status */
        assert_non_null(strstr(said, "vector_add 1000 ok"));
    }
}

static void device_code_of_two_files_that_nvcc_compiled_is_linked(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("%s " FLAGS " -rdc=true " SOURCES "/separate/main.cu " SOURCES "/separate/other.cu -o %s/linked", nvcc(),
              dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/linked", dir));
    assert_string_equal("linked\n", said);
}

static void kernels_launch_kernels(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("%s " FLAGS " -rdc=true " SOURCES "/launches.cu -lcudadevrt -o %s/launches", nvcc(), dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/launches", dir));
    assert_string_equal("ok\n", said);
}

/* The matrices of tensors.cu that need it are multiplied, too. */
static void a_program_for_compute_capability_80_passes(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("%s -cudart shared -gencode arch=compute_80,code=compute_80 " SOURCES
              "/programs/tensors.cu -o %s/tensors",
              nvcc(), dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/tensors", dir));
    assert_string_equal("tensors ok\n", said);
}

/* What uses an instruction that there is not here, for a high architecture, has a text for a lower one. */
static void of_several_architectures_the_highest_that_can_be_taken_is(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    char path[128];
    snprintf(path, sizeof path, "%s/several.cu", dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("__global__ void k(int *x) {\n#if __CUDA_ARCH__ >= 800\n"
          "asm volatile(\"wgmma.fence.sync.aligned;\"); *x = 80;\n"
          "#elif defined(__CUDA_ARCH__)\n*x = __CUDA_ARCH__ / 10;\n#endif\n}\n"
          "int main() { int *x, v = 0; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaMemcpy(&v, x, 4, "
          "cudaMemcpyDeviceToHost); return v; }\n",
          out);
    fclose(out);
    if (shell("%s -cudart shared -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 "
              "%s/several.cu -o %s/several",
              nvcc(), dir, dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(75, shell(POISE " cuda %s/several", dir));
    assert_non_null(strstr(said, "wgmma"));
    assert_int_equal(75, shell(POISE " cuda --device kepler32 %s/several", dir)); /* the lowest */
    assert_string_equal("", said);
}

static void thrust_and_cub_run_as_nvcc_compiles_them(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("echo '#include <thrust/version.h>' >%s/has.cu && %s -E %s/has.cu >/dev/null", dir, nvcc(), dir) != 0) {
        print_message("skipped: this toolkit has no Thrust\n");
        skip();
    }
    for (const char *const *name = (const char *const[]){"thrust", "thrust_sets", "cub", NULL}; *name; name++) {
        char wanted[32];
        if (shell("%s -std=c++17 " FLAGS " " SOURCES "/%s.cu -o %s/%s", nvcc(), *name, dir, *name) != 0)
            fail_msg("nvcc: %s", said);
        snprintf(wanted, sizeof wanted, "%s ok\n", *name);
        assert_int_equal(0, shell(POISE " cuda %s/%s", dir, *name));
        assert_string_equal(wanted, said);
    }
}

/* No nvcc for this one, but minutes. */
static void all_of_thrust_and_cub_passes_by_poise_cc(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc " SOURCES "/thrust_and_cub.cu -o %s/both", dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/both", dir));
    assert_string_equal("thrust ok\nthrust_sets ok\ncub ok\n", said);
}

static void launches_of_thrust_and_cub_are_those_of_nvccs_build(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    need("jq", "apt-get install jq");
    if (shell("NVCC=%s " POISE_SOURCE_DIR "/tests/bench/thrust.sh --build " POISE_BINARY_DIR, nvcc()) != 0)
        fail_msg("%s", said);
    assert_non_null(strstr(said, "5 of 5 programs have the same kernels in the same order"));
}

static void cublas_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("echo '#include <cublas_v2.h>' >%s/has.cu && %s -E %s/has.cu >/dev/null", dir, nvcc(), dir) != 0) {
        print_message("skipped: this toolkit has no cuBLAS\n");
        skip();
    }
    if (shell("%s -DPOISE_BLAS_OURS " FLAGS " " SOURCES "/blas.cu -lcublas -o %s/blas", nvcc(), dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/blas", dir));
    assert_non_null(strstr(said, "989 checks"));
}

static void curand_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("echo '#include <curand.h>' >%s/has.cu && %s -E %s/has.cu >/dev/null", dir, nvcc(), dir) != 0) {
        print_message("skipped: this toolkit has no cuRAND\n");
        skip();
    }
    if (shell("%s " FLAGS " " SOURCES "/rand.cu -lcurand -o %s/rand", nvcc(), dir) != 0) fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/rand", dir));
    assert_non_null(strstr(said, "rand ok\n"));
}

/* A program with a library that runs on the host prints how many checks it made. */
static void library_of_the_toolkit_is_replaced(const char *header, const char *program, const char *checks)
{
    need(nvcc(), "CUDA toolkit");
    if (shell("echo '#include <%s.h>' >%s/has.cu && %s -E %s/has.cu >/dev/null", header, dir, nvcc(), dir) != 0) {
        print_message("skipped: this toolkit has no %s.h\n", header);
        skip();
    }
    if (shell("%s -DPOISE_OURS " FLAGS " " SOURCES "/%s.cu -lcufft -lcusparse -lcusolver -o %s/%s", nvcc(), program,
              dir, program) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/%s", dir, program));
    assert_non_null(strstr(said, checks));
}
static void cufft_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    library_of_the_toolkit_is_replaced("cufft", "fft", "6041 checks");
}
static void cusparse_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    library_of_the_toolkit_is_replaced("cusparse", "sparse", "4761 checks");
}

static void cusolver_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    library_of_the_toolkit_is_replaced("cusolverDn", "solver", "1991 checks");
}

static void a_library_that_is_not_here_is_named(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    char path[128];
    snprintf(path, sizeof path, "%s/network.cu", dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("extern \"C\" size_t cudnnGetVersion();\n__global__ void k() {}\n"
          "int main() { k<<<1, 1>>>(); return cudnnGetVersion() == 0; }\n",
          out);
    fclose(out);
    if (shell("%s " FLAGS " %s -lcudnn -o %s/network", nvcc(), path, dir) != 0) {
        print_message("skipped: this toolkit has no cuDNN\n");
        skip();
    }
    (void)shell(POISE " cuda %s/network", dir);
    assert_non_null(strstr(said, "libcudnn.so"));
    assert_non_null(strstr(said, "which is NVIDIA's own and not here"));
}

/* As the preprocessor leaves them, which is how programs ask the library for them. */
static void every_function_of_the_toolkits_cuda_h_is_in_our_library(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("echo '#include <cuda.h>' >%s/all.cu && %s -E %s/all.cu | grep -oE '\\bcu[A-Z][A-Za-z0-9_]+ ?\\(' | tr "
              "-d ' (' "
              "| sort -u >%s/wanted && nm -D " POISE_BINARY_DIR "/sim/cuda/lib/libcuda.so.1 | awk '{print $3}' | "
              "sort -u >%s/offered && test $(wc -l <%s/wanted) -gt 400 && comm -23 %s/wanted %s/offered",
              dir, nvcc(), dir, dir, dir, dir, dir, dir) != 0)
        fail_msg("%s", said);
    assert_string_equal("", said);
}

/* `poise suite` puts this header in front of what nvcc compiles. */
static void what_newer_toolkits_dropped_is_there_for_suites(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    write_text(
        "dropped.cu",
        "#include <stdio.h>\nstatic texture<int> t;\n"
        "texture<short2, 2> image;\ntexture<int> &other_file() { return t; }\n"
        "__global__ void k(int *out) { *out = tex1Dfetch(t, 1); }\n"
        "int main() { struct cudaDeviceProp p; int two[2] = {5, 7}, *d; cudaThreadSynchronize();\n"
        "if (cudaGetDeviceProperties(&p, 0)) return 1;\n"
        "cudaMalloc(&d, 12); cudaMemcpy(d, two, 8, cudaMemcpyHostToDevice); cudaBindTexture(0, other_file(), d, 8);\n"
        "k<<<1, 1>>>(d + 2); cudaMemcpy(two, d + 2, 4, cudaMemcpyDeviceToHost); cudaUnbindTexture(t);\n"
        "printf(\"%d %d %d %d %d\\n\", two[0], image.channelDesc.y, p.clockRate > 0, p.deviceOverlap, p.computeMode);\n"
        "return cudaThreadExit(); }\n");
    if (shell("%s " FLAGS " -include " POISE_SOURCE_DIR "/sim/cuda/toolkit/suite/include/poise_dropped.h %s/dropped.cu "
              "-o %s/dropped",
              nvcc(), dir, dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/dropped", dir));
    assert_string_equal("7 16 1 1 0\n", said);
}

/* It has an empty list of device code. */
static void a_program_of_host_code_alone_runs(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    if (shell("echo 'int main() { void *p; return cudaMalloc(&p, 8); }' >%s/host.cpp && "
              "%s " FLAGS " -include cuda_runtime.h %s/host.cpp -o %s/host",
              dir, nvcc(), dir, dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/host", dir));
}

static void nvrtc_of_the_toolkit_is_replaced_by_ours(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    need("clang", "apt-get install clang");
    if (shell("%s -cudart shared " SOURCES "/nvrtc.cpp -lnvrtc -lnvJitLink -lcuda -L%s -o %s/nvrtc", nvcc(),
              POISE_BINARY_DIR "/sim/cuda/lib", dir) != 0)
        fail_msg("nvcc: %s", said);
    assert_int_equal(0, shell(POISE " cuda %s/nvrtc", dir));
    assert_string_equal("ok\n", said);
}

static void a_program_that_nvcc_built_otherwise_is_told_how_to_be_built(void **state)
{
    (void)state;
    need(nvcc(), "CUDA toolkit");
    assert_int_equal(0, shell("%s " SOURCES "/vector_add.cu -o %s/static", nvcc(), dir));
    assert_int_equal(2, shell(POISE " cuda %s/static", dir));
    assert_non_null(strstr(said, "link it with nvcc -cudart shared"));
    assert_int_equal(0, shell("%s -cudart shared -gencode arch=compute_75,code=sm_75 " SOURCES
                              "/vector_add.cu -o %s/machine",
                              nvcc(), dir));
    assert_int_equal(2, shell(POISE " cuda %s/machine", dir));
    assert_non_null(strstr(said, "-gencode arch=compute_75,code=compute_75"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_programs_pass_built_by_nvcc),
        cmocka_unit_test(a_makefile_of_c_cpp_and_cuda_files_builds_with_nvcc),
        cmocka_unit_test(kernels_launch_kernels),
        cmocka_unit_test(a_program_for_compute_capability_80_passes),
        cmocka_unit_test(of_several_architectures_the_highest_that_can_be_taken_is),
        cmocka_unit_test(fat_binaries_may_be_plain_or_compressed),
        cmocka_unit_test(device_code_of_two_files_that_nvcc_compiled_is_linked),
        cmocka_unit_test(thrust_and_cub_run_as_nvcc_compiles_them),
        cmocka_unit_test(all_of_thrust_and_cub_passes_by_poise_cc),
        cmocka_unit_test(launches_of_thrust_and_cub_are_those_of_nvccs_build),
        cmocka_unit_test(cublas_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(curand_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(cufft_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(cusparse_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(cusolver_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(a_library_that_is_not_here_is_named),
        cmocka_unit_test(every_function_of_the_toolkits_cuda_h_is_in_our_library),
        cmocka_unit_test(what_newer_toolkits_dropped_is_there_for_suites),
        cmocka_unit_test(a_program_of_host_code_alone_runs),
        cmocka_unit_test(nvrtc_of_the_toolkit_is_replaced_by_ours),
        cmocka_unit_test(a_program_that_nvcc_built_otherwise_is_told_how_to_be_built),
    };
    return cmocka_run_group_tests(tests, folder, remove_all);
}
