/* A failing assertion: the launch itself succeeds, everything after it fails, and a fresh context works. */
#include "program.h"
#include <cassert>
#include <unistd.h>
#ifndef PROGRAM_DRIVER
extern "C" __global__ void assertion_kernel(int *out, int most)
{
    assert((int)threadIdx.x < most);
    out[threadIdx.x] = 1 + (int)threadIdx.x;
}
#endif

PROGRAM(assertion)
{
    {
        Array<int> fine(32);
        CHECK(!LAUNCH(assertion_kernel, dim3(1), dim3(32), 0, fine.device, 32));
        fine.down();
        CHECK(fine[31] == 32);
        fflush(stderr);
        const int kept = dup(2);
        CHECK(freopen("/dev/null", "w", stderr)); /* the message itself */
        const int launched = LAUNCH(assertion_kernel, dim3(1), dim3(32), 0, fine.device, 20);
        const int status = synchronise();
        fflush(stderr);
        dup2(kept, 2), close(kept);
        CHECK(launched == 0 && status == 710 && synchronise() == 710);
    }
#ifdef PROGRAM_DRIVER
    driver_module(true);
#else
    cudaDeviceReset();
    cudaGetLastError();
#endif
    Array<int> again(32);
    CHECK(!LAUNCH(assertion_kernel, dim3(1), dim3(32), 0, again.device, 32));
    again.down();
    CHECK(again[5] == 6);
    return 0;
}
