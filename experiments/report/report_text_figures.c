/* Figures as characters. Colours are the 256 of every terminal; without them shades, digits and letters say the
 * same. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}
static double at(const json_t *list, size_t i) { return report_value(json_array_get(list, i)); }

/* "1 issued  2 memory" and so on, broken where the width ends. */
static void legend(const json_t *series, char first, const struct report_style *style, FILE *out)
{
    const json_t *s;
    size_t i, column = 0;
    json_array_foreach(series, i, s) {
        const char *name = report_string(s, "name");
        const size_t n = strlen(name) < style->width - 8 ? strlen(name) : style->width - 8;
        if (column && column + n + 4 > style->width - 2) fputc('\n', out), column = 0;
        fprintf(out, "  %c ", (char)(first + (int)(i % 26)));
        report_text_put(name, n, false, out);
        column += n + 4;
    }
    fputc('\n', out);
}

/* A bar in eighths of a column. */
static void bar(double share, size_t width, FILE *out)
{
    static const char *const parts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    const size_t eighths = (size_t)(fmax(0, fmin(1, share)) * 8 * (double)width + 0.5), full = eighths / 8,
                 rest = eighths % 8;
    for (size_t i = 0; i < full; i++) fputs("\u2588", out);
    fputs(parts[rest], out);
    fprintf(out, "%*s", (int)(width - full - (rest ? 1 : 0)), "");
}

static size_t longest(const json_t *list, size_t most)
{
    size_t n = 4;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strlen(text_at(list, i)) > n) n = strlen(text_at(list, i));
    return n < most ? n : most;
}

static const char *format_of(const json_t *figure, const char *axis)
{
    return report_string(json_object_get(figure, axis), "format");
}

/* ---- warp-tuple maps, as many beside each other as fit ---- */

struct map {
    const json_t *figure;
    size_t W;
    double low, high;
};

static struct map map_of(const json_t *figure)
{
    struct map m = {.figure = figure, .W = (size_t)fmax(1, report_get(figure, "W")), .low = 1, .high = 1};
    const json_t *v = json_object_get(figure, "v"), *x = json_object_get(figure, "x");
    for (size_t i = 0; i < json_array_size(v); i++) {
        if (at(x, i) > (double)m.W) m.W = (size_t)at(x, i);
        if (at(v, i) > 0) m.low = fmin(m.low, at(v, i)), m.high = fmax(m.high, at(v, i));
    }
    return m;
}

/* -1 .. 1 about no change; NAN where not simulated. */
static double shade_at(const struct map *m, size_t N, size_t p)
{
    const json_t *x = json_object_get(m->figure, "x"), *y = json_object_get(m->figure, "y"),
                 *v = json_object_get(m->figure, "v");
    for (size_t i = 0; i < json_array_size(v); i++)
        if (at(x, i) == (double)N && at(y, i) == (double)p)
            return at(v, i) >= 1 ? (m->high > 1 ? log(at(v, i)) / log(m->high) : 0) : -log(at(v, i)) / log(m->low);
    return NAN;
}

static char mark_at(const struct map *m, size_t N, size_t p)
{
    static const struct {
        const char *kind;
        char letter;
    } marks[] = {{"static_best", 'B'}, {"target", 'T'}, {"predicted", 'P'}, {"corrected", 'C'}};
    const json_t *mark;
    size_t i;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        json_array_foreach(json_object_get(m->figure, "marks"), i, mark)
            if (strcmp(report_string(mark, "kind"), marks[k].kind) == 0 && round(report_get(mark, "x")) == (double)N &&
                round(report_get(mark, "y")) == (double)p)
                return marks[k].letter;
    return 0;
}

static void print_cell(const struct map *m, size_t N, size_t p, bool has_colour, FILE *out)
{
    static const int up[] = {250, 153, 110, 67, 25, 18}, down[] = {250, 216, 172, 130};
    static const char *const shades[] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};
    const double t = shade_at(m, N, p);
    const char mark = mark_at(m, N, p);
    if (has_colour && !isnan(t)) {
        const int colour = t >= 0 ? up[(int)(5 * t + 0.5)] : down[(int)(-3 * t + 0.5)];
        fprintf(out, "\033[48;5;%dm\033[38;5;%dm%c \033[0m", colour, t > 0.5 ? 231 : 16, mark ? mark : ' ');
    } else if (mark) {
        fprintf(out, "%c ", mark);
    } else if (isnan(t)) {
        fputs(p <= N ? "  " : "  ", out);
    } else if (t < -0.02) {
        fputs("- ", out);
    } else {
        fprintf(out, "%s%s", shades[(int)(4 * fmax(0, t) + 0.5)], shades[(int)(4 * fmax(0, t) + 0.5)]);
    }
}

