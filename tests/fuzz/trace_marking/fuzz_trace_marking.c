/* Any bytes as a marking of traces: refused with a text, or marks whose selectors are whole. */
#include <stdlib.h>
#include <string.h>
#include "poise/marking.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace_marking marking;
    struct error err = {0};
    if (trace_marking_parse(&marking, (const char *)data, size, "fuzz.json", &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    if (marking.n > MARKS_MAX) abort();
    for (uint32_t i = 0; i < marking.n; i++) {
        const struct trace_mark *m = &marking.marks[i];
        if (m->cache_op != TRACE_CACHE_CC && m->cache_op != TRACE_CACHE_CP) abort();
        if (!memchr(m->kernel, '\0', sizeof m->kernel) || m->launch < -1) abort();
        if (m->by == MARK_BY_RANGE && m->from >= m->to) abort();
        if (m->by == MARK_BY_RULE && (m->rule == RULE_ONE_CTA) != (m->cache_op == TRACE_CACHE_CP)) abort();
    }
    return 0;
}
