/* Result files of any shape, in every form that a report takes: what is missing or of another kind must be left out,
 * never followed. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "poise/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    const char *const paths[] = {path};
    struct error err;
    json_t *document;
    snprintf(path, sizeof path, "/tmp/poise-fuzz-report-%d.json", (int)getpid());
    FILE *in = fopen(path, "wb");
    if (!in || fwrite(data, 1, size, in) != size || fclose(in) != 0) abort();
    if (report_build(&document, paths, 1, NULL, &err) == 0) {
        const struct report_style style = {.width = 80, .has_colour = true};
        const json_t *section, *figure;
        size_t s, i;
        FILE *out = fopen("/dev/null", "w");
        if (!out) abort();
        report_html(document, out, &err);
        report_text(document, &style, out, &err);
        report_csv(document, out, &err);
        json_array_foreach(json_object_get(document, "sections"), s, section)
            json_array_foreach(json_object_get(section, "figures"), i, figure) report_figure_svg(figure, out);
        fclose(out);
        json_decref(document);
    }
    unlink(path);
    return 0;
}
