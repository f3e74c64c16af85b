/* All trials of a tuning as lines through parallel axes: one axis a parameter, in the order in which they come up, and
 * then the metrics. A parameter that does not exist at a trial has its place below the axis's own values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_internal.h"

enum { DISTINCT_MAX = 12, TICKS = 5 }; /* more distinct numbers than these are a scale */
static const double ABSENT_BELOW = 0.14;

/* Groups in the order in which they are drawn. */
enum group { OTHERS, GOOD, PUBLISHED_POINT, DEFAULT_POINT, BEST, N_GROUPS };
static const char *const group_names[N_GROUPS] = {"other trials", "best tenth", "published", "default", "best"};

/* A line: a trial in full, or a point with a name that is no trial. */
struct way {
    const json_t *params, *metrics;
    double metric;
    size_t number; /* of the trial; 0: it is none */
    enum group group;
};
struct ways {
    struct way *items;
    size_t n, n_metrics;
};

static double metric_of(const struct way *w, size_t i)
{
    return i == 0 ? w->metric : report_value(json_array_get(w->metrics, i));
}

/* ---- lines ---- */

static enum group named_group(const char *name)
{
    return strcmp(name, "default") == 0 ? DEFAULT_POINT : strcmp(name, "published") == 0 ? PUBLISHED_POINT : OTHERS;
}

static void add_trials(struct ways *ways, const json_t *tune)
{
    const json_t *trial;
    size_t i;
    json_array_foreach(json_object_get(tune, "trials"), i, trial) {
        const double metric = report_get(trial, "metric");
        if (report_get(trial, "rung") > 0 || !isfinite(metric)) continue;
        ways->items[ways->n++] = (struct way){json_object_get(trial, "params"), json_object_get(trial, "metrics"),
                                              metric, i + 1, named_group(report_string(trial, "named"))};
    }
}

/* Names that are no trials: their figures are beside the trials in the report. */
static void add_named(struct ways *ways, const json_t *tune)
{
    static const char *const names[] = {"default", "published"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const json_t *of = json_object_get(tune, names[k]);
        const double metric = report_get(json_object_get(of, "train"), "metric");
        if (!json_is_false(json_object_get(of, "is_trial")) || json_is_true(json_object_get(of, "is_default")) ||
            !isfinite(metric))
            continue;
        ways->items[ways->n++] = (struct way){json_object_get(of, "params"), NULL, metric, 0, named_group(names[k])};
    }
}

static int by_metric(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The best, and the best tenth of the others; of several metrics what is on the front. */
static void choose_good(struct ways *ways, const json_t *tune)
{
    const json_t *best = json_object_get(json_object_get(tune, "best"), "params"),
                 *front = json_object_get(tune, "front"), *point;
    const double sign = json_is_true(json_object_get(tune, "is_min")) ? -1 : 1;
    double *sorted = calloc(ways->n + 1, sizeof *sorted);
    size_t k, n = 0;
    for (size_t i = 0; i < ways->n && sorted; i++)
        if (ways->items[i].number) sorted[n++] = sign * ways->items[i].metric;
    if (sorted) qsort(sorted, n, sizeof *sorted, by_metric);
    size_t left = n > 4 ? (n + 9) / 10 : 0;
    const double bound = sorted && left ? sorted[n - 1 - left] : INFINITY;
    free(sorted);
    for (size_t i = 0; i < ways->n; i++) {
        struct way *w = &ways->items[i];
        bool is_good = !front && w->number && sign * w->metric >= bound && left > 0;
        json_array_foreach(front, k, point) is_good |= json_equal(json_object_get(point, "params"), w->params);
        if (w->number && json_equal(best, w->params)) w->group = BEST;
        else if (w->group == OTHERS && is_good) {
            w->group = GOOD;
            left -= !front;
        }
    }
}

/* ---- axes ---- */

struct scale {
    char (*texts)[40]; /* the distinct values; of numbers in ascending order */
    double *numbers, low, high;
    size_t n;
    bool is_number, is_whole, is_log, has_absent, is_scale; /* is_scale: places are by value, not by rank */
};

static const char *number_text_of(double v, char *text, size_t size)
{
    if (v == floor(v) && fabs(v) < 1e9) snprintf(text, size, "%.0f", v);
    else report_format("number", v, text, size);
    return text;
}

/* Two digits that count. */
static double rounded(double v)
{
    const double power = pow(10, floor(log10(v)) - 1);
    return power * round(v / power);
}

static const char *value_text(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value)) snprintf(text, size, "%.30s", json_string_value(value));
    else if (json_is_boolean(value)) snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
    else number_text_of(report_value(value), text, size);
    return text;
}

