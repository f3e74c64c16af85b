/* What is written of looks at sealed workloads. */
#include "studies/repro/repro_looks.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

FILE *looks_open(const struct repro_options *o, struct error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/../../datasets/SEALED.md", o->paths.configs);
    FILE *out = access(path, W_OK) == 0 ? fopen(path, "a") : NULL;
    if (out) return out;
    error_set(err, ERR_IO, "%s: the file of looks at sealed workloads is not here or cannot be written", path);
    error_at(err, NULL, 0, -1, "run this study in a checkout of the project, and commit the file afterwards");
    return NULL;
}

static void print_date(FILE *out, const char *format)
{
    char day[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(day, sizeof day, format, gmtime_r(&now, &utc));
    fputs(day, out);
}

static int close_looks(FILE *out, struct error *err)
{
    return fclose(out) == 0 ? 0 : error_set(err, ERR_IO, "the file of looks could not be written");
}

int looks_begin(const struct repro_study *study, const struct repro_options *o, struct error *err)
{
    FILE *out = looks_open(o, err);
    if (!out) return -1;
    fputs("\n## ", out);
    print_date(out, "%Y-%m-%d %H:%M");
    fprintf(out, " UTC, %s, program %s, simulation model %d\n", study->id, POISE_VERSION, SIM_MODEL_VERSION);
    return close_looks(out, err);
}

int looks_end(const struct repro_options *o, const struct repro_report *report, struct error *err)
{
    FILE *out = looks_open(o, err);
    if (!out) return -1;
    fprintf(out, "\n| figure | value | 95 %% |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *row = &report->rows[i];
        fprintf(out, "| %s | %.3f %s |", row->label, row->ours, row->unit);
        if (row->has_ci) fprintf(out, " %.3f to %.3f |\n", row->ci95[0], row->ci95[1]);
        else fprintf(out, " |\n");
    }
    return close_looks(out, err);
}

int looks_add_length(const struct repro_study *study, const struct repro_options *o, const struct launch *launch,
                     uint64_t core_cycles, struct error *err)
{
    FILE *out = looks_open(o, err);
    if (!out) return -1;
    fputs("\n", out);
    print_date(out, "%Y-%m-%d");
    fprintf(out, ", %s: %s at size %s, %" PRIu64 " cycles under GTO\n", study->id, launch->label,
            workload_sizes[launch->size], core_cycles);
    return close_looks(out, err);
}
