/* poise model show|check|diff|export|quantise: what a model file holds, whether it can be used, how it differs from
 * another. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/model_response.h"
#include "cli/options.h"
#include "poise/family.h"
#include "poise/features.h"
#include "poise/dataset.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/quantise.h"
#include "poise/table_csv.h"

struct model_cli_options {
    const char *out, *dataset;
    uint64_t bits;
    bool json;
};
static const struct option_row rows[] = {
    OPTION(model_cli_options, out, 'o', OPTION_OUT, "FILE", "write the header here instead of to standard output",
           .modes = "export"),
    OPTION(model_cli_options, dataset, 0, OPTION_TEXT, "DATA.csv", "rows of features", .modes = "quantise, predict"),
    OPTION(model_cli_options, bits, 0, OPTION_WHOLE, "BITS", "fixed-point weights of so many bits as well (4 to 32)",
           .modes = "export"),
    OPTION(model_cli_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int read_whole(const char *path, struct model *model, json_t **raw, struct error *err)
{
    if (model_read(model, path, err) < 0) return -1;
    return (*raw = file_read_json(path, err)) ? 0 : -1;
}

/* What only this program knows of a model: whether the engine has the features. */
static int check_features(const struct model *model, const char *path, struct error *err)
{
    for (size_t o = 0; o < model->n_outputs; o++) {
        const char *names[MODEL_FEATURES_MAX];
        const struct feature_row *found[MODEL_FEATURES_MAX];
        for (size_t i = 0; i < model->outputs[o].n_features; i++) names[i] = model->outputs[o].features[i];
        if (features_resolve(names, model->outputs[o].n_features, found, path, err) < 0)
            return error_while(err, "output %s", model->outputs[o].name);
    }
    return 0;
}

static unsigned hardware_bits(const struct model_output *output)
{
    const char *names[MODEL_FEATURES_MAX];
    for (size_t i = 0; i < output->n_features; i++) names[i] = output->features[i];
    return features_hardware_bits(names, output->n_features);
}

/* What an engine that runs the model keeps in each SM: counters that both outputs need are there once. */
static void print_storage(const struct model *model)
{
    enum { SMS = 32 }; /* THESIS Tab. 5.1 */
    const char *names[MODEL_OUTPUTS_MAX * MODEL_FEATURES_MAX];
    size_t n = 0;
    for (size_t o = 0; o < model->n_outputs; o++)
        for (size_t f = 0; f < model->outputs[o].n_features; f++) names[n++] = model->outputs[o].features[f];
    const struct engine_storage storage = features_engine_storage(names, n);
    printf("\nhardware: %u bits of counters and %u of state an SM, %.0f B for %d SMs "
           "(THESIS 5.7.9 counts 4 counters, 128 bits: 536 B);\nneither counts monitor and pollute bits, or what the "
           "search remembers\n",
           storage.counter_bits, storage.state_bits, engine_storage_bytes(&storage, SMS), SMS);
}

static int check(const char *path, const struct model_cli_options *o, struct error *err)
{
    struct model model;
    if (model_read(&model, path, err) < 0 || check_features(&model, path, err) < 0) return -1;
    const struct model_output *N = model_find(&model, "N"), *p = model_find(&model, "p");
    const bool is_pair = N && p && !N->has_offset && !p->has_offset;
    if (o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "file", json_string(path));
        json_object_set_new(out, "ok", json_true());
        json_object_set_new(out, "engine_can_run", json_boolean(is_pair));
        return cli_print_json(out, err);
    }
    printf("%s: sound; %s\n", path,
           is_pair ? "the engine can run it"
                   : "the engine needs the outputs N and p, without an offset, so it cannot run this one");
    return 0;
}

static void print_training(const json_t *raw)
{
    model_print_object("training", json_object_get(raw, "training"));
    model_print_object("validation", json_object_get(raw, "validation"));
}

/* The model card. */
static int show(const char *path, const struct model_cli_options *o, struct error *err)
{
    struct model model;
    json_t *raw;
    if (read_whole(path, &model, &raw, err) < 0) return -1;
    if (o->json) return cli_print_json(raw, err);
    printf("%s, ", model.name);
    if (model.scale > 0) printf("targets scaled to %g warps per scheduler", model.scale);
    else printf("targets not scaled");
    if (model.model_version) printf(", simulation model %u", model.model_version);
    putchar('\n');
    for (size_t i = 0; i < model.n_outputs; i++) {
        const struct model_output *output = &model.outputs[i];
        printf("\n%s: %s, log link%s, theta %g, %s; %u bits of counters\n", output->name, output->family,
               output->has_offset ? " with an offset" : "", output->theta, output->status, hardware_bits(output));
        for (size_t f = 0; f < output->n_features; f++) {
            const struct feature_row *row = feature_find(output->features[f]);
            printf("  %-20s %14.6g   %s\n", output->features[f], output->weights[f],
                   row ? row->formula : "(no feature of the engine)");
        }
    }
    print_storage(&model);
    putchar('\n');
    print_training(raw);
    json_decref(raw);
    return 0;
}

