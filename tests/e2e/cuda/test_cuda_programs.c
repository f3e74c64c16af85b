/* CUDA programs as a whole, without a CUDA toolkit: built by poise cc, and against the driver API with an import
 * library. The programs check themselves; they are compiled as one, which is most of the time. Without clang the
 * tests skip. */
#include "cuda_programs_rig.h"

static void the_programs_pass_built_by_poise_cc_and_every_launch_can_be_recorded_and_simulated(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc " SUITE " -o %s/suite", dir) != 0) fail_msg("%s", said);
    assert_string_equal("", said);
    assert_int_equal(0, shell("%s/suite", dir));
    assert_all_programs_passed("by itself");
    assert_int_equal(0, shell(POISE " cuda --trace-dir %s/all %s/suite", dir, dir));
    assert_all_programs_passed("recorded");
    assert_int_equal(0, shell("test $(grep -c '\"file\"' %s/all/launches.jsonl) -gt 100", dir));
    static const char *const kernels[] = {"matrices_kernel",  "surfaces_kernel", "generic_kernel",
                                          "recursion_kernel", "grid_kernel",     "texture_3d_kernel"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (shell(POISE " sim --trace %s/all/*-%s.ptrace --json", dir, kernels[i]) != 0)
            fail_msg("%s: %s", kernels[i], said);
}

/* Linked with an import library; the one that runs is found by the library path. */
/* The number behind `key` in what was said. */
static double said_number(const char *key)
{
    const char *at = strstr(said, key);
    if (!at) fail_msg("no %s in: %s", key, said);
    return strtod(at + strlen(key), NULL);
}

/* grid.sync() as `poise cc` compiles it: the simulated blocks wait for each other, and say so where they cannot. */
static void barriers_over_the_grid_wait_in_a_simulation_for_the_last_block(void **state)
{
    (void)state;
    double cycles[2][2];
    need("clang++", "poise cc needs it");
    assert_int_equal(0, shell(POISE " cc %s/programs/grid.cu -o %s/grid", SOURCES, dir));
    assert_int_equal(0, shell(POISE " cuda --trace-dir %s/waits %s/grid", dir, dir));
    for (int simulated = 0; simulated < 2; simulated++)
        for (int skips = 0; skips < 2; skips++) {
            assert_int_equal(0, shell(POISE " sim --trace %s/waits/0000-grid_kernel.ptrace --json %s %s", dir,
                                      simulated ? "--set core.waiting=simulated" : "", skips ? "" : "--no-skip"));
            cycles[simulated][skips] = said_number("\"cycles\":");
        }
    assert_true(cycles[0][0] == cycles[0][1] && cycles[1][0] == cycles[1][1]);
    assert_true(cycles[1][0] > cycles[0][0]); /* six barriers of six blocks, whichever comes last */
    assert_int_equal(5, shell(POISE " sim --trace %s/waits/0000-grid_kernel.ptrace --set core.waiting=simulated --set "
                                    "core.sms=1 --set core.max_ctas=5",
                              dir));
    assert_non_null(strstr(said, "5 resident, 1 not begun"));
    assert_non_null(strstr(said, "5 writes of 6"));
}

static void the_programs_pass_on_the_driver_API_linked_with_any_libcuda(void **state)
{
    (void)state;
    need("clang++", "apt-get install clang");
    if (shell(POISE " cc -ptx " SUITE " -o %s/suite.ptx", dir) != 0) fail_msg("%s", said);
    if (shell("cd %s && " SOURCES "/import_library.sh " LIBRARY
              "/libcuda.so.1 libcuda.so && clang++ -x c++ -std=c++14 -DPROGRAM_DRIVER -DPROGRAM_PTX='\"suite.ptx\"' "
              "-I" POISE_SOURCE_DIR "/sim/cuda/include " SUITE " -L. -lcuda -o driver",
              dir) != 0)
        fail_msg("%s", said);
    const int status = shell("cd %s && LD_LIBRARY_PATH=" LIBRARY " ./driver", dir);
    assert_all_programs_passed("driver API");
    assert_int_equal(0, status);
    assert_int_equal(
        0, shell("cd %s && " POISE " cuda --trace-dir driver-traces --kernels arithmetic ./driver arithmetic", dir));
    assert_int_equal(0, shell("test -s %s/driver-traces/0000-arithmetic_32.ptrace", dir));
}

static bool exists(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, R_OK) == 0;
}

