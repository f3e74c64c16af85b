/* The search over a predicted surface: what a rate that was seen says about other tuples, and when a try pays. */
#include "rig.h"

#include <math.h>
#include "poise/response_search.h"

enum { W = 24 };
static struct response_net lattice(void)
{
    struct response_net net = {.n_levels = RESPONSE_LEVELS_MAX};
    memcpy(net.levels, response_levels, sizeof net.levels);
    return net;
}
static size_t point_of(uint32_t N, uint32_t p)
{
    for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) {
        const struct response_tuple t = response_point(response_levels, j);
        if (t.N == N && t.p == p) return j;
    }
    fail_msg("(%u,%u) is no point of the lattice", N, p);
    return 0;
}
static int32_t ln(double x) { return (int32_t)lround(x * 65536); }
static struct response_shown shown(uint32_t N, uint32_t p, double rate)
{
    return (struct response_shown){.at = {N, p}, .rate = ln(rate), .views = 1};
}
static const struct response_prior prior = {0.03, 0.4, 5, 8, 0.03};
/* A hill of height 1 around (4,2), as a network may predict it. */
static void hill(int32_t *z)
{
    for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) {
        const struct response_tuple t = response_point(response_levels, j);
        z[j] = ln(1 - 0.25 * fabs(log2(t.N / 4.0)) - 0.25 * fabs(log2(t.p / 2.0)));
    }
}

static void the_highest_point_is_tried_before_all_others(void **state)
{
    const struct response_net net = lattice();
    const struct response_shown seen[] = {shown(W, W, -3)};
    int32_t z[RESPONSE_POINTS_MAX];
    (void)state;
    hill(z);
    const struct response_step s = response_search(&net, z, W, &prior, seen, 1, 3);
    assert_true(s.pays);
    assert_int_equal(4, s.next.N);
    assert_int_equal(2, s.next.p);
    assert_true(s.gain > 1.5 && s.gain < 2);
}

static void what_all_rates_share_says_nothing(void **state)
{
    const struct response_net net = lattice();
    int32_t z[RESPONSE_POINTS_MAX];
    (void)state;
    hill(z);
    for (double level = -6; level <= 6; level += 3) {
        const struct response_shown seen[] = {shown(4, 2, level), shown(2, 2, level - 0.25), shown(8, 1, level - 0.5)};
        const struct response_step s = response_search(&net, z, W, &prior, seen, 3, 0.5);
        assert_int_equal(0, s.best);
        assert_false(s.pays); /* the network was right, and the launch is short */
    }
}

static void a_rate_above_the_prediction_draws_the_search_to_it(void **state)
{
    const struct response_net net = lattice();
    const struct response_shown seen[] = {shown(4, 2, 0), shown(12, 2, 0.6)}; /* predicted: 0.4 below */
    int32_t z[RESPONSE_POINTS_MAX];
    (void)state;
    hill(z);
    const struct response_step s = response_search(&net, z, W, &prior, seen, 2, 20);
    assert_int_equal(1, s.best);
    assert_true(s.pays && s.next.N > 4);
}

static void the_longer_a_launch_the_smaller_a_gain_that_pays(void **state)
{
    const struct response_net net = lattice();
    const struct response_shown seen[] = {shown(4, 2, 0)};
    int32_t z[RESPONSE_POINTS_MAX];
    (void)state;
    hill(z);
    assert_false(response_search(&net, z, W, &prior, seen, 1, 0.1).pays);
    assert_true(response_search(&net, z, W, &prior, seen, 1, 100).pays);
    for (double horizon = 0.1, was = 0; horizon < 1000; horizon *= 2) { /* once it pays it goes on to do so */
        const bool pays = response_search(&net, z, W, &prior, seen, 1, horizon).pays;
        assert_true(pays >= (was > 0));
        was = pays ? 1 : 0;
    }
}

static void a_flat_surface_is_left_alone(void **state)
{
    const struct response_net net = lattice();
    const struct response_shown seen[] = {shown(W, W, 0)};
    const struct response_prior exact = {0, 0.4, 5, 8, 0.03};
    int32_t z[RESPONSE_POINTS_MAX] = {0};
    (void)state;
    assert_false(response_search(&net, z, W, &exact, seen, 1, 1e6).pays);
}

/* The posterior mean of two noisy views, worked out by hand: with one tuple far from the other, so that nothing is
 * shared but the offset, the difference of the rates less that of the predictions, shrunk by the noise, moves each. */
static void a_hasty_view_counts_less(void **state)
{
    const struct response_net net = lattice();
    const struct response_prior far = {0.2, 0, 0.5, 0.5, 0.1};
    int32_t z[RESPONSE_POINTS_MAX] = {0};
    struct response_shown seen[] = {shown(1, 1, 0), shown(W, W, 0.3)};
    (void)state;
    z[point_of(1, 1)] = ln(0.1); /* 0.4 in all between what was predicted and seen */
    assert_int_equal(1, response_search(&net, z, W, &far, seen, 2, 0).best);
    seen[1].views = 0; /* noise 0.4: of the 0.4 that are seen only 0.04 / (0.04 + 0.16) are believed of it */
    assert_int_equal(1, response_search(&net, z, W, &far, seen, 2, 0).best);
    seen[1].rate = ln(0.15);
    z[point_of(1, 1)] = ln(0.2);
    assert_int_equal(0, response_search(&net, z, W, &far, seen, 2, 0).best);
}

static void tuples_stay_within_W_and_come_once(void **state)
{
    const struct response_net net = lattice();
    int32_t z[RESPONSE_POINTS_MAX];
    uint32_t seed = 7;
    (void)state;
    for (uint32_t w = 1; w <= 30; w++) {
        struct response_shown seen[RESPONSE_SHOWN_MAX];
        size_t n = 1;
        seen[0] = shown(w, w, 0);
        for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++)
            z[j] = (int32_t)((seed = seed * 1664525u + 1013904223u) >> 15) - 65536;
        for (int tries = 0; tries < 100 && n < RESPONSE_SHOWN_MAX; tries++) {
            const struct response_step s = response_search(&net, z, w, &prior, seen, n, 1000);
            if (!s.pays) break;
            assert_true(s.next.N <= w && s.next.p >= 1 && s.next.p <= s.next.N && isfinite(s.gain));
            size_t i = 0;
            while (i < n && !(seen[i].at.N == s.next.N && seen[i].at.p == s.next.p)) i++;
            if (i < n) {
                assert_true(i != s.best);
                seen[i].views++;
                continue;
            }
            seen[n++] = (struct response_shown){.at = s.next, .rate = (int32_t)(seed >> 16) - 32768, .views = 1};
        }
        const struct response_step last = response_search(&net, z, w, &prior, seen, n, 1e9);
        for (size_t i = 0; n == RESPONSE_SHOWN_MAX && last.pays && i < n; i++) /* one that it has room for */
            if (seen[i].at.N == last.next.N && seen[i].at.p == last.next.p) n = 0;
        assert_true(n < RESPONSE_SHOWN_MAX || !last.pays);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_point_is_tried_before_all_others),
        cmocka_unit_test(what_all_rates_share_says_nothing),
        cmocka_unit_test(a_rate_above_the_prediction_draws_the_search_to_it),
        cmocka_unit_test(the_longer_a_launch_the_smaller_a_gain_that_pays),
        cmocka_unit_test(a_flat_surface_is_left_alone),
        cmocka_unit_test(a_hasty_view_counts_less),
        cmocka_unit_test(tuples_stay_within_W_and_come_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
