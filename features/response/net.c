/* Evaluation of the integer network of a response surface: the one place that knows its arithmetic. */
#include "poise/response_net.h"

#include <math.h>

#define ACTIVATION_MAX 255
#define COEF_MAX 32767
#define Q_MAX 127

const uint8_t response_levels[RESPONSE_LEVELS_MAX] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24};

struct response_tuple response_point(const uint8_t *levels, size_t point)
{
    size_t row = 0;
    while (response_points(row + 1) <= point) row++;
    return (struct response_tuple){levels[row], levels[point - response_points(row)]};
}

static size_t top_level(const uint8_t *levels, size_t n_levels, uint32_t W)
{
    size_t top = 0;
    while (top + 1 < n_levels && levels[top] < W) top++;
    return top;
}

size_t response_points_within(const uint8_t *levels, size_t n_levels, uint32_t W)
{
    return response_points(top_level(levels, n_levels, W) + 1);
}

struct response_tuple response_clamp(struct response_tuple tuple, uint32_t W)
{
    return (struct response_tuple){tuple.N < W ? tuple.N : W, tuple.p < W ? tuple.p : W};
}

size_t response_net_bytes(const struct response_net *net)
{
    const size_t k = net->n_features, h = net->n_hidden, r = net->n_coefs, m = response_points(net->n_levels);
    return k * 8 + h * (k + 4 + 1) + r * (h + 4 + 1) + (r + 1) * m + 1 + net->n_levels + 4;
}

static int check_sizes(const struct response_net *net, struct error *err)
{
    const struct {
        const char *what;
        uint32_t n, max;
    } sizes[] = {{"features", net->n_features, RESPONSE_FEATURES_MAX},
                 {"hidden units", net->n_hidden, RESPONSE_HIDDEN_MAX},
                 {"coefficients", net->n_coefs, RESPONSE_COEFS_MAX},
                 {"levels", net->n_levels, RESPONSE_LEVELS_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].n < 1 || sizes[i].n > sizes[i].max)
            return error_set(err, ERR_INPUT, "response network: %u %s, must be 1 to %u", sizes[i].n, sizes[i].what,
                             sizes[i].max);
    for (size_t i = 0; i < net->n_levels; i++)
        if (net->levels[i] > RESPONSE_LEVEL_MAX || net->levels[i] <= (i ? net->levels[i - 1] : 0))
            return error_set(err, ERR_INPUT, "response network: levels must ascend within 1 to %d", RESPONSE_LEVEL_MAX);
    return 0;
}

static bool is_byte_in_range(int8_t v) { return v >= -Q_MAX; }

static int check_weights(const struct response_net *net, struct error *err)
{
    bool is_good = true;
    for (size_t u = 0; u < net->n_hidden; u++)
        for (size_t i = 0; i < net->n_features; i++) is_good &= is_byte_in_range(net->w1[u][i]);
    for (size_t r = 0; r < net->n_coefs; r++)
        for (size_t u = 0; u < net->n_hidden; u++) is_good &= is_byte_in_range(net->w2[r][u]);
    for (size_t j = 0; j < response_points(net->n_levels); j++) {
        is_good &= is_byte_in_range(net->mean[j]);
        for (size_t r = 0; r < net->n_coefs; r++) is_good &= is_byte_in_range(net->basis[r][j]);
    }
    return is_good ? 0 : error_set(err, ERR_INPUT, "response network: weights must be -%d to %d", Q_MAX, Q_MAX);
}

static bool is_bias_in_range(int32_t b) { return b >= -RESPONSE_BIAS_MAX && b <= RESPONSE_BIAS_MAX; }

