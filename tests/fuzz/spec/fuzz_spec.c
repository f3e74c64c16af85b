/* Every YAML file that the lab reads: sweeps, choices, tunings, pipelines, studies, the registry of workloads, suites,
 * measurements. */
#include <stdlib.h>
#include <string.h>
#include "poise/choice_study.h"
#include "poise/hardware.h"
#include "poise/pipeline.h"
#include "poise/repro.h"
#include "poise/suite.h"
#include "poise/sweep.h"
#include "poise/tune.h"
#include "where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct sweep *sweep;
    struct pipeline_spec pipeline;
    struct registry registry;
    struct suite suite;
    struct hardware hardware;
    struct choice_study *choice;
    struct repro_spec study;
    const char *text = (const char *)data;
    struct tune *tune;
    /* The default preset, so that what follows it is read; where the text names a file, no presets: the folder does
     * not exist. */
    const char *presets = memmem(text, size, "config", 6) ? "/nonexistent" : POISE_SOURCE_DIR "/experiments/configs";
    if (sweep_parse(&sweep, "fuzz", text, size, presets, &err) == 0) sweep_free(sweep);
    if (tune_parse(&tune, "fuzz", text, size, presets, &err) == 0) tune_free(tune);
    (void)pipeline_spec_parse(&pipeline, "fuzz", text, size, &err);
    if (repro_spec_parse(&study, "fuzz", text, size, POISE_SOURCE_DIR "/experiments/configs", NULL, &err) == 0)
        repro_spec_fini(&study);
    static const char *const points[] = {"base", "TSC", "SWL 2", "SWL 4"};
    (void)repro_figures_try("fuzz", text, size, points, COUNT_OF(points), &err);
    if (registry_parse(&registry, "fuzz", text, size, &err) == 0) registry_fini(&registry);
    if (choice_study_parse(&choice, "fuzz", text, size, presets, &err) == 0) choice_study_free(choice);
    if (suite_parse(&suite, "fuzz", text, size, &err) == 0) suite_fini(&suite);
    if (hardware_parse(&hardware, "fuzz", text, size, &err) == 0) hardware_fini(&hardware);
    return 0;
}
