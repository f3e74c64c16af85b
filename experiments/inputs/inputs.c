/* The table of kinds and forms, and what all of them share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "inputs/inputs_internal.h"
#include "poise/file.h"
#include "poise/table.h"

const char *const input_shapes[INPUT_SHAPES] = {"uniform", "rmat", "grid", "zipf", "sorted"};

enum {
    U = 1 << INPUT_UNIFORM,
    GRAPHS = U | 1 << INPUT_RMAT | 1 << INPUT_GRID,
    KEYS = U | 1 << INPUT_ZIPF | 1 << INPUT_SORTED,
    DEGREE = TAKES_DEGREE | TAKES_DIRECTED,
    POINTS = TAKES_FEATURES | TAKES_CLUSTERS
};
#define MANY 2000000000
#define SIDE 60000
const struct input_form input_forms[] = {
    {"graph", "bfs",
     "Rodinia's and Parboil's bfs: vertices, start and degree of each, source, edges, end and cost of each", "vertices",
     GRAPHS, DEGREE | TAKES_WEIGHTS, MANY, input_graph_bfs},
    {"graph", "edges", "a line an edge, from and to; without directions each edge once", "vertices", GRAPHS, DEGREE,
     MANY, input_graph_edges},
    {"graph", "mtx", "Matrix Market coordinates, pattern, numbered from 1", "vertices", GRAPHS, DEGREE, MANY,
     input_graph_mtx},
    {"graph", "dimacs", "DIMACS shortest paths: p sp, then a line an arc, numbered from 1", "vertices", GRAPHS,
     DEGREE | TAKES_WEIGHTS, MANY, input_graph_dimacs},
    {"graph", "metis", "METIS: a line a vertex with its neighbours, numbered from 1", "vertices", GRAPHS, TAKES_DEGREE,
     MANY, input_graph_metis},
    {"matrix", "dense", "rows and columns, then a line a row (Parboil's sgemm)", "rows and columns", 0, 0, SIDE,
     input_matrix_dense},
    {"matrix", "rows", "a line a row and no head", "rows and columns", 0, 0, SIDE, input_matrix_rows},
    {"matrix", "lud", "Rodinia's lud: the order, then a line a row; needs no pivoting", "rows and columns", 0, 0, SIDE,
     input_matrix_lud},
    {"matrix", "gaussian", "Rodinia's gaussian: the order, the matrix, the right-hand side; its solution is all ones",
     "rows and columns", 0, 0, SIDE, input_matrix_gaussian},
    {"matrix", "array", "Matrix Market array, by columns", "rows and columns", 0, 0, SIDE, input_matrix_array},
    {"matrix", "mtx", "Matrix Market coordinates, sparse, with a dominant diagonal, numbered from 1",
     "rows and columns", GRAPHS, DEGREE, MANY, input_matrix_mtx},
    {"points", "kmeans", "Rodinia's kmeans: a line a point, its number and its features", "points", 0, POINTS, MANY,
     input_points_kmeans},
    {"points", "text", "a line a point, its features", "points", 0, POINTS, MANY, input_points_text},
    {"points", "binary", "32-bit floats, little-endian, a point after another (streamcluster)", "points", 0, POINTS,
     MANY, input_points_binary},
    {"points", "nn", "Rodinia's nn: records of 48 characters with latitude and longitude; a file list names the file",
     "records", 0, 0, MANY, input_points_nn},
    {"keys", "lines", "a line a key, below 2^31; sorted ones are distinct", "keys", KEYS, 0, MANY, input_keys_lines},
    {"keys", "btree", "Rodinia's b+tree: how many there are, then a line a key", "keys", KEYS, 0, MANY,
     input_keys_counted},
    {"weblog", "pageviews", "Mars's page views: a line a view, URL, address and cookie, tabs between", "views", 0,
     TAKES_VOCABULARY, MANY, input_weblog_pageviews},
    {"weblog", "html", "Mars's inverted index: HTML pages one behind another, with links", "links", 0, TAKES_VOCABULARY,
     MANY, input_weblog_html},
    {"words", "text", "words in lines of twelve, few of them often (Mars's word count and string match)", "words", 0,
     TAKES_VOCABULARY, MANY, input_words},
    {"grid", "hotspot", "Rodinia's hotspot: a line a value, row by row; seeds differ for temperature and power",
     "rows and columns", 0, 0, SIDE, input_grid},
    {"mesh", "cfd", "Rodinia's cfd: elements, then area, four neighbours and their normals of each", "elements", 0, 0,
     MANY, input_mesh},
};
const size_t n_input_forms = COUNT_OF(input_forms);

int input_find(const struct input_form **out, const char *kind, const char *form, struct error *err)
{
    const char *kinds[COUNT_OF(input_forms)], *names[COUNT_OF(input_forms)];
    size_t n_kinds = 0, n_names = 0;
    for (size_t i = 0; i < n_input_forms; i++) {
        const struct input_form *f = &input_forms[i];
        kinds[n_kinds++] = f->kind;
        if (strcmp(f->kind, kind) != 0) continue;
        names[n_names++] = f->name;
        if (!form || strcmp(f->name, form) == 0) return *out = f, 0;
    }
    const char *near =
        n_names ? nearest_name(form, names, n_names, sizeof *names) : nearest_name(kind, kinds, n_kinds, sizeof *kinds);
    if (n_names) error_set(err, ERR_USAGE, "a %s has no form '%s'", kind, form);
    else error_set(err, ERR_USAGE, "poise make-input has no kind '%s'", kind);
    if (near)
        error_set(err, ERR_USAGE, "%s '%s': did you mean '%s'?", n_names ? "form" : "kind", n_names ? form : kind,
                  near);
    return error_at(err, NULL, 0, -1, "poise make-input --list lists kinds and forms");
}

/* ---- options ---- */

