/* `plugins:` of specs whose runs have mechanisms and machines. */
#include <string.h>
#include <unistd.h>
#include "poise/plugin.h"
#include "workload/spec_read.h"

enum { PLUGINS_MAX = 32 };

/* What mechanisms and machines of the spec may name: files beside it or in the current folder. */
int spec_plugins(const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *node = yaml_get(yaml_root(file), "plugins");
    const char *paths[PLUGINS_MAX], *name = yaml_name(file), *slash = strrchr(name, '/');
    size_t n = 0;
    struct error why;
    if (node && spec_texts(file, node, paths, COUNT_OF(paths), &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++) {
        char beside[4096];
        snprintf(beside, sizeof beside, "%.*s%s", slash && *paths[i] != '/' ? (int)(slash + 1 - name) : 0, name,
                 paths[i]);
        if (plugin_load(access(beside, F_OK) == 0 ? beside : paths[i], &why) < 0)
            return yaml_error(file, node, err, "%s", why.text), error_at(err, name, node->line, -1, why.hint);
    }
    return 0;
}
