/* Recursive device functions, one calling the other, with local arrays in their frames. */
#include "program.h"
#ifdef PROGRAM_DRIVER
#define RECURSION_BOTH
#else
#define RECURSION_BOTH __host__ __device__ __noinline__
#endif
static RECURSION_BOTH int recursion_ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    return n == 0 ? recursion_ackermann(m - 1, 1) : recursion_ackermann(m - 1, recursion_ackermann(m, n - 1));
}
static RECURSION_BOTH bool recursion_odd(unsigned n);
static RECURSION_BOTH bool recursion_even(unsigned n) { return n == 0 || recursion_odd(n - 1); }
static RECURSION_BOTH bool recursion_odd(unsigned n) { return n != 0 && recursion_even(n - 1); }
/* Ways to put n queens, with the rows in an array of each frame. */
static RECURSION_BOTH int recursion_queens(int n, int column, const int *before)
{
    int rows[8], count = 0;
    if (column == n) return 1;
    for (int k = 0; k < column; k++) rows[k] = before[k];
    for (int row = 0; row < n; row++) {
        bool free = true;
        for (int k = 0; k < column && free; k++) free = rows[k] != row && rows[k] - row != column - k && row - rows[k] != column - k;
        rows[column] = row;
        if (free) count += recursion_queens(n, column + 1, rows);
    }
    return count;
}
#ifndef PROGRAM_DRIVER
extern "C" __global__ void recursion_kernel(int *out)
{
    const int i = threadIdx.x;
    out[i] = recursion_ackermann(i % 3, i % 5) + (recursion_even(i % 20) ? 1000 : 0) + 10000 * recursion_queens(1 + i % 5, 0, out);
}
#endif

PROGRAM(recursion)
{
    Array<int> out(64);
    CHECK(!LAUNCH(recursion_kernel, dim3(1), dim3(64), 0, out.device));
    out.down();
    for (int i = 0; i < 64; i++) CHECK(out[i] == recursion_ackermann(i % 3, i % 5) + (i % 20 % 2 == 0 ? 1000 : 0) + 10000 * recursion_queens(1 + i % 5, 0, NULL));
    return 0;
}
