/* poise make-input KIND: seeded input files in the text forms that other people's programs read. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "poise/inputs.h"
#include "poise/lab.h"
#include "poise/table.h"

struct make_input_options {
    const char *form, *shape, *out, *size, *seed;
    uint64_t degree, weights, features, clusters, vocabulary;
    bool directed, list, json;
};
static const struct option_row rows[] = {
    OPTION(make_input_options, size, 0, OPTION_TEXT, "N", "how large: vertices, rows, points, keys, views (--list)"),
    OPTION(make_input_options, seed, 0, OPTION_TEXT, "S", "the same seed gives the same bytes (default: 1)"),
    OPTION(make_input_options, out, 'o', OPTION_OUT, "FILE", "the file that is written"),
    OPTION(make_input_options, form, 0, OPTION_TEXT, "FORM",
           "the text form (default: the first of its kind in --list)"),
    OPTION(make_input_options, shape, 0, OPTION_TEXT, "NAME",
           "graphs and sparse matrices: uniform (default), rmat or grid; keys: uniform (default), zipf or sorted"),
    OPTION(make_input_options, degree, 0, OPTION_COUNT, "D",
           "edges of a vertex on average, of a sparse matrix beside its diagonal (default: 8)"),
    OPTION(make_input_options, directed, 0, OPTION_FLAG, NULL, "edges have one direction (default: both)"),
    OPTION(make_input_options, weights, 0, OPTION_COUNT, "W", "costs of edges are 1 to W (default: 10)"),
    OPTION(make_input_options, features, 0, OPTION_COUNT, "F", "features of a point (default: 4)"),
    OPTION(make_input_options, clusters, 0, OPTION_COUNT, "K", "centres that points lie about (default: 5)"),
    OPTION(make_input_options, vocabulary, 0, OPTION_COUNT, "V",
           "different words or pages, the k-th as often as 1/k (default: an eighth of --size)"),
    OPTION(make_input_options, list, 0, OPTION_FLAG, NULL, "list kinds and forms"),
    OPTION(make_input_options, json, 0, OPTION_FLAG, NULL, "print what was written, or the list, as JSON"),
};

static int list(bool json, struct error *err)
{
    if (!json) {
        for (size_t i = 0; i < n_input_forms; i++) {
            const struct input_form *f = &input_forms[i];
            printf("%-7s --form %-10s %s [--size: %s]\n", f->kind, f->name, f->doc, f->size);
        }
        return 0;
    }
    json_t *forms = json_array(), *out = lab_json();
    for (size_t i = 0; i < n_input_forms; i++)
        json_array_append_new(forms,
                              json_pack("{s:s,s:s,s:s,s:s}", "kind", input_forms[i].kind, "form", input_forms[i].name,
                                        "doc", input_forms[i].doc, "size", input_forms[i].size));
    json_object_set_new(out, "forms", forms);
    return cli_print_json(out, err);
}

static int whole(uint64_t *out, const char *text, const char *name, struct error *err)
{
    char *end = NULL;
    const bool is_digits = *text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 19;
    *out = is_digits ? strtoull(text, &end, 10) : 0;
    return is_digits ? 0
                     : error_set(err, ERR_USAGE, "--%s %s: a whole number of at most 19 digits is needed", name, text);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct make_input_options *o = options;
    const struct input_form *form;
    struct input_options i = {.seed = 1,
                              .degree = o->degree,
                              .weights = o->weights,
                              .features = o->features,
                              .clusters = o->clusters,
                              .vocabulary = o->vocabulary,
                              .directed = o->directed,
                              .shape = INPUT_SHAPES};
    uint64_t bytes;
    (void)cli;
    if (o->list) return list(o->json, err);
    if (arguments->n != 1) {
        error_set(err, ERR_USAGE, "poise make-input needs one kind: poise make-input graph --size 1000 -o FILE");
        return error_at(err, NULL, 0, -1, "poise make-input --list lists kinds and forms");
    }
    if (input_find(&form, arguments->items[0], o->form, err) < 0) return -1;
    if (!o->size) return error_set(err, ERR_USAGE, "poise make-input %s needs --size N: %s", form->kind, form->size);
    if (!o->out) return error_set(err, ERR_USAGE, "poise make-input needs -o FILE");
    if (whole(&i.size, o->size, "size", err) < 0 || (o->seed && whole(&i.seed, o->seed, "seed", err) < 0)) return -1;
    if (o->shape) {
        for (i.shape = 0; i.shape < INPUT_SHAPES && strcmp(o->shape, input_shapes[i.shape]) != 0;) i.shape++;
        if (i.shape == INPUT_SHAPES)
            return error_set(err, ERR_USAGE, "--shape %s: choose uniform, rmat, grid, zipf or sorted", o->shape);
    }
    if (input_make(form, &i, o->out, &bytes, err) < 0) return -1;
    if (o->json) {
        json_t *out = lab_json();
        json_object_update_new(out, json_pack("{s:s,s:s,s:s,s:I,s:I,s:I}", "file", o->out, "kind", form->kind, "form",
                                              form->name, "size", (json_int_t)i.size, "seed", (json_int_t)i.seed,
                                              "bytes", (json_int_t)bytes));
        return cli_print_json(out, err);
    }
    printf("%s: %s, %s, %" PRIu64 " %s, %" PRIu64 " bytes\n", o->out, form->kind, form->name, i.size, form->size,
           bytes);
    return 0;
}

const struct command command_make_input = {
    "make-input",
    "seeded input files in the text forms that CUDA programs read",
    "KIND --size N [--seed S] -o FILE [--form FORM] [--shape NAME] | --list",
    "For data sets that are too large or no longer available. Kinds: graph, matrix, points, keys, weblog, words, grid, "
    "mesh.\n"
    "poise make-input graph --form dimacs --shape rmat --size 65536 --degree 16 -o graph.gr\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct make_input_options),
    run};
