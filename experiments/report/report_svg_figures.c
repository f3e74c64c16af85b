/* The kinds of figure as SVG. They draw the same data as the page does. */
#include "report/report_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

static double at(const json_t *list, size_t i) { return report_value(json_array_get(list, i)); }

static void extend(const json_t *list, double *low, double *high)
{
    const json_t *value;
    size_t i;
    json_array_foreach(list, i, value) {
        const double v = report_value(value);
        if (!isfinite(v)) continue;
        *low = fmin(*low, v);
        *high = fmax(*high, v);
    }
}

static const char *label_of(const json_t *figure, const char *axis)
{
    return report_string(json_object_get(figure, axis), "label");
}
static const char *format_of(const json_t *figure, const char *axis)
{
    return report_string(json_object_get(figure, axis), "format");
}
static double series_extent(const json_t *figure, double *low, double *high)
{
    const json_t *series;
    size_t s;
    json_array_foreach(json_object_get(figure, "series"), s, series) {
        extend(json_object_get(series, "values"), low, high);
        extend(json_object_get(series, "low"), low, high);
        extend(json_object_get(series, "high"), low, high);
    }
    const double reference = report_get(figure, "reference");
    if (!isnan(reference)) *low = fmin(*low, reference), *high = fmax(*high, reference);
    return reference;
}

int svg_draw_bars(struct plot *p, const json_t *figure)
{
    const json_t *categories = json_object_get(figure, "categories"), *series = json_object_get(figure, "series"), *s;
    const size_t n = json_array_size(categories), k = json_array_size(series),
                 apart = (size_t)json_integer_value(json_object_get(figure, "apart"));
    const double slots = (double)n + (apart ? 0.6 : 0), wanted = slots * ((double)k * 3.5 + 4) + 50;
    size_t i, c;
    p->width = fmax(p->width, wanted);
    const double slot = (p->width - 50) / slots, longest = svg_longest(categories, 7.5);
    const bool is_steep = longest > slot;
    p->left = 42, p->right = p->width - 6, p->top = 6 + svg_legend_height(series, p->width - 50);
    p->bottom = p->height - (is_steep ? 0.7 * longest + 12 : 16);
    double low = 0, high = 0;
    const double reference = series_extent(figure, &low, &high);
    svg_nice(&low, &high);
    p->y0 = low, p->y1 = high, p->x0 = 0, p->x1 = slots;
    svg_open(p, figure);
    svg_axis_y(p, label_of(figure, "y"), format_of(figure, "y"), true);
    svg_legend(p, series, NULL);
    for (c = 0; c < n; c++) {
        const double x = p->left + slot * ((double)c + (apart && c >= n - apart ? 0.6 : 0)),
                     bar = slot * 0.8 / (double)k;
        json_array_foreach(series, i, s) {
            const double v = at(json_object_get(s, "values"), c), y = svg_y(p, v), zero = svg_y(p, 0);
            if (isfinite(v))
                svg_rect(p, x + slot * 0.1 + bar * (double)i, fmin(y, zero), bar * 0.94, fabs(zero - y),
                         svg_colour(report_string(s, "name"), i));
        }
        if (is_steep) svg_text(p, x + slot * 0.6, p->bottom + 9, SVG_END, 7.5, SVG_INK, -40, text_at(categories, c));
        else svg_text(p, x + slot * 0.5, p->bottom + 10, SVG_MIDDLE, 7.5, SVG_INK, 0, text_at(categories, c));
    }
    if (!isnan(reference))
        svg_line(p, p->left, svg_y(p, reference), p->right, svg_y(p, reference), SVG_MUTED, 0.7, "3 2");
    svg_close(p);
    return 0;
}

