/* printf of device code: what it writes to the program's output, compared with the host's own. */
#include "program.h"
#include <unistd.h>
#ifndef PROGRAM_DRIVER
extern "C" __global__ void printing_kernel(int n, double x, const char *word)
{
    if (threadIdx.x >= 3) return;
    printf("thread %d of %u: %5.2f|%-8s|%08x|%c|%%|%+d\n", (int)threadIdx.x, (unsigned)blockDim.x, x * threadIdx.x, word, n << threadIdx.x, 'a' + (int)threadIdx.x, n);
    if (threadIdx.x == 2) printf("%lld %llu %ld %e %s\n", -(1ll << 40), 1ull << 63, 77l, x, "end");
}
#endif

PROGRAM(printing)
{
    Array<char> word(8);
    memcpy(&word[0], "warps", 6);
    word.up();
    char path[] = "/tmp/poise-printing-XXXXXX", got[1024] = "", wanted[1024];
    const int file = mkstemp(path), kept = dup(1);
    fflush(stdout);
    dup2(file, 1);
    const int status = LAUNCH(printing_kernel, dim3(1), dim3(32), 0, 1234, 1.5, (const char *)word.device);
    synchronise();
    fflush(stdout);
    dup2(kept, 1), close(kept);
    lseek(file, 0, SEEK_SET);
    const long n = read(file, got, sizeof got - 1);
    close(file), unlink(path);
    CHECK(status == 0 && n > 0);
    int at = 0;
    for (int t = 0; t < 3; t++)
        at += snprintf(wanted + at, sizeof wanted - (size_t)at, "thread %d of %u: %5.2f|%-8s|%08x|%c|%%|%+d\n", t, 32u, 1.5 * t, "warps", 1234 << t, 'a' + t, 1234);
    snprintf(wanted + at, sizeof wanted - (size_t)at, "%lld %llu %ld %e %s\n", -(1ll << 40), 1ull << 63, 77l, 1.5, "end");
    CHECK(strcmp(got, wanted) == 0);
    return 0;
}
