#include "cli/options.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/model.h"
#include "poise/number.h"
#include "poise/say.h"
#include "poise/spec_format.h"
#include "poise/table.h"
#include "poise/text.h"

/* What it says holds for the process, so nobody asks for its value. */
const struct option_row common_options[] = {{.name = "plugin",
                                             .kind = OPTION_TEXTS,
                                             .argument = "FILE",
                                             .doc = "load mechanisms, replacement policies and cache organisations of "
                                                    "your own (poise/plugin.h); may be repeated"}};
const size_t n_common_options = COUNT_OF(common_options);

static bool is_common(const struct option_row *row)
{
    return row >= common_options && row < common_options + n_common_options;
}

static const struct option_row *find(const struct command *c, const char *name, size_t length)
{
    for (size_t i = 0; i < n_common_options; i++)
        if (strlen(common_options[i].name) == length && strncmp(common_options[i].name, name, length) == 0)
            return &common_options[i];
    for (size_t i = 0; i < c->n_options; i++)
        if (strlen(c->options[i].name) == length && strncmp(c->options[i].name, name, length) == 0)
            return &c->options[i];
    return NULL;
}

static const struct option_row *find_letter(const struct command *c, char letter)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (c->options[i].letter == letter) return &c->options[i];
    return NULL;
}

static int unknown(const struct command *c, const char *argument, struct error *err)
{
    const char *near = argument[1] == '-' && c->n_options
                           ? nearest_name(argument + 2, &c->options[0].name, c->n_options, sizeof *c->options)
                           : NULL;
    error_set(err, ERR_USAGE, "poise %s: no option '%s'%s%s%s", c->name, argument, near ? "; did you mean '--" : "",
              near ? near : "", near ? "'?" : "");
    char hint[100];
    snprintf(hint, sizeof hint, "poise %s --help", c->name);
    return error_at(err, NULL, 0, -1, hint);
}

static int set(const struct command *c, const struct option_row *row, void *out, const char *value, struct error *err)
{
    void *at = (char *)out + row->offset;
    if (row->kind == OPTION_TEXT || row->kind == OPTION_OUT) {
        if (!*value) return error_set(err, ERR_USAGE, "poise %s: the value of --%s is empty", c->name, row->name);
        const char *before = *(const char **)at;
        if (before && strcmp(before, value) != 0)
            say_note(stderr, "--%s takes one value: %s counts, and %s before it does not", row->name, value, before);
        *(const char **)at = value;
    } else if (row->kind == OPTION_TEXTS) {
        struct texts *list = at;
        if (list->n == TEXTS_MAX)
            return error_set(err, ERR_USAGE, "poise %s: --%s more than %d times", c->name, row->name, TEXTS_MAX);
        list->items[list->n++] = value;
    } else {
        /* what options say ends in JSON and in the store, whose numbers end at 2^63 - 1 */
        const bool is_count = row->kind == OPTION_COUNT;
        if (!whole_parse(value, is_count, INT64_MAX, at))
            return error_set(err, ERR_USAGE, "poise %s: --%s %s: a whole number is needed, %s %" PRId64, c->name,
                             row->name, value, is_count ? "from 1 to" : "at most", INT64_MAX);
        if (strcmp(row->name, "threads") == 0 && *(uint64_t *)at == 0)
            say_note(stderr, "--threads 0 is as many as there are processors, as without it");
    }
    return 0;
}

int texts_check_pairs(const struct texts *pairs, size_t first, const char *option, struct error *err)
{
    for (size_t i = first; i < pairs->n; i++)
        for (size_t k = first; k < i; k++) {
            const size_t n = strcspn(pairs->items[i], "=");
            if (strncmp(pairs->items[k], pairs->items[i], n) == 0 && pairs->items[k][n] == '=')
                return error_set(err, ERR_USAGE, "%s: %.*s is given twice", option, (int)n, pairs->items[i]);
        }
    return 0;
}

/* The command line of another program follows: it is kept as it is. */
static int keep_raw(const struct command *c, struct texts *arguments, int argc, char **argv, bool *wants_help,
                    struct error *err)
{
    *wants_help = argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
    if (argc > TEXTS_MAX) return error_set(err, ERR_USAGE, "poise %s: more than %d arguments", c->name, TEXTS_MAX);
    for (int i = 0; i < argc; i++) arguments->items[arguments->n++] = argv[i];
    return 0;
}

static bool is_given(const struct option_row *row, const void *options)
{
    const void *at = (const char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG: return *(const bool *)at;
    case OPTION_TEXT:
    case OPTION_OUT: return *(const char *const *)at != NULL;
    case OPTION_TEXTS: return ((const struct texts *)at)->n > 0;
    default: return *(const uint64_t *)at != 0;
    }
}

