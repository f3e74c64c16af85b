/* Models of choices: training, strict JSON in, canonical JSON out, and a C header. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/choice.h"
#include "poise/file.h"

#define SCHEMA 1
#define HINT "'poise choice train TABLE.csv -o FILE' writes such a file (learn/include/poise/choice.h)"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)

void choice_model_fini(struct choice_model *m)
{
    choice_trees_fini(&m->trees);
    json_decref(m->training);
    json_decref(m->validation);
    m->training = m->validation = NULL;
}

int choice_train(struct choice_model *out, const struct response_data *d, const char *const *policies, uint64_t seed,
                 struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    *out = (struct choice_model){.k = d->k, .m = d->m, .settings = choice_settings_default};
    out->settings.seed = (uint32_t)seed;
    if (response_data_check(d, err) < 0 || response_data_hash(hash, d, err) < 0) return -1;
    for (size_t j = 0; j < d->k; j++) snprintf(out->columns[j], sizeof out->columns[j], "%s", d->names[j]);
    for (size_t j = 0; j < d->m; j++) snprintf(out->policies[j], sizeof out->policies[j], "%s", policies[j]);
    out->single = choice_single(d);
    out->training = json_pack("{s:s,s:I,s:I}", "hash", hash, "launches", (json_int_t)d->n, "families",
                              (json_int_t)d->n_groups);
    return choice_trees_fit(&out->trees, d, &out->settings, err);
}

size_t choice_policy(const struct choice_model *m, const double *x, double *gains)
{
    double own[RESPONSE_POINTS_MAX];
    size_t best = m->m - 1;
    choice_trees_predict(&m->trees, x, own);
    for (size_t j = 0; j < m->m; j++) {
        if (own[j] > own[best]) best = j;
        if (gains) gains[j] = own[j];
    }
    return best;
}

/* ---- reading ---- */

static int get_whole(int64_t *out, const json_t *item, int64_t low, int64_t high, const char *key, const char *file,
                     struct error *err)
{
    *out = json_integer_value(item);
    if (json_is_integer(item) && *out >= low && *out <= high) return 0;
    return bad(err, file, key, "must be a whole number from %lld to %lld", (long long)low, (long long)high);
}

static int get_float(float *out, const json_t *item, const char *key, const char *file, struct error *err)
{
    const double value = json_number_value(item);
    if (!json_is_number(item) || !(fabs(value) < 1e30)) return bad(err, file, key, "must hold numbers");
    *out = (float)value;
    return 0;
}

static int get_text(char *out, size_t size, const json_t *item, const char *key, const char *file, struct error *err)
{
    const char *text = json_string_value(item);
    if (!text || !*text || strlen(text) >= size) return bad(err, file, key, "must hold texts of 1 to %zu bytes", size - 1);
    snprintf(out, size, "%s", text);
    return 0;
}

/* Children stand behind their parent, so that every way down ends. */
static int get_node(struct choice_tree *out, const struct choice_model *m, const json_t *tree, size_t i, const char *file,
                    struct error *err)
{
    const int64_t n = (int64_t)out->n, next = (int64_t)i + 1;
    const json_t *gains = json_array_get(json_object_get(tree, "gains"), i);
    int64_t column, left = 0, right = 0;
    struct choice_node *node = &out->nodes[i];
    if (get_whole(&column, json_array_get(json_object_get(tree, "column"), i), -1, (int64_t)m->k - 1, "column", file,
                  err) < 0)
        return -1;
    if (column >= 0 &&
        (get_whole(&left, json_array_get(json_object_get(tree, "left"), i), next, n - 1, "left", file, err) < 0 ||
         get_whole(&right, json_array_get(json_object_get(tree, "right"), i), next, n - 1, "right", file, err) < 0))
        return -1;
    *node = (struct choice_node){(int32_t)column, (uint32_t)left, (uint32_t)right, 0};
    if (get_float(&node->threshold, json_array_get(json_object_get(tree, "threshold"), i), "threshold", file, err) < 0)
        return -1;
    if (json_array_size(gains) != m->m) return bad(err, file, "gains", "must hold %zu numbers a node", m->m);
    for (size_t j = 0; j < m->m; j++)
        if (get_float(&out->gains[i * m->m + j], json_array_get(gains, j), "gains", file, err) < 0) return -1;
    return 0;
}