int svg_draw_stack(struct plot *p, const json_t *figure)
{
    static const char *const causes[] = {"#c3c9d0", "#0072b2", "#7cc3ea", "#d55e00", "#f0b64a",
                                         "#e8dd5b", "#cc79a7", "#009e73", "#eceef1"};
    static const char *const steps[] = {"#d6e6f4", "#9ecae1", "#5ba3cf", "#1f6fb2", "#e69f00"};
    const json_t *categories = json_object_get(figure, "categories"), *within = json_object_get(figure, "within"),
                 *series = json_object_get(figure, "series"), *s;
    const bool has_causes = strcmp(report_string(figure, "palette"), "causes") == 0;
    const char *const *colours = has_causes ? causes : steps;
    const size_t n = json_array_size(categories), n_colours = has_causes ? COUNT_OF(causes) : COUNT_OF(steps);
    size_t i, c, groups = 0;
    for (c = 0; c < n; c++) groups += c == 0 || strcmp(text_at(categories, c), text_at(categories, c - 1)) != 0;
    p->left = svg_longest(categories, 7.5) + svg_longest(within, 7) + 22;
    p->right = p->width - 10;
    p->top = 6 + svg_legend_height(series, p->right - p->left);
    p->bottom = p->top + (double)n * 9 + (double)groups * 4;
    p->height = p->bottom + 16;
    p->x0 = 0, p->x1 = 1, p->y0 = 0, p->y1 = 1;
    svg_open(p, figure);
    svg_legend(p, series, colours);
    double y = p->top;
    for (c = 0; c < n; c++) {
        const bool is_first = c == 0 || strcmp(text_at(categories, c), text_at(categories, c - 1)) != 0;
        double from = 0;
        y += is_first && c ? 4 : 0;
        if (is_first) svg_text(p, 4, y + 6.3, SVG_START, 7.5, SVG_INK, 0, text_at(categories, c));
        svg_text(p, p->left - 4, y + 6.3, SVG_END, 7, SVG_MUTED, 0, text_at(within, c));
        json_array_foreach(series, i, s) {
            const double v = at(json_object_get(s, "values"), c);
            if (!isfinite(v)) continue;
            svg_rect(p, svg_x(p, from), y, svg_x(p, from + v) - svg_x(p, from), 8, colours[i % n_colours]);
            from += v;
        }
        y += 9;
    }
    svg_axis_x(p, "", "percent", false);
    svg_close(p);
    return 0;
}

static void draw_interval(const struct plot *p, const json_t *s, size_t i, size_t k, double y)
{
    const double v = at(json_object_get(s, "values"), k), low = at(json_object_get(s, "low"), k),
                 high = at(json_object_get(s, "high"), k);
    const char *colour = svg_colour(report_string(s, "name"), i);
    if (!isfinite(v)) return;
    if (isfinite(low) && isfinite(high)) svg_line(p, svg_x(p, low), y, svg_x(p, high), y, colour, 1.3, NULL);
    svg_mark(p, "circle", svg_x(p, v), y, 2.8, strcmp(report_string(s, "name"), "paper") == 0 ? "#ffffff" : colour,
             colour);
}

int svg_draw_points(struct plot *p, const json_t *figure)
{
    const json_t *labels = json_object_get(figure, "labels"), *series = json_object_get(figure, "series"), *s;
    const size_t n = json_array_size(labels), many = json_array_size(series);
    const bool connects = json_is_true(json_object_get(figure, "connect"));
    size_t i, k;
    p->width = 300;
    p->left = fmin(svg_longest(labels, 7.5) + 10, 170), p->right = p->width - 14,
    p->top = 6 + svg_legend_height(series, p->right - p->left);
    p->bottom = p->top + 14 * (double)n + 2, p->height = p->bottom + 28;
    double low = INFINITY, high = -INFINITY;
    const double reference = series_extent(figure, &low, &high);
    if (!(low <= high)) return -1;
    if (low > 0 && !json_is_false(json_object_get(figure, "zero"))) low = 0;
    svg_nice(&low, &high);
    p->x0 = low, p->x1 = high, p->y0 = 0, p->y1 = 1;
    svg_open(p, figure);
    svg_axis_x(p, label_of(figure, "y"), format_of(figure, "y"), true);
    svg_legend(p, series, NULL);
    if (!isnan(reference))
        svg_line(p, svg_x(p, reference), p->top, svg_x(p, reference), p->bottom, SVG_MUTED, 0.7, "3 2");
    for (k = 0; k < n; k++) {
        const double y = p->top + 14 * ((double)k + 0.5);
        svg_text(p, p->left - 6, y + 2.6, SVG_END, 7.5, SVG_INK, 0, text_at(labels, k));
        if (connects && many == 2) {
            const double a = at(json_object_get(json_array_get(series, 0), "values"), k),
                         b = at(json_object_get(json_array_get(series, 1), "values"), k);
            if (isfinite(a) && isfinite(b)) svg_line(p, svg_x(p, a), y, svg_x(p, b), y, "#c3c9d0", 1.8, NULL);
        }
        json_array_foreach(series, i, s)
            draw_interval(p, s, i, k, connects ? y : y + 4 * ((double)i - 0.5 * (double)(many - 1)));
    }
    svg_close(p);
    return 0;
}

