/* Textures of linear memory, by whole indices: floats and vectors of four; and of a one-dimensional array. */
#include "texture.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void texture_1d_kernel(unsigned long long floats, unsigned long long quads, unsigned long long array, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int4 q = tex1Dfetch<int4>(quads, i / 4);
    out[3 * i] = tex1Dfetch<float>(floats, (i * 7) % n);
    out[3 * i + 1] = (float)(q.x + 2 * q.y - q.z + 3 * q.w);
    out[3 * i + 2] = tex1D<float>(array, (float)i + 0.25f);
}
#endif

PROGRAM(texture_1d)
{
    const int n = 256;
    Array<float> x(n), out(3 * n);
    Array<int> q(n);
    for (int i = 0; i < n; i++) x[i] = (float)(noise(i) % 1000), q[i] = (int)(noise(i + 999) % 100) - 50;
    x.up(), q.up();
    const TextureWish wish = {n, 0, 0, false, false, false, true, false, TEXTURE_CLAMP};
    const TextureArray array = texture_array(x.host.data(), wish);
    const unsigned long long floats = texture_of_memory(x.device, n * 4, false), quads = texture_of_memory(q.device, n * 4, true), line = texture_object(array, wish);
    CHECK(array && floats && quads && line);
    CHECK(!LAUNCH(texture_1d_kernel, dim3(2), dim3(128), 0, floats, quads, line, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const int *v = &q[i / 4 * 4];
        CHECK(out[3 * i] == x[i * 7 % n] && out[3 * i + 1] == (float)(v[0] + 2 * v[1] - v[2] + 3 * v[3]));
        CHECK(out[3 * i + 2] == 0.25f * x[i ? i - 1 : 0] + 0.75f * x[i]);
    }
    texture_drop(floats, NULL, false), texture_drop(quads, NULL, false), texture_drop(line, array, false);
    return 0;
}
