#include "poise/spec_format.h"

#include <string.h>
#include "poise/table.h"
#include "poise/yaml.h"
#include "workload/spec_read.h"

enum { KEYS_MAX = 64, SPEC_DOC_MAX = 65536 };

const struct spec_format *const spec_formats[] = {&spec_format_sweep, &spec_format_tune,  &spec_format_pipeline,
                                                  &spec_format_cv,    &spec_format_suite, &spec_format_hardware,
                                                  &spec_format_choice};
const size_t n_spec_formats = COUNT_OF(spec_formats);

int spec_check(const struct yaml_file *file, const struct yaml_node *map, const struct spec_format *format,
               const char *prefix, struct error *err)
{
    const char *keys[KEYS_MAX];
    const size_t length = strlen(prefix);
    size_t n = 0;
    for (size_t i = 0; i < format->n_rows && n < KEYS_MAX; i++) {
        const char *key = format->rows[i].key;
        if (strncmp(key, prefix, length) == 0 && !strpbrk(key + length, ".:")) keys[n++] = key + length;
    }
    for (size_t i = 0; *prefix == '\0' && i < COUNT_OF(format->old) && format->old[i] && n < KEYS_MAX; i++)
        keys[n++] = format->old[i];
    return spec_keys(file, map, keys, n, err);
}

/* The command that reads specs of a kind; NULL: there is none. */
static const char *command_of(const char *kind)
{
    for (size_t i = 0; i < n_spec_formats; i++)
        if (strcmp(spec_formats[i]->kind, kind) == 0) return spec_formats[i]->command;
    return strcmp(kind, "repro") == 0 ? "repro" : NULL;
}

static int refuse_kind(const struct yaml_file *file, const struct yaml_node *node, const struct spec_format *format,
                       struct error *err)
{
    const char *command = command_of(node->text), *kinds[16];
    if (command) {
        yaml_error(file, node, err, "kind '%s': 'poise %s' reads this spec; poise %s reads kind %s", node->text,
                   command, format->command, format->kind);
        return error_at(err, yaml_name(file), node->line, -1,
                        strcmp(command, "repro") == 0 ? "poise repro --list has the IDs of studies" : NULL);
    }
    for (size_t i = 0; i < n_spec_formats; i++) kinds[i] = spec_formats[i]->kind;
    return yaml_error(file, node, err, "kind '%s': poise %s reads kind %s%s", node->text, format->command, format->kind,
                      did_you_mean(node->text, kinds, n_spec_formats, sizeof *kinds).text);
}

/* A configuration of the machine instead of a spec. */
static bool is_machine(const struct yaml_node *root)
{
    return !yaml_get(root, "kind") && !yaml_get(root, "schema") &&
           (yaml_get(root, "base") || yaml_get(root, "core") || yaml_get(root, "l1"));
}

int spec_of_other_command(const char *path, const char *here, struct error *err)
{
    struct yaml_file *file;
    if (yaml_load(&file, path, err) < 0) return -1;
    const struct yaml_node *kind = yaml_get(yaml_root(file), "kind");
    const char *command = kind && kind->kind == YAML_SCALAR ? command_of(kind->text) : NULL;
    const bool is_other = command && strcmp(command, here) != 0;
    if (is_other) yaml_error(file, kind, err, "kind '%s': 'poise %s' reads this spec", kind->text, command);
    yaml_file_free(file);
    return is_other;
}

int spec_begin(const struct yaml_file *file, const struct spec_format *format, struct error *err)
{
    const struct yaml_node *root = yaml_root(file), *kind = yaml_get(root, "kind");
    uint64_t schema;
    char text[32], doc[SPEC_DOC_MAX];
    if (!root || root->kind != YAML_MAP) return yaml_error(file, root, err, "a map is needed here (key: value)");
    if (is_machine(root))
        return yaml_error(file, root, err,
                          "this is a configuration of the machine, not a spec: a spec names it, as config: FILE.yaml");
    if (kind && kind->kind == YAML_SCALAR && strcmp(kind->text, format->kind) != 0)
        return refuse_kind(file, kind, format, err);
    return spec_check(file, root, format, "", err) < 0 ||
                   spec_u64(file, root, "schema", true, 1, 1, &schema, err) < 0 ||
                   spec_text(file, root, "doc", false, doc, sizeof doc, err) < 0
               ? -1
               : spec_text(file, root, "kind", true, text, sizeof text, err);
}

/* ---- for readers ---- */

static void print_rows(const struct spec_format *format, FILE *out)
{
    for (size_t i = 0; i < format->n_rows; i++) {
        const struct spec_row *row = &format->rows[i];
        fprintf(out, "  %-22s %s%s%s%s\n", row->key, row->value, *row->otherwise ? " (" : "", row->otherwise,
                *row->otherwise ? ")" : "");
        fprintf(out, "  %-22s   %s\n", "", row->doc);
    }
}

void spec_format_print(const struct spec_format *format, FILE *out)
{
    if (format->command)
        fprintf(out, "poise %s SPEC.yaml, kind: %s\n%s\n\n", format->command, format->kind, format->doc);
    else fprintf(out, "%s\n", format->doc);
    print_rows(format, out);
    for (size_t i = 0; i < COUNT_OF(format->parts) && format->parts[i]; i++) {
        fputc('\n', out);
        spec_format_print(format->parts[i], out);
    }
    if (format->example)
        fprintf(out, "\nExample ('poise %s --example' prints it so that it runs):\n\n%s", format->command,
                format->example);
}

void spec_format_example(const struct spec_format *format, const char *datasets, FILE *out)
{
    static const char word[] = "@datasets";
    const char *text = format->example;
    for (const char *at; (at = strstr(text, word)); text = at + sizeof word - 1)
        fprintf(out, "%.*s%s", (int)(at - text), text, datasets);
    fputs(text, out);
}