static int check_taken(const struct input_form *f, const struct input_options *o, struct error *err)
{
    const struct {
        unsigned flag;
        bool is_given;
        const char *name;
    } given[] = {{TAKES_DEGREE, o->degree, "degree"},       {TAKES_WEIGHTS, o->weights, "weights"},
                 {TAKES_DIRECTED, o->directed, "directed"}, {TAKES_FEATURES, o->features, "features"},
                 {TAKES_CLUSTERS, o->clusters, "clusters"}, {TAKES_VOCABULARY, o->vocabulary, "vocabulary"}};
    for (size_t i = 0; i < COUNT_OF(given); i++)
        if (given[i].is_given && !(f->takes & given[i].flag))
            return error_set(err, ERR_USAGE, "--%s does not go with %s in the form %s", given[i].name, f->kind,
                             f->name);
    if (o->shape < INPUT_SHAPES && !(f->shapes & 1u << o->shape))
        return error_set(err, ERR_USAGE, "--shape %s does not go with %s in the form %s", input_shapes[o->shape],
                         f->kind, f->name);
    if (o->shape == INPUT_GRID && (o->degree || o->directed))
        return error_set(err, ERR_USAGE, "--shape grid has a degree of its own and no directions: leave out --%s",
                         o->degree ? "degree" : "directed");
    return 0;
}

/* Puts in what was not given, and checks what was. */
static int complete(struct input_options *o, const struct input_form *f, struct error *err)
{
    if (check_taken(f, o, err) < 0) return -1;
    if (o->size == 0 || o->size > f->size_max)
        return error_set(err, ERR_USAGE, "--size counts %s: 1 to %llu", f->size, (unsigned long long)f->size_max);
    if (o->shape == INPUT_SHAPES) o->shape = f->shapes ? (enum input_shape)__builtin_ctz(f->shapes) : INPUT_UNIFORM;
    if (!o->weights) o->weights = 10;
    if (!o->features) o->features = 4;
    if (!o->clusters) o->clusters = 5;
    if (!o->vocabulary) o->vocabulary = o->size < 32 ? 4 : o->size / 8;
    if (o->weights > 1000000000) return error_set(err, ERR_USAGE, "--weights: 1 to 1000000000");
    if (o->features > 100000) return error_set(err, ERR_USAGE, "--features: 1 to 100000");
    if (o->clusters > 100000) return error_set(err, ERR_USAGE, "--clusters: 1 to 100000");
    if (o->vocabulary > MANY) return error_set(err, ERR_USAGE, "--vocabulary: 1 to %d", MANY);
    const uint64_t most = o->size / 2;
    if (o->degree > most)
        return error_set(err, ERR_USAGE, "--degree %llu: at most %llu, half of --size", (unsigned long long)o->degree,
                         (unsigned long long)most);
    if (!o->degree) o->degree = most < 8 ? most : 8;
    return 0;
}

int input_make(const struct input_form *form, const struct input_options *options, const char *path, uint64_t *bytes,
               struct error *err)
{
    struct file_target target;
    struct input_options o = *options;
    if (complete(&o, form, err) < 0 || file_check_regular(path, err) < 0 || file_target(&target, path, err) < 0)
        return -1;
    FILE *out = fopen(target.path, "wb");
    if (!out) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    int result = form->write(&o, out, err);
    const long size = ftell(out);
    const bool is_cut = ferror(out);
    if ((fclose(out) != 0 || is_cut || size < 0) && result == 0)
        return file_target_end(&target, errno ? errno : EIO, path, err);
    if (result == 0) result = file_target_end(&target, 0, path, err);
    else unlink(target.path);
    if (result == 0) *bytes = (uint64_t)size;
    return result;
}