static int get_trees(struct choice_model *m, const json_t *list, const char *file, struct error *err)
{
    const size_t n = json_array_size(list);
    if (n < 1 || n > CHOICE_TREES_MAX) return bad(err, file, "trees", "must be a list of 1 to %d trees", CHOICE_TREES_MAX);
    m->trees = (struct choice_trees){.m = m->m, .trees = calloc(n, sizeof *m->trees.trees)};
    if (!m->trees.trees) return error_set(err, ERR_MEMORY, "%s: out of memory", file);
    while (m->trees.n < n) {
        const json_t *tree = json_array_get(list, m->trees.n);
        struct choice_tree *out = &m->trees.trees[m->trees.n++];
        out->n = json_array_size(json_object_get(tree, "column"));
        if (out->n < 1 || out->n > CHOICE_NODES_MAX)
            return bad(err, file, "trees", "a tree has 1 to %d nodes", CHOICE_NODES_MAX);
        out->nodes = calloc(out->n, sizeof *out->nodes);
        out->gains = calloc(out->n * m->m, sizeof *out->gains);
        if (!out->nodes || !out->gains) return error_set(err, ERR_MEMORY, "%s: out of memory", file);
        for (size_t i = 0; i < out->n; i++)
            if (get_node(out, m, tree, i, file, err) < 0) return -1;
    }
    return 0;
}

static int get_model(struct choice_model *m, const json_t *root, const char *file, struct error *err)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const json_t *columns = json_object_get(root, "columns"), *policies = json_object_get(root, "policies");
    int64_t schema, version, single;
    m->k = json_array_size(columns), m->m = json_array_size(policies);
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    if (!kind || strcmp(kind, "choice") != 0) return bad(err, file, "kind", "must be \"choice\"");
    if (m->k < 1 || m->k > RESPONSE_FEATURES_MAX)
        return bad(err, file, "columns", "must be a list of 1 to %d names", RESPONSE_FEATURES_MAX);
    if (m->m < 2 || m->m > RESPONSE_POINTS_MAX)
        return bad(err, file, "policies", "must be a list of 2 to %d texts", RESPONSE_POINTS_MAX);
    if (get_whole(&schema, json_object_get(root, "schema"), SCHEMA, SCHEMA, "schema", file, err) < 0 ||
        get_whole(&version, json_object_get(root, "model_version"), 0, INT32_MAX, "model_version", file, err) < 0 ||
        get_whole(&single, json_object_get(root, "single"), 0, (int64_t)m->m - 1, "single", file, err) < 0 ||
        get_text(m->name, sizeof m->name, json_object_get(root, "name"), "name", file, err) < 0)
        return -1;
    m->model_version = (unsigned)version, m->single = (size_t)single;
    for (size_t j = 0; j < m->k; j++)
        if (get_text(m->columns[j], sizeof m->columns[j], json_array_get(columns, j), "columns", file, err) < 0) return -1;
    for (size_t j = 0; j < m->m; j++)
        if (get_text(m->policies[j], sizeof m->policies[j], json_array_get(policies, j), "policies", file, err) < 0)
            return -1;
    m->training = json_incref(json_object_get(root, "training"));
    m->validation = json_incref(json_object_get(root, "validation"));
    if (!json_is_object(m->training)) return bad(err, file, "training", "must be an object");
    return get_trees(m, json_object_get(root, "trees"), file, err);
}

int choice_model_parse(struct choice_model *out, const char *name, const char *text, size_t size, struct error *err)
{
    json_error_t why;
    memset(out, 0, sizeof *out);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root) {
        error_set(err, ERR_INPUT, "%s:%d:%d: not a JSON file: %s", name, why.line, why.column, why.text);
        return error_at(err, name, why.line, why.position, HINT);
    }
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

static json_t *tree_json(const struct choice_tree *tree, size_t m)
{
    json_t *column = json_array(), *left = json_array(), *right = json_array(), *threshold = json_array(),
           *gains = json_array();
    for (size_t i = 0; i < tree->n; i++) {
        json_t *of = json_array();
        for (size_t j = 0; j < m; j++) json_array_append_new(of, json_real((double)tree->gains[i * m + j]));
        json_array_append_new(column, json_integer(tree->nodes[i].column));
        json_array_append_new(left, json_integer(tree->nodes[i].left));
        json_array_append_new(right, json_integer(tree->nodes[i].right));
        json_array_append_new(threshold, json_real((double)tree->nodes[i].threshold));
        json_array_append_new(gains, of);
    }
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "column", column, "left", left, "right", right, "threshold", threshold,
                     "gains", gains);
}

