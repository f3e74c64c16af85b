/* The glossary, one row a term. */
#include "poise/terms.h"

#include <string.h>
#include "poise/table.h"

const struct term terms[] = {
    {"AML",
     "average memory latency: core cycles from an L1 miss to its data, the mean over primary load misses and bypassed "
     "loads",
     "THESIS 2.2, 5.5"},
    {"benchmark", "a program with all its launches; sums and means over a benchmark weigh its launches by their cycles",
     "datasets/README.md"},
    {"BUCL", "a policy that lets un-coalesced loads, and requests that L1 cannot take, bypass L1", "BUCL"},
    {"bypass", "a load does not use L1: it looks nothing up, or takes no line when it misses", "BUCL IV.A"},
    {"CCN",
     "Cooperative Caching Network: a ring on which an SM's L1 misses look other L1s up; CCN-RT switches it off where "
     "it finds little, CCN-B never",
     "THESIS ch. 4"},
    {"CCWS",
     "cache-conscious wavefront scheduling: limits the warps that may load where a warp misses lines that it had",
     "sim/mech/MECHANISMS.md"},
    {"coalescing",
     "joining the addresses of a warp's threads to as few line requests as possible; an un-coalesced load needs many",
     "THESIS 2.2.3"},
    {"configuration",
     "the simulated machine: every parameter of SMs, caches, network and DRAM; 'poise configs' lists the presets",
     "sim/gpu/README.md"},
    {"contender", "a policy that an evaluation compares with Poise and the baseline", "experiments/README.md"},
    {"CTA", "thread block (cooperative thread array): the warps that share an SM's shared memory and its barriers",
     "CUDA"},
    {"divergence",
     "L1 accesses of one load instruction after coalescing: 1 where all threads of a warp use one line, up to 32",
     "THESIS 2.2.3"},
    {"DSC", "decoupled sectored cache: several tags share the sectors of a frame; DSC-2 has two, DSC-4 four",
     "TSC 5.2"},
    {"Elastic-Cache", "an L1 whose lines hold chunks of any lines with a common tag", "ELASTIC 3"},
    {"eta",
     "intra-warp hit rate: hits on a line that the same warp touched last, over all L1 accesses; eta_o with all warps, "
     "eta' with one",
     "THESIS Tab. 5.2"},
    {"family",
     "programs whose dominant load has the same address pattern; a model is evaluated on families that it was not "
     "trained on",
     "datasets/FAMILIES.md"},
    {"fraction of Static-Best's gain",
     "(S - 1) / (S of Static-Best - 1), where S is a policy's mean speedup over GTO; in logarithms: log S / log (S of "
     "Static-Best)",
     "sim/mech/MECHANISMS.md"},
    {"gang",
     "warps that enter a scheduler together once all warps that entered together before have ended (admit=gang)",
     "sim/mech/GANGS.md"},
    {"GTO",
     "greedy then oldest: a scheduler goes on with the same warp until it stalls, then takes the oldest ready one; the "
     "baseline, with all warps",
     "THESIS 2.2.1"},
    {"h",
     "L1 hit rate: load accesses that find their data, over all load accesses; h_o with all warps, h' with one; a "
     "merge into a pending miss is no hit",
     "THESIS Tab. 5.2"},
    {"hint", "a warp tuple from the quick model, known before a launch starts", "sim/quick/README.md"},
    {"I_max", "above so many compute instructions for each load the engine leaves all warps running",
     "THESIS Tab. 5.5"},
    {"I_n", "compute instructions of a warp for each of its global loads, which can hide a load's latency",
     "THESIS Tab. 5.2"},
    {"in step",
     "of warps: executing the same part of a program at the same time, so that they share lines of L1; sampling other "
     "tuples separates them",
     "sim/mech/GANGS.md"},
    {"inference engine",
     "the hardware in each SM that samples counters, predicts (N, p) by the trained weights and searches nearby",
     "THESIS 5.6"},
    {"interaction",
     "of two policies: the logarithm of their speedup together less the sum of the logarithms of their speedups alone",
     "experiments/STUDIES.md"},
    {"IPC", "instructions a cycle: of threads and the whole GPU, unless a table says warp instructions",
     "sim/gpu/config/stats.h"},
    {"ladder", "a policy that compares warp tuples on groups of SMs while a kernel runs, without a model",
     "models/ladder.md"},
    {"LAMAR", "a sectored cache that fetches a whole line where it predicts locality", "TSC 5.2, 6"},
    {"launch",
     "one execution of a kernel, written workload.input/number: pvr.2/0 is the first launch of workload pvr on its "
     "input 2",
     "datasets/README.md"},
    {"learned",
     "a mechanism that chooses one warp tuple for the GPU by a hint, or by a trained network after short samplings",
     "sim/mech/LEARNED.md"},
    {"ledger", "the list of differences from the papers and from the reference", "experiments/DEVIATIONS.md"},
    {"literal", "of a program: the same loads and stores as the program of a public suite whose name it has",
     "datasets/kernels/LITERAL.md"},
    {"mechanism", "a policy in the simulated hardware: which warps may run, what L1 keeps; 'poise mechs' lists them",
     "sim/mech/README.md"},
    {"mode", "quick: profiled launches, stopped early, some tuples; full: all launches and tuples",
     "experiments/STUDIES.md"},
    {"model version",
     "a number that is raised when the simulator's results are meant to change; runs of different versions are not "
     "mixed",
     "sim/gpu/include/poise/gpu.h"},
    {"MRPB", "memory request prioritization buffer: a queue for each warp in front of L1, and bypassing on any stall",
     "BUCL V"},
    {"MSHR", "miss status holding register: an outstanding miss of a cache, into which later misses of the line merge",
     "THESIS 2.2.2"},
    {"mu_RC", "share of an SM's load misses that another L1 holds", "THESIS 4.3.1"},
    {"N", "warps of each scheduler that may issue, the oldest first", "THESIS 5.4"},
    {"NB2", "negative binomial regression with a log link, which predicts N and p", "learn/README.md"},
    {"offline error",
     "of a model on kernels that training never saw, before the engine's search corrects its prediction",
     "THESIS 5.7.2"},
    {"oracle",
     "the best tuple for each window of a launch, found by running the launch from that window with each tuple",
     "sim/mech/MECHANISMS.md"},
    {"p", "of these N warps, how many may allocate lines in L1 ('pollute' it); the others' misses take none",
     "THESIS 5.4"},
    {"P_best", "speedup of an L1 with 64 times the capacity", "THESIS Tab. 5.4"},
    {"P_inf, P_dram", "speedup with a memory of infinite bandwidth, and with such a DRAM alone", "THESIS Tab. 3.2"},
    {"PCAL",
     "priority-based cache allocation: the tuple is searched while the kernel runs, p by trying values on different "
     "SMs, then N by climbing",
     "THESIS 5.3.2"},
    {"point", "one setting of a study, sweep or tuning: a machine and a stack with their parameters",
     "experiments/STUDIES.md"},
    {"Poise", "the policy of the thesis: a trained model predicts (N, p) from counters, a short search corrects it",
     "THESIS ch. 5"},
    {"pollute bit", "says whether a warp may allocate lines in L1; only the p oldest warps have it",
     "sim/mech/MECHANISMS.md"},
    {"profile", "a launch simulated under many warp tuples: speedup and score of each", "THESIS 5.5.3"},
    {"quick model", "estimates the speed of every warp tuple in seconds, without simulating cycles",
     "sim/quick/README.md"},
    {"reference",
     "the cycle-level simulator that the timing model is compared with: Accel-Sim, on its traces and configurations",
     "sim/gpu/README.md"},
    {"regret", "share of Static-Best's speedup that is lost by taking another tuple", "learn/README.md"},
    {"response surface", "the logarithm of the speedup over GTO at every warp tuple, as a learned model predicts it",
     "learn/README.md"},
    {"sampling",
     "of a mechanism: short windows at some warp tuples to measure features; of a program (--sample): simulating some "
     "of its launches",
     "experiments/sampling/README.md"},
    {"score",
     "a tuple's speedup averaged with its neighbours' (weights 1, 1/2, 1/4): what training aims at, as a peak alone is "
     "hard to hit",
     "THESIS Eq. 5.12"},
    {"sealed", "of families: never simulated before a finished model is evaluated on them once",
     "datasets/FAMILIES.md"},
    {"size", "of a workload's input: test, small (the default), eval (at least 1 M cycles) or full (the papers')",
     "datasets/README.md"},
    {"spec", "a YAML file that says what a command runs; 'poise help spec-sweep' and the like list the keys",
     "experiments/README.md"},
    {"speedup", "cycles of the baseline over cycles of the policy; means of speedups are harmonic", "THESIS 5.7.4"},
    {"stack", "mechanisms that run together in one simulation", "sim/mech/README.md"},
    {"statement", "a sentence of a paper about its figure, which a study checks", "experiments/STUDIES.md"},
    {"Static-Best",
     "the fastest simulated tuple (N, p) of a launch, chosen with hindsight and kept for the whole launch",
     "THESIS 5.7.4"},
    {"store", "an SQLite file of simulated runs, so that none is simulated twice", "experiments/README.md"},
    {"study", "what a figure or table of a paper ran, with our values beside the paper's", "experiments/STUDIES.md"},
    {"suite", "a checkout of CUDA programs whose programs are workloads, SUITE/PROGRAM", "experiments/suite/README.md"},
    {"SWBU", "SWL and BUCL together", "BUCL"},
    {"SWL", "static wavefront limiting: one N = p for a whole benchmark, the best with hindsight", "THESIS 5.7.4"},
    {"TAP",
     "policies of a last-level cache shared by CPU cores and a GPU: they test whether caching helps the GPU at all",
     "sim/mech/MECHANISMS.md"},
    {"target", "the tuple with the highest score, which a training row states", "THESIS Eq. 5.12"},
    {"theta",
     "of a negative binomial regression: the variance of a count of mean mu is mu + mu^2 / theta; infinite means a "
     "Poisson count",
     "THESIS 5.5.4"},
    {"trace", "what the warps of a launch did, recorded once and simulated under any policy and machine",
     "sim/cuda/README.md"},
    {"TSC, TSC+",
     "the tag-split cache, an L1 of small chunks whose tags share a part; TSC+ chooses between chunks and whole lines",
     "TSC"},
    {"TUCD", "threshold of un-coalescing degree in BUCL: loads that become more line requests than this bypass L1",
     "BUCL IV.A"},
    {"W",
     "warps of each scheduler that a launch can have at a time, by its size and the machine's resources; N = p = W is "
     "GTO",
     "THESIS 5.4"},
    {"warm-up", "cycles under the baseline before a mechanism starts", "experiments/README.md"},
    {"warp tuple", "(N, p) with 1 <= p <= N <= W", "THESIS 5.4"},
    {"wave", "the CTAs that run at the same time, before their successors", "experiments/sampling/README.md"},
};
const size_t n_terms = COUNT_OF(terms);

void text_wrapped(FILE *out, const char *text, unsigned left, unsigned width)
{
    unsigned column = left;
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (column > left && column + 1 + n > width) {
            fprintf(out, "\n%*s", (int)left, "");
            column = left;
        } else if (column > left) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)n, text);
        column += (unsigned)n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}

void terms_print(FILE *out, unsigned width)
{
    enum { LEFT = 18 };
    for (size_t i = 0; i < n_terms; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s [%s]", terms[i].meaning, terms[i].source);
        fprintf(out, "%-*s", LEFT, terms[i].name);
        if (strlen(terms[i].name) >= LEFT) fprintf(out, "\n%*s", LEFT, "");
        text_wrapped(out, text, LEFT, width < 40 ? 40 : width);
    }
}
