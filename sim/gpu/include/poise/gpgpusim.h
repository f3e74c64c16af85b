/* GPGPU-Sim's and Accel-Sim's configuration files (gpgpusim.config, trace.config), read into our parameters and
 * written from them. Nothing is dropped silently: every option of a file is a note that says what became of it. */
#ifndef POISE_GPGPUSIM_H
#define POISE_GPGPUSIM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "poise/error.h"
struct gpu_params;

enum gpgpusim_fate {
    GPGPUSIM_MAPPED,
    GPGPUSIM_ABSENT /* not in the file: the other simulator's default */,
    GPGPUSIM_IGNORED,
    GPGPUSIM_LENIENT /* refused unless lenient, and left out: the text says why */
};
struct gpgpusim_note {
    enum gpgpusim_fate fate;
    char *option, *value;
    char *text; /* mapped: "l1.sets = 32, l1.ways = 4"; then what of the value has no equivalent; else: why */
    char *file; /* "" for an absent option */
    long line;
};
struct gpgpusim_notes {
    struct gpgpusim_note *items;
    size_t n;
};

/* What is read: files in order, then a text of options; an option that comes again replaces what it was. */
struct gpgpusim_files {
    const char *const *paths;
    size_t n;
    const char *options; /* NULL: none */
    bool is_lenient;     /* what is wrong is left out with a note, in place of an error */
};
/* Parameters that no option names keep their values, but for those whose default the other simulator has. An unknown
 * option, a value that is none, a word that belongs to no option and a missing cache are errors with file and line. */
int gpgpusim_load_with(struct gpu_params *params, const struct gpgpusim_files *files, struct gpgpusim_notes *notes,
                       struct error *err);
/* The same of files alone, and of a text; never lenient. */
int gpgpusim_load(struct gpu_params *params, const char *const *paths, size_t n, struct gpgpusim_notes *notes,
                  struct error *err);
int gpgpusim_parse(struct gpu_params *params, const char *name, const char *text, size_t size,
                   struct gpgpusim_notes *notes, struct error *err);
/* A line each for what was left out, if anything. */
void gpgpusim_notes_print_lenient(const struct gpgpusim_notes *notes, FILE *out);
void gpgpusim_notes_fini(struct gpgpusim_notes *notes);
/* By its name: *.config. */
static inline bool gpgpusim_is_config(const char *path)
{
    const size_t n = strlen(path);
    return n > 7 && strcmp(path + n - 7, ".config") == 0;
}

/* As one file that both read; parameters without an option stand in comments. */
int gpgpusim_write(const struct gpu_params *params, FILE *out, struct error *err);
/* As YAML, every parameter that differs from the defaults (`base: kepler32`). */
int gpu_params_write_yaml(const struct gpu_params *params, const char *name, const char *doc, FILE *out,
                          struct error *err);
#endif
