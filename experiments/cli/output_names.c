#include "cli/output_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void sort(struct named *list, char *const *names, size_t n, bool is_base)
{
    for (size_t i = 0; i < n; i++) list[i] = (struct named){is_base ? base_of(names[i]) : names[i], i};
    qsort(list, n, sizeof *list, by_name);
}

static bool has_twins(const struct named *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (strcmp(list[i - 1].name, list[i].name) == 0) return true;
    return false;
}

/* The name alone, or the folders as well with '-' for '/'; without ".", ".." and '/' in front. */
static void shorten(char *path, bool has_folders)
{
    const char *at = has_folders ? path : base_of(path);
    while (*at == '/' || (*at == '.' && (at[1] == '/' || (at[1] == '.' && at[2] == '/')))) at = strchr(at, '/') + 1;
    memmove(path, at, strlen(at) + 1);
    for (char *c = path; *c; c++)
        if (*c == '/' || iscntrl((unsigned char)*c)) *c = *c == '/' ? '-' : '_';
}

/* "a.x" -> "a-2.x" */
static int add_rank(char **name, size_t rank, struct error *err)
{
    const char *dot = strrchr(*name, '.');
    const int stem = dot ? (int)(dot - *name) : (int)strlen(*name);
    char *longer = NULL;
    if (asprintf(&longer, "%.*s-%zu%s", stem, *name, rank, *name + stem) < 0)
        return error_set(err, ERR_MEMORY, "out of memory for names");
    free(*name);
    *name = longer;
    return 0;
}

/* Each round lengthens names that are alike, until none are. */
static int number(struct named *list, char **names, size_t n, struct error *err)
{
    for (sort(list, names, n, false); has_twins(list, n); sort(list, names, n, false))
        for (size_t i = 1, rank = 1; i < n; i++) {
            rank = strcmp(list[i].name, list[i - rank].name) == 0 ? rank + 1 : 1;
            if (rank > 1 && add_rank(&names[list[i].index], rank, err) < 0) return -1;
        }
    return 0;
}

int output_names(char **names, size_t n, struct error *err)
{
    struct named *list = calloc(n + 1, sizeof *list);
    if (!list) return error_set(err, ERR_MEMORY, "out of memory for %zu names", n);
    sort(list, names, n, true);
    const bool has_folders = has_twins(list, n);
    for (size_t i = 0; i < n; i++) shorten(names[i], has_folders);
    const int result = number(list, names, n, err);
    free(list);
    return result;
}
