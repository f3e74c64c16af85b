#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(float *out, const float *x, const float *y) { int i = threadIdx.x; __half a = __float2half(x[i]), b = __float2half(y[i]);
 float *o = out + i * 16; o[0] = __half2float(__hadd(a, b)); o[1] = __half2float(__hmul(a, b)); o[2] = __half2float(__hfma(a, b, a)); o[3] = __half2float(__hsub(a, b)); o[4] = __hlt(a, b); o[5] = __half2float(__hmin(a,b)); o[6] = __half2float(__hadd_sat(a,b)); o[7] = __half2int_rn(a); o[8] = __half2float(__int2half_rn(i * 37)); o[9] = __half2float(hexp2(b)); o[10] = __half2float(hrint(a)); o[11] = __half2float(__hdiv(a, b)); o[12] = __half2float(hsqrt(__habs(a))); }
extern "C" __global__ void pairs(float2 *out, const float2 *x, const float2 *y) { int i = threadIdx.x; __half2 a = __float22half2_rn(x[i]), b = __float22half2_rn(y[i]); __half2 r = __hfma2(a, b, __hadd2(a, b)); r = __hmax2(r, __hneg2(a)); out[2 * i] = __half22float2(r); out[2 * i + 1] = __half22float2(__hgt2(a, b)); if (__hbeq2(a, b)) out[2*i].x = -1; }
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void brains(float *out, const float *x, const float *y) { int i = threadIdx.x; __nv_bfloat16 a = __float2bfloat16(x[i]), b = __float2bfloat16(y[i]); out[i] = __bfloat162float(__hfma(a, b, a)); out[i+32] = __bfloat162float(__hadd(a,b)); }
#endif
extern "C" __global__ void hatom(__half2 *out, const float *x) { atomicAdd(out, __floats2half2_rn(x[threadIdx.x], 1.0f)); }
