// Loose files with a run script and a file of data: it prints its result, and nothing that says whether it is right.
#include <cstdio>
#include "host.h"
#include "kernel.cu"
int main(int argc, char **argv)
{
    float x[BLOCK] = {0}, *d;
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!in) return fprintf(stderr, "cannot open the data\n"), 1;
    int n = 0;
    while (n < BLOCK && fscanf(in, "%f", &x[n]) == 1) n++;
    fclose(in);
    if (n == INT_MAX) return 1; // without limits.h, which older compilers' headers brought along
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    scale<<<1, BLOCK>>>(d, n);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %.3f\n", i, x[i]);
    return 0;
}
