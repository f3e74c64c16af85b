/* What the files of this folder share. */
#ifndef ENERGY_INTERNAL_H
#define ENERGY_INTERNAL_H
#include "config/params.h"
#include "config/stats.h"
#include "poise/energy.h"

/* How a published figure changes with the process (energy_events.c says from which two points each exponent is). */
enum energy_law { LAW_NONE, LAW_LOGIC, LAW_WIRE, LAW_LEAKAGE };
double energy_scaled(enum energy_law law, double from_nm, double to_nm);

struct energy_event {
    enum energy_part part;
    const char *name;
    int16_t counts[24];     /* counters from 1, taken off where negative; 0 ends them */
    struct energy_range pj; /* of a unit, at node_nm */
    const char *unit, *source;
    double node_nm;
    enum energy_law law;
    double (*units)(const struct gpu_params *params); /* units that one count has; NULL: 1. 0: not on this machine */
};
extern const struct energy_event energy_events[];
extern const size_t n_energy_events;
/* Picojoules of one count on this machine. */
struct energy_range energy_event_pj(const struct energy_event *event, const struct gpu_params *params);

/* Reading or writing so many bytes of an array of so many kilobytes, at 45 nm. */
double sram_pj(double kilobytes, double bytes);
/* From an SM to its neighbour, in mm. */
double energy_pitch_mm(const struct gpu_params *params);
struct energy_range wire_pj(double bits, double mm, double node_nm);
/* Joules of the storage and events of the stack and of L1's organisation. */
struct energy_range energy_of_mechanisms(const struct energy_run *run, const struct gpu_stats *stats);
#endif
