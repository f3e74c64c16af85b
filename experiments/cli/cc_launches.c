/* Launches in device code: k<<<grid, block>>>(a, b) becomes poise_launch::by<decltype(&k), (&k)>(grid, block)(a, b),
 * where a function's head says __global__ or __device__. Sources stay as they are: clang reads the new text in their
 * place. A launch of a template whose arguments are to be deduced, or of a pointer, stays, and clang refuses it. */
#include "cli/cc_launches.h"
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"

#define MAX_DEPTH 200u
#define MAX_FILES 64u

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the comment, literal or preprocessor line that begins at s[i]; i where none does. */
static size_t skipped_to(const char *s, size_t n, size_t i, bool begins_line)
{
    size_t k = i;
    if (s[i] == '#' && begins_line) {
        while (k < n && s[k] != '\n') k += s[k] == '\\' && k + 1 < n ? 2 : 1;
    } else if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
        while (k < n && s[k] != '\n') k++;
    } else if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
        const char *end = memmem(s + i + 2, n - i - 2, "*/", 2);
        k = end ? (size_t)(end - s) + 2 : n;
    } else if (s[i] == '"' || (s[i] == '\'' && (i == 0 || !is_name(s[i - 1])))) {
        for (k++; k < n && s[k] != s[i] && s[k] != '\n'; k++)
            if (s[k] == '\\') k++;
        k++;
    }
    return k < n ? k : n;
}

/* The text with blanks for all that is no code; lines stay. NULL: no memory. */
static char *code_of(const char *text, size_t n)
{
    char *code = malloc(n + 1);
    bool begins_line = true;
    if (!code) return NULL;
    memcpy(code, text, n);
    code[n] = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = skipped_to(text, n, i, begins_line);
        begins_line = text[i] == '\n' || (begins_line && isspace((unsigned char)text[i]));
        if (end == i) {
            i++;
            continue;
        }
        for (; i < end; i++)
            if (text[i] != '\n') code[i] = ' ';
    }
    return code;
}

static bool has_word(const char *s, size_t begin, size_t end, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = s + begin; (at = memmem(at, (size_t)(s + end - at), word, length)); at++)
        if ((at == s || !is_name(at[-1])) && !is_name(at[length])) return true;
    return false;
}

/* Where the name before s[end] begins, with its namespaces and template arguments; end where there is none. */
static size_t name_before(const char *s, size_t end)
{
    size_t at = end;
    while (at > 0 && isspace((unsigned char)s[at - 1])) at--;
    if (at > 0 && s[at - 1] == '>') {
        unsigned depth = 0;
        do {
            at--;
            if (s[at] == '>') depth++;
            if (s[at] == '<') depth--;
        } while (at > 0 && depth);
        while (at > 0 && isspace((unsigned char)s[at - 1])) at--;
    }
    const size_t name_end = at;
    while (at > 0 && (is_name(s[at - 1]) || s[at - 1] == ':')) at--;
    return at == name_end ? end : at;
}

/* The >>> that closes a launch's configuration, where parameters follow it; 0 where none does. */
static size_t closing(const char *s, size_t n, size_t from)
{
    unsigned depth = 0;
    for (size_t i = from; i + 3 < n; i++) {
        if (s[i] == '(' || s[i] == '{') depth++;
        if ((s[i] == ')' || s[i] == '}') && depth-- == 0) return 0;
        if (s[i] == ';') return 0;
        if (depth || strncmp(s + i, ">>>", 3) != 0) continue;
        return s[i + 3 + strspn(s + i + 3, " \t\r\n")] == '(' ? i : 0;
    }
    return 0;
}

/* Braces around the place that is looked at. */
struct scopes {
    bool is_device[MAX_DEPTH];
    unsigned parentheses[MAX_DEPTH], depth, open;
    size_t head; /* where the text before the next brace begins */
};

static void scopes_read(struct scopes *b, const char *code, size_t i)
{
    switch (code[i]) {
    case '(': b->open++; break;
    case ')': b->open -= b->open > 0; break;
    case ';':
        if (b->open == 0) b->head = i + 1;
        break;
    case '{':
        if (b->depth + 1 < MAX_DEPTH) {
            const bool is_device = b->is_device[b->depth] || has_word(code, b->head, i, "__global__") ||
                                   has_word(code, b->head, i, "__device__");
            b->parentheses[b->depth] = b->open;
            b->is_device[++b->depth] = is_device;
        }
        b->open = 0;
        b->head = i + 1;
        break;
    case '}':
        if (b->depth > 0) b->open = b->parentheses[--b->depth];
        b->head = i + 1;
        break;
    default: break;
    }
}