static void filters_choose_what_is_recorded_and_all_launches_run(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell(POISE " cc " SOURCES "/vector_add.cu -o %s/add", dir));
    assert_int_equal(7, shell(POISE " cuda --trace-dir %s/a --launches 1-2 %s/add 500", dir, dir));
    assert_non_null(strstr(said, "vector_add 500 ok"));
    assert_false(exists("a/0000-_Z3addPKfS0_Pfi.ptrace"));
    assert_true(exists("a/0001-_Z3addPKfS0_Pfi.ptrace") && exists("a/0002-_Z3addPKfS0_Pfi.ptrace"));
    assert_int_equal(7, shell(POISE " cuda --trace-dir %s/b --max-insts=1 %s/add", dir, dir));
    assert_true(exists("b/0000-_Z3addPKfS0_Pfi.ptrace"));
    assert_false(exists("b/0001-_Z3addPKfS0_Pfi.ptrace"));
    assert_int_equal(7, shell(POISE " cuda --trace-dir %s/c --kernels '^_Z3sub' -- %s/add", dir, dir));
    assert_false(exists("c/0000-_Z3addPKfS0_Pfi.ptrace"));
    assert_non_null(strstr(said, "poise: no launch was recorded: --kernels"));
    assert_non_null(strstr(said, "leave out all 3 of them"));
    assert_int_equal(0, shell("test $(wc -l <%s/c/launches.jsonl) = 3", dir));
    assert_int_equal(0, shell(POISE " sim --trace %s/a/0001-_Z3addPKfS0_Pfi.ptrace --json", dir));
}

static void the_device_is_chosen_and_an_error_that_nobody_looks_at_is_one_line(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("seen.cu", "#include <cstdio>\n__global__ void k(int *x) { *x = 1; }\n"
                          "int main() { cudaDeviceProp p; int *x; cudaGetDeviceProperties(&p, 0); cudaMalloc(&x, 4);\n"
                          "printf(\"%s %d.%d %d SMs %d registers\\n\", p.name, p.major, p.minor, "
                          "p.multiProcessorCount, p.regsPerBlock);\n"
                          "for (int i = 0; i < 3; i++) k<<<1, 2000>>>(x);\nk<<<1, 1>>>(x); cudaMemcpy(x, x, 4, "
                          "(cudaMemcpyKind)9); return 0; }\n");
    assert_int_equal(0, shell(POISE " cc %s/seen.cu -o %s/seen", dir, dir));
    assert_int_equal(0, shell("%s/seen", dir));
    assert_non_null(strstr(said, "NVIDIA A100 (Poise functional device) 8.0 108 SMs 65536 registers\n"));
    assert_int_equal(
        1, count_of(said,
                    "poise: CUDA_ERROR_INVALID_VALUE: kernel _Z1kPi: block dimension x is 2000, allowed 1 .. 1024\n"));
    assert_int_equal(1, count_of(said, "poise: cudaErrorInvalidMemcpyDirection: invalid copy direction"));
    assert_int_equal(0, shell(POISE " cuda --device kepler32 --sms=7 --trace-dir %s/seen-traces %s/seen", dir, dir));
    assert_non_null(strstr(said, "3.5 7 SMs 32768 registers"));
    assert_int_equal(0, shell(POISE " trace info --json %s/seen-traces/*.ptrace", dir));
    assert_non_null(strstr(said, "\"device\": \"kepler32\""));
    assert_non_null(strstr(said, "\"device_sms\": 7"));
    assert_int_equal(2, shell(POISE " cuda --device gtx %s/seen", dir));
    assert_non_null(strstr(said, "a100, rtx3090, h100, v100, kepler32"));
}

