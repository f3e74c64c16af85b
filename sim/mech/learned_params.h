/* The parameters of the mechanism `learned`, and what `poise mechs learned` says of each. */
#ifndef MECH_LEARNED_PARAMS_H
#define MECH_LEARNED_PARAMS_H
#include "poise/sys/admission.h"
#include "poise/sys/hooks.h"

enum learned_start { START_SPLIT, START_CONSTANT, START_ALL };
#define LEARNED_PARAMS(P) \
    P(TEXT, model, 0, 0, 0, "path", "this project", "model file of a response surface") \
    P(TEXT, hint, 0, 0, 0, "path", "this project", \
      "file of 'poise hint --json': a launch that it knows begins at its tuple, without a sampling") \
    P(F64, sure, 0.25, 0, 1000, "1", "assumed", \
      "a try after a hint must promise more than so many standard deviations of the hint") \
    P(ENUM, start, START_SPLIT, 0, 2, "split|constant|all", "assumed", \
      "how a launch without a hint begins: groups of SMs at tuples of `starts`, of which the fastest goes on; all " \
      "SMs at the last of these; all at all warps for T_wait, then the sampling") \
    P(TEXT, starts, 0, 0, 0, "tuples", "assumed", "start=split, constant: default 'W:W 4:4 2:2'") \
    P(U32, T_start, 4000, 0, 100000000, "cycles", "assumed", "start=split, constant: cycles of it") \
    P(F64, start_gain, 0.02, 0, 10, "fraction", "assumed", "start=split: by which a tuple must beat all warps") \
    P(F64, pays, 4, 0, 1e6, "samplings", "assumed", \
      "start=split, constant: what must be left of a launch for a sampling to begin") \
    P(F64, pays_blind, 25, 0, 1e6, "samplings", "assumed", \
      "the same where warps of the start were not in each other's way: a sampling, half of it lost, costs 2 % at " \
      "most") \
    P(U32, T_wait, 30000, 0, 100000000, "cycles", "assumed", "start=all: cycles at (W,W) before the first sampling") \
    P(U32, T_warmup, 2000, 0, 10000000, "cycles", "assumed", "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 5000, 1, 10000000, "cycles", "assumed", "sampling duration of a round") \
    P(U32, T_settle, 10000, 0, 10000000, "cycles", "assumed", \
      "warm-up of a try, and of the step after it: what ran before drains meanwhile") \
    P(U32, T_try, 10000, 1, 10000000, "cycles", "assumed", "sampling duration of a try, and of the step after it") \
    P(U32, T_monitor, 20000, 1, 100000000, "cycles", "assumed", "window in which IPC is watched while a tuple runs") \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "observe: cycles between samplings") \
    P(F64, floor, 0.06, 0, 10, "1", "assumed", "standard deviation of what the network gets wrong, of ln speedup") \
    P(F64, slope, 0.8, 0, 10, "1", "assumed", \
      "the same by the root mean square relief of the predicted response surface") \
    P(F64, reach_N, 5, 0.1, 100, "doublings", "assumed", "of N after which two tuples share nothing of it") \
    P(F64, reach_p, 8, 0.1, 100, "doublings", "assumed", "the same of p") \
    P(F64, noise, 0.03, 0, 10, "1", "assumed", "standard deviation of ln of a rate that a try has shown") \
    P(F64, horizon, 1, 0, 1000, "1", "assumed", \
      "a launch is taken to last so many times as long as it shows, or start=all: has lasted; 0 = no try after the " \
      "first") \
    P(F64, drop, 0.3, 0, 1, "fraction", "assumed", "loss of IPC that makes all rates shown old; 1 = never") \
    P(U32, drops, 2, 1, 100, "windows", "assumed", "windows in a row that must have lost so much") \
    P(F64, I_max, 49, 0, 1e12, "instructions", "THESIS Tab. 5.5", \
      "compute instructions per load above which SMs stay at (W,W)") \
    P(FLAG, observe, 0, 0, 1, "flag", "assumed", "needs no model: samples, counts, and decides nothing") \
    P(TEXT, sample, 0, 0, 0, "tuples", "assumed", \
      "observe: sampling tuples, as in '2:2 4:1 / W:1 / W:W'; otherwise the model's") \
    P(U32, record, 1, 1, 1000, "1", "assumed", "observe: which sampling of the launch is counted") \
    P(U32, base_N, 0, 0, 64, "warps", "assumed", "observe: N between samplings; 0 = W") \
    P(U32, base_p, 0, 0, 64, "warps", "assumed", "observe: the same of p") \
    P(U32, T_kernel, 60000, 0, 1000000000, "cycles", "assumed", \
      "start=all: that a kernel has run in all its launches before one begins with a sampling (--carry-l2)") \
    P(U32, kernels, 8, 0, 64, "kernels", "assumed", \
      "of a program whose searches continue from launch to launch (--carry-l2); 0 = every launch starts a new one") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(learned_params, LEARNED_PARAMS);
#endif
