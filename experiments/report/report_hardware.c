/* The comparison of poise validate --hardware: cycles and counters of a GPU beside ours. */
#include <math.h>
#include <string.h>
#include "report/report_internal.h"

static void add_figure(json_t *section, const json_t *hardware)
{
    const json_t *kernel;
    size_t i;
    json_t *figure = report_scatter(section, "hardware-cycles", "Cycles against the GPU",
                                    "On the diagonal both agree; dashed lines are 15 and 30 % beside it.",
                                    "measured, cycles", "simulated, cycles", "whole");
    json_object_set_new(figure, "diagonal", json_true());
    json_object_set_new(figure, "is_log", json_true());
    json_object_set_new(figure, "bands", json_pack("[f,f]", 0.15, 0.3));
    json_array_foreach(json_object_get(hardware, "kernels"), i, kernel) {
        char group[64];
        const char *program = report_string(kernel, "program"), *slash = strchr(program, '/');
        const size_t length = slash && slash != program && *program != '.' ? (size_t)(slash - program) : 0;
        snprintf(group, sizeof group, "%.*s", (int)(length < 60 ? length : 60), program);
        report_dot(figure, report_get(kernel, "hw_cycles"), report_get(kernel, "cycles"), length ? group : "kernel",
                   report_string(kernel, "name"));
    }
}

static void add_counters(json_t *section, const json_t *hardware)
{
    const json_t *kernel, *counter;
    const char *name;
    size_t i;
    json_t *table = report_table(section, "hardware-counters", "Counters");
    report_column(table, "kernel", "text");
    report_column(table, "counter", "text");
    report_column(table, "ours", "whole");
    report_column(table, "measured", "whole");
    report_column(table, "error", "percent");
    json_array_foreach(json_object_get(hardware, "kernels"), i, kernel)
        json_object_foreach((json_t *)(uintptr_t)json_object_get(kernel, "counters"), name, counter) {
            json_t *row = report_row(table);
            report_cell_text(row, "%s", report_string(kernel, "name"));
            report_cell_text(row, "%s", name);
            report_cell(row, report_get(counter, "ours"));
            report_cell(row, report_get(counter, "hw"));
            report_cell(row, report_get(counter, "error"));
        }
}

void report_hardware_section(json_t *section, const json_t *hardware)
{
    static const struct report_head heads[] = {{"kernel", "text", "name"},
                                               {"state", "text", "state"},
                                               {"cycles", "whole", "cycles"},
                                               {"measured", "whole", "hw_cycles"},
                                               {"error", "percent", "error"}};
    const json_t *overall = json_object_get(hardware, "overall");
    add_figure(section, hardware);
    report_table_of_list(section, "hardware-kernels", "Kernels", json_object_get(hardware, "kernels"), heads,
                         COUNT_OF(heads));
    add_counters(section, hardware);
    report_note(section, "%s", report_string(hardware, "source"));
    report_note(section,
                "%s. %.0f kernels: mean absolute error %.1f %%, median %.1f %%, correlation of logarithms %.3f.",
                report_string(hardware, "gpu"), report_get(overall, "kernels"), 100 * report_get(overall, "mape"),
                100 * report_get(overall, "median"), report_get(overall, "log_pearson"));
}

int report_add_hardware(const struct report_context *c, struct error *err)
{
    (void)err;
    if (!c->input->hardware) return 0;
    report_hardware_section(report_open(c, "hardware", REPORT_HARDWARE_TITLE, REPORT_HARDWARE_TEXT),
                            c->input->hardware);
    return 0;
}
