// Sums of table rows that an index names: ordinary CUDA, as a user brings it. ./gather [sums]
#include <cstdio>
#include <cstdlib>

__global__ void gather(const float *table, const int *rows, float *sums, int width, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < width; k++) sum += table[rows[i] * width + k];
    sums[i] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 32768, width = 32, table_rows = 4096;
    float *table, *sums;
    int *rows;
    if (n < 1 || cudaMallocManaged(&table, table_rows * width * sizeof(float)) || cudaMallocManaged(&rows, n * sizeof(int)) ||
        cudaMallocManaged(&sums, n * sizeof(float)))
        return 1;
    for (int i = 0; i < table_rows * width; i++) table[i] = (float)(i % 97);
    for (int i = 0; i < n; i++) rows[i] = (int)((unsigned)i * 37u % table_rows);
    gather<<<(n + 255) / 256, 256>>>(table, rows, sums, width, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < width; k++) sum += table[rows[i] * width + k];
        if (sum != sums[i]) return printf("sum %d is %g, not %g\n", i, sums[i], sum), 1;
    }
    printf("gather %d ok\n", n);
    return 0;
}
