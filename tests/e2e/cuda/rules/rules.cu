// What CUDA forbids or promises beside results: rules MODE. Built by poise cc; the test reads what is printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cublas_v2.h> // brings halves of both kinds
#include <cuda_fp8.h>
#include <cuda_gl_interop.h> // included only
__device__ int variable = 3;
__managed__ int managed = 4;
__global__ void fault(int *p) { p[threadIdx.x + (1ull << 36)] = 1; }
__global__ void launched_before(int *p) { p[0] = 5; }
__global__ void new_kernel(int *p) { p[1] = 6 + variable + managed; }
__global__ void words(unsigned *r)
{
    bool high, low;
    const dim3 size = blockDim;
    const uint3 at = threadIdx;
    if (at.y == 1) r[0] = size.x * 100 + size.y * 10 + at.y;
    r[1] = __viaddmax_s16x2(0x7fff0001u, 0x00010002u, 0x8001fffeu); // -32768 or -32767, 3 or -2
    r[2] = __vimin3_u16x2(0x00ff8000u, 0xff007fffu, 0x01000001u);
    r[3] = __viaddmin_s16x2_relu(0xfff00005u, 0x00010001u, 0x00070004u); // -15, 4
    r[4] = __vibmax_s16x2(0xffff0003u, 0x00010003u, &high, &low) + high * 0x100 + low * 0x10;
}
__global__ void busy(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < n; k++) v = v * 1.0001f + 0.5f;
    x[i] = v;
}

static int faults()
{
    int *d, wrong = 0, value = 1;
    void *p;
    cudaFuncAttributes a;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaMemPool_t pool;
    size_t bytes;
    cudaMalloc(&d, 256);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    launched_before<<<1, 1>>>(d);
    fault<<<1, 1>>>(d);
#define IS_700(call) \
    if ((call) != cudaErrorIllegalAddress) printf("%s is not 700\n", #call), wrong++
    IS_700(cudaDeviceSynchronize());
    IS_700(cudaGetLastError());
    IS_700(cudaGetLastError());
    IS_700(cudaPeekAtLastError());
    IS_700((launched_before<<<1, 1>>>(d), cudaGetLastError()));
    IS_700((new_kernel<<<1, 1>>>(d), cudaGetLastError()));
    IS_700(cudaFuncGetAttributes(&a, new_kernel));
    IS_700(cudaFuncSetCacheConfig(busy, cudaFuncCachePreferL1));
    IS_700(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, busy, 32, 0));
    IS_700(cudaMalloc(&p, 4));
    IS_700(cudaMallocAsync(&p, 4, 0));
    IS_700(cudaMallocManaged(&p, 4));
    IS_700(cudaMallocHost(&p, 4));
    IS_700(cudaFree(d));
    IS_700(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    IS_700(cudaMemset(d, 0, 4));
    IS_700(cudaMemcpyToSymbol(variable, &value, 4));
    IS_700(cudaGetSymbolAddress(&p, variable));
    IS_700(cudaGetSymbolSize(&bytes, variable));
    IS_700(cudaMemGetInfo(&bytes, &bytes));
    IS_700(cudaStreamCreate(&stream));
    IS_700(cudaStreamSynchronize(0));
    IS_700(cudaEventCreate(&event));
    IS_700(cudaGraphCreate(&graph, 0));
    IS_700(cudaMemPoolTrimTo(pool, 0));
    void *arguments[] = {&d};
    IS_700(cudaLaunchCooperativeKernel((void *)new_kernel, dim3(1), dim3(1), arguments, 0, 0));
#undef IS_700
    if (cudaDeviceReset() || cudaMalloc(&d, 256) || (new_kernel<<<1, 1>>>(d), cudaDeviceSynchronize()))
        puts("not new"), wrong++;
    return wrong;
}

// The host touches memory of every kind.
static int touches(const char *what)
{
    int *device, *pinned, *shared;
    cudaMalloc(&device, 400);
    cudaMallocHost(&pinned, 400);
    cudaMallocManaged(&shared, 400);
    void *address;
    cudaGetSymbolAddress(&address, variable);
    pinned[0] = 1, shared[0] = 2;
    cudaMemcpy(device, pinned, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(device + 1, shared, 4, cudaMemcpyDefault);
    launched_before<<<1, 1>>>(shared);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", pinned[0], shared[0], managed);
    fflush(stdout);
    if (strcmp(what, "write") == 0) device[10] = 7;
    if (strcmp(what, "read") == 0) return device[99];
    if (strcmp(what, "variable") == 0) *(int *)address = 8;
    if (strcmp(what, "freed") == 0) cudaFree(device), device[0] = 1;
    if (strcmp(what, "beyond") == 0) pinned[1 << 20] = 1;
    cudaFreeHost(pinned);
    cudaFree(shared);
    return 0;
}

static int numbers()
{
    const __nv_fp8_e4m3 a(464.f), b(-0.0009765625f), c(0.3f);
    const __nv_fp8_e5m2 d(1e9), e(0.3f);
    unsigned *r, v[5];
    cudaMalloc(&r, sizeof v);
    words<<<1, dim3(1, 2)>>>(r);
    cudaMemcpy(v, r, sizeof v, cudaMemcpyDeviceToHost);
    printf("%u %x %x %x %x ", v[0], v[1], v[2], v[3], v[4]);
    printf("%02x %02x %02x %02x %02x %g %g\n", a.__x, b.__x, c.__x, d.__x, e.__x, (float)c, (float)e);
    return 0;
}

static int works(int rounds)
{
    const int n = 1024 * 64;
    float *x, first;
    cudaMalloc(&x, n * 4);
    cudaMemset(x, 0, n * 4);
    busy<<<n / 64, 64>>>(x, rounds);
    cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    return 0;
}

static int memory()
{
    size_t available, total;
    cudaDeviceProp p;
    cudaMemGetInfo(&available, &total);
    cudaGetDeviceProperties(&p, 0);
    printf("%zu %zu\n", total >> 30, p.totalGlobalMem >> 30);
    return 0;
}

// A context of the driver API stays current for the runtime API, which launches the program's kernels there too.
static int contexts(const char *ptx)
{
    int *x, v[2] = {};
    CUcontext made, now;
    CUmodule module;
    CUfunction f;
    cudaStream_t stream;
    cudaFree(0);
    CUctxCreateParams none = {};
    if (cuCtxCreate(&made, &none, 0, 0) || cuModuleLoad(&module, ptx) || cuModuleGetFunction(&f, module, "k")) return 1;
    if (cudaMalloc(&x, 8) || cudaStreamCreate(&stream)) return 2;
    new_kernel<<<1, 1, 0, stream>>>(x);
    void *arguments[] = {&x};
    if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL) || cudaStreamSynchronize(stream)) return 3;
    cudaMemcpy(v, x, 8, cudaMemcpyDeviceToHost);
    cuCtxGetCurrent(&now);
    printf("%d %d %d", v[0], v[1], now == made);
    cudaSetDevice(0);
    cuCtxGetCurrent(&now);
    printf(" %d\n", now == made);
    return 0;
}

