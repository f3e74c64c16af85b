/* poise train DATA.csv: one model, reported as a statistician would. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "cli/train_correction.h"
#include "poise/dataset.h"
#include "poise/file.h"
#include "poise/glm_report.h"
#include "poise/hash.h"
#include "poise/lab.h"
#include "poise/say.h"
#include "poise/table_csv.h"
#include "poise/validate.h"

struct train_options {
    const char *target, *family, *out, *features, *name, *rows, *write_libsvm, *predictor, *weights, *penalty;
    struct texts set;
    bool intercept, tune, profile, unscaled, csv, json;
};
static const struct option_row rows[] = {
    OPTION(train_options, target, 0, OPTION_TEXT, "COLUMN", "what to predict: N, p or any column of counts"),
    OPTION(train_options, family, 0, OPTION_TEXT, "FAMILY",
           "nb2 (default), poisson, ols, ridge, svr, nusvr, knn or mean; correction: of the quick model's surfaces, "
           "for a table "
           "of 'poise hint --table'"),
    OPTION(train_options, set, 0, OPTION_TEXTS, "KEY=VALUE",
           "a setting of the family (poise train --family svr --set C=100)"),
    OPTION(train_options, tune, 0, OPTION_FLAG, NULL,
           "choose the settings by grouped cross-validation over the family's grid"),
    OPTION(
        train_options, penalty, 0, OPTION_TEXT, "KIND=LAMBDA",
        "nb2, poisson: ridge=0.1, lasso=0.1, elastic-net=0.1[:MIX], of standardised columns as glmnet has it; LAMBDA "
        "cv: chosen by leaving out each group, or each benchmark"),
    OPTION(train_options, features, 0, OPTION_TEXT, "A,B,..",
           "columns to learn from (default: every numeric one that is none of a data set's own)"),
    OPTION(train_options, intercept, 0, OPTION_FLAG, NULL, "add a column of ones"),
    OPTION(
        train_options, weights, 0, OPTION_TEXT, "KIND",
        "what the column weight says: frequency (default), how often a row occurs; or precision, what its variance is "
        "divided by"),
    OPTION(train_options, profile, 0, OPTION_FLAG, NULL,
           "profile intervals and likelihood ratios as well: a fit for each"),
    OPTION(train_options, name, 0, OPTION_TEXT, "NAME", "the model's name (default: the target)"),
    OPTION(train_options, unscaled, 0, OPTION_FLAG, NULL,
           "the target is in warps as they are, not scaled to 24 (a data set of scale: 0)"),
    OPTION(train_options, out, 'o', OPTION_OUT, "FILE",
           "write a model file with this one output (svr, nusvr, knn, mean: a predictor file)"),
    OPTION(train_options, predictor, 0, OPTION_OUT, "FILE",
           "write a predictor file: any family, with what its intervals need (poise model predict)"),
    OPTION(train_options, rows, 0, OPTION_OUT, "FILE.csv", "write residuals, leverage and influence of every row"),
    OPTION_NAMED(train_options, write_libsvm, "write-libsvm", 0, OPTION_OUT, "FILE",
                 "write the target and columns in libsvm's format"),
    OPTION(train_options, csv, 0, OPTION_FLAG, NULL, "print the weights as CSV"),
    OPTION(train_options, json, 0, OPTION_FLAG, NULL, "print the fit as JSON"),
};

/* The file with its one output and what it was learnt from. */
static int write_model(const struct model_output *output, size_t n, const struct train_options *o, const char *path,
                       struct error *err)
{
    struct model model = {.scale = o->unscaled ? 0 : 24, .n_outputs = 1, .outputs = {*output}};
    char *text, hash[HASH_TEXT_SIZE];
    size_t size;
    snprintf(model.name, sizeof model.name, "%.63s", o->name ? o->name : o->target);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const struct hash h = hash_bytes(text, size);
    free(text);
    hash_text(&h, hash);
    json_t *training = json_pack("{s:s,s:I}", "dataset", hash, "used", (json_int_t)n);
    const int result = model_write(&model, training, NULL, o->out, err);
    json_decref(training);
    return result;
}

