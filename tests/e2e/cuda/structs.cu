/* Structs as parameters, vector types, templates, device functions, mathematical functions. */
#include <cmath>
#include "check.h"
struct body { float3 at; char tag; double mass; int list[3]; };
template <int K> __device__ float power(float x) { return x * power<K - 1>(x); }
template <> __device__ float power<0>(float) { return 1; }
__device__ __noinline__ float far(float4 a, float3 b) { return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) + a.w; }
__global__ void use(body b, float4 *io, char shift, double *out)
{
    const int i = threadIdx.x;
    float4 v = io[i];
    v.z = far(v, b.at) + b.list[i % 3] + shift;
    v.w = power<3>(v.x) + b.tag;
    io[i] = v;
    out[i] = b.mass * i;
}
__global__ void maths(float *f, double *d)
{
    const float x = 0.125f + threadIdx.x * 0.25f;
    float *o = f + 8 * threadIdx.x;
    o[0] = expf(x), o[1] = logf(x), o[2] = sinf(x), o[3] = powf(x, 1.7f), o[4] = atanf(x), o[5] = tanhf(x), o[6] = fabsf(-x), o[7] = floorf(x);
    double *e = d + 4 * threadIdx.x;
    e[0] = exp((double)x), e[1] = log((double)x), e[2] = cos((double)x), e[3] = sqrt((double)x);
}
static bool near(double a, double b, double relative) { return std::fabs(a - b) <= relative * std::fabs(b) + 1e-12; }
int main()
{
    body b = {{3, 4, 0}, 'A', 2.5, {10, 20, 30}};
    float4 v[32], *dv;
    double out[32], *dout;
    for (int i = 0; i < 32; i++) v[i] = make_float4(3, 4 + i, 0, 1);
    CUDA(cudaMalloc(&dv, sizeof v));
    CUDA(cudaMalloc(&dout, 32 * 4 * sizeof(double)));
    CUDA(cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice));
    use<<<1, 32>>>(b, dv, 2, dout);
    CUDA(cudaMemcpy(v, dv, sizeof v, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) CHECK(v[i].z == i + 1 + 10 * (i % 3 + 1) + 2 && v[i].w == 27 + 'A' && out[i] == 2.5 * i);
    float f[32 * 8], *df;
    double d[32 * 4];
    CUDA(cudaMalloc(&df, sizeof f));
    maths<<<1, 32>>>(df, dout);
    CUDA(cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(d, dout, sizeof d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        const float x = 0.125f + i * 0.25f, *o = f + 8 * i;
        const double *e = d + 4 * i;
        CHECK(near(o[0], exp((double)x), 4e-7) && near(o[1], log((double)x), 1e-6) && near(o[2], sin((double)x), 1e-6));
        CHECK(near(o[3], pow((double)x, (double)1.7f), 1e-6) && near(o[4], atan((double)x), 4e-7) && near(o[5], tanh((double)x), 4e-7));
        CHECK(o[6] == x && o[7] == floor(x));
        CHECK(near(e[0], exp((double)x), 1e-15) && near(e[1], log((double)x), 4e-15) && near(e[2], cos((double)x), 1e-14) && e[3] == sqrt((double)x));
    }
    std::printf("structs ok\n");
    return 0;
}
