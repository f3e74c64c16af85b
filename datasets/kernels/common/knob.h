/* Knobs of workloads, for their programs and for specs that name them. */
#ifndef WORKLOAD_KNOB_H
#define WORKLOAD_KNOB_H
#include <stdint.h>

/* A number that --set NAME=VALUE gives; VALUE,VALUE,...: one for each phase of the program, round and round. */
struct wl_knob {
    const char *name;
    uint32_t value, min, max;
    const char *doc;
};
enum { WL_KNOBS_MAX = 16, WL_KNOB_VALUES_MAX = 8 };
#endif
