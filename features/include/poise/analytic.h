/* The objective of the analytical model of latency hiding, Eq. 5.11.                                  [THESIS §5.5.1]
 * It explains the features; nothing in the engine evaluates it. Latencies and times in core cycles. */
#ifndef POISE_ANALYTIC_H
#define POISE_ANALYTIC_H

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
/* Eq. 5.11, the objective function: the left part of Eq. 5.10, simplified. */
double analytic_mu_p_np(const struct analytic *a);
#endif
