/* poise train DATA.csv: one regression, as a statistician would report it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "poise/glm.h"
#include "poise/hash.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/table_csv.h"

struct train_options { const char *target, *family, *out, *features, *name; bool intercept, json; };
static const struct option_row rows[] = {
    OPTION(train_options, target, 0, OPTION_TEXT, "COLUMN", "what to predict: N, p or any column of counts"),
    OPTION(train_options, family, 0, OPTION_TEXT, "FAMILY", "nb2 (default), poisson or ols"),
    OPTION(train_options, features, 0, OPTION_TEXT, "A,B,..", "columns to learn from (default: every numeric one that is none of a data set's own)"),
    OPTION(train_options, intercept, 0, OPTION_FLAG, NULL, "add a column of ones"),
    OPTION(train_options, name, 0, OPTION_TEXT, "NAME", "the model's name (default: the target)"),
    OPTION(train_options, out, 'o', OPTION_TEXT, "FILE", "write a model file with this one output"),
    OPTION(train_options, json, 0, OPTION_FLAG, NULL, "print the fit as JSON"),
};

static int write_model(const struct glm_fit *fit, const struct train_options *o, const char *path, struct error *err)
{
    struct model model = {.scale = 24, .n_outputs = 1};
    char *text, hash[HASH_TEXT_SIZE];
    size_t size;
    snprintf(model.name, sizeof model.name, "%.63s", o->name ? o->name : o->target);
    if (glm_fit_output(fit, o->target, &model.outputs[0], err) < 0 || file_read(&text, &size, path, err) < 0) return -1;
    const struct hash h = hash_bytes(text, size);
    free(text);
    hash_text(&h, hash);
    json_t *training = json_pack("{s:s,s:I}", "dataset", hash, "used", (json_int_t)fit->n);
    const int result = model_write(&model, training, NULL, o->out, err);
    json_decref(training);
    return result;
}

static int fit_table(const struct table_csv *table, const struct train_options *o, const char *path, struct error *err)
{
    const char *names[MODEL_FEATURES_MAX];
    char list[4096];
    struct training_choice choice = {.target = o->target, .add_intercept = o->intercept};
    struct glm_options options = {.family = GLM_NB2};
    struct training_set set;
    struct glm_fit fit;
    if (o->features) {
        if (strlen(o->features) >= sizeof list) return error_set(err, ERR_USAGE, "--features: this list is too long");
        strcpy(list, o->features);
        for (char *save, *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
            if (choice.n_features == MODEL_FEATURES_MAX) return error_set(err, ERR_USAGE, "--features: more than %d", MODEL_FEATURES_MAX);
            names[choice.n_features++] = name;
        }
        choice.features = names;
    }
    if (o->family && glm_family_parse(&options.family, o->family, err) < 0) return -1;
    if (training_set_init(&set, table, &choice, err) < 0) return -1;
    int result = glm_fit(&fit, &set.data, &options, err);
    if (result == 0) {
        if (o->out) result = write_model(&fit, o, path, err);
        if (result == 0 && o->json) {
            json_t *out = lab_json(), *json = glm_fit_json(&fit);
            json_object_update(out, json);
            json_decref(json);
            result = cli_print_json(out, err);
        } else if (result == 0) {
            glm_fit_print(&fit, stdout);
        }
        glm_fit_fini(&fit);
    }
    training_set_fini(&set);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct train_options *o = options;
    struct table_csv table;
    if (arguments->n != 1) return error_set(err, ERR_USAGE, "poise train needs one CSV file");
    if (!o->target) return error_set(err, ERR_USAGE, "poise train needs --target COLUMN");
    if (table_csv_read(&table, arguments->items[0], err) < 0) return -1;
    const int result = fit_table(&table, o, arguments->items[0], err);
    table_csv_fini(&table);
    return result;
}

const struct command command_train = {"train", "fit a regression to a table", "DATA.csv --target COLUMN [-o MODEL.json]",
    "Columns named offset (a logarithm), weight and group are what they say. The results' own dataset.csv is such a table.\n",
    rows, COUNT_OF(rows), sizeof(struct train_options), run};
