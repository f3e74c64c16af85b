/* The points of a tuning: which parameters exist at one, which are allowed, and the one that has given values.
 *
 * A parameter exists where its mechanism is in the stack and where what `when` says of it holds. Points that differ in
 * parameters that do not exist are one: the one whose numbers for these are the first levels stands for all. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/sys/hooks.h"
#include "studies/tune/tune_internal.h"

size_t point_level(const struct axes *axes, size_t point, size_t axis)
{
    for (size_t k = axes->n - 1; k > axis; k--) point /= axes->items[k].n;
    return point % axes->items[axis].n;
}

size_t point_with_level(const struct axes *axes, size_t point, size_t axis, size_t level)
{
    size_t weight = 1;
    for (size_t k = axis + 1; k < axes->n; k++) weight *= axes->items[k].n;
    return point - point_level(axes, point, axis) * weight + level * weight;
}

size_t point_at(const struct axes *axes, const double *x)
{
    size_t point = 0;
    for (size_t i = 0; i < axes->n; i++) {
        const double level = floor(x[i] * (double)axes->items[i].n), last = (double)axes->items[i].n - 1;
        point = point * axes->items[i].n + (size_t)(level < 0 || isnan(level) ? 0 : level > last ? last : level);
    }
    return point;
}

void point_coordinates(const struct axes *axes, size_t point, double *x)
{
    for (size_t i = 0; i < axes->n; i++) x[i] = ((double)point_level(axes, point, i) + 0.5) / (double)axes->items[i].n;
}

double tune_grid_size(const struct tune *tune)
{
    double n = 1;
    for (size_t i = 0; i < tune->axes.n; i++) n *= (double)tune->axes.items[i].n;
    return n;
}

/* ---- what exists ---- */

bool tune_is_on(const char *word)
{
    return strcmp(word, "on") == 0 || strcmp(word, "true") == 0 || strcmp(word, "yes") == 0;
}

bool tune_has_mech(const struct tune *t, size_t point, unsigned mech)
{
    const int axis = t->presence[mech];
    return axis < 0 || tune_is_on(axes_value(&t->axes, point, (size_t)axis));
}

bool tune_is_optional(const struct tune *t, size_t axis)
{
    return t->target[axis] >= 0 && t->presence[t->target[axis]] == (int)axis;
}

bool tune_exists(const struct tune *t, size_t point, size_t axis)
{
    if (t->target[axis] >= 0 && !tune_is_optional(t, axis) && !tune_has_mech(t, point, (unsigned)t->target[axis]))
        return false;
    for (size_t i = 0; i < t->n_whens; i++)
        if (t->when_axis[i] == axis && !condition_holds(&t->whens[i], &t->axes, point)) return false;
    return true;
}

/* The axes that `axis` asks about when it is decided whether it exists, a bit each. */
static uint32_t asks(const struct tune *t, size_t axis)
{
    const int mech = t->target[axis], presence = mech >= 0 ? t->presence[mech] : -1;
    uint32_t bits = presence >= 0 && presence != (int)axis ? 1u << presence : 0;
    for (size_t i = 0; i < t->n_whens; i++) {
        if (t->when_axis[i] != axis) continue;
        if (t->whens[i].left >= 0) bits |= 1u << t->whens[i].left;
        if (t->whens[i].right >= 0) bits |= 1u << t->whens[i].right;
    }
    return bits;
}

bool tune_asks_itself(const struct tune *t, size_t axis)
{
    uint32_t bits = asks(t, axis);
    for (size_t round = 0; round < t->axes.n; round++)
        for (size_t a = 0; a < t->axes.n; a++)
            if (bits >> a & 1) bits |= asks(t, a);
    return bits >> axis & 1;
}

bool tune_exists_nowhere(const struct tune *t, size_t axis)
{
    const uint32_t bits = asks(t, axis);
    double n = 1;
    for (size_t a = 0; a < t->axes.n; a++)
        if (bits >> a & 1) n *= (double)t->axes.items[a].n;
    if (n > COMBINATIONS_MAX) return false; /* too many to look at */
    for (size_t k = 0; k < (size_t)n; k++) {
        size_t point = 0, rest = k;
        for (size_t a = 0; a < t->axes.n; a++) {
            if (!(bits >> a & 1)) continue;
            point = point_with_level(&t->axes, point, a, rest % t->axes.items[a].n);
            rest /= t->axes.items[a].n;
        }
        if (tune_exists(t, point, axis)) return false;
    }
    return true;
}

