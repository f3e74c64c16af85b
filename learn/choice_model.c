/* Models of choices: training, strict JSON in, canonical JSON out, and a C header. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "choice_parts.h"
#include "model_error.h"
#include "poise/file.h"
#include "poise/text.h"

#define SCHEMA 1
#define HINT "'poise choice train TABLE.csv -o FILE' writes such a file (learn/include/poise/choice.h)"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)

void choice_model_fini(struct choice_model *m)
{
    json_decref(m->training);
    json_decref(m->validation);
    m->training = m->validation = NULL;
}

/* The regression is linear in the columns: its values at 0 and at each unit are its weights. */
static void take_weights(struct choice_model *m, const struct response_predictor *p)
{
    double x[RESPONSE_FEATURES_MAX] = {0}, constant[RESPONSE_POINTS_MAX], gains[RESPONSE_POINTS_MAX];
    response_predict(p, x, constant, NULL);
    for (size_t c = 0; c < m->k; c++) {
        x[c] = 1;
        response_predict(p, x, gains, NULL);
        x[c] = 0;
        for (size_t j = 0; j < m->m; j++) m->weights[j][c] = gains[j] - constant[j];
    }
    for (size_t j = 0; j < m->m; j++) m->weights[j][m->k] = constant[j];
}

int choice_fit(struct choice_model *out, const struct response_data *d, struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    struct response_predictor *p = NULL;
    *out = (struct choice_model){.k = d->k, .m = d->m};
    int failed = response_data_check(d, err);
    if (!failed) failed = response_data_hash(hash, d, err);
    if (!failed) failed = response_fit(&p, &response_ridge, d, NULL, err);
    if (!failed) {
        take_weights(out, p);
        out->training =
            json_pack("{s:s,s:I,s:I}", "hash", hash, "launches", (json_int_t)d->n, "families", (json_int_t)d->n_groups);
    }
    response_predictor_free(p);
    return failed;
}

int choice_train(struct choice_model *out, const struct response_data *data, const char *const *policies,
                 const struct choice_columns *set, struct error *err)
{
    struct choice_taken taken;
    size_t single;
    if (choice_single(&single, data, err) < 0 || choice_take(&taken, data, set, err) < 0) {
        *out = (struct choice_model){.k = 0};
        return -1;
    }
    const struct response_data *d = &taken.data;
    const int failed = choice_fit(out, d, err);
    out->single = single;
    for (size_t j = 0; j < d->k; j++) snprintf(out->columns[j], sizeof out->columns[j], "%s", d->names[j]);
    for (size_t j = 0; j < d->m; j++) snprintf(out->policies[j], sizeof out->policies[j], "%s", policies[j]);
    choice_taken_fini(&taken);
    return failed;
}

size_t choice_policy(const struct choice_model *m, const double *x, double *gains)
{
    size_t best = m->m - 1;
    double most = -INFINITY;
    for (size_t j = m->m; j-- > 0;) {
        double sum = m->weights[j][m->k];
        for (size_t c = 0; c < m->k; c++) sum += m->weights[j][c] * x[c];
        if (gains) gains[j] = sum;
        if (sum > most) best = j, most = sum;
    }
    return best;
}

/* ---- reading ---- */

static const char *policy_problem(const char *policy)
{
    char name[CHOICE_NAME_MAX];
    const size_t n = (size_t)choice_name_bytes(policy);
    json_t *text = json_string(policy); /* NULL: no UTF-8 */
    json_decref(text);
    snprintf(name, sizeof name, "%.*s", (int)n, policy);
    for (const char *c = policy; *c && text; c++)
        if (text_control(c)) return "holds a control character";
    if (!text || n >= sizeof name || name_problem(name) || strncmp(policy + n, ": --", 4) != 0)
        return "is no 'NAME: --mech M' or 'NAME: --set K=V' with a name of at most 31 bytes";
    return NULL;
}

const char *choice_policies_problem(const char *const *policies, size_t n, size_t *which)
{
    for (*which = 0; *which < n; ++*which) {
        const char *policy = policies[*which], *problem = policy_problem(policy);
        if (problem) return problem;
        for (size_t k = 0; k < *which; k++)
            if (strncmp(policies[k], policy, (size_t)choice_name_bytes(policy) + 1) == 0)
                return "has the name of another policy";
    }
    return NULL;
}