static bool add_value(struct scale *s, const json_t *value)
{
    char text[40];
    const double v = report_value(value);
    size_t at = 0;
    value_text(value, text, sizeof text);
    if (isfinite(v)) s->low = fmin(s->low, v), s->high = fmax(s->high, v);
    else s->is_number = false;
    s->is_whole &= isfinite(v) && v == floor(v);
    for (; at < s->n; at++)
        if (strcmp(s->texts[at], text) == 0) return true;
    for (at = 0; at < s->n && !(isfinite(v) && s->numbers[at] > v);) at++;
    memmove(s->texts[at + 1], s->texts[at], (s->n - at) * sizeof *s->texts);
    memmove(&s->numbers[at + 1], &s->numbers[at], (s->n - at) * sizeof *s->numbers);
    memcpy(s->texts[at], text, sizeof text);
    s->numbers[at] = v;
    s->n++;
    return true;
}

static double stretch(const struct scale *s, double share)
{
    return s->has_absent ? ABSENT_BELOW + (1 - ABSENT_BELOW) * share : share;
}

static double place_of(const struct scale *s, const json_t *value)
{
    char text[40];
    if (!value) return 0;
    if (s->is_scale) {
        const double v = report_value(value);
        return stretch(s, s->is_log ? log(v / s->low) / log(s->high / s->low) : (v - s->low) / (s->high - s->low));
    }
    value_text(value, text, sizeof text);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->texts[i], text) == 0) return stretch(s, s->n > 1 ? (double)i / (double)(s->n - 1) : 0.5);
    return NAN;
}

static void add_tick(json_t *ticks, double at, const char *text)
{
    json_array_append_new(ticks, json_pack("{s:f,s:s}", "at", at, "text", text));
}

/* Every value where they are few, else a few along the scale. */
static json_t *ticks_of(const struct scale *s)
{
    json_t *ticks = json_array();
    char text[40];
    if (s->has_absent) add_tick(ticks, 0, "none");
    if (!s->is_scale) {
        const size_t step = (s->n + DISTINCT_MAX - 1) / DISTINCT_MAX; /* of many words some */
        for (size_t i = 0; i < s->n; i += step ? step : 1)
            add_tick(ticks, stretch(s, s->n > 1 ? (double)i / (double)(s->n - 1) : 0.5), s->texts[i]);
        return ticks;
    }
    for (int i = 0; i < TICKS; i++) {
        double v = s->is_log ? s->low * pow(s->high / s->low, (double)i / (TICKS - 1))
                             : s->low + (s->high - s->low) * i / (TICKS - 1);
        if (s->is_log && i > 0 && i < TICKS - 1) v = rounded(v);
        if (s->is_whole) v = round(v);
        json_t *value = json_real(v);
        add_tick(ticks, place_of(s, value), number_text_of(v, text, sizeof text));
        json_decref(value);
    }
    return ticks;
}

/* `name` is a parameter; NULL: the i-th metric. */
static const json_t *value_of(const struct way *w, const char *name, size_t i, json_t **made)
{
    *made = NULL;
    if (name) return json_object_get(w->params, name);
    return *made = report_number(metric_of(w, i));
}

