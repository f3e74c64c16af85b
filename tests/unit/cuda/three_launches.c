/* An ordinary driver-API program: argv[1] is the PTX file. Two vector additions and a scaling, checked. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void must(CUresult result, const char *what)
{
    const char *name = "?";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}
#define MUST(call) must(call, #call)

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static float a[N], b[N], c[N];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add, scale;
    CUdeviceptr da, db, dc;
    int n = N;
    if (argc < 2) return 2;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoad(&module, argv[1]));
    MUST(cuModuleGetFunction(&add, module, "vector_add"));
    MUST(cuModuleGetFunction(&scale, module, "scale"));
    MUST(cuMemAlloc(&da, sizeof a));
    MUST(cuMemAlloc(&db, sizeof b));
    MUST(cuMemAlloc(&dc, sizeof c));
    MUST(cuMemcpyHtoD(da, a, sizeof a));
    MUST(cuMemcpyHtoD(db, b, sizeof b));
    void *first[] = {&da, &db, &dc, &n}, *second[] = {&dc, &db, &dc, &n}, *third[] = {&dc, &n};
    MUST(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, first, NULL));
    MUST(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, second, NULL));
    MUST(cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, NULL, third, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(c, dc, sizeof c));
    for (int i = 0; i < N; i++)
        if (c[i] != 2.5f * (float)(5 * i)) {
            fprintf(stderr, "c[%d] = %g\n", i, (double)c[i]);
            return 1;
        }
    MUST(cuDevicePrimaryCtxRelease(device));
    return 0;
}
