/* A predictor as a C header that stands alone: constants and one function, predict(). */
#include <jansson.h>
#include <string.h>
#include "poise/family.h"

static void print_columns(const struct predictor *p, FILE *out)
{
    for (size_t j = 0; j < predictor_columns(p); j++) {
        if (j) fputs(", ", out);
        for (const char *c = predictor_column(p, j); *c; c++) /* nothing may end the comment */
            fputc(*c == '*' || *c == '/' || (unsigned char)*c < ' ' ? '_' : *c, out);
    }
}

/* An array of doubles in hexadecimal, which read back as they were. C has no empty arrays: no values are one zero. */
static void print_array(const char *name, const double *values, const json_t *list, size_t n, FILE *out)
{
    fprintf(out, "static const double poise_%s[%zu] = {", name, n ? n : 1);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%a",
                !i      ? ""
                : i % 6 ? ", "
                        : ",\n    ",
                values ? values[i] : json_number_value(json_array_get(list, i)));
    fputs(n ? "};\n" : "0};\n", out);
}

static double number_of(const json_t *state, const char *key) { return json_number_value(json_object_get(state, key)); }

/* The head of predict(), and what an offset adds to it. */
static void print_head(const struct predictor *p, FILE *out)
{
    fprintf(out, "\nstatic inline double predict(const double x[POISE_COLUMNS]%s)\n{\n",
            predictor_has_offset(p) ? ", double offset" : "");
}
static const char *times_exposure(const struct predictor *p) { return predictor_has_offset(p) ? " * exp(offset)" : ""; }

static void print_log_linear(const struct predictor *p, FILE *out)
{
    print_array("weights", predictor_weights(p), NULL, predictor_columns(p), out);
    print_head(p, out);
    fprintf(out,
            "    double sum = %s;\n"
            "    for (int j = 0; j < POISE_COLUMNS; j++) sum += poise_weights[j] * x[j];\n"
            "    return exp(sum);\n}\n",
            predictor_has_offset(p) ? "offset" : "0");
}

static void print_mean(const struct predictor *p, const json_t *state, FILE *out)
{
    print_head(p, out);
    fprintf(out, "    (void)x; /* the mean of the training targets, whatever the columns say */\n    return %a%s;\n}\n",
            number_of(state, "rate"), times_exposure(p));
}

/* Support vectors on standardised columns: sum of coef * kernel(x, vector), less rho. */
static void print_svr(const struct predictor *p, const json_t *state, FILE *out)
{
    const size_t k = predictor_columns(p), n = json_array_size(json_object_get(state, "coef"));
    const bool is_linear = strcmp(json_string_value(json_object_get(state, "kernel")), "linear") == 0;
    const bool is_log = strcmp(json_string_value(json_object_get(state, "target")), "log") == 0;
    fprintf(out, "#define POISE_VECTORS %zu\n", n);
    print_array("mean", NULL, json_object_get(state, "mean"), k, out);
    print_array("sd", NULL, json_object_get(state, "sd"), k, out);
    print_array("coef", NULL, json_object_get(state, "coef"), n, out);
    print_array("vectors", NULL, json_object_get(state, "vectors"), n * k, out);
    print_head(p, out);
    fprintf(out,
            "    double sum = -(%a);\n"
            "    for (int v = 0; v < POISE_VECTORS; v++) {\n"
            "        double d = 0;\n"
            "        for (int j = 0; j < POISE_COLUMNS; j++) {\n"
            "            const double z = poise_sd[j] > 0 ? (x[j] - poise_mean[j]) / poise_sd[j] : 0;\n"
            "            const double s = poise_vectors[v * POISE_COLUMNS + j];\n"
            "            d += %s;\n"
            "        }\n",
            number_of(state, "rho"), is_linear ? "z * s" : "(z - s) * (z - s)");
    if (is_linear) fputs("        sum += poise_coef[v] * d;\n", out);
    else fprintf(out, "        sum += poise_coef[v] * exp(-(%a) * d);\n", number_of(state, "gamma"));
    fprintf(out, "    }\n    return %s%s;\n}\n", is_log ? "exp(sum)" : "sum", times_exposure(p));
}

int predictor_write_header(const struct predictor *p, FILE *out, struct error *err)
{
    const struct family *family = predictor_family(p);
    const bool is_svr = strcmp(family->name, "svr") == 0 || strcmp(family->name, "nusvr") == 0;
    const bool is_mean = strcmp(family->name, "mean") == 0;
    if (!family->is_log_linear && !is_svr && !is_mean) {
        error_set(err, ERR_USAGE,
                  "a predictor of the family %s has no C form: its prediction searches all its training rows",
                  family->name);
        return error_at(err, NULL, 0, -1,
                        "evaluate it with 'poise model predict', or train svr, ridge or nb2, which have one");
    }
    json_t *json = predictor_json(p);
    const json_t *state = json_object_get(json, "state");
    fprintf(out,
            "/* A predictor of the family %s: %s. Written by poise model export.\n"
            " * predict() takes the columns in this order: ",
            family->name, family->text);
    print_columns(p, out);
    fprintf(out,
            ".\n%s * Link with -lm. */\n"
            "#ifndef POISE_PREDICTOR_H\n#define POISE_PREDICTOR_H\n#include <math.h>\n\n#define POISE_COLUMNS %zu\n",
            predictor_has_offset(p) ? " * and the offset of the row, a logarithm as in training.\n" : "",
            predictor_columns(p));
    if (family->is_log_linear) print_log_linear(p, out);
    else if (is_mean) print_mean(p, state, out);
    else print_svr(p, state, out);
    fputs("#endif\n", out);
    json_decref(json);
    return ferror(out) ? error_set(err, ERR_IO, "writing the header failed") : 0;
}
