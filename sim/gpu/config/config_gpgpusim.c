/* Reading gpgpusim.config: text into options, options through the rows of config_gpgpusim_rows.c into parameters and
 * notes. */
#include "config/config_gpgpusim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"

/* ---- text into options ---- */
struct text_reader {
    const char *name, *at, *end;
    long line;
};

/* The next token: a word or what stands in quotes, '#' comments out of the way. 0 at the end; -1: no room or no
 * closing quote. */
static int next_token(struct text_reader *r, char *token, size_t size)
{
    size_t n = 0;
    for (;; r->at++) {
        if (r->at == r->end) return 0;
        if (*r->at == '#')
            while (r->at + 1 < r->end && r->at[1] != '\n') r->at++;
        else if (!isspace((unsigned char)*r->at) && *r->at) break;
        r->line += *r->at == '\n';
    }
    const bool is_quoted = *r->at == '"';
    for (r->at += is_quoted;
         r->at < r->end && (is_quoted ? *r->at != '"' : !isspace((unsigned char)*r->at) && *r->at != '#'); r->at++) {
        r->line += *r->at == '\n';
        if (is_quoted && isspace((unsigned char)*r->at)) continue; /* a value broken over lines is one value */
        if (n + 1 >= size) return -1;
        token[n++] = *r->at ? *r->at : '?';
    }
    if (is_quoted && r->at == r->end) return -1;
    r->at += is_quoted;
    token[n] = '\0';
    return 1;
}

static bool is_option(const char *token)
{
    return token[0] == '-' && (isalpha((unsigned char)token[1]) || token[1] == '_');
}

static int start_option(struct importing *im, const char *file, long line, const char *name)
{
    if (im->n == OPTIONS_MAX)
        return error_set(im->err, ERR_INPUT, "%s:%ld: more than %d options", file, line, OPTIONS_MAX);
    struct option *o = &im->options[im->n];
    *o = (struct option){.name = strdup(name + 1), .value = calloc(1, VALUE_MAX), .file = file, .line = line};
    im->n++;
    return o->name && o->value ? 0 : error_set(im->err, ERR_MEMORY, "%s: no memory for its options", file);
}

static int read_options(struct importing *im, const char *name, const char *text, size_t size)
{
    struct text_reader r = {name, text, text + size, 1};
    const size_t first = im->n;
    char token[VALUE_MAX];
    int more;
    while ((more = next_token(&r, token, sizeof token)) > 0) {
        if (is_option(token)) {
            if (start_option(im, name, r.line, token) < 0) return -1;
            continue;
        }
        if (im->n == first) {
            error_set(im->err, ERR_INPUT, "%s:%ld: '%.60s' stands before any -option; is this a gpgpusim.config?", name,
                      r.line, token);
            return error_at(im->err, name, r.line, -1, NULL);
        }
        char *value = im->options[im->n - 1].value;
        const size_t n = strlen(value);
        if (n + strlen(token) + 2 > VALUE_MAX) {
            more = -1;
            break;
        }
        if (n) value[n] = ' ';
        memcpy(value + n + (n > 0), token, strlen(token) + 1);
    }
    if (more == 0) return 0;
    error_set(im->err, ERR_INPUT, "%s:%ld: a value of more than %d bytes, or a quote without its end", name, r.line,
              VALUE_MAX - 1);
    return error_at(im->err, name, r.line, -1, NULL);
}

/* ---- options through the rows ---- */
static int add_note(struct importing *im, const struct option *o, enum gpgpusim_fate fate, const char *text)
{
    struct gpgpusim_notes *notes = im->notes;
    if (!notes) return 0;
    struct gpgpusim_note *more = realloc(notes->items, (notes->n + 1) * sizeof *more);
    if (!more) return error_set(im->err, ERR_MEMORY, "no memory for notes");
    notes->items = more;
    struct gpgpusim_note *note = &more[notes->n++];
    *note = (struct gpgpusim_note){
        fate, strdup(o->name), strdup(o->value), strdup(text), strdup(o->is_absent ? "" : o->file), o->line};
    return note->option && note->value && note->text && note->file
               ? 0
               : error_set(im->err, ERR_MEMORY, "no memory for notes");
}

