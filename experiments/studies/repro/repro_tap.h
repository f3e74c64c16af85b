/* TAP's evaluation: what mixes say. Internal to poise_lab. */
#ifndef POISE_REPRO_TAP_H
#define POISE_REPRO_TAP_H
#include "poise/mix.h"
void repro_tap_report(const struct mix_data *data, struct repro_report *report);
/* What goes beyond TAP: learned lifetime, throttled kernels, lockdown, read-bypassing, a wider cache. */
void repro_beyond_report(const struct mix_data *data, struct repro_report *report);
#endif
