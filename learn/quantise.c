/* Fixed-point weights, their cost, and the weights as a C header. */
#include "poise/quantise.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_MAX 62

int model_quantise(struct quantised *out, const struct model_output *output, unsigned bits, struct error *err)
{
    double largest = 0;
    memset(out, 0, sizeof *out);
    if (bits < QUANTISE_BITS_MIN || bits > QUANTISE_BITS_MAX)
        return error_set(err, ERR_USAGE, "%u bits: choose %d to %d", bits, QUANTISE_BITS_MIN, QUANTISE_BITS_MAX);
    for (size_t i = 0; i < output->n_features; i++) {
        if (!isfinite(output->weights[i]))
            return error_set(err, ERR_INPUT, "the weight of '%s' is not finite", output->features[i]);
        largest = fmax(largest, fabs(output->weights[i]));
    }
    const double top = ldexp(1, (int)bits - 1) - 1;
    int fraction = FRACTION_MAX;
    while (round(ldexp(largest, fraction)) > top) fraction--;
    out->bits = bits;
    out->fraction_bits = fraction;
    for (size_t i = 0; i < output->n_features; i++)
        out->weights[i] = (int32_t)round(ldexp(output->weights[i], fraction));
    return 0;
}

double quantised_weight(const struct quantised *q, size_t i) { return ldexp((double)q->weights[i], -q->fraction_bits); }

float quantised_predict(const struct quantised *q, const struct model_output *output, const float *x)
{
    struct model_output own = *output;
    for (size_t i = 0; i < own.n_features; i++) own.weights[i] = quantised_weight(q, i);
    return model_predict_f32(&own, x);
}

int quantise_curve(struct quantise_error *out, size_t *n_out, const struct model_output *output, const float *x,
                   size_t n, struct error *err)
{
    *n_out = 0;
    for (unsigned bits = QUANTISE_BITS_MIN; bits <= QUANTISE_BITS_MAX; bits++) {
        struct quantised q;
        struct quantise_error *e = &out[*n_out];
        if (model_quantise(&q, output, bits, err) < 0) return -1;
        *e = (struct quantise_error){.bits = bits, .fraction_bits = q.fraction_bits};
        for (size_t i = 0; i < output->n_features; i++)
            e->weight_error = fmax(e->weight_error, fabs(quantised_weight(&q, i) - output->weights[i]));
        for (size_t i = 0; i < n; i++) {
            const double exact = (double)model_predict_f32(output, x + i * output->n_features);
            const double own = (double)quantised_predict(&q, output, x + i * output->n_features);
            const double relative = exact > 0 ? fabs(own - exact) / exact : 0;
            e->relative_mean += relative / (double)n;
            e->relative_max = fmax(e->relative_max, relative);
            e->warps_max = fmax(e->warps_max, fabs(own - exact));
            e->changed += (round(own) != round(exact)) / (double)n;
        }
        ++*n_out;
    }
    return 0;
}

/* Letters and digits, '_' for the rest. */
static void print_identifier(FILE *out, const char *text, const char *behind)
{
    for (; *text; text++) fputc(isalnum((unsigned char)*text) ? *text : '_', out);
    fputs(behind, out);
}

static void print_comment(FILE *out, const char *text) /* nothing may end the comment */
{
    for (; *text; text++) fputc(*text == '*' || *text == '/' || (unsigned char)*text < ' ' ? '_' : *text, out);
}

/* The function that turns a vector of features into a prediction, as the engine does: single precision, products summed
 * in order. */
static void print_predict(const struct model_output *o, const char *behind, const char *term, FILE *out)
{
    fputs("static inline float poise_", out);
    print_identifier(out, o->name, "_predict");
    fprintf(out, "%s(const float x[%zu]%s)\n{\n    float sum = %s;\n    for (int i = 0; i < %zu; i++) sum += %spoise_",
            behind, o->n_features, o->has_offset ? ", float offset" : "", o->has_offset ? "offset" : "0.0f",
            o->n_features, *behind ? "(float)((double)" : "");
    print_identifier(out, o->name, "_");
    fprintf(out, "%s * x[i];\n    return expf(sum);\n}\n", term);
}

static int write_output(const struct model_output *o, unsigned bits, FILE *out, struct error *err)
{
    struct quantised q;
    fputs("\n/* ", out);
    print_comment(out, o->name);
    fprintf(out, " = exp(%sw . x); x in this order: ", o->has_offset ? "offset + " : "");
    for (size_t i = 0; i < o->n_features; i++) {
        if (i) fputs(", ", out);
        print_comment(out, o->features[i]);
    }
    fputs(" */\nenum { poise_", out);
    print_identifier(out, o->name, "_features = ");
    fprintf(out, "%zu };\nstatic const float poise_", o->n_features);
    print_identifier(out, o->name, "");
    fprintf(out, "_weights[%zu] = {", o->n_features);
    for (size_t i = 0; i < o->n_features; i++) fprintf(out, "%s%af", i ? ", " : "", (double)(float)o->weights[i]);
    fputs("};\n", out);
    print_predict(o, "", "weights[i]", out);
    if (bits == 0) return 0;
    if (model_quantise(&q, o, bits, err) < 0) return -1;
    fprintf(out, "/* %u bits: weight = q / 2^fraction_bits */\nenum { poise_", bits);
    print_identifier(out, o->name, "_fraction_bits = ");
    fprintf(out, "%d };\nstatic const int32_t poise_", q.fraction_bits);
    print_identifier(out, o->name, "");
    fprintf(out, "_fixed[%zu] = {", o->n_features);
    for (size_t i = 0; i < o->n_features; i++) fprintf(out, "%s%ld", i ? ", " : "", (long)q.weights[i]);
    fputs("};\n", out);
    char term[80];
    snprintf(term, sizeof term, "fixed[i] * 0x1p%+d)", -q.fraction_bits);
    print_predict(o, "_fixed", term, out);
    return 0;
}

int model_write_header(const struct model *model, unsigned bits, FILE *out, struct error *err)
{
    fputs("/* Weights of the model ", out);
    print_comment(out, model->name);
    if (model->scale > 0)
        fprintf(out, ": written by poise model export. Targets are scaled to %g warps per scheduler. */\n",
                model->scale);
    else fputs(": written by poise model export. Targets are warps per scheduler, not scaled. */\n", out);
    fputs("/* poise_OUTPUT_predict() takes the features of that output; round it, and keep 1 <= p <= N <= warps per "
          "scheduler. Link with -lm. */\n"
          "#ifndef POISE_MODEL_WEIGHTS_H\n#define POISE_MODEL_WEIGHTS_H\n#include <math.h>\n#include <stdint.h>\n",
          out);
    for (size_t i = 0; i < model->n_outputs; i++)
        if (write_output(&model->outputs[i], bits, out, err) < 0) return -1;
    fputs("#endif\n", out);
    return 0;
}
