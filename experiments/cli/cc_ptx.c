/* clang's PTX, mended. clang 14 makes of x >> 63 & 7, with x signed, the extraction of 3 bits from bit 63 on, of which
 * there is one; the others are copies of the sign (x < 0 ? 7 : 0, as generators of random numbers have it). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cc_ptx.h"

/* Whether the line is an extraction that reaches beyond its word; then what it means. A line of the program's own
 * assembly means what it says. */
static bool reaches_beyond(const char *line, char *better, size_t room)
{
    char to[32], from[32];
    unsigned width, start, length;
    if (sscanf(line, " bfe.u%u %31[^,], %31[^,], %u, %u;", &width, to, from, &start, &length) != 5) return false;
    if ((width != 32 && width != 64) || start >= width || length >= width || start + length <= width) return false;
    snprintf(better, room, "\tshr.s%u \t%s, %s, %u;\n\tand.b%u \t%s, %s, %llu;\n", width, to, from, start, width, to,
             to, (1ull << length) - 1);
    return true;
}

int cc_mend_ptx(char **text, size_t *size, struct error *err)
{
    char *mended = NULL;
    size_t mended_size = 0;
    bool is_assembly = false, has_changed = false;
    FILE *out = open_memstream(&mended, &mended_size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory");
    for (const char *line = *text, *const end = *text + *size; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        char better[320];
        next = next ? next + 1 : end;
        const char *const word = line + strspn(line, " \t");
        if (strncmp(word, "// begin inline asm", 19) == 0) is_assembly = true;
        if (strncmp(word, "// end inline asm", 17) == 0) is_assembly = false;
        const bool is_mended = !is_assembly && reaches_beyond(line, better, sizeof better);
        if (is_mended) fputs(better, out);
        else fwrite(line, 1, (size_t)(next - line), out);
        has_changed |= is_mended;
        line = next;
    }
    if (fclose(out) != 0) return free(mended), error_set(err, ERR_MEMORY, "out of memory");
    if (!has_changed) return free(mended), 0;
    free(*text);
    *text = mended;
    *size = mended_size;
    return 0;
}
