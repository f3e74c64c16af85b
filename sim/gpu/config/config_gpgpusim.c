/* Reading gpgpusim.config: text into options, options through the rows of config_gpgpusim_rows.c into parameters and
 * notes. */
#include "config/config_gpgpusim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/say.h"
#include "poise/text.h"

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
    const long begin = r->line; /* of what never ends */
    for (r->at += is_quoted;
         r->at < r->end && (is_quoted ? *r->at != '"' : !isspace((unsigned char)*r->at) && *r->at != '#'); r->at++) {
        r->line += *r->at == '\n';
        if (is_quoted && isspace((unsigned char)*r->at)) continue; /* a value broken over lines is one value */
        if (n + 1 >= size) return r->line = begin, -1;
        token[n++] = *r->at ? *r->at : '?';
    }
    if (is_quoted && r->at == r->end) return r->line = begin, -1;
    r->at += is_quoted;
    token[n] = '\0';
    text_clean(token); /* options and values are told on terminals */
    return 1;
}

static bool is_option(const char *token)
{
    return token[0] == '-' && (isalpha((unsigned char)token[1]) || token[1] == '_');
}

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

static int start_option(struct importing *im, const char *file, long line, const char *name)
{
    if (im->n == OPTIONS_MAX)
        return error_set(im->err, ERR_INPUT, "%s:%ld: more than %d options", file, line, OPTIONS_MAX);
    struct option *o = &im->options[im->n];
    *o = (struct option){.name = strdup(name), .value = calloc(1, VALUE_MAX), .file = file, .line = line};
    im->n++;
    return o->name && o->value ? 0 : error_set(im->err, ERR_MEMORY, "%s: no memory for its options", file);
}

/* A word that is neither an option nor the value of the one before it: most often an option without its dash. */
static int leave_word(struct importing *im, struct option *before, const struct text_reader *r, const char *word)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)(sizeof name - 1), word);
    const bool is_known = option_is_known(word + strspn(word, "-"));
    const struct option stray = {.name = name, .value = (char *)(uintptr_t) "", .file = r->name, .line = r->line};
    before->has_value = true; /* what follows the word is no value of it */
    snprintf(im->why, sizeof im->why, "%s -%.100s",
             is_known ? "an option begins with one '-'; before it is" : "a second value of", before->name);
    if (im->is_lenient) return add_note(im, &stray, GPGPUSIM_LENIENT, im->why);
    error_set(im->err, ERR_INPUT, "%s:%ld: '%s': %s", r->name, r->line, name, im->why);
    return error_at(im->err, r->name, r->line, -1, LENIENT_HINT);
}

static int add_token(struct importing *im, struct text_reader *r, const char *token, bool is_first)
{
    if (is_option(token)) return start_option(im, r->name, r->line, token + 1);
    if (is_first) {
        error_set(im->err, ERR_INPUT, "%s:%ld: '%.60s' comes before any -option; is this a gpgpusim.config?", r->name,
                  r->line, token);
        return error_at(im->err, r->name, r->line, -1, NULL);
    }
    struct option *before = &im->options[im->n - 1];
    if (before->has_value || option_is_known(token + strspn(token, "-"))) return leave_word(im, before, r, token);
    memcpy(before->value, token, strlen(token) + 1);
    before->has_value = true;
    return 0;
}

static int read_options(struct importing *im, const char *name, const char *text, size_t size)
{
    struct text_reader r = {name, text + text_byte_order_mark(text, size), text + size, 1};
    const size_t first = im->n;
    char token[VALUE_MAX];
    int more;
    while ((more = next_token(&r, token, sizeof token)) > 0)
        if (add_token(im, &r, token, im->n == first) < 0) return -1;
    if (more == 0) return 0;
    error_set(im->err, ERR_INPUT, "%s:%ld: a value of more than %d bytes, or a quote without its end", name, r.line,
              VALUE_MAX - 1);
    return error_at(im->err, name, r.line, -1, NULL);
}

/* ---- options through the rows ---- */
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

/* What an option does; with lenience, nothing where it is refused, and a note of why. 1: it was refused. */
static int try_option(struct importing *im, const struct mapping *row, const struct option *o)
{
    if (!im->is_lenient) return map_option(im, row, o);
    const struct gpu_params before = *im->params;
    const int result = map_option(im, row, o);
    if (result == 0 || im->err->code != ERR_INPUT) return result;
    *im->params = before;
    *im->err = (struct error){0};
    return add_note(im, o, GPGPUSIM_LENIENT, im->why) < 0 ? -1 : 1;
}

static int try_absent(struct importing *im, const struct mapping *row)
{
    const struct option absent = {.name = (char *)(uintptr_t)row->option,
                                  .value = (char *)(uintptr_t)(row->otherwise ? row->otherwise : OURS),
                                  .file = im->file,
                                  .is_absent = true};
    if (row->otherwise && !*row->otherwise) return add_note(im, &absent, GPGPUSIM_ABSENT, "ours stays");
    return row->otherwise ? try_option(im, row, &absent) : 0;
}