/* Distinct groups in order of appearance. */
static size_t group_index(const json_t *groups, const char *names[8], size_t *n, size_t i)
{
    const char *name = text_at(groups, i);
    for (size_t k = 0; k < *n; k++)
        if (strcmp(names[k], name) == 0) return k;
    if (*n < 8) names[(*n)++] = name;
    return *n - 1;
}

/* Lines that lie a share above and below the diagonal, both scales being logarithms. */
static void draw_bands(const struct plot *p, const json_t *bands)
{
    const json_t *share;
    size_t i;
    json_array_foreach(bands, i, share)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double shift = log10(1 + sign * report_value(share));
            if (!isfinite(shift)) continue;
            const double low = fmax(p->x0, p->y0 - shift), high = fmin(p->x1, p->y1 - shift);
            svg_line(p, svg_x(p, low), svg_y(p, low + shift), svg_x(p, high), svg_y(p, high + shift), SVG_MUTED, 0.4,
                     "1 2");
        }
}

int svg_draw_scatter(struct plot *p, const json_t *figure)
{
    static const char *const shapes[] = {"circle", "square", "triangle", "diamond"};
    const json_t *px = json_object_get(figure, "px"), *py = json_object_get(figure, "py"),
                 *groups = json_object_get(figure, "groups");
    const bool has_diagonal = json_is_true(json_object_get(figure, "diagonal")),
               is_log = json_is_true(json_object_get(figure, "is_log"));
    const char *names[8];
    size_t n_names = 0;
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    extend(px, &x0, &x1);
    extend(py, &y0, &y1);
    if (!(x0 <= x1) || !(y0 <= y1)) return -1;
    if (has_diagonal) x0 = y0 = is_log ? fmin(x0, y0) : fmin(0, fmin(x0, y0)), x1 = y1 = fmax(x1, y1);
    if (is_log) x0 = log10(fmax(x0, 1e-9)), x1 = log10(x1), y0 = log10(fmax(y0, 1e-9)), y1 = log10(y1);
    svg_nice(&x0, &x1);
    svg_nice(&y0, &y1);
    for (size_t i = 0; i < json_array_size(px); i++) group_index(groups, names, &n_names, i);
    json_t *legend = json_array();
    for (size_t k = 0; k < n_names; k++) json_array_append_new(legend, json_string(names[k]));
    p->width = 240, p->left = 42, p->right = p->width - 10, p->top = 8 + svg_legend_height(legend, p->right - p->left);
    p->height = p->top + 195, p->bottom = p->height - 28;
    p->x0 = x0, p->x1 = x1, p->y0 = y0, p->y1 = y1;
    svg_open(p, figure);
    char label[2][160];
    snprintf(label[0], sizeof label[0], "%s%.140s", is_log ? "log10 of " : "", label_of(figure, "x"));
    snprintf(label[1], sizeof label[1], "%s%.140s", is_log ? "log10 of " : "", label_of(figure, "y"));
    svg_axis_x(p, label[0], is_log ? "number" : format_of(figure, "x"), true);
    svg_axis_y(p, label[1], is_log ? "number" : format_of(figure, "y"), true);
    svg_legend(p, legend, NULL);
    if (has_diagonal) svg_line(p, svg_x(p, x0), svg_y(p, x0), svg_x(p, x1), svg_y(p, x1), SVG_MUTED, 0.7, "3 2");
    if (is_log) draw_bands(p, json_object_get(figure, "bands"));
    if (!isnan(report_get(figure, "reference")))
        svg_line(p, p->left, svg_y(p, report_get(figure, "reference")), p->right,
                 svg_y(p, report_get(figure, "reference")), SVG_MUTED, 0.7, "3 2");
    for (size_t i = 0; i < json_array_size(px); i++) {
        const size_t g = group_index(groups, names, &n_names, i);
        const double x = is_log ? log10(at(px, i)) : at(px, i), y = is_log ? log10(at(py, i)) : at(py, i);
        if (isfinite(x) && isfinite(y))
            svg_mark(p, shapes[g % COUNT_OF(shapes)], svg_x(p, x), svg_y(p, y), 2.4, svg_colour(names[g], g),
                     "#ffffff");
    }
    json_decref(legend);
    svg_close(p);
    return 0;
}

