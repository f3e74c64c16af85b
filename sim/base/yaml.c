#include "poise/yaml.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "poise/file.h"

/* Nodes live in blocks that the file owns. Depth and counts are bounded: an alias bomb is an error, and nothing takes
 * quadratic time in the size of the file (libyaml's own time grows with the square of the depth of [ and {). */
enum { DEPTH_MAX = 64, NODES_MAX = 1 << 20, KEYS_MAX = 1 << 13, BLOCK_BYTES = 1 << 14 };
struct block {
    struct block *next;
    size_t used, size;
    max_align_t data[];
};
struct yaml_file {
    char *name;
    struct block *blocks;
    size_t n_nodes; /* every alias counts the nodes that it stands for */
    const struct yaml_node *root;
};

static const char too_deep[] = "nested too deeply: at most 64 levels";

/* The tree is built as the parser tells its events. */
struct anchor {
    const char *name;
    const struct yaml_node *node; /* NULL while it is being built */
    size_t n_nodes;
    int height;
};
struct builder {
    struct yaml_file *file;
    yaml_parser_t parser;
    struct pair {
        const char *key;
        const struct yaml_node *node;
    } * open; /* entries of the collections that are being built, the innermost last */
    size_t n_open, open_room;
    struct anchor *anchors;
    size_t n_anchors;
};

/* Zeroed, aligned, or NULL. */
static void *take(struct yaml_file *file, size_t size)
{
    size = (size + alignof(max_align_t)) & ~(alignof(max_align_t) - 1);
    struct block *block = file->blocks;
    if (!block || block->size - block->used < size) {
        const size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        if (!(block = calloc(1, sizeof *block + room))) return NULL;
        block->size = room;
        block->next = file->blocks;
        file->blocks = block;
    }
    char *start = (char *)block->data + block->used;
    block->used += size;
    return start;
}

static int no_memory(const struct yaml_file *file, struct error *err)
{
    return error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
}

static int fail_at(struct yaml_file *file, yaml_mark_t mark, struct error *err, const char *what)
{
    error_set(err, ERR_INPUT, "%s:%zu:%zu: %s", file->name, mark.line + 1, mark.column + 1, what);
    return error_at(err, file->name, (long)mark.line + 1, (long)mark.index, NULL);
}

static int next_event(struct builder *b, yaml_event_t *event, struct error *err)
{
    if (yaml_parser_parse(&b->parser, event)) return 0;
    if (b->parser.error == YAML_MEMORY_ERROR) return no_memory(b->file, err);
    return fail_at(b->file, b->parser.problem_mark, err, b->parser.problem ? b->parser.problem : "not YAML");
}

static struct anchor *find_anchor(const struct builder *b, const yaml_char_t *name)
{
    for (size_t i = 0; i < b->n_anchors; i++)
        if (strcmp(b->anchors[i].name, (const char *)name) == 0) return &b->anchors[i];
    return NULL;
}

/* The anchor of the node that begins with `event`; its place is *index (of b->anchors), -1 if it has none. */
static int open_anchor(struct builder *b, const yaml_event_t *event, const yaml_char_t *name, long *index,
                       struct error *err)
{
    *index = -1;
    if (!name) return 0;
    if (find_anchor(b, name)) return fail_at(b->file, event->start_mark, err, "this anchor is given twice");
    struct anchor *anchors = realloc(b->anchors, (b->n_anchors + 1) * sizeof *anchors);
    const size_t length = strlen((const char *)name);
    char *text = take(b->file, length + 1);
    if (anchors) b->anchors = anchors;
    if (!anchors || !text) return no_memory(b->file, err);
    memcpy(text, name, length);
    *index = (long)b->n_anchors;
    b->anchors[b->n_anchors++] = (struct anchor){.name = text};
    return 0;
}

