/* What the program makes of result folders: a report as it is written, and its document by section and part. */
#ifndef TEST_DOCUMENT_H
#define TEST_DOCUMENT_H
#include <sys/stat.h>
#include "results.h"

static inline char *report(const char *arguments, const char *file)
{
    char line[600], path[256];
    struct stat st;
    snprintf(line, sizeof line, "report %s -o %s/%s", arguments, root, file);
    must(line);
    snprintf(path, sizeof path, "%s/%s", root, file);
    assert_int_equal(0, stat(path, &st));
    char *text = malloc((size_t)st.st_size + 1);
    slurp(path, text, (size_t)st.st_size + 1);
    return text;
}

static inline const char *folder(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%s/%s", root, name);
    return at;
}

static inline json_t *document(const char *folders)
{
    char *text = report(folders, "document.json");
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(json);
    return json;
}

static inline const json_t *section(const json_t *document, const char *id)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(document, "sections"), i, item)
        if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0) return item;
    fail_msg("no section %s", id);
    return NULL;
}

static inline const json_t *part(const json_t *section, const char *list, const char *id)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(section, list), i, item)
        if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0) return item;
    fail_msg("no %s %s", list, id);
    return NULL;
}
#endif
