/* The knobs of the workload synth, for the program and for specs that name it. */
#ifndef SYNTH_KNOBS_H
#define SYNTH_KNOBS_H
/* clang-format off */
#define SYNTH_KNOBS(K) /* enumerator, name, default, smallest, largest, meaning */ \
    K(BLOCKS, "blocks", 0, 0, 65535, "blocks; 0: by size, 2, 160 or 1600") \
    K(WARPS, "warps", 8, 1, 32, "warps a block") \
    K(DIVERGENCE, "divergence", 4, 1, 32, "lines a load touches (of each phase)") \
    K(DISTANCE, "distance", 16, 1, 65536, \
      "own lines from one touch of a line to the next, itself included; a multiple of divergence (of each phase)") \
    K(WORKING_SET, "working_set", 16, 1, 1048576, "own lines of a warp, a multiple of distance (of each phase)") \
    K(REUSE, "reuse", 2, 1, 65536, "how often a warp touches each of its own lines (of each phase)") \
    K(SHARED, "shared", 1, 0, 65536, \
      "loads of lines shared in a group, after each walk over `distance` own lines (of each phase)") \
    K(SHARERS, "sharers", 8, 1, 65536, "warps of a group: each touches each of the group's shared lines once") \
    K(IN, "in", 22, 1, 100000, "instructions between two global loads, I_n (of each phase)") \
    K(PHASES, "phases", 1, 1, 8, "phases, each with lines of its own") \
    K(SEED, "seed", 1, 0, UINT32_MAX, "of the data, of where warps' lines lie, and of the order in a walk")
/* clang-format on */
/* What a phase's numbers must be of each other, for a message with four %u: the phase and the three. */
#define SYNTH_PHASE_RULE "phase %u: distance=%u must be a multiple of divergence=%u, and working_set=%u of distance"
#define SYNTH_PHASE_KEEPS_RULE(divergence, distance, set) ((distance) % (divergence) == 0 && (set) % (distance) == 0)
#endif
