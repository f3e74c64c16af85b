/* Every YAML file that the lab reads: sweeps, pipelines, the registry of workloads. */
#include <stdlib.h>
#include "poise/pipeline.h"
#include "poise/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct sweep *sweep;
    struct pipeline_spec pipeline;
    struct registry registry;
    const char *text = (const char *)data;
    /* No presets and no files of mechanisms: the folder does not exist. */
    if (sweep_parse(&sweep, "fuzz", text, size, "/nonexistent", &err) == 0) sweep_free(sweep);
    (void)pipeline_spec_parse(&pipeline, "fuzz", text, size, &err);
    if (registry_parse(&registry, "fuzz", text, size, &err) == 0) registry_fini(&registry);
    return 0;
}
