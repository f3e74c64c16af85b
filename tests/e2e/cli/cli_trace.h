/* A small trace for tests of the program. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H
#include "spawn.h"
#include "synth.h"

/* A small trace file in `dir`. */
static inline const char *trace_in(const char *dir)
{
    static char path[96];
    struct error err;
    struct synth s;
    snprintf(path, sizeof path, "%s/t.ptrace", dir);
    synth_begin(&s, 2, 4);
    for (int c = 0; c < 2; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < 50; k++)
            for (uint32_t w = 0; w < 4; w++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, (uint64_t)c * 65536 + w * 4096 + k * 128, 4);
                synth_op(&s, w, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    assert_ok(trace_writer_finish(s.writer, path, "{\"program\":\"synth\"}", NULL, &err), &err);
    return path;
}
#endif
