/* Parallel axes as characters: an axis is a line, on which every trial is a dot, and the better ones are letters. */
#include <math.h>
#include <string.h>
#include "report/report_internal.h"

enum { TICK_WIDTH = 10 }; /* -1.234e-07 */

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

/* "other trials" are dots; of two in one place the later group is seen. */
static char letter_of(const char *group)
{
    if (strcmp(group, "best") == 0) return '#';
    if (strcmp(group, "other trials") == 0) return '.';
    return group[0] == 'b' ? 'o' : group[0];
}

static void print_axis(const json_t *figure, const json_t *axis, size_t label, size_t columns, FILE *out)
{
    const json_t *groups = json_object_get(figure, "groups"), *order = json_object_get(figure, "order"),
                 *ticks = json_object_get(axis, "ticks"), *places = json_object_get(axis, "places");
    char line[200];
    memset(line, ' ', sizeof line);
    for (size_t g = 0; g < json_array_size(order); g++)
        for (size_t i = 0; i < json_array_size(places); i++) {
            const double at = report_value(json_array_get(places, i));
            if (strcmp(text_at(groups, i), text_at(order, g)) != 0 || !(at >= 0 && at <= 1)) continue;
            line[(size_t)(at * (double)(columns - 1) + 0.5)] = letter_of(text_at(order, g));
        }
    const size_t n = json_array_size(ticks);
    fputs("  ", out);
    report_text_put(report_string(axis, "label"), label, false, out);
    fputc(' ', out);
    report_text_put(report_string(json_array_get(ticks, 0), "text"), TICK_WIDTH, true, out);
    fprintf(out, " |%.*s| ", (int)columns, line);
    report_text_put(n > 1 ? report_string(json_array_get(ticks, n - 1), "text") : "", TICK_WIDTH, false, out);
    fputc('\n', out);
}

void report_text_parallel(const json_t *f, const struct report_style *style, FILE *out)
{
    const json_t *axes = json_object_get(f, "axes"), *order = json_object_get(f, "order"), *axis, *name;
    size_t i, label = 8;
    json_array_foreach(axes, i, axis) {
        const size_t n = strlen(report_string(axis, "label"));
        if (n > label) label = n < 22 ? n : 22;
    }
    const size_t used = label + 10 + 2 * TICK_WIDTH, room = style->width > used + 12 ? style->width - used : 12,
                 columns = room < 120 ? room : 120;
    json_array_foreach(axes, i, axis) print_axis(f, axis, label, columns, out);
    json_array_foreach(order, i, name)
        fprintf(out, "  %c %s", letter_of(json_string_value(name)), json_string_value(name));
    fputc('\n', out);
}
