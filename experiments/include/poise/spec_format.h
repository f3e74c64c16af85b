/* The formats of specs as rows: the readers know their keys from them, and so do `poise help spec-KIND`, the manual
 * page and `poise COMMAND --example`. */
#ifndef POISE_SPEC_FORMAT_H
#define POISE_SPEC_FORMAT_H
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
struct yaml_file;
struct yaml_node;

struct spec_row {
    const char *key;       /* "method.seed": of the map behind method; "trace: benchmark": of the form with `trace` */
    const char *value;     /* what may stand there */
    const char *otherwise; /* the default; "needed", or "" */
    const char *doc;
};
struct spec_format {
    const char *kind;    /* as in the file; of a part its own name */
    const char *command; /* that reads it: "sweep"; NULL: a part of other formats */
    const char *doc;
    const struct spec_row *rows;
    size_t n_rows;
    const struct spec_format *parts[4]; /* that stand in it; NULL where the list ends */
    const char *example;                /* an annotated spec; NULL of parts */
    const char *old[4]; /* keys that were, which are read with a note (lab_note_old); NULL where the list ends */
};
extern const struct spec_format spec_format_sweep, spec_format_tune, spec_format_pipeline, spec_format_cv,
    spec_format_suite, spec_format_hardware, spec_format_choice, spec_format_kernels, spec_format_axes,
    spec_format_limits;
/* Those that commands read. */
extern const struct spec_format *const spec_formats[];
extern const size_t n_spec_formats;

/* Refuses keys of `map` that the format has not below `prefix` ("" or "limits."), with the nearest one. */
int spec_check(const struct yaml_file *file, const struct yaml_node *map, const struct spec_format *format,
               const char *prefix, struct error *err);
/* The head of a spec: its kind first (a spec of another kind is an error that names the command that reads it), its
 * keys, `schema: 1`. */
int spec_begin(const struct yaml_file *file, const struct spec_format *format, struct error *err);
/* 1, with an error, where the file is a spec that another command than `here` reads; 0 where it is not; -1 where it
 * cannot be read. */
int spec_of_other_command(const char *path, const char *here, struct error *err);
/* Its rows, those of its parts, and the example. */
void spec_format_print(const struct spec_format *format, FILE *out);
/* The example as it runs anywhere: the folder of data sets by its absolute path, `datasets`. */
void spec_format_example(const struct spec_format *format, const char *datasets, FILE *out);
#endif