static int print_object(json_t *own, const struct training_set *set, const struct table_notes *notes, struct error *err)
{
    json_t *out = lab_json(), *warnings = json_object_get(own, "warnings");
    for (size_t i = 0; i < notes->n; i++) json_array_append_new(warnings, json_string(notes->texts[i]));
    if (set->data.weight) json_object_set_new(own, "weights", json_string(glm_weights_name(set->data.weights)));
    json_object_update(out, own);
    json_decref(own);
    return cli_print_json(out, err);
}

/* Residuals and influence, through memory, so that the file appears whole or not at all. */
static int write_rows(const struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                      const char *path, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    glm_report_rows_csv(report, fit, data, out);
    const int result =
        fclose(out) != 0 ? error_set(err, ERR_MEMORY, "%s: out of memory", path) : file_write(path, text, size, err);
    free(text);
    return result;
}

static int train_glm(const struct training_set *set, const struct glm_options *options, const struct train_options *o,
                     const struct table_notes *notes, const char *path, struct error *err)
{
    struct glm_fit fit;
    struct glm_report report;
    struct model_output output;
    const struct glm_report_options want = {.profile = o->profile, .groups = set->groups, .seed = 1};
    if (glm_fit(&fit, &set->data, options, err) < 0) return -1;
    int result = glm_report_init(&report, &fit, &set->data, options, &want, err);
    if (result == 0) {
        if (o->out && (result = glm_fit_output(&fit, o->target, &output, err)) == 0)
            result = write_model(&output, (size_t)fit.observations, o, path, err);
        if (result == 0 && o->rows) result = write_rows(&report, &fit, &set->data, o->rows, err);
        if (result == 0 && o->json) result = print_object(glm_report_json(&report, &fit), set, notes, err);
        else if (result == 0 && o->csv) glm_report_coef_csv(&report, &fit, stdout);
        else if (result == 0) glm_report_print(&report, &fit, stdout);
        glm_report_fini(&report);
    }
    glm_fit_fini(&fit);
    return result;
}

/* Mean loss of the observations: a row of frequency weight w is w of them. */
static double mean_loss(const struct glm_data *data, const double *predicted, enum loss_kind kind, double *n)
{
    const bool repeats = data->weight && data->weights == WEIGHTS_FREQUENCY;
    double sum = 0;
    *n = 0;
    for (size_t i = 0; i < data->n; i++) {
        const double w = repeats ? data->weight[i] : 1;
        *n += w, sum += w * loss_of(kind, data->y[i], predicted[i]);
    }
    return sum / *n;
}

/* What families without a likelihood can say: weights where there are any, errors on the rows they were fitted to. */
static json_t *predictor_report(const struct predictor *p, const struct glm_data *data,
                                const struct family_settings *settings, const double *predicted)
{
    double n;
    const double relative = mean_loss(data, predicted, LOSS_RELATIVE, &n),
                 absolute = mean_loss(data, predicted, LOSS_ABSOLUTE, &n),
                 squared = mean_loss(data, predicted, LOSS_SQUARED, &n);
    const double *weights = predictor_weights(p);
    json_t *coef = json_array(), *out = json_object();
    for (size_t j = 0; weights && j < data->k; j++)
        json_array_append_new(coef, json_pack("{s:s,s:f,s:n,s:n,s:n,s:n}", "name", data->names[j], "value", weights[j],
                                              "se_expected", "se_joint", "z", "p"));
    json_object_set_new(out, "coef", coef);
    static const char *const nulls[] = {"theta", "se_theta", "loglik", "deviance", "null_deviance", "aic", "bic"};
    for (size_t i = 0; i < COUNT_OF(nulls); i++) json_object_set_new(out, nulls[i], json_null());
    json_object_set_new(out, "converged", json_true());
    json_object_set_new(out, "status", json_string("ok"));
    json_object_set_new(out, "warnings", json_array());
    json_object_set_new(out, "family", json_string(predictor_family(p)->name));
    json_object_set_new(out, "settings", params_json(predictor_family(p)->settings, settings));
    json_object_set_new(out, "rows", json_integer((json_int_t)n));
    json_object_set_new(out, "in_sample",
                        json_pack("{s:f,s:f,s:f}", "relative_error", relative, "mae", absolute, "rmse", sqrt(squared)));
    return out;
}

