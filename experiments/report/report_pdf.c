/* PDF by librsvg, which draws SVG through cairo. Both are loaded when the first figure is drawn: they bring some forty
 * other libraries, which would be half of the time in which any other command starts. */
#include <cairo-pdf.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include "report/report_pdf.h"

#define LIBRSVG "librsvg-2.so.2"

/* What is called of librsvg, cairo and GLib. librsvg depends on the other two, so that its handle finds all. */
#define FUNCTIONS(F) \
    F(rsvg_handle_new_from_data) \
    F(rsvg_handle_get_intrinsic_size_in_pixels) \
    F(rsvg_handle_render_document) \
    F(g_clear_error) \
    F(g_object_unref) \
    F(cairo_pdf_surface_create_for_stream) \
    F(cairo_pdf_surface_set_metadata) \
    F(cairo_create) \
    F(cairo_destroy) \
    F(cairo_surface_finish) \
    F(cairo_surface_status) \
    F(cairo_surface_destroy) \
    F(cairo_status_to_string)
struct drawing {
#define F(name) __typeof__(name) *name##_;
    FUNCTIONS(F)
#undef F
};

static int load(struct drawing *d, struct error *err)
{
    void *library = dlopen(LIBRSVG, RTLD_LAZY | RTLD_LOCAL); /* stays loaded: GLib cannot be unloaded */
    if (!library) return error_set(err, ERR_RUN, "librsvg, which draws PDF: %s", dlerror());
#define F(name) \
    if (!(*(void **)&d->name##_ = dlsym(library, #name))) return error_set(err, ERR_RUN, "librsvg: %s", dlerror());
    FUNCTIONS(F)
#undef F
    return 0;
}

static cairo_status_t into_memory(void *out, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, out) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A fixed date, so that the same figure is the same file. */
static int draw(const struct drawing *d, RsvgHandle *handle, double width, double height, FILE *out, struct error *err)
{
    GError *failed = NULL;
    cairo_surface_t *surface = d->cairo_pdf_surface_create_for_stream_(into_memory, out, width, height);
    d->cairo_pdf_surface_set_metadata_(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_t *cairo = d->cairo_create_(surface);
    const RsvgRectangle page = {.x = 0, .y = 0, .width = width, .height = height};
    const gboolean drawn = d->rsvg_handle_render_document_(handle, cairo, &page, &failed);
    d->cairo_destroy_(cairo);
    d->cairo_surface_finish_(surface);
    const cairo_status_t status = d->cairo_surface_status_(surface);
    d->cairo_surface_destroy_(surface);
    if (!drawn) error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure cannot be drawn");
    d->g_clear_error_(&failed);
    return drawn && status == CAIRO_STATUS_SUCCESS ? 0
           : drawn ? error_set(err, ERR_RUN, "cairo: %s", d->cairo_status_to_string_(status))
                   : -1;
}

int report_pdf(const char *svg, size_t size, FILE *out, struct error *err)
{
    struct drawing d = {0};
    if (load(&d, err) < 0) return -1;
    GError *failed = NULL;
    RsvgHandle *handle = d.rsvg_handle_new_from_data_((const guint8 *)svg, size, &failed);
    double width = 0, height = 0;
    int result;
    if (handle && d.rsvg_handle_get_intrinsic_size_in_pixels_(handle, &width, &height))
        result = draw(&d, handle, width * 0.75, height * 0.75, out, err); /* CSS pixels to points */
    else
        result = error_set(err, ERR_RUN, "librsvg: %s", failed ? failed->message : "a figure without a size");
    d.g_clear_error_(&failed);
    if (handle) d.g_object_unref_(handle);
    return result;
}
