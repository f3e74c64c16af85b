// ctcalign: forced alignment of speech to its text through the outputs of a network trained with CTC (A. Graves and
// others, ICML 2006). A block owns an utterance, a thread a state: the text's pieces with a blank before, between and
// after them. A state is reached from itself, the one before, or the one before that, if that is another piece.
#include "cuda_device.h"

#define STATES 256
#define UNREACHED -1.0e30f

extern "C" __global__ void ctc_align(const float *outputs, const u32 *labels, const u32 *n_states, u8 *steps,
                                     float *scores, u32 frames, u32 pieces)
{
    __shared__ float score[2][STATES + 2];
    const u32 state = threadIdx.x, states = n_states[blockIdx.x], label = labels[blockIdx.x * STATES + state];
    const float *column = outputs + blockIdx.x * frames * pieces + label;
    const bool may_skip = state > 1 && (state & 1) && label != labels[blockIdx.x * STATES + state - 2];
    float own = state < 2 ? *column : UNREACHED;
    score[0][state + 2] = own;
    if (state < 2) score[0][state] = score[1][state] = UNREACHED;
    steps += blockIdx.x * frames * STATES + state;
    *steps = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 t = 1; t < frames; t++) {
        const float *before = score[~t & 1];
        if (state < states) {
            column += pieces;
            steps += STATES;
            float one = before[state + 1], two = may_skip ? before[state] : UNREACHED;
            u8 step = 0;
            if (one > own) {
                own = one;
                step = 1;
            }
            if (two > own) {
                own = two;
                step = 2;
            }
            own += *column;
            *steps = step;
            score[t & 1][state + 2] = own;
        }
        __syncthreads();
    }
    scores[blockIdx.x * STATES + state] = own;
}
