/* gpgpusim.config: any bytes are a machine with a note for every option, which can be written again, or an error
 * that says where. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/gpgpusim.h"
#include "poise/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct gpgpusim_notes notes;
    struct gpu_params *params = gpu_params_new();
    if (gpgpusim_parse(params, "input", (const char *)data, size, &notes, &err) < 0) {
        if (!err.text[0]) abort();
    } else {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        if (gpgpusim_write(params, out, &err) < 0 && !err.text[0]) abort();
        fclose(out);
        free(text);
        gpgpusim_notes_fini(&notes);
    }
    gpu_params_free(params);
    return 0;
}
