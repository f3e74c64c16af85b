/* Figures for papers as files: SVG, and PDF through librsvg where the build has it. */
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "report/report_svg.h"
#ifdef REPORT_HAS_RSVG
#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#endif

int report_figure_svg(const json_t *figure, FILE *out)
{
    static const struct {
        const char *kind;
        int (*draw)(struct plot *, const json_t *);
    } kinds[] = {
#define F(kind, text) {#kind, svg_draw_##kind},
        REPORT_FIGURES(F)
#undef F
    };
    struct plot plot = {.out = out, .width = 432, .height = 190};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].kind, report_string(figure, "kind")) == 0) return kinds[i].draw(&plot, figure);
    return -1;
}

#ifdef REPORT_HAS_RSVG
static cairo_status_t into_memory(void *out, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, out) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A fixed date, so that the same figure is the same file. */
static int pdf_of(const char *svg, size_t size, FILE *out, struct error *err)
{
    GError *failed = NULL;
    RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)svg, size, &failed);
    double width = 0, height = 0;
    if (!handle || !rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) {
        error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure without a size");
        g_clear_error(&failed);
        if (handle) g_object_unref(handle);
        return -1;
    }
    width *= 0.75, height *= 0.75; /* CSS pixels to points */
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(into_memory, out, width, height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_t *cairo = cairo_create(surface);
    const RsvgRectangle page = {.x = 0, .y = 0, .width = width, .height = height};
    const gboolean drawn = rsvg_handle_render_document(handle, cairo, &page, &failed);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    const cairo_status_t status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    g_object_unref(handle);
    if (!drawn) error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure cannot be drawn");
    g_clear_error(&failed);
    return drawn && status == CAIRO_STATUS_SUCCESS ? 0
           : drawn ? error_set(err, ERR_RUN, "cairo: %s", cairo_status_to_string(status))
                   : -1;
}

static int write_pdf(const char *dir, const char *id, const char *svg, size_t size, struct error *err)
{
    char *text = NULL, path[1200];
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a figure");
    int result = pdf_of(svg, size, out, err);
    snprintf(path, sizeof path, "%.900s/%.200s.pdf", dir, id);
    if (fclose(out) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "out of memory for a figure");
    if (result == 0) result = file_write(path, text, n, err);
    free(text);
    return result < 0 ? error_while(err, "figure %s", id) : 0;
}
#endif

static int write_figure(const json_t *figure, const char *dir, size_t *n, struct error *err)
{
    char *text = NULL, path[1200];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a figure");
    const int drawn = report_figure_svg(figure, out);
    int result = fclose(out) == 0 ? 0 : error_set(err, ERR_MEMORY, "out of memory for a figure");
    snprintf(path, sizeof path, "%.900s/%.200s.svg", dir, report_string(figure, "id"));
    if (drawn == 0 && result == 0) result = file_write(path, text, size, err);
#ifdef REPORT_HAS_RSVG
    if (drawn == 0 && result == 0) result = write_pdf(dir, report_string(figure, "id"), text, size, err);
#endif
    *n += drawn == 0 && result == 0;
    free(text);
    return result;
}

int report_figures(const json_t *document, const char *dir, size_t *n, bool *has_pdf, struct error *err)
{
    const json_t *section, *figure;
    size_t s, i;
    *n = 0;
#ifdef REPORT_HAS_RSVG
    if (has_pdf) *has_pdf = true;
#else
    if (has_pdf) *has_pdf = false;
#endif
    if (file_make_folders(dir, err) < 0) return -1;
    json_array_foreach(json_object_get(document, "sections"), s, section)
        json_array_foreach(json_object_get(section, "figures"), i, figure)
            if (write_figure(figure, dir, n, err) < 0) return -1;
    return 0;
}
