/* A kernel's parameter by its address: __grid_constant__, a pointer into the parameter or into memory, whichever the
 * lane takes, and a function that is not inlined. */
#include "program.h"
struct Table {
    int row[8];
    double scale;
    const int *more;
};
#ifndef PROGRAM_DRIVER
static __device__ __noinline__ int parameters_sum(const Table *t, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += t->row[i] * (i + 1);
    return sum + (int)(t->scale * n) + t->more[n];
}
extern "C" __global__ void parameters_kernel(const __grid_constant__ Table table, const __grid_constant__ int n, int *out)
{
    const int t = threadIdx.x;
    const int *const from = t % 3 ? table.row : table.more, *const count = &n;
    out[t] = parameters_sum(&table, t % 8) + 7 * from[t % 8] + *count;
    out[t + n] = __isShared(&table) || __isLocal(from + t) != __isLocal(from) ? 1 : 0;
}
#endif

PROGRAM(parameters)
{
    const int n = 64;
    Array<int> more(8), out(2 * n);
    Table table = {{3, 1, 4, 1, 5, 9, 2, 6}, 1.5, more.device};
    for (int i = 0; i < 8; i++) more[i] = (int)(noise(i) % 500);
    more.up();
    CHECK(!LAUNCH(parameters_kernel, dim3(1), dim3(n), 0, table, (int)n, out.device));
    out.down();
    for (int t = 0; t < n; t++) {
        int sum = (int)(1.5 * (t % 8)) + more[t % 8];
        for (int i = 0; i < t % 8; i++) sum += table.row[i] * (i + 1);
        CHECK(out[t] == sum + 7 * (t % 3 ? table.row[t % 8] : more[t % 8]) + n);
        CHECK(out[t + n] == 0);
    }
    return 0;
}
