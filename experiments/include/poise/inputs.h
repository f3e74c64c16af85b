/* Seeded input files for other people's programs, in the text forms that they read (`poise make-input`). The same
 * options give the same bytes on every machine: integers, IEEE sums, products and square roots alone. */
#ifndef POISE_INPUTS_H
#define POISE_INPUTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"

enum input_shape { INPUT_UNIFORM, INPUT_RMAT, INPUT_GRID, INPUT_ZIPF, INPUT_SORTED, INPUT_SHAPES };
extern const char *const input_shapes[INPUT_SHAPES];

/* What a form reads besides size and seed. */
enum input_takes {
    TAKES_DEGREE = 1 << 0,
    TAKES_WEIGHTS = 1 << 1,
    TAKES_DIRECTED = 1 << 2,
    TAKES_FEATURES = 1 << 3,
    TAKES_CLUSTERS = 1 << 4,
    TAKES_VOCABULARY = 1 << 5
};
/* 0 (a shape: INPUT_SHAPES) stands for what is usual: input_make puts it in. */
struct input_options {
    uint64_t size, seed, degree, weights, features, clusters, vocabulary;
    enum input_shape shape;
    bool directed;
};
struct input_form {
    const char *kind, *name; /* the first of a kind is its usual form */
    const char *doc, *size;  /* what it is, and what --size counts */
    unsigned shapes;         /* 1 << shape; 0: it has none. The lowest is the usual one */
    unsigned takes;
    uint64_t size_max;
    int (*write)(const struct input_options *o, FILE *out, struct error *err);
};
extern const struct input_form input_forms[];
extern const size_t n_input_forms;
/* The form of a kind; NULL: its usual one. An error names the nearest. */
int input_find(const struct input_form **out, const char *kind, const char *form, struct error *err);
/* Checks the options and writes the file, which appears complete or not at all. *bytes: its size. */
int input_make(const struct input_form *form, const struct input_options *options, const char *path, uint64_t *bytes,
               struct error *err);
#endif
