#include "studies/sweep/sweep_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"

/* Whole ends give whole values, each once: 1 .. 24 in 6 points is 1 2 4 7 13 24. */
static int axis_log(struct axis *axis, double from, double to, uint64_t points)
{
    const bool is_whole = from == floor(from) && to == floor(to);
    for (uint64_t k = 0; k < points; k++) {
        const double exact = k + 1 == points ? to : from * pow(to / from, (double)k / (double)(points - 1));
        number_text(is_whole ? round(exact) : exact, axis->values[axis->n], sizeof *axis->values);
        if (axis->n == 0 || strcmp(axis->values[axis->n], axis->values[axis->n - 1]) != 0) axis->n++;
    }
    return 0;
}

static int axis_range(struct axis *axis, const struct yaml_file *file, const struct yaml_node *map, struct error *err)
{
    double from = NAN, to = NAN, step = 1, times = 0;
    uint64_t points = 0;
    if (spec_check(file, map, &spec_format_axes, "", err) < 0 ||
        spec_f64(file, map, "from", -1e15, 1e15, &from, err) < 0 ||
        spec_f64(file, map, "to", -1e15, 1e15, &to, err) < 0 ||
        spec_f64(file, map, "step", 1e-9, 1e15, &step, err) < 0 ||
        spec_f64(file, map, "times", 1.000001, 1e9, &times, err) < 0 ||
        spec_u64(file, map, "points", false, 2, AXIS_VALUES_MAX, &points, err) < 0)
        return -1;
    if (isnan(from) || isnan(to))
        return yaml_error(file, map, err, "axis %s: a range needs 'from' and 'to'", axis->name);
    if (from > to) return yaml_error(file, map, err, "axis %s: from %g is above to %g", axis->name, from, to);
    if (times > 0 && from <= 0)
        return yaml_error(file, map, err, "axis %s: a range with 'times' starts above 0", axis->name);
    if (points && (from <= 0 || times > 0))
        return yaml_error(file, map, err,
                          "axis %s: 'points' are spaced evenly in the logarithm: from above 0, without 'times'",
                          axis->name);
    axis->values = calloc(AXIS_VALUES_MAX, sizeof *axis->values);
    if (!axis->values) return error_set(err, ERR_MEMORY, "out of memory for axis %s", axis->name);
    if (points) return axis_log(axis, from, to, points);
    double v = from;
    for (size_t k = 0; v <= to * (1 + 1e-12) + 1e-12; k++, v = times > 0 ? v * times : from + (double)k * step) {
        if (axis->n == AXIS_VALUES_MAX)
            return yaml_error(file, map, err, "axis %s: more than %d values", axis->name, AXIS_VALUES_MAX);
        number_text(v, axis->values[axis->n++], sizeof *axis->values);
    }
    return 0;
}

bool axes_same_value(const char *a, const char *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return strcmp(a, b) == 0 || (end_a != a && end_b != b && !*end_a && !*end_b && x == y);
}

/* As conditions compare it, which would drop its points in silence. */
static bool is_infinite(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return end != text && !*end && !isfinite(v);
}

static int axis_list(struct axis *axis, const struct yaml_file *file, const struct yaml_node *node, struct error *err)
{
    const size_t n = node->kind == YAML_SCALAR ? 1 : node->n;
    if (n == 0) return yaml_error(file, node, err, "axis %s has no values", axis->name);
    if (n > AXIS_VALUES_MAX)
        return yaml_error(file, node, err, "axis %s: more than %d values", axis->name, AXIS_VALUES_MAX);
    axis->values = calloc(n, sizeof *axis->values);
    if (!axis->values) return error_set(err, ERR_MEMORY, "out of memory for axis %s", axis->name);
    for (size_t i = 0; i < n; i++) {
        const struct yaml_node *value = node->kind == YAML_SCALAR ? node : node->items[i];
        if (value->kind != YAML_SCALAR)
            return yaml_error(file, value, err, "axis %s: one value is needed here", axis->name);
        if (strlen(value->text) >= sizeof *axis->values)
            return yaml_error(file, value, err, "axis %s: this value is too long", axis->name);
        if (!*value->text || is_infinite(value->text))
            return yaml_error(file, value, err, "axis %s: '%s' is no value", axis->name, value->text);
        snprintf(axis->values[axis->n], sizeof *axis->values, "%s", value->text);
        for (size_t k = 0; k < axis->n; k++)
            if (axes_same_value(axis->values[k], axis->values[axis->n]))
                return yaml_error(file, value, err, "axis %s has the value %s twice", axis->name, axis->values[k]);
        axis->n++;
    }
    return 0;
}

int axes_read_each(struct axes *out, const struct yaml_file *file, const struct yaml_node *map, double combinations_max,
                   struct error *err)
{
    double combinations = 1;
    *out = (struct axes){0};
    if (!map) return 0;
    if (map->kind != YAML_MAP) return yaml_error(file, map, err, "axes are a map: name: [values]");
    if (map->n > AXES_MAX) return yaml_error(file, map, err, "%zu axes: at most %d", map->n, AXES_MAX);
    for (size_t i = 0; i < map->n; i++) {
        struct axis *axis = &out->items[out->n++];
        *axis = (struct axis){.name = map->keys[i], .node = map->items[i]};
        const int result = map->items[i]->kind == YAML_MAP ? axis_range(axis, file, map->items[i], err)
                                                           : axis_list(axis, file, map->items[i], err);
        if (result < 0) return -1;
        combinations *= (double)axis->n;
        if (combinations > combinations_max)
            return yaml_error(file, map->items[i], err, "more than %.15g combinations", combinations_max);
    }
    return 0;
}

