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
    {"bypass", "a load does not use L1: it looks nothing up, or takes no line when it misses", "BUCL IV.A"},
    {"configuration",
     "the simulated machine: every parameter of SMs, caches, network and DRAM; 'poise configs' lists the presets",
     "sim/gpu/README.md"},
    {"CTA", "thread block (cooperative thread array): the warps that share an SM's shared memory and its barriers",
     "CUDA"},
    {"divergence",
     "L1 accesses of one load instruction after coalescing: 1 where all threads of a warp use one line, up to 32",
     "THESIS 2.2.3"},
    {"eta",
     "intra-warp hit rate: hits on a line that the same warp touched last, over all L1 accesses; eta_o with all warps, "
     "eta' with one",
     "THESIS Tab. 5.2"},
    {"GTO",
     "greedy then oldest: a scheduler goes on with the same warp until it stalls, then takes the oldest ready one; the "
     "baseline, with all warps",
     "THESIS 2.2.1"},
    {"h",
     "L1 hit rate: load accesses that find their data, over all load accesses; h_o with all warps, h' with one; a "
     "merge into a pending miss is no hit",
     "THESIS Tab. 5.2"},
    {"I_n", "compute instructions of a warp for each of its global loads: what there is to hide a load's latency with",
     "THESIS Tab. 5.2"},
    {"I_max", "above so many compute instructions for each load the engine leaves all warps running",
     "THESIS Tab. 5.5"},
    {"inference engine",
     "the hardware in each SM that samples counters, predicts (N, p) by the trained weights and searches nearby",
     "THESIS 5.6"},
    {"IPC", "instructions a cycle: of threads and the whole GPU, unless a table says warp instructions",
     "sim/gpu/config/stats.h"},
    {"launch",
     "one execution of a kernel, written workload.input/number: pvr.2/0 is the first launch of workload pvr on its "
     "input 2",
     "datasets/README.md"},
    {"mechanism", "a policy in the simulated hardware: which warps may run, what L1 keeps; 'poise mechs' lists them",
     "sim/mech/README.md"},
    {"MSHR", "miss status holding register: an outstanding miss of a cache, into which later misses of the line merge",
     "THESIS 2.2.2"},
    {"N", "warps of each scheduler that may issue, the oldest first", "THESIS 5.4"},
    {"offline error",
     "of a model on kernels that training never saw, before the engine's search corrects its prediction",
     "THESIS 5.7.2"},
    {"p", "of these N warps, how many may allocate lines in L1 ('pollute' it); the others' misses take none",
     "THESIS 5.4"},
    {"PCAL",
     "priority-based cache allocation: the tuple is searched while the kernel runs, p by trying values on different "
     "SMs, then N by climbing",
     "THESIS 5.3.2"},
    {"Poise", "the policy of the thesis: a trained model predicts (N, p) from counters, a short search corrects it",
     "THESIS ch. 5"},
    {"profile", "a launch simulated under many warp tuples: speedup and score of each", "THESIS 5.5.3"},
    {"regret", "share of Static-Best's speedup that is lost by taking another tuple", "learn/README.md"},
    {"score",
     "a tuple's speedup averaged with its neighbours' (weights 1, 1/2, 1/4): what training aims at, as a peak alone is "
     "hard to hit",
     "THESIS Eq. 5.12"},
    {"speedup", "cycles of the baseline over cycles of the policy; means of speedups are harmonic", "THESIS 5.7.4"},
    {"stack", "mechanisms that run together in one simulation", "sim/mech/README.md"},
    {"Static-Best",
     "the fastest simulated tuple (N, p) of a launch, chosen with hindsight and kept for the whole launch",
     "THESIS 5.7.4"},
    {"SWL", "static wavefront limiting: one N = p for a whole benchmark, the best with hindsight", "THESIS 5.7.4"},
    {"target", "the tuple with the highest score, which a training row teaches", "THESIS Eq. 5.12"},
    {"theta",
     "of a negative binomial regression: the variance of a count of mean mu is mu + mu^2 / theta; infinite means a "
     "Poisson count",
     "THESIS 5.5.4"},
    {"trace", "what the warps of a launch did, recorded once and simulated under any policy and machine",
     "sim/cuda/README.md"},
    {"TUCD", "threshold of un-coalescing degree in BUCL: loads that become more line requests than this go round L1",
     "BUCL IV.A"},
    {"W",
     "warps of each scheduler that a launch can have at a time, by its size and the machine's resources; N = p = W is "
     "GTO",
     "THESIS 5.4"},
    {"warp tuple", "(N, p) with 1 <= p <= N <= W", "THESIS 5.4"},
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
        text_wrapped(out, text, LEFT, width < 40 ? 40 : width);
    }
}
