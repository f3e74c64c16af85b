/* PDF of a figure. */
#ifndef REPORT_PDF_H
#define REPORT_PDF_H
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"

/* Writes the SVG document of `size` bytes as PDF of the same size, in points. Returns 0, or -1 with an error: librsvg
 * cannot be loaded, or the document cannot be drawn. Only in builds that have librsvg (REPORT_HAS_RSVG). */
int report_pdf(const char *svg, size_t size, FILE *out, struct error *err);
#endif