/* A mode is a verb, which is the first argument, or an option: "export", "--all". */
static bool is_in_mode(const struct command *c, const char *word, size_t length, const void *out, const char *verb)
{
    if (word[0] != '-') return strlen(verb) == length && strncmp(verb, word, length) == 0;
    const struct option_row *row = find(c, word + 2, length - 2);
    return row && is_given(row, out);
}

static bool is_of_mode(const struct command *c, const struct option_row *row, const void *out, const char *verb)
{
    if (!row->modes) return true;
    for (const char *word = row->modes; *word; word += strspn(word, ", ")) {
        const size_t length = strcspn(word, ",");
        if (is_in_mode(c, word, length, out, verb)) return true;
        word += length;
    }
    return false;
}

static int check_modes(const struct command *c, const void *out, const struct texts *arguments, struct error *err)
{
    const char *verb = arguments->n ? arguments->items[0] : "";
    for (size_t i = 0; i < c->n_options; i++)
        if (is_given(&c->options[i], out) && !is_of_mode(c, &c->options[i], out, verb))
            return error_set(err, ERR_USAGE, "poise %s: --%s is for %s", c->name, c->options[i].name,
                             c->options[i].modes);
    return 0;
}

/* The texts that an option got; the row behind the last: the arguments. */
static struct text_list {
    const char *const *items;
    size_t n;
} texts_of(const struct command *c, size_t row, const void *options, const struct texts *arguments)
{
    if (row == c->n_options) return (struct text_list){arguments->items, arguments->n};
    const void *at = (const char *)options + c->options[row].offset;
    const enum option_kind kind = c->options[row].kind;
    if (!is_given(&c->options[row], options)) return (struct text_list){NULL, 0};
    if (kind == OPTION_TEXTS)
        return (struct text_list){((const struct texts *)at)->items, ((const struct texts *)at)->n};
    return (struct text_list){at, kind == OPTION_TEXT || kind == OPTION_OUT};
}

/* What is read, an argument or another option's file, must not be written over. */
static int check_outputs(const struct command *c, const void *options, const struct texts *arguments, struct error *err)
{
    struct stat out, other;
    for (size_t i = 0; i < c->n_options; i++) {
        const struct text_list own = texts_of(c, i, options, arguments);
        if (c->options[i].kind != OPTION_OUT || !own.n || stat(own.items[0], &out) < 0 || !S_ISREG(out.st_mode))
            continue;
        for (size_t k = 0; k <= c->n_options; k++) {
            const struct text_list list = texts_of(c, k, options, arguments);
            for (size_t v = 0; v < list.n && k != i; v++)
                if (stat(list.items[v], &other) == 0 && out.st_dev == other.st_dev && out.st_ino == other.st_ino)
                    return error_set(err, ERR_USAGE,
                                     "poise %s: --%s %s would be written over %s, which is given as well", c->name,
                                     c->options[i].name, own.items[0], list.items[v]);
        }
    }
    return 0;
}

int options_parse(const struct command *c, void *out, struct texts *arguments, int argc, char **argv, bool *wants_help,
                  common_option_fn *take_common, struct error *err)
{
    *arguments = (struct texts){.n = 0};
    *wants_help = false;
    if (c->options_size == 0) return keep_raw(c, arguments, argc, argv, wants_help, err);
    memset(out, 0, c->options_size);
    bool is_over = false;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (is_over || a[0] != '-' || a[1] == '\0') {
            if (arguments->n == TEXTS_MAX)
                return error_set(err, ERR_USAGE, "poise %s: more than %d arguments", c->name, TEXTS_MAX);
            arguments->items[arguments->n++] = a;
            continue;
        }
        if (strcmp(a, "--") == 0) {
            is_over = true;
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            *wants_help = true;
            return 0;
        }
        const size_t length = a[1] == '-' ? strcspn(a + 2, "=") : 1;
        const struct option_row *row = a[1] == '-'    ? find(c, a + 2, length)
                                       : a[2] == '\0' ? find_letter(c, a[1])
                                                      : NULL;
        if (!row || (is_common(row) && !take_common)) return unknown(c, a, err);
        const char *value = a[1] == '-' && a[2 + length] == '=' ? a + 3 + length : NULL;
        if (row->kind == OPTION_FLAG) {
            if (value) return error_set(err, ERR_USAGE, "poise %s: --%s takes no value", c->name, row->name);
            *(bool *)(void *)((char *)out + row->offset) = true;
            continue;
        }
        if (!value && i + 1 == argc)
            return error_set(err, ERR_USAGE, "poise %s: %s needs %s", c->name, a, row->argument);
        if (!value) value = argv[++i];
        if ((is_common(row) ? take_common(value, err) : set(c, row, out, value, err)) < 0) return -1;
    }
    return check_modes(c, out, arguments, err) < 0 ? -1 : check_outputs(c, out, arguments, err);
}