int response_net_check(const struct response_net *net, struct error *err)
{
    if (check_sizes(net, err) < 0 || check_weights(net, err) < 0) return -1;
    for (size_t i = 0; i < net->n_features; i++)
        if (!isfinite(net->scale[i]) || !isfinite(net->offset[i]))
            return error_set(err, ERR_INPUT, "response network: scale and offset of feature %zu must be finite", i);
    for (size_t u = 0; u < net->n_hidden; u++)
        if (!is_bias_in_range(net->b1[u]) || net->shift1[u] > RESPONSE_SHIFT_MAX)
            return error_set(err, ERR_INPUT, "response network: bias or shift of hidden unit %zu is out of range", u);
    for (size_t r = 0; r < net->n_coefs; r++)
        if (!is_bias_in_range(net->b2[r]) || net->shift2[r] > RESPONSE_SHIFT_MAX)
            return error_set(err, ERR_INPUT, "response network: bias or shift of coefficient %zu is out of range", r);
    if (net->mean_shift > RESPONSE_MEAN_SHIFT_MAX)
        return error_set(err, ERR_INPUT, "response network: mean shift %u, at most %d", net->mean_shift,
                         RESPONSE_MEAN_SHIFT_MAX);
    if (net->margin < 0 || net->margin > RESPONSE_MARGIN_MAX)
        return error_set(err, ERR_INPUT, "response network: margin %d, must be 0 to %d", net->margin,
                         RESPONSE_MARGIN_MAX);
    if (response_net_bytes(net) > RESPONSE_NET_BYTES_MAX)
        return error_set(err, ERR_INPUT,
                         "response network: %zu bytes, at most %d; use fewer features, units or coefficients",
                         response_net_bytes(net), RESPONSE_NET_BYTES_MAX);
    return 0;
}

/* Towards minus infinity; C leaves >> of a negative number to the compiler. */
static int32_t shift_right(int32_t v, unsigned by) { return v >= 0 ? v >> by : ~(~v >> by); }

/* -127 <= t <= 127; halves to the even integer, whatever rounding mode the process has set. */
static int8_t round_half_even(float t)
{
    int32_t n = (int32_t)t;
    const float rest = t - (float)n; /* exact, of the sign of t */
    if (rest > 0.5f || (rest == 0.5f && (n & 1))) n++;
    if (rest < -0.5f || (rest == -0.5f && (n & 1))) n--;
    return (int8_t)n;
}

void response_net_quantise(const struct response_net *net, const float *x, int8_t *q)
{
    for (size_t i = 0; i < net->n_features; i++) {
        const float product = x[i] * net->scale[i];
        const float t = product + net->offset[i];
        if (!(t == t)) q[i] = 0; /* a NaN */
        else q[i] = round_half_even(t > Q_MAX ? Q_MAX : t < -Q_MAX ? -Q_MAX : t);
    }
}

void response_net_eval_quantised(const struct response_net *net, const int8_t *q, int32_t z[RESPONSE_POINTS_MAX])
{
    int32_t h[RESPONSE_HIDDEN_MAX], c[RESPONSE_COEFS_MAX];
    for (size_t u = 0; u < net->n_hidden; u++) {
        int32_t sum = net->b1[u];
        for (size_t i = 0; i < net->n_features; i++) sum += net->w1[u][i] * q[i];
        sum = sum > 0 ? sum >> net->shift1[u] : 0;
        h[u] = sum > ACTIVATION_MAX ? ACTIVATION_MAX : sum;
    }
    for (size_t r = 0; r < net->n_coefs; r++) {
        int32_t sum = net->b2[r];
        for (size_t u = 0; u < net->n_hidden; u++) sum += net->w2[r][u] * h[u];
        sum = shift_right(sum, net->shift2[r]);
        c[r] = sum > COEF_MAX ? COEF_MAX : sum < -COEF_MAX ? -COEF_MAX : sum;
    }
    for (size_t j = 0; j < response_points(net->n_levels); j++) {
        int32_t sum = net->mean[j] * (1 << net->mean_shift);
        for (size_t r = 0; r < net->n_coefs; r++) sum += net->basis[r][j] * c[r];
        z[j] = sum;
    }
}

void response_net_eval(const struct response_net *net, const float *x, int32_t z[RESPONSE_POINTS_MAX])
{
    int8_t q[RESPONSE_FEATURES_MAX];
    response_net_quantise(net, x, q);
    response_net_eval_quantised(net, q, z);
}

struct response_tuple response_net_best(const struct response_net *net, const int32_t *z, uint32_t W)
{
    const size_t n = response_points_within(net->levels, net->n_levels, W);
    const int32_t everyone = W > net->levels[net->n_levels - 1] ? 0 : z[n - 1];
    size_t best = 0;
    for (size_t j = 1; j < n; j++)
        if (z[j] >= z[best]) best = j; /* points ascend by N, then by p: the later one wins a tie */
    if (z[best] - everyone <= net->margin) return (struct response_tuple){W, W};
    return response_clamp(response_point(net->levels, best), W);
}
