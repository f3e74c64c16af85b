/* Any bytes as a file of marks and counts for L2: refused with a text, or marks in order of address that are found. */
#include <stdlib.h>
#include "mech/l2_marks.h"

static int add(void *to, uint64_t address, uint64_t accesses, struct error *err)
{
    (void)err;
    *(uint64_t *)to += address ^ accesses;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct l2_marks marks;
    struct error err = {0};
    uint64_t sum = 0;
    if (l2_marks_parse(NULL, add, &sum, (const char *)data, size, "fuzz.json", &err) < 0 && err.text[0] == '\0')
        abort();
    err.text[0] = '\0';
    if (l2_marks_parse(&marks, NULL, NULL, (const char *)data, size, "fuzz.json", &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    for (uint32_t i = 0; i < marks.n; i++) {
        if (marks.marks[i].from >= marks.marks[i].to || (i && marks.marks[i].from < marks.marks[i - 1].to)) abort();
        if (l2_marks_find(&marks, marks.marks[i].from) != marks.marks[i].cache_op) abort();
        if (l2_marks_find(&marks, marks.marks[i].to - 1) != marks.marks[i].cache_op) abort();
    }
    return 0;
}