/* The text with such launches as calls, line by line as before. NULL where there is none, or no memory. To be freed. */
static char *launches_in(const char *text, size_t size)
{
    struct scopes b = {.depth = 0};
    char *result = NULL, *code;
    size_t length, done = 0;
    if (!memmem(text, size, "<<<", 3) || !(code = code_of(text, size))) return NULL;
    FILE *out = open_memstream(&result, &length);
    for (size_t i = 0; out && i < size; i++) {
        scopes_read(&b, code, i);
        if (strncmp(code + i, "<<<", 3) != 0) continue;
        const size_t name = name_before(code, i), end = closing(code, size, i + 3);
        if (b.is_device[b.depth] && name < i && name >= done && end > 0) {
            fwrite(text + done, 1, name - done, out);
            fprintf(out, "::poise_launch::by<decltype(&%.*s), (&%.*s)>(%.*s)", (int)(i - name), code + name,
                    (int)(i - name), code + name, (int)(end - i - 3), text + i + 3);
            done = end + 3;
        }
        i = end > 0 ? end + 2 : i + 2;
    }
    if (out) fwrite(text + done, 1, size - done, out);
    free(code);
    if (out && fclose(out) == 0 && done > 0) return result;
    free(result);
    return NULL;
}

struct overlay {
    const char *folder;
    size_t index;
    const struct words *options;
    char *paths[MAX_FILES]; /* files that were looked at, as realpath names them */
    size_t n;
    json_t *roots;
};

static int look_at(struct overlay *o, const char *path, struct error *err);

/* The file of an #include "name", next to the file that includes it or in a folder of -I. */
static int look_at_included(struct overlay *o, const char *from, const char *name, int length, struct error *err)
{
    char path[PATH_MAX];
    const char *slash = strrchr(from, '/');
    snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash + 1 - from) : 0, from, length, name);
    if (access(path, R_OK) == 0) return look_at(o, path, err);
    for (size_t i = 0; i < o->options->n; i++) {
        const char *item = o->options->items[i], *folder = item + 2;
        if (strncmp(item, "-I", 2) != 0) continue;
        if (!*folder && (i + 1 == o->options->n || !(folder = o->options->items[i + 1]))) continue;
        snprintf(path, sizeof path, "%s/%.*s", folder, length, name);
        if (access(path, R_OK) == 0) return look_at(o, path, err);
    }
    return 0;
}

static int replace(struct overlay *o, const char *path, const char *text, struct error *err)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s/launches-%zu-%zu", o->folder, o->index, o->n);
    if (file_write(copy, text, strlen(text), err) < 0) return -1;
    json_array_append_new(o->roots,
                          json_pack("{s:s, s:s, s:s}", "name", path, "type", "file", "external-contents", copy));
    return 0;
}

/* A file that cannot be read is clang's to tell of. */
static int look_at(struct overlay *o, const char *path, struct error *err)
{
    static const char include[] = "include";
    char real[PATH_MAX], *text;
    size_t size;
    struct error ignored = {0};
    if (o->n == MAX_FILES || !realpath(path, real)) return 0;
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->paths[i], real) == 0) return 0;
    if (file_read(&text, &size, real, &ignored) < 0) return 0;
    if (!(o->paths[o->n] = strdup(real))) return free(text), error_set(err, ERR_MEMORY, "out of memory");
    o->n++;
    char *changed = launches_in(text, size);
    int result = changed ? replace(o, real, changed, err) : 0;
    free(changed);
    for (const char *at = text; result == 0 && (at = strchr(at, '#'));) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, include, sizeof include - 1) != 0) continue;
        at += sizeof include - 1;
        at += strspn(at, " \t");
        if (*at == '"') result = look_at_included(o, real, at + 1, (int)strcspn(at + 1, "\"\n"), err);
    }
    free(text);
    return result;
}

int cc_launches_overlay(char *overlay, size_t room, const char *source, const struct words *options, const char *folder,
                        size_t index, struct error *err)
{
    struct overlay o = {.folder = folder, .index = index, .options = options, .roots = json_array()};
    overlay[0] = 0;
    int result = look_at(&o, source, err);
    if (result == 0 && json_array_size(o.roots) > 0) {
        json_t *file = json_pack("{s:i, s:b, s:O}", "version", 0, "use-external-names", 0, "roots", o.roots);
        snprintf(overlay, room, "%s/launches-%zu.yaml", folder, index);
        if (!file || json_dump_file(file, overlay, 0) < 0)
            result = error_set(err, ERR_IO, "%s: cannot be written", overlay);
        json_decref(file);
    }
    json_decref(o.roots);
    while (o.n > 0) free(o.paths[--o.n]);
    return result;
}