int cli_check_model_name(const char *name, struct error *err)
{
    json_t *text = json_string(name ? name : "");
    json_decref(text);
    if (!text || strlen(name ? name : "") >= MODEL_NAME_MAX)
        return error_set(err, ERR_USAGE, "--name %s: UTF-8 of at most %d bytes is needed", name, MODEL_NAME_MAX - 1);
    return name && text_has_control(name) ? error_set(err, ERR_USAGE, "--name %s: it has a control character", name)
                                          : 0;
}

void options_help(const struct command *c, FILE *out)
{
    fprintf(out, "usage: poise %s %s\n\n%s\n", c->name, c->usage, c->summary);
    if (c->details) fprintf(out, "\n%s", c->details);
    if (c->n_options) fprintf(out, "\n");
    for (size_t i = 0; i < c->n_options + (c->options_size ? n_common_options : 0); i++) {
        char left[64];
        const struct option_row *row = i < c->n_options ? &c->options[i] : &common_options[i - c->n_options];
        if (row->letter && row->argument)
            snprintf(left, sizeof left, "-%c, --%s %s", row->letter, row->name, row->argument);
        else
            snprintf(left, sizeof left, "--%s%s%s", row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
        fprintf(out, "  %-24s %s%s%s\n", left, row->modes ? row->modes : "", row->modes ? ": " : "", row->doc);
    }
}

static bool is_smart_terminal(FILE *out)
{
    const char *term = getenv("TERM");
    return isatty(fileno(out)) == 1 && !(term && strcmp(term, "dumb") == 0);
}

unsigned cli_width(bool is_stdout)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0) return (unsigned)atoi(columns);
    return is_stdout && isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : 100;
}

unsigned cli_line_width(void)
{
    const char *columns = getenv("COLUMNS");
    return isatty(STDOUT_FILENO) == 1 || (columns && atoi(columns) > 0) ? cli_width(true) : UINT_MAX;
}

bool cli_has_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && is_smart_terminal(out);
}

void cli_runner_options(const struct cli *cli, struct runner_options *out, uint64_t threads)
{
    *out = (struct runner_options){.threads = (unsigned)(threads > 1024 ? 1024 : threads),
                                   .stop = cli->stop,
                                   .progress = stderr,
                                   .notes = stderr,
                                   .is_terminal = is_smart_terminal(stderr),
                                   .decoded_dir = cli->decoded,
                                   .ranks = cli->ranks};
}

int cli_print_example(const struct cli *cli, const struct spec_format *format)
{
    char path[600], resolved[PATH_MAX];
    snprintf(path, sizeof path, "%s/../../datasets", cli->paths.configs);
    spec_format_example(format, realpath(path, resolved) ? resolved : path, stdout);
    return 0;
}

int cli_print_json(json_t *json, struct error *err)
{
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(json);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for the output");
    const bool failed = puts(text) < 0 || fflush(stdout) != 0;
    free(text);
    return failed ? error_set(err, ERR_IO, "writing to standard output failed") : 0;
}

int cli_print_estimate(const char *name, const struct runner_estimate *e, bool json, struct error *err)
{
    if (!json) {
        printf("%s: %zu runs, %zu distinct, %zu in the store, %zu to simulate: %.3g M warp instructions, about %.1f s "
               "on %u threads (%s)\n",
               name, e->runs, e->distinct, e->stored, e->missing, 1e-6 * (double)e->warp_insts, e->wall_s, e->threads,
               e->is_measured ? "from the store's history" : "no history yet: a typical rate");
        if (e->later)
            printf("with at most %zu runs that follow from them: windows, the engine, contenders\n", e->later);
        return 0;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "name", json_string(name));
    json_object_set_new(out, "runs", json_integer((json_int_t)e->runs));
    json_object_set_new(out, "dry_run",
                        json_pack("{s:I,s:I,s:I,s:I,s:f,s:f,s:b}", "distinct", (json_int_t)e->distinct, "stored",
                                  (json_int_t)e->stored, "missing", (json_int_t)e->missing, "warp_insts",
                                  (json_int_t)e->warp_insts, "cpu_s", e->cpu_s, "wall_s", e->wall_s, "is_measured",
                                  (int)e->is_measured));
    if (e->later) json_object_set_new(json_object_get(out, "dry_run"), "later", json_integer((json_int_t)e->later));
    return cli_print_json(out, err);
}
