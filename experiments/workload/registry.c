/* The registry as commands see it: the list of our workloads, and the programs of the suites that are here. */
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/suite.h"
#include "poise/table.h"

int registry_load(struct registry *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = (struct registry){0};
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "the list of workloads");
    int result = registry_parse(out, path, text, size, err);
    free(text);
    if (result < 0) return -1;
    result = suites_register(out, err);
    if (result < 0) registry_fini(out);
    return result;
}

int registry_find(const struct registry *registry, const char *name, const struct workload **out, struct error *err)
{
    const char *names[256];
    size_t n = 0;
    for (size_t i = 0; i < registry->n; i++) {
        if (strcmp(registry->workloads[i].name, name) == 0) {
            *out = &registry->workloads[i];
            return 0;
        }
        if (n < COUNT_OF(names)) names[n++] = registry->workloads[i].name;
    }
    if (strchr(name, '/')) return suite_explain(name, err);
    error_set(err, ERR_INPUT, "no kernel '%s'%s", name, did_you_mean(name, names, n, sizeof *names).text);
    return error_at(err, NULL, 0, -1, "'poise kernels' lists them");
}