static int get_whole(int64_t *out, const json_t *item, int64_t low, int64_t high, const char *key, const char *file,
                     struct error *err)
{
    *out = json_integer_value(item);
    if (json_is_integer(item) && *out >= low && *out <= high) return 0;
    return bad(err, file, key, "must be a whole number from %lld to %lld", (long long)low, (long long)high);
}

static int get_text(char *out, size_t size, const json_t *item, const char *key, const char *file, struct error *err)
{
    const char *text = json_string_value(item);
    if (!text || !*text || strlen(text) >= size)
        return bad(err, file, key, "must hold texts of 1 to %zu bytes", size - 1);
    snprintf(out, size, "%s", text);
    return 0;
}

static int get_weights(struct choice_model *m, const json_t *list, const char *file, struct error *err)
{
    if (json_array_size(list) != m->m) return bad(err, file, "weights", "must be a list of %zu lists", m->m);
    for (size_t j = 0; j < m->m; j++) {
        const json_t *own = json_array_get(list, j);
        if (json_array_size(own) != m->k + 1)
            return bad(err, file, "weights", "must hold %zu numbers a policy", m->k + 1);
        for (size_t c = 0; c <= m->k; c++) {
            const json_t *item = json_array_get(own, c);
            m->weights[j][c] = json_number_value(item);
            if (!json_is_number(item) || !(fabs(m->weights[j][c]) < 1e30))
                return bad(err, file, "weights", "must hold numbers");
        }
    }
    return 0;
}

static int get_model(struct choice_model *m, const json_t *root, const char *file, struct error *err)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const json_t *columns = json_object_get(root, "columns"), *policies = json_object_get(root, "policies");
    int64_t schema, version, single, window, trial;
    m->k = json_array_size(columns), m->m = json_array_size(policies);
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    if (!kind || strcmp(kind, "choice") != 0) return bad(err, file, "kind", "must be \"choice\"");
    if (m->k < 1 || m->k > RESPONSE_FEATURES_MAX)
        return bad(err, file, "columns", "must be a list of 1 to %d names", RESPONSE_FEATURES_MAX);
    if (m->m < 2 || m->m > RESPONSE_POINTS_MAX)
        return bad(err, file, "policies", "must be a list of 2 to %d texts", RESPONSE_POINTS_MAX);
    if (get_whole(&schema, json_object_get(root, "schema"), SCHEMA, SCHEMA, "schema", file, err) < 0 ||
        get_whole(&version, json_object_get(root, "model_version"), 0, INT32_MAX, "model_version", file, err) < 0 ||
        get_whole(&window, json_object_get(root, "window"), 0, INT32_MAX, "window", file, err) < 0 ||
        get_whole(&trial, json_object_get(root, "trial"), 0, INT32_MAX, "trial", file, err) < 0 ||
        get_whole(&single, json_object_get(root, "single"), 0, (int64_t)m->m - 1, "single", file, err) < 0 ||
        get_text(m->name, sizeof m->name, json_object_get(root, "name"), "name", file, err) < 0)
        return -1;
    m->model_version = (unsigned)version, m->single = (size_t)single;
    m->window = (uint64_t)window, m->trial = (uint64_t)trial;
    for (size_t j = 0; j < m->k; j++)
        if (get_text(m->columns[j], sizeof m->columns[j], json_array_get(columns, j), "columns", file, err) < 0)
            return -1;
    for (size_t j = 0; j < m->m; j++)
        if (get_text(m->policies[j], sizeof m->policies[j], json_array_get(policies, j), "policies", file, err) < 0)
            return -1;
    const char *texts[RESPONSE_POINTS_MAX], *problem;
    size_t which;
    for (size_t j = 0; j < m->m; j++) texts[j] = m->policies[j];
    if ((problem = choice_policies_problem(texts, m->m, &which)))
        return bad(err, file, "policies", "'%s' %s", texts[which], problem);
    m->training = json_incref(json_object_get(root, "training"));
    m->validation = json_incref(json_object_get(root, "validation"));
    if (!json_is_object(m->training)) return bad(err, file, "training", "must be an object");
    return get_weights(m, json_object_get(root, "weights"), file, err);
}

