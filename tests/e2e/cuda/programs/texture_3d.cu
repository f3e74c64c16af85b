/* Three-dimensional and layered textures. */
#include "texture.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void texture_3d_kernel(unsigned long long volume, unsigned long long layers, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, at = (z * 8 + y) * 8 + x;
    out[2 * at] = tex3D<float>(volume, (float)x + 0.75f, (float)y + 0.5f, (float)z + 0.25f);
    out[2 * at + 1] = tex2DLayered<float>(layers, (float)x + 0.5f, (float)y + 0.9f, z);
}
#endif

PROGRAM(texture_3d)
{
    const int n = 8;
    std::vector<float> texels(n * n * n);
    Array<float> out(2 * n * n * n);
    for (int i = 0; i < n * n * n; i++) texels[i] = (float)(noise(i) % 256);
    const TextureWish volume = {n, n, n, false, false, false, true, false, TEXTURE_CLAMP}, layers = {n, n, n, false, true, false, false, false, TEXTURE_CLAMP};
    const TextureArray a = texture_array(texels.data(), volume), b = texture_array(texels.data(), layers);
    const unsigned long long ta = texture_object(a, volume), tb = texture_object(b, layers);
    CHECK(a && b && ta && tb && !LAUNCH(texture_3d_kernel, dim3(1), dim3(n, n, n), 0, ta, tb, out.device));
    out.down();
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                const int at = (z * n + y) * n + x, x1 = x + 1 < n ? at + 1 : at, down = z ? -n * n : 0;
                const float here = 0.75f * texels[at] + 0.25f * texels[x1], before = 0.75f * texels[at + down] + 0.25f * texels[x1 + down];
                CHECK(fabsf(out[2 * at] - (0.75f * here + 0.25f * before)) < 1e-3f && out[2 * at + 1] == texels[at]);
            }
    texture_drop(ta, a, false), texture_drop(tb, b, false);
    return 0;
}
