// synth: a parametric kernel. Every warp walks lines of its own, tile by tile, each tile a number of times in the same order,
// and after each pass reads some lines that it shares with the warps of its group; between loads it computes. All control is
// uniform in a warp, so what a warp does follows from the phases alone.
#include "cuda_device.h"

#define PHASES 8
#define LINE 128

// All in bytes but the counts.
struct synth_phase {
    u32 lines, step;                     // of a load: how many it touches, what it covers (lines x 128)
    u32 tiles, passes, per_tile, shared; // per_tile, shared: loads of a pass
    u32 tile, stride;                    // a tile; from one load of it to the next, modulo the tile
    u32 work;                            // turns of computing after a load, in 1/65536
    u32 own_at, own_pitch, shared_at, shared_pitch; // where the phase's lines start; those of a warp, of a group
};
typedef const __attribute__((address_space(1))) u8 *global_bytes;

// An ordinary load that the compiler may neither delete nor move nor join with another: a volatile one would go around L1.
static inline __device__ u32 load(global_bytes at)
{
    u32 value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

extern "C" {
__constant__ synth_phase synth_phases[PHASES];
}

static inline __device__ float compute(float x, u32 turns)
{
#pragma unroll 1
    for (; turns; turns--) asm volatile("fma.rn.f32 %0, %0, 0f3F400000, 0f3F000000;" : "+f"(x)); // a chain of dependent operations
    return x;
}

// Warp w stands at place (w x place_step + place_start) mod n_warps, which scatters the warps over the memory by the seed. Every
// thread's result is the sum of what it loaded, and of where its computing ended.
extern "C" __global__ void synth(const u8 *data, u32 *out, u32 n_phases, u32 place_step, u32 place_start, u32 n_warps, u32 sharers)
{
    const global_bytes memory = (global_bytes)data;
    u32 sum = 0;
    float x = 1.0f;
#pragma unroll 1
    for (u32 f = 0; f < n_phases; f++) {
        const synth_phase &p = synth_phases[f];
        u32 warp = thread_index() / 32, lane = threadIdx.x % 32, tiles = p.tiles, credit = 0;
        u32 offset = lane * p.lines / 32 * LINE + lane * 4;
        u32 own = p.own_at + (warp * place_step + place_start) % n_warps * p.own_pitch + offset;
        u32 common = p.shared_at + warp / sharers * p.shared_pitch + offset;
#pragma unroll 1
        for (; tiles; tiles--) {
#pragma unroll 1
            for (u32 pass = p.passes; pass; pass--) {
                u32 at = 0, stride = p.stride, tile = p.tile;
                credit = (credit & 0xffff) + p.work;
#pragma unroll 1
                for (u32 i = p.per_tile; i; i--) {
                    sum += load(memory + (own + at));
                    x = compute(x, credit >> 16);
                    at += stride;
                    at = at >= tile ? at - tile : at;
                }
#pragma unroll 1
                for (u32 i = p.shared, step = p.step; i; i--) {
                    sum += load(memory + common);
                    x = compute(x, credit >> 16);
                    common += step;
                }
            }
            own += p.tile;
        }
    }
    out[thread_index()] = sum + (u32)(x * 1024.0f);
}
