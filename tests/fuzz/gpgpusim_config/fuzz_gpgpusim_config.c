/* gpgpusim.config: any bytes are a machine with a note for every option, which can be written again, or an error
 * that says where; with lenience as well, which takes whatever the other takes as the same machine. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/gpgpusim.h"
#include "poise/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct gpu_params *params)
{
    struct error err = {0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (gpgpusim_write(params, out, &err) < 0 && !err.text[0]) abort();
    fclose(out);
    return text;
}

/* What the machine is when written; NULL where the text was refused. */
static char *read_text(const char *text, bool is_lenient)
{
    struct error err = {0};
    struct gpgpusim_notes notes;
    struct gpu_params *params = gpu_params_new();
    const struct gpgpusim_files files = {.options = text, .is_lenient = is_lenient};
    char *out = NULL;
    if (gpgpusim_load_with(params, &files, &notes, &err) < 0) {
        if (!err.text[0]) abort();
    } else {
        out = written(params);
        for (size_t i = 0; i < notes.n && !is_lenient; i++)
            if (notes.items[i].fate == GPGPUSIM_LENIENT) abort();
        gpgpusim_notes_fini(&notes);
    }
    gpu_params_free(params);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *strict = read_text(text, false), *lenient = read_text(text, true);
    if (strict && (!lenient || strcmp(strict, lenient) != 0)) abort();
    free(strict);
    free(lenient);
    free(text);
    return 0;
}
