/* What figures as characters are made of. */
#include "report/report_internal.h"

/* Printable, `width` columns. */
void report_text_put(const char *text, size_t width, bool is_right, FILE *out)
{
    size_t n = 0, keep = 0;
    for (const char *c = text; *c; c++) n += ((unsigned char)*c & 0xc0) != 0x80;
    if (is_right && n < width) fprintf(out, "%*s", (int)(width - n), "");
    for (; *text; text++) {
        const bool begins = ((unsigned char)*text & 0xc0) != 0x80;
        if (begins && keep == width) break;
        keep += begins;
        fputc((unsigned char)*text < 32 || *text == 127 ? '?' : *text, out);
    }
    if (!is_right && n < width) fprintf(out, "%*s", (int)(width - n), "");
}