static void an_access_that_pages_let_pass_goes_on_with_a_line_or_stops_by_request(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell(POISE " cc " SOURCES "/programs/bounds.cu -o %s/bounds", dir));
    assert_int_equal(0, shell("%s/bounds", dir));
    assert_non_null(strstr(said, "bounds ok\n"));
    assert_int_equal(
        2, count_of(said, "poise: kernel bounds_kernel: block (3,0,0) thread (2")); /* two loads, a line each */
    assert_int_equal(
        1, count_of(said, "poise: kernel bounds_kernel: block (0,0,0) thread (0,0,0)")); /* and before the array */
    assert_int_equal(3, count_of(said, "is outside every allocation; it continues"));
    assert_int_equal(1, shell(POISE " cuda --strict-exit %s/bounds", dir));
    assert_non_null(strstr(said, "bounds ok\n"));
    assert_int_equal(0, shell(POISE " cuda --bounds page --strict-exit %s/bounds", dir));
    assert_string_equal("bounds ok\n", said);
    assert_int_equal(1, shell(POISE " cuda --bounds strict %s/bounds", dir));
    assert_non_null(
        strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS: kernel bounds_kernel: block (0,0,0) thread (0,0,0), line "));
    assert_int_equal(2, shell(POISE " cuda --bounds loose %s/bounds", dir));
    /* what was let go on is part of what is recorded */
    assert_int_equal(0, shell(POISE " cuda --trace-dir %s/strays %s/bounds", dir, dir));
    /* 24 elements, 25 neighbours, and 128 before the first */
    assert_int_equal(0, shell("grep -c '\"outside_allocations\":177}' %s/strays/launches.jsonl", dir));
    assert_int_equal(0, shell(POISE " trace info --json %s/strays/*.ptrace", dir));
    assert_non_null(strstr(said, "\"outside_allocations\": 177"));
    assert_non_null(strstr(said, "\"first_outside\": \"kernel bounds_kernel: block (0,0,0) thread (0"));
    /* and is told of by who simulates it */
    assert_int_equal(0, shell(POISE " sim --trace %s/strays/*.ptrace --json", dir));
    assert_non_null(strstr(said, "warning: bounds_kernel: 177 accesses of its threads are outside every allocation"));
    assert_non_null(strstr(said, "\"outside_allocations\": {\n   \"launches\": 1,\n   \"accesses\": 177\n"));
    char spec[512];
    snprintf(spec, sizeof spec,
             "schema: 1\nkind: sweep\nname: strays\nkernels: [{trace: \"%s/strays/*.ptrace\", benchmark: mine}]\n"
             "config: kepler32\nstacks: [gto, \"swl,N=2\"]\n", /* two runs of one launch */
             dir);
    write_text("strays.yaml", spec);
    assert_int_equal(0, shell(POISE " sweep %s/strays.yaml --out %s/strays-out --json", dir, dir));
    assert_non_null(strstr(said, "\"outside_allocations\": {\n   \"launches\": 1,\n   \"accesses\": 177\n"));
}

static void a_shuffle_that_PTX_leaves_open_is_told_once_for_its_line(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell(POISE " cc " SOURCES "/programs/partial.cu -o %s/partial", dir));
    assert_int_equal(0, shell("%s/partial", dir));
    assert_int_equal(1, count_of(said, "poise: kernel partial_kernel: line "));
    assert_int_equal(
        1,
        count_of(said,
                 "a shuffle gives lane 0 the value of lane 16, which does not execute it: undefined in PTX, 0 here"));
    assert_non_null(strstr(said, "partial ok\n"));
}