static void draw_curve(const struct plot *p, const json_t *s, const char *colour)
{
    const json_t *x = json_object_get(s, "x"), *y = json_object_get(s, "values");
    const bool is_step = json_is_true(json_object_get(s, "is_step")),
               is_dots = json_is_true(json_object_get(s, "is_dots"));
    bool has_begun = false;
    if (!is_dots) {
        fputs("<path fill=\"none\" stroke-width=\"1.4\" d=\"", p->out);
        for (size_t i = 0; i < json_array_size(x); i++) {
            if (!isfinite(at(x, i)) || !isfinite(at(y, i))) continue;
            if (is_step && has_begun) fprintf(p->out, "H%.2fV%.2f", svg_x(p, at(x, i)), svg_y(p, at(y, i)));
            else fprintf(p->out, "%c%.2f %.2f", has_begun ? 'L' : 'M', svg_x(p, at(x, i)), svg_y(p, at(y, i)));
            has_begun = true;
        }
        fprintf(p->out, "\" stroke=\"%s\"/>\n", colour);
    }
    for (size_t i = 0; i < json_array_size(x) && !is_step; i++)
        if (isfinite(at(x, i)) && isfinite(at(y, i)))
            svg_mark(p, "circle", svg_x(p, at(x, i)), svg_y(p, at(y, i)), is_dots ? 1.8 : 1.6, colour, colour);
}

int svg_draw_line(struct plot *p, const json_t *figure)
{
    const json_t *series = json_object_get(figure, "series"), *s;
    double x0 = INFINITY, x1 = -INFINITY, y0 = 0, y1 = -INFINITY;
    size_t i;
    json_array_foreach(series, i, s) {
        extend(json_object_get(s, "x"), &x0, &x1);
        extend(json_object_get(s, "values"), &y0, &y1);
    }
    if (!(x0 <= x1)) return -1;
    if (x0 == x1) x1 += 1;
    svg_nice(&y0, &y1);
    p->width = 280, p->left = 42, p->right = p->width - 12, p->top = 8 + svg_legend_height(series, p->right - p->left);
    p->height = p->top + 160, p->bottom = p->height - 28;
    p->x0 = x0, p->x1 = x1, p->y0 = y0, p->y1 = y1;
    svg_open(p, figure);
    svg_axis_x(p, label_of(figure, "x"), format_of(figure, "x"), false);
    svg_axis_y(p, label_of(figure, "y"), format_of(figure, "y"), true);
    svg_legend(p, series, NULL);
    json_array_foreach(series, i, s) draw_curve(p, s, svg_colour(report_string(s, "name"), i));
    svg_close(p);
    return 0;
}

