/* Errors are values: one struct, owned by the caller, carried up and printed once at the edge.
 * Codes are rows; process exit statuses and meanings derive from them. Nothing here allocates. */
#ifndef POISE_ERROR_H
#define POISE_ERROR_H

/* code, process exit status, meaning */
#define ERROR_CODES(X) \
    X(ERR_USAGE, 2, "the command line is wrong") \
    X(ERR_INPUT, 2, "an input file or value is wrong") \
    X(ERR_IO, 1, "the operating system refused a read or write") \
    X(ERR_RUN, 1, "the run could not be completed") \
    X(ERR_MEMORY, 1, "out of memory") \
    X(ERR_DEADLOCK, 5, "the simulated machine made no progress") \
    X(ERR_LIMIT, 6, "a limit was reached") \
    X(ERR_INTERRUPTED, 130, "interrupted") \
    X(ERR_CRASH, 1, "the simulator crashed")

enum error_code {
    ERR_NONE,
#define X(code, status, text) code,
    ERROR_CODES(X)
#undef X
};

/* `file`, `line` (1-based), `byte` are where the input is wrong; "", 0 and -1 where that has no meaning.
 * `hint` says what to do about it. */
struct error {
    enum error_code code;
    long line, byte;
    char file[256];
    char text[640];
    char hint[256];
};

/* Each returns -1, so that `return error_set(...)` is the way to fail. */
int error_set(struct error *err, enum error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts context in front of the text: "run 42: <what was there>". */
int error_while(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says where (file may be NULL; line 0 and byte -1 mean "unknown") and what to do (may be NULL). */
int error_at(struct error *err, const char *file, long line, long byte, const char *hint);
int error_exit_status(const struct error *err);
const char *error_name(enum error_code code); /* "ERR_INPUT" */
#endif
