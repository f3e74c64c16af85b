/* What a program is called with, as scripts, makefiles and READMEs say it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "suite/suite_internal.h"

enum { VARIABLES_MAX = 128, LINE_MAX_BYTES = 2048, TOKENS_MAX = 128 };

struct variable {
    char name[64], value[512];
};
struct variables {
    struct variable items[VARIABLES_MAX];
    size_t n;
};

static const char *value_of(const struct variables *v, const char *name, size_t n)
{
    for (size_t i = v->n; i--;)
        if (strlen(v->items[i].name) == n && strncmp(v->items[i].name, name, n) == 0) return v->items[i].value;
    return NULL;
}

/* NAME = VALUE, NAME := VALUE, NAME ?= VALUE of a makefile; NAME=VALUE of a script. */
static bool take_assignment(struct variables *v, const char *line, bool is_makefile)
{
    const char *end = line;
    while (isalnum((unsigned char)*end) || *end == '_') end++;
    const size_t n = (size_t)(end - line);
    if (!n || n >= sizeof v->items->name) return false;
    if (is_makefile) end += strspn(end, " \t:?");
    if (*end != '=') return false;
    const char *value = end + 1 + (is_makefile ? strspn(end + 1, " \t") : 0);
    size_t length = strcspn(value, is_makefile ? "#\n" : " \t;#\n");
    while (length && isspace((unsigned char)value[length - 1])) length--;
    if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) value++, length -= 2;
    if (v->n == VARIABLES_MAX || length >= sizeof v->items->value) return true;
    struct variable *at = &v->items[v->n++];
    snprintf(at->name, sizeof at->name, "%.*s", (int)n, line);
    snprintf(at->value, sizeof at->value, "%.*s", (int)length, value);
    return true;
}

/* $NAME, ${NAME} and $(NAME); false where something is left that only a shell knows. */
static bool expand(char *out, size_t size, const char *in, const struct variables *v, unsigned depth)
{
    size_t at = 0;
    while (*in && *in != '\n') {
        if (*in != '$') {
            if (at + 1 >= size) return false;
            out[at++] = *in++;
            continue;
        }
        const char close = in[1] == '(' ? ')' : in[1] == '{' ? '}' : '\0', *name = in + (close ? 2 : 1), *end = name;
        char inner[512];
        while (isalnum((unsigned char)*end) || *end == '_') end++;
        if (end == name || (close && *end != close)) return false;
        const char *value = value_of(v, name, (size_t)(end - name));
        if (!value || depth > 8 || !expand(inner, sizeof inner, value, v, depth + 1)) return false;
        if (at + strlen(inner) + 1 >= size) return false;
        memcpy(out + at, inner, strlen(inner));
        at += strlen(inner);
        in = end + (close != '\0');
    }
    out[at] = '\0';
    return true;
}

/* Words as a shell has them; what goes to other programs or files is not an argument. */
static size_t split(char *line, char *tokens[TOKENS_MAX])
{
    size_t n = 0;
    char *at = line;
    for (;;) {
        at += strspn(at, " \t\r");
        if (!*at || strchr("|;&<>#", *at) || n == TOKENS_MAX) break;
        if (isdigit((unsigned char)*at) && at[1] == '>') break;
        char *to = tokens[n++] = at;
        char quote = '\0';
        while (*at && (quote || !strchr(" \t\r|;&<>", *at))) {
            if (!quote && (*at == '"' || *at == '\'')) quote = *at;
            else if (quote && *at == quote) quote = '\0';
            else *to++ = *at;
            at++;
        }
        const char stop = *at;
        if (*at) at++;
        *to = '\0';
        if (stop && strchr("|;&<>", stop)) break;
    }
    return n;
}

size_t suite_words(char *words[], size_t most, char *text)
{
    size_t n = 0;
    for (char *at = text + strspn(text, " "); *at && n < most; at += strspn(at, " ")) {
        char *to = words[n++] = at, quote = '\0';
        for (; *at && (quote || *at != ' '); at++)
            if (!quote && (*at == '"' || *at == '\'')) quote = *at;
            else if (quote && *at == quote) quote = '\0';
            else *to++ = *at;
        at += *at != '\0';
        *to = '\0';
    }
    return n;
}

static bool is_before_program(const char *token)
{
    static const char *const words[] = {"time", "sudo", "exec", "srun", "nice", "@", "-", "env"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(token, words[i]) == 0) return true;
    const char *equals = strchr(token, '=');
    return equals && equals > token && strcspn(token, "/.") > (size_t)(equals - token);
}