static int map_row(struct importing *im, const struct mapping *row)
{
    struct option *found = NULL;
    for (size_t i = 0; i < im->n; i++)
        if (strcmp(im->options[i].name, row->option) == 0) {
            if (found && add_note(im, found, GPGPUSIM_IGNORED, "given again further on") < 0) return -1;
            found = &im->options[i];
            found->is_used = true;
        }
    if (!found) return try_absent(im, row);
    if (!row->map) return add_note(im, found, GPGPUSIM_IGNORED, row->target);
    const int result = try_option(im, row, found);
    return result > 0 ? try_absent(im, row) : result;
}

/* Options that cannot be what they say are refused, or with lenience left out. */
static int check_all(struct importing *im)
{
    size_t n = 0;
    int result = 0;
    for (size_t i = 0; i < im->n; i++) {
        struct option o = im->options[i];
        const bool is_right = result < 0 || option_check(im, &o) == 0;
        if (!is_right && im->is_lenient) {
            *im->err = (struct error){0};
            result = add_note(im, &o, GPGPUSIM_LENIENT, im->why);
            free(o.name);
            free(o.value);
            continue;
        }
        if (!is_right) result = -1;
        im->options[n++] = o;
    }
    im->n = n;
    return result;
}

/* Rows in their order, so that what one option overrides of another is a matter of the table; then every option that
 * no row used. */
static int map_all(struct importing *im)
{
    for (size_t r = 0; r < n_gpgpusim_mappings; r++)
        if (map_row(im, &gpgpusim_mappings[r]) < 0) return -1;
    for (size_t i = 0; i < im->n; i++)
        if (!im->options[i].is_used &&
            add_note(im, &im->options[i], GPGPUSIM_IGNORED, "no part of our machine depends on it") < 0)
            return -1;
    return 0;
}

/* The machine is called after the file. */
static void name_params(struct importing *im)
{
    const char *slash = strrchr(im->file, '/'), *base = slash ? slash + 1 : im->file, *dot = strrchr(base, '.');
    snprintf(im->params->name, sizeof im->params->name, "%.*s", (int)(dot ? dot - base : (long)strlen(base)), base);
}

static int finish(struct importing *im, int result)
{
    if (result == 0 && im->n == 0)
        result = error_set(im->err, ERR_INPUT, "%s: a configuration without options", im->file);
    if (result == 0) im->file = im->options[0].file;
    if (result == 0) result = check_all(im);
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

static int start(struct importing *im, struct gpu_params *params, bool is_lenient, struct gpgpusim_notes *notes,
                 struct error *err)
{
    *im = (struct importing){.params = params,
                             .is_lenient = is_lenient,
                             .notes = notes,
                             .err = err,
                             .options = calloc(OPTIONS_MAX, sizeof *im->options)};
    if (notes) *notes = (struct gpgpusim_notes){0};
    return im->options ? 0 : error_set(err, ERR_MEMORY, "no memory for a configuration");
}

int gpgpusim_parse(struct gpu_params *params, const char *name, const char *text, size_t size,
                   struct gpgpusim_notes *notes, struct error *err)
{
    struct importing im;
    if (start(&im, params, false, notes, err) < 0) return -1;
    im.file = name;
    return finish(&im, read_options(&im, name, text, size));
}

int gpgpusim_load(struct gpu_params *params, const char *const *paths, size_t n, struct gpgpusim_notes *notes,
                  struct error *err)
{
    return gpgpusim_load_with(params, &(struct gpgpusim_files){.paths = paths, .n = n}, notes, err);
}

int gpgpusim_load_with(struct gpu_params *params, const struct gpgpusim_files *files, struct gpgpusim_notes *notes,
                       struct error *err)
{
    struct importing im;
    if (start(&im, params, files->is_lenient, notes, err) < 0) return -1;
    int result = 0;
    im.file = files->n ? files->paths[0] : "options";
    for (size_t i = 0; i < files->n && result == 0; i++) {
        char *text;
        size_t size;
        if ((result = file_read(&text, &size, files->paths[i], err)) < 0) break;
        result = read_options(&im, files->paths[i], text, size);
        free(text);
    }
    if (result == 0 && files->options) result = read_options(&im, "options", files->options, strlen(files->options));
    return finish(&im, result);
}

void gpgpusim_notes_print_lenient(const struct gpgpusim_notes *notes, FILE *out)
{
    for (size_t i = 0; i < notes->n; i++) {
        const struct gpgpusim_note *n = &notes->items[i];
        if (n->fate != GPGPUSIM_LENIENT) continue;
        if (n->line) say_line(out, "%s:%ld: left out: -%s %.60s: %s", n->file, n->line, n->option, n->value, n->text);
        else say_line(out, "left out: the default of -%s, %.60s: %s", n->option, n->value, n->text);
    }
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
