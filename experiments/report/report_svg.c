/* Figures for papers: the parts that every kind of plot draws with. */
#include "report/report_svg.h"

#include <math.h>
#include <string.h>

double svg_x(const struct plot *plot, double value)
{
    return plot->left + (value - plot->x0) / (plot->x1 - plot->x0) * (plot->right - plot->left);
}
double svg_y(const struct plot *plot, double value)
{
    return plot->bottom - (value - plot->y0) / (plot->y1 - plot->y0) * (plot->bottom - plot->top);
}

/* ---- elements ---- */

void svg_text(const struct plot *plot, double x, double y, enum svg_anchor anchor, double size, const char *colour,
              double rotate, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(plot->out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%.1f\" fill=\"%s\"", x, y,
            anchors[anchor], size, colour);
    if (rotate != 0) fprintf(plot->out, " transform=\"rotate(%.0f %.2f %.2f)\"", rotate, x, y);
    fputc('>', plot->out);
    report_print_escaped(text, plot->out);
    fputs("</text>\n", plot->out);
}

void svg_rect(const struct plot *plot, double x, double y, double width, double height, const char *fill)
{
    fprintf(plot->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y,
            fmax(0, width), fmax(0, height), fill);
}

void svg_line(const struct plot *plot, double x1, double y1, double x2, double y2, const char *stroke, double width,
              const char *dash)
{
    fprintf(plot->out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%.2f\"", x1,
            y1, x2, y2, stroke, width);
    if (dash) fprintf(plot->out, " stroke-dasharray=\"%s\"", dash);
    fputs("/>\n", plot->out);
}

