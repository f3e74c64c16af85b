/* The CUDA programs of this folder, unmodified: built by poise cc and by nvcc, with PTX stored in each of nvcc's ways. Without
 * clang or nvcc the tests that need it are skipped. */
#include "rig.h"
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES POISE_SOURCE_DIR "/tests/e2e/cuda"
static const struct { const char *name; int status; const char *says; } programs[] = {
    {"vector_add", 7, "vector_add 1000 ok"}, {"reduction", 0, "reduction ok"}, {"stencil", 0, "stencil ok"},
    {"symbols", 0, "symbols ok"},            {"histogram", 0, "histogram ok"}, {"streams", 0, "streams ok, 0.0"},
    {"structs", 0, "structs ok"},            {"managed", 0, "managed ok"},     {"device", 0, "device ok"},
};
#define N_PROGRAMS (sizeof programs / sizeof *programs)

static char dir[64], said[1 << 14];

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The exit status; what was printed, on either stream, is in `said`. */
static int shell(const char *format, ...)
{
    char command[8192], path[128];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(command + n, sizeof command - (size_t)n, " >%s/said 2>&1", dir);
    const int status = system(command);
    snprintf(path, sizeof path, "%s/said", dir);
    FILE *in = fopen(path, "r");
    said[in ? fread(said, 1, sizeof said - 1, in) : 0] = '\0';
    if (in) fclose(in);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#define POISE POISE_BINARY_DIR "/experiments/poise"

static int folder(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/poise-cuda-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}
static int remove_all(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command) == 0 ? 0 : -1;
}

static void need(const char *tool, const char *what)
{
    if (shell("command -v %s", tool) == 0) return;
    print_message("skipped: %s is not installed (%s)\n", tool, what);
    skip();
}
static const char *nvcc(void)
{
    static const char *found;
    if (!found) found = access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc" : "nvcc";
    return found;
}

static void assert_runs(size_t i, const char *command)
{
    const int status = shell("%s", command);
    if (status != programs[i].status || !strstr(said, programs[i].says)) fail_msg("%s: status %d: %s", command, status, said);
}

static void programs_built_by_poise_cc_run_and_keep_their_exit_status(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        char command[512];
        if (shell(POISE " cc " SOURCES "/%s.cu -o %s/%s", programs[i].name, dir, programs[i].name) != 0) fail_msg("%s: %s", programs[i].name, said);
        assert_string_equal("", said);
        snprintf(command, sizeof command, "%s/%s", dir, programs[i].name);
        assert_runs(i, command);
        snprintf(command, sizeof command, POISE " cuda %s/%s", dir, programs[i].name);
        assert_runs(i, command);
    }
}

static void programs_built_by_nvcc_run_with_plain_LZ4_and_zstd_PTX(void **state)
{
    static const char *const modes[] = {"none", "speed", "size"};
    (void)state;
    need(nvcc(), "CUDA toolkit");
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        char command[512];
        if (shell("%s -cudart shared -gencode arch=compute_75,code=compute_75 --compress-mode=%s " SOURCES "/%s.cu -o %s/%s.nvcc", nvcc(),
                  modes[i % 3], programs[i].name, dir, programs[i].name) != 0)
            fail_msg("nvcc: %s", said);
        snprintf(command, sizeof command, POISE " cuda %s/%s.nvcc", dir, programs[i].name);
        assert_runs(i, command);
    }
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
    assert_int_equal(0, shell("test $(wc -l <%s/c/launches.jsonl) = 3", dir));
    assert_int_equal(0, shell(POISE " sim --trace %s/a/0001-_Z3addPKfS0_Pfi.ptrace --json", dir));
}

static void two_sources_and_an_object_make_one_program(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    char path[128];
    snprintf(path, sizeof path, "%s/main.cu", dir);
    FILE *out = fopen(path, "w");
    fputs("extern \"C\" int from_c(int); int run(int);\n__device__ int d = 4;\n__global__ void k(int *x) { *x = d; }\n"
          "int main() { int v, *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaMemcpy(&v, x, 4, cudaMemcpyDeviceToHost); return from_c(run(v)); }\n", out);
    fclose(out);
    snprintf(path, sizeof path, "%s/other.cu", dir);
    out = fopen(path, "w");
    fputs("__device__ int d = 5;\n__global__ static void k(int *x) { *x += d; }\n"
          "int run(int v) { int *x; cudaMalloc(&x, 4); cudaMemcpy(x, &v, 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(x);\n"
          "cudaMemcpy(&v, x, 4, cudaMemcpyDeviceToHost); return v; }\n", out);
    fclose(out);
    assert_int_equal(0, shell("echo 'int from_c(int x) { return x + 1; }' >%s/c.c && cc -c %s/c.c -o %s/c.o", dir, dir, dir));
    assert_int_equal(2, shell(POISE " cc -rdc=true %s/main.cu %s/other.cu %s/c.o -o %s/three", dir, dir, dir, dir));
    if (shell(POISE " cc -O1 %s/main.cu -c -o %s/main.o && " POISE " cc %s/main.o %s/other.cu %s/c.o -o %s/three", dir, dir, dir, dir, dir, dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(10, shell("%s/three", dir));
}

static void a_program_that_cannot_run_is_told_how_to_be_built(void **state)
{
    (void)state;
    assert_int_equal(2, shell(POISE " cuda /bin/sh -c true"));
    assert_non_null(strstr(said, "uses no CUDA library"));
    assert_int_equal(2, shell(POISE " cuda --launches 5-3 /bin/sh"));
    assert_int_equal(2, shell(POISE " cuda"));
    need(nvcc(), "CUDA toolkit");
    assert_int_equal(0, shell("%s " SOURCES "/vector_add.cu -o %s/static", nvcc(), dir));
    assert_int_equal(2, shell(POISE " cuda %s/static", dir));
    assert_non_null(strstr(said, "link it with nvcc -cudart shared"));
    assert_int_equal(0, shell("%s -cudart shared -gencode arch=compute_75,code=sm_75 " SOURCES "/vector_add.cu -o %s/machine", nvcc(), dir));
    assert_int_equal(2, shell(POISE " cuda %s/machine", dir));
    assert_non_null(strstr(said, "-gencode arch=compute_75,code=compute_75"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_built_by_poise_cc_run_and_keep_their_exit_status),
        cmocka_unit_test(programs_built_by_nvcc_run_with_plain_LZ4_and_zstd_PTX),
        cmocka_unit_test(filters_choose_what_is_recorded_and_all_launches_run),
        cmocka_unit_test(two_sources_and_an_object_make_one_program),
        cmocka_unit_test(a_program_that_cannot_run_is_told_how_to_be_built),
    };
    return cmocka_run_group_tests(tests, folder, remove_all);
}