static double weight_of(const struct model_output *output, const char *feature)
{
    for (size_t i = 0; output && i < output->n_features; i++)
        if (strcmp(output->features[i], feature) == 0) return output->weights[i];
    return NAN;
}

static json_t *diff_output(const struct model_output *a, const struct model_output *b)
{
    json_t *list = json_array();
    for (int side = 0; side < 2; side++) {
        const struct model_output *own = side ? b : a;
        for (size_t i = 0; own && i < own->n_features; i++) {
            const double in_a = weight_of(a, own->features[i]), in_b = weight_of(b, own->features[i]);
            if ((side && isfinite(in_a)) || in_a == in_b) continue; /* shown already, or equal */
            json_t *row = json_pack("{s:s,s:s}", "output", own->name, "feature", own->features[i]);
            json_object_set_new(row, "a", json_or_null(in_a));
            json_object_set_new(row, "b", json_or_null(in_b));
            json_array_append_new(list, row);
        }
    }
    return list;
}

static int diff(const char *path_a, const char *path_b, const struct model_cli_options *o, struct error *err)
{
    struct model a, b;
    json_t *changes = json_array();
    if (model_read(&a, path_a, err) < 0 || model_read(&b, path_b, err) < 0) {
        json_decref(changes);
        return -1;
    }
    for (size_t i = 0; i < a.n_outputs + b.n_outputs; i++) {
        const char *name = i < a.n_outputs ? a.outputs[i].name : b.outputs[i - a.n_outputs].name;
        if (i >= a.n_outputs && model_find(&a, name)) continue;
        json_t *list = diff_output(model_find(&a, name), model_find(&b, name));
        json_array_extend(changes, list);
        json_decref(list);
    }
    const bool same = json_array_size(changes) == 0 && a.scale == b.scale;
    if (o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "equal", json_boolean(same));
        json_object_set_new(out, "changes", changes);
        return cli_print_json(out, err) < 0 ? -1 : !same;
    }
    size_t i;
    json_t *row;
    if (a.scale != b.scale) printf("scale %g, %g\n", a.scale, b.scale);
    json_array_foreach(changes, i, row) {
        const json_t *in_a = json_object_get(row, "a"), *in_b = json_object_get(row, "b");
        printf("%-4s %-20s %14.6g %14.6g\n", json_string_value(json_object_get(row, "output")),
               json_string_value(json_object_get(row, "feature")),
               in_a && json_is_number(in_a) ? json_number_value(in_a) : NAN,
               json_is_number(in_b) ? json_number_value(in_b) : NAN);
    }
    if (same) puts("the weights are equal");
    json_decref(changes);
    return !same;
}

static int write_predictor(const char *path, const struct model_cli_options *o, FILE *out, struct error *err)
{
    struct predictor *p;
    if (o->bits)
        return error_set(err, ERR_USAGE,
                         "--bits is for model files; %s is a predictor, which is exported in double precision", path);
    if (predictor_read(&p, path, err) < 0) return -1;
    const int result = predictor_write_header(p, out, err);
    predictor_free(p);
    return result < 0 ? error_while(err, "%s", path) : 0;
}

static int write_model(const char *path, const struct model_cli_options *o, FILE *out, struct error *err)
{
    struct model model;
    if (model_read(&model, path, err) < 0) return -1;
    return model_write_header(&model, (unsigned)(o->bits > 1000 ? 1000 : o->bits), out, err);
}

static int export_header(const char *path, const struct model_cli_options *o, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory");
    int result;
    if (response_file_is(path)) result = response_file_export(path, out, err);
    else
        result = model_file_is(path, "predictor") ? write_predictor(path, o, out, err) : write_model(path, o, out, err);
    if (fclose(out) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "out of memory");
    if (result == 0 && o->out) result = file_write(o->out, text, size, err);
    else if (result == 0) fputs(text, stdout);
    free(text);
    return result;
}

