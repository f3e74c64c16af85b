/* Matrix functions on bytes, in all shapes, and, where the code is compiled for compute capability 8.0, on bfloat16,
 * TF32 and double precision. */
#include "program.h"

#ifndef PROGRAM_DRIVER
#include <mma.h>
template <int m, int n, int k, class T> static __device__ void tensors_bytes(const T *a, const T *b, int *c)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, m, n, k, int> fc;
    wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < (int)fc.num_elements; i++) fc.x[i] -= 1;
    wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}
extern "C" __global__ void tensors_of_bytes(const signed char *a, const signed char *b, int *c)
{
    tensors_bytes<16, 16, 16>(a, b, c);
    tensors_bytes<32, 8, 16>(a, b, c + 256);
    tensors_bytes<8, 32, 16>((const unsigned char *)a, (const unsigned char *)b, c + 512);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <int m, int n, int k, class T, class E, class S>
static __device__ void tensors_multiply(const E *a, const E *b, S *c)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, m, n, k, S> fc;
    wmma::fill_fragment(fc, (S)2);
    wmma::load_matrix_sync(fa, a, m);
    wmma::load_matrix_sync(fb, b, n);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, m, wmma::mem_col_major);
}
#endif
/* *arch: what the code was compiled for. */
extern "C" __global__ void tensors_of_floats(const float *x, double *out, int *arch)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __shared__ __nv_bfloat16 ba[256], bb[256];
    __shared__ double da[32], db[32];
    __shared__ float sums[256];
    for (int i = threadIdx.x; i < 256; i += 32) ba[i] = __float2bfloat16(x[i]), bb[i] = __float2bfloat16(x[255 - i]);
    da[threadIdx.x] = x[threadIdx.x], db[threadIdx.x] = x[threadIdx.x + 32];
    __syncthreads();
    tensors_multiply<16, 16, 16, __nv_bfloat16>(ba, bb, sums);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = sums[i];
    __syncthreads();
    tensors_multiply<16, 16, 8, nvcuda::wmma::precision::tf32>(x, x + 128, sums);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32) out[256 + i] = sums[i];
    tensors_multiply<8, 8, 4, double>(da, db, out + 512);
#endif
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__;
#endif
}
#endif

/* Sums of products of integers, which every type holds exactly: a by columns, b by rows, the result by columns. */
static bool tensors_right(const double *got, const float *a, const float *b, bool is_b_reversed, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 2;
            for (int l = 0; l < k; l++) sum += (double)a[l * m + i] * b[is_b_reversed ? k * n - 1 - (l * n + j) : l * n + j];
            if (got[j * m + i] != sum) return false;
        }
    return true;
}

PROGRAM(tensors)
{
    Array<signed char> a(512), b(512);
    Array<int> c(768, 1), arch(1);
    for (int i = 0; i < 512; i++) a[i] = (signed char)noise(i), b[i] = (signed char)noise(i + 512);
    a.up(), b.up();
    CHECK(!LAUNCH(tensors_of_bytes, dim3(1), dim3(32), 0, (const signed char *)a.device, (const signed char *)b.device, c.device));
    c.down();
    const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 256; i++) {
            const int row = i / shapes[s][1], column = i % shapes[s][1];
            int sum = 0;
            for (int k = 0; k < 16; k++) {
                const int x = a[row * 16 + k], y = b[column * 16 + k];
                sum += s == 2 ? (x & 255) * (y & 255) : x * y;
            }
            CHECK(c[256 * s + i] == sum);
        }
    Array<float> x(256);
    Array<double> out(576);
    for (int i = 0; i < 256; i++) x[i] = (float)((int)(noise(i) % 15) - 7);
    x.up();
    CHECK(!LAUNCH(tensors_of_floats, dim3(1), dim3(32), 0, (const float *)x.device, out.device, arch.device));
    out.down(), arch.down();
    if (arch[0] < 800) return 0;
    CHECK(tensors_right(&out[0], &x[0], &x[0], true, 16, 16, 16));
    CHECK(tensors_right(&out[256], &x[0], &x[128], false, 16, 16, 8));
    CHECK(tensors_right(&out[512], &x[0], &x[32], false, 8, 8, 4));
    return 0;
}
