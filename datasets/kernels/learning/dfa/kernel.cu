// dfa: packets searched for patterns by a finite automaton, as an intrusion detection system does. A thread owns a
// packet; a launch takes the next segment of every packet, and the automaton's state is kept between launches. The next
// state comes from a table of SYMBOLS entries a state, which hold where the next state's own entries start; states from
// `accepting` on have found a pattern.
#include "cuda_device.h"

// A word of text is four symbols of 6 bits, one a byte.
extern "C" __global__ void dfa_scan(const u32 *text, const u32 *starts, const u32 *next, u32 *states, u32 *matches,
                                    u32 first, u32 words, u32 accepting, u32 n)
{
    u32 packet = thread_index();
    if (packet >= n) return;
    u32 at = starts[packet] + first, end = starts[packet + 1];
    if (at >= end) return;
    end = end - at > words ? at + words : end;
    u32 state = states[packet], found = matches[packet];
#pragma unroll 1
    for (; at < end; at++) {
        u32 symbols = text[at];
#pragma unroll 1
        for (u32 k = 0; k < 4; k++, symbols >>= 8) {
            state = next[state + (symbols & 63u)];
            if (state >= accepting) found++;
        }
    }
    states[packet] = state;
    matches[packet] = found;
}