/* Rows of an output's features in single precision, in its order. */
static int read_rows(const struct model_output *output, const struct table_csv *table, float **out, struct error *err)
{
    const char *names[MODEL_FEATURES_MAX];
    struct training_set set;
    for (size_t i = 0; i < output->n_features; i++) names[i] = output->features[i];
    const struct table_column *target = NULL;
    for (size_t j = 0; j < table->n_columns && !target; j++) { /* any numeric column that is no feature: a target has
                                                                * to be named */
        bool is_feature = table->columns[j].words > 0 || table->columns[j].numbers == 0;
        for (size_t i = 0; i < output->n_features; i++) is_feature |= strcmp(names[i], table->columns[j].name) == 0;
        if (!is_feature) target = &table->columns[j];
    }
    if (!target) return error_set(err, ERR_INPUT, "%s: no numeric column beside the features", table->source);
    const struct training_choice choice = {.target = target->name,
                                           .features = names,
                                           .n_features = output->n_features,
                                           .roles = {dataset_outcome_columns, dataset_word_columns},
                                           .add_intercept = true};
    if (training_set_init(&set, table, &choice, err) < 0) return -1;
    const size_t n = set.data.n, k = output->n_features;
    *out = malloc((n * k + 1) * sizeof **out);
    for (size_t f = 0; *out && f < k; f++) {
        size_t column = 0; /* an added intercept stands last */
        while (strcmp(set.names[column], output->features[f]) != 0) column++;
        for (size_t i = 0; i < n; i++) (*out)[i * k + f] = (float)set.x[column * n + i];
    }
    training_set_fini(&set);
    return *out ? 0 : error_set(err, ERR_MEMORY, "out of memory");
}

static json_t *curve_json(const struct model_output *output, const float *x, size_t n, struct error *err)
{
    struct quantise_error errors[QUANTISE_BITS_MAX];
    size_t count;
    if (quantise_curve(errors, &count, output, x, n, err) < 0) return NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:f,s:f,s:f,s:f,s:f}", "output", output->name, "bits",
                                              (json_int_t)errors[i].bits, "fraction_bits",
                                              (json_int_t)errors[i].fraction_bits, "weight_error",
                                              errors[i].weight_error, "relative_mean", errors[i].relative_mean,
                                              "relative_max", errors[i].relative_max, "warps_max", errors[i].warps_max,
                                              "changed", errors[i].changed));
    return list;
}

static int quantise(const char *path, const struct model_cli_options *o, struct error *err)
{
    struct model model;
    struct table_csv table;
    if (!o->dataset) return error_set(err, ERR_USAGE, "poise model quantise needs --dataset DATA.csv");
    if (model_read(&model, path, err) < 0 || table_read(&table, o->dataset, err) < 0) return -1;
    json_t *curve = json_array();
    int failed = 0;
    for (size_t i = 0; i < model.n_outputs && !failed; i++) {
        float *x = NULL;
        if (model.outputs[i].has_offset)
            failed =
                error_set(err, ERR_INPUT, "%s: output %s was trained with an offset, which the engine does not have",
                          path, model.outputs[i].name);
        if (!failed) failed = read_rows(&model.outputs[i], &table, &x, err);
        json_t *list = failed ? NULL : curve_json(&model.outputs[i], x, table.n_rows, err);
        failed = list ? 0 : -1;
        json_array_extend(curve, list);
        json_decref(list);
        free(x);
    }
    table_csv_fini(&table);
    if (!failed && o->json) {
        json_t *out = lab_json();
        json_object_set(out, "curve", curve);
        failed = cli_print_json(out, err);
    } else if (!failed) {
        size_t i;
        json_t *row;
        printf("%-8s %5s %14s %14s %14s %12s %9s\n", "output", "bits", "weight error", "mean relative", "largest",
               "in warps", "changed");
        json_array_foreach(curve, i, row)
            printf("%-8s %5lld %14.3g %14.3g %14.3g %12.3g %8.1f%%\n",
                   json_string_value(json_object_get(row, "output")),
                   (long long)json_integer_value(json_object_get(row, "bits")),
                   json_number_value(json_object_get(row, "weight_error")),
                   json_number_value(json_object_get(row, "relative_mean")),
                   json_number_value(json_object_get(row, "relative_max")),
                   json_number_value(json_object_get(row, "warps_max")),
                   100 * json_number_value(json_object_get(row, "changed")));
    }
    json_decref(curve);
    return failed;
}

/* The offsets of a table; a predictor that was trained with them cannot do without. */
static int find_offset(const double **out, const struct predictor *p, const struct table_csv *table, struct error *err)
{
    const struct table_column *column = table_csv_find(table, "offset");
    *out = column ? column->values : NULL;
    if (column)
        return glm_check_offset(
            &(struct glm_data){
                .n = table->n_rows, .offset = column->values, .source = table->source, .lines = table->lines},
            err);
    if (!predictor_has_offset(p)) return 0;
    error_set(err, ERR_INPUT, "%s: no column 'offset', with which the predictor was trained", table->source);
    return error_at(err, table->source, 1, -1, "add the logarithm of each row's exposure, as in the training table");
}

