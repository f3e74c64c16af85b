#include <cstdio>
#include <cassert>
__device__ int fib(int n) { if (n < 2) return n; return fib(n-1) + fib(n-2); }
extern "C" __global__ void recursion(int *out, const int *in) { int i = threadIdx.x; out[i] = fib(in[i]); }
__device__ __noinline__ int ack(int m, int n) { int buf[4]; buf[n & 3] = m; if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1) ; int r = ack(m, n - 1); return ack(m - 1, r) + (buf[n&3] - m); }
extern "C" __global__ void ackermann(int *out) { int i = threadIdx.x; out[i] = ack(i % 3, i % 4); }
typedef int (*fn)(int, int);
__device__ __noinline__ int fadd(int a, int b) { return a + b; }
__device__ __noinline__ int fsub(int a, int b) { return a - b; }
__device__ __noinline__ int fmul(int a, int b) { return a * b; }
__device__ fn table[3] = {fadd, fsub, fmul};
extern "C" __global__ void pointers(int *out) { int i = threadIdx.x; out[i] = table[i % 3](i, 7); }
struct Shape { __device__ virtual float area() const = 0; };
struct Sq : Shape { float a; __device__ Sq(float x) : a(x) {} __device__ float area() const override { return a * a; } };
struct Ci : Shape { float r; __device__ Ci(float x) : r(x) {} __device__ float area() const override { return 3.0f * r * r; } };
extern "C" __global__ void virtuals(float *out) { int i = threadIdx.x; Shape *s; if (i & 1) s = new Sq((float)i); else s = new Ci((float)i); out[i] = s->area(); delete s; }
extern "C" __global__ void says(int *out) { int i = threadIdx.x; if (i < 3) out[i] = printf("thread %d of %5.2f %s|%-5d|%c %lld %%\n", i, i * 1.5, i ? "odd" : "zero", i, 'a' + i, 1LL << 40); }
extern "C" __global__ void asserts(int *out) { assert(out[0] == threadIdx.x); }
extern "C" __global__ void mallocs(int *out) { int *p = (int *)malloc(4 * 8); if (!p) { out[threadIdx.x] = -1; return; } for (int k = 0; k < 8; k++) p[k] = k * threadIdx.x; int s = 0; for (int k = 0; k < 8; k++) s += p[k]; out[threadIdx.x] = s; free(p); }
__device__ int walk(const int *v, int n, int *where) { int local[2] = {n, 0}; if (n == 0) { *where += 1; return 0; } local[1] = walk(v + 1, n - 1, &local[0]); *where += local[0]; return v[0] + local[1]; }
extern "C" __global__ void frames(int *out, const int *in) { int w = 0; int s = walk(in, threadIdx.x % 5, &w); out[threadIdx.x] = s * 1000 + w; }
__device__ __noinline__ int part(int *p, int n) { int s = 0; for (int k = 0; k < n; k++) s += p[k]; return s; }
extern "C" __global__ void provenance(int *out, int n) { __shared__ int sh[64]; int lo[8]; int t = threadIdx.x; sh[t] = t; for (int k = 0; k < 8; k++) lo[k] = k * t; __syncthreads(); out[t] = part(sh + (t & 15), n) + part(lo, n); }
