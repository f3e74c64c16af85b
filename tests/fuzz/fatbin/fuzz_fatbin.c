/* Any bytes, as a fat binary and as a program that holds one: PTX text or an error with a text; nothing is read
 * outside. */
#include <stdlib.h>
#include <string.h>
#include "poise/cuda_program.h"
#include "poise/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuda_program program;
    struct error err = {0};
    struct fatbin_entry entry;
    char *text;
    size_t n, at = 0;
    if (fatbin_ptx(&text, &n, data, size, 35, &err) == 0) {
        if (strlen(text) != n) abort();
        free(text);
    } else if (!err.text[0]) {
        abort();
    }
    while (fatbin_next(&entry, data, size, &at, &err) == 1)
        if (entry.payload < data || entry.stored_bytes > size || entry.payload + entry.stored_bytes > data + size)
            abort();
    err.text[0] = '\0';
    if (cuda_program_read(&program, data, size, &err) < 0 && !err.text[0]) abort();
    return 0;
}
