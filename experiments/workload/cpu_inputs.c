/* What CPU programs read: made from a generator of ours, so that it is the same bytes on every machine. */
#include "workload/cpu_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/workload.h"

enum {
    VOCABULARY = 30000,
    WORDS_BYTES = 24 << 20,
    PAIRS = 120000,
    FEW_PAIRS = 20000,
    NOISE_BYTES = 16 << 20,
    FUNCTIONS = 1000
};

static uint32_t below(uint64_t *x, uint32_t n)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*x >> 32) * n >> 32);
}

/* Words of 2 to 9 letters; the k-th of the vocabulary comes about as often as 1 / k. */
static void put_words(FILE *f)
{
    uint64_t x = 1;
    for (uint32_t bytes = 0, n = 0; bytes < WORDS_BYTES; n++) {
        const uint32_t span = 1u << below(&x, 15), rank = (span + below(&x, span)) % VOCABULARY;
        uint64_t letters = rank + 1;
        const uint32_t length = 2 + below(&letters, 8);
        for (uint32_t i = 0; i < length; i++) putc('a' + (int)below(&letters, 26), f);
        putc(n % 12 == 11 ? '\n' : ' ', f);
        bytes += length + 1;
    }
    putc('\n', f);
}

static void put_numbers(FILE *f, uint32_t n)
{
    uint64_t x = 2;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = below(&x, 1000000000); /* the order of arguments is not defined */
        fprintf(f, "%u %u\n", first, below(&x, 1000000000));
    }
}
static void put_pairs(FILE *f) { put_numbers(f, PAIRS); }
static void put_few(FILE *f) { put_numbers(f, FEW_PAIRS); }

static void put_noise(FILE *f)
{
    uint64_t x = 3;
    for (uint32_t i = 0; i < NOISE_BYTES; i++) putc((int)below(&x, 256), f);
}

/* Functions with a loop, a switch and calls to those before them. */
static void put_source(FILE *f)
{
    uint64_t x = 4;
    fprintf(f, "static int t[256];\n");
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        fprintf(f, "int f%u(int a, int b)\n{\n    int s = %u;\n", i, below(&x, 1000));
        fprintf(f, "    for (int i = 0; i < a; i++) {\n        switch ((b + i) %% 5) {\n");
        for (uint32_t k = 0; k < 4; k++) { /* one draw a statement: the order of arguments is not defined */
            const bool adds = below(&x, 2);
            const uint32_t factor = below(&x, 99);
            fprintf(f, "        case %u: s %s t[(i * %u + %u) & 255]; break;\n", k, adds ? "+=" : "^=", factor,
                    below(&x, 99));
        }
        if (i) fprintf(f, "        default: s -= f%u(i, s);\n", below(&x, i));
        else fprintf(f, "        default: s -= 7;\n");
        fprintf(f, "        }\n    }\n    t[s & 255] = b;\n    return s;\n}\n");
    }
}

static const struct {
    const char *name;
    void (*put)(FILE *f);
} inputs[] = {
    {"words", put_words}, {"pairs", put_pairs}, {"few", put_few}, {"noise", put_noise}, {"source", put_source}};

/* Files without a folder: what a program does must not depend on where the traces or this tree lie, nor on the file
 * system there. Numbers from INPUT_FD_FIRST on, out of the way of those that the program will see. */
enum { INPUT_FD_FIRST = 100 };
static int open_text(const char *name, const char *text, size_t size, struct error *err)
{
    const int made = memfd_create(name, MFD_CLOEXEC), fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, INPUT_FD_FIRST);
    size_t done = 0;
    ssize_t n = 0;
    if (made >= 0) close(made);
    while (fd >= 0 && done < size && ((n = write(fd, text + done, size - done)) > 0 || errno == EINTR))
        done += n > 0 ? (size_t)n : 0;
    if (fd >= 0 && done == size && fchmod(fd, 0444) == 0) return fd;
    error_set(err, ERR_IO, "%s, an input of CPU programs: %s", name, strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

static int make(const char *name, void (*put)(FILE *f), struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f) put(f);
    const bool failed = !f || ferror(f), is_lost = f && fclose(f) != 0;
    const int fd = failed || is_lost
                       ? error_set(err, ERR_MEMORY, "no memory to make %s, an input of CPU programs", name)
                       : open_text(name, text, size, err);
    free(text);
    return fd;
}

static int copy(const char *name, struct error *err)
{
    char dir[512], path[1100], *text;
    size_t size;
    lab_path(dir, sizeof dir, "POISE_CPU", "share/poise/datasets/cpu", POISE_CPU_DEFAULT);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (access(path, R_OK) < 0)
        return error_set(err, ERR_INPUT, "%s: this input of a CPU program is not there; POISE_CPU names its folder",
                         path);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int fd = open_text(name, text, size, err);
    free(text);
    return fd;
}

/* The C compiler proper, which the driver starts. */
int cpu_compiler_path(char *out, size_t size, struct error *err)
{
    FILE *f = popen("gcc -print-prog-name=cc1", "r");
    out[0] = '\0';
    if (f && fgets(out, (int)size, f)) out[strcspn(out, "\n")] = '\0';
    if (f) pclose(f);
    return out[0] == '/' ? 0 : error_set(err, ERR_INPUT, "gcc does not say where its cc1 is: install gcc");
}

int cpu_input_open(const char *name, struct error *err)
{
    if (strncmp(name, "d/", 2) == 0) return copy(name + 2, err);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (strcmp(inputs[i].name, name) == 0) return make(name, inputs[i].put, err);
    return error_set(err, ERR_INPUT, "no input '%s' for CPU programs", name);
}
