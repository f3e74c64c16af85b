/* Distillation: the family's own predictions, at the rows that it learned from and at many more between and around
 * them, teach an integer network. The made rows say what the family answers where there are no rows; they stay within
 * the range of each feature. True rows have half of the weight. */
#include "poise/response_distil.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/response_model.h"
#include "state.h"
#include "response_parts.h"

/* The levels of the tuples, which must be all pairs p <= N of them in the order of poise/response_net.h. */
static int find_lattice(struct response_net *net, const struct response_data *d, struct error *err)
{
    for (size_t j = 0; j < d->m; j++) {
        if (d->tuples[j].N != d->tuples[j].p) continue;
        if (net->n_levels == RESPONSE_LEVELS_MAX || d->tuples[j].N > RESPONSE_LEVEL_MAX) break;
        net->levels[net->n_levels++] = (uint8_t)d->tuples[j].N;
    }
    bool is_lattice = response_points(net->n_levels) == d->m;
    for (size_t j = 0; is_lattice && j < d->m; j++) {
        const struct response_tuple tuple = response_point(net->levels, j);
        is_lattice = tuple.N == d->tuples[j].N && tuple.p == d->tuples[j].p;
    }
    if (is_lattice) return 0;
    error_set(err, ERR_INPUT, "the %zu tuples are no lattice", d->m);
    return error_at(err, NULL, 0, -1, "give all pairs p <= N of at most 10 levels up to 64, ordered by N, then by p");
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Each feature's 1st to 99th percentile becomes -127 .. 127. */
static int find_scales(struct response_net *net, const struct response_data *d, struct error *err)
{
    double *column = malloc(d->n * sizeof *column);
    if (!column) return error_set(err, ERR_MEMORY, "out of memory");
    net->n_features = (uint32_t)d->k;
    for (size_t j = 0; j < d->k; j++) {
        for (size_t i = 0; i < d->n; i++) column[i] = d->x[i * d->k + j];
        qsort(column, d->n, sizeof *column, ascending);
        size_t cut = d->n / 100;
        double low = column[cut], high = column[d->n - 1 - cut];
        if (!(high > low)) low = column[0], high = column[d->n - 1];
        const float scale = high > low ? (float)(254 / (high - low)) : 0;
        const float offset = (float)(-127 - low * (double)scale);
        if (!isfinite(scale) || !isfinite(offset) || !(high > low)) continue; /* does not vary in single precision */
        net->scale[j] = scale;
        net->offset[j] = offset;
    }
    free(column);
    return 0;
}

struct samples {
    size_t n;
    double *x, *t, *w;
};

static void samples_fini(struct samples *s) { free(s->x); }

/* What a made row is made of. */
struct source {
    const struct response_data *data;
    size_t *rows, *groups, n_groups; /* rows with weight by group: rows[start[g]] .. */
    size_t *start;
    double sd[K_MAX], low[K_MAX], high[K_MAX], jitter;
};

static const double *draw_row(const struct source *from, struct random *random)
{
    const size_t g = random_below(random, from->n_groups), n = from->start[g + 1] - from->start[g];
    return from->data->x + from->rows[from->start[g] + random_below(random, n)] * from->data->k;
}

/* Odd rows lie between two rows, even ones around one. */
static void make_row(const struct source *from, struct random *random, bool is_between, double *out)
{
    const double *a = draw_row(from, random), *b = is_between ? draw_row(from, random) : a;
    const double share = is_between ? random_uniform(random) : 0;
    for (size_t j = 0; j < from->data->k; j++) {
        out[j] = a[j] + share * (b[j] - a[j]);
        if (!is_between) out[j] += from->jitter * from->sd[j] * random_normal(random);
        out[j] = fmin(from->high[j], fmax(from->low[j], out[j]));
    }
}

static int source_init(struct source *from, const struct response_data *d, const double *weights, double jitter,
                       struct error *err)
{
    struct response_scaler scaler;
    *from = (struct source){.data = d, .jitter = jitter, .rows = malloc((d->n + d->n_groups + 1) * sizeof(size_t))};
    if (!from->rows) return error_set(err, ERR_MEMORY, "out of memory");
    from->start = from->rows + d->n;
    response_scaler_init(&scaler, d->x, weights, d->n, d->k);
    memcpy(from->sd, scaler.sd, sizeof from->sd);
    for (size_t j = 0; j < d->k; j++) {
        from->low[j] = INFINITY, from->high[j] = -INFINITY;
        for (size_t i = 0; i < d->n; i++) {
            if (!(weights[i] > 0)) continue;
            from->low[j] = fmin(from->low[j], d->x[i * d->k + j]);
            from->high[j] = fmax(from->high[j], d->x[i * d->k + j]);
        }
    }
    size_t n = 0;
    for (size_t g = 0; g < d->n_groups; g++) {
        const size_t before = n;
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] == g && weights[i] > 0) from->rows[n++] = i;
        if (n > before) from->start[from->n_groups++] = before;
    }
    from->start[from->n_groups] = n;
    return 0;
}