static int resolve_alias(struct builder *b, const yaml_event_t *event, int depth, const struct yaml_node **out,
                         int *height, struct error *err)
{
    const struct anchor *anchor = find_anchor(b, event->data.alias.anchor);
    if (!anchor) return fail_at(b->file, event->start_mark, err, "found undefined alias");
    if (!anchor->node) return fail_at(b->file, event->start_mark, err, "this alias stands inside of its own anchor");
    if (depth + anchor->height > DEPTH_MAX) return fail_at(b->file, event->start_mark, err, too_deep);
    if ((b->file->n_nodes += anchor->n_nodes) > NODES_MAX)
        return fail_at(b->file, event->start_mark, err, "too many nodes");
    *out = anchor->node;
    *height = anchor->height;
    return 0;
}

static int push(struct builder *b, struct pair pair, struct error *err)
{
    if (b->n_open == b->open_room) {
        const size_t room = b->open_room ? 2 * b->open_room : 256;
        struct pair *open = realloc(b->open, room * sizeof *open);
        if (!open) return no_memory(b->file, err);
        b->open = open;
        b->open_room = room;
    }
    b->open[b->n_open++] = pair;
    return 0;
}

static int build(struct builder *b, const yaml_event_t *event, int depth, const struct yaml_node **out, int *height,
                 struct error *err);

/* One entry of a collection whose entries begin at `first`: its key, if it is a map, and its node. */
static int build_entry(struct builder *b, const yaml_event_t *event, int is_map, size_t first, int depth, int *height,
                       struct error *err)
{
    struct pair pair = {0};
    if (!is_map) return build(b, event, depth, &pair.node, height, err) < 0 ? -1 : push(b, pair, err);
    const struct yaml_node *key;
    if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return fail_at(b->file, event->start_mark, err, "a key must be plain text");
    if (build(b, event, depth, &key, height, err) < 0) return -1;
    if (key->kind != YAML_SCALAR) return fail_at(b->file, event->start_mark, err, "a key must be plain text");
    pair.key = key->text;
    if (b->n_open - first == KEYS_MAX) return fail_at(b->file, event->start_mark, err, "a map of more than 8192 keys");
    for (size_t i = first; i < b->n_open; i++)
        if (strcmp(b->open[i].key, pair.key) == 0)
            return fail_at(b->file, event->start_mark, err, "this key is given twice");
    yaml_event_t value;
    if (next_event(b, &value, err) < 0) return -1;
    const int result = build(b, &value, depth, &pair.node, height, err);
    yaml_event_delete(&value);
    return result < 0 ? -1 : push(b, pair, err);
}

static int build_entries(struct builder *b, int is_map, int depth, struct yaml_node *node, int *height,
                         struct error *err)
{
    const size_t first = b->n_open;
    for (int is_over = 0, result = 0; !is_over;) {
        yaml_event_t event;
        if (next_event(b, &event, err) < 0) return -1;
        int below = 0;
        is_over = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        if (!is_over) result = build_entry(b, &event, is_map, first, depth + 1, &below, err);
        yaml_event_delete(&event);
        if (result < 0) return -1;
        if (!is_over && *height < below + 1) *height = below + 1;
    }
    node->kind = is_map ? YAML_MAP : YAML_LIST;
    node->n = b->n_open - first;
    const struct yaml_node **items = take(b->file, node->n * sizeof *items);
    const char **keys = is_map ? take(b->file, node->n * sizeof *keys) : NULL;
    if (!items || (is_map && !keys)) return no_memory(b->file, err);
    for (size_t i = 0; i < node->n; i++) {
        items[i] = b->open[first + i].node;
        if (is_map) keys[i] = b->open[first + i].key;
    }
    node->items = items;
    node->keys = keys;
    b->n_open = first;
    return 0;
}

