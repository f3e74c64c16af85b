/* What the table of a run means, in three sentences that follow from its own figures. */
#include <math.h>
#include <string.h>
#include "poise/terms.h"
#include "studies/pipeline/pipeline_internal.h"

enum { WIDTH = 118 };

static void say_result(const struct pipeline *p, const double hmean[N_POLICIES], FILE *out)
{
    char text[600], rest[200] = "hindsight gains nothing here";
    const double best = hmean[POLICY_static_best], poise = hmean[POLICY_poise];
    if (best > 1)
        snprintf(rest, sizeof rest, "that is %.0f %% of what hindsight gains, in logarithms",
                 100 * log(poise) / log(best));
    snprintf(text, sizeof text,
             "Poise, which has seen none of these %zu benchmarks before, runs them at %.3f times the speed of GTO; the "
             "best fixed warp tuple of each "
             "launch, found by trying (S-Best), runs them at %.3f times: %s.",
             p->n_benchmarks - p->n_training_benchmarks, poise, best, rest);
    text_wrapped(out, text, 0, WIDTH);
}

/* Equal cycles are taken for the same runs: SWL's N = p is one of the tuples that Static-Best chooses from. */
static void say_why_swl_equals_static_best(const struct pipeline *p, FILE *out)
{
    char text[700];
    size_t equal = 0, n = p->n_benchmarks - p->n_training_benchmarks;
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
        equal += p->benchmarks[i].totals[POLICY_swl].m.cycles == p->benchmarks[i].totals[POLICY_static_best].m.cycles;
    if (equal)
        snprintf(text, sizeof text,
                 "On %zu of %zu SWL equals S-Best: the best tuple there has N = p, and warps that run without "
                 "allocating in L1 (N > p), which "
                 "SWL cannot have, gain nothing.",
                 equal, n);
    else
        snprintf(text, sizeof text,
                 "On none of %zu does SWL equal S-Best: the best tuples have N > p, warps that run without allocating "
                 "in L1, which SWL cannot "
                 "have.",
                 n);
    text_wrapped(out, text, 0, WIDTH);
}

static void say_where_the_rest_is_lost(const struct pipeline *p, FILE *out)
{
    char text[700];
    snprintf(text, sizeof text,
             "The rest is lost by predicting and sampling: the predicted tuples alone run %.0f %% slower than the best "
             "ones, which the engine's search corrects only nearby, and every period begins with samples at all warps "
             "and at one.",
             100 * pipeline_mean_loss(p));
    text_wrapped(out, text, 0, WIDTH);
}

/* A learned policy that was fitted without the families of what it is judged on, where the spec has one. */
static void say_which_to_use(const struct pipeline *p, double poise, FILE *out)
{
    char text[700];
    double inverse = 0;
    const size_t n = p->n_benchmarks - p->n_training_benchmarks;
    for (size_t c = 0; c < p->spec->n_contenders; c++) {
        if (strcmp(p->spec->contenders[c].name, "learned") != 0) continue;
        for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
            inverse += 1 / p->benchmarks[i].contenders[c].speedup;
        const double learned = (double)n / inverse;
        snprintf(
            text, sizeof text,
            "Which to use: the learned response surface, each time fitted without the benchmark's own family, runs "
            "these benchmarks at %.3f times the speed of GTO, Poise as published, trained here, at %.3f. %s",
            learned, poise,
            learned >= poise ? "Use the learned one: --mech learned,model=models/poise-best.json, or --model "
                               "models/poise-best.json of sim, predict, eval and policies."
                             : "Here Poise is the better one: --model MODEL.json of sim, predict, eval and "
                               "policies takes either.");
        text_wrapped(out, text, 0, WIDTH);
    }
}

/* Training launches that a threshold left out, by name. */
static void say_what_was_left_out(const struct pipeline *p, FILE *out)
{
    enum { NAMED_MAX = 6 };
    char text[300];
    size_t n = 0;
    for (size_t i = 0; i < p->n_profiles; i++) {
        const struct profile *q = &p->profiles[i];
        if (q->drop == DROP_NONE || ++n > NAMED_MAX) continue;
        snprintf(text, sizeof text, "Not trained on: %.100s: %s.", q->launch->label, q->why);
        text_wrapped(out, text, 0, WIDTH);
    }
    if (n > NAMED_MAX) fprintf(out, "And %zu more; training.left_out in summary.json has all.\n", n - NAMED_MAX);
}

void pipeline_explain(const struct pipeline *p, const double hmean[N_POLICIES], FILE *out)
{
    fputs("\nWhat this says:\n", out);
    say_result(p, hmean, out);
    say_why_swl_equals_static_best(p, out);
    say_where_the_rest_is_lost(p, out);
    say_which_to_use(p, hmean[POLICY_poise], out);
    say_what_was_left_out(p, out);
}
