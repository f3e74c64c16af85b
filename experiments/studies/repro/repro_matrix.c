/* Points put together, as text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/repro.h"

enum { STRONGEST = 20, COMBINATIONS_TOLD = 1024 };

static const char *text(const json_t *of, const char *key)
{
    const char *value = json_string_value(json_object_get(of, key));
    return value ? value : "";
}
static double value(const json_t *of, const char *key)
{
    const json_t *v = json_object_get(of, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}
static bool is_class(const json_t *of, const char *class) { return strcmp(text(of, "class"), class) == 0; }

/* Those whose interval leaves 0 out first, the largest first; of equals the first in the spec. */
static bool is_stronger(const json_t *a, const json_t *b)
{
    const bool out_a = !is_class(a, "add") && !is_class(a, "unknown"),
               out_b = !is_class(b, "add") && !is_class(b, "unknown");
    return out_a != out_b ? out_a : fabs(value(a, "interaction")) > fabs(value(b, "interaction"));
}

static size_t sort(const json_t *list, const json_t *out[COMBINATIONS_TOLD])
{
    const json_t *item;
    size_t i, n = 0;
    json_array_foreach(list, i, item) {
        if (is_class(item, "refused") || n == COMBINATIONS_TOLD) continue;
        size_t at = n++;
        for (; at > 0 && is_stronger(item, out[at - 1]); at--) out[at] = out[at - 1];
        out[at] = item;
    }
    return n;
}

static void print_strongest(const json_t *list, FILE *out)
{
    const json_t *sorted[COMBINATIONS_TOLD];
    const size_t n = sort(list, sorted);
    if (!n) return;
    fprintf(out, "\nStrongest interactions (the logarithm of the speedup together less the sum of those alone)\n");
    for (size_t i = 0; i < n && i < STRONGEST; i++) {
        const json_t *ci = json_object_get(sorted[i], "ci95"), *because = json_object_get(sorted[i], "because");
        fprintf(out, "  %-34s %6.3f  (%.3f to %.3f)  %-11s", text(sorted[i], "name"), value(sorted[i], "interaction"),
                json_number_value(json_array_get(ci, 0)), json_number_value(json_array_get(ci, 1)),
                text(sorted[i], "class"));
        if (json_is_object(because))
            fprintf(out, "  %s %+.3g, r %.2f", text(because, "title"), value(because, "interaction"),
                    value(because, "correlation"));
        fputc('\n', out);
    }
}

void repro_print_matrix(const json_t *matrix, FILE *out)
{
    static const char *const classes[] = {"add", "amplify", "substitutes", "fight", "unknown", "refused"};
    const json_t *list = json_object_get(matrix, "combinations"), *item;
    size_t i, n = 0;
    if (!json_array_size(list)) return;
    print_strongest(list, out);
    fprintf(out, "\nOf %zu combinations:", json_array_size(list));
    for (size_t c = 0; c < COUNT_OF(classes); c++) {
        n = 0;
        json_array_foreach(list, i, item) n += is_class(item, classes[c]);
        if (n) fprintf(out, " %s %zu", classes[c], n);
    }
    fputc('\n', out);
    json_array_foreach(list, i, item)
        if (is_class(item, "refused")) fprintf(out, "  refused: %s: %s\n", text(item, "name"), text(item, "why"));
}