size_t tune_canonical(const struct tune *t, size_t point)
{
    for (size_t round = 0; round <= t->axes.n; round++) { /* what goes may take others with it */
        const size_t before = point;
        for (size_t a = 0; a < t->axes.n; a++)
            if (!tune_exists(t, point, a)) point = point_with_level(&t->axes, point, a, 0);
        if (point == before) break;
    }
    return point;
}

/* A condition on what does not exist asks nothing. */
static bool holds(const struct tune *t, const struct condition *c, size_t point)
{
    if ((c->left >= 0 && !tune_exists(t, point, (size_t)c->left)) ||
        (c->right >= 0 && !tune_exists(t, point, (size_t)c->right)))
        return true;
    return condition_holds(c, &t->axes, point);
}

static bool is_stack(const struct tune *t, size_t point)
{
    struct mech_spec stack[MECH_STACK_MAX];
    struct error ignored;
    unsigned n = 0;
    for (unsigned k = 0; k < t->n_stack; k++)
        if (tune_has_mech(t, point, k)) stack[n++] = t->stack[k];
    return n == t->n_stack || hooks_check(stack, n, &ignored) == 0;
}

bool tune_allows(const struct tune *t, size_t point)
{
    if (tune_canonical(t, point) != point) return false;
    for (size_t i = 0; i < t->n_conditions; i++)
        if (!holds(t, &t->conditions[i], point)) return false;
    return is_stack(t, point);
}

double tune_space_size(const struct tune *t)
{
    const double grid = tune_grid_size(t);
    size_t n = 0;
    if (grid > COMBINATIONS_MAX) return grid;
    for (size_t p = 0; p < (size_t)grid; p++) n += tune_canonical(t, p) == p;
    return (double)n;
}

json_t *tune_value_json(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *end || end == text               ? json_string(text)
           : v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v)
                                             : json_real(v);
}

/* Parameters that exist there. */
json_t *tune_params_json(const struct tune *t, size_t point)
{
    json_t *out = json_object();
    for (size_t a = 0; a < t->axes.n; a++) {
        if (!tune_exists(t, point, a)) continue;
        json_object_set_new(out, t->axes.items[a].name, tune_value_json(axes_value(&t->axes, point, a)));
    }
    return out;
}

/* ---- points by their values ---- */

/* The mechanism, or the machine, with this value; NULL: as it is. */
static json_t *with_value(const struct tune *t, size_t axis, const char *value)
{
    struct error ignored;
    struct mech_spec copy;
    unsigned n = 0;
    json_t *out = NULL;
    if (t->target[axis] >= 0) {
        if (stack_copy(&copy, &n, &t->stack[t->target[axis]], 1, &ignored) == 0 &&
            (!value || mech_set(&copy, t->key[axis], value, &ignored) == 0))
            out = mech_spec_json(&copy);
        if (n) mech_free(&copy);
    } else {
        struct gpu_params *machine = gpu_params_copy(t->params);
        if (machine && (!value || gpu_params_set(machine, t->key[axis], value, &ignored) == 0))
            out = gpu_params_json(machine);
        gpu_params_free(machine);
    }
    return out;
}

bool tune_is_same(const struct tune *t, size_t axis, const char *a, const char *b)
{
    if (tune_is_optional(t, axis)) return (!a || tune_is_on(a)) == (!b || tune_is_on(b));
    json_t *x = with_value(t, axis, a), *y = with_value(t, axis, b);
    const bool result = x && y && json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return result;
}

bool tune_point_with(const struct tune *t, const char *const *values, size_t *point, size_t *missing)
{
    bool lacks[AXES_MAX] = {false};
    *point = 0;
    for (size_t a = 0; a < t->axes.n; a++) {
        const struct axis *axis = &t->axes.items[a];
        size_t level = 0;
        while (level < axis->n && !tune_is_same(t, a, axis->values[level], values[a])) level++;
        lacks[a] = level == axis->n;
        *point = *point * axis->n + (lacks[a] ? 0 : level);
    }
    for (*missing = 0; *missing < t->axes.n; ++*missing)
        if (lacks[*missing] && tune_exists(t, *point, *missing)) return false;
    *point = tune_canonical(t, *point);
    return tune_allows(t, *point);
}

bool tune_own_point(const struct tune *t, size_t *point, size_t *missing)
{
    static const char *const own[AXES_MAX] = {NULL};
    return tune_point_with(t, own, point, missing);
}