static void print_predictor(const json_t *report)
{
    size_t i;
    json_t *row;
    char *settings = json_dumps(json_object_get(report, "settings"), JSON_COMPACT | JSON_REAL_PRECISION(10));
    printf("%s %s: %lld rows\n", json_string_value(json_object_get(report, "family")), settings ? settings : "",
           (long long)json_integer_value(json_object_get(report, "rows")));
    free(settings);
    json_array_foreach(json_object_get(report, "coef"), i, row)
        printf("%-24s %14.6g\n", json_string_value(json_object_get(row, "name")),
               json_number_value(json_object_get(row, "value")));
    const json_t *in = json_object_get(report, "in_sample");
    printf("on its own rows: mean relative error %.4f, mean absolute error %.4f, root mean square %.4f\n",
           json_number_value(json_object_get(in, "relative_error")), json_number_value(json_object_get(in, "mae")),
           json_number_value(json_object_get(in, "rmse")));
    puts("how it does on rows it has not seen: poise cv");
}

static int write_predictor(const struct predictor *p, const struct glm_data *data, size_t n,
                           const struct train_options *o, const char *path, struct error *err)
{
    struct model_output output = {.n_features = data->k, .theta = INFINITY, .has_offset = data->offset != NULL};
    const double *weights = predictor_weights(p);
    if (!weights) return predictor_write(p, o->out, err);
    if (data->k > MODEL_FEATURES_MAX)
        return error_set(err, ERR_INPUT, "%zu columns, a model file holds at most %d", data->k, MODEL_FEATURES_MAX);
    for (size_t j = 0; j < data->k; j++) {
        snprintf(output.features[j], MODEL_NAME_MAX, "%s", data->names[j]);
        output.weights[j] = weights[j];
    }
    snprintf(output.name, sizeof output.name, "%.63s", o->target);
    snprintf(output.family, sizeof output.family, "%s", predictor_family(p)->name);
    snprintf(output.status, sizeof output.status, "ok");
    return write_model(&output, n, o, path, err);
}

static int train_predictor(const struct training_set *set, const struct family *family,
                           const struct family_settings *settings, const struct train_options *o,
                           const struct table_notes *notes, const char *path, struct error *err)
{
    const struct glm_data *data = &set->data;
    struct predictor *p;
    if (o->rows || o->csv || o->profile)
        return error_set(err, ERR_USAGE, "--rows, --csv and --profile need a likelihood: nb2, poisson or ols");
    if (predictor_fit(&p, family, data, settings, err) < 0) return -1;
    double *predicted = calloc(data->n + data->k + 1, sizeof *predicted), *x = predicted + data->n;
    double n;
    int result = predicted ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; result == 0 && i < data->n; i++) {
        for (size_t j = 0; j < data->k; j++) x[j] = data->x[j * data->n + i];
        predicted[i] = predictor_predict(p, x, data->offset ? data->offset[i] : 0);
    }
    if (result == 0 && o->out) {
        mean_loss(data, predicted, LOSS_ABSOLUTE, &n);
        result = write_predictor(p, data, (size_t)n, o, path, err);
    }
    if (result == 0) {
        json_t *report = predictor_report(p, data, settings, predicted);
        if (o->json) result = print_object(report, set, notes, err);
        else print_predictor(report), json_decref(report);
    }
    free(predicted);
    predictor_free(p);
    return result;
}

