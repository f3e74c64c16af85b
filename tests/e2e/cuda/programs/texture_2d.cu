/* Two-dimensional textures: nearest texel and interpolation, all address modes, normalised coordinates, bytes as fractions,
 * gathers. */
#include "texture.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void texture_2d_kernel(unsigned long long t, float *out, float scale, float offset, int side)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * side + x] = tex2D<float>(t, (float)x * scale + offset, (float)y * scale - offset);
}
extern "C" __global__ void texture_2d_gather(unsigned long long t, float4 *out, int side)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * side + x] = tex2Dgather<float4>(t, (float)x + 0.75f, (float)y + 0.75f);
}
#endif

static int texture_2d_index(int i, int n, int mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == TEXTURE_CLAMP) return i < 0 ? 0 : n - 1;
    if (mode == TEXTURE_WRAP) return (i % n + n) % n;
    const int m = (i % (2 * n) + 2 * n) % (2 * n);
    return mode == TEXTURE_MIRROR ? (m < n ? m : 2 * n - 1 - m) : -1;
}
static float texture_2d_texel(const std::vector<float> &texels, int w, int h, int x, int y, int mode)
{
    x = texture_2d_index(x, w, mode), y = texture_2d_index(y, h, mode);
    return x < 0 || y < 0 ? 0 : texels[(size_t)(y * w + x)];
}

PROGRAM(texture_2d)
{
    const int w = 20, h = 12, side = 16;
    std::vector<float> texels(w * h);
    std::vector<unsigned char> bytes(w * h);
    Array<float> out(side * side), four(4 * side * side);
    for (int i = 0; i < w * h; i++) texels[i] = (float)(noise(i) % 256), bytes[i] = (unsigned char)noise(i);
    for (int mode = TEXTURE_WRAP; mode <= TEXTURE_BORDER; mode++)
        for (int kind = 0; kind < 4; kind++) {
            const bool linear = kind & 1, norm = mode != TEXTURE_CLAMP || kind & 2; /* wrap and mirror need it */
            const TextureWish wish = {w, h, 0, kind == 2, false, false, linear, norm, mode};
            const TextureArray array = texture_array(kind == 2 ? (const void *)bytes.data() : texels.data(), wish);
            const unsigned long long object = texture_object(array, wish);
            const float scale = norm ? 0.15625f : 1.75f, offset = norm ? 0.21875f : 3.125f;
            CHECK(array && object && !LAUNCH(texture_2d_kernel, dim3(1), dim3(side, side), 0, object, out.device, scale, offset, side));
            out.down();
            for (int y = 0; y < side; y++)
                for (int x = 0; x < side; x++) {
                    const float u = ((float)x * scale + offset) * (norm ? (float)w : 1), v = ((float)y * scale - offset) * (norm ? (float)h : 1);
                    float wanted;
                    if (!linear) {
                        wanted = texture_2d_texel(texels, w, h, (int)floorf(u), (int)floorf(v), mode) / (kind == 2 ? 255.0f : 1.0f);
                    } else {
                        const float fx = u - 0.5f - floorf(u - 0.5f), fy = v - 0.5f - floorf(v - 0.5f);
                        const int x0 = (int)floorf(u - 0.5f), y0 = (int)floorf(v - 0.5f);
                        wanted = (texture_2d_texel(texels, w, h, x0, y0, mode) * (1 - fx) + texture_2d_texel(texels, w, h, x0 + 1, y0, mode) * fx) * (1 - fy) +
                                 (texture_2d_texel(texels, w, h, x0, y0 + 1, mode) * (1 - fx) + texture_2d_texel(texels, w, h, x0 + 1, y0 + 1, mode) * fx) * fy;
                    }
                    CHECK(fabsf(out[y * side + x] - wanted) <= (linear ? 1.1f : 1e-6f)); /* fractions have 8 bits */
                }
            texture_drop(object, array, false);
        }
    const TextureWish wish = {w, h, 0, false, false, false, false, false, TEXTURE_CLAMP};
    const TextureArray array = texture_array(texels.data(), wish);
    const unsigned long long object = texture_object(array, wish);
#ifdef PROGRAM_DRIVER
    CHECK(!LAUNCH(texture_2d_gather, dim3(1), dim3(side, h), 0, object, four.device, side));
#else
    CHECK(!LAUNCH(texture_2d_gather, dim3(1), dim3(side, h), 0, object, (float4 *)four.device, side));
#endif
    four.down();
    for (int y = 0; y < h; y++)
        for (int x = 0; x < side; x++) {
            const float *v = &four[4 * (y * side + x)];
            const int x1 = x + 1 < w ? x + 1 : w - 1, y1 = y + 1 < h ? y + 1 : h - 1;
            CHECK(v[0] == texels[y1 * w + x] && v[1] == texels[y1 * w + x1] && v[2] == texels[y * w + x1] && v[3] == texels[y * w + x]);
        }
    texture_drop(object, array, false);
    return 0;
}
