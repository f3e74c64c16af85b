/* Kernels whose PTX is the input of test_ptx_kernels: suite_clang.ptx (Debian's clang 14) and suite_nvcc.ptx (nvcc 13.0).
 *   clang -x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_75 -fdeclspec -O2
 *         suite.cu -o suite_clang.ptx
 *   nvcc -ptx -arch=sm_75 -O3 suite.cu -o suite_nvcc.ptx */
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define NY __nvvm_read_ptx_sreg_ntid_y()
#define SYNC() __nvvm_bar_sync(0)
#define ATOMIC_ADD(p, v) __nvvm_atom_add_gen_i((int *)(p), (int)(v))
#else
#define TX threadIdx.x
#define TY threadIdx.y
#define BX blockIdx.x
#define BY blockIdx.y
#define NX blockDim.x
#define NY blockDim.y
#define SYNC() __syncthreads()
#define ATOMIC_ADD(p, v) atomicAdd((int *)(p), (int)(v))
#endif

extern "C" __global__ void syrk(float *c, const float *a, int n, int m, float alpha, float beta)
{
    const int j = BX * NX + TX, i = BY * NY + TY;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}

__device__ __noinline__ float count_large(float x, int *count)
{
    if (x > 3.0f) return x * 2.0f;
    *count += 1;
    return x - 1.0f;
}

/* A device function with a pointer to a local variable, a loop with continue and break, a tree in shared memory. */
extern "C" __global__ void reduce(float *out, const float *in, int n)
{
    __shared__ float s[256];
    const int t = TX;
    float sum = 0.0f;
    int count = 0;
    for (int i = BX * NX + t; i < n; i += NX * 4) {
        const float x = in[i];
        if (x < 0.0f) continue;
        if (x > 100.0f) break;
        sum += count_large(x, &count);
    }
    s[t] = sum + (float)count;
    SYNC();
    for (int d = 128; d; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        SYNC();
    }
    if (t == 0) out[BX] = s[0];
}

struct record { int a; double b; signed char c[5]; };

/* A struct by value, a local array indexed at run time, a switch. */
extern "C" __global__ void records(struct record r, struct record *out)
{
    int local[8];
    for (int i = 0; i < 8; i++) local[i] = r.a * i + r.c[i % 5];
    out[TX] = r;
    out[TX].a = local[(TX * 5) & 7];
    switch (TX & 7) {
    case 0: out[TX].b = 1.0; break;
    case 1: out[TX].b = 2.5; break;
    case 2: out[TX].b *= 7.0; break;
    case 3: out[TX].b += (double)TX / 3.0; break;
    case 5: out[TX].a ^= 0x55; break;
    default: out[TX].c[2] = (signed char)(TX * 9); break;
    }
}

__constant__ unsigned char weights[8] = {1, 2, 3, 5, 7, 11, 13, 17};
__device__ unsigned long long total_seen;

/* Bytes, constant memory, shared and global atomics, 64-bit integers, divisions. */
extern "C" __global__ void histogram(unsigned *bins, const unsigned char *data, int n, long long scale)
{
    __shared__ unsigned s[64];
    for (unsigned i = TX; i < 64; i += NX) s[i] = 0;
    SYNC();
    for (int i = BX * NX + TX; i < n; i += NX * 3) {
        const long long x = (long long)data[i] * scale - i;
        const unsigned bin = (unsigned)((x % 64 + 64) % 64);
        ATOMIC_ADD(&s[bin], weights[(unsigned)(x / 3) & 7]);
    }
    SYNC();
    for (unsigned i = TX; i < 64; i += NX)
        if (s[i]) ATOMIC_ADD(&bins[i], s[i]);
    if (TX == 0 && BX == 0) total_seen += (unsigned long long)n;
}

/* Nested data-dependent loops and an early return. */
extern "C" __global__ void collatz(int *steps, int n)
{
    const int i = BX * NX + TX;
    if (i >= n) return;
    int count = 0;
    unsigned x = (unsigned)i + 1u;
    while (x != 1) {
        while (!(x & 1)) {
            x >>= 1;
            count++;
        }
        if (x == 1) break;
        x = 3 * x + 1;
        if (++count > 500) {
            steps[i] = -1;
            return;
        }
    }
    steps[i] = count;
}

/* Single precision with a square root and a division, double precision with min and max. */
extern "C" __global__ void norms(double *out, const float *x, const float *y, int n)
{
    const int i = BX * NX + TX;
    if (i >= n) return;
    float nearest = 3.4e38f;
    double farthest = 0.0;
    for (int k = 0; k < n; k++) {
        const float dx = x[i] - x[k], dy = y[i] - y[k];
        const float d = dx * dx + dy * dy;
        if (k != i) nearest = d < nearest ? d : nearest;
        farthest = (double)d > farthest ? (double)d : farthest;
    }
    out[i] = farthest / (1.0 + (double)__builtin_sqrtf(nearest)) + (double)(int)(nearest * 10.0f);
}
