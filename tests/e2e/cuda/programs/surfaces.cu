/* Surfaces: loads and stores of 1, 4, 8 and 16 bytes, in two and three dimensions, outside of the surface. */
#include "texture.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void surfaces_kernel(unsigned long long plane, unsigned long long volume, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const float v = surf2Dread<float>(plane, x * 4, y);
    float2 pair;
    float4 four;
    surf2Dread(&pair, plane, x / 2 * 8, y);
    surf2Dread(&four, plane, x / 4 * 16, y);
    __syncthreads();
    surf2Dwrite(v * 2 + 1, plane, x * 4, y);
    surf2Dwrite(-1.0f, plane, (x + 16) * 4, y, cudaBoundaryModeZero); /* outside: nothing */
    const float clamped = surf2Dread<float>(plane, (x + 16) * 4, 0, cudaBoundaryModeClamp), zero = surf2Dread<float>(plane, -4, y, cudaBoundaryModeZero);
    surf3Dwrite((unsigned char)(x + 3 * y), volume, x, y, x % 4);
    out[4 * (y * 16 + x)] = pair.x + 2 * pair.y;
    out[4 * (y * 16 + x) + 1] = four.x + four.y + four.z + four.w;
    out[4 * (y * 16 + x) + 2] = zero;
    out[4 * (y * 16 + x) + 3] = clamped != 0;
}
#endif

PROGRAM(surfaces)
{
    const int w = 16, h = 8;
    std::vector<float> x(w * h), after(w * h);
    std::vector<unsigned char> volume(w * h * 4);
    Array<float> out(4 * w * h);
    for (int i = 0; i < w * h; i++) x[i] = (float)(1 + noise(i) % 100);
    const TextureWish plane = {w, h, 0, false, false, true, false, false, TEXTURE_CLAMP}, deep = {w, h, 4, true, false, true, false, false, TEXTURE_CLAMP};
    const TextureArray a = texture_array(x.data(), plane), b = texture_array(volume.data(), deep);
    const unsigned long long sa = texture_object(a, plane), sb = texture_object(b, deep);
    CHECK(a && b && sa && sb && !LAUNCH(surfaces_kernel, dim3(1), dim3(w, h), 0, sa, sb, out.device));
    out.down(), texture_read(after.data(), a, plane), texture_read(volume.data(), b, deep);
    for (int y = 0; y < h; y++)
        for (int k = 0; k < w; k++) {
            const float *row = &x[y * w], *r = &out[4 * (y * w + k)];
            CHECK(after[y * w + k] == row[k] * 2 + 1 && r[0] == row[k / 2 * 2] + 2 * row[k / 2 * 2 + 1] && r[2] == 0 && r[3] == 1);
            CHECK(r[1] == row[k / 4 * 4] + row[k / 4 * 4 + 1] + row[k / 4 * 4 + 2] + row[k / 4 * 4 + 3]);
            CHECK(volume[(k % 4 * h + y) * w + k] == k + 3 * y);
        }
    texture_drop(sa, a, true), texture_drop(sb, b, true);
    return 0;
}