int axes_read(struct axes *out, const struct yaml_file *file, const struct yaml_node *map, struct error *err)
{
    return axes_read_each(out, file, map, COMBINATIONS_MAX, err);
}

void axes_fini(struct axes *axes)
{
    for (size_t i = 0; i < axes->n; i++) free(axes->items[i].values);
    axes->n = 0;
}

size_t axes_combinations(const struct axes *axes)
{
    size_t n = 1;
    for (size_t i = 0; i < axes->n; i++) n *= axes->items[i].n;
    return n;
}

const char *axes_value(const struct axes *axes, size_t c, size_t i)
{
    for (size_t k = axes->n - 1; k > i; k--) c /= axes->items[k].n;
    return axes->items[i].values[c % axes->items[i].n];
}

static int operand(const char *text, size_t length, const struct axes *axes, int *index, double *value)
{
    char name[64];
    if (length == 0 || length >= sizeof name) return -1;
    memcpy(name, text, length);
    name[length] = '\0';
    *index = -1;
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->items[i].name, name) == 0) *index = (int)i;
    if (*index >= 0) return 0;
    char *end;
    *value = strtod(name, &end);
    return end == name || *end ? -1 : 0;
}

/* A word that is a value of the axis on the left. */
static bool is_word_of(struct condition *out, const struct axes *axes, const char *text, size_t length)
{
    if (out->left < 0 || (out->op != OP_EQ && out->op != OP_NE) || length == 0 || length >= sizeof out->word)
        return false;
    const struct axis *axis = &axes->items[out->left];
    snprintf(out->word, sizeof out->word, "%.*s", (int)length, text);
    for (size_t i = 0; i < axis->n; i++)
        if (strcmp(axis->values[i], out->word) == 0) return true;
    return false;
}

int condition_read(struct condition *out, const struct axes *axes, const struct yaml_file *file,
                   const struct yaml_node *node, struct error *err)
{
    static const struct {
        const char *text;
        enum condition_op op;
    } ops[] = {{"<=", OP_LE}, {">=", OP_GE}, {"==", OP_EQ}, {"!=", OP_NE}, {"<", OP_LT}, {">", OP_GT}};
    if (node->kind != YAML_SCALAR) return yaml_error(file, node, err, "a condition such as 'p <= N' is needed here");
    const char *at = strpbrk(node->text, "<>=!");
    for (size_t i = 0; at && i < COUNT_OF(ops); i++) {
        if (strncmp(at, ops[i].text, strlen(ops[i].text)) != 0) continue;
        const char *right = at + strlen(ops[i].text) + strspn(at + strlen(ops[i].text), " ");
        const char *left = node->text + strspn(node->text, " ");
        size_t n_left = (size_t)(at - left), n_right = strlen(right);
        while (n_left && left[n_left - 1] == ' ') n_left--;
        while (n_right && right[n_right - 1] == ' ') n_right--;
        *out = (struct condition){.op = ops[i].op};
        if (operand(left, n_left, axes, &out->left, &out->left_value) == 0 &&
            (operand(right, n_right, axes, &out->right, &out->right_value) == 0 ||
             is_word_of(out, axes, right, n_right)))
            return 0;
        break;
    }
    return yaml_error(file, node, err, "'%s': a condition compares %s or numbers, as in '%s'", node->text,
                      axes->what ? axes->what : "axes of this stack", axes->example ? axes->example : "p <= N");
}

int conditions_read(struct condition *out, size_t *n, const struct axes *axes, const struct yaml_file *file,
                    const struct yaml_node *node, struct error *err)
{
    *n = 0;
    if (!node) return 0;
    if (node->kind != YAML_LIST) {
        *n = 1;
        return condition_read(out, axes, file, node, err);
    }
    if (node->n > CONDITIONS_MAX)
        return yaml_error(file, node, err, "%zu conditions: at most %d", node->n, CONDITIONS_MAX);
    for (size_t i = 0; i < node->n; i++)
        if (condition_read(&out[(*n)++], axes, file, node->items[i], err) < 0) return -1;
    return 0;
}

static double side(const struct axes *axes, size_t c, int index, double value)
{
    return index < 0 ? value : strtod(axes_value(axes, c, (size_t)index), NULL);
}

bool condition_holds(const struct condition *condition, const struct axes *axes, size_t c)
{
    if (*condition->word)
        return (strcmp(axes_value(axes, c, (size_t)condition->left), condition->word) == 0) == (condition->op == OP_EQ);
    const double l = side(axes, c, condition->left, condition->left_value);
    const double r = side(axes, c, condition->right, condition->right_value);
    switch (condition->op) {
    case OP_LE: return l <= r;
    case OP_LT: return l < r;
    case OP_GE: return l >= r;
    case OP_GT: return l > r;
    case OP_EQ: return l == r;
    case OP_NE: return l != r;
    }
    return false;
}

bool conditions_hold(const struct condition *conditions, size_t n, const struct axes *axes, size_t c)
{
    for (size_t i = 0; i < n; i++)
        if (!condition_holds(&conditions[i], axes, c)) return false;
    return true;
}