static void print_map_line(const struct map *m, size_t p, bool has_colour, FILE *out)
{
    if (p == 0) {
        fputs("   ", out);
        for (size_t N = 1; N <= m->W; N++) {
            if (N == 1 || N % 4 == 0) fprintf(out, "%-2zu", N);
            else fputs("  ", out);
        }
        return;
    }
    if (p == 1 || p % 4 == 0) fprintf(out, "%2zu ", p);
    else fputs("   ", out);
    for (size_t N = 1; N <= m->W; N++) print_cell(m, N, p, has_colour, out);
}

/* ---- maps of few points: axes of the simulated values, speedups as numbers ---- */

enum { SPARSE_CELL = 8, SPARSE_LEFT = 5, SPARSE_MAPS_MAX = 8 };

static bool is_sparse(const json_t *figure)
{
    return strcmp(report_string(figure, "kind"), "heat") == 0 && json_object_get(figure, "xticks") &&
           json_object_get(figure, "yticks");
}

static size_t ticks_of(const json_t *figure, const char *axis)
{
    return json_array_size(json_object_get(figure, axis));
}
static size_t sparse_width(const json_t *figure) { return SPARSE_LEFT + SPARSE_CELL * ticks_of(figure, "xticks") + 2; }

/* The letters of all marks on a cell. */
static const char *marks_on(const json_t *figure, double N, double p, char text[8])
{
    static const struct {
        const char *kind;
        char letter;
    } known[] = {{"static_best", 'B'}, {"target", 'T'}, {"predicted", 'P'}, {"corrected", 'C'}};
    const json_t *mark;
    size_t i, n = 0;
    for (size_t k = 0; k < COUNT_OF(known); k++)
        json_array_foreach(json_object_get(figure, "marks"), i, mark)
            if (strcmp(report_string(mark, "kind"), known[k].kind) == 0 && round(report_get(mark, "x")) == N &&
                round(report_get(mark, "y")) == p && n < 3)
                text[n++] = known[k].letter;
    text[n] = '\0';
    return text;
}

static double value_at(const json_t *figure, double N, double p)
{
    const json_t *x = json_object_get(figure, "x"), *y = json_object_get(figure, "y"),
                 *v = json_object_get(figure, "v");
    for (size_t i = 0; i < json_array_size(v); i++)
        if (at(x, i) == N && at(y, i) == p) return at(v, i);
    return NAN;
}

/* Line 0 has the values of N; line k the k-th value of p. */
static void sparse_line(const json_t *figure, size_t line, FILE *out)
{
    const json_t *xticks = json_object_get(figure, "xticks"), *yticks = json_object_get(figure, "yticks");
    char number[32], letters[8], cell[48];
    if (line) fprintf(out, "%*.0f", SPARSE_LEFT, at(yticks, line - 1));
    else fprintf(out, "%*s", SPARSE_LEFT, "");
    for (size_t i = 0; i < json_array_size(xticks); i++) {
        const double N = at(xticks, i), v = line ? value_at(figure, N, at(yticks, line - 1)) : N;
        snprintf(number, sizeof number, "%.*f", line == 0 ? 0 : v < 10 ? 2 : 1, v);
        snprintf(cell, sizeof cell, "%5s%s", isnan(v) ? "" : number,
                 line ? marks_on(figure, N, at(yticks, line - 1), letters) : "");
        report_text_put(cell, SPARSE_CELL, false, out);
    }
    fputs("  ", out);
}

