/* The registry of CPU programs, and the inputs that they read. Inputs are made by a generator of ours: the same bytes
 * on every machine. */
#include "poise/cpu_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/table.h"
#include "workload/cpu_inputs.h"

const char *const cpu_class_names[N_CPU_CLASSES] = {
#define X(id, name, doc) name,
    CPU_CLASSES(X)
#undef X
};
const char *const cpu_class_docs[N_CPU_CLASSES] = {
#define X(id, name, doc) doc,
    CPU_CLASSES(X)
#undef X
};

const struct cpu_program cpu_programs[] = {
    {"collatz", "mawk", "awk: the longest Collatz sequence", CPU_COMPUTE, {"mawk", "-f", "@d/collatz.awk"}, NULL, 1000},
    {"nbody",
     "python3",
     "python: five bodies that attract each other",
     CPU_COMPUTE,
     {"/usr/bin/python3", "-S", "@d/nbody.py"},
     NULL,
     16000},
    {"factor", "coreutils", "factors of random numbers", CPU_COMPUTE, {"factor"}, "@pairs", 1000},
    {"wc", "coreutils", "counts words", CPU_COMPUTE, {"wc", "-lw", "@words"}, NULL, 1000},
    {"sha256", "coreutils", "a checksum of words", CPU_COMPUTE, {"sha256sum", "@words"}, NULL, 1000},
    {"sqlite",
     "sqlite3",
     "fills and asks a table with an index",
     CPU_COMPUTE,
     {"sqlite3", ":memory:"},
     "@d/orders.sql",
     14000},
    {"gzip", "gzip", "compresses words, window of 32 KB", CPU_FRIENDLY, {"gzip", "-6", "-c", "@words"}, NULL, 4000},
    {"perl", "perl", "counts words in a hash of strings", CPU_FRIENDLY, {"perl", "@d/words.pl", "@words"}, NULL, 8000},
    {"sort",
     "coreutils",
     "sorts pairs of numbers",
     CPU_FRIENDLY,
     {"sort", "--parallel=1", "-S", "64M", "@few"},
     NULL,
     2000},
    {"tsort",
     "coreutils",
     "a tree of random names, one comparison a level",
     CPU_FRIENDLY,
     {"tsort", "@few"},
     NULL,
     10000},
    {"bzip2",
     "bzip2",
     "compresses words, blocks of 100 KB",
     CPU_THRASHING,
     {"bzip2", "-1", "-c", "@words"},
     NULL,
     5000},
    {"lookup",
     "mawk",
     "awk: an array of 16,000 numbers, read at random",
     CPU_THRASHING,
     {"mawk", "-f", "@d/lookup.awk"},
     NULL,
     8000},
    {"table",
     "mawk",
     "awk: an array of 64,000 numbers, read at random",
     CPU_STREAMING,
     {"mawk", "-f", "@d/table.awk"},
     NULL,
     40000},
    {"scan",
     "python3",
     "python: looks for a byte in 2 MB of words",
     CPU_THRASHING,
     {"/usr/bin/python3", "-S", "@d/scan.py", "@words"},
     NULL,
     18000},
    {"cc1",
     "gcc",
     "compiles a C source of a thousand functions with -O2",
     CPU_STREAMING,
     {"@cc1", "-quiet", "-O2", "-o", "/dev/null", "@source"},
     NULL,
     12000},
    {"xz", "xz-utils", "compresses words with -6", CPU_STREAMING, {"xz", "-6", "-c", "@words"}, NULL, 8000},
    {"shuf",
     "coreutils",
     "lines in random order",
     CPU_STREAMING,
     {"shuf", "--random-source=@noise", "@pairs"},
     NULL,
     12000},
    {"count",
     "python3",
     "python: looks for bytes in 24 MB of words",
     CPU_STREAMING,
     {"/usr/bin/python3", "-S", "@d/count.py", "@words"},
     NULL,
     18000},
    {"translate",
     "python3",
     "python: 24 MB of words in capitals",
     CPU_STREAMING,
     {"/usr/bin/python3", "-S", "@d/translate.py", "@words"},
     NULL,
     18000},
    {"slurp",
     "perl",
     "perl: counts letters of 24 MB of words",
     CPU_STREAMING,
     {"perl", "@d/slurp.pl", "@words"},
     NULL,
     3000},
    {"diff",
     "diffutils",
     "compares words with pairs of numbers",
     CPU_STREAMING,
     {"diff", "-a", "@words", "@pairs"},
     NULL,
     1000},
};
const size_t n_cpu_programs = COUNT_OF(cpu_programs);

const struct cpu_program *cpu_program_find(const char *name)
{
    for (size_t i = 0; i < n_cpu_programs; i++)
        if (strcmp(cpu_programs[i].name, name) == 0) return &cpu_programs[i];
    return NULL;
}

enum cpu_class cpu_class_of(const struct cpu_locality *l)
{
    const uint64_t again = l->l2_misses - l->first_touches;
    if (l->l2_misses * 1000 < l->insts) return CPU_COMPUTE;
    for (int i = 0; i < CPU_CAPACITIES; i++)
        if (l->capacity_bytes[i] <= l->llc_bytes && (l->l2_misses - l->misses[i]) * 10 >= l->l2_misses * 3)
            return CPU_FRIENDLY;
    return again * 10 >= l->l2_misses * 3 ? CPU_THRASHING : CPU_STREAMING;
}

/* ---- a recording of the registry ---- */

