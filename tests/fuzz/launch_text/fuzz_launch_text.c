/* Any bytes, as a CUDA source with launches in device code: nothing, or a text of as many lines that ends in a zero; in
 * clang's spelling it is as long besides. */
#include <stdlib.h>
#include <string.h>
#include "cli/cc_launch_text.h"
#include "cli/cc_spelling.h"

static size_t lines(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) n += text[i] == '\n';
    return n;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    size_t length = 0;
    char *source = malloc(size + 1); /* as a file is read: a zero behind it */
    if (!source) return 0;
    if (size) memcpy(source, data, size);
    source[size] = 0;
    char *text = cc_launch_text(source, size, &length);
    if (text && (text[length] || lines(text, length) != lines(source, size))) abort();
    free(text);
    text = cc_spelling(source, size);
    if (text && (text[size] || lines(text, size) != lines(source, size))) abort();
    free(text);
    free(source);
    return 0;
}
