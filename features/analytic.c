/* Eq. 5.1-5.11 of THESIS §5.5.1. Quotients follow IEEE: where no latency is added or all warps pollute they are
 * infinite or NaN, as the equations are. The source prints brackets in Eq. 5.4 where Eq. 5.1 has a ceiling; the text
 * ("for simplicity we drop the ceil function in dT_mem") says both have one. */
#include "poise/analytic.h"

#include <math.h>

double analytic_T_mem(const struct analytic *a) { return a->L_o * ceil(a->N * (1 - a->h_o) / a->K_mshr); }
double analytic_T_busy(const struct analytic *a) { return a->N * a->h_o * a->I_d * a->T_pipe; }
double analytic_T_stall(const struct analytic *a) { return fmax(analytic_T_mem(a) - analytic_T_busy(a), 0); }

double analytic_T_mem_tuple(const struct analytic *a)
{
    const double m_p = 1 - a->h_p, m_np = 1 - a->h_np;
    return a->L_prime * ceil((m_np * (a->N - a->p) + m_p * a->p) / a->K_mshr);
}
double analytic_T_busy_tuple(const struct analytic *a)
{
    return (a->p * a->h_p + (a->N - a->p) * a->h_np) * a->I_d * a->T_pipe;
}
double analytic_T_stall_tuple(const struct analytic *a)
{
    return fmax(analytic_T_mem_tuple(a) - analytic_T_busy_tuple(a), 0);
}
bool analytic_is_faster(const struct analytic *a) { return analytic_T_stall_tuple(a) < analytic_T_stall(a); }

/* Eq. 5.9: x warps whose hit rate went from h_o to h_x */
static double delta_busy(const struct analytic *a, double x, double h_x)
{
    return x * (h_x - a->h_o) * a->I_d * a->T_pipe;
}
static double delta_mem(const struct analytic *a, double x, double h_x)
{
    return x * ((1 - h_x) * a->L_prime - (1 - a->h_o) * a->L_o) / a->K_mshr;
}

double analytic_mu(const struct analytic *a)
{
    const double rest = a->N - a->p;
    return (delta_busy(a, a->p, a->h_p) + delta_busy(a, rest, a->h_np)) /
           (delta_mem(a, rest, a->h_np) + delta_mem(a, a->p, a->h_p));
}

double analytic_mu_p_np(const struct analytic *a)
{
    const double m_np = 1 - a->h_np, m_o = 1 - a->h_o;
    return a->T_pipe * a->K_mshr * (a->p / (a->N - a->p)) *
           (a->I_d * (a->h_p - a->h_o) / (m_np * a->L_prime - m_o * a->L_o));
}

double analytic_mu_np_p(const struct analytic *a)
{
    return delta_busy(a, a->N - a->p, a->h_np) / delta_mem(a, a->p, a->h_p);
}
