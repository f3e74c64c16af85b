#include "special.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include "poise/numerics.h"

static double checked(double x, int (*function)(double, gsl_sf_result *))
{
    gsl_sf_result result = {NAN, NAN};
    numerics_set_up();
    const int code = function(x, &result);
    return code == GSL_SUCCESS || code == GSL_EUNDRFLW ? result.val : NAN;
}
double special_lngamma(double x) { return checked(x, gsl_sf_lngamma_e); }

/* GSL's distributions return no code: what went wrong is NaN, or lies outside of what the function can give. */
static double probability(double p) { return p >= 0 && p <= 1 ? p : NAN; }

double normal_upper(double z) { return probability(gsl_cdf_ugaussian_Q(z)); }
double normal_quantile(double p) { return p >= 0 && p <= 1 ? gsl_cdf_ugaussian_Pinv(p) : NAN; }

double t_lower(double t, double df)
{
    numerics_set_up();
    return df > 0 ? probability(gsl_cdf_tdist_P(t, df)) : NAN;
}

double t_upper(double t, double df)
{
    numerics_set_up();
    return df > 0 ? probability(gsl_cdf_tdist_Q(t, df)) : NAN;
}

double t_quantile(double p, double df)
{
    numerics_set_up();
    return df > 0 && p >= 0 && p <= 1 ? gsl_cdf_tdist_Pinv(p, df) : NAN;
}

double chi_squared_upper(double x, double df)
{
    numerics_set_up();
    return df > 0 ? probability(gsl_cdf_chisq_Q(x, df)) : NAN;
}

double chi_squared_quantile(double p, double df)
{
    numerics_set_up();
    return df > 0 && p >= 0 && p < 1 ? gsl_cdf_chisq_Pinv(p, df) : NAN;
}