static size_t text_sparse_maps(const json_t *figures, size_t first, const struct report_style *style, FILE *out)
{
    size_t n = 0, used = 2, tallest = 0;
    char text[40], title[200];
    for (size_t i = first; i < json_array_size(figures) && n < SPARSE_MAPS_MAX; i++, n++) {
        const json_t *figure = json_array_get(figures, i);
        if (!is_sparse(figure) || (n && used + sparse_width(figure) > style->width)) break;
        used += sparse_width(figure);
        if (ticks_of(figure, "yticks") > tallest) tallest = ticks_of(figure, "yticks");
    }
    fputs("  ", out);
    for (size_t k = 0; k < n; k++) {
        const json_t *figure = json_array_get(figures, first + k);
        double high = 0;
        for (size_t i = 0; i < json_array_size(json_object_get(figure, "v")); i++)
            high = fmax(high, at(json_object_get(figure, "v"), i));
        snprintf(title, sizeof title, "%.150s  to %s", report_string(figure, "title"),
                 report_format("ratio", high, text, sizeof text));
        report_text_put(title, sparse_width(figure) - 2, false, out);
        fputs("  ", out);
    }
    fputc('\n', out);
    for (size_t line = tallest + 1; line-- > 0;) {
        fputs("  ", out);
        for (size_t k = 0; k < n; k++) {
            const json_t *figure = json_array_get(figures, first + k);
            if (line <= ticks_of(figure, "yticks")) sparse_line(figure, line, out);
            else report_text_put("", sparse_width(figure), false, out);
        }
        fputc('\n', out);
    }
    fputs("  N to the right, p upwards: the simulated values alone\n"
          "  B Static-Best, T target, P prediction, C corrected\n\n",
          out);
    return n;
}

size_t report_text_maps(const json_t *figures, size_t first, const struct report_style *style, FILE *out)
{
    struct map maps[16];
    size_t n = 0, used = 2, tallest = 0;
    char text[40];
    const json_t *leading = json_array_get(figures, first);
    if (is_sparse(leading) && 2 + sparse_width(leading) <= style->width)
        return text_sparse_maps(figures, first, style, out);
    for (size_t i = first; i < json_array_size(figures) && n < 16; i++) {
        const struct map m = map_of(json_array_get(figures, i));
        if (strcmp(report_string(m.figure, "kind"), "heat") != 0 || (n && is_sparse(m.figure)) ||
            (n && used + 2 * m.W + 7 > style->width))
            break;
        used += 2 * m.W + 7;
        tallest = m.W > tallest ? m.W : tallest;
        maps[n++] = m;
    }
    for (size_t k = 0; k < n; k++) {
        char title[200];
        snprintf(title, sizeof title, "%.150s  to %s", report_string(maps[k].figure, "title"),
                 report_format("ratio", maps[k].high, text, sizeof text));
        fputs("  ", out);
        report_text_put(title, 2 * maps[k].W + 4, false, out);
        fputc(' ', out);
    }
    fputc('\n', out);
    for (size_t line = tallest + 1; line-- > 0;) {
        for (size_t k = 0; k < n; k++) {
            fputs("  ", out);
            if (line <= maps[k].W) print_map_line(&maps[k], line, style->has_colour, out);
            else fprintf(out, "%*s", (int)(2 * maps[k].W + 3), "");
            fputs("  ", out);
        }
        fputc('\n', out);
    }
    fputs("  N to the right, p upwards; - is slower than with all warps\n  B Static-Best, T target, P prediction, C "
          "corrected\n\n",
          out);
    return n;
}

/* ---- the other kinds ---- */

/* Bars of a figure as a grid: a column a series and a row a category, or turned where the names of the series are too
 * long for columns. */
struct grid {
    const json_t *figure, *categories, *series;
    bool is_turned;
};

static const char *series_name(const struct grid *g, size_t i)
{
    return report_string(json_array_get(g->series, i), "name");
}

static size_t grid_size(const struct grid *g, bool is_columns)
{
    return json_array_size(is_columns != g->is_turned ? g->series : g->categories);
}

static const char *grid_name(const struct grid *g, bool is_columns, size_t i)
{
    return is_columns != g->is_turned ? series_name(g, i) : text_at(g->categories, i);
}

static double grid_value(const struct grid *g, size_t row, size_t column)
{
    const json_t *series = json_array_get(g->series, g->is_turned ? row : column);
    return at(json_object_get(series, "values"), g->is_turned ? column : row);
}

static size_t grid_longest(const struct grid *g, bool is_columns, size_t most)
{
    size_t n = 4;
    for (size_t i = 0; i < grid_size(g, is_columns); i++)
        if (strlen(grid_name(g, is_columns, i)) > n) n = strlen(grid_name(g, is_columns, i));
    return n < most ? n : most;
}

