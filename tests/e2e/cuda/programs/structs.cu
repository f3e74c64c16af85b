/* Structures by value: as parameters with arrays inside, with padding, returned by functions that are not inlined, and
 * as large as CUDA takes them. */
#include "program.h"
struct structs_item { char tag; double weight; short pair[3]; };
struct structs_job { structs_item items[3]; int n; float *out; unsigned char last; };
struct structs_table { int v[8000]; };
#ifndef PROGRAM_DRIVER
extern "C" __global__ void structs_large_kernel(const structs_table table, float *out)
{
    int sum = 0;
    for (int i = threadIdx.x; i < 8000; i += 32) sum += table.v[i];
    out[threadIdx.x] = (float)sum;
}
struct structs_result { double sum; int count; float parts[4]; };
static __device__ __noinline__ structs_result structs_sum(structs_job job, int lane)
{
    structs_result r = {0, 0, {0, 0, 0, 0}};
    for (int k = 0; k < job.n; k++) {
        r.sum += job.items[k].weight * job.items[k].pair[lane % 3];
        r.count += job.items[k].tag;
        r.parts[k % 4] = (float)(job.items[k].pair[0] + job.last);
    }
    return r;
}
extern "C" __global__ void structs_kernel(structs_job job, structs_item extra)
{
    const structs_result r = structs_sum(job, threadIdx.x);
    job.out[threadIdx.x] = (float)r.sum + (float)r.count + r.parts[threadIdx.x & 3] + (float)extra.weight;
}
#endif

PROGRAM(structs)
{
    Array<float> out(32);
    structs_job job = {{{'a', 1.5, {1, 2, 3}}, {'b', -2.25, {4, 5, 6}}, {'c', 10, {-7, 8, 9}}}, 3, out.device, 250};
    structs_item extra = {'x', 0.125, {0, 0, 0}};
    CHECK(!LAUNCH(structs_kernel, dim3(1), dim3(32), 0, job, extra));
    out.down();
    for (int t = 0; t < 32; t++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += job.items[k].weight * job.items[k].pair[t % 3];
        const float part = (t & 3) == 3 ? 0 : (float)(job.items[t & 3].pair[0] + 250);
        CHECK(out[t] == (float)sum + (float)('a' + 'b' + 'c') + part + 0.125f);
    }
    structs_table table;
    for (int i = 0; i < 8000; i++) table.v[i] = (int)(noise(i) % 100);
    CHECK(!LAUNCH(structs_large_kernel, dim3(1), dim3(32), 0, table, out.device));
    out.down();
    for (int t = 0; t < 32; t++) {
        int sum = 0;
        for (int i = t; i < 8000; i += 32) sum += table.v[i];
        CHECK(out[t] == (float)sum);
    }
    return 0;
}
