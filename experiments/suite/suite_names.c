/* What papers call programs: a map of names to patterns. */
#include <stdlib.h>
#include <string.h>
#include "poise/table.h"
#include "suite/suite_internal.h"
#include "workload/spec_read.h"

int suite_names_read(struct suite_names *out, const struct yaml_file *file, const struct yaml_node *map,
                     struct error *err)
{
    *out = (struct suite_names){0};
    if (!map) return 0;
    if (map->kind != YAML_MAP)
        return yaml_error(file, map, err, "names: a map of a paper's names to programs is needed");
    if (!(out->items = calloc(map->n + 1, sizeof *out->items))) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < map->n; i++) {
        struct suite_name *name = &out->items[out->n++];
        const struct yaml_node *node = map->items[i];
        const char *patterns[COUNT_OF(name->patterns)];
        if (strlen(map->keys[i]) >= sizeof name->paper)
            return yaml_error(file, node, err, "names: '%s' is too long", map->keys[i]);
        snprintf(name->paper, sizeof name->paper, "%s", map->keys[i]);
        if (spec_texts(file, node, patterns, COUNT_OF(patterns), &name->n, err) < 0) return -1;
        for (size_t k = 0; k < name->n; k++) {
            if (!*patterns[k] || strlen(patterns[k]) >= sizeof *name->patterns)
                return yaml_error(file, node, err, "names: '%s' is no pattern of 1 to %zu bytes", patterns[k],
                                  sizeof *name->patterns - 1);
            snprintf(name->patterns[k], sizeof *name->patterns, "%s", patterns[k]);
        }
    }
    return 0;
}
