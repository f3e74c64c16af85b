/* The rows of a matrix summed, a thread a row. The lines that a warp will use again are more than its share of the L1 cache, so that
 * fewer warps at a time are faster: an example for README's own kernels. Usage: PROGRAM [ROWS [COLUMNS]] */
#include <cstdio>
#include <cstdlib>

__global__ void row_sums(const float *matrix, float *sums, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += matrix[row * columns + i];
    sums[row] = sum;
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 16384, columns = argc > 2 ? std::atoi(argv[2]) : 32;
    float *matrix = new float[rows * columns], *sums = new float[rows], *device_matrix, *device_sums;
    for (int i = 0; i < rows * columns; i++) matrix[i] = (float)(i % 7);
    cudaMalloc(&device_matrix, rows * columns * sizeof(float));
    cudaMalloc(&device_sums, rows * sizeof(float));
    cudaMemcpy(device_matrix, matrix, rows * columns * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<(rows + 255) / 256, 256>>>(device_matrix, device_sums, rows, columns);
    if (cudaMemcpy(sums, device_sums, rows * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    int wrong = 0;
    for (int row = 0; row < rows; row++) {
        float sum = 0;
        for (int i = 0; i < columns; i++) sum += matrix[row * columns + i];
        wrong += sum != sums[row];
    }
    std::printf("%d rows, %d wrong\n", rows, wrong);
    return wrong > 0;
}
