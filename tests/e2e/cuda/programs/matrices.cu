/* Matrix instructions: wmma of 16 x 16 x 16 and 32 x 8 x 16 halves in every layout, mma of 16 x 8 x 16 and 16 x 8 x 8, ldmatrix. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cuda_fp16.h>
#include <mma.h>
template <int m, int n, int k, class LA, class LB> static __device__ void matrices_wmma(const __half *a, const __half *b, const float *c, float *d, int lda, int ldb)
{
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, m, n, k, __half, LA> fa;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, m, n, k, __half, LB> fb;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, m, n, k, float> fc;
    nvcuda::wmma::load_matrix_sync(fa, a, lda);
    nvcuda::wmma::load_matrix_sync(fb, b, ldb);
    nvcuda::wmma::load_matrix_sync(fc, c, n, nvcuda::wmma::mem_row_major);
    nvcuda::wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.0f;
    nvcuda::wmma::store_matrix_sync(d, fc, n, nvcuda::wmma::mem_row_major);
}
/* All matrices hold a[row][k] as row + 16 k and so on; the host gives them in both orders. */
extern "C" __global__ void matrices_kernel(const __half *a, const __half *a_columns, const __half *b, const __half *b_columns, const float *c, float *d)
{
    using namespace nvcuda::wmma;
    matrices_wmma<16, 16, 16, row_major, col_major>(a, b_columns, c, d, 16, 16);
    matrices_wmma<16, 16, 16, col_major, row_major>(a_columns, b, c, d + 256, 16, 16);
    fragment<accumulator, 16, 16, 16, __half> half_sum;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    __shared__ __half room[256];
    fill_fragment(half_sum, __float2half(1.0f));
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(half_sum, fa, fb, half_sum);
    store_matrix_sync(room, half_sum, 16, mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) d[512 + i] = __half2float(room[i % 16 * 16 + i / 16]);
}
extern "C" __global__ void matrices_mma(const __half *a, const __half *b, const float *c, float *d)
{
    __shared__ __align__(16) __half room[256];
    const int lane = threadIdx.x, group = lane / 4, in = lane % 4;
    for (int i = lane; i < 256; i += 32) room[i] = a[i];
    __syncwarp();
    unsigned ra[4], rb[2];
    const unsigned row = (unsigned)__cvta_generic_to_shared(room + lane % 16 * 16 + lane / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(row) : "memory");
    for (int k = 0; k < 2; k++) {
        const __half low = b[(in * 2 + 8 * k) * 16 + group], high = b[(in * 2 + 1 + 8 * k) * 16 + group];
        unsigned short l, h;
        memcpy(&l, &low, 2), memcpy(&h, &high, 2);
        rb[k] = l | (unsigned)h << 16;
    }
    float s[4];
    for (int i = 0; i < 4; i++) s[i] = c[(group + 8 * (i / 2)) * 16 + in * 2 + i % 2];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++) d[(group + 8 * (i / 2)) * 8 + in * 2 + i % 2] = s[i];
    for (int i = 0; i < 4; i++) s[i] = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
    for (int i = 0; i < 4; i++) d[128 + (group + 8 * (i / 2)) * 8 + in * 2 + i % 2] = s[i];
}
#endif

static uint16_t matrices_half(int x) /* whole numbers up to 2048 */
{
    if (x == 0) return 0;
    const unsigned a = (unsigned)abs(x);
    const int e = 31 - __builtin_clz(a);
    return (uint16_t)((x < 0 ? 0x8000 : 0) | (e + 15) << 10 | ((a << (10 - e)) & 0x3ff));
}

PROGRAM(matrices)
{
    Array<uint16_t> a(256), at(256), b(256), bt(256);
    Array<float> c(256), d(768), e(256);
    int wa[256], wb[256];
    for (int i = 0; i < 256; i++) {
        wa[i] = (int)(noise(i) % 17) - 8, wb[i] = (int)(noise(i + 300) % 17) - 8, c[i] = (float)(int)(noise(i + 600) % 50);
        a[i] = at[i % 16 * 16 + i / 16] = matrices_half(wa[i]), b[i] = bt[i % 16 * 16 + i / 16] = matrices_half(wb[i]);
    }
    a.up(), at.up(), b.up(), bt.up(), c.up();
#ifdef PROGRAM_DRIVER
    CHECK(!LAUNCH(matrices_kernel, dim3(1), dim3(32), 0, a.device, at.device, b.device, bt.device, c.device, d.device));
    CHECK(!LAUNCH(matrices_mma, dim3(1), dim3(32), 0, a.device, b.device, c.device, e.device));
#else
    CHECK(!LAUNCH(matrices_kernel, dim3(1), dim3(32), 0, (const __half *)a.device, (const __half *)at.device, (const __half *)b.device, (const __half *)bt.device, (const float *)c.device, d.device));
    CHECK(!LAUNCH(matrices_mma, dim3(1), dim3(32), 0, (const __half *)a.device, (const __half *)b.device, (const float *)c.device, e.device));
#endif
    d.down(), e.down();
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) {
            int sum = 0, first = 0;
            for (int k = 0; k < 16; k++) {
                sum += wa[y * 16 + k] * wb[k * 16 + x];
                if (k < 8) first += wa[y * 16 + k] * wb[k * 16 + x];
            }
            CHECK(d[y * 16 + x] == 2 * (c[y * 16 + x] + (float)sum) && d[256 + y * 16 + x] == d[y * 16 + x] && d[512 + y * 16 + x] == (float)(sum + 1));
            if (x < 8) CHECK(e[y * 8 + x] == c[y * 16 + x] + (float)sum && e[128 + y * 8 + x] == (float)first);
        }
    return 0;
}
