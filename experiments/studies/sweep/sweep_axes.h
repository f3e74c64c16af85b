/* Axes, their product, and conditions over them. Internal to poise_lab. */
#ifndef POISE_SWEEP_AXES_H
#define POISE_SWEEP_AXES_H
#include "poise/yaml.h"

enum { AXES_MAX = 20, AXIS_VALUES_MAX = 4096, CONDITIONS_MAX = 16, COMBINATIONS_MAX = 1 << 16 };
struct axis {
    const char *name;
    char (*values)[64];
    size_t n;
    const struct yaml_node *node;
};
struct axes {
    struct axis items[AXES_MAX];
    size_t n;
    const char *what, *example; /* for complaints about conditions; NULL: axes of a stack */
};
enum condition_op { OP_LE, OP_LT, OP_GE, OP_GT, OP_EQ, OP_NE };
/* left OP right; an index into the axes, or -1 and a number. Of words (l1.organisation == tsc): an axis and a word. */
struct condition {
    int left, right;
    double left_value, right_value;
    char word[64]; /* with == and !=; empty: numbers are compared */
    enum condition_op op;
};

int axes_read(struct axes *out, const struct yaml_file *file, const struct yaml_node *map, struct error *err);
/* The same with another bound. */
int axes_read_each(struct axes *out, const struct yaml_file *file, const struct yaml_node *map, double combinations_max,
                   struct error *err);
void axes_fini(struct axes *axes);
size_t axes_combinations(const struct axes *axes); /* 1 without axes */
/* The value of axis `i` in combination `c`: the first axis varies slowest. */
const char *axes_value(const struct axes *axes, size_t c, size_t i);
bool axes_same_value(const char *a, const char *b); /* the same word, or the same number */
/* "p <= N", one of them. */
int condition_read(struct condition *out, const struct axes *axes, const struct yaml_file *file,
                   const struct yaml_node *node, struct error *err);
/* "p <= N", or a list of such. */
int conditions_read(struct condition *out, size_t *n, const struct axes *axes, const struct yaml_file *file,
                    const struct yaml_node *node, struct error *err);
bool condition_holds(const struct condition *condition, const struct axes *axes, size_t c);
bool conditions_hold(const struct condition *conditions, size_t n, const struct axes *axes, size_t c);
#endif