/* Columns `first` .. `end` - 1 of every row, side by side. */
static void bars_block(const struct grid *g, size_t first, size_t end, double most, size_t label, size_t per, FILE *out)
{
    const size_t width = per > 12 ? per - 11 : 0;
    char text[40];
    fprintf(out, "  %*s", (int)label, "");
    for (size_t i = first; i < end; i++) {
        fputc(' ', out);
        report_text_put(grid_name(g, true, i), per - 1, false, out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < grid_size(g, false); row++) {
        fputs("  ", out);
        report_text_put(grid_name(g, false, row), label, false, out);
        for (size_t i = first; i < end; i++) {
            const double v = grid_value(g, row, i);
            fputc(' ', out);
            report_text_put(report_format(format_of(g->figure, "y"), v, text, sizeof text), 8, true, out);
            if (width) fputc(' ', out);
            if (width) bar(isfinite(v) && most > 0 ? v / most : 0, width, out);
            else fputc(' ', out);
        }
        fputc('\n', out);
    }
}

static void text_bars(const json_t *f, const struct report_style *style, FILE *out)
{
    enum { LABEL_MAX = 28, COLUMN_LEAST = 10 };
    struct grid g = {f, json_object_get(f, "categories"), json_object_get(f, "series"), false};
    const size_t k = json_array_size(g.series);
    double most = 0;
    if (k == 0) return;
    const size_t beside = (style->width - LABEL_MAX) / k;
    g.is_turned = grid_longest(&g, true, 100) >= (beside > COLUMN_LEAST ? beside : COLUMN_LEAST) &&
                  grid_longest(&g, true, 100) > grid_longest(&g, false, 100);
    const size_t label = grid_longest(&g, false, LABEL_MAX), columns = grid_size(&g, true),
                 room = style->width - label - 4;
    const size_t fit = room / COLUMN_LEAST < 1 ? 1 : room / COLUMN_LEAST, block = columns < fit ? columns : fit;
    for (size_t row = 0; row < grid_size(&g, false); row++)
        for (size_t c = 0; c < columns; c++) most = fmax(most, grid_value(&g, row, c));
    for (size_t i = 0; i < columns; i += block)
        bars_block(&g, i, i + block < columns ? i + block : columns, most, label, room / block, out);
}

static void text_stack(const json_t *f, const struct report_style *style, FILE *out)
{
    static const int colours[] = {250, 25, 117, 166, 215, 185, 175, 36, 254};
    const json_t *categories = json_object_get(f, "categories"), *within = json_object_get(f, "within"),
                 *series = json_object_get(f, "series"), *s;
    const size_t a = longest(categories, 20), b = longest(within, 14),
                 width = style->width > a + b + 10 ? style->width - a - b - 5 : 10;
    size_t i, c;
    legend(series, '1', style, out);
    for (c = 0; c < json_array_size(categories); c++) {
        double sum = 0;
        size_t done = 0;
        fputs("  ", out);
        report_text_put(c && strcmp(text_at(categories, c), text_at(categories, c - 1)) == 0 ? ""
                                                                                             : text_at(categories, c),
                        a + 1, false, out);
        report_text_put(text_at(within, c), b + 1, false, out);
        json_array_foreach(series, i, s) {
            const double v = at(json_object_get(s, "values"), c);
            if (!isfinite(v)) continue;
            sum += v;
            if (style->has_colour)
                fprintf(out, "\033[48;5;%dm\033[38;5;%dm", colours[i % 9], i == 1 || i == 3 || i == 7 ? 231 : 16);
            for (const size_t to = (size_t)(sum * (double)width + 0.5); done < to && done < width; done++)
                fprintf(out, "%zu", i + 1);
            if (style->has_colour) fputs("\033[0m", out);
        }
        fputc('\n', out);
    }
}

static void text_points(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *labels = json_object_get(f, "labels"), *series = json_object_get(f, "series"), *s;
    const size_t label = longest(labels, 30), many = json_array_size(series);
    size_t i, k;
    char text[40];
    fputs("  ", out);
    report_text_put(report_string(json_object_get(f, "y"), "label"), label, false, out);
    json_array_foreach(series, i, s)
        fprintf(out, "  %10.10s%s", report_string(s, "name"),
                json_array_size(json_object_get(s, "low")) ? "       low      high" : "");
    fputc('\n', out);
    double most = 0;
    json_array_foreach(series, i, s)
        for (k = 0; k < json_array_size(labels); k++) most = fmax(most, at(json_object_get(s, "values"), k));
    for (k = 0; k < json_array_size(labels); k++) {
        fputs("  ", out);
        report_text_put(text_at(labels, k), label, false, out);
        json_array_foreach(series, i, s) {
            fputs("  ", out);
            report_text_put(report_format(format_of(f, "y"), at(json_object_get(s, "values"), k), text, sizeof text),
                            10, true, out);
            if (!json_array_size(json_object_get(s, "low"))) continue;
            report_text_put(report_format(format_of(f, "y"), at(json_object_get(s, "low"), k), text, sizeof text), 10,
                            true, out);
            report_text_put(report_format(format_of(f, "y"), at(json_object_get(s, "high"), k), text, sizeof text), 10,
                            true, out);
        }
        const size_t used =
            label + 4 + many * 12 + (json_array_size(json_object_get(json_array_get(series, 0), "low")) ? 20 : 0);
        fputs("  ", out);
        if (many == 1 && style->width > used + 12 && most > 0)
            bar(fmax(0, at(json_object_get(json_array_get(series, 0), "values"), k)) / most, style->width - used - 2,
                out);
        fputc('\n', out);
    }
}

/* ---- planes ---- */

enum { PLANE_COLUMNS = 72, PLANE_ROWS = 18 };
struct plane {
    char cells[PLANE_ROWS][PLANE_COLUMNS];
    size_t columns;
    double x0, x1, y0, y1;
};

static void plane_extend(struct plane *plane, const json_t *x, const json_t *y)
{
    for (size_t i = 0; i < json_array_size(x); i++) {
        if (!isfinite(at(x, i)) || !isfinite(at(y, i))) continue;
        plane->x0 = fmin(plane->x0, at(x, i)), plane->x1 = fmax(plane->x1, at(x, i));
        plane->y0 = fmin(plane->y0, at(y, i)), plane->y1 = fmax(plane->y1, at(y, i));
    }
}

static void plane_dot(struct plane *plane, double x, double y, char letter)
{
    if (!isfinite(x) || !isfinite(y)) return;
    const double w = plane->x1 > plane->x0 ? (x - plane->x0) / (plane->x1 - plane->x0) : 0.5,
                 h = plane->y1 > plane->y0 ? (y - plane->y0) / (plane->y1 - plane->y0) : 0.5;
    if (w < 0 || w > 1 || h < 0 || h > 1) return;
    plane->cells[PLANE_ROWS - 1 - (size_t)(h * (PLANE_ROWS - 1) + 0.5)]
                [(size_t)(w * (double)(plane->columns - 1) + 0.5)] = letter;
}

static struct plane plane_of(const struct report_style *style)
{
    struct plane plane = {.columns = style->width - 16 < PLANE_COLUMNS ? style->width - 16 : PLANE_COLUMNS,
                          .x0 = INFINITY,
                          .x1 = -INFINITY,
                          .y0 = INFINITY,
                          .y1 = -INFINITY};
    memset(plane.cells, ' ', sizeof plane.cells);
    return plane;
}

static void plane_print(const struct plane *plane, const json_t *f, FILE *out)
{
    char low[40], high[40];
    for (size_t r = 0; r < PLANE_ROWS; r++) {
        const double y = plane->y1 - (plane->y1 - plane->y0) * (double)r / (PLANE_ROWS - 1);
        report_text_put(r % 4 == 0 || r == PLANE_ROWS - 1 ? report_format(format_of(f, "y"), y, low, sizeof low) : "",
                        11, true, out);
        fprintf(out, " |%.*s\n", (int)plane->columns, plane->cells[r]);
    }
    report_format(format_of(f, "x"), plane->x0, low, sizeof low);
    report_format(format_of(f, "x"), plane->x1, high, sizeof high);
    fprintf(out, "%13s%s%*s\n  ", "", low, (int)(plane->columns > strlen(low) ? plane->columns - strlen(low) : 1),
            high);
    report_text_put(report_string(json_object_get(f, "y"), "label"), plane->columns / 2, false, out);
    fputs(" over ", out);
    report_text_put(report_string(json_object_get(f, "x"), "label"), plane->columns / 2, false, out);
    fputc('\n', out);
}

static void text_scatter(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *x = json_object_get(f, "px"), *y = json_object_get(f, "py"), *groups = json_object_get(f, "groups");
    struct plane plane = plane_of(style);
    plane_extend(&plane, x, y);
    if (json_is_true(json_object_get(f, "diagonal"))) {
        plane.x0 = plane.y0 = fmin(plane.x0, plane.y0), plane.x1 = plane.y1 = fmax(plane.x1, plane.y1);
        for (size_t i = 0; i <= 200; i++)
            plane_dot(&plane, plane.x0 + (plane.x1 - plane.x0) * (double)i / 200,
                      plane.x0 + (plane.x1 - plane.x0) * (double)i / 200, '.');
    }
    for (size_t i = 0; i < json_array_size(x); i++) {
        const char letter = text_at(groups, i)[0];
        plane_dot(&plane, at(x, i), at(y, i), letter > 32 && letter < 127 ? letter : 'o');
    }
    plane_print(&plane, f, out);
    if (json_array_size(groups)) fputs("  points by their group's first letter\n", out);
}

static void text_line(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *series = json_object_get(f, "series"), *s;
    struct plane plane = plane_of(style);
    size_t i;
    json_array_foreach(series, i, s) plane_extend(&plane, json_object_get(s, "x"), json_object_get(s, "values"));
    plane.y0 = fmin(0, plane.y0);
    json_array_foreach(series, i, s) {
        const json_t *x = json_object_get(s, "x"), *y = json_object_get(s, "values");
        for (size_t k = 0; k < json_array_size(x); k++)
            plane_dot(&plane, at(x, k), at(y, k), (char)('a' + (int)(i % 26)));
    }
    plane_print(&plane, f, out);
    legend(series, 'a', style, out);
}

/* ---- tables of colours and counts ---- */

static void text_matrix(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *rows = json_object_get(f, "rows"), *columns = json_object_get(f, "columns"),
                 *values = json_object_get(f, "values");
    const size_t label = longest(rows, 30), room = (style->width - label - 2) / 8,
                 n = json_array_size(columns) < room ? json_array_size(columns) : room;
    fprintf(out, "  %*s", (int)label, "");
    for (size_t c = 0; c < n; c++) fputc(' ', out), report_text_put(text_at(columns, c), 7, true, out);
    fputc('\n', out);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        fputs("  ", out);
        report_text_put(text_at(rows, r), label, false, out);
        for (size_t c = 0; c < n; c++) {
            const double v = at(json_array_get(values, r), c);
            const char *sign = text_at(json_array_get(json_object_get(f, "signs"), r), c);
            if (isfinite(v) && *sign) fprintf(out, " %5.2f ", v), report_text_put(sign, 1, false, out);
            else if (isfinite(v)) fprintf(out, " %7.2f", v);
            else fputc(' ', out), report_text_put(sign, 7, true, out);
        }
        fputc('\n', out);
    }
    if (n < json_array_size(columns))
        fprintf(out, "  ... %zu more columns: --width, or --format csv\n", json_array_size(columns) - n);
}

