// bitrev: complex numbers in the order that a Fourier transform by halves wants or leaves them: element i goes where
// the bits of i in reverse say (J. Cooley and J. Tukey, Math. Comp. 1965). A thread owns a place of the result.
#include "cuda_device.h"

extern "C" __global__ void bitrev(const float2 *in, float2 *out, u32 n_log2)
{
    u32 i = thread_index();
    out[i] = in[__builtin_bitreverse32(i) >> (32 - n_log2)];
}
