/* Kernels of the driver shim's tests. kernels.ptx is made from this file by:
 *   clang -x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_35 -fdeclspec -O2 kernels.cu -o kernels.ptx
 * with the compiler and the flags then added as its first two lines. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define CTA __nvvm_read_ptx_sreg_ctaid_x()
#define THREADS __nvvm_read_ptx_sreg_ntid_x()

extern "C" {
__device__ float factor = 2.5f;
__device__ unsigned hits;

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = CTA * THREADS + TID;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void scale(float *a, int n)
{
    const int i = CTA * THREADS + TID;
    if (i < n) {
        a[i] *= factor;
        __nvvm_atom_add_gen_i((int *)&hits, 1);
    }
}

/* Thread i writes a[i * stride]: out of range from some thread on. */
__global__ void far_store(int *a, int stride) { a[(long)(CTA * THREADS + TID) * stride] = 1; }

__global__ void __launch_bounds__(256) reverse(int *a)
{
    __shared__ int tile[256];
    tile[TID] = a[CTA * THREADS + TID];
    __nvvm_bar_sync(0);
    a[CTA * THREADS + TID] = tile[THREADS - 1 - TID];
}

__global__ void forever(int *a)
{
    while (*(volatile int *)a == 0) {}
}
}
