/* Lines through parallel axes as SVG. */
#include <math.h>
#include <string.h>
#include "report/report_svg.h"

static const struct {
    const char *group, *colour, *dash;
    double width;
} looks[] = {{"other trials", "#b9c0c8", NULL, 0.6}, {"best tenth", "#6bb5e0", NULL, 1.1},
             {"front", "#6bb5e0", NULL, 1.1},        {"published", "#e69f00", "4 2", 1.5},
             {"default", "#009e73", "4 2", 1.5},     {"best", "#0072b2", NULL, 2.1}};

static size_t look_of(const char *group)
{
    for (size_t i = 0; i < COUNT_OF(looks); i++)
        if (strcmp(looks[i].group, group) == 0) return i;
    return 0;
}

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

static double axis_x(const struct plot *p, size_t axis, size_t n)
{
    return n > 1 ? p->left + (p->right - p->left) * (double)axis / (double)(n - 1) : p->left;
}

static void draw_way(const struct plot *p, const json_t *axes, size_t way, const char *group)
{
    const size_t n = json_array_size(axes), look = look_of(group);
    bool has_begun = false;
    fputs("<path fill=\"none\" d=\"", p->out);
    for (size_t a = 0; a < n; a++) {
        const double at = report_value(json_array_get(json_object_get(json_array_get(axes, a), "places"), way));
        if (!isfinite(at)) {
            has_begun = false;
            continue;
        }
        fprintf(p->out, "%c%.2f %.2f", has_begun ? 'L' : 'M', axis_x(p, a, n), svg_y(p, at));
        has_begun = true;
    }
    fprintf(p->out, "\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linejoin=\"round\"", looks[look].colour,
            looks[look].width);
    if (looks[look].dash) fprintf(p->out, " stroke-dasharray=\"%s\"", looks[look].dash);
    fputs("/>\n", p->out);
}

/* White round the letters, so that lines do not run through them. */
static void haloed(const struct plot *p, double x, double y, const char *text)
{
    fprintf(p->out,
            "<text x=\"%.2f\" y=\"%.2f\" font-size=\"6.5\" fill=\"" SVG_INK "\" stroke=\"#ffffff\" "
            "stroke-width=\"2.4\" stroke-linejoin=\"round\" paint-order=\"stroke\">",
            x, y);
    report_print_escaped(text, p->out);
    fputs("</text>\n", p->out);
}

static void draw_axis(const struct plot *p, const json_t *axis, double x, bool is_steep)
{
    const json_t *tick;
    size_t i;
    svg_line(p, x, p->top, x, p->bottom, SVG_MUTED, 0.8, NULL);
    json_array_foreach(json_object_get(axis, "ticks"), i, tick) {
        const double y = svg_y(p, report_get(tick, "at"));
        svg_line(p, x - 2, y, x + 2, y, SVG_MUTED, 0.8, NULL);
        haloed(p, x + 3.5, y + 2.2, report_string(tick, "text"));
    }
    svg_text(p, x, p->top - 6, is_steep ? SVG_START : SVG_MIDDLE, 7.5, SVG_INK, is_steep ? -30 : 0,
             report_string(axis, "label"));
}

int svg_draw_parallel(struct plot *p, const json_t *figure)
{
    const json_t *axes = json_object_get(figure, "axes"), *groups = json_object_get(figure, "groups"),
                 *order = json_object_get(figure, "order"), *axis, *last;
    const size_t n = json_array_size(axes);
    const char *colours[8];
    json_t *labels = json_array(), *ends = json_array();
    size_t a, g;
    if (n == 0) return json_decref(labels), json_decref(ends), -1;
    json_array_foreach(axes, a, axis) json_array_append(labels, json_object_get(axis, "label"));
    json_array_foreach(json_object_get(json_array_get(axes, n - 1), "ticks"), a, last)
        json_array_append(ends, json_object_get(last, "text"));
    p->width = fmax(p->width, 62 * (double)n + 20);
    p->left = 26, p->right = p->width - 14 - svg_longest(ends, 6.5);
    const double longest = svg_longest(labels, 7.5);
    const bool is_steep = n > 1 && longest > (p->right - p->left) / (double)(n - 1) - 8;
    if (is_steep) p->right = fmin(p->right, p->width - 0.87 * longest);
    else p->right = fmin(p->right, p->width - longest / 2 - 4);
    p->top = 6 + svg_legend_height(order, p->right - p->left) + (is_steep ? 0.5 * longest + 12 : 16);
    p->bottom = p->top + 170, p->height = p->bottom + 10;
    p->x0 = p->y0 = 0, p->x1 = p->y1 = 1;
    for (g = 0; g < json_array_size(order) && g < COUNT_OF(colours); g++)
        colours[g] = looks[look_of(text_at(order, g))].colour;
    svg_open(p, figure);
    svg_legend(p, order, colours);
    for (g = 0; g < json_array_size(order); g++)
        for (size_t i = 0; i < json_array_size(groups); i++)
            if (strcmp(text_at(groups, i), text_at(order, g)) == 0) draw_way(p, axes, i, text_at(groups, i));
    json_array_foreach(axes, a, axis) draw_axis(p, axis, axis_x(p, a, n), is_steep);
    svg_close(p);
    json_decref(labels);
    json_decref(ends);
    return 0;
}