// A generator of random numbers that overflows, as Rodinia's particlefilter has it.
static long modulus = 2147483647;
static int factor = 1103515245, more = 12345;
static double next_random(int *seed, int index)
{
    int n = factor * seed[index] + more;
    seed[index] = n % modulus;
    return seed[index] / (double)modulus;
}
static int wraps(void)
{
    int seeds[8];
    for (int i = 0; i < 8; i++) seeds[i] = 1700000000L * i;
    for (int i = 0; i < 8; i++) printf("%.6f%c", next_random(seeds, i), i < 7 ? ' ' : '\n');
    return 0;
}

// Powers and logarithms whose results are numbers of their format.
__global__ void count_inexact(int *bad)
{
    const int i = threadIdx.x;
    const double two = exp2((double)(i - 16)), ten = i < 23 ? exp10((double)i) : 1;
    double exact = 1;
    for (int k = 0; k < 10; k++) exact *= i;
    int n = pow(2.0, i - 16.0) != two || pow(0.5, 16.0 - i) != two || pow((double)i, 10.0) != exact;
    n += i < 23 && (pow(10.0, (double)i) != ten || log10(ten) != i || ten != __ddiv_rn(ten * 8, 8));
    n += log2(two) != i - 16 || two * exp2(16.0 - i) != 1;
    n += i && pow(-(double)i, 3.0) != -(double)(i * i * i);
    atomicAdd(bad, n != 0);
}
// Steps and signs of half precision, alone and in pairs.
template <class T> __device__ int wrong_steps(T v, T one)
{
    T w = v;
    ++w, w--;
    w = -w;
    return !(+w == -v) || w++ != -v || !(w == one - v) || !(w <= w) || w > w;
}
__global__ void count_wrong_steps(int *bad)
{
    const __half h = 2.0f, h1 = 1.0f;
    const __nv_bfloat16 b = 2.0f, b1 = 1.0f;
    *bad += wrong_steps(h, h1) + wrong_steps(__half2(h, h), __half2(h1, h1)) + wrong_steps(b, b1) +
            wrong_steps(__nv_bfloat162(b, b), __nv_bfloat162(b1, b1));
}
static int powers()
{
    int *bad;
    cudaMallocManaged((void **)&bad, sizeof *bad);
    *bad = 0;
    count_inexact<<<1, 32>>>(bad);
    count_wrong_steps<<<1, 1>>>(bad);
    cudaDeviceSynchronize();
    printf("%d\n", *bad);
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    return strcmp(mode, "faults") == 0     ? faults()
           : strcmp(mode, "touch") == 0    ? touches(argc > 2 ? argv[2] : "")
           : strcmp(mode, "numbers") == 0  ? numbers()
           : strcmp(mode, "memory") == 0   ? memory()
           : strcmp(mode, "wraps") == 0    ? wraps()
           : strcmp(mode, "powers") == 0   ? powers()
           : strcmp(mode, "contexts") == 0 ? contexts(argv[2])
                                           : works(argc > 2 ? atoi(argv[2]) : 500);
}
