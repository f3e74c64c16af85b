/* Vector types: loads and stores of 2 to 16 bytes, members of three, all lanes' conversions between them. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void vectors_kernel(const float4 *x, float4 *out, uchar4 *bytes, double2 *pairs, short2 *shorts, float3 *triples, longlong2 *longs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = x[i];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
    bytes[i] = make_uchar4((unsigned char)(v.x * 2), (unsigned char)v.y, (unsigned char)v.z, (unsigned char)v.w);
    pairs[i] = make_double2((double)v.x + v.y, (double)v.z * v.w);
    shorts[i] = make_short2((short)(v.x - v.y), (short)(v.z - v.w));
    triples[i] = make_float3(v.x + 1, v.y + 2, v.z + 3);
    longs[i] = make_longlong2((long long)v.x << 33, -(long long)v.y);
}
#endif

PROGRAM(vectors)
{
    const int n = 128;
    struct four { float x, y, z, w; };
    struct pair { double x, y; };
    struct longs_pair { int64_t x, y; };
    Array<four> x(n), out(n);
    Array<uint8_t> bytes(4 * n);
    Array<pair> pairs(n);
    Array<int16_t> shorts(2 * n);
    Array<float> triples(3 * n);
    Array<longs_pair> longs(n);
    for (int i = 0; i < n; i++) x[i] = {(float)(noise(4 * i) % 100), (float)(noise(4 * i + 1) % 200), (float)(noise(4 * i + 2) % 255), (float)(noise(4 * i + 3) % 50)};
    x.up();
#ifdef PROGRAM_DRIVER
    CHECK(!LAUNCH(vectors_kernel, dim3(2), dim3(64), 0, x.device, out.device, bytes.device, pairs.device, shorts.device, triples.device, longs.device));
#else
    CHECK(!LAUNCH(vectors_kernel, dim3(2), dim3(64), 0, (const float4 *)x.device, (float4 *)out.device, (uchar4 *)bytes.device, (double2 *)pairs.device,
                  (short2 *)shorts.device, (float3 *)triples.device, (longlong2 *)longs.device));
#endif
    out.down(), bytes.down(), pairs.down(), shorts.down(), triples.down(), longs.down();
    for (int i = 0; i < n; i++) {
        const four v = x[i];
        CHECK(out[i].x == v.w && out[i].y == v.z && out[i].z == v.y && out[i].w == v.x);
        CHECK(bytes[4 * i] == (uint8_t)(v.x * 2) && bytes[4 * i + 1] == (uint8_t)v.y && bytes[4 * i + 2] == (uint8_t)v.z && bytes[4 * i + 3] == (uint8_t)v.w);
        CHECK(pairs[i].x == (double)v.x + v.y && pairs[i].y == (double)v.z * v.w);
        CHECK(shorts[2 * i] == (int16_t)(v.x - v.y) && shorts[2 * i + 1] == (int16_t)(v.z - v.w));
        CHECK(triples[3 * i] == v.x + 1 && triples[3 * i + 1] == v.y + 2 && triples[3 * i + 2] == v.z + 3);
        CHECK(longs[i].x == (int64_t)v.x * ((int64_t)1 << 33) && longs[i].y == -(int64_t)v.y);
    }
    return 0;
}
