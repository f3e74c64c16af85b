/* One lane takes room for the others, which get its place from it: before that their variable has no value. */
#include "program.h"

#ifndef PROGRAM_DRIVER
static __device__ int leaders_first(unsigned members, int from_leader)
{
    return __shfl_sync(members, from_leader, __ffs(members) - 1);
}
extern "C" __global__ void leaders_kernel(int *count, int *places, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0) {
        unsigned lane, before;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        const unsigned members = __activemask();
        before = __popc(members & ((1u << lane) - 1));
        int place;
        if (before == 0) place = atomicAdd(count, __popc(members));
        place = leaders_first(members, place) + (int)before;
        places[place] = i;
    }
}
#endif

PROGRAM(leaders)
{
    const int n = 1000, wanted = (n + 2) / 3;
    Array<int> count(1), places(n, -1);
    CHECK(!LAUNCH(leaders_kernel, dim3(8), dim3(128), 0, count.device, places.device, n));
    count.down(), places.down();
    CHECK(count[0] == wanted);
    std::vector<int> seen(n, 0);
    for (int k = 0; k < n; k++) {
        CHECK((places[k] >= 0) == (k < wanted) && (k >= wanted || places[k] % 3 == 0));
        if (k < wanted) CHECK(seen[places[k]]++ == 0);
    }
    return 0;
}
