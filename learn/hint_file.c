#include "poise/hint_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/file.h"

#define HINT "'poise hint --json' writes such a file; learn/include/poise/hint_file.h describes it"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)
enum { WARPS_MAX = 64, LOG_MAX = 20, LAUNCHES_MAX = 1 << 20 };

/* A whole number that may be absent: it stays as it is. */
static int get_whole(uint64_t *out, const json_t *object, const char *key, uint64_t low, uint64_t high,
                     const char *file, struct error *err)
{
    const json_t *item = json_object_get(object, key);
    if (!item) return 0;
    const json_int_t v = json_integer_value(item);
    if (!json_is_integer(item) || v < 0 || (uint64_t)v < low || (uint64_t)v > high)
        return bad(err, file, key, "must be a whole number from %llu to %llu", (unsigned long long)low,
                   (unsigned long long)high);
    *out = (uint64_t)v;
    return 0;
}

static int get_tuple(struct response_tuple *out, const json_t *object, const char *key, const char *file,
                     struct error *err)
{
    uint64_t N = 0, p = 0;
    if (!json_is_object(object)) return bad(err, file, key, "is missing, or no object");
    if (get_whole(&N, object, "N", 1, WARPS_MAX, file, err) < 0 ||
        get_whole(&p, object, "p", 1, WARPS_MAX, file, err) < 0)
        return error_while(err, "%s", key);
    if (N == 0 || p == 0 || p > N) return bad(err, file, key, "needs N and p with 1 <= p <= N");
    *out = (struct response_tuple){(uint32_t)N, (uint32_t)p};
    return 0;
}

/* -HUGE_VAL and the like are written as null. */
static int get_speedup(struct hint_tuple *out, const json_t *row, const char *file, struct error *err)
{
    const json_t *item = json_object_get(row, "log_speedup");
    const double v = json_is_null(item) ? -LOG_MAX : json_number_value(item);
    if (!json_is_null(item) && (!json_is_number(item) || !isfinite(v)))
        return bad(err, file, "surface", "a row without the number log_speedup");
    out->z = (int32_t)lrint(fmin(fmax(v, -LOG_MAX), LOG_MAX) * (1 << RESPONSE_FRACTION_BITS));
    const char *admit = json_string_value(json_object_get(row, "admit"));
    out->is_gang = admit && strcmp(admit, "gang") == 0;
    return 0;
}

static int get_response(struct launch_hint *out, const json_t *list, const char *file, struct error *err)
{
    size_t i;
    const json_t *row;
    if (list && (!json_is_array(list) || json_array_size(list) > HINT_TUPLES_MAX))
        return bad(err, file, "surface", "must be a list of at most %d tuples", HINT_TUPLES_MAX);
    json_array_foreach(list, i, row) {
        if (get_tuple(&out->response[i].at, row, "surface", file, err) < 0 ||
            get_speedup(&out->response[i], row, file, err) < 0)
            return -1;
        out->n++;
    }
    return 0;
}

/* Half an interval of so many percent of a normal distribution, in standard deviations: close enough from 50 to 99. */
static double half_width(double percent)
{
    static const double at[][2] = {{50, 0.674}, {68, 0.994}, {80, 1.282}, {90, 1.645}, {95, 1.960}, {99, 2.576}};
    size_t i = 1;
    while (i + 1 < sizeof at / sizeof *at && at[i][0] < percent) i++;
    return at[i - 1][1] + (at[i][1] - at[i - 1][1]) * (percent - at[i - 1][0]) / (at[i][0] - at[i - 1][0]);
}

static int get_gain(struct launch_hint *out, const json_t *gain, const char *file, struct error *err)
{
    const json_t *share = json_object_get(gain, "percent");
    const double low = json_number_value(json_object_get(gain, "low")),
                 high = json_number_value(json_object_get(gain, "high")),
                 percent = share ? json_number_value(share) : 90;
    if (!gain) return 0;
    if (!(low > 0) || !(high >= low) || !isfinite(high))
        return bad(err, file, "gain", "needs low and high with 0 < low <= high");
    if (!(percent >= 50 && percent <= 99)) return bad(err, file, "gain.percent", "must be from 50 to 99");
    out->spread = log(high / low) / (2 * half_width(percent));
    return 0;
}

static int get_launch(struct launch_hint *out, const json_t *row, const char *file, struct error *err)
{
    uint64_t kernel = 0, W = 0;
    out->is_any = !json_object_get(row, "kernel_id");
    if (get_tuple(&out->tuple, json_object_get(row, "tuple"), "tuple", file, err) < 0 ||
        get_whole(&kernel, row, "kernel_id", 0, UINT32_MAX, file, err) < 0 ||
        get_whole(&W, row, "W", 1, WARPS_MAX, file, err) < 0 ||
        get_whole(&out->warps, row, "warps", 0, INT64_MAX, file, err) < 0 ||
        get_whole(&out->insts, row, "warp_insts", 0, INT64_MAX, file, err) < 0 ||
        get_gain(out, json_object_get(row, "gain"), file, err) < 0 ||
        get_response(out, json_object_get(row, "surface"), file, err) < 0)
        return -1;
    out->kernel = (uint32_t)kernel;
    out->W = (uint32_t)W;
    return 0;
}

