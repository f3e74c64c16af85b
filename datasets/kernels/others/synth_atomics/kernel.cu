// synth_atomics: a parametric kernel of atomics. Every warp adds to words of memory, a number of times to the same, then to others; which,
// follows from the knobs and a hash of the warp's number, the turn and the seed, so that host.c can say what every word must be in the end.
#include "cuda_device.h"

// All counts. A region is `words` words, `pitch` words from one to the next; number 0 is common to all, number 1 + block / sharers is a group's.
struct synth_atomics_knobs { u32 atomics, repeats, words, pitch, meet, own, sharers, work, read, seed; };

extern "C" {
__constant__ synth_atomics_knobs synth_knobs;
}

// A 32-bit mix of two rounds of multiplication and shifts: each bit of the result depends on all of x.
static inline __device__ u32 mix(u32 x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// An atomic without a result. Written as `atomicAdd`, the compiler makes one instruction of this and of the one whose result is read.
static inline __device__ void add(u32 *word)
{
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"((__attribute__((address_space(1))) u32 *)word) : "memory");
}

static inline __device__ float compute(float x, u32 turns)
{
#pragma unroll 1
    for (; turns; turns--) asm volatile("fma.rn.f32 %0, %0, 0f3F400000, 0f3F000000;" : "+f"(x)); // a chain of dependent operations
    return x;
}

// The address of a lane's word in turn `turn` of its warp.
static inline __device__ u32 *word_of(const synth_atomics_knobs &k, u32 *memory, u32 turn)
{
    u32 warp = thread_index() / 32, lane = threadIdx.x % 32, draw = mix(k.seed + mix(warp * 65536 + turn));
    u32 region = draw % 100 < k.own ? 1 + blockIdx.x / k.sharers : 0;
    return memory + (region * k.words + (draw / 128 + lane / k.meet) % k.words) * k.pitch;
}

// Where `read` is not 0, a thread sums up what its atomics return and waits for each; else nobody reads it.
extern "C" __global__ void synth_atomics(u32 *memory, u32 *out)
{
    const synth_atomics_knobs &k = synth_knobs;
    float x = 1.0f;
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = 0; i < k.atomics; i++) {
        u32 *word = word_of(k, memory, i / k.repeats);
        if (k.read) {
            u32 old = atomicAdd(word, 1);
            sum += old;
            x = compute(x, k.work + (old >> 31)); // no count gets that large: it only waits for the result
        } else {
            add(word);
            x = compute(x, k.work);
        }
    }
    out[thread_index()] = sum + (u32)(x * 1024.0f);
}
