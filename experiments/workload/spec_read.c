#include "workload/spec_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "poise/text.h"

int spec_keys(const struct yaml_file *file, const struct yaml_node *map, const char *const *known, size_t n_known,
              struct error *err)
{
    if (!map || map->kind != YAML_MAP) return yaml_error(file, map, err, "a map is needed here (key: value)");
    for (size_t i = 0; i < map->n; i++) {
        bool is_known = false;
        for (size_t k = 0; k < n_known; k++) is_known |= strcmp(known[k], map->keys[i]) == 0;
        if (is_known) continue;
        return yaml_error(file, map->items[i], err, "no key '%s' here%s", map->keys[i],
                          did_you_mean(map->keys[i], known, n_known, sizeof *known).text);
    }
    return 0;
}

static const struct yaml_node *scalar(const struct yaml_file *file, const struct yaml_node *map, const char *key,
                                      bool needed, int *result, struct error *err)
{
    const struct yaml_node *node = yaml_get(map, key);
    *result = 0;
    if (!node && needed) *result = yaml_error(file, map, err, "'%s' is missing", key);
    if (node && node->kind != YAML_SCALAR) *result = yaml_error(file, node, err, "'%s' needs one value", key);
    return *result < 0 ? NULL : node;
}

/* What a terminal takes for a command is in no text of a spec; lines and tabs may be. */
static int check_text(const struct yaml_file *file, const struct yaml_node *node, struct error *err)
{
    return text_has_control(node->text)
               ? yaml_error(file, node, err, "'%s' has a control character: take it out", node->text)
               : 0;
}

int spec_text(const struct yaml_file *file, const struct yaml_node *map, const char *key, bool needed, char *out,
              size_t size, struct error *err)
{
    int result;
    const struct yaml_node *node = scalar(file, map, key, needed, &result, err);
    if (!node) return result;
    if (!*node->text) return yaml_error(file, node, err, "'%s' is empty: give it a value, or leave it out", key);
    if (strlen(node->text) >= size) return yaml_error(file, node, err, "'%s' is longer than %zu bytes", key, size - 1);
    snprintf(out, size, "%s", node->text);
    return check_text(file, node, err);
}

int spec_name(const struct yaml_file *file, const struct yaml_node *map, const char *key, char *out, size_t size,
              struct error *err)
{
    if (spec_text(file, map, key, true, out, size, err) < 0) return -1;
    const char *problem = name_problem(out);
    return problem ? yaml_error(file, yaml_get(map, key), err, "'%s': the %s %s", out, key, problem) : 0;
}

int spec_whole(const struct yaml_file *file, const struct yaml_node *node, int64_t min, int64_t max, int64_t *out,
               struct error *err)
{
    if (node->kind != YAML_SCALAR) return yaml_error(file, node, err, "a whole number is needed here");
    char *end;
    errno = 0;
    const long long v = strtoll(node->text, &end, 10);
    if (end == node->text || *end || errno)
        return yaml_error(file, node, err, "'%s' is not a whole number", node->text);
    if (v < min || v > max)
        return yaml_error(file, node, err, "%lld is out of range: allowed %" PRId64 " .. %" PRId64, v, min, max);
    *out = v;
    return 0;
}

int spec_u64(const struct yaml_file *file, const struct yaml_node *map, const char *key, bool needed, uint64_t min,
             uint64_t max, uint64_t *out, struct error *err)
{
    int result;
    const struct yaml_node *node = scalar(file, map, key, needed, &result, err);
    if (!node) return result;
    int64_t v = 0;
    const int64_t top = max > INT64_MAX ? INT64_MAX : (int64_t)max;
    if (spec_whole(file, node, (int64_t)min, top, &v, err) < 0) return -1;
    *out = (uint64_t)v;
    return 0;
}

int spec_f64(const struct yaml_file *file, const struct yaml_node *map, const char *key, double min, double max,
             double *out, struct error *err)
{
    int result;
    const struct yaml_node *node = scalar(file, map, key, false, &result, err);
    if (!node) return result;
    char *end;
    const double v = strtod(node->text, &end);
    if (end == node->text || *end) return yaml_error(file, node, err, "'%s' is not a number", node->text);
    if (!(v >= min && v <= max)) return yaml_error(file, node, err, "%s = %g: allowed %g .. %g", key, v, min, max);
    *out = v;
    return 0;
}

int spec_texts(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err)
{
    *n = 0;
    if (node->kind == YAML_SCALAR) {
        out[(*n)++] = node->text;
        return check_text(file, node, err);
    }
    if (node->kind != YAML_LIST) return yaml_error(file, node, err, "a value or a list of values is needed here");
    if (node->n > max) return yaml_error(file, node, err, "%zu values: at most %zu", node->n, max);
    for (size_t i = 0; i < node->n; i++) {
        if (node->items[i]->kind != YAML_SCALAR)
            return yaml_error(file, node->items[i], err, "one value is needed here");
        if (check_text(file, node->items[i], err) < 0) return -1;
        out[(*n)++] = node->items[i]->text;
    }
    return 0;
}

int spec_mechs(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err)
{
    if (spec_texts(file, node, out, max, n, err) < 0) return -1;
    return *n ? 0 : yaml_error(file, node, err, "a mechanism is needed here, as gto");
}

int spec_names(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err)
{
    if (spec_texts(file, node, out, max, n, err) < 0) return -1;
    for (size_t i = 0; i < *n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(out[i], out[k]) == 0)
                return yaml_error(file, node->items[i], err, "'%s' is in the list twice", out[i]);
    return 0;
}