static json_t *choice_json(const struct choice_model *m)
{
    const struct choice_settings *s = &m->settings;
    json_t *columns = json_array(), *policies = json_array(), *trees = json_array();
    for (size_t j = 0; j < m->k; j++) json_array_append_new(columns, json_string(m->columns[j]));
    for (size_t j = 0; j < m->m; j++) json_array_append_new(policies, json_string(m->policies[j]));
    for (size_t t = 0; t < m->trees.n; t++) json_array_append_new(trees, tree_json(&m->trees.trees[t], m->m));
    json_t *settings = json_pack("{s:I,s:I,s:I,s:I,s:f}", "trees", (json_int_t)s->trees, "depth", (json_int_t)s->depth,
                                 "min_groups", (json_int_t)s->min_groups, "seed", (json_int_t)s->seed, "columns",
                                 s->columns);
    json_t *root = json_pack("{s:i,s:s,s:s,s:I,s:o,s:o,s:I,s:o}", "schema", SCHEMA, "kind", "choice", "name", m->name,
                             "model_version", (json_int_t)m->model_version, "columns", columns, "policies", policies,
                             "single", (json_int_t)m->single, "settings", settings);
    if (m->training) json_object_set(root, "training", m->training);
    if (m->validation) json_object_set(root, "validation", m->validation);
    json_object_set_new(root, "trees", trees);
    return root;
}

int choice_model_write(const struct choice_model *m, const char *path, struct error *err)
{
    json_t *root = choice_json(m);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)), *line = NULL;
    json_decref(root);
    if (!text || asprintf(&line, "%s\n", text) < 0) {
        free(text);
        return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    }
    const int failed = file_write(path, line, strlen(line), err);
    free(line);
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

static void print_nodes(FILE *out, const struct choice_model *m)
{
    size_t first = 0;
    fputs("/* column (-1: a leaf), the nodes below and above the threshold, threshold */\n"
          "static const struct poise_node { int column, left, right; float threshold; } poise_nodes[] = {\n",
          out);
    for (size_t t = 0; t < m->trees.n; first += m->trees.trees[t++].n)
        for (size_t i = 0; i < m->trees.trees[t].n; i++) {
            const struct choice_node *n = &m->trees.trees[t].nodes[i];
            fprintf(out, "    {%d, %zu, %zu, %af},\n", (int)n->column, first + n->left, first + n->right,
                    (double)n->threshold);
        }
    fprintf(out, "};\nstatic const float poise_gains[][%zu] = {\n", m->m);
    for (size_t t = 0; t < m->trees.n; t++)
        for (size_t i = 0; i < m->trees.trees[t].n; i++) {
            fputs("    {", out);
            for (size_t j = 0; j < m->m; j++)
                fprintf(out, "%s%af", j ? ", " : "", (double)m->trees.trees[t].gains[i * m->m + j]);
            fputs("},\n", out);
        }
    fprintf(out, "};\nstatic const int poise_roots[%zu] = {", m->trees.n);
    first = 0;
    for (size_t t = 0; t < m->trees.n; first += m->trees.trees[t++].n) fprintf(out, "%s%zu", t ? ", " : "", first);
    fputs("};\n", out);
}

void choice_model_export(const struct choice_model *m, FILE *out)
{
    fprintf(out,
            "/* Which policy for a kernel, by a learned choice: poise_policies[poise_choose(x)] for the columns\n"
            " * x[poise_columns]. The same choice as 'poise choice ask'. */\n"
            "#define POISE_COLUMNS %zu\n#define POISE_POLICIES %zu\n#define POISE_TREES %zu\n",
            m->k, m->m, m->trees.n);
    print_texts(out, "columns", m->columns[0], sizeof m->columns[0], m->k);
    print_texts(out, "policies", m->policies[0], sizeof m->policies[0], m->m);
    print_nodes(out, m);
    fputs("\nstatic inline int poise_choose(const double x[POISE_COLUMNS])\n{\n"
          "    double gains[POISE_POLICIES] = {0};\n"
          "    int best = POISE_POLICIES - 1; /* the baseline */\n"
          "    for (int t = 0; t < POISE_TREES; t++) {\n"
          "        int at = poise_roots[t];\n"
          "        while (poise_nodes[at].column >= 0)\n"
          "            at = x[poise_nodes[at].column] <= poise_nodes[at].threshold ? poise_nodes[at].left\n"
          "                                                                        : poise_nodes[at].right;\n"
          "        for (int j = 0; j < POISE_POLICIES; j++) gains[j] += poise_gains[at][j] / (double)POISE_TREES;\n"
          "    }\n"
          "    for (int j = 0; j < POISE_POLICIES; j++)\n"
          "        if (gains[j] > gains[best]) best = j;\n"
          "    return best;\n}\n",
          out);
}