/* The node that begins with `event`. *height: levels below it. */
static int build(struct builder *b, const yaml_event_t *event, int depth, const struct yaml_node **out, int *height,
                 struct error *err)
{
    struct yaml_file *file = b->file;
    const int is_map = event->type == YAML_MAPPING_START_EVENT, is_scalar = event->type == YAML_SCALAR_EVENT;
    const size_t before = file->n_nodes;
    long anchor;
    *height = 0;
    if (event->type == YAML_ALIAS_EVENT) return resolve_alias(b, event, depth, out, height, err);
    if (depth > DEPTH_MAX) return fail_at(file, event->start_mark, err, too_deep);
    if (++file->n_nodes > NODES_MAX) return fail_at(file, event->start_mark, err, "too many nodes");
    struct yaml_node *node = take(file, sizeof *node);
    if (!node) return no_memory(file, err);
    if (open_anchor(b, event,
                    is_scalar ? event->data.scalar.anchor
                    : is_map  ? event->data.mapping_start.anchor
                              : event->data.sequence_start.anchor,
                    &anchor, err) < 0)
        return -1;
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    if (is_scalar) {
        if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
            return fail_at(file, event->start_mark, err, "a text with a zero byte");
        char *text = take(file, event->data.scalar.length + 1);
        if (!text) return no_memory(file, err);
        memcpy(text, event->data.scalar.value, event->data.scalar.length);
        node->kind = YAML_SCALAR;
        node->text = text;
    } else if (build_entries(b, is_map, depth, node, height, err) < 0) {
        return -1;
    }
    if (anchor >= 0) {
        b->anchors[anchor].node = node;
        b->anchors[anchor].n_nodes = file->n_nodes - before;
        b->anchors[anchor].height = *height;
    }
    *out = node;
    return 0;
}

static int build_file(struct builder *b, struct error *err)
{
    for (int is_over = 0, result = 0; !is_over;) {
        yaml_event_t event;
        int height;
        if (next_event(b, &event, err) < 0) return -1;
        is_over = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && b->file->root)
            result = fail_at(b->file, event.start_mark, err, "a second document begins here: a file is one");
        else if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT &&
                 event.type != YAML_DOCUMENT_END_EVENT && !is_over)
            result = build(b, &event, 0, &b->file->root, &height, err);
        yaml_event_delete(&event);
        if (result < 0) return -1;
    }
    return 0;
}

int yaml_parse(struct yaml_file **out, const char *name, const char *text, size_t size, struct error *err)
{
    *out = NULL;
    struct builder b = {.file = calloc(1, sizeof *b.file)};
    if (!b.file || !(b.file->name = strdup(name)) || !yaml_parser_initialize(&b.parser)) {
        yaml_file_free(b.file);
        return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    }
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, size);
    const int result = build_file(&b, err);
    yaml_parser_delete(&b.parser);
    free(b.open);
    free(b.anchors);
    if (result < 0) yaml_file_free(b.file);
    else *out = b.file;
    return result;
}

int yaml_load(struct yaml_file **out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = NULL;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = yaml_parse(out, path, text, size, err);
    free(text);
    return result;
}

const struct yaml_node *yaml_root(const struct yaml_file *file) { return file->root; }
const char *yaml_name(const struct yaml_file *file) { return file->name; }

void yaml_file_free(struct yaml_file *file)
{
    if (!file) return;
    while (file->blocks) {
        struct block *next = file->blocks->next;
        free(file->blocks);
        file->blocks = next;
    }
    free(file->name);
    free(file);
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_MAP) return NULL;
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->keys[i], key) == 0) return map->items[i];
    return NULL;
}

int yaml_error(const struct yaml_file *file, const struct yaml_node *node, struct error *err, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, ERR_INPUT, "%s:%d:%d: %s", file->name, node ? node->line : 1, node ? node->column : 1, text);
    return error_at(err, file->name, node ? node->line : 1, -1, NULL);
}

int yaml_params(const struct yaml_file *file, const struct yaml_node *map, const struct param_table *table,
                void *params, struct error *err)
{
    if (map->kind != YAML_MAP)
        return yaml_error(file, map, err, "%s: a map of parameters is needed here", table->owner);
    for (size_t i = 0; i < map->n; i++) {
        struct error inner;
        if (map->items[i]->kind != YAML_SCALAR)
            return yaml_error(file, map->items[i], err, "%s: %s needs one value", table->owner, map->keys[i]);
        if (params_set(table, params, map->keys[i], map->items[i]->text, &inner) < 0)
            return yaml_error(file, map->items[i], err, "%s", inner.text);
    }
    return 0;
}
