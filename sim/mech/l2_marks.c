#include "l2_marks.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"

static int bad(const char *path, struct error *err, const char *what, size_t i)
{
    return error_set(err, ERR_INPUT,
                     "%s: %s %zu: a mark has \"operator\" \"cc\" or \"cp\" and addresses \"from\" < \"to\" that "
                     "no other mark holds; a line is [ADDRESS, ACCESSES]",
                     path, what, i);
}

/* The object with the keys: the file's own, or what l2_profile left at the end of a run. */
static const json_t *keys_of(const json_t *root)
{
    const json_t *launches = json_object_get(root, "launches"), *mech;
    const json_t *mechs = json_object_get(json_array_get(launches, json_array_size(launches) - 1), "mech");
    size_t i;
    json_array_foreach(mechs, i, mech) {
        const json_t *detail = json_object_get(mech, "detail");
        if (json_object_get(detail, "marking") || json_object_get(detail, "lines")) return detail;
    }
    return root;
}

static int by_address(const void *a, const void *b)
{
    const struct l2_mark *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static int read_mark(struct l2_mark *out, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "operator"));
    const json_t *from = json_object_get(json, "from"), *to = json_object_get(json, "to");
    if (!name || !json_is_integer(from) || !json_is_integer(to)) return -1;
    if (strcmp(name, "cc") != 0 && strcmp(name, "cp") != 0) return -1;
    *out = (struct l2_mark){(uint64_t)json_integer_value(from), (uint64_t)json_integer_value(to),
                            strcmp(name, "cc") == 0 ? TRACE_CACHE_CC : TRACE_CACHE_CP};
    return json_integer_value(from) >= 0 && out->from < out->to ? 0 : -1;
}

static int read_marks(struct l2_marks *marks, const json_t *list, const char *path, struct error *err)
{
    const size_t n = json_array_size(list);
    if (n > L2_MARKS_MAX)
        return error_set(err, ERR_INPUT, "%s: %zu marks, at most %d are read; join neighbours (l2_profile,gap=N)", path,
                         n, L2_MARKS_MAX);
    for (size_t i = 0; i < n; i++)
        if (read_mark(&marks->marks[i], json_array_get(list, i)) < 0) return bad(path, err, "marking", i);
    qsort(marks->marks, n, sizeof marks->marks[0], by_address);
    for (size_t i = 1; i < n; i++)
        if (marks->marks[i].from < marks->marks[i - 1].to) return bad(path, err, "marking", i);
    marks->n = (uint32_t)n;
    return 0;
}

static int read_lines(l2_line_told told, void *to, const json_t *list, const char *path, struct error *err)
{
    const json_t *line;
    size_t i;
    json_array_foreach(list, i, line) {
        const json_t *address = json_array_get(line, 0), *accesses = json_array_get(line, 1);
        if (!json_is_integer(address) || !json_is_integer(accesses)) return bad(path, err, "lines", i);
        if (json_integer_value(address) < 0 || json_integer_value(accesses) < 0) return bad(path, err, "lines", i);
        if (told(to, (uint64_t)json_integer_value(address), (uint64_t)json_integer_value(accesses), err) < 0) return -1;
    }
    return 0;
}

int l2_marks_parse(struct l2_marks *marks, l2_line_told told, void *to, const char *text, size_t size, const char *path,
                   struct error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, 0, &why);
    if (!root) return error_set(err, ERR_INPUT, "%s:%d: no JSON: %s", path, why.line, why.text);
    const json_t *keys = keys_of(root), *list = json_object_get(keys, marks ? "marking" : "lines");
    int result = 0;
    if (!json_is_array(list))
        result =
            error_set(err, ERR_INPUT, "%s: no array \"%s\"; `poise sim --mech l2_profile --carry-l2 --json` writes one",
                      path, marks ? "marking" : "lines");
    else if (marks) result = read_marks(marks, list, path, err);
    else result = read_lines(told, to, list, path, err);
    json_decref(root);
    return result;
}

int l2_marks_read(struct l2_marks *marks, l2_line_told told, void *to, const char *path, struct error *err)
{
    char *text;
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = l2_marks_parse(marks, told, to, text, size, path, err);
    free(text);
    return result;
}

uint8_t l2_marks_find(const struct l2_marks *marks, uint64_t address)
{
    uint32_t from = 0, to = marks->n;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (marks->marks[middle].to <= address) from = middle + 1;
        else to = middle;
    }
    return from < marks->n && marks->marks[from].from <= address ? marks->marks[from].cache_op : TRACE_CACHE_DEFAULT;
}