void svg_mark(const struct plot *plot, const char *shape, double x, double y, double r, const char *fill,
              const char *stroke)
{
    const char *common = strcmp(stroke, "#ffffff") == 0 && strcmp(fill, "none") == 0
                             ? "fill=\"%s\" stroke=\"%s\" stroke-width=\"2.4\"/>\n"
                             : "fill=\"%s\" stroke=\"%s\" stroke-width=\"1.1\"/>\n";
    if (strcmp(shape, "diamond") == 0)
        fprintf(plot->out, "<path d=\"M%.2f %.2fl%.2f %.2fl%.2f %.2fl%.2f %.2fz\" ", x, y - r, r * 0.8, r, -r * 0.8, r,
                -r * 0.8, -r);
    else if (strcmp(shape, "triangle") == 0)
        fprintf(plot->out, "<path d=\"M%.2f %.2fl%.2f %.2fh%.2fz\" ", x, y - r, r, 1.8 * r, -2 * r);
    else if (strcmp(shape, "square") == 0)
        fprintf(plot->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", x - r * 0.85, y - r * 0.85,
                1.7 * r, 1.7 * r);
    else if (strcmp(shape, "box") == 0)
        fprintf(plot->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", x - r, y - r, 2 * r, 2 * r);
    else if (strcmp(shape, "rays") == 0) {
        fputs("<path d=\"", plot->out);
        for (int i = 0; i < 4; i++) {
            const double sx = i & 1 ? -1 : 1, sy = i & 2 ? -1 : 1;
            fprintf(plot->out, "M%.2f %.2fl%.2f %.2f", x + sx * r, y + sy * r, sx * 3.2, sy * 3.2);
        }
        fputs("\" ", plot->out);
    } else fprintf(plot->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" ", x, y, r);
    fprintf(plot->out, common, fill, stroke);
}

const char *svg_colour(const char *series, size_t i)
{
    static const struct {
        const char *name, *colour;
    } known[] = {{"GTO", "#a3aab3"},   {"SWL", "#e69f00"},   {"Static-Best", "#009e73"},
                 {"Poise", "#0072b2"}, {"paper", "#6b737d"}, {"ours", "#0072b2"}};
    static const char *const others[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#b3a800",
                                         "#6b5ca5", "#7a838d", "#8c4f2b", "#4b8b00", "#ad1457", "#00838f"};
    for (size_t k = 0; k < COUNT_OF(known); k++)
        if (strcmp(series, known[k].name) == 0) return known[k].colour;
    return others[i % COUNT_OF(others)];
}

void svg_shade(double t, char out[8])
{
    static const double stops[][3] = {{168, 80, 10},  {227, 167, 104}, {219, 224, 230}, {156, 202, 230},
                                      {60, 143, 199}, {8, 74, 135},    {4, 38, 74}};
    static const double at[] = {-1, -0.5, 0, 0.25, 0.5, 0.75, 1};
    size_t i = 0;
    t = fmin(1, fmax(-1, t));
    while (i + 2 < COUNT_OF(at) && t > at[i + 1]) i++;
    const double w = (t - at[i]) / (at[i + 1] - at[i]);
    unsigned rgb[3];
    for (size_t k = 0; k < 3; k++) rgb[k] = (unsigned)(stops[i][k] + w * (stops[i + 1][k] - stops[i][k]) + 0.5) & 255;
    snprintf(out, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* Helvetica's, nearly. */
static double svg_text_width(const char *text, double size)
{
    double width = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            width += strchr("iljtf.,:;|'!()[] ", *text) ? 0.3 : strchr("mwMW%", *text) ? 0.85 : 0.56;
    return width * size;
}

double svg_longest(const json_t *list, double size)
{
    const json_t *text;
    size_t i;
    double most = 0;
    json_array_foreach(list, i, text)
        most = fmax(most, svg_text_width(json_string_value(text) ? json_string_value(text) : "", size));
    return most;
}

/* ---- frame ---- */

void svg_open(struct plot *plot, const json_t *figure)
{
    fprintf(plot->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0fpt\" height=\"%.0fpt\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" role=\"img\">\n<title>",
            plot->width, plot->height, plot->width, plot->height);
    report_print_escaped(report_string(figure, "title"), plot->out);
    fputs("</title>\n<desc>", plot->out);
    report_print_escaped(report_string(figure, "alt"), plot->out);
    fputs("</desc>\n", plot->out);
}

void svg_close(const struct plot *plot) { fputs("</svg>\n", plot->out); }

static double tick_step(double low, double high)
{
    const double rough = (high - low) / 5, power = pow(10, floor(log10(rough))), f = rough / power;
    return (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * power;
}

void svg_nice(double *low, double *high)
{
    if (!(*high > *low)) *low -= 0.5, *high += 0.5;
    const double step = tick_step(*low, *high);
    *low = step * floor(*low / step + 1e-9);
    *high = step * ceil(*high / step - 1e-9);
}

static void tick_text(const char *format, double value, char *text, size_t size)
{
    if (fabs(value) < 1e-12) value = 0;
    if (strcmp(format, "percent") == 0) snprintf(text, size, "%.4g%%", 100 * value);
    else if (fabs(value) >= 1e6) snprintf(text, size, "%.3gM", 1e-6 * value);
    else if (fabs(value) >= 1e4) snprintf(text, size, "%.4gk", 1e-3 * value);
    else snprintf(text, size, "%.5g", value);
}

void svg_axis_x(const struct plot *plot, const char *title, const char *format, bool has_grid)
{
    const double step = tick_step(plot->x0, plot->x1);
    for (double v = step * ceil(plot->x0 / step - 1e-9); v <= plot->x1 + 1e-9 * step; v += step) {
        char text[40];
        const double x = svg_x(plot, v);
        tick_text(format, v, text, sizeof text);
        if (has_grid) svg_line(plot, x, plot->top, x, plot->bottom, SVG_GRID, 0.6, NULL);
        svg_text(plot, x, plot->bottom + 10, SVG_MIDDLE, 7.5, SVG_MUTED, 0, text);
    }
    svg_text(plot, (plot->left + plot->right) / 2, plot->bottom + 21, SVG_MIDDLE, 8, SVG_MUTED, 0, title);
}

void svg_axis_y(const struct plot *plot, const char *title, const char *format, bool has_grid)
{
    const double step = tick_step(plot->y0, plot->y1);
    for (double v = step * ceil(plot->y0 / step - 1e-9); v <= plot->y1 + 1e-9 * step; v += step) {
        char text[40];
        const double y = svg_y(plot, v);
        tick_text(format, v, text, sizeof text);
        if (has_grid) svg_line(plot, plot->left, y, plot->right, y, SVG_GRID, 0.6, NULL);
        svg_text(plot, plot->left - 4, y + 2.6, SVG_END, 7.5, SVG_MUTED, 0, text);
    }
    svg_text(plot, 9, (plot->top + plot->bottom) / 2, SVG_MIDDLE, 8, SVG_MUTED, -90, title);
}

/* Names run on and break where the width ends; both functions walk alike. */
static double walk_legend(const struct plot *plot, const json_t *series, const char *const *colours, double left,
                          double width)
{
    const json_t *item;
    size_t i;
    double x = 0, y = 0;
    if (json_array_size(series) < 2) return 0;
    json_array_foreach(series, i, item) {
        const char *name = json_is_string(item) ? json_string_value(item) : report_string(item, "name");
        const double w = svg_text_width(name, 8) + 20;
        if (x > 0 && x + w > width) x = 0, y += 12;
        if (plot) {
            svg_rect(plot, left + x, y + 4, 7, 7, colours ? colours[i] : svg_colour(name, i));
            svg_text(plot, left + x + 10, y + 10.5, SVG_START, 8, SVG_INK, 0, name);
        }
        x += w;
    }
    return y + 16;
}

double svg_legend_height(const json_t *series, double width) { return walk_legend(NULL, series, NULL, 0, width); }
void svg_legend(const struct plot *plot, const json_t *series, const char *const *colours)
{
    walk_legend(plot, series, colours, plot->left, plot->right - plot->left);
}