static void text_rootogram(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *counts = json_object_get(f, "counts"), *observed = json_object_get(f, "observed"),
                 *expected = json_object_get(f, "expected");
    double most = 0;
    for (size_t i = 0; i < json_array_size(counts); i++) most = fmax(most, fmax(at(observed, i), at(expected, i)));
    fprintf(out, "  %6s %9s %9s\n", report_string(json_object_get(f, "x"), "label"), "observed", "expected");
    for (size_t i = 0; i < json_array_size(counts); i++) {
        fprintf(out, "  %6.0f %9.4g %9.3f  ", at(counts, i), at(observed, i), at(expected, i));
        bar(most > 0 ? at(observed, i) / most : 0, style->width - 32, out);
        fputc('\n', out);
    }
}

void report_text_figure(const json_t *figure, const struct report_style *style, FILE *out)
{
    static const struct {
        const char *kind;
        void (*print)(const json_t *, const struct report_style *, FILE *);
    } kinds[] = {{"bars", text_bars},           {"stack", text_stack},
                 {"points", text_points},       {"scatter", text_scatter},
                 {"line", text_line},           {"matrix", text_matrix},
                 {"rootogram", text_rootogram}, {"parallel", report_text_parallel}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, report_string(figure, "kind")) == 0) kinds[i].print(figure, style, out);
}