/* A table's rows through a predictor: the prediction and the interval around it. */
static int predict(const char *path, const struct model_cli_options *o, struct error *err)
{
    enum { COLUMNS = 256 };
    const double tail = 0.025;
    struct predictor *p;
    struct table_csv table;
    const struct table_column *columns[COLUMNS];
    double x[COLUMNS];
    if (!o->dataset) return error_set(err, ERR_USAGE, "poise model predict needs --dataset DATA.csv");
    if (predictor_read(&p, path, err) < 0) return -1;
    if (table_read(&table, o->dataset, err) < 0) {
        predictor_free(p);
        return -1;
    }
    const size_t k = predictor_columns(p);
    int failed = k <= COLUMNS ? 0 : error_set(err, ERR_INPUT, "%s: %zu columns, at most %d", path, k, COLUMNS);
    for (size_t j = 0; j < k && !failed; j++) {
        columns[j] = table_csv_find(&table, predictor_column(p, j));
        if (!columns[j] && strcmp(predictor_column(p, j), "intercept") != 0)
            failed = error_set(err, ERR_INPUT, "%s: no column '%s', which the predictor needs", table.source,
                               predictor_column(p, j));
    }
    const double *offset = NULL;
    if (!failed) failed = find_offset(&offset, p, &table, err);
    json_t *rows_json = json_array();
    for (size_t i = 0; i < table.n_rows && !failed; i++) {
        for (size_t j = 0; j < k && !failed; j++) {
            x[j] = columns[j] ? columns[j]->values[i] : 1;
            if (!isfinite(x[j]))
                failed = error_set(err, ERR_INPUT, "%s:%ld: column '%s' is no finite number", table.source,
                                   table.lines[i], predictor_column(p, j));
        }
        const double off = offset ? offset[i] : 0;
        if (failed) break;
        json_array_append_new(rows_json,
                              json_pack("{s:I,s:f,s:f,s:f}", "line", (json_int_t)table.lines[i], "predicted",
                                        predictor_predict(p, x, off), "low", predictor_quantile(p, x, off, tail),
                                        "high", predictor_quantile(p, x, off, 1 - tail)));
    }
    if (!failed && o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "family", json_string(predictor_family(p)->name));
        json_object_set(out, "rows", rows_json);
        failed = cli_print_json(out, err);
    } else if (!failed) {
        size_t i;
        json_t *row;
        puts("line,predicted,low,high");
        json_array_foreach(rows_json, i, row)
            printf("%lld,%.10g,%.10g,%.10g\n", (long long)json_integer_value(json_object_get(row, "line")),
                   json_number_value(json_object_get(row, "predicted")), json_number_value(json_object_get(row, "low")),
                   json_number_value(json_object_get(row, "high")));
    }
    json_decref(rows_json);
    table_csv_fini(&table);
    predictor_free(p);
    return failed;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const char *const *a = arguments->items;
    const bool is_json = ((const struct model_cli_options *)options)->json;
    if (arguments->n == 2 && strcmp(a[0], "show") == 0 && response_file_is(a[1]))
        return response_file_show(a[1], is_json, err);
    if (arguments->n == 2 && strcmp(a[0], "check") == 0 && response_file_is(a[1]))
        return response_file_check(a[1], is_json, err);
    if (arguments->n == 2 && strcmp(a[0], "show") == 0) return show(a[1], options, err);
    if (arguments->n == 2 && strcmp(a[0], "check") == 0) return check(a[1], options, err);
    if (arguments->n == 3 && strcmp(a[0], "diff") == 0) return diff(a[1], a[2], options, err);
    if (arguments->n == 2 && strcmp(a[0], "export") == 0) return export_header(a[1], options, err);
    if (arguments->n == 2 && strcmp(a[0], "quantise") == 0) return quantise(a[1], options, err);
    if (arguments->n == 2 && strcmp(a[0], "predict") == 0) return predict(a[1], options, err);
    error_set(
        err, ERR_USAGE,
        "poise model: show, check, export or quantise one model file, predict with a predictor file, or diff two");
    return error_at(err, NULL, 0, -1, "poise model --help");
}

const struct command command_model = {
    "model",
    "look at model files: show, check, diff, export, quantise, predict",
    "show|check|export|quantise MODEL.json, diff A.json B.json, or predict PREDICTOR.json --dataset DATA.csv",
    "show      the card: weights, formulas, what it was learnt from\n"
    "check     schema, lengths, values that are not finite, features that the engine does not have\n"
    "diff      weights that differ; exit status 1 where some do\n"
    "export    a C header with predict(), of a model (with --bits in fixed point too), a predictor or a response "
    "model\n"
    "predict   each row's prediction and the interval that holds it 95 times in 100; from a file of poise train "
    "--predictor\n"
    "quantise  what fixed point costs over 4 to 32 bits, on the rows of --dataset\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct model_cli_options),
    run};
