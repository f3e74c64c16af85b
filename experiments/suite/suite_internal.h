/* What the files of suites share. Internal to poise_lab. */
#ifndef POISE_SUITE_INTERNAL_H
#define POISE_SUITE_INTERNAL_H
#include <limits.h>
#include <stdio.h>
#include "poise/suite.h"
#include "poise/table.h"
#include "poise/yaml.h"
#include "workload/recording.h"

/* What a workload of a suite has in place of a program of ours. */
struct suite_entry {
    struct suite_program program;
    uint64_t seconds;
    char suite[40], checkout[1024];
    /* Adds the program's launches; it has to be built. */
    int (*launches)(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                    struct error *err);
};
int suite_launches(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                   struct error *err);

/* A map of names to a pattern or a list of these; the caller's to free. NULL: an empty one. */
int suite_names_read(struct suite_names *out, const struct yaml_file *file, const struct yaml_node *map,
                     struct error *err);
/* A hint with a name in it. Returns -1. */
int suite_hint(struct error *err, const char *format, const char *name) __attribute__((format(printf, 2, 0)));

/* ---- the files of a checkout ---- */

struct suite_files {
    char **paths; /* from the checkout, in order; nothing below a folder with a '.' in front */
    size_t n, capacity;
};
int suite_files_list(struct suite_files *out, const char *folder, struct error *err);
void suite_files_fini(struct suite_files *files);
/* The file's folder, "." for the checkout itself; *name gets what stands behind it. */
void suite_folder_of(char *out, size_t size, const char *path, const char **name);
bool suite_is_in(const char *path, const char *folder); /* the file lies in this folder, or below it */
bool suite_is_source(const char *name);                 /* .cu .c .cc .cpp .cxx */
bool suite_is_cuda(const char *name);                   /* .cu */
bool suite_is_code(const char *name);                   /* a source or a header: .h* .cuh */
bool suite_has(const struct suite_files *files, const char *folder, const char *name);
/* The text of a file of the checkout, or NULL; the caller's. */
char *suite_text(const char *checkout, const char *path);
/* Whether the text defines main(). */
bool suite_has_main(const char *text);
/* Path `to` as it is written from `folder`, both from the checkout. */
void suite_path_from(char *out, size_t size, const char *folder, const char *to);

bool suite_is_build_file(const char *path); /* a source, a header, or what makefiles and CMake files are called */
bool suite_is_script(const char *path);     /* what may say how programs are called */
/* The folder that the programs of `folder` need: itself, or one above that has headers, makefiles or data which they
 * name. `below`: `folder` from there, "." where it is the same. */
int suite_root(char *root, size_t size, char *below, size_t below_size, const char *folder, struct error *err);

/* ---- command lines ---- */

struct suite_command {
    char program[256];
    struct suite_arguments arguments, environment;
};
enum { SUITE_COMMANDS_MAX = 16 };
static inline const char *suite_size_name(const struct suite_options *o)
{
    return o->size == SUITE_FULL ? "full" : "test";
}
/* The words of a text with blanks between them, of which quotes hold some together; cuts up the text. */
size_t suite_words(char *words[], size_t most, char *text);
/* Command lines of a shell script; of a README (is_prose) those alone that begin with "./". */
size_t suite_commands_read(struct suite_command out[SUITE_COMMANDS_MAX], const char *text, bool is_prose);
/* The arguments with the least repeats, by the usage message in a source's text; false where nothing changes. */
/* The program's at one of workload_sizes. */
const struct suite_arguments *suite_arguments_of(const struct suite_program *p, int size);
bool suite_repeats_lower(struct suite_arguments *out, const struct suite_arguments *in, const char *text);
/* Those of a makefile's targets run and test. */
size_t suite_commands_of_makefile(struct suite_command out[SUITE_COMMANDS_MAX], const char *text);

/* ---- building ---- */

/* Where a suite's programs are built: one for our compiler, one for nvcc. */
struct suite_shop {
    const struct suite *suite;
    const struct suite_options *options;
    const struct lab_paths *paths;
    struct suite_files files;
    char work[PATH_MAX];    /* TRACES/suites/NAME-HASH */
    char tree[PATH_MAX];    /* the copy */
    char toolkit[PATH_MAX]; /* the folder that makefiles take for CUDA's */
    char logs[PATH_MAX];
    char nvcc[PATH_MAX];           /* the real one; "": our compiler's shop */
    char compiler[HASH_TEXT_SIZE]; /* identity of poise, or of nvcc, and of the sources that no program has alone */
};
void suite_work_folder(char *out, size_t size, const struct lab_paths *paths, const char *suite, const char *checkout);
int suite_shop_open(struct suite_shop *out, const struct suite *suite, const struct suite_options *options,
                    const struct lab_paths *paths, bool by_nvcc, struct error *err);
void suite_shop_close(struct suite_shop *shop);
/* Whether nvcc is here. */
bool suite_find_nvcc(char *out, size_t size);

/* What is kept of a program: states/NAME.json and states/NAME-SIZE.json of the work folder. */
struct json_t *suite_state_read(const char *work, const char *name);
int suite_state_write(const char *work, const char *name, struct json_t *state, struct error *err); /* takes it */

/* Builds a program, or says that it is built. 0 also where it cannot be built: the row says why. */
int suite_build(struct suite_row *row, struct suite_shop *shop, struct error *err);
void suite_row_from_build(struct suite_row *row, const struct json_t *state);
/* Runs a command in a folder of the shop, for `seconds` at most; both streams to `log`. *status: 124 when the time was
 * over. */
int suite_run(const struct suite_shop *shop, const char *folder, char *const argv[], const char *log, uint64_t seconds,
              int *status, struct error *err);
/* All sources of a folder together; the log is that of the last try. *status is 0 where they are built, 124 when the
 * time was over. */
int suite_build_sources(const struct suite_shop *shop, const struct suite_program *p, const char *folder,
                        const char *output, const char *log, int *status, struct error *err);

/* The executable of a built program; "" where it is not built. */
void suite_executable(char *out, size_t size, const char *work, const struct suite_program *p);
/* The same from its folder, as the state of this name has it. */
void suite_program_of(char *out, size_t size, const char *work, const char *state_name);
/* A built program as it runs. */
struct suite_running {
    struct program_run run; /* points into what follows, and to the entry's arguments */
    char path[3 * PATH_MAX], folder[3 * PATH_MAX], stem[64], identity[HASH_TEXT_SIZE];
};
int suite_running_init(struct suite_running *out, const struct lab_paths *paths, const struct suite_entry *entry,
                       int size, uint64_t seconds, const char *log, struct error *err);
/* What a program prints that runs to its end without being recorded; *status is 124 where its time was over. *output is
 * the caller's. */
int suite_run_whole(char **output, int *status, const struct suite_row *row, const struct suite_shop *shop,
                    struct error *err);
/* A program whose result is wrong runs again with warps that take turns; where that is right, `why` says so. What it is
 * compared with; NULL: its own words decide. */
int suite_try_turns(struct suite_row *row, const struct suite_shop *shop, const char *theirs, struct error *err);
/* Outputs by two ways, of a program whose own output says nothing; nvcc may be NULL. */
int suite_check_two_ways(struct suite_row *row, struct suite_shop *shop, struct suite_shop *nvcc, struct error *err);
#endif
