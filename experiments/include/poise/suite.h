/* Suites: somebody's checkout of CUDA programs as workloads by name, SUITE/PROGRAM (experiments/suite/README.md).
 *
 *   NAME.suite.yaml    the programs, what builds them and what they are called with: a draft of `poise suite add`,
 *                      which the user edits. It is looked for in the current folder, then where POISE_SUITES says.
 *   TRACES/suites/NAME-HASH/   a copy of the checkout in which everything is built; the checkout stays as it is. */
#ifndef POISE_SUITE_H
#define POISE_SUITE_H
#include <stdio.h>
#include "poise/workload.h"
struct json_t;

/* Arguments, each with its '\0'. */
struct suite_arguments {
    bool is_given;
    char text[1024];
    size_t n, size;
};
int suite_arguments_add(struct suite_arguments *out, const char *text); /* -1: no room */

enum { SUITE_TEST, SUITE_FULL, SUITE_SIZES, SUITE_LAUNCHES_MAX = 64 };
struct suite_program {
    char name[64];               /* within the suite */
    char folder[400];            /* below the checkout; "." is the checkout itself */
    char build[512];             /* "make", "cmake" or "sources", and arguments for it */
    char program[256];           /* the executable, from the folder; "": what building makes */
    char reference[400];         /* folder of a version for the CPU that prints the same; "": none */
    char right[200], wrong[200]; /* of the output: extended regular expressions; "": the common words */
    bool is_unchecked;
    struct suite_arguments arguments[SUITE_SIZES];
    struct suite_arguments environment;    /* NAME=VALUE each */
    uint32_t launches[SUITE_LAUNCHES_MAX]; /* that count as profiled; none: all */
    size_t n_launches;
    uint32_t max_launches; /* record so many, from the first; 0: all */
    uint64_t seconds;      /* for a build, and for a run; 0: the suite's */
};
/* A paper's name and what it may mean, in order. */
struct suite_name {
    char paper[64], patterns[8][96];
    size_t n;
};
struct suite_names {
    struct suite_name *items;
    size_t n;
};
struct suite {
    char name[40];
    char file[1024];   /* NAME.suite.yaml */
    char folder[1024]; /* the checkout */
    uint64_t seconds;  /* for each build and each run; 0: as the command says */
    char revision[64]; /* of the checkout; "": what git says */
    char date[16];     /* of the revision, as 2023-04-13 */
    struct suite_program *programs;
    size_t n;
    struct suite_names names; /* what papers call its programs: before those of specs/suite-names.yaml */
};
int suite_parse(struct suite *out, const char *name, const char *text, size_t size, struct error *err);
/* By the suite's name. */
int suite_find(struct suite *out, const char *name, struct error *err);
/* What the file does not say of revision and date, git may say of the checkout; "unknown": nobody does. */
void suite_find_revision(struct suite *suite);
void suite_fini(struct suite *suite);

/* Looks through a checkout, runs nothing, writes nothing to it. The draft is the caller's to free. */
int suite_draft(char **text, size_t *size, size_t *n_programs, const char *name, const char *folder, struct error *err);

/* The programs of all suites that are here, as workloads; a file that cannot be read is left out, and whoever names
 * one of its programs hears why (suite_explain). */
int suites_register(struct registry *registry, struct error *err);
/* What patterns mean: it is built, and its recording at this size has not failed. A program that is named is meant in
 * any case. */
bool suite_is_ready(const struct workload *w, const struct lab_paths *paths, int size);
bool suite_is_built(const struct workload *w, const struct lab_paths *paths);
/* A built program's launches under arguments of the caller's; NULL: the suite's. */
int suite_launches_with(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                        const struct suite_arguments *arguments, struct error *err);
/* Says on stderr how many programs a pattern left out. */
void suite_tell_left_out(const char *pattern, size_t n);
/* Why there is no workload SUITE/PROGRAM, or none that matches. Returns -1. */
int suite_explain(const char *name, struct error *err);

/* ---- programs of suites in the place of ours ---- */

struct cast_member {
    char paper[64], program[80]; /* "bfs", "rodinia/bfs" */
    char why[120];               /* there is none; empty: there is one */
    char arguments[160];         /* of the program, behind those of its build from sources */
};
/* Which programs of suites stand for which of ours (lab_paths.cast): whoever asks the registry for a paper's name gets
 * the suite's program. */
struct suite_cast {
    struct cast_member *members;
    size_t n, n_found;
    char suites[100], revisions[200], dates[100]; /* of each suite, with "+" in between */
};
/* Finds a program for each name that is asked for; `asked` has names, and globs over our workloads. */
int suite_cast_find(struct suite_cast *out, const char *const *suites, size_t n_suites, const char (*asked)[64],
                    size_t n_asked, const struct lab_paths *paths, int size, struct error *err);
void suite_cast_fini(struct suite_cast *cast);
/* The registry's entries of these names get the suites' programs. NULL: nothing is cast. */
int suite_cast_apply(const struct suite_cast *cast, struct registry *registry, struct error *err);

/* ---- building, recording, checking ---- */

enum suite_step { SUITE_BUILD, SUITE_RECORD, SUITE_CHECK };
enum suite_state { SUITE_UNTRIED, SUITE_GOOD, SUITE_FAILED };
/* What the output says: SUITE_NOTHING to check is neither right nor wrong. */
enum suite_verdict { SUITE_NOTHING, SUITE_RIGHT, SUITE_WRONG };
extern const char *const suite_verdicts[];
struct suite_row {
    const struct suite_program *program;
    enum suite_state built, ran, checked;
    enum suite_verdict verdict;
    char kind[32]; /* of what failed: header, source, linker, library, make, cmake, time, status, ... */
    char why[400]; /* the first error, or what the verdict rests on */
    char how[64];  /* it was built */
    size_t launches;
    uint64_t warp_insts;
    double seconds;
    bool is_new; /* done now, not kept from before */
};
struct suite_options {
    const char *const *only; /* globs of program names; none: all */
    size_t n_only;
    int size;         /* SUITE_TEST or SUITE_FULL */
    uint64_t seconds; /* for a build and for a run, where neither the program nor the suite says */
    unsigned threads;
    bool is_again;       /* also what failed before with the same content */
    const char *poise;   /* the program, for its compiler */
    const char *toolkit; /* our folder of CUDA headers */
    FILE *progress;
    bool is_terminal;
};
/* Does the step, and those before it, of each program that is asked for; rows (the caller's to free) in the file's
 * order. What was done with the same content is not done again. */
int suite_do(struct suite_row **rows, size_t *n, const struct suite *suite, enum suite_step step,
             const struct suite_options *options, const struct lab_paths *paths, struct error *err);
/* What is known, without doing anything. */
int suite_status(struct suite_row **rows, size_t *n, const struct suite *suite, const struct suite_options *options,
                 const struct lab_paths *paths, struct error *err);
struct json_t *suite_row_json(const struct suite_row *row, const char *suite);

/* What a program's own output says of its results; `why` gets the line. Patterns as in struct suite_program. */
enum suite_verdict suite_judge(const char *output, const char *right, const char *wrong, char *why, size_t size);
/* Are two outputs the same but for times? Numbers may differ by one in a thousand. SUITE_NOTHING: no line has a
 * result. */
enum suite_verdict suite_compare(const char *a, const char *b, char *why, size_t size);
/* The first error of a build's log: its kind, and its line without `prefix`. */
void suite_first_error(char *kind, size_t kind_size, char *why, size_t why_size, const char *log, const char *prefix);
#endif