/* ---- by colour ---- */

/* Where a value lies on an axis of a map: itself, or its place among the simulated values, as in maps.js. */
static double place_of(const json_t *ticks, double value)
{
    const size_t n = json_array_size(ticks);
    if (!ticks) return value;
    for (size_t i = 0; i < n; i++) {
        const double here = at(ticks, i), before = i ? at(ticks, i - 1) : here;
        if (value > here) continue;
        return value == here || i == 0 ? (double)i + 1 : (double)i + (value - before) / (here - before);
    }
    return (double)n;
}

/* What a map is drawn on: axes of all numbers or of the simulated values alone, and the size of a cell. */
struct map_plane {
    const json_t *xticks, *yticks;
    double columns, lines, radius, reach, corner;
}; /* reach: of a mark; large cells hold their marks */

static bool is_simulated(const json_t *figure, double N, double p)
{
    const json_t *x = json_object_get(figure, "x"), *y = json_object_get(figure, "y");
    for (size_t i = 0; i < json_array_size(x); i++)
        if (at(x, i) == N && at(y, i) == p) return true;
    return false;
}

/* Outlines round a cell, so that its colour stays to be seen; where nothing was simulated, round a small spot. */
static void draw_marks(const struct plot *p, const json_t *figure, const struct map_plane *plane)
{
    static const char *const kinds[] = {"static_best", "target", "corrected", "predicted"};
    static const char *const shapes[] = {"circle", "box", "triangle", "rays"};
    const json_t *marks = json_object_get(figure, "marks"), *mark;
    size_t i;
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        json_array_foreach(marks, i, mark) {
            if (strcmp(report_string(mark, "kind"), kinds[k]) != 0) continue;
            const double N = report_get(mark, "x"), pol = report_get(mark, "y");
            const double x = svg_x(p, place_of(plane->xticks, N)), y = svg_y(p, place_of(plane->yticks, pol));
            const bool is_over = is_simulated(figure, N, pol);
            const double r = is_over ? plane->reach : 1.6, q = is_over ? plane->corner : 1.6;
            const double size = k == 0   ? q + 1
                                : k == 1 ? r + 2.2
                                : k == 2 ? 2 * (r + 1)
                                         : 0.71 * q + (is_over ? 0.4 : -0.8);
            svg_mark(p, shapes[k], x, y, size, "none", "#ffffff");
            svg_mark(p, shapes[k], x, y, size, "none", SVG_INK);
        }
}

static void draw_map_ticks(const struct plot *p, const struct map_plane *plane, double W)
{
    char text[40];
    for (size_t i = 0; i < json_array_size(plane->xticks); i++)
        svg_text(p, svg_x(p, (double)i + 1), p->bottom + 10, SVG_MIDDLE, 7.5, SVG_MUTED, 0,
                 report_format("whole", at(plane->xticks, i), text, sizeof text));
    for (size_t i = 0; i < json_array_size(plane->yticks); i++)
        svg_text(p, p->left - 4, svg_y(p, (double)i + 1) + 2.6, SVG_END, 7.5, SVG_MUTED, 0,
                 report_format("whole", at(plane->yticks, i), text, sizeof text));
    for (double tick = 1; tick <= W && !plane->xticks; tick += W > 12 ? (tick == 1 ? 3 : 4) : 1) {
        snprintf(text, sizeof text, "%.0f", tick);
        svg_text(p, svg_x(p, tick), p->bottom + 10, SVG_MIDDLE, 7.5, SVG_MUTED, 0, text);
        svg_text(p, p->left - 4, svg_y(p, tick) + 2.6, SVG_END, 7.5, SVG_MUTED, 0, text);
    }
}

