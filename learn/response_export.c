/* A response model as a C header: the arithmetic of poise/response_net.h with the numbers filled in. */
#include "poise/response_model.h"

#include <ctype.h>
#include <string.h>

static int check_prefix(const char *prefix, struct error *err)
{
    bool is_good = isalpha((unsigned char)prefix[0]) || prefix[0] == '_';
    for (const char *c = prefix; *c; c++) is_good &= isalnum((unsigned char)*c) || *c == '_';
    return is_good ? 0
                   : error_set(err, ERR_USAGE,
                               "'%s': a prefix for C names has letters, digits and _ and starts with no digit", prefix);
}

static void print_comment(FILE *out, const char *text) /* nothing may end the comment */
{
    for (; *text; text++) fputc(*text == '*' || *text == '/' || (unsigned char)*text < ' ' ? '_' : *text, out);
}

/* One array of `rows` x `n` whole numbers; rows 0: one dimension. */
struct table {
    const char *prefix, *what, *type;
    const void *values;
    size_t size, stride, rows, n;
};
static long value_at(const struct table *t, size_t row, size_t i)
{
    const char *at = (const char *)t->values + row * t->stride + i * t->size;
    if (t->size == 4) return *(const int32_t *)(const void *)at;
    return t->type[0] == 'u' ? *(const uint8_t *)at : *(const int8_t *)at;
}
static void print_table(FILE *out, const struct table *t)
{
    fprintf(out, "static const %s %s_%s", t->type, t->prefix, t->what);
    if (t->rows) fprintf(out, "[%zu]", t->rows);
    fprintf(out, "[%zu] = {", t->n);
    for (size_t row = 0; row < (t->rows ? t->rows : 1); row++) {
        if (t->rows) fprintf(out, "%s\n    {", row ? "," : "");
        for (size_t i = 0; i < t->n; i++) fprintf(out, "%s%ld", i ? ", " : "", value_at(t, row, i));
        if (t->rows) fputc('}', out);
    }
    fputs("};\n", out);
}

static void print_floats(FILE *out, const char *prefix, const char *what, const float *values, size_t n)
{
    fprintf(out, "static const float %s_%s[%zu] = {", prefix, what, n);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%.9ef", i ? ", " : "", (double)values[i]);
    fputs("};\n", out);
}

static void print_tables(FILE *out, const struct response_net *net, const char *prefix)
{
    const size_t k = net->n_features, h = net->n_hidden, r = net->n_coefs, m = response_points(net->n_levels);
    uint8_t N[RESPONSE_POINTS_MAX], p[RESPONSE_POINTS_MAX];
    for (size_t j = 0; j < m; j++) {
        const struct response_tuple tuple = response_point(net->levels, j);
        N[j] = (uint8_t)tuple.N, p[j] = (uint8_t)tuple.p;
    }
    const struct table tables[] = {
        {prefix, "levels", "uint8_t", net->levels, 1, 0, 0, net->n_levels},
        {prefix, "N", "uint8_t", N, 1, 0, 0, m},
        {prefix, "p", "uint8_t", p, 1, 0, 0, m},
        {prefix, "w1", "int8_t", net->w1, 1, sizeof net->w1[0], h, k},
        {prefix, "b1", "int32_t", net->b1, 4, 0, 0, h},
        {prefix, "shift1", "uint8_t", net->shift1, 1, 0, 0, h},
        {prefix, "w2", "int8_t", net->w2, 1, sizeof net->w2[0], r, h},
        {prefix, "b2", "int32_t", net->b2, 4, 0, 0, r},
        {prefix, "shift2", "uint8_t", net->shift2, 1, 0, 0, r},
        {prefix, "basis", "int8_t", net->basis, 1, sizeof net->basis[0], r, m},
        {prefix, "mean", "int8_t", net->mean, 1, 0, 0, m},
    };
    print_floats(out, prefix, "scale", net->scale, k);
    print_floats(out, prefix, "offset", net->offset, k);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) print_table(out, &tables[t]);
}

/* `@` stands for the prefix. */
static void print_code(FILE *out, const char *code, const char *prefix)
{
    for (; *code; code++) {
        if (*code == '@') fputs(prefix, out);
        else fputc(*code, out);
    }
}

