// zorder: one Jacobi step of a nine-point stencil on a grid in Morton order (R. Raman and D. Wise, "Converting to and from
// dilated integers", IEEE ToC 57, 2008): a coordinate has every second bit of the place, so that a step of one in a
// coordinate is an addition that carries over the other's bits. The grid wraps round. A thread owns a point.
#include "cuda_device.h"

#define EVEN 0x55555555u
#define ODD 0xaaaaaaaau

extern "C" __global__ void jacobi(const float *in, float *out, float middle, float side, float corner, u32 n)
{
    u32 place = thread_index();
    if (place >= n) return;
    const u32 last = n - 1, x = place & EVEN, y = place & ODD;
    const u32 left = (x - 1) & EVEN & last, right = ((x | ODD) + 1) & EVEN & last;
    const u32 up = (y - 2) & ODD & last, down = ((y | EVEN) + 1) & ODD & last;
    float sum = in[place] * middle;
    sum = fmaf(in[left | y], side, sum);
    sum = fmaf(in[right | y], side, sum);
    sum = fmaf(in[x | up], side, sum);
    sum = fmaf(in[x | down], side, sum);
    sum = fmaf(in[left | up], corner, sum);
    sum = fmaf(in[right | up], corner, sum);
    sum = fmaf(in[left | down], corner, sum);
    sum = fmaf(in[right | down], corner, sum);
    out[place] = sum;
}
