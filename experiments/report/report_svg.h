/* A plot in SVG: an area with two linear scales, axes, a legend. For papers, in points; no script, no outside
 * reference. */
#ifndef POISE_REPORT_SVG_H
#define POISE_REPORT_SVG_H
#include "report/report_internal.h"

struct plot {
    FILE *out;
    double width, height;            /* of the figure */
    double left, top, right, bottom; /* edges of the plotting area */
    double x0, x1, y0, y1;           /* domains; y0 is at the bottom */
};
#define SVG_INK "#1a1d21"
#define SVG_MUTED "#555c66"
#define SVG_GRID "#e4e7eb"
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

double svg_x(const struct plot *plot, double value);
double svg_y(const struct plot *plot, double value);
/* `text` may be anything: markup in it is escaped. rotate in degrees about (x, y). */
void svg_text(const struct plot *plot, double x, double y, enum svg_anchor anchor, double size, const char *colour,
              double rotate, const char *text);
void svg_rect(const struct plot *plot, double x, double y, double width, double height, const char *fill);
void svg_line(const struct plot *plot, double x1, double y1, double x2, double y2, const char *stroke, double width,
              const char *dash);
void svg_mark(const struct plot *plot, const char *shape, double x, double y, double radius, const char *fill,
              const char *stroke);
const char *svg_colour(const char *series, size_t i); /* policies have their own; others come in turn */
void svg_shade(double t, char out[8]);                /* -1 .. 0 .. 1: brown, grey, blue */
double svg_longest(const json_t *list, double size);

void svg_open(struct plot *plot, const json_t *figure);
void svg_close(const struct plot *plot);
/* Makes both domains end at round numbers and draws grid, numbers and titles. NULL title: no axis. */
void svg_nice(double *low, double *high);
void svg_axis_x(const struct plot *plot, const char *title, const char *format, bool has_grid);
void svg_axis_y(const struct plot *plot, const char *title, const char *format, bool has_grid);
/* Rows of names above the area; its height is added to `top` before anything is drawn. */
double svg_legend_height(const json_t *series, double width);
void svg_legend(const struct plot *plot, const json_t *series, const char *const *colours);

#define SVG_DRAW(kind) int svg_draw_##kind(struct plot *plot, const json_t *figure);
#define F(kind, text) SVG_DRAW(kind)
REPORT_FIGURES(F)
#undef F

/* A figure's SVG as PDF, with a fixed date: the same figure is the same file. Fails where librsvg is missing. */
int report_figure_pdf(const char *svg, size_t size, FILE *out, struct error *err);
bool report_has_pdf(void); /* whether librsvg is there */
#endif