/* Groups to leave out: the column group, or the benchmarks of a data set. */
static int penalty_groups(struct groups *groups, const struct table_csv *table, const struct training_set *set,
                          struct error *err)
{
    const struct table_column *benchmark = table_csv_find(table, "benchmark");
    if (set->groups) return groups_init(groups, set->groups, set->data.n, err);
    if (benchmark && benchmark->texts)
        return groups_init(groups, (const char *const *)benchmark->texts, set->data.n, err);
    error_set(err, ERR_INPUT, "%s: no column 'group' or 'benchmark' says which rows to leave out together",
              table->source);
    return error_at(err, NULL, 0, -1, "add one, or give the penalty as a number");
}

static int set_penalty(struct family_settings *settings, const struct family *family, const struct table_csv *table,
                       const struct training_set *set, const char *text, struct error *err)
{
    struct glm_penalty penalty;
    enum glm_family kind;
    struct groups groups;
    struct error ignored;
    bool is_chosen;
    if (glm_penalty_parse(&penalty, &is_chosen, text, err) < 0) return -1;
    if (!params_find(family->settings, "penalty") || glm_family_parse(&kind, family->name, &ignored) < 0)
        return error_set(err, ERR_USAGE, "family %s takes none: nb2 and poisson do", family->name);
    if (is_chosen) {
        if (penalty_groups(&groups, table, set, err) < 0) return -1;
        const int failed =
            penalty_choose(&penalty, kind, family_number(family, settings, "theta"), &set->data, &groups, err);
        groups_fini(&groups);
        if (failed) return -1;
    }
    if (family_set_number(family, settings, "penalty", penalty.lambda, err) < 0) return -1;
    return family_set_number(family, settings, "mix", penalty.mix, err);
}

static int choose_settings(struct family_settings *settings, const struct family *family, const struct table_csv *table,
                           const struct training_set *set, const struct train_options *o, struct error *err)
{
    family_defaults(family, settings);
    if (texts_check_pairs(&o->set, 0, "--set", err) < 0) return -1;
    for (size_t i = 0; i < o->set.n; i++) {
        char key[64];
        const char *equals = strchr(o->set.items[i], '=');
        if (!equals || equals - o->set.items[i] >= (long)sizeof key)
            return error_set(err, ERR_USAGE, "--set %s: KEY=VALUE is needed", o->set.items[i]);
        snprintf(key, sizeof key, "%.*s", (int)(equals - o->set.items[i]), o->set.items[i]);
        if (family_set(family, settings, key, equals + 1, err) < 0) return error_while(err, "--set");
    }
    if (o->penalty && set_penalty(settings, family, table, set, o->penalty, err) < 0)
        return error_while(err, "--penalty");
    if (!o->tune) return 0;
    struct groups groups;
    if (groups_init(&groups, set->groups, set->data.n, err) < 0) return -1;
    const int result =
        tune_settings(settings, family, &set->data, &groups, family->axes, family->n_axes, 5, LOSS_RELATIVE, 1, err);
    groups_fini(&groups);
    return result;
}

static int read_features(struct training_choice *choice, const char **names, char *list, size_t size, const char *text,
                         struct error *err)
{
    if (!text) return 0;
    if (strlen(text) >= size) return error_set(err, ERR_USAGE, "--features: this list is too long");
    strcpy(list, text);
    for (char *save, *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        if (choice->n_features == MODEL_FEATURES_MAX)
            return error_set(err, ERR_USAGE, "--features: more than %d", MODEL_FEATURES_MAX);
        for (size_t i = 0; i < choice->n_features; i++)
            if (strcmp(names[i], name) == 0) return error_set(err, ERR_USAGE, "--features: %s is given twice", name);
        names[choice->n_features++] = name;
    }
    choice->features = names;
    return 0;
}