static void draw_map_scale(const struct plot *p, double low, double middle, double high)
{
    char colour[8], text[40];
    for (int i = 0; i < 30; i++) {
        svg_shade((double)i / 29 * (low < middle ? 2 : 1) - (low < middle ? 1 : 0), colour);
        svg_rect(p, p->left + 4 + 2 * i, p->top + 2, 2.1, 5, colour);
    }
    svg_text(p, p->left + 4, p->top + 15, SVG_START, 7, SVG_MUTED, 0, report_format("ratio", low, text, sizeof text));
    svg_text(p, p->left + 64, p->top + 15, SVG_END, 7, SVG_MUTED, 0, report_format("ratio", high, text, sizeof text));
}

static struct map_plane plane_of(const struct plot *p, const json_t *figure, double W)
{
    struct map_plane plane = {.xticks = json_object_get(figure, "xticks"), .yticks = json_object_get(figure, "yticks")};
    plane.columns = plane.xticks ? (double)json_array_size(plane.xticks) : W;
    plane.lines = plane.yticks ? (double)json_array_size(plane.yticks) : W;
    const double cell = (p->right - p->left) / fmax(plane.columns, plane.lines);
    plane.radius = plane.xticks ? fmin(0.37 * cell, 11) : cell / 2;
    plane.reach = plane.xticks ? plane.radius : fmin(plane.radius, 6);
    plane.corner = plane.xticks ? plane.reach : 1.42 * plane.reach;
    return plane;
}

int svg_draw_heat(struct plot *p, const json_t *figure)
{
    const json_t *x = json_object_get(figure, "x"), *y = json_object_get(figure, "y"),
                 *v = json_object_get(figure, "v");
    const double middle = isnan(report_get(figure, "middle")) ? 1 : report_get(figure, "middle");
    double low = middle, high = middle, least = 1, W = fmax(1, report_get(figure, "W"));
    extend(v, &low, &high);
    extend(x, &least, &W);
    if (json_array_size(v) == 0 || !(low > 0)) return -1;
    p->width = 210, p->height = 212, p->left = 30, p->right = 202, p->top = 8, p->bottom = 180;
    const struct map_plane plane = plane_of(p, figure, W);
    p->x0 = p->y0 = 0.5, p->x1 = plane.columns + 0.5, p->y1 = plane.lines + 0.5;
    const double half = plane.radius - 0.2;
    char colour[8];
    svg_open(p, figure);
    for (size_t i = 0; i < json_array_size(v); i++) {
        const double value = at(v, i), px = svg_x(p, place_of(plane.xticks, at(x, i))),
                     py = svg_y(p, place_of(plane.yticks, at(y, i)));
        if (!isfinite(value) || value <= 0) continue;
        svg_shade(value >= middle ? (high > middle ? log(value / middle) / log(high / middle) : 0)
                                  : -log(value / middle) / log(low / middle),
                  colour);
        if (plane.xticks) svg_mark(p, "circle", px, py, plane.radius, colour, colour);
        else svg_rect(p, px - half, py - half, 2 * half, 2 * half, colour);
    }
    draw_map_ticks(p, &plane, W);
    svg_text(p, (p->left + p->right) / 2, p->bottom + 21, SVG_MIDDLE, 8, SVG_MUTED, 0, "N");
    svg_text(p, 9, (p->top + p->bottom) / 2, SVG_MIDDLE, 8, SVG_MUTED, -90, "p");
    draw_map_scale(p, low, middle, high);
    draw_marks(p, figure, &plane);
    svg_close(p);
    return 0;
}

