/* All programs of this folder as one: compiled once, which is most of a test's time. `suite NAME` runs one. */
#define PROGRAM_SUITE
#include "arithmetic.cu"
#include "bits.cu"
#include "carry.cu"
#include "floats.cu"
#include "doubles.cu"
#include "halves.cu"
#include "bfloats.cu"
#include "convert.cu"
#include "approximate.cu"
#include "library.cu"
#include "both_sides.cu"
#include "idioms.cu"
#include "random.cu"
#include "video.cu"
#include "matrices.cu"
#include "tensors.cu"
#include "roundings.cu"
#include "dots.cu"
#include "bessel.cu"
#include "divergence.cu"
#include "switches.cu"
#include "recursion.cu"
#include "pointers.cu"
#include "virtuals.cu"
#include "lambdas.cu"
#include "wrappers.cu"
#include "structs.cu"
#include "locals.cu"
#include "shared.cu"
#include "constants.cu"
#include "vectors.cu"
#include "caching.cu"
#include "generic.cu"
#include "parameters.cu"
#include "shuffles.cu"
#include "partial.cu"
#include "votes.cu"
#include "atomics.cu"
#include "locks.cu"
#include "fences.cu"
#include "barriers.cu"
#include "announcing.cu"
#include "groups.cu"
#include "grid.cu"
#include "waiting.cu"
#include "spinning.cu"
#include "asynchronous.cu"
#include "leaders.cu"
#include "texture_1d.cu"
#include "texture_2d.cu"
#include "texture_3d.cu"
#include "texture_cubes.cu"
#include "texture_references.cu"
#include "headers.cu"
#include "collectives.cu"
#include "surfaces.cu"
#include "printing.cu"
#include "heap.cu"
#include "managed.cu"
#include "registered.cu"
#include "streams.cu"
#include "copies.cu"
#include "occupancy.cu"
#include "registers.cu"
#include "bounds.cu"
#include "task_graphs.cu"
#include "conditions.cu"
#include "linking.cu"
#include "graph.cu"
#include "sorting.cu"
#include "errors.cu"
#include "assertion.cu"

static const struct { const char *name; int (*run)(); } programs[] = {
#define X(name) {#name, name##_program},
#include "programs.def"
#undef X
};

int main(int argc, char **argv)
{
    int failed = 0, ran = 0;
    for (const auto &program : programs) {
        if (argc > 1 && strcmp(argv[1], program.name) != 0) continue;
        const int status = program.run();
        printf("%s %s\n", program.name, status ? "failed" : "ok");
        fflush(stdout);
        failed += status != 0;
        ran++;
    }
    return failed || !ran;
}