static void two_sources_and_an_object_make_one_program(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    char path[128];
    snprintf(path, sizeof path, "%s/main.cu", dir);
    FILE *out = fopen(path, "w");
    fputs("extern \"C\" int from_c(int); int run(int);\n__device__ int d = 4;\n__global__ void k(int *x) { *x = d; }\n"
          "int main() { int v, *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaMemcpy(&v, x, 4, cudaMemcpyDeviceToHost); "
          "return from_c(run(v)); }\n",
          out);
    fclose(out);
    snprintf(path, sizeof path, "%s/other.cu", dir);
    out = fopen(path, "w");
    fputs("__device__ int d = 5;\n__global__ static void k(int *x) { *x += d; }\n"
          "int run(int v) { int *x; cudaMalloc(&x, 4); cudaMemcpy(x, &v, 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(x);\n"
          "cudaMemcpy(&v, x, 4, cudaMemcpyDeviceToHost); return v; }\n",
          out);
    fclose(out);
    assert_int_equal(
        0, shell("echo 'int from_c(int x) { return x + 1; }' >%s/c.c && cc -c %s/c.c -o %s/c.o", dir, dir, dir));
    if (shell(POISE " cc -O1 %s/main.cu -c -o %s/main.o && " POISE " cc %s/main.o %s/other.cu %s/c.o -o %s/three", dir,
              dir, dir, dir, dir, dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(10, shell("%s/three", dir));
}

/* At once, and file by file with a step that links device code, as makefiles do it. */
static void device_code_of_two_files_is_linked(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -rdc=true " SOURCES "/separate/main.cu " SOURCES "/separate/other.cu -o %s/linked", dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell("%s/linked", dir));
    if (shell("cd %s && " POISE " cc -dc " SOURCES "/separate/main.cu && " POISE " cc -dc " SOURCES
              "/separate/other.cu && " POISE
              " cc -dlink main.o other.o -o device.o && c++ main.o other.o device.o -L" LIBRARY " -lcudart -o by_hand",
              dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell("LD_LIBRARY_PATH=" LIBRARY " %s/by_hand", dir));
    assert_string_equal("linked\n", said);
    /* what nobody defines */
    assert_int_not_equal(0, shell(POISE " cc -rdc=true " SOURCES "/separate/main.cu -o %s/alone", dir));
}

static void a_program_that_cannot_run_is_told_how_to_be_built(void **state)
{
    (void)state;
    assert_int_equal(2, shell(POISE " cuda /bin/sh -c true"));
    assert_non_null(strstr(said, "uses no CUDA library"));
    assert_int_equal(2, shell(POISE " cuda --launches 5-3 /bin/sh"));
    assert_int_equal(2, shell(POISE " cuda"));
}

/* From a kernel to a prediction: the example's three commands, with a model learned just now. */
static void a_kernel_comes_to_a_prediction_with_its_uncertainty_and_the_measured_optimum(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(
        0,
        shell("cd " POISE_SOURCE_DIR " && " POISE " run experiments/specs/ci-quickstart.yaml --out %s/learned", dir));
    if (shell(POISE " cc " POISE_SOURCE_DIR "/datasets/examples/gather/gather.cu -o %s/gather", dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell(POISE " cuda --trace-dir %s/traces %s/gather 4096", dir, dir));
    assert_int_equal(0, shell(POISE
                              " predict %s/traces/*.ptrace --model %s/learned/model.json --measure --json 2>/dev/null",
                              dir, dir));
    for (const char *const *key = (const char *const[]){"\"interval\"", "\"low\": 1", "\"predicted\"", "\"measured\"",
                                                        "\"regret\"", "\"features\"", NULL};
         *key; key++)
        if (!strstr(said, *key)) fail_msg("no %s in %s", *key, said);
    assert_int_equal(
        0, shell(POISE " predict %s/traces/*.ptrace --model " POISE_SOURCE_DIR "/models/poise-thesis.json", dir));
    assert_non_null(strstr(said, "uncertainty unknown"));
    assert_int_equal(2, shell(POISE " predict --model " POISE_SOURCE_DIR "/models/poise-thesis.json"));
    assert_int_equal(2, shell(POISE " predict %s/learned/model.json --model %s/learned/model.json", dir, dir));
    /* compiler, version and flags are part of what is recorded */
    assert_int_equal(0, shell(POISE " trace info %s/traces/*.ptrace --json", dir));
    for (const char *const *key = (const char *const[]){"clang", "--cuda-gpu-arch=sm_75", "-O3", "live range", NULL};
         *key; key++)
        if (!strstr(said, *key)) fail_msg("no %s in %s", *key, said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_programs_pass_built_by_poise_cc_and_every_launch_can_be_recorded_and_simulated),
        cmocka_unit_test(barriers_over_the_grid_wait_in_a_simulation_for_the_last_block),
        cmocka_unit_test(the_programs_pass_on_the_driver_API_linked_with_any_libcuda),
        cmocka_unit_test(filters_choose_what_is_recorded_and_all_launches_run),
        cmocka_unit_test(the_device_is_chosen_and_an_error_that_nobody_looks_at_is_one_line),
        cmocka_unit_test(an_access_that_pages_let_pass_goes_on_with_a_line_or_stops_by_request),
        cmocka_unit_test(a_shuffle_that_PTX_leaves_open_is_told_once_for_its_line),
        cmocka_unit_test(two_sources_and_an_object_make_one_program),
        cmocka_unit_test(device_code_of_two_files_is_linked),
        cmocka_unit_test(a_program_that_cannot_run_is_told_how_to_be_built),
        cmocka_unit_test(a_kernel_comes_to_a_prediction_with_its_uncertainty_and_the_measured_optimum),
    };
    return cmocka_run_group_tests(tests, folder, remove_all);
}
