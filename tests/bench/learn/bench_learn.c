/* Speed of NB2 fits: bench_learn ROWS COLUMNS REPETITIONS [FILE], CPU time of one thread, median, as JSON. With FILE
 * the same data go there, as raw doubles (columns, then the target), for another tool to time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "poise/glm.h"
#include "poise/validate.h"

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Gamma with shape 2 as the sum of two exponentials; Poisson by counting arrivals. theta = 2. */
static double draw_count(struct random *random, double mu)
{
    const double rate = mu * -(log(random_uniform(random)) + log(random_uniform(random))) / 2;
    double time = 0, count = -1;
    for (; time < rate; count++) time -= log(random_uniform(random));
    return count;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 277, k = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    const int reps = argc > 3 ? atoi(argv[3]) : 5;
    static const char *const names[] = {"x1", "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
                                        "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16"};
    double *x = k > 0 && k <= 16 && n > k ? malloc(n * (k + 1) * sizeof *x) : NULL, times[1000];
    if (!x || reps < 1 || reps > 1000) return fputs("usage: bench_learn ROWS COLUMNS REPETITIONS [FILE]\n", stderr), 2;
    double *y = x + n * k;
    struct random random = {1};
    for (size_t i = 0; i < n; i++) {
        double eta = 1.5;
        for (size_t j = 0; j < k; j++) {
            x[j * n + i] = j ? random_normal(&random) : 1;
            if (j) eta += (j % 2 ? 0.2 : -0.1) * x[j * n + i];
        }
        y[i] = draw_count(&random, exp(eta));
    }
    FILE *out = argc > 4 ? fopen(argv[4], "wb") : NULL;
    if (out) fwrite(x, sizeof *x, n * (k + 1), out), fclose(out);
    const struct glm_data data = {.n = n, .k = k, .x = x, .y = y, .names = names};
    struct glm_fit fit;
    struct error err;
    double loglik = 0;
    for (int r = 0; r < reps; r++) {
        const double start = cpu_s();
        if (glm_fit(&fit, &data, &(struct glm_options){.family = GLM_NB2}, &err) < 0)
            return fprintf(stderr, "%s\n", err.text), 1;
        times[r] = cpu_s() - start;
        loglik = fit.loglik;
        glm_fit_fini(&fit);
    }
    qsort(times, (size_t)reps, sizeof *times, ascending);
    printf("{\"rows\": %zu, \"columns\": %zu, \"cpu_s\": %.6g, \"spread\": %.3g, \"loglik\": %.10g}\n", n, k,
           times[reps / 2], (times[reps - 1] - times[0]) / times[reps / 2], loglik);
    free(x);
    return 0;
}
