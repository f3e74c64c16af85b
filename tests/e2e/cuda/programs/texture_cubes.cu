/* Cube maps, alone and in layers: the face and the texel on it that a direction points to, filtered within the face;
 * faces as layers of a surface. */
#include "texture.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void texture_cubes_kernel(unsigned long long cube, unsigned long long cubes, const float4 *directions, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 d = directions[i];
    out[3 * i] = texCubemap<float>(cube, d.x, d.y, d.z);
    out[3 * i + 1] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, (int)d.w);
    out[3 * i + 2] = texCubemapLod<float>(cube, 3.0f * d.x, 3.0f * d.y, 3.0f * d.z, 0.0f); /* its length says nothing */
}
extern "C" __global__ void texture_cubes_write(unsigned long long cube, const float *texels)
{
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    surfCubemapwrite(texels[(face * blockDim.y + y) * blockDim.x + x], cube, x * 4, y, face);
}
#endif
#ifdef PROGRAM_DRIVER
struct float4 {
    float x, y, z, w;
};
#endif

/* The direction from the centre of the cube to the point of a face whose coordinates there are s and t, from -1 to 1. */
static float4 texture_cubes_direction(int face, float s, float t)
{
    switch (face) {
    case 0: return {1, -t, -s, 0};
    case 1: return {-1, -t, s, 0};
    case 2: return {s, 1, t, 0};
    case 3: return {s, -1, -t, 0};
    case 4: return {s, -t, 1, 0};
    default: return {-s, -t, -1, 0};
    }
}

PROGRAM(texture_cubes)
{
    const int n = 8, faces = 6 * n * n, layers = 2;
    std::vector<float> texels(layers * faces);
    Array<float4> directions(faces);
    Array<float> out(3 * faces);
    for (int i = 0; i < layers * faces; i++) texels[i] = (float)(noise((uint32_t)i) % 256);
    for (int i = 0; i < faces; i++) { /* a quarter of a texel to the right of each centre */
        const float s = 2.0f * ((float)(i % n) + 0.75f) / n - 1.0f, t = 2.0f * ((float)(i / n % n) + 0.5f) / n - 1.0f;
        directions[i] = texture_cubes_direction(i / n / n, s, t), directions[i].w = (float)(i % layers);
    }
    directions.up();
    TextureWish one = {n, n, 6, false, false, false, true, true, TEXTURE_WRAP}, many = {n, n, 6 * layers, false, true, false, false, true, TEXTURE_WRAP};
    one.cube = many.cube = true;
    TextureWish written = one; /* the one cube is written by a kernel */
    written.surface = true;
    Array<float> first(faces);
    for (int i = 0; i < faces; i++) first[i] = texels[i];
    first.up();
    const TextureArray a = texture_array(NULL, written), b = texture_array(texels.data(), many);
    const unsigned long long surface = texture_object(a, written), ta = texture_object(a, one), tb = texture_object(b, many);
    CHECK(a && b && surface && ta && tb);
    CHECK(!LAUNCH(texture_cubes_write, dim3(6), dim3(n, n), 0, surface, (const float *)first.device));
    CHECK(!LAUNCH(texture_cubes_kernel, dim3(6), dim3(n * n), 0, ta, tb, (const float4 *)directions.device, out.device));
    CHECK(!synchronise());
    out.down();
    for (int i = 0; i < faces; i++) {
        const float right = texels[i % n + 1 < n ? i + 1 : i], mixed = 0.75f * texels[i] + 0.25f * right; /* no face's edge is left */
        CHECK(fabsf(out[3 * i] - mixed) < 1e-2f && fabsf(out[3 * i + 2] - mixed) < 1e-2f);
        CHECK(out[3 * i + 1] == texels[i % layers * faces + i]);
    }
    texture_drop(surface, NULL, true), texture_drop(ta, a, false), texture_drop(tb, b, false);
    TextureWish flat = one; /* five faces are no cube */
    flat.depth = 5;
    CHECK(!texture_array(NULL, flat));
#ifndef PROGRAM_DRIVER
    CHECK(cudaGetLastError() == cudaErrorInvalidValue); /* which is forgotten by this */
#endif
    return 0;
}
