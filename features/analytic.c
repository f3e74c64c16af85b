/* Eq. 5.11 of THESIS §5.5.1. The quotient follows IEEE: where no latency is added or all warps pollute it is infinite
 * or NaN, as the equation is. */
#include "poise/analytic.h"

double analytic_mu_p_np(const struct analytic *a)
{
    const double m_np = 1 - a->h_np, m_o = 1 - a->h_o;
    return a->T_pipe * a->K_mshr * (a->p / (a->N - a->p)) *
           (a->I_d * (a->h_p - a->h_o) / (m_np * a->L_prime - m_o * a->L_o));
}
