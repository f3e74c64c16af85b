/* Files of hints: what `poise hint --json` writes, and the mechanism `learned` reads before a launch. No GPU words.
 *
 * { "tuple": {"N": 2, "p": 1}, "gain": {"value": 2.7, "low": 1.0, "high": 3.6, "percent": 90},
 *   "surface": [{"N": 1, "p": 1, "log_speedup": 0.76}, ..],           of one launch, or
 *   "launches": [{"kernel_id": 7, "W": 24, "warps": 4096, "warp_insts": 300000, "tuple", "gain", "surface"}, ..] }
 *
 * A hint without "kernel_id" is for any launch. "percent" is 90 where it is not said. In a surface with "admit" the
 * rows of one rule of admission are asked for by its name. Unknown keys are passed over. */
#ifndef POISE_HINT_FILE_H
#define POISE_HINT_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/response_net.h"

enum { HINT_TUPLES_MAX = 2 * RESPONSE_POINTS_MAX };
struct hint_tuple {
    struct response_tuple at;
    int32_t z;    /* ln speedup, units of 2^-RESPONSE_FRACTION_BITS */
    bool is_gang; /* admit=gang; false: each, or nothing is said */
};
struct launch_hint {
    bool is_any;        /* says no kernel_id */
    uint32_t kernel, W; /* W 0: not said */
    uint64_t warps, insts;
    struct response_tuple tuple;
    double spread; /* one standard deviation of ln gain, from its interval */
    size_t n;
    struct hint_tuple response[HINT_TUPLES_MAX];
};
struct hint_file {
    struct launch_hint *items;
    size_t n;
};
void hint_file_fini(struct hint_file *hints);
/* On error *out holds nothing that needs hint_file_fini(). Errors name the file and the key. */
int hint_file_read(struct hint_file *out, const char *path, struct error *err);
int hint_file_parse(struct hint_file *out, const char *name, const char *text, size_t size, struct error *err);

/* A launch, as a hint is looked up for it. */
struct hint_wanted {
    uint32_t kernel, W;
    uint64_t warps, insts;
};
enum hint_match { HINT_NONE, HINT_ANY, HINT_KERNEL, HINT_LAUNCH };
/* The hint of this very launch: the same kernel, W, warps and instructions. Else of the same kernel the one whose W,
 * then whose instructions, are nearest. Else one for any launch. */
enum hint_match hint_file_find(const struct hint_file *hints, const struct hint_wanted *launch,
                               const struct launch_hint **out);
/* The best tuple under a rule of admission, clamped to W, and the surface at the points of a lattice: z[points]. Points
 * that the hint does not have are worth what its worst one is. */
struct response_tuple launch_hint_response(const struct launch_hint *hint, bool in_gangs, const uint8_t *levels,
                                           size_t n_levels, uint32_t W, int32_t z[RESPONSE_POINTS_MAX]);
#endif