static void add_axis(json_t *figure, const struct ways *ways, const char *name, const char *label, size_t metric)
{
    struct scale s = {.texts = calloc(ways->n + 1, sizeof *s.texts),
                      .numbers = calloc(ways->n + 1, sizeof *s.numbers),
                      .low = INFINITY,
                      .high = -INFINITY,
                      .is_number = true,
                      .is_whole = true};
    json_t *places = json_array(), *made;
    for (size_t i = 0; i < ways->n && s.texts && s.numbers; i++) {
        const json_t *value = value_of(&ways->items[i], name, metric, &made);
        if (value && !json_is_null(value)) add_value(&s, value);
        else if (name) s.has_absent = true;
        json_decref(made);
    }
    s.is_scale = s.is_number && s.high > s.low && (!name || s.n > DISTINCT_MAX); /* a metric always is */
    s.is_log = s.low > 0 && s.high / s.low >= 50;
    for (size_t i = 0; i < ways->n; i++) {
        const json_t *value = value_of(&ways->items[i], name, metric, &made);
        json_array_append_new(places, report_number(json_is_null(value) ? NAN : place_of(&s, value)));
        json_array_append(json_array_get(json_object_get(figure, "values"), i),
                          value ? (json_t *)(uintptr_t)value : json_null());
        json_decref(made);
    }
    json_array_append_new(json_object_get(figure, "axes"),
                          json_pack("{s:s,s:o,s:o}", "label", label, "ticks", ticks_of(&s), "places", places));
    free(s.texts);
    free(s.numbers);
}

/* ---- the figure ---- */

static void add_lines(json_t *figure, const struct ways *ways, bool has_front)
{
    json_t *values = json_array(), *groups = json_array(), *labels = json_array(), *order = json_array();
    for (size_t i = 0; i < ways->n; i++) {
        const struct way *w = &ways->items[i];
        char text[300], params[240];
        report_point_text(w->params, params, sizeof params);
        if (w->number) snprintf(text, sizeof text, "trial %zu: %s", w->number, params);
        else snprintf(text, sizeof text, "%s, no trial: %s", group_names[w->group], params);
        json_array_append_new(values, json_array());
        json_array_append_new(groups, json_string(has_front && w->group == GOOD ? "front" : group_names[w->group]));
        json_array_append_new(labels, json_string(text));
    }
    for (int g = 0; g < N_GROUPS; g++)
        for (size_t i = 0; i < ways->n; i++)
            if (ways->items[i].group == (enum group)g) {
                json_array_append_new(order, json_string(has_front && g == GOOD ? "front" : group_names[g]));
                break;
            }
    json_object_set_new(figure, "values", values);
    json_object_set_new(figure, "groups", groups);
    json_object_set_new(figure, "labels", labels);
    json_object_set_new(figure, "order", order);
    json_object_set_new(figure, "axes", json_array());
}

void report_add_parallel(json_t *section, const json_t *tune, json_t *params)
{
    const json_t *objectives = json_object_get(tune, "objectives");
    const size_t n = json_array_size(json_object_get(tune, "trials"));
    struct ways ways = {.items = calloc(n + 2, sizeof *ways.items)};
    if (!ways.items) return;
    ways.n_metrics = json_array_size(objectives) ? json_array_size(objectives) : 1;
    add_trials(&ways, tune);
    if (ways.n) add_named(&ways, tune);
    choose_good(&ways, tune);
    json_t *figure = report_figure(
        section, "parallel", "tune-parallel", "All trials",
        ways.n_metrics > 1 ? "A line is a trial, from parameter to parameter and to what it scored. On the front are "
                             "trials that no other beats in every metric."
                           : "A line is a trial, from parameter to parameter and to what it scored. Where lines of the "
                             "best run together, a parameter matters; 'none' is where it does not exist.");
    add_lines(figure, &ways, json_object_get(tune, "front") != NULL);
    for (void *k = json_object_iter(params); k; k = json_object_iter_next(params, k))
        add_axis(figure, &ways, json_object_iter_key(k), json_object_iter_key(k), 0);
    for (size_t i = 0; i < ways.n_metrics; i++)
        add_axis(figure, &ways, NULL,
                 json_array_size(objectives) ? report_string(json_array_get(objectives, i), "metric")
                                             : report_string(tune, "metric"),
                 i);
    free(ways.items);
}
