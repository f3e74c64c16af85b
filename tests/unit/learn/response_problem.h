/* A problem of surfaces with a known rule, for tests: three features, the best number of warps follows from the first
 * one, and the second one says whether a smaller p pays. */
#ifndef RESPONSE_PROBLEM_H
#define RESPONSE_PROBLEM_H
#include <math.h>
#include <stdlib.h>
#include "poise/response.h"
#include "poise/validate.h"

enum { PROBLEM_K = 3, PROBLEM_M = RESPONSE_POINTS_MAX };
struct problem {
    struct response_data data;
    double *x, *z;
    size_t *group;
    struct response_tuple tuples[PROBLEM_M];
};
static const char *const problem_names[PROBLEM_K] = {"locality", "pressure", "noise"};

/* z of a kernel with locality a and pressure b, both within 0..1; 0 at (24, 24). */
static inline double problem_response(double a, double b, struct response_tuple t)
{
    const double best = log(1 + 23 * a), N = log(t.N), far = (N - best) * (N - best),
                 from = (log(24) - best) * (log(24) - best);
    return 0.3 * (from - far) + 0.4 * (b - 0.5) * (log(t.N) - log(t.p)) / log(24);
}

/* `groups` groups of `rows` rows; features of a group lie around its own place. */
static inline void problem_init(struct problem *p, size_t groups, size_t rows, double noise, uint64_t seed)
{
    struct random random = {seed};
    const size_t n = groups * rows;
    p->x = malloc(n * PROBLEM_K * sizeof *p->x);
    p->z = malloc(n * PROBLEM_M * sizeof *p->z);
    p->group = malloc(n * sizeof *p->group);
    for (size_t j = 0; j < PROBLEM_M; j++) p->tuples[j] = response_point(response_levels, j);
    for (size_t g = 0; g < groups; g++) {
        const double a = random_uniform(&random), b = random_uniform(&random);
        for (size_t r = 0; r < rows; r++) {
            const size_t i = g * rows + r;
            double *x = p->x + i * PROBLEM_K;
            x[0] = fmin(1, fmax(0, a + 0.1 * random_normal(&random)));
            x[1] = fmin(1, fmax(0, b + 0.1 * random_normal(&random)));
            x[2] = random_normal(&random);
            p->group[i] = g;
            for (size_t j = 0; j < PROBLEM_M; j++)
                p->z[i * PROBLEM_M + j] = problem_response(x[0], x[1], p->tuples[j]) +
                                          (j + 1 < PROBLEM_M ? noise * random_normal(&random) : 0);
        }
    }
    p->data = (struct response_data){.n = n,
                                     .k = PROBLEM_K,
                                     .m = PROBLEM_M,
                                     .x = p->x,
                                     .z = p->z,
                                     .group = p->group,
                                     .n_groups = groups,
                                     .tuples = p->tuples,
                                     .names = problem_names};
}

static inline void problem_fini(struct problem *p)
{
    free(p->x);
    free(p->z);
    free(p->group);
}
#endif
