#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "accelsim_source.h"
#include "poise/accelsim.h"
#include "poise/text.h"
#include "accelsim_internal.h"

enum { LINE_BYTES = 1 << 16 };

void accelsim_list_fini(struct accelsim_list *list)
{
    for (size_t i = 0; i < list->n; i++) free(list->commands[i].file);
    free(list->commands);
    *list = (struct accelsim_list){0};
}

/* MemcpyHtoD,<0x address>,<bytes> */
static int parse_copy(const struct text_source *s, const char *line, struct accelsim_copy *out, struct error *err)
{
    const char *at = line + strlen("MemcpyHtoD");
    if (*at == ',' && (at++, scan_hex(&at, &out->address)) && *at == ',' && (at++, scan_decimal(&at, &out->bytes)) &&
        *at == '\0')
        return 0;
    return source_bad(s, err, "'%.60s': MemcpyHtoD,<hexadecimal address>,<bytes> is needed", line);
}

static int add_command(struct accelsim_list *list, size_t *capacity, const struct text_source *s, const char *line,
                       struct error *err)
{
    if (list->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 16;
        struct accelsim_command *more = realloc(list->commands, *capacity * sizeof *more);
        if (!more) return error_set(err, ERR_MEMORY, "%s: no memory for %zu commands", s->name, *capacity);
        list->commands = more;
    }
    struct accelsim_command *c = &list->commands[list->n];
    *c = (struct accelsim_command){.is_kernel = line[0] == 'k', .line = (uint32_t)s->line};
    if (!c->is_kernel && parse_copy(s, line, &c->copy, err) < 0) return -1;
    if (c->is_kernel && !(c->file = strdup(line)))
        return error_set(err, ERR_MEMORY, "%s: no memory for a file name", s->name);
    list->n++;
    return 0;
}

static int read_list(struct accelsim_list *out, struct text_source *s, struct error *err)
{
    char *line;
    size_t length, capacity = 0;
    int more, result = 0;
    *out = (struct accelsim_list){0};
    while (result == 0 && (more = source_line(s, &line, &length, err)) > 0) {
        while (length && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
        const size_t mark = s->line == 1 ? text_byte_order_mark(line, length) : 0;
        line += mark;
        length -= mark;
        const bool is_command = strncmp(line, "kernel", 6) == 0 || strncmp(line, "MemcpyHtoD", 10) == 0;
        if (!is_command && (line[0] == '#' || !strstr(line, ".traceg"))) continue; /* as Accel-Sim does */
        if (!is_command) result = source_bad(s, err, "'%.60s' names a trace: such a line begins with 'kernel'", line);
        else if (memchr(line, '\0', length)) result = source_bad(s, err, "a zero byte in a line");
        else result = add_command(out, &capacity, s, line, err);
    }
    if (result == 0 && more < 0) result = -1;
    if (result < 0) accelsim_list_fini(out);
    return result;
}

int accelsim_list_read(struct accelsim_list *out, const char *path, struct error *err)
{
    struct text_source s;
    *out = (struct accelsim_list){0};
    if (source_open(&s, path, LINE_BYTES, err) < 0) return -1;
    const int result = read_list(out, &s, err);
    source_close(&s);
    return result;
}

int accelsim_list_parse(struct accelsim_list *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct text_source s;
    *out = (struct accelsim_list){0};
    if (source_open_memory(&s, name, text, size, LINE_BYTES, err) < 0) return -1;
    const int result = read_list(out, &s, err);
    source_close(&s);
    return result;
}
