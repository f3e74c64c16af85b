/* poise cc as nvcc: makefiles, files of every language, options with and without a meaning here, architectures. */
#include "cuda_programs_rig.h"

static void a_makefile_of_c_cpp_and_cuda_files_builds_with_poise_cc_for_nvcc(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    need("make", "apt-get install make");
    if (shell("make -f " SOURCES "/makefile/Makefile NVCC='" POISE " cc' OUT=%s", dir) != 0) fail_msg("%s", said);
    assert_non_null(strstr(said, "note: -lineinfo has no effect"));
    assert_int_equal(0, shell("%s/program", dir));
    assert_string_equal("8 2 9 1\n", said);
    assert_int_equal(0, shell("%s/mixed", dir));
}

/* Of several architectures the one that the device takes; above what clang has, the macro is as asked for. The kernel's
 * PTX holds the number; one of them runs, which takes twice as long to compile. */
static void device_code_sees_the_architecture_that_was_chosen(void **state)
{
    static const struct {
        const char *options;
        int arch;
    } cases[] = {
        {"", 750},
        {"--gpu-architecture compute_86", 860},
        {"-arch=sm_20", 350},
        {"-gencode arch=compute_60,code=sm_60 -gencode=arch=compute_70,code=[sm_70,compute_70]", 700},
        {"-gencode arch=compute_52,code=sm_52 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90",
         800},
    };
    (void)state;
    need("clang", "apt-get install clang");
    write_text("arch.cu",
               "#include <cstdio>\n__global__ void k(int *x) {\n#ifdef __CUDA_ARCH__\n*x = __CUDA_ARCH__;\n#endif\n}\n"
               "int main() { int v, *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaMemcpy(&v, x, 4, "
               "cudaMemcpyDeviceToHost); printf(\"%d\\n\", v); return 0; }\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (shell(POISE " cc %s -ptx %s/arch.cu -o %s/arch.ptx", cases[i].options, dir, dir) != 0)
            fail_msg("%s: %s", cases[i].options, said);
        if (shell("grep -q '^[[:space:]]*mov.u32[[:space:]]*%%r[0-9]*, %d;' %s/arch.ptx", cases[i].arch, dir) != 0)
            fail_msg("%s: no %d", cases[i].options, cases[i].arch);
    }
    const size_t several = 4; /* the device takes the second of three */
    if (shell(POISE " cc %s %s/arch.cu -o %s/arch", cases[several].options, dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/arch", dir));
    if (atoi(said) != cases[several].arch) fail_msg("%s", said);
}

static void matrices_of_types_of_compute_capability_80_are_multiplied(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -arch=sm_80 " SOURCES "/programs/tensors.cu -o %s/tensors", dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/tensors", dir));
    assert_string_equal("tensors ok\n", said);
}

