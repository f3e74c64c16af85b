/* A kernel file, or a list of commands. What imports must come back from an export with its hash. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/accelsim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct accelsim_limits limits = {.max_steps = 100000, .max_static = 1000, .max_line_bytes = 1 << 16};
    const struct accelsim_import how = {.limits = &limits};
    struct error err;
    struct trace *trace, *back;
    struct accelsim_report report;
    struct accelsim_list list;
    if (accelsim_list_parse(&list, "list", (const char *)data, size, &err) == 0) accelsim_list_fini(&list);
    accelsim_check_text(&report, "check", data, size, &err);
    if (accelsim_import_text(&trace, "import", data, size, &how, &err) < 0) return 0;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out && accelsim_export_stream(trace, out, "export", ACCELSIM_VOLTA, 1, &err) == 0 && fclose(out) == 0) {
        if (accelsim_import_text(&back, "again", text, length, NULL, &err) < 0 ||
            memcmp(&back->hash, &trace->hash, sizeof trace->hash) != 0)
            abort();
        trace_close(back);
    }
    free(text);
    trace_close(trace);
    return 0;
}