static int get_file(struct hint_file *out, const json_t *root, const char *file, struct error *err)
{
    const json_t *list = json_object_get(root, "launches");
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    if (list && (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > LAUNCHES_MAX))
        return bad(err, file, "launches", "must be a list of hints");
    const size_t n = list ? json_array_size(list) : 1;
    out->items = calloc(n, sizeof *out->items);
    if (!out->items) return error_set(err, ERR_MEMORY, "%s: out of memory for %zu hints", file, n);
    for (; out->n < n; out->n++)
        if (get_launch(&out->items[out->n], list ? json_array_get(list, out->n) : root, file, err) < 0)
            return list ? error_while(err, "launches[%zu]", out->n) : -1;
    return 0;
}

void hint_file_fini(struct hint_file *hints)
{
    free(hints->items);
    *hints = (struct hint_file){0};
}

int hint_file_parse(struct hint_file *out, const char *name, const char *text, size_t size, struct error *err)
{
    *out = (struct hint_file){0};
    json_t *root = model_json_load(name, text, size, HINT, err);
    if (!root) return -1;
    const int failed = get_file(out, root, name, err);
    json_decref(root);
    if (failed) hint_file_fini(out);
    return failed;
}

int hint_file_read(struct hint_file *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = (struct hint_file){0};
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "hint");
    const int failed = hint_file_parse(out, path, text, size, err);
    free(text);
    return failed;
}

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* Of two hints of the kernel, whether the first is nearer to the launch. */
static bool is_nearer(const struct launch_hint *a, const struct launch_hint *b, const struct hint_wanted *launch)
{
    const uint64_t W_a = apart(a->W, launch->W), W_b = apart(b->W, launch->W);
    return W_a != W_b ? W_a < W_b : apart(a->insts, launch->insts) < apart(b->insts, launch->insts);
}

enum hint_match hint_file_find(const struct hint_file *hints, const struct hint_wanted *launch,
                               const struct launch_hint **out)
{
    enum hint_match match = HINT_NONE;
    for (size_t i = 0; i < hints->n; i++) {
        const struct launch_hint *h = &hints->items[i];
        if (h->is_any && match == HINT_NONE) *out = h, match = HINT_ANY;
        if (h->is_any || h->kernel != launch->kernel) continue;
        if (h->W == launch->W && h->warps == launch->warps && h->insts == launch->insts) {
            *out = h;
            return HINT_LAUNCH;
        }
        if (match != HINT_KERNEL || is_nearer(h, *out, launch)) *out = h, match = HINT_KERNEL;
    }
    return match;
}

static const struct hint_tuple *row_of(const struct launch_hint *hint, bool in_gangs, struct response_tuple at)
{
    for (size_t i = 0; i < hint->n; i++)
        if (hint->response[i].is_gang == in_gangs && hint->response[i].at.N == at.N && hint->response[i].at.p == at.p)
            return &hint->response[i];
    return NULL;
}

/* Whether it has rows of both rules: then its tuple may be one of the other rule. */
static bool has_rule(const struct launch_hint *hint, bool in_gangs)
{
    for (size_t i = 0; i < hint->n; i++)
        if (hint->response[i].is_gang == in_gangs) return true;
    return false;
}

struct response_tuple launch_hint_response(const struct launch_hint *hint, bool in_gangs, const uint8_t *levels,
                                           size_t n_levels, uint32_t W, int32_t z[RESPONSE_POINTS_MAX])
{
    const bool both = has_rule(hint, true) && has_rule(hint, false),
               rule = has_rule(hint, in_gangs) ? in_gangs : !in_gangs;
    const size_t points = response_points(n_levels);
    struct response_tuple best = hint->tuple;
    int32_t least = 0, most = INT32_MIN;
    for (size_t i = 0; i < hint->n; i++) {
        const struct hint_tuple *t = &hint->response[i];
        if (t->is_gang != rule) continue;
        if (t->z < least) least = t->z;
        if (both && t->z > most) most = t->z, best = t->at;
    }
    for (size_t j = 0; j < points; j++) {
        const uint32_t own = hint->W && hint->W < W ? hint->W : W;
        const struct hint_tuple *t = row_of(hint, rule, response_clamp(response_point(levels, j), own));
        z[j] = t ? t->z : least;
    }
    return response_clamp(best, W);
}