static int map_option(struct importing *im, const struct mapping *row, const struct option *o)
{
    im->now = o;
    im->text[0] = '\0';
    im->is_mapped = false;
    if (row->map(im, row, o->value) < 0) return -1;
    return add_note(im, o,
                    !im->is_mapped ? GPGPUSIM_IGNORED
                    : o->is_absent ? GPGPUSIM_ABSENT
                                   : GPGPUSIM_MAPPED,
                    im->text);
}

/* Rows in their order, so that what one option overrides of another is a matter of the table; then every option that
 * no row used. */
static int map_all(struct importing *im)
{
    for (size_t r = 0; r < n_gpgpusim_mappings; r++) {
        const struct mapping *row = &gpgpusim_mappings[r];
        struct option *found = NULL;
        for (size_t i = 0; i < im->n; i++)
            if (strcmp(im->options[i].name, row->option) == 0) {
                if (found && add_note(im, found, GPGPUSIM_IGNORED, "given again further on") < 0) return -1;
                found = &im->options[i];
                found->is_used = true;
            }
        if (found && !row->map && add_note(im, found, GPGPUSIM_IGNORED, row->target) < 0) return -1;
        if (found && row->map && map_option(im, row, found) < 0) return -1;
        if (!found && row->otherwise) {
            const struct option absent = {.name = (char *)(uintptr_t)row->option,
                                          .value = (char *)(uintptr_t)row->otherwise,
                                          .file = im->n ? im->options[0].file : "",
                                          .is_absent = true};
            if (map_option(im, row, &absent) < 0) return -1;
        }
    }
    for (size_t i = 0; i < im->n; i++)
        if (!im->options[i].is_used && add_note(im, &im->options[i], GPGPUSIM_IGNORED, "not known here") < 0) return -1;
    return 0;
}

/* The machine is called after the file. */
static void name_params(struct importing *im)
{
    const char *slash = strrchr(im->options[0].file, '/'), *base = slash ? slash + 1 : im->options[0].file,
               *dot = strrchr(base, '.');
    snprintf(im->params->name, sizeof im->params->name, "%.*s", (int)(dot ? dot - base : (long)strlen(base)), base);
}

static int finish(struct importing *im, int result)
{
    if (result == 0 && im->n == 0) result = error_set(im->err, ERR_INPUT, "a configuration without options");
    if (result == 0) result = map_all(im);
    if (result == 0) name_params(im);
    if (result == 0) result = gpu_params_check(im->params, im->err);
    for (size_t i = 0; i < im->n; i++) {
        free(im->options[i].name);
        free(im->options[i].value);
    }
    free(im->options);
    if (result < 0 && im->notes) gpgpusim_notes_fini(im->notes);
    return result;
}

static int start(struct importing *im, struct gpu_params *params, struct gpgpusim_notes *notes, struct error *err)
{
    *im = (struct importing){
        .params = params, .notes = notes, .err = err, .options = calloc(OPTIONS_MAX, sizeof *im->options)};
    if (notes) *notes = (struct gpgpusim_notes){0};
    return im->options ? 0 : error_set(err, ERR_MEMORY, "no memory for a configuration");
}

int gpgpusim_parse(struct gpu_params *params, const char *name, const char *text, size_t size,
                   struct gpgpusim_notes *notes, struct error *err)
{
    struct importing im;
    if (start(&im, params, notes, err) < 0) return -1;
    return finish(&im, read_options(&im, name, text, size));
}

int gpgpusim_load(struct gpu_params *params, const char *const *paths, size_t n, struct gpgpusim_notes *notes,
                  struct error *err)
{
    return gpgpusim_load_with(params, paths, n, NULL, notes, err);
}

int gpgpusim_load_with(struct gpu_params *params, const char *const *paths, size_t n, const char *options,
                       struct gpgpusim_notes *notes, struct error *err)
{
    struct importing im;
    if (start(&im, params, notes, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        char *text;
        size_t size;
        if ((result = file_read(&text, &size, paths[i], err)) < 0) break;
        result = read_options(&im, paths[i], text, size);
        free(text);
    }
    if (result == 0 && options) result = read_options(&im, "options", options, strlen(options));
    return finish(&im, result);
}

void gpgpusim_notes_fini(struct gpgpusim_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        free(notes->items[i].option);
        free(notes->items[i].value);
        free(notes->items[i].text);
        free(notes->items[i].file);
    }
    free(notes->items);
    *notes = (struct gpgpusim_notes){0};
}

bool gpgpusim_is_config(const char *path)
{
    const size_t n = strlen(path);
    return n > 7 && strcmp(path + n - 7, ".config") == 0;
}
