/* The two halves of a report: of rows and tests (diagnostics.c), of the weights (inference.c).     (private) */
#ifndef POISE_LEARN_REPORT_H
#define POISE_LEARN_REPORT_H
#include "poise/glm_report.h"
int report_diagnose(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data, uint64_t seed,
                    struct error *err);
#endif
