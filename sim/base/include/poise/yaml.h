/* A YAML file as a tree whose nodes know their line and column, so that every complaint can say where. */
#ifndef POISE_YAML_H
#define POISE_YAML_H
#include <stddef.h>
#include "poise/error.h"
#include "poise/table.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };
struct yaml_node {
    enum yaml_kind kind;
    int line, column;                     /* 1-based */
    const char *text;                     /* YAML_SCALAR */
    const char *const *keys;              /* YAML_MAP: n names */
    const struct yaml_node *const *items; /* YAML_LIST and YAML_MAP: n nodes */
    size_t n;
};
struct yaml_file; /* owns every node and string */

int yaml_load(struct yaml_file **out, const char *path, struct error *err);
/* `name` is what errors call the text. */
int yaml_parse(struct yaml_file **out, const char *name, const char *text, size_t size, struct error *err);
const struct yaml_node *yaml_root(const struct yaml_file *file); /* NULL for an empty document */
const char *yaml_name(const struct yaml_file *file);
void yaml_file_free(struct yaml_file *file); /* accepts NULL */

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key); /* NULL if absent or not a map */
/* An error that names file, line and column of `node`. Returns -1. */
int yaml_error(const struct yaml_file *file, const struct yaml_node *node, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets parameters from a map of scalars; errors name the line. */
int yaml_params(const struct yaml_file *file, const struct yaml_node *map, const struct param_table *table,
                void *params, struct error *err);
#endif