static bool is_program(const char *token, bool is_prose)
{
    static const char *const others[] = {".sh", ".py", ".pl", ".cu", ".c", ".cpp", ".txt", ".md"};
    const size_t n = strlen(token);
    if (strncmp(token, "./", 2) != 0 && (is_prose || *token == '/' || !strchr(token, '/'))) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t k = strlen(others[i]);
        if (n > k && strcmp(token + n - k, others[i]) == 0) return false;
    }
    return token[strspn(token, "./")] != '\0' && !strpbrk(token, "*?<>(){}\"");
}

/* One command, if the line is one. */
static bool take_command(struct suite_command *out, char *line, bool is_prose)
{
    char *tokens[TOKENS_MAX];
    if (is_prose) {
        line += strspn(line, " \t>`*");
        if (line[0] == '$' && line[1] == ' ') line += 2;
        if (strpbrk(line, "<[{") || strstr(line, "...")) return false;
        line[strcspn(line, "`")] = '\0';
    }
    line += strspn(line, " \t@-");
    size_t n = split(line, tokens), at = 0;
    *out = (struct suite_command){.arguments = {.is_given = true}};
    for (; at < n && is_before_program(tokens[at]); at++)
        if (*tokens[at] != '-' && strchr(tokens[at], '=') && suite_arguments_add(&out->environment, tokens[at]) < 0)
            return false;
    if (at == n || !is_program(tokens[at], is_prose)) return false;
    const char *name = tokens[at];
    while (strncmp(name, "./", 2) == 0) name += 2;
    if (strlen(name) >= sizeof out->program) return false;
    snprintf(out->program, sizeof out->program, "%s", name);
    for (size_t i = at + 1; i < n; i++)
        if (suite_arguments_add(&out->arguments, tokens[i]) < 0) return false;
    return true;
}

static bool is_same(const struct suite_command *a, const struct suite_command *b)
{
    return strcmp(a->program, b->program) == 0 && a->arguments.size == b->arguments.size &&
           memcmp(a->arguments.text, b->arguments.text, a->arguments.size) == 0;
}

static size_t add_line(struct suite_command out[SUITE_COMMANDS_MAX], size_t n, const char *line,
                       const struct variables *v, bool is_prose)
{
    char text[LINE_MAX_BYTES];
    if (n == SUITE_COMMANDS_MAX || !expand(text, sizeof text, line, v, 0) || !take_command(&out[n], text, is_prose))
        return n;
    for (size_t i = 0; i < n; i++)
        if (is_same(&out[i], &out[n])) return n;
    return n + 1;
}

/* The next line, with those that end in a backslash joined; NULL at the end. */
static const char *next_line(const char *at, char line[LINE_MAX_BYTES])
{
    size_t n = 0;
    if (!*at) return NULL;
    for (; *at && !(*at == '\n'); at++) {
        if (*at == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            at += at[1] == '\r' ? 2 : 1;
            continue;
        }
        if (n + 1 < LINE_MAX_BYTES && *at != '\r') line[n++] = *at;
    }
    line[n] = '\0';
    return *at ? at + 1 : at;
}

size_t suite_commands_read(struct suite_command out[SUITE_COMMANDS_MAX], const char *text, bool is_prose)
{
    char line[LINE_MAX_BYTES];
    size_t n = 0;
    struct variables *v = calloc(1, sizeof *v);
    for (const char *at = text; v && (at = next_line(at, line));) {
        const char *start = line + strspn(line, " \t");
        if (*start == '#' && !is_prose) continue;
        if (!is_prose && take_assignment(v, start, false) && !strchr(start, ' ')) continue;
        n = add_line(out, n, is_prose && strncmp(start, "$ ", 2) == 0 ? start + 2 : start, v, is_prose);
    }
    free(v);
    return n;
}

size_t suite_commands_of_makefile(struct suite_command out[SUITE_COMMANDS_MAX], const char *text)
{
    char line[LINE_MAX_BYTES];
    size_t n = 0;
    struct variables *v = calloc(1, sizeof *v);
    for (const char *at = text; v && (at = next_line(at, line));)
        if (line[0] != '\t') take_assignment(v, line + strspn(line, " "), true);
    bool is_inside = false;
    for (const char *at = text; v && (at = next_line(at, line));) {
        if (line[0] == '\t' && is_inside) {
            n = add_line(out, n, line, v, false);
            continue;
        }
        const size_t length = strcspn(line, " \t:");
        if (line[0] != '\t' && line[0])
            is_inside = strchr(line, ':') && ((length == 3 && strncmp(line, "run", 3) == 0) ||
                                              (length == 4 && strncmp(line, "test", 4) == 0));
    }
    free(v);
    return n;
}
