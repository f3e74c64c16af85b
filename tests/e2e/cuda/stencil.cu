/* Five-point stencil on a pitched plane, in 2-D blocks; copies by rows. */
#include "check.h"
__global__ void step(const float *in, float *out, size_t pitch, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t row = pitch / sizeof(float);
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        out[y * row + x] = 0.25f * (in[y * row + x - 1] + in[y * row + x + 1] + in[(y - 1) * row + x] + in[(y + 1) * row + x]);
}
int main()
{
    const int w = 50, h = 37;
    static float plane[h][w], expected[h][w], got[h][w];
    float *a, *b;
    size_t pitch, pitch_b;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) expected[y][x] = plane[y][x] = (float)((x * 7 + y * 13) % 32);
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            expected[y][x] = 0.25f * (plane[y][x - 1] + plane[y][x + 1] + plane[y - 1][x] + plane[y + 1][x]);
    CUDA(cudaMallocPitch(&a, &pitch, w * sizeof(float), h));
    CUDA(cudaMallocPitch((void **)&b, &pitch_b, w * sizeof(float), h));
    CHECK(pitch == pitch_b && pitch % 32 == 0 && pitch >= w * sizeof(float));
    CUDA(cudaMemset2D(b, pitch, 0, w * sizeof(float), h));
    CUDA(cudaMemcpy2D(a, pitch, plane, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2D(b, pitch, a, pitch, w * sizeof(float), h, cudaMemcpyDeviceToDevice));
    step<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, pitch, w, h);
    CUDA(cudaMemcpy2D(got, w * sizeof(float), b, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) CHECK(got[y][x] == expected[y][x]);
    std::printf("stencil ok\n");
    return 0;
}
