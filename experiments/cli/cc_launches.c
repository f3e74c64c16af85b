/* What clang cannot read in a source and in what it includes: launches in device code, and spellings that nvcc alone
 * takes. Sources stay as they are: clang reads a text with calls (cc_launch_text.c) and in its own spelling
 * (cc_spelling.c) in their place. */
#include "cli/cc_launches.h"
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cc_launch_text.h"
#include "cli/cc_spelling.h"
#include "poise/file.h"

#define MAX_FILES 64u

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

static int replace(struct overlay *o, const char *path, const char *text, size_t size, struct error *err)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s/launches-%zu-%zu", o->folder, o->index, o->n);
    if (file_write(copy, text, size, err) < 0) return -1;
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
    size_t length = size;
    char *spelled = cc_spelling(text, size), *changed = cc_launch_text(spelled ? spelled : text, size, &length);
    int result = changed ? replace(o, real, changed, length, err) : spelled ? replace(o, real, spelled, size, err) : 0;
    free(changed);
    free(spelled);
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
