#include "poise/yaml.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "poise/file.h"

/* Nodes live in a list of blocks owned by the file. Depth and counts are bounded: an alias bomb is an error, and
 * nothing takes quadratic time in the size of the file. */
enum { DEPTH_MAX = 64, NODES_MAX = 1 << 20, KEYS_MAX = 1 << 13 };
struct block {
    struct block *next;
    max_align_t data[];
};
struct yaml_file {
    char *name;
    struct block *blocks;
    size_t n_nodes;
    const struct yaml_node *root;
};

static void *take(struct yaml_file *file, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size + 1);
    if (!block) return NULL;
    block->next = file->blocks;
    file->blocks = block;
    return block->data;
}

static char *copy_text(struct yaml_file *file, const yaml_node_t *from)
{
    char *text = take(file, from->data.scalar.length + 1);
    if (text) memcpy(text, from->data.scalar.value, from->data.scalar.length);
    return text;
}

static int fail_at(struct yaml_file *file, yaml_mark_t mark, struct error *err, const char *what)
{
    error_set(err, ERR_INPUT, "%s:%zu:%zu: %s", file->name, mark.line + 1, mark.column + 1, what);
    return error_at(err, file->name, (long)mark.line + 1, (long)mark.index, NULL);
}

static int convert(struct yaml_file *file, yaml_document_t *doc, int id, int depth, const struct yaml_node **out,
                   struct error *err);

static int convert_items(struct yaml_file *file, yaml_document_t *doc, const yaml_node_t *from, struct yaml_node *node,
                         int depth, struct error *err)
{
    const int is_map = from->type == YAML_MAPPING_NODE;
    const size_t n = is_map ? (size_t)(from->data.mapping.pairs.top - from->data.mapping.pairs.start)
                            : (size_t)(from->data.sequence.items.top - from->data.sequence.items.start);
    const struct yaml_node **items = take(file, n * sizeof *items);
    const char **keys = take(file, n * sizeof *keys);
    if (is_map && n > KEYS_MAX) return fail_at(file, from->start_mark, err, "a map of more than 8192 keys");
    if (!items || !keys) return error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
    for (size_t i = 0; i < n; i++) {
        if (is_map) {
            const yaml_node_t *key = yaml_document_get_node(doc, from->data.mapping.pairs.start[i].key);
            if (key->type != YAML_SCALAR_NODE) return fail_at(file, key->start_mark, err, "a key must be plain text");
            if (!(keys[i] = copy_text(file, key))) return error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
            for (size_t k = 0; k < i; k++)
                if (strcmp(keys[k], keys[i]) == 0)
                    return fail_at(file, key->start_mark, err, "this key is given twice");
        }
        const int child = is_map ? from->data.mapping.pairs.start[i].value : from->data.sequence.items.start[i];
        if (convert(file, doc, child, depth + 1, &items[i], err) < 0) return -1;
    }
    node->kind = is_map ? YAML_MAP : YAML_LIST;
    node->n = n;
    node->items = items;
    node->keys = keys;
    return 0;
}

static int convert(struct yaml_file *file, yaml_document_t *doc, int id, int depth, const struct yaml_node **out,
                   struct error *err)
{
    const yaml_node_t *from = yaml_document_get_node(doc, id);
    if (depth > DEPTH_MAX) return fail_at(file, from->start_mark, err, "nested too deeply: at most 64 levels");
    if (++file->n_nodes > NODES_MAX) return fail_at(file, from->start_mark, err, "too many nodes");
    struct yaml_node *node = take(file, sizeof *node);
    if (!node) return error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
    node->line = (int)from->start_mark.line + 1;
    node->column = (int)from->start_mark.column + 1;
    *out = node;
    if (from->type != YAML_SCALAR_NODE) return convert_items(file, doc, from, node, depth, err);
    node->kind = YAML_SCALAR;
    node->text = copy_text(file, from);
    return node->text ? 0 : error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
}

/* libyaml's time grows with the square of the depth of [ and {: what is too deep is found as it comes, before the
 * document is loaded. So is what follows the document, which the loader would not look at. */
static int check_events(struct yaml_file *file, const char *text, size_t size, struct error *err)
{
    yaml_parser_t parser;
    int depth = -1, result = 0; /* the document itself is depth 0 */
    if (!yaml_parser_initialize(&parser)) return error_set(err, ERR_MEMORY, "%s: out of memory", file->name);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    for (bool is_over = false, has_document = false; !is_over && result == 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) { /* of the document itself it is said by the loader */
            if (has_document)
                result = fail_at(file, parser.problem_mark, err, parser.problem ? parser.problem : "not YAML");
            break;
        }
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        is_over = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && has_document)
            result = fail_at(file, event.start_mark, err, "a second document begins here: a file is one");
        has_document |= event.type == YAML_DOCUMENT_END_EVENT;
        if (depth > DEPTH_MAX) result = fail_at(file, event.start_mark, err, "nested too deeply: at most 64 levels");
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return result;
}

int yaml_parse(struct yaml_file **out, const char *name, const char *text, size_t size, struct error *err)
{
    *out = NULL;
    struct yaml_file *file = calloc(1, sizeof *file);
    if (!file || !(file->name = strdup(name))) {
        free(file);
        return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    }
    yaml_parser_t parser;
    yaml_document_t doc;
    if (check_events(file, text, size, err) < 0) {
        yaml_file_free(file);
        return -1;
    }
    if (!yaml_parser_initialize(&parser)) {
        yaml_file_free(file);
        return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int result = 0;
    if (!yaml_parser_load(&parser, &doc)) {
        result = fail_at(file, parser.problem_mark, err, parser.problem ? parser.problem : "not YAML");
    } else {
        if (yaml_document_get_root_node(&doc)) result = convert(file, &doc, 1, 0, &file->root, err);
        yaml_document_delete(&doc);
    }
    yaml_parser_delete(&parser);
    if (result < 0) yaml_file_free(file);
    else *out = file;
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
