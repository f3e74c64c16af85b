/* The first error of a build's log, and its kind. */
#include <regex.h>
#include <string.h>
#include "poise/text.h"
#include "suite/suite_internal.h"

static const struct {
    const char *kind, *pattern;
} kinds[] = {
    {"header", "fatal error: .*(file not found|No such file)|^.*error: .*file not found"},
    {"not offered", "^poise: .*(is not offered|cannot run this)"},
    {"library", "cannot find -l|(nvcc|cmake|make|clang|g\\+\\+|gcc).*: (command )?not found"},
    {"linker", "undefined reference|multiple definition|undefined symbol"},
    {"source", "[0-9]: (fatal )?error|(^|[ :])error: "},
    {"cmake", "^CMake Error"},
    {"make", "\\*\\*\\* .*(No rule|missing separator|Stop)|\\*\\*\\* .*Error"},
    {"not found", "[Nn]o such file|[Nn]ot found"},
    {"source", "[Ee]rror"},
};

/* Of all lines the first that is an error; make says at the end that there was one. */
static size_t first_line(char *out, size_t size, const char *log)
{
    regex_t regex[COUNT_OF(kinds)];
    size_t found = COUNT_OF(kinds), n = 0;
    for (; n < COUNT_OF(kinds); n++)
        if (regcomp(&regex[n], kinds[n].pattern, REG_EXTENDED | REG_NOSUB) != 0) break;
    *out = '\0';
    for (unsigned pass = 0; pass < 2 && found == COUNT_OF(kinds); pass++) {
        const size_t from = pass ? 5 : 0, to = pass ? n : 5;
        for (const char *line = log; *line && found == COUNT_OF(kinds);) {
            char text[600];
            const size_t length = strcspn(line, "\n");
            snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
            for (size_t i = from; i < to && found == COUNT_OF(kinds); i++)
                if (!strstr(text, "warning:") && !strstr(text, "cc: note:") &&
                    regexec(&regex[i], text, 0, NULL, 0) == 0)
                    found = i;
            if (found != COUNT_OF(kinds)) snprintf(out, size, "%s", text);
            line += length + (line[length] == '\n');
        }
    }
    for (size_t i = 0; i < n; i++) regfree(&regex[i]);
    return found;
}

void suite_first_error(char *kind, size_t kind_size, char *why, size_t why_size, const char *log, const char *prefix)
{
    char line[600], *at;
    const size_t found = first_line(line, sizeof line, log), n = strlen(prefix);
    snprintf(kind, kind_size, "%s", found < COUNT_OF(kinds) ? kinds[found].kind : "");
    while (n && (at = strstr(line, prefix))) memmove(at, at + n, strlen(at + n) + 1);
    for (char *c = line; *c; c++)
        if (*c == '\t' || *c == '|' || *c == '\r') *c = ' ';
    text_clean(line);
    snprintf(why, why_size, "%s", line + strspn(line, " "));
}
