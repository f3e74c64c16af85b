/* Any bytes as a table of profiles: refused with a line, or tuples of which each stands once, and the same table
 * when written and read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/profile_csv.h"

static void write_and_read(const struct profile_table *t)
{
    struct profile_table again;
    struct error err = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out || profile_table_print(t, out, &err) < 0 || fclose(out) != 0) abort();
    if (profile_table_parse(&again, "again.csv", text, size, &err) < 0) abort();
    if (again.n_rows != t->n_rows || again.n_launches != t->n_launches || again.n_counters != t->n_counters ||
        again.n_set != t->n_set || again.n_with != t->n_with)
        abort();
    if (memcmp(again.rows, t->rows, t->n_rows * sizeof *t->rows) != 0 ||
        memcmp(again.values, t->values, t->n_rows * t->n_counters * sizeof *t->values) != 0)
        abort();
    profile_table_fini(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile_table t;
    struct error err = {0};
    if (profile_table_parse(&t, "fuzz.csv", (const char *)data, size, &err) < 0) {
        if (err.line <= 0 || err.text[0] == '\0') abort();
        return 0;
    }
    size_t n = 0;
    if (t.n_rows == 0 || t.model_version < 1) abort();
    for (size_t l = 0; l < t.n_launches; l++) {
        if (t.launches[l].first != n || t.launches[l].n == 0) abort();
        n += t.launches[l].n;
    }
    if (n != t.n_rows) abort();
    for (size_t r = 0; r < t.n_rows; r++)
        if (t.rows[r].at.p < 1 || t.rows[r].at.p > t.rows[r].at.N || profile_table_value(&t, r, "core_cycles") == 0)
            abort();
    write_and_read(&t);
    profile_table_fini(&t);
    return 0;
}
