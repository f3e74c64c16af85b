/* A figure as PDF: librsvg draws the SVG through cairo. It is loaded when the first figure is drawn: with it come 45
 * libraries, and linked they would take half of the time in which each command of the program starts. */
#include <stdbool.h>
#include "poise/error.h"
#include "report/report_svg.h"
#ifdef REPORT_HAS_RSVG
#include <cairo-pdf.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>

#define RSVG_FUNCTIONS(F) \
    F(rsvg_handle_new_from_data) \
    F(rsvg_handle_get_intrinsic_size_in_pixels) \
    F(rsvg_handle_render_document) \
    F(cairo_pdf_surface_create_for_stream) \
    F(cairo_pdf_surface_set_metadata) \
    F(cairo_create) \
    F(cairo_destroy) \
    F(cairo_surface_finish) \
    F(cairo_surface_status) \
    F(cairo_surface_destroy) \
    F(cairo_status_to_string) \
    F(g_clear_error) \
    F(g_object_unref)
struct rsvg {
#define F(name) __typeof__(name) *name;
    RSVG_FUNCTIONS(F)
#undef F
};

/* Finds librsvg's functions; false where it is not installed. It stays loaded: glib cannot be unloaded. */
static bool rsvg_find(struct rsvg *rsvg)
{
    void *library = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define F(name) &&(*(void **)&rsvg->name = dlsym(library, #name))
    return true RSVG_FUNCTIONS(F);
#undef F
}

static cairo_status_t into_memory(void *out, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, out) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A fixed date, so that the same figure is the same file. */
static int draw(const struct rsvg *rsvg, const char *svg, size_t size, FILE *out, struct error *err)
{
    GError *failed = NULL;
    RsvgHandle *handle = rsvg->rsvg_handle_new_from_data((const guint8 *)svg, size, &failed);
    double width = 0, height = 0;
    if (!handle || !rsvg->rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) {
        error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure without a size");
        rsvg->g_clear_error(&failed);
        if (handle) rsvg->g_object_unref(handle);
        return -1;
    }
    width *= 0.75, height *= 0.75; /* CSS pixels to points */
    cairo_surface_t *surface = rsvg->cairo_pdf_surface_create_for_stream(into_memory, out, width, height);
    rsvg->cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_t *cairo = rsvg->cairo_create(surface);
    const RsvgRectangle page = {.x = 0, .y = 0, .width = width, .height = height};
    const gboolean drawn = rsvg->rsvg_handle_render_document(handle, cairo, &page, &failed);
    rsvg->cairo_destroy(cairo);
    rsvg->cairo_surface_finish(surface);
    const cairo_status_t status = rsvg->cairo_surface_status(surface);
    rsvg->cairo_surface_destroy(surface);
    rsvg->g_object_unref(handle);
    if (!drawn) error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure cannot be drawn");
    rsvg->g_clear_error(&failed);
    return drawn && status == CAIRO_STATUS_SUCCESS ? 0
           : drawn ? error_set(err, ERR_RUN, "cairo: %s", rsvg->cairo_status_to_string(status))
                   : -1;
}

bool report_has_pdf(void)
{
    struct rsvg rsvg;
    return rsvg_find(&rsvg);
}

int report_figure_pdf(const char *svg, size_t size, FILE *out, struct error *err)
{
    struct rsvg rsvg;
    if (!rsvg_find(&rsvg)) return error_set(err, ERR_RUN, "librsvg is not installed (Debian: librsvg2-2)");
    return draw(&rsvg, svg, size, out, err);
}
#else
bool report_has_pdf(void) { return false; }

int report_figure_pdf(const char *svg, size_t size, FILE *out, struct error *err)
{
    (void)svg, (void)size, (void)out;
    return error_set(err, ERR_RUN, "this build has no librsvg (Debian: librsvg2-dev)");
}
#endif
