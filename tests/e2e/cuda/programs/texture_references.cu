/* Texture references, which CUDA had up to version 11: linear memory, pitched memory, arrays, bytes as fractions. */
#include "texture.h"
#if !defined(PROGRAM_DRIVER) && (defined(__clang__) || __CUDACC_VER_MAJOR__ < 12)
#define TEXTURE_REFERENCES_RUNTIME
#endif
#if defined(PROGRAM_DRIVER) || defined(TEXTURE_REFERENCES_RUNTIME)
#ifndef PROGRAM_DRIVER
texture<int, 1, cudaReadModeElementType> texture_references_line;
texture<float, 2, cudaReadModeElementType> texture_references_plane;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> texture_references_bytes;
extern "C" __global__ void texture_references_kernel(float *out, int w)
{
    const int x = threadIdx.x, y = threadIdx.y;
    float *r = out + 3 * (y * w + x);
    r[0] = (float)tex1Dfetch(texture_references_line, y * w + x);
    r[1] = tex2D(texture_references_plane, (float)x + 1.0f, (float)y + 0.5f);
    r[2] = tex2D(texture_references_bytes, (float)x + 0.5f, (float)y + 0.5f);
}
#endif

PROGRAM(texture_references)
{
    const int w = 16, h = 8;
    Array<int> line(w * h);
    std::vector<float> plane(w * h);
    std::vector<unsigned char> bytes(w * h);
    Array<float> out(3 * w * h);
    for (int i = 0; i < w * h; i++) line[i] = (int)(noise(i) % 1000) - 500, plane[i] = (float)(noise(i + 500) % 64), bytes[i] = (unsigned char)noise(i + 900);
    line.up();
    const TextureWish wish = {w, h, 0, true, false, false, false, false, TEXTURE_CLAMP};
    const TextureArray array = texture_array(bytes.data(), wish);
    size_t pitch = 0, offset = 1;
#ifdef PROGRAM_DRIVER
    CUtexref a, b, c;
    CUdeviceptr pitched;
    CUDA_ARRAY_DESCRIPTOR d = {(size_t)w, (size_t)h, CU_AD_FORMAT_FLOAT, 1};
    CHECK(!cuModuleGetTexRef(&a, driver_module(), "texture_references_line") && !cuTexRefSetFormat(a, CU_AD_FORMAT_SIGNED_INT32, 1) &&
          !cuTexRefSetFlags(a, CU_TRSF_READ_AS_INTEGER) && !cuTexRefSetAddress(&offset, a, (CUdeviceptr)line.device, w * h * 4));
    CHECK(!cuMemAllocPitch(&pitched, &pitch, w * 4, h, 4));
    for (int y = 0; y < h; y++) CHECK(!cuMemcpyHtoD(pitched + (size_t)y * pitch, &plane[y * w], w * 4));
    CHECK(!cuModuleGetTexRef(&b, driver_module(), "texture_references_plane") && !cuTexRefSetFilterMode(b, CU_TR_FILTER_MODE_LINEAR) &&
          !cuTexRefSetAddress2D(b, &d, pitched, pitch));
    CHECK(!cuModuleGetTexRef(&c, driver_module(), "texture_references_bytes") && !cuTexRefSetArray(c, array, CU_TRSA_OVERRIDE_FORMAT) && !cuTexRefSetFlags(c, 0));
#else
    float *pitched;
    CHECK(!cudaBindTexture(&offset, texture_references_line, line.device, w * h * sizeof(int)));
    CHECK(!cudaMallocPitch(&pitched, &pitch, w * sizeof(float), h));
    CHECK(!cudaMemcpy2D(pitched, pitch, plane.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    texture_references_plane.filterMode = cudaFilterModeLinear;
    CHECK(!cudaBindTexture2D(NULL, texture_references_plane, pitched, w, h, pitch) && !cudaBindTextureToArray(texture_references_bytes, array));
#endif
    CHECK(offset == 0 && !LAUNCH(texture_references_kernel, dim3(1), dim3(w, h), 0, out.device, w));
    out.down();
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *r = &out[3 * (y * w + x)];
            CHECK(r[0] == (float)line[y * w + x] && r[1] == 0.5f * plane[y * w + x] + 0.5f * plane[y * w + (x + 1 < w ? x + 1 : x)]);
            CHECK(fabsf(r[2] - (float)bytes[y * w + x] / 255) < 1e-6f);
        }
    return 0;
}
#else
PROGRAM(texture_references) { return 0; } /* CUDA 12 took them out */
#endif
