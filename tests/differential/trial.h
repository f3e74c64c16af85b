/* A trial: launches on a machine under mechanisms, as one line of text that says all of it and can be run again:
 *
 *   kernel=mixture,24,6,12,9 config=kepler32 set=l1.ways=8 mech=tuple,N=4,p=2 warmup=1555 hops=700 max_cycles=40000
 *
 *   kernel=KIND,NUMBERS   synthetic (tests/unit/gpu/synth.h): mixture, any (launches as CTAs, warps, rounds, seed),
 *                         rows (CTAs, warps, columns, passes), chase (loads, stride, span); or NAME/LAUNCH of a
 *                         workload, size test. Several: a program's launches in order, which carry L2 over
 *   config=PRESET         experiments/configs
 *   set=GROUP.NAME=VALUE  of the machine
 *   mech=NAME,KEY=VALUE   of the stack; @models/ is the folder of models
 *   carry=1               the launch carries L2 over to itself, run twice
 *   warmup=K max_cycles=K max_insts=K early_end=EPS    limits of the run (poise/gpu.h)
 *   hops=K                besides, every K cycles the run goes on in an instance that ticks if this one skips, and the
 *                         other way round
 *   watch=1 timeline=1    besides, a run that is watched, or recorded
 *   contract=1            besides, a machine that takes the stack runs it: no deadlock, nor any other error, and every
 *                         line request of a load goes one way */
#ifndef TRIAL_H
#define TRIAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRIAL_TOKENS = 64, TRIAL_TOKEN = 600, TRIAL_LINE = 8192 };
struct trial {
    char tokens[TRIAL_TOKENS][TRIAL_TOKEN];
    size_t n;
};
void trial_parse(struct trial *out, const char *line);
void trial_add(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *trial_line(const struct trial *t, char line[TRIAL_LINE]); /* returns `line` */

/* SplitMix64 [Steele et al., OOPSLA 2014]: every trial is drawn from a state of its own. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline uint64_t draw_below(uint64_t *state, uint64_t n) { return draw(state) % n; }
static inline bool draw_one_in(uint64_t *state, uint64_t n) { return draw_below(state, n) == 0; }
/* A trial whose machine and mechanisms are legal one by one, by its number. */
void trial_draw(struct trial *out, uint64_t seed, uint64_t number, bool has_workloads);
/* Two mechanisms with any of their parameters on a machine out of the product of geometries, by contract. So many
 * trials in a row have each pair once. */
void trial_draw_pair(struct trial *out, uint64_t seed, uint64_t number);
uint64_t trial_pairs(void);

/* What came of a trial. */
enum verdict { TRIAL_SAME, TRIAL_REFUSED, TRIAL_DIFFERS, TRIAL_BROKEN };
/* Every run of it must give the bytes of the one that ticks every unit in every cycle. REFUSED: no run starts, all for
 * the same reason. BROKEN: the line cannot be run. `why` says what differs, or why not. */
enum verdict trial_run(const struct trial *t, char *why, size_t size);
/* The same in a process of its own: a crash and a run that does not end are verdicts as well. */
enum verdict trial_run_apart(const struct trial *t, char *why, size_t size);
#endif