static int samples_init(struct samples *s, const struct response_data *d, const struct response_distil_options *o,
                        struct error *err)
{
    struct source from;
    struct random random = {o->seed * 1000003 + 17};
    const size_t most = d->n + o->samples;
    *s = (struct samples){.x = malloc((most * (d->k + d->m + 1) + d->n) * sizeof *s->x)};
    if (!s->x) return error_set(err, ERR_MEMORY, "out of memory for %zu samples", most);
    double *weights = s->x + most * (d->k + d->m + 1);
    s->t = s->x + most * d->k, s->w = s->t + most * d->m;
    response_weights(d, weights);
    if (source_init(&from, d, weights, o->jitter, err) < 0) return -1;
    double total = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (!(weights[i] > 0)) continue;
        memcpy(s->x + s->n * d->k, d->x + i * d->k, d->k * sizeof *s->x);
        total += s->w[s->n++] = weights[i];
    }
    for (size_t i = 0; i < o->samples; i++, s->n++) {
        make_row(&from, &random, i & 1, s->x + s->n * d->k);
        s->w[s->n] = total / (double)o->samples;
    }
    free(from.rows);
    return 0;
}

/* What the family answers, as the network is to answer it. */
static void teach(const struct response_predictor *p, size_t m, const struct response_rule *rule, const double *x,
                  double *t)
{
    double spread[M_MAX];
    response_predict(p, x, t, rule->caution != 0 ? spread : NULL);
    for (size_t j = 0; rule->caution != 0 && j + 1 < m; j++) t[j] -= rule->caution * spread[j];
}

static void network_response(const struct response_net *net, const double *x, double *mean)
{
    float own[RESPONSE_FEATURES_MAX];
    int32_t z[RESPONSE_POINTS_MAX];
    for (size_t j = 0; j < net->n_features; j++) own[j] = (float)x[j];
    response_net_eval(net, own, z);
    for (size_t j = 0; j < response_points(net->n_levels); j++) mean[j] = ldexp(z[j], -RESPONSE_FRACTION_BITS);
}

size_t response_distilled_choose(const struct response_net *net, const struct response_tuple *tuples, const double *x,
                                 uint32_t W)
{
    double mean[M_MAX];
    const struct response_rule rule = {0, ldexp(net->margin, -RESPONSE_FRACTION_BITS)};
    network_response(net, x, mean);
    return response_choose(tuples, response_points(net->n_levels), mean, NULL, &rule, W);
}

static int compare(struct response_distilled *out, const struct response_predictor *p, const struct response_data *d,
                   const struct response_rule *rule, struct error *err)
{
    double *regrets = malloc(2 * d->n * sizeof *regrets), mean[M_MAX], spread[M_MAX];
    if (!regrets) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++) {
        const double *x = d->x + i * d->k, *z = d->z + i * d->m;
        const uint32_t W = d->W ? d->W[i] : 0;
        response_predict(p, x, mean, spread);
        regrets[i] = response_regret(z, d->m, response_choose(d->tuples, d->m, mean, spread, rule, W));
        regrets[d->n + i] = response_regret(z, d->m, response_distilled_choose(&out->net, d->tuples, x, W));
    }
    out->regret_family = response_group_mean(d, regrets, NULL);
    out->regret_net = response_group_mean(d, regrets + d->n, NULL);
    free(regrets);
    return 0;
}