static void thrust_and_cub_compile_without_a_toolkit(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (access("/usr/include/thrust/version.h", R_OK) < 0) {
        print_message("skipped: no Thrust here (apt-get install libthrust-dev libcub-dev)\n");
        skip();
    }
    if (shell(POISE " cc " SOURCES "/thrust_small.cu -o %s/small", dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/small", dir));
    assert_string_equal("thrust_small ok\n", said);
}

/* A library of two files, beside a header that is not to be taken, as CUDA 12 has them. */
static void a_folder_of_thrust_and_cub_may_be_named(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    assert_int_equal(0, shell("mkdir -p %s/own/thrust %s/own/cub", dir, dir));
    write_text("own/cub/version.cuh", "#define OWN_CUB 2\n");
    write_text("own/cuda_runtime.h", "#error of another toolkit\n");
    write_text("own.cu", "#include <cstdio>\n#include <thrust/version.h>\n#include <cub/version.cuh>\n"
                         "#define TEXT(...) #__VA_ARGS__\n#define LIST(...) TEXT(__VA_ARGS__)\n"
                         "__global__ void k(int *x) { *x = OWN_THRUST; }\n"
                         "int main() { int v, *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaMemcpy(&v, x, 4, "
                         "cudaMemcpyDeviceToHost); puts(LIST(__CUDA_ARCH_LIST__)); return v * 16 + OWN_CUB; }\n");
    assert_int_equal(2, shell(POISE " cc --cccl %s/own %s/own.cu -o %s/own-1", dir, dir, dir));
    assert_non_null(strstr(said, "own/thrust/version.h"));
    /* what comes once is not precompiled; what comes twice is, and again where a header has changed since */
    for (int time = 0; time <= 2; time++) {
        const int version = time ? time : 1;
        write_text("own/thrust/version.h",
                   version == 1 ? "#define OWN_THRUST 1\n" : "#define OWN_THRUST 2 /* newer */\n");
        if (shell("XDG_CACHE_HOME=%s/cache " POISE " cc --cccl=%s/own -gencode arch=compute_75,code=sm_75 -gencode "
                  "arch=compute_70,code=sm_70 %s/own.cu -o %s/own-%d",
                  dir, dir, dir, dir, version) != 0)
            fail_msg("%s", said);
        assert_int_equal(16 * version + 2, shell("%s/own-%d", dir, version));
        assert_string_equal("700,750\n", said);
        assert_int_equal(0, shell("ls %s/cache/poise/headers | sed -n '/pch$/p' | wc -l", dir));
        assert_int_equal(time ? 2 : 0, atoi(said)); /* of device and host code */
    }
    /* unchanged it is taken as it is, whatever follows the includes */
    assert_int_equal(0, shell("ls -i %s/cache/poise/headers/*.pch >%s/before && echo 'int more;' >>%s/own.cu && "
                              "XDG_CACHE_HOME=%s/cache " POISE " cc --cccl=%s/own -arch=sm_75 -gencode "
                              "arch=compute_70,code=sm_70 %s/own.cu -o %s/own-3 && ls -i "
                              "%s/cache/poise/headers/*.pch | cmp - %s/before",
                              dir, dir, dir, dir, dir, dir, dir, dir, dir));
}

/* A sum is one instruction, and those who wait on a latch do so by the device's clock. */
static void atomic_objects_and_latches_are_those_of_libcuxx(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (access("/usr/include/cuda/latch", R_OK) < 0) {
        print_message("skipped: no libcu++ here (apt-get install libcu++-dev)\n");
        skip();
    }
    write_text("latch.cu",
               "#include <cstdio>\n#include <cuda/latch>\n__device__ float parts;\n"
               "__global__ void k(int *sum) { __shared__ alignas(8) char room[64]; auto &l = *(cuda::latch<"
               "cuda::thread_scope_block> *)room;\n"
               "  if (threadIdx.x == 0) new (&l) cuda::latch<cuda::thread_scope_block>(64);\n  __syncthreads();\n"
               "  cuda::atomic_ref<int, cuda::thread_scope_device> s(*sum); s.fetch_add(2, "
               "cuda::memory_order_relaxed);\n  cuda::atomic_ref<float>(parts) += 0.5f; l.arrive_and_wait();\n"
               "  if (threadIdx.x == 63) *sum += (int)parts; }\n"
               "int main() { int *p, v = 0; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); k<<<1, 64>>>(p);\n"
               "  cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return printf(\"%d\\n\", v) < 0; }\n");
    if (shell(POISE " cc %s/latch.cu -o %s/latch", dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/latch", dir));
    assert_string_equal("160\n", said);
    assert_int_equal(0, shell("strings %s/latch | grep -q 'atom.add.relaxed.gpu.u32'", dir));
}

/* In a file system of its own that has none. */
static void what_to_install_is_said_where_there_is_no_thrust(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell("unshare -rm true") != 0) {
        print_message("skipped: no mount namespaces here\n");
        skip();
    }
    write_text("needs.cu", "#include <vector>\n#include <thrust/sort.h>\nint main() { return 0; }\n");
    assert_int_equal(2, shell("unshare -rm sh -c 'for d in /usr/include/thrust /usr/local/include/thrust "
                              "/usr/local/cuda; do [ ! -d $d ] || mount -t tmpfs none $d || exit 9; done; env -u "
                              "CUDA_HOME -u CUDA_PATH " POISE " cc %s/needs.cu -o %s/needs'",
                              dir, dir));
    assert_non_null(strstr(said, "needs.cu includes thrust/sort.h, and Thrust and CUB are not installed"));
    assert_non_null(strstr(said, "apt-get install libthrust-dev libcub-dev, or give --cccl DIR"));
    write_text("needs.cu", "#include <cuda/latch>\nint main() { return 0; }\n");
    assert_int_equal(
        2, shell("unshare -rm sh -c 'for d in /usr/include/cuda /usr/local/include/cuda /usr/local/cuda; "
                 "do [ ! -d $d ] || mount -t tmpfs none $d || exit 9; done; env -u CUDA_HOME -u CUDA_PATH " POISE
                 " cc %s/needs.cu -o %s/needs'",
                 dir, dir));
    assert_non_null(strstr(said, "apt-get install libcu++-dev, or give --cccl DIR"));
}

/* In the source and in a file that it includes; as one file, or to be linked with others; in C++17 and C++11. */
static void kernels_launch_kernels_without_a_toolkit(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    for (const char *const *options = (const char *const[]){"", "-std=c++11 -rdc=true", NULL}; *options; options++) {
        if (shell(POISE " cc %s " SOURCES "/launches.cu -lcudadevrt -o %s/launches", *options, dir) != 0)
            fail_msg("%s", said);
        assert_int_equal(0, shell("%s/launches", dir));
        assert_string_equal("ok\n", said);
    }
}

/* In the source, and in a file that it includes. */
static void variables_of_namespaces_and_structures_without_a_name_are_found(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("unnamed.h", "namespace { __constant__ float weights[4]; __device__ int count; }\n"
                            "__constant__ struct { int n; float k; } settings;\n");
    write_text("unnamed.cu",
               "#include \"unnamed.h\"\n#include <cstdio>\n"
               "__global__ void k(float *o) { o[threadIdx.x] = weights[threadIdx.x % 4] * settings.k + count; "
               "atomicAdd(&count, settings.n); }\n"
               "int main() { const float w[4] = {1, 2, 3, 4}; struct { int n; float k; } s = {3, 0.5f}; int n = 7; "
               "float *o, r[8];\n"
               "int bad = cudaMemcpyToSymbol(weights, w, 16) | cudaMemcpyToSymbol(settings, &s, 8) | "
               "cudaMemcpyToSymbol(count, &n, 4) | cudaMalloc(&o, 32);\n"
               "k<<<1, 8>>>(o); bad |= cudaMemcpy(r, o, 32, cudaMemcpyDeviceToHost) | cudaMemcpyFromSymbol(&n, count, "
               "4);\n"
               "printf(\"%d %g %g %d\\n\", bad, r[1], r[7], n); return 0; }\n");
    if (shell(POISE " cc %s/unnamed.cu -o %s/unnamed", dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/unnamed", dir));
    assert_string_equal("0 8 9 31\n", said);
}

/* In a source and in what it includes; what clang says of the source has the place where the programmer wrote it. */
static void what_nvccs_front_end_takes_builds_and_messages_keep_their_places(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("spelled.h", "#define RUN(K) K << <1, 1 >> > ()\n#define ROOM __shared__ alignas(16)\n");
    write_text("spelled.cu",
               "#include \"spelled.h\"\n#include <cstdio>\n#define MIDDLE \"b\"\n"
               "__constant__ alignas(8) int two = 2;\ntemplate <class T> __global__ void k(T *p) { *p = two; }\n"
               "__global__ void __launch_bounds__(64, 1, 1) j(int n) {\n"
               "  extern __shared__ alignas(16) float x[]; ROOM float a[32]; uint2 u = {n, n};\n"
               "#pragma unroll\n  { a[threadIdx.x] = u.x; x[0] = 1; }\n#pragma unroll 0\n  for (int i = 0; i < 2; i++) "
               "n++;\n  __syncthreads(); if (!threadIdx.x) printf(\"%g %d\\n\", a[31], n); }\n"
               "__global__ void e() { printf(\"e\\n\"); }\n"
               "int main() { int *p, v; cudaMalloc(&p, 4); k<int> << <1, 1>> >(p); cudaMemcpy(&v, p, 4, "
               "cudaMemcpyDeviceToHost);\n  j << < dim3(1), (2 > 1 ? 32 : 2), 16 >>\n>(5); cudaDeviceSynchronize(); "
               "RUN(e); cudaDeviceSynchronize(); unsigned char c[] = {v};\n"
               "  printf(\"a\"MIDDLE\"c << <%d>> >(x) %s\\n\", c[0], R\"q(\"k << <1>> >()\")q\"); return 0; }\n");
    if (shell(POISE " cc %s/spelled.cu -o %s/spelled", dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/spelled", dir));
    assert_string_equal("5 7\ne\nabc << <2>> >(x) \"k << <1>> >()\"\n", said);
    write_text("spelled.cu", "__global__ void k() { }\nint main() { k << <1, 1>> >();\n  k << <1, 1>> >(3); }\n");
    assert_int_equal(1, shell(POISE " cc %s/spelled.cu -o %s/spelled", dir, dir));
    if (!strstr(said, "spelled.cu:3:18: error")) fail_msg("%s", said);
}

/* Makefiles link what `nvcc -c` made with gcc and -lcudart, of whichever toolkit, or compile what `nvcc -cuda` made. */
static void the_hosts_compiler_links_objects_and_compiles_the_file_of_cuda(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("apart.cu", "#include <cstdio>\n#include <cuda/std/functional>\n__managed__ int more = 2;\n"
                           "template <class F> __global__ void k(int *p, F f) { *p = f(3) + more; }\n"
                           "int main() { register int two = 2; int *p, v = 0; cudaMalloc(&p, 4); k<<<1, two>>>(p, "
                           "cuda::std::identity()); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);\n"
                           "  return printf(\"%d)poise\\n\", v) < 0; }\n");
    if (shell("cd %s && " POISE " cc -std=c++17 -c apart.cu && gcc apart.o -L" LIBRARY " -lcudart -o apart && " POISE
              " cc -cuda apart.cu && g++ apart.cu.cpp.ii -L" LIBRARY " -lcudart -o again",
              dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell("cd %s && export LD_LIBRARY_PATH=" LIBRARY " && { ./apart && ./again; }", dir));
    assert_string_equal("5)poise\n5)poise\n", said);
    /* names that no other libcudart has, and the launches that CUDA 13's no longer has */
    assert_int_equal(0,
                     shell("cd %s && { nm apart.o | grep -E ' U (__poise|cuda(ConfigureCall|SetupArgument|Launch)$)' "
                           "|| true; }",
                           dir));
    assert_string_equal("", said);
}

/* A loop of 16 rounds as nvcc unrolls it, whatever barrier it holds; no load moves over one. */
static void loops_with_barriers_are_unrolled_and_loads_stay_behind_them(void **state)
{
    static const struct {
        const char *call, *instruction;
    } barriers[] = {{"__syncthreads()", "bar.sync"}, {"__syncwarp()", "bar.warp.sync"}};
    (void)state;
    need("clang", "apt-get install clang");
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "__global__ void k(float *p) { __shared__ float s[16]; int t = threadIdx.x; s[t] = p[t];\n"
            "for (int m = 0; m < 16; m++) { if (t <= m) { s[t] += s[15 - t] * m; p[t ^ m] = s[t & m]; } %s; } p[t] = "
            "s[t]; }\n__global__ void j(float *p) { __shared__ float s[32]; s[threadIdx.x] = p[threadIdx.x]; float a = "
            "s[3]; %s; p[threadIdx.x] = s[3] + a; }\n",
            barriers[i].call, barriers[i].call);
        write_text("unrolled.cu", text);
        if (shell(POISE " cc -ptx %s/unrolled.cu -o %s/unrolled.ptx", dir, dir) != 0) fail_msg("%s", said);
        assert_int_equal(0, shell("grep -c '^[[:space:]]*%s' %s/unrolled.ptx", barriers[i].instruction, dir));
        assert_int_equal(17, atoi(said));
        assert_int_equal(0, shell("sed -n '/entry _Z1jPf/,$p' %s/unrolled.ptx | grep -c ld.shared", dir));
        assert_int_equal(2, atoi(said));
    }
}

/* As makefiles for nvcc ask for it: with the library of another compiler's OpenMP. */
static void host_code_has_threads_of_OpenMP(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("threads.cu", "#include <omp.h>\n#include <cstdio>\n__global__ void k(int *p, int v) { *p = v; }\n"
                             "int main() { int *p, v[3], n = 0; cudaMalloc(&p, 12);\n"
                             "#pragma omp parallel num_threads(3) reduction(+ : n)\n"
                             "{ const int i = omp_get_thread_num(); k<<<1, 1>>>(p + i, i + 1); n += "
                             "cudaDeviceSynchronize() == cudaSuccess; }\n"
                             "cudaMemcpy(v, p, 12, cudaMemcpyDeviceToHost); printf(\"%d %d %d %d\\n\", n, v[0], v[1], "
                             "v[2]); return 0; }\n");
    if (shell("echo 'int main(void) { return 0; }' >%s/omp.c && clang -fopenmp %s/omp.c -o %s/omp", dir, dir, dir) !=
        0) {
        print_message("skipped: clang has no OpenMP here (apt-get install libomp-dev)\n");
        skip();
    }
    if (shell(POISE " cc -Xcompiler -fopenmp %s/threads.cu -lgomp -o %s/threads", dir, dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("%s/threads", dir));
    assert_string_equal("3 1 2 3\n", said);
}

static void what_the_device_cannot_run_is_said_at_compile_time(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    write_text("barrier.cu", "__global__ void k(int *x) {\n#if __CUDA_ARCH__ >= 800\nasm "
                             "volatile(\"wgmma.fence.sync.aligned;\");\n#endif\n}\n"
                             "int main() { k<<<1, 1>>>(nullptr); return 0; }\n");
    assert_int_equal(0, shell(POISE " cc -arch=sm_80 %s/barrier.cu -o %s/barrier", dir, dir));
    assert_non_null(strstr(said, "warning: the functional device cannot run this device code"));
    assert_non_null(strstr(said, "wgmma"));
    assert_int_equal(0, shell(POISE " cc -arch=sm_70 %s/barrier.cu -o %s/barrier", dir, dir));
    assert_string_equal("", said);
    /* of several the one that it can run */
    assert_int_equal(
        0,
        shell(POISE
              " cc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_60,code=sm_60 %s/barrier.cu -o %s/barrier",
              dir, dir));
    assert_string_equal("", said);
    write_text("clusters.cu", "\n__global__ void __cluster_dims__(2, 1, 1) k(int *x) { }\nint main() { return 0; }\n");
    assert_int_equal(1, shell(POISE " cc %s/clusters.cu -o %s/clusters", dir, dir));
    assert_non_null(strstr(said, "clusters.cu:2:17: error: __cluster_dims__ is not supported"));
}

/* All that are taken are given at once: a compilation takes a second. */
static void options_without_a_meaning_are_noted_and_unknown_ones_refused(void **state)
{
    static const struct {
        const char *option, *value;
    } noted[] = {{"-G", ""},
                 {"-Xptxas", "-v"},
                 {"--maxrregcount=32", ""},
                 {"-Xcudafe", "--diag_suppress=20"},
                 {"--default-stream", "per-thread"},
                 {"-lnccl", ""},
                 {"-ccbin", "g++"}};
    static const char silent[] = "-m64 --expt-extended-lambda -expt-relaxed-constexpr -O3 --std=c++14 -std c++17 "
                                 "-Xcompiler -Wall,-O3 -g -Xlinker -rpath,/tmp --use_fast_math -lcuda -lcudart "
                                 "-lcudadevrt -D X=1 -UY -DZ -Wno-deprecated-gpu-targets";
    static const char *const refused[] = {"-zzz", "--no-such-option", "-arch=abc", "-arch=sm_999", "-m32", "-Xptxas"};
    char options[256] = "";
    (void)state;
    need("clang", "apt-get install clang");
    write_text("empty.cu", "int main() { return 0; }\n");
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        const size_t n = strlen(options);
        snprintf(options + n, sizeof options - n, " %s %s", noted[i].option, noted[i].value);
    }
    if (shell(POISE " cc %s %s/empty.cu -o %s/empty", options, dir, dir) != 0) fail_msg("%s: %s", options, said);
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        char note[64];
        snprintf(note, sizeof note, "note: %s has no effect", noted[i].option);
        if (!strstr(said, note)) fail_msg("%s: %s", noted[i].option, said);
    }
    if (shell(POISE " cc %s %s/empty.cu -o %s/empty", silent, dir, dir) != 0 || *said) fail_msg("%s", said);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (shell(POISE " cc %s/empty.cu -o %s/empty %s", dir, dir, refused[i]) != 2)
            fail_msg("%s: %s", refused[i], said);
    assert_int_equal(0, shell("cd %s && " POISE " cc -fatbin " SOURCES "/vector_add.cu", dir));
    assert_non_null(strstr(said, "note: -fatbin has no effect: the file is PTX"));
    assert_int_equal(0, shell("grep -q 'visible .entry' %s/vector_add.fatbin", dir));
    assert_int_equal(0, shell(POISE " cc --version"));
    assert_non_null(strstr(said, "release 12.0"));
}

/* What does not compile or link is told in the log that the program asks for, not on stderr, and is no failure of its
 * run. */
static void programs_compile_kernels_while_they_run(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc " SOURCES "/nvrtc.cpp -lnvrtc -lnvJitLink -lcuda -o %s/nvrtc", dir) != 0) fail_msg("%s", said);
    assert_int_equal(0, shell("POISE_STRICT_EXIT=1 %s/nvrtc", dir));
    assert_string_equal("ok\n", said);
    assert_int_equal(0, shell(POISE " cuda %s/nvrtc short", dir));
}

/* What a library does on the host is in no trace, and whoever simulates the program's traces is told. */
static void random_numbers_of_the_host_are_those_of_kernels(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -O0 " SOURCES "/rand.cu -lcurand -o %s/rand", dir) != 0) fail_msg("%s", said);
    assert_string_equal("", said);
    assert_int_equal(0, shell("%s/rand", dir));
    assert_non_null(strstr(said, "rand ok\n"));
    assert_non_null(strstr(said, "curandGenerate runs on the host: its kernels are in no trace"));
}

static void programs_with_cublas_build_run_and_say_what_is_in_no_trace(void **state)
{
    (void)state;
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -O0 -DPOISE_BLAS_OURS " SOURCES "/blas.cu -lcublas -o %s/blas", dir) != 0)
        fail_msg("%s", said);
    assert_int_equal(0, shell(POISE " cuda --trace-dir %s/blas-traces %s/blas", dir, dir));
    assert_non_null(strstr(said, "cublasDdot_v2 runs on the host: its kernels are in no trace"));
    assert_non_null(strstr(said, "989 checks"));
    assert_int_equal(0, shell(POISE " sim --trace $(ls %s/blas-traces/*.ptrace) --set core.sms=1", dir));
    assert_non_null(strstr(said,
                           "its program also called cublasDdot_v2 (2), cublasDasum_v2 (1), cublasDnrm2_v2 (1) and 4 "
                           "more, whose kernels are in no trace"));
}

/* A program about a library of the host: what it is told of a call there, of one with bad arguments, and its checks.
 * The library is optimised, so the program need not be. */
static void a_program_builds_and_runs(const char *program, const char *library, const char *skipped,
                                      const char *refused, const char *checks)
{
    need("clang", "apt-get install clang");
    if (shell(POISE " cc -O0 -DPOISE_OURS " SOURCES "/%s.cu -l%s -o %s/%s", program, library, dir, program) != 0)
        fail_msg("%s", said);
    assert_string_equal("", said);
    assert_int_equal(0, shell("%s/%s", dir, program));
    assert_non_null(strstr(said, skipped));
    assert_non_null(strstr(said, refused));
    assert_non_null(strstr(said, checks));
}

static void programs_with_cufft_build_and_run(void **state)
{
    (void)state;
    a_program_builds_and_runs("fft", "cufft", "cufftExecC2C runs on the host: its kernels are in no trace",
                              "cufftPlan1d: CUFFT_INVALID_SIZE: ", "6041 checks");
}

static void programs_with_cusparse_build_and_run(void **state)
{
    (void)state;
    a_program_builds_and_runs("sparse", "cusparse", "cusparseSpMV runs on the host: its kernels are in no trace",
                              "cusparseSpMV: CUSPARSE_STATUS_EXECUTION_FAILED: ", "4761 checks");
}

static void programs_with_cusolver_build_and_run(void **state)
{
    (void)state;
    a_program_builds_and_runs("solver", "cusolver", "cusolverDnDgetrf runs on the host: its kernels are in no trace",
                              "cusolverDnSgetrf: CUSOLVER_STATUS_EXECUTION_FAILED: ", "1991 checks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_makefile_of_c_cpp_and_cuda_files_builds_with_poise_cc_for_nvcc),
        cmocka_unit_test(device_code_sees_the_architecture_that_was_chosen),
        cmocka_unit_test(matrices_of_types_of_compute_capability_80_are_multiplied),
        cmocka_unit_test(thrust_and_cub_compile_without_a_toolkit),
        cmocka_unit_test(a_folder_of_thrust_and_cub_may_be_named),
        cmocka_unit_test(atomic_objects_and_latches_are_those_of_libcuxx),
        cmocka_unit_test(what_to_install_is_said_where_there_is_no_thrust),
        cmocka_unit_test(kernels_launch_kernels_without_a_toolkit),
        cmocka_unit_test(variables_of_namespaces_and_structures_without_a_name_are_found),
        cmocka_unit_test(what_nvccs_front_end_takes_builds_and_messages_keep_their_places),
        cmocka_unit_test(the_hosts_compiler_links_objects_and_compiles_the_file_of_cuda),
        cmocka_unit_test(loops_with_barriers_are_unrolled_and_loads_stay_behind_them),
        cmocka_unit_test(host_code_has_threads_of_OpenMP),
        cmocka_unit_test(what_the_device_cannot_run_is_said_at_compile_time),
        cmocka_unit_test(programs_compile_kernels_while_they_run),
        cmocka_unit_test(random_numbers_of_the_host_are_those_of_kernels),
        cmocka_unit_test(programs_with_cublas_build_run_and_say_what_is_in_no_trace),
        cmocka_unit_test(programs_with_cufft_build_and_run),
        cmocka_unit_test(programs_with_cusparse_build_and_run),
        cmocka_unit_test(programs_with_cusolver_build_and_run),
        cmocka_unit_test(options_without_a_meaning_are_noted_and_unknown_ones_refused),
    };
    return cmocka_run_group_tests(tests, folder, remove_all);
}
