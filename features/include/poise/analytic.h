/* The analytical model of latency hiding: Eq. 5.1-5.11 as pure functions.                             [THESIS §5.5.1]
 * It explains the features; nothing in the engine evaluates it. Latencies and times in core cycles. */
#ifndef POISE_ANALYTIC_H
#define POISE_ANALYTIC_H
#include <stdbool.h>

/* The variables of Tab. 5.2a. The tuple runs N warps, of which p pollute L1; the baseline runs N, all of which
 * pollute. */
struct analytic {
    double N, p;
    double h_o, h_p, h_np; /* L1 hit rates: baseline; of the p polluting warps; of the other N - p */
    double L_o, L_prime;   /* average memory latency: baseline; tuple */
    double I_d;            /* instructions between two data hazards */
    double T_pipe;         /* cycles for the pipelined execution of a warp instruction */
    double K_mshr;         /* MSHR entries of an L1 */
};
double analytic_T_mem(const struct analytic *a);         /* Eq. 5.1 */
double analytic_T_busy(const struct analytic *a);        /* Eq. 5.2 */
double analytic_T_stall(const struct analytic *a);       /* Eq. 5.3 */
double analytic_T_mem_tuple(const struct analytic *a);   /* Eq. 5.4, with the ceiling that Eq. 5.1 has */
double analytic_T_busy_tuple(const struct analytic *a);  /* Eq. 5.5 */
double analytic_T_stall_tuple(const struct analytic *a); /* Eq. 5.6 */
bool analytic_is_faster(const struct analytic *a);       /* Eq. 5.7: fewer stall cycles than the baseline */
double analytic_mu(const struct analytic *a);            /* Eq. 5.8 and 5.9: coefficient of goodness, without the
                                                          * ceilings */
double analytic_mu_p_np(const struct analytic *a);       /* Eq. 5.11: the objective function; also the left part of
                                                          * Eq. 5.10 */
double analytic_mu_np_p(const struct analytic *a);       /* Eq. 5.10, right part */
#endif
