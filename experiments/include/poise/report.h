/* Reports: what result folders hold, as one document, and the forms in which people take it away.
 *
 * The document is a JSON object: {title, headline[], findings[], sections[{id, title, text, figures[], tables[],
 * notes[]}]}. A figure is one of nine kinds (REPORT_FIGURES) with its data in columns; the page (Vega), the
 * terminal, SVG and CSV all draw from it, so they cannot disagree. Nothing is simulated or fitted anew but the
 * regression behind a dataset.csv, whose weights must come out as the model has them. */
#ifndef POISE_REPORT_H
#define POISE_REPORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
struct json_t;

/* kind, what it shows */
#define REPORT_FIGURES(F) \
    F(heat, "cells of a plane by colour, with marks: warp-tuple maps") \
    F(matrix, "a table by colour: correlations, features of kernels") \
    F(bars, "groups of bars: policies by benchmark") \
    F(stack, "shares of a whole: stall causes, occupancies") \
    F(points, "values with intervals, or pairs: coefficients, regrets, paper and ours") \
    F(scatter, "points of a plane, with or without the diagonal") \
    F(line, "curves, with or without bands") \
    F(rootogram, "observed counts hung from expected ones") \
    F(parallel, "lines through parallel axes: trials of a tuning")

/* What the caller may choose; NULL: the studies' names, machines and sizes; the first machine and stack of a sweep. */
struct report_choice {
    const char *title;
    const char *relative_to; /* MACHINE or MACHINE:STACK of a sweep over machines: what speeds across machines are
                              * relative to */
};
/* Reads result folders, JSON files and stores; what they are is seen from their keys. The document is the caller's.
 * `choice` may be NULL. */
int report_build(struct json_t **document, const char *const *paths, size_t n, const struct report_choice *choice,
                 struct error *err);

/* One page with everything inlined, Vega among it; refused by a build without libjs-vega. */
int report_html(const struct json_t *document, FILE *out, struct error *err);
struct report_style {
    unsigned width;
    bool has_colour;
}; /* of the terminal */
int report_text(const struct json_t *document, const struct report_style *style, FILE *out, struct error *err);
/* Long form: section, item, row, column, value. One value a line, so that any tool can pick what it wants. */
int report_csv(const struct json_t *document, FILE *out, struct error *err);
/* One SVG file a figure and, where the build has librsvg, one PDF file; DIR is made. `has_pdf` (may be NULL) says
 * whether. */
int report_figures(const struct json_t *document, const char *dir, size_t *n, bool *has_pdf, struct error *err);
int report_figure_svg(const struct json_t *figure, FILE *out); /* one of them; -1: there is nothing to draw */
#endif
