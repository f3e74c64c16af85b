/* poise kernels NAME...: what a workload's program computes, from about.yaml beside the registry. */
#include "cli/kernel_about.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/terms.h"
#include "poise/workload.h"
#include "poise/yaml.h"

static const struct {
    const char *key, *title;
} parts[] = {{"does", "Algorithm"}, {"access", "Access pattern"}, {"sizes", "Sizes"}, {"differs", "Differs"}};

static int find_program(const struct yaml_file *file, const char *program, const struct yaml_node **out,
                        struct error *err)
{
    const struct yaml_node *list = yaml_get(yaml_root(file), "programs");
    for (size_t i = 0; list && i < list->n; i++) {
        const struct yaml_node *name = yaml_get(list->items[i], "program");
        if (name && name->kind == YAML_SCALAR && strcmp(name->text, program) == 0) {
            *out = list->items[i];
            return 0;
        }
    }
    return error_set(err, ERR_INPUT, "%s: has no program '%s': add an entry", yaml_name(file), program);
}

static void print_about(const struct yaml_node *about, const struct workload *w)
{
    printf("%s: %s\n", w->name, w->doc);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct yaml_node *text = yaml_get(about, parts[i].key);
        if (!text || text->kind != YAML_SCALAR) continue;
        printf("  %-16s", parts[i].title);
        text_wrapped(stdout, text->text, 18, cli_width(true));
    }
}

static json_t *about_json(const struct yaml_node *about, const struct workload *w)
{
    json_t *out = json_pack("{s:s,s:s,s:s}", "name", w->name, "program", w->program, "doc", w->doc);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct yaml_node *text = yaml_get(about, parts[i].key);
        if (text && text->kind == YAML_SCALAR) json_object_set_new(out, parts[i].key, json_string(text->text));
    }
    return out;
}

/* Appended to `list`, or printed where it is NULL. */
static int tell_all(const struct registry *registry, const struct yaml_file *file, const struct texts *names,
                    json_t *list, struct error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        const struct yaml_node *about = NULL;
        const struct workload *w;
        if (registry_find(registry, names->items[i], &w, err) < 0 || find_program(file, w->program, &about, err) < 0)
            return -1;
        if (list) json_array_append_new(list, about_json(about, w));
        else print_about(about, w);
    }
    return 0;
}

int kernel_about(struct cli *cli, const struct texts *names, bool json, struct error *err)
{
    char path[sizeof cli->paths.kernels + sizeof "about.yaml"];
    const char *slash = strrchr(cli->paths.kernels, '/');
    struct registry registry;
    struct yaml_file *file;
    snprintf(path, sizeof path, "%.*sabout.yaml", slash ? (int)(slash + 1 - cli->paths.kernels) : 0,
             cli->paths.kernels);
    if (registry_load(&registry, cli->paths.kernels, err) < 0) return -1;
    json_t *list = json ? json_array() : NULL;
    int result = yaml_load(&file, path, err);
    if (result == 0) {
        result = tell_all(&registry, file, names, list, err);
        yaml_file_free(file);
    }
    registry_fini(&registry);
    if (!list || result < 0) {
        json_decref(list);
        return result;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "kernels", list);
    return cli_print_json(out, err);
}
