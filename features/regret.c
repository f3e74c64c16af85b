/* Looking a tuple up in a profile, with and without the engine's neighbourhood search.
 * [THESIS §5.6.2] */
#include "poise/regret.h"

static uint32_t apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static bool is_smaller(const struct profile_point *a, const struct profile_point *b)
{
    return a->N != b->N ? a->N < b->N : a->p < b->p;
}

struct tuple_value profile_value(const struct profile_point *points, size_t n, uint32_t N, uint32_t p)
{
    size_t best = 0;
    uint32_t best_far = UINT32_MAX, best_sum = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint32_t dN = apart(points[i].N, N), dp = apart(points[i].p, p), far = dN > dp ? dN : dp, sum = dN + dp;
        if (far < best_far ||
            (far == best_far && (sum < best_sum || (sum == best_sum && is_smaller(&points[i], &points[best])))))
            best = i, best_far = far, best_sum = sum;
    }
    return (struct tuple_value){N, p, points[best].speedup, best_far == 0};
}

struct tuple_value profile_best(const struct profile_point *points, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (points[i].speedup > points[best].speedup ||
            (points[i].speedup == points[best].speedup && is_smaller(&points[i], &points[best])))
            best = i;
    return (struct tuple_value){points[best].N, points[best].p, points[best].speedup, true};
}

/* One coordinate, the other held. `low` and `high` bound it. */
static struct tuple_value climb(const struct profile_point *points, size_t n, struct tuple_value at, bool moves_N,
                                uint32_t low, uint32_t high, uint32_t stride)
{
    while (stride > 0) {
        const uint32_t here = moves_N ? at.N : at.p;
        struct tuple_value next = at;
        for (int side = -1; side <= 1; side += 2) {
            if (side < 0 ? here < low + stride : here + stride > high) continue;
            const uint32_t to = side < 0 ? here - stride : here + stride;
            const struct tuple_value v = profile_value(points, n, moves_N ? to : at.N, moves_N ? at.p : to);
            if (v.speedup > next.speedup) next = v;
        }
        if (next.speedup > at.speedup) at = next;
        else stride /= 2;
    }
    return at;
}

struct tuple_value profile_search(const struct profile_point *points, size_t n, uint32_t W, uint32_t N, uint32_t p,
                                  uint32_t stride_N, uint32_t stride_p)
{
    struct tuple_value at = profile_value(points, n, N, p);
    at = climb(points, n, at, true, p, W, stride_N);
    return climb(points, n, at, false, 1, at.N, stride_p);
}

double profile_regret(const struct profile_point *points, size_t n, double speedup)
{
    return 1 - speedup / profile_best(points, n).speedup;
}
