/* Mechanisms on the command line: any text is either a mechanism with parameters or an error. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/mech.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct mech_spec spec;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (mech_parse(&spec, text, &err) == 0) mech_free(&spec);
    else if (!err.text[0]) abort();
    free(text);
    return 0;
}