int svg_draw_matrix(struct plot *p, const json_t *figure)
{
    const json_t *rows = json_object_get(figure, "rows"), *columns = json_object_get(figure, "columns"),
                 *values = json_object_get(figure, "values");
    const bool is_labelled = json_is_true(json_object_get(figure, "is_labelled")),
               is_square = json_is_true(json_object_get(figure, "is_square"));
    const double limit = isnan(report_get(figure, "limit")) ? 1 : report_get(figure, "limit"),
                 height = is_square     ? 10
                          : is_labelled ? 14
                                        : 8,
                 width = is_square ? height : 28;
    p->left = fmin(150, svg_longest(rows, 7) + 8), p->top = svg_longest(columns, 7.5) * 0.72 + 10;
    p->right = p->left + width * (double)json_array_size(columns),
    p->bottom = p->top + height * (double)json_array_size(rows);
    p->width = p->right + svg_longest(columns, 7.5) * 0.6 + 4, p->height = p->bottom + 4;
    svg_open(p, figure);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        svg_text(p, p->left - 4, p->top + height * ((double)r + 0.5) + 2.4, SVG_END, 7, SVG_INK, 0, text_at(rows, r));
        for (size_t c = 0; c < json_array_size(columns); c++) {
            const double v = at(json_array_get(values, r), c);
            char colour[8], text[16];
            const char *ink = isfinite(v) && fabs(v) > 0.6 * limit ? "#ffffff" : SVG_INK;
            const double x = p->left + width * ((double)c + 0.5), y = p->top + height * ((double)r + 0.5) + 2.4;
            const char *sign = text_at(json_array_get(json_object_get(figure, "signs"), r), c);
            if (*sign && !isfinite(v)) svg_text(p, x, y, SVG_MIDDLE, 7.5, SVG_MUTED, 0, sign);
            if (!isfinite(v)) continue;
            svg_shade(v / limit, colour);
            svg_rect(p, p->left + width * (double)c + 0.3, p->top + height * (double)r + 0.3, width - 0.6, height - 0.6,
                     colour);
            snprintf(text, sizeof text, "%.2f", v);
            if (is_labelled) svg_text(p, x, y, SVG_MIDDLE, 6.5, ink, 0, text);
            if (*sign) svg_text(p, x, y, SVG_MIDDLE, 7.5, ink, 0, sign);
        }
    }
    for (size_t c = 0; c < json_array_size(columns); c++)
        svg_text(p, p->left + width * ((double)c + 0.5), p->top - 4, SVG_START, 7.5, SVG_INK, -45, text_at(columns, c));
    svg_close(p);
    return 0;
}

int svg_draw_rootogram(struct plot *p, const json_t *figure)
{
    const json_t *counts = json_object_get(figure, "counts"), *observed = json_object_get(figure, "observed"),
                 *expected = json_object_get(figure, "expected");
    const size_t n = json_array_size(counts);
    double low = 0, high = 0;
    if (n == 0) return -1;
    for (size_t i = 0; i < n; i++) {
        high = fmax(high, sqrt(at(expected, i)));
        low = fmin(low, sqrt(at(expected, i)) - sqrt(at(observed, i)));
    }
    svg_nice(&low, &high);
    p->width = 280, p->left = 42, p->right = p->width - 8, p->top = 8, p->height = 175, p->bottom = p->height - 28;
    p->x0 = at(counts, 0) - 0.6, p->x1 = at(counts, n - 1) + 0.6, p->y0 = low, p->y1 = high;
    svg_open(p, figure);
    svg_axis_x(p, label_of(figure, "x"), "number", false);
    svg_axis_y(p, label_of(figure, "y"), "number", true);
    const double width = 0.72 * (svg_x(p, 1) - svg_x(p, 0));
    for (size_t i = 0; i < n; i++) {
        const double top = sqrt(at(expected, i)), x = svg_x(p, at(counts, i));
        svg_rect(p, x - width / 2, svg_y(p, top), width, svg_y(p, top - sqrt(at(observed, i))) - svg_y(p, top),
                 "#5a9fcb");
    }
    svg_line(p, p->left, svg_y(p, 0), p->right, svg_y(p, 0), SVG_MUTED, 0.7, NULL);
    fputs("<path fill=\"none\" stroke=\"#d55e00\" stroke-width=\"1.3\" d=\"", p->out);
    for (size_t i = 0; i < n; i++)
        fprintf(p->out, "%c%.2f %.2f", i ? 'L' : 'M', svg_x(p, at(counts, i)), svg_y(p, sqrt(at(expected, i))));
    fputs("\"/>\n", p->out);
    svg_close(p);
    return 0;
}
