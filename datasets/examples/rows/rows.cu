// A matrix by a vector, a thread a row, as suites write it: the sum in memory or in a register.
// ./rows memory|register ROWS COLUMNS
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void in_memory(const float *matrix, const float *vector, float *sums, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int j = 0; j < columns; j++) sums[row] += matrix[(size_t)row * columns + j] * vector[j];
}

__global__ void in_register(const float *matrix, const float *vector, float *sums, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = sums[row];
    for (int j = 0; j < columns; j++) sum += matrix[(size_t)row * columns + j] * vector[j];
    sums[row] = sum;
}

int main(int argc, char **argv)
{
    const int rows = argc > 3 ? atoi(argv[2]) : 0, columns = argc > 3 ? atoi(argv[3]) : 0;
    float *matrix, *vector, *sums;
    if (rows < 1 || columns < 1 || (strcmp(argv[1], "memory") && strcmp(argv[1], "register"))) {
        fprintf(stderr, "usage: %s memory|register ROWS COLUMNS\n", argv[0]);
        return 2;
    }
    if (cudaMallocManaged(&matrix, (size_t)rows * columns * sizeof(float)) ||
        cudaMallocManaged(&vector, columns * sizeof(float)) || cudaMallocManaged(&sums, rows * sizeof(float))) {
        fprintf(stderr, "no memory for %d rows of %d\n", rows, columns);
        return 1;
    }
    for (size_t i = 0; i < (size_t)rows * columns; i++) matrix[i] = (float)(i % 7);
    for (int j = 0; j < columns; j++) vector[j] = (float)(j % 3);
    memset(sums, 0, rows * sizeof(float));
    if (!strcmp(argv[1], "memory")) in_memory<<<(rows + 255) / 256, 256>>>(matrix, vector, sums, rows, columns);
    else in_register<<<(rows + 255) / 256, 256>>>(matrix, vector, sums, rows, columns);
    if (cudaDeviceSynchronize()) return 1;
    int wrong = 0;
    for (int i = 0; i < rows; i++) {
        float expected = 0; // whole numbers below 2^24: any order of the sum is exact
        for (int j = 0; j < columns; j++) expected += (float)(((size_t)i * columns + j) % 7) * (float)(j % 3);
        wrong += sums[i] != expected;
    }
    printf("%d of %d rows wrong\n", wrong, rows);
    return wrong != 0;
}
