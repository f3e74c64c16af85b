/* What the page is made of: text, each ended by NUL. */
#ifndef POISE_REPORT_ASSETS_H
#define POISE_REPORT_ASSETS_H
#include <stdbool.h>

struct report_assets {
    const char *page, *style, *vega, *app;
    const char *vega_sha256, *app_sha256; /* hexadecimal */
    bool has_vega;
};
extern const struct report_assets report_assets;
#endif
