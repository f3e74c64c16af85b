/* A barrier over the grid: a cooperative launch whose blocks read what the others wrote before it. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cooperative_groups.h>
extern "C" __global__ void grid_kernel(int *a, int *b, int n, int steps)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) b[i] = a[(i + n - 1) % n] + a[(i + 1) % n] - a[i];
        grid.sync();
        int *const t = a;
        a = b, b = t;
    }
}
#endif

PROGRAM(grid)
{
    const int n = 2000;
    int steps = 6, count = n;
    Array<int> a(n), b(n);
    std::vector<int> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = a[i] = (int)(noise(i) % 10);
    a.up();
    void *arguments[] = {&a.device, &b.device, &count, &steps};
#ifdef PROGRAM_DRIVER
    CHECK(!cuLaunchCooperativeKernel(driver_function("grid_kernel"), 6, 1, 1, 128, 1, 1, 0, NULL, arguments));
    CHECK(cuLaunchCooperativeKernel(driver_function("grid_kernel"), 5000, 1, 1, 128, 1, 1, 0, NULL, arguments) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
#else
    int supported = 0;
    CHECK(!cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0) && supported);
    CHECK(!cudaLaunchCooperativeKernel((void *)grid_kernel, dim3(6), dim3(128), arguments, 0, 0));
    CHECK(cudaLaunchCooperativeKernel((void *)grid_kernel, dim3(5000), dim3(128), arguments, 0, 0) == cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
#endif
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) y[i] = x[(i + n - 1) % n] + x[(i + 1) % n] - x[i];
        x.swap(y);
    }
    a.down();
    for (int i = 0; i < n; i++) CHECK(a[i] == x[i]);
    return 0;
}
