/* Runs of synthetic launches under stacks of mechanisms, for the tests of BUCL and MRPB. */
#ifndef TEST_STACK_H
#define TEST_STACK_H
#include "synth.h"

#include "poise/sys/hooks.h"

struct stack_run {
    const char *mechs[4];   /* up to the first NULL */
    const char *const *set; /* "l1.ways=8", NULL-terminated; on fermi15-hash with 4 SMs */
    bool no_skip;
};
/* The statistics; mechanisms' own, of the first, in *mech (a JSON object to decref) unless NULL. */
struct gpu_stats *stack_run(const struct trace *trace, const struct stack_run *how, struct json_t **mech);
static inline uint64_t stack_value(const struct gpu_stats *stats, const char *name)
{
    return (uint64_t)gpu_stats_value(stats, name);
}
/* Every line request of a load went one way. */
void stack_conserves(const struct gpu_stats *stats);
/* The same bytes with and without skipping, and after going on from a snapshot. */
void stack_repeats(const struct trace *trace, const struct stack_run *how);
/* The same for a run whose statistics, of stack_run, are there already. */
void stack_repeats_as(const struct trace *trace, const struct stack_run *how, const struct gpu_stats *stats);
/* Each of these on a launch with everything in it: conserved, and the same bytes with skipping, without, and from a
 * snapshot. */
void stack_runs_hold(const struct stack_run *runs, size_t n);
#endif
