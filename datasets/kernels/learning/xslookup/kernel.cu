// xslookup: macroscopic cross sections for particles that meet atoms, the core of Monte Carlo neutron transport. A
// thread owns a particle: it looks for the particle's energy in the table of energies, then adds up, over the nuclides
// of the material that the particle is in, what their rows at this energy and the next one say between them.
#include "cuda_device.h"

#define ENERGIES 1024

// Microscopic cross sections of a nuclide at an energy.
struct __attribute__((aligned(16))) row {
    float total, elastic, absorption, fission;
};

static inline __device__ float between(float low, float high, float share) { return fmaf(share, high - low, low); }

extern "C" __global__ void xs_lookup(const float *energies, const struct row *rows, const u32 *start,
                                     const u32 *nuclides, const float *densities, const float *energy_of,
                                     const u32 *material_of, struct row *out, u32 n)
{
    u32 particle = thread_index();
    if (particle >= n) return;
    float energy = energy_of[particle];
    u32 low = 0;
#pragma unroll 1
    for (u32 half = ENERGIES / 2; half != 0; half /= 2)
        if (energies[low + half] <= energy) low += half;
    float share = (energy - energies[low]) / (energies[low + 1] - energies[low]);
    u32 material = material_of[particle], k = start[material], end = start[material + 1];
    struct row sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (; k != end; k++) {
        const struct row *at = rows + nuclides[k] * ENERGIES + low;
        float density = densities[k];
        struct row a = at[0], b = at[1];
        sum.total = fmaf(density, between(a.total, b.total, share), sum.total);
        sum.elastic = fmaf(density, between(a.elastic, b.elastic, share), sum.elastic);
        sum.absorption = fmaf(density, between(a.absorption, b.absorption, share), sum.absorption);
        sum.fission = fmaf(density, between(a.fission, b.fission, share), sum.fission);
    }
    out[particle] = sum;
}
