// gpeval: a population of expressions evaluated on fitness cases, as genetic programming does (J. Koza, 1992; on GPUs
// W. Langdon and W. Banzhaf, EuroGP 2008). A thread owns a case (blockIdx.y is the expression) and runs the expression,
// which is in postfix order in constant memory, on a stack of its own; entries of one depth lie together, as local
// memory would have them. The top of the stack is in a register.
#include "cuda_device.h"
#include "expression.h"

extern "C" {
__constant__ u8 gp_nodes[GP_BYTES_MAX];
__constant__ u32 gp_starts[GP_EXPRESSIONS_MAX];
}

extern "C" __global__ void gp_evaluate(const float *variables, float *stacks, float *values, u32 cases)
{
    u32 thread = thread_index(), pitch = cases * gridDim.y;
    if (thread >= cases) return;
    variables += thread;
    float *stack = stacks + blockIdx.y * cases + thread, top = 0.0f;
    const u8 *node = gp_nodes + gp_starts[blockIdx.y];
#pragma unroll 1
    for (u32 what = *node; what != GP_END; what = *++node) {
        if (what >= GP_VARIABLE) {
            *stack = top;
            stack += pitch;
            if (what >= GP_CONSTANT) top = gp_constant(what);
            else top = variables[(what - GP_VARIABLE) * cases];
            continue;
        }
        stack -= pitch;
        float left = *stack;
        if (what == GP_ADD) top = left + top;
        else if (what == GP_SUBTRACT) top = left - top;
        else if (what == GP_MULTIPLY) top = left * top;
        else if (what == GP_LARGER) top = left > top ? left : top;
        else top = top == 0.0f ? 1.0f : left / top; // the protected division of genetic programming
    }
    values[blockIdx.y * cases + thread] = top;
}