/* Rows that have no group are left out; a search over settings sees rows as often as they occur. */
static int prepare_table(struct table_csv *table, struct training_choice *choice, const struct train_options *o,
                         struct error *err)
{
    if (o->weights && glm_weights_parse(&choice->weights, o->weights, err) < 0) return error_while(err, "--weights");
    if (o->weights && !table_csv_find(table, "weight"))
        return error_set(err, ERR_INPUT, "%s: --weights, but no column 'weight'", table->source);
    if (strcmp(o->target, "group") != 0 && table_csv_drop_missing(table, "group", choice->notes, err) < 0) return -1;
    choice->is_repeated = o->tune && choice->weights == WEIGHTS_FREQUENCY && strcmp(o->target, "weight") != 0 &&
                          table_csv_find(table, "weight");
    return choice->is_repeated ? table_csv_repeat(table, "weight", err) : 0;
}

static int fit_table(struct table_csv *table, const struct train_options *o, const char *path, struct error *err)
{
    struct table_notes notes = {.n = 0};
    const char *names[MODEL_FEATURES_MAX];
    char list[4096];
    struct training_choice choice = {.target = o->target,
                                     .roles = {dataset_outcome_columns, dataset_word_columns},
                                     .notes = &notes,
                                     .add_intercept = o->intercept};
    const struct family *family;
    struct family_settings settings;
    struct glm_options options = {.family = GLM_NB2};
    struct training_set set;
    struct error ignored;
    if (read_features(&choice, names, list, sizeof list, o->features, err) < 0) return -1;
    if (family_parse(&family, o->family ? o->family : "nb2", err) < 0 || prepare_table(table, &choice, o, err) < 0 ||
        training_set_init(&set, table, &choice, err) < 0)
        return -1;
    for (size_t i = 0; i < notes.n; i++) say_warning(stderr, "%s: %s", path, notes.texts[i]);
    int result = choose_settings(&settings, family, table, &set, o, err);
    if (result == 0 && o->write_libsvm) result = libsvm_write(&set.data, o->write_libsvm, err);
    if (result == 0 && o->predictor) {
        struct predictor *p;
        result = predictor_fit(&p, family, &set.data, &settings, err);
        if (result == 0) result = predictor_write(p, o->predictor, err), predictor_free(p);
    }
    if (result == 0 && glm_family_parse(&options.family, family->name, &ignored) == 0) {
        options.theta = family_number(family, &settings, "theta");
        options.max_iterations = (int)family_number(family, &settings, "max_iterations");
        options.penalty =
            (struct glm_penalty){family_number(family, &settings, "penalty"), family_number(family, &settings, "mix")};
        result = train_glm(&set, &options, o, choice.notes, path, err);
    } else if (result == 0) {
        result = train_predictor(&set, family, &settings, o, choice.notes, path, err);
    }
    training_set_fini(&set);
    return result;
}

static int correct_table(const struct table_csv *table, const struct train_options *o, struct error *err)
{
    const char *names[MODEL_FEATURES_MAX];
    char list[4096];
    struct training_choice choice = {.n_features = 0};
    if (read_features(&choice, names, list, sizeof list, o->features, err) < 0) return -1;
    const struct correction_request request = {o->target, o->name, o->out, choice.features, choice.n_features, o->json};
    return train_correction(table, &request, err);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct train_options *o = options;
    struct table_csv table;
    if (arguments->n != 1) return error_set(err, ERR_USAGE, "poise train needs one CSV or libsvm file");
    const bool is_correction = o->family && strcmp(o->family, "correction") == 0;
    if (!o->target && !is_correction) return error_set(err, ERR_USAGE, "poise train needs --target COLUMN");
    if (cli_check_model_name(o->name, err) < 0 || table_read(&table, arguments->items[0], err) < 0) return -1;
    const int result = is_correction ? correct_table(&table, o, err) : fit_table(&table, o, arguments->items[0], err);
    table_csv_fini(&table);
    return result;
}

const struct command command_train = {
    "train",
    "fit a model to a table",
    "DATA.csv --target COLUMN [--family FAMILY] [-o MODEL.json]",
    "Columns named offset (the logarithm of an exposure), weight (--weights) and group are what they say; rows "
    "whose group is empty or NA are left out, with a warning. The "
    "results' own dataset.csv is such a table.\n"
    "A file that ends in .libsvm or .svm has the columns y, x1, x2, ...\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct train_options),
    run};