static const char response_code[] =
    "\n/* One feature in single precision to -127..127, halves to the even integer. `volatile` keeps the product and "
    "the\n"
    " * sum apart: a fused multiply-add would round once instead of twice. */\n"
    "static int32_t @_quantise(float x, float scale, float offset)\n"
    "{\n"
    "    volatile float product = x * scale;\n"
    "    volatile float sum = product + offset;\n"
    "    float t = sum, rest;\n"
    "    int32_t n;\n"
    "    if (!(t == t)) return 0;\n"
    "    t = t > 127.0f ? 127.0f : t < -127.0f ? -127.0f : t;\n"
    "    n = (int32_t)t;\n"
    "    rest = t - (float)n;\n"
    "    if (rest > 0.5f || (rest == 0.5f && (n & 1))) n++;\n"
    "    if (rest < -0.5f || (rest == -0.5f && (n & 1))) n--;\n"
    "    return n;\n"
    "}\n"
    "\n/* x[@_FEATURES] -> z[@_POINTS]: ln(speedup over all warps) in units of 2^-16 at (@_N[j], @_p[j]). */\n"
    "static void @_response(const float *x, int32_t *z)\n"
    "{\n"
    "    int32_t q[@_FEATURES], h[@_HIDDEN], c[@_COEFS];\n"
    "    int i, u, r, j;\n"
    "    for (i = 0; i < @_FEATURES; i++) q[i] = @_quantise(x[i], @_scale[i], @_offset[i]);\n"
    "    for (u = 0; u < @_HIDDEN; u++) {\n"
    "        int32_t sum = @_b1[u];\n"
    "        for (i = 0; i < @_FEATURES; i++) sum += @_w1[u][i] * q[i];\n"
    "        sum = sum > 0 ? sum >> @_shift1[u] : 0;\n"
    "        h[u] = sum > 255 ? 255 : sum;\n"
    "    }\n"
    "    for (r = 0; r < @_COEFS; r++) {\n"
    "        int32_t sum = @_b2[r];\n"
    "        for (u = 0; u < @_HIDDEN; u++) sum += @_w2[r][u] * h[u];\n"
    "        sum = sum >= 0 ? sum >> @_shift2[r] : ~(~sum >> @_shift2[r]);\n"
    "        c[r] = sum > 32767 ? 32767 : sum < -32767 ? -32767 : sum;\n"
    "    }\n"
    "    for (j = 0; j < @_POINTS; j++) {\n"
    "        z[j] = @_mean[j] * (1 << @_MEAN_SHIFT);\n"
    "        for (r = 0; r < @_COEFS; r++) z[j] += @_basis[r][j] * c[r];\n"
    "    }\n"
    "}\n"
    "\n/* x[@_FEATURES], W warps per scheduler -> the tuple to run: 1 <= p <= N <= W. */\n"
    "static void @_predict(const float *x, unsigned W, unsigned *N, unsigned *p)\n"
    "{\n"
    "    int32_t z[@_POINTS], everyone;\n"
    "    int top = 0, n, best = 0, j;\n"
    "    @_response(x, z);\n"
    "    while (top + 1 < @_LEVELS && @_levels[top] < W) top++;\n"
    "    n = (top + 1) * (top + 2) / 2;\n"
    "    everyone = W > @_levels[@_LEVELS - 1] ? 0 : z[n - 1];\n"
    "    for (j = 1; j < n; j++)\n"
    "        if (z[j] >= z[best]) best = j;\n"
    "    *N = *p = W;\n"
    "    if (z[best] - everyone <= @_MARGIN) return;\n"
    "    if (@_N[best] < W) *N = @_N[best];\n"
    "    if (@_p[best] < W) *p = @_p[best];\n"
    "}\n"
    "#endif\n";

int response_model_export(const struct response_model *model, const char *prefix, FILE *out, struct error *err)
{
    const struct response_net *net = &model->net;
    if (check_prefix(prefix, err) < 0 || response_net_check(net, err) < 0) return -1;
    fputs("/* Response model ", out);
    print_comment(out, model->name);
    fprintf(out, ": which warp tuple (N, p) to run, from %u features; %zu bytes in hardware.\n * Features, in order:",
            net->n_features, response_net_bytes(net));
    for (size_t i = 0; i < net->n_features; i++) {
        fputs(i ? ", " : " ", out);
        print_comment(out, model->features[i]);
    }
    fputs(".\n * Sampled at ", out);
    print_comment(out, model->sampling);
    fprintf(out, ". */\n#ifndef %s_RESPONSE_H\n#define %s_RESPONSE_H\n#include <stdint.h>\n\n", prefix, prefix);
    fprintf(out, "enum { %s_FEATURES = %u, %s_HIDDEN = %u, %s_COEFS = %u, %s_LEVELS = %u, %s_POINTS = %zu,\n", prefix,
            net->n_features, prefix, net->n_hidden, prefix, net->n_coefs, prefix, net->n_levels, prefix,
            response_points(net->n_levels));
    fprintf(out, "       %s_MEAN_SHIFT = %u, %s_MARGIN = %d };\n", prefix, net->mean_shift, prefix, net->margin);
    print_tables(out, net, prefix);
    print_code(out, response_code, prefix);
    return ferror(out) ? error_set(err, ERR_RUN, "the header could not be written") : 0;
}