static struct response_distil_options with_defaults(const struct response_distil_options *options)
{
    struct response_distil_options o = *options;
    if (!o.hidden) o.hidden = 12;
    if (!o.coefs) o.coefs = 4;
    if (!o.samples) o.samples = 2048;
    if (!o.restarts) o.restarts = 3;
    if (!o.iterations) o.iterations = 300;
    if (!o.sweeps) o.sweeps = 8;
    if (!(o.jitter > 0)) o.jitter = 0.2;
    return o;
}

int response_distil(struct response_distilled *out, const struct response_predictor *predictor,
                    const struct response_data *data, const struct response_distil_options *options, struct error *err)
{
    const struct response_distil_options o = with_defaults(options);
    struct samples s = {0};
    memset(out, 0, sizeof *out);
    if (response_data_check(data, err) < 0 || find_lattice(&out->net, data, err) < 0) return -1;
    if (o.hidden > RESPONSE_HIDDEN_MAX || o.coefs > RESPONSE_COEFS_MAX)
        return error_set(err, ERR_USAGE, "%u hidden units and %u coefficients: at most %d and %d", o.hidden, o.coefs,
                         RESPONSE_HIDDEN_MAX, RESPONSE_COEFS_MAX);
    const double margin = rint(ldexp(o.rule.margin, RESPONSE_FRACTION_BITS));
    if (!(margin >= 0 && margin <= RESPONSE_MARGIN_MAX) || !isfinite(o.rule.caution))
        return error_set(err, ERR_USAGE, "margin %g: must be 0 to %g", o.rule.margin,
                         ldexp(RESPONSE_MARGIN_MAX, -RESPONSE_FRACTION_BITS));
    out->net.margin = (int32_t)margin;
    if (find_scales(&out->net, data, err) < 0) return -1;
    int failed = samples_init(&s, data, &o, err);
    if (!failed) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < s.n; i++) teach(predictor, data->m, &o.rule, s.x + i * data->k, s.t + i * data->m);
        const struct integer_problem problem = {.n = s.n,
                                                .k = data->k,
                                                .m = data->m,
                                                .x = s.x,
                                                .t = s.t,
                                                .w = s.w,
                                                .hidden = o.hidden,
                                                .coefs = o.coefs,
                                                .restarts = o.restarts,
                                                .iterations = o.iterations,
                                                .sweeps = o.sweeps,
                                                .seed = o.seed};
        failed = integer_network_fit(&out->net, &out->rms, &problem, err);
    }
    samples_fini(&s);
    if (failed) return error_while(err, "distillation");
    out->bytes = response_net_bytes(&out->net);
    return compare(out, predictor, data, &o.rule, err);
}

int response_distilled_model(struct response_model *out, const char *name, const struct response_distilled *distilled,
                             const struct response_data *data, const char *sampling, unsigned model_version,
                             struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    memset(out, 0, sizeof *out);
    if (strlen(name) >= MODEL_NAME_MAX || strlen(sampling) >= RESPONSE_SAMPLING_MAX)
        return error_set(err, ERR_USAGE, "a response model has a name of at most %d bytes and a sampling of at most %d",
                         MODEL_NAME_MAX - 1, RESPONSE_SAMPLING_MAX - 1);
    for (size_t j = 0; j < data->k; j++) {
        if (strlen(data->names[j]) >= MODEL_NAME_MAX)
            return error_set(err, ERR_INPUT, "feature '%.80s': the name is longer than %d bytes", data->names[j],
                             MODEL_NAME_MAX - 1);
        snprintf(out->features[j], MODEL_NAME_MAX, "%s", data->names[j]);
    }
    if (response_data_hash(hash, data, err) < 0) return -1;
    snprintf(out->name, sizeof out->name, "%s", name);
    out->model_version = model_version;
    snprintf(out->sampling, sizeof out->sampling, "%s", sampling);
    out->net = distilled->net;
    out->training =
        json_pack("{s:s,s:I,s:I}", "hash", hash, "rows", (json_int_t)data->n, "groups", (json_int_t)data->n_groups);
    if (!out->training) return error_set(err, ERR_MEMORY, "out of memory");
    state_put(out->training, "rms", distilled->rms);
    state_put(out->training, "regret_family", distilled->regret_family);
    state_put(out->training, "regret_net", distilled->regret_net);
    return 0;
}
