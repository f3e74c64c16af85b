/* poise_learn alone: a Poisson regression whose answer is exact: means 2 and 6 at x = 0 and 1. */
#include <math.h>
#include <poise/glm.h>

int main(void)
{
    const double x[] = {1, 1, 1, 1, 0, 0, 1, 1}, y[] = {2, 2, 6, 6};
    const char *const names[] = {"intercept", "x"};
    const struct glm_data data = {.n = 4, .k = 2, .x = x, .y = y, .names = names};
    const struct glm_options options = {.family = GLM_POISSON};
    struct glm_fit fit;
    struct error err;
    if (glm_fit(&fit, &data, &options, &err) < 0) return fprintf(stderr, "%s\n", err.text), 1;
    printf("%.6f %.6f\n", fit.coef[0].value, fit.coef[1].value);
    const int ok = fabs(fit.coef[0].value - log(2)) < 1e-6 && fabs(fit.coef[1].value - log(3)) < 1e-6;
    glm_fit_fini(&fit);
    return !ok;
}