struct command_line {
    char text[CPU_ARGS_MAX][1200], shown_text[CPU_ARGS_MAX][64];
    const char *argv[CPU_ARGS_MAX + 1], *shown[CPU_ARGS_MAX + 1];
    char input[64];
    int files[CPU_ARGS_MAX + 1], n_files; /* the last may be the standard input */
};

/* Of "words" or "d/orders.sql": as people know it. */
static const char *name_of(const char *input) { return strncmp(input, "d/", 2) == 0 ? input + 2 : input; }

/* "@words" anywhere in an argument becomes the open file's name in the program. */
static int expand(struct command_line *c, size_t i, const char *arg, struct error *err)
{
    const char *at = strchr(arg, '@');
    const int before = at ? (int)(at - arg) : 0;
    char *out = c->text[i];
    snprintf(out, sizeof c->text[i], "%s", arg);
    snprintf(c->shown_text[i], sizeof c->shown_text[i], "%.*s%s", before, arg,
             !at                             ? arg
             : strncmp(at + 1, "d/", 2) == 0 ? at + 3
                                             : at + 1);
    c->argv[i] = out;
    c->shown[i] = c->shown_text[i];
    if (!at) return 0;
    if (strcmp(at + 1, "cc1") == 0) return cpu_compiler_path(out, sizeof c->text[i], err);
    const int fd = cpu_input_open(at + 1, err);
    if (fd < 0) return -1;
    snprintf(out, sizeof c->text[i], "%.*s/proc/self/fd/%d", before, arg, CPU_FILE_FD + c->n_files);
    c->files[c->n_files++] = fd;
    return 0;
}

static int command_line(struct command_line *c, const struct cpu_program *p, struct error *err)
{
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < CPU_ARGS_MAX && p->args[i]; i++)
        if (expand(c, i, p->args[i], err) < 0) return -1;
    if (!p->input) return 0;
    const int fd = cpu_input_open(p->input + 1, err);
    if (fd < 0) return -1;
    snprintf(c->input, sizeof c->input, "/proc/self/fd/%d", fd);
    c->files[c->n_files] = fd;
    return 0;
}

static void close_files(const struct command_line *c)
{
    for (int i = 0; i < CPU_ARGS_MAX + 1; i++)
        if (c->files[i]) close(c->files[i]);
}

/* What a recording depends on that its stream does not show: the row, the inputs, how much is recorded. */
static struct hash recording_key(const struct cpu_program *p, uint64_t insts)
{
    char text[1024];
    size_t n =
        (size_t)snprintf(text, sizeof text, "%s|%u|%" PRIu64 "|%s|", p->name, p->skip, insts, p->input ? p->input : "");
    for (size_t i = 0; i < CPU_ARGS_MAX && p->args[i]; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s|", p->args[i]);
    snprintf(text + n, sizeof text - n, "%d", CPU_INPUTS_VERSION);
    return hash_bytes(text, strlen(text));
}

static int record_row(struct cpu_stream **out, const struct cpu_program *p, uint64_t insts,
                      const struct lab_paths *paths, const char *path, struct error *err)
{
    struct command_line *c = malloc(sizeof *c);
    if (!c) return error_set(err, ERR_MEMORY, "no memory for a command line");
    int result = command_line(c, p, err);
    const struct cpu_command command = {.argv = c->argv,
                                        .shown = c->shown,
                                        .input = *c->input ? c->input : NULL,
                                        .shown_input = p->input ? name_of(p->input + 1) : NULL,
                                        .files = c->files,
                                        .n_files = (size_t)c->n_files,
                                        .is_apart = true,
                                        .skip = p->skip * 1000ull,
                                        .insts = insts,
                                        .stop = paths->stop};
    if (result == 0 && cpu_record(out, &command, err) < 0)
        result = error_while(err, "CPU program %s (Debian package %s)", p->name, p->package);
    close_files(c);
    free(c);
    if (result == 0 && cpu_stream_write(*out, path, err) < 0) {
        cpu_stream_free(*out);
        *out = NULL;
        result = -1;
    }
    return result;
}

int cpu_program_open(struct cpu_stream **out, const struct cpu_program *p, uint64_t insts,
                     const struct lab_paths *paths, char path[1024], struct error *err)
{
    char own[1024], folder[600], key[HASH_TEXT_SIZE];
    if (!path) path = own;
    const struct hash hash = recording_key(p, insts);
    hash_text(&hash, key);
    snprintf(folder, sizeof folder, "%s/cpu", paths->traces);
    snprintf(path, 1024, "%s/%s-%.12s.cpu", folder, p->name, key);
    if (access(path, F_OK) == 0) return cpu_stream_open(out, path, err);
    if (file_make_folders(folder, err) < 0) return -1;
    return record_row(out, p, insts, paths, path, err);
}

int cpu_open(struct cpu_stream **out, const char *name, uint64_t insts, const struct lab_paths *paths,
             struct error *err)
{
    const size_t n = strlen(name);
    const struct cpu_program *p = cpu_program_find(name);
    if (p) return cpu_program_open(out, p, insts, paths, NULL, err);
    if (strchr(name, '/') || (n > 4 && strcmp(name + n - 4, ".cpu") == 0)) return cpu_stream_open(out, name, err);
    error_set(err, ERR_INPUT, "no CPU program '%s'%s", name,
              did_you_mean(name, &cpu_programs[0].name, n_cpu_programs, sizeof cpu_programs[0]).text);
    return error_at(err, NULL, 0, -1, "`poise cpu list` names them; the path of a .cpu file works too");
}
