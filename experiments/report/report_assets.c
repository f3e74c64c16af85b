/* The page's parts as the assembler takes them in: no copy in C, and no tool but the compiler. */
#include "report/report_assets.h"

#include "report_hashes.h"

#define ASSET(id, path) \
    __asm__(".pushsection .rodata\n.global report_" #id "\nreport_" #id ":\n.incbin \"" path "\"\n.byte 0\n" \
            ".global report_" #id "_end\nreport_" #id "_end:\n.popsection\n");
ASSET(page, REPORT_PAGE "/page.html")
ASSET(style, REPORT_PAGE "/style.css")
ASSET(vega, REPORT_BUILT "/vega.js")
ASSET(app, REPORT_BUILT "/app.js")

extern const char report_page[], report_style[], report_vega[], report_app[];
const struct report_assets report_assets = {.page = report_page,
                                            .style = report_style,
                                            .vega = report_vega,
                                            .app = report_app,
                                            .vega_sha256 = REPORT_VEGA_SHA256,
                                            .app_sha256 = REPORT_APP_SHA256,
                                            .has_vega = REPORT_HAS_VEGA};