int choice_model_parse(struct choice_model *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    json_t *root = model_json_load(name, text, size, HINT, err);
    if (!root) return -1;
    const int failed = get_model(out, root, name, err);
    json_decref(root);
    if (failed) choice_model_fini(out);
    return failed;
}

int choice_model_read(struct choice_model *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "choice");
    const int failed = choice_model_parse(out, path, text, size, err);
    free(text);
    return failed;
}

/* ---- writing ---- */

static json_t *choice_json(const struct choice_model *m)
{
    json_t *columns = json_array(), *policies = json_array(), *weights = json_array();
    for (size_t j = 0; j < m->k; j++) json_array_append_new(columns, json_string(m->columns[j]));
    for (size_t j = 0; j < m->m; j++) {
        json_t *own = json_array();
        for (size_t c = 0; c <= m->k; c++) json_array_append_new(own, json_real(m->weights[j][c]));
        json_array_append_new(weights, own);
        json_array_append_new(policies, json_string(m->policies[j]));
    }
    json_t *root = json_pack("{s:i,s:s,s:s,s:I,s:I,s:I,s:o,s:o,s:I,s:o}", "schema", SCHEMA, "kind", "choice", "name",
                             m->name, "model_version", (json_int_t)m->model_version, "window", (json_int_t)m->window,
                             "trial", (json_int_t)m->trial, "columns", columns, "policies", policies, "single",
                             (json_int_t)m->single, "weights", weights);
    if (m->training) json_object_set(root, "training", m->training);
    if (m->validation) json_object_set(root, "validation", m->validation);
    return root;
}

int choice_model_write(const struct choice_model *m, const char *path, struct error *err)
{
    char *text = model_json_text(choice_json(m), path, err);
    if (!text) return -1;
    const int failed = file_write(path, text, strlen(text), err);
    free(text);
    return failed;
}

/* ---- a C header ---- */

/* Nothing in a text may end a literal. */
static void print_texts(FILE *out, const char *name, const char *texts, size_t size, size_t n)
{
    fprintf(out, "static const char *const poise_%s[%zu] = {\n", name, n);
    for (size_t i = 0; i < n; i++) {
        fputs("    \"", out);
        for (const char *c = texts + i * size; *c; c++)
            fputc(*c == '"' || *c == '\\' || (unsigned char)*c < ' ' ? '_' : *c, out);
        fputs("\",\n", out);
    }
    fputs("};\n", out);
}

void choice_model_export(const struct choice_model *m, FILE *out)
{
    fprintf(out,
            "/* Which policy for a kernel, by a learned choice: poise_policies[poise_choose(x)] for the values x of\n"
            " * poise_columns. The same choice as 'poise choice ask'. */\n"
            "#define POISE_COLUMNS %zu\n#define POISE_POLICIES %zu\n",
            m->k, m->m);
    print_texts(out, "columns", m->columns[0], sizeof m->columns[0], m->k);
    print_texts(out, "policies", m->policies[0], sizeof m->policies[0], m->m);
    fputs("/* of each policy the weight of each column, and a constant */\n"
          "static const double poise_weights[POISE_POLICIES][POISE_COLUMNS + 1] = {\n",
          out);
    for (size_t j = 0; j < m->m; j++) {
        fputs("    {", out);
        for (size_t c = 0; c <= m->k; c++) fprintf(out, "%s%a", c ? ", " : "", m->weights[j][c]);
        fputs("},\n", out);
    }
    fputs("};\n\nstatic inline int poise_choose(const double x[POISE_COLUMNS])\n{\n"
          "    int best = POISE_POLICIES - 1;\n"
          "    double most = 0;\n"
          "    for (int j = POISE_POLICIES - 1; j >= 0; j--) {\n"
          "        double sum = poise_weights[j][POISE_COLUMNS];\n"
          "        for (int c = 0; c < POISE_COLUMNS; c++) sum += poise_weights[j][c] * x[c];\n"
          "        if (j == POISE_POLICIES - 1 || sum > most) best = j, most = sum;\n"
          "    }\n"
          "    return best;\n}\n",
          out);
}
