/* poise cuda: a program that nvcc built runs on our libcudart and libcuda. This process becomes the program. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/cuda_device.h"
#include "poise/cuda_program.h"
#include "poise/file.h"
#include "poise/number.h"
#include "poise/threads.h"

struct cuda_options {
    const char *trace_dir, *kernels, *launches, *device, *bounds, *host_access;
    uint64_t max_insts, max_idle, sms, threads, turn_insts;
    bool strict_exit, progress, json;
};
static const struct option_row rows[] = {
    OPTION_NAMED(cuda_options, trace_dir, "trace-dir", 0, OPTION_TEXT, "DIR",
                 "write a trace of each launch and launches.jsonl to this folder"),
    OPTION(cuda_options, kernels, 0, OPTION_TEXT, "REGEX",
           "record only kernels whose (mangled) name has a match; the others run"),
    OPTION(cuda_options, launches, 0, OPTION_TEXT, "A-B",
           "record only launches A to B, counted from 0; the others run"),
    OPTION_NAMED(cuda_options, max_insts, "max-insts", 0, OPTION_WHOLE, "N",
                 "record no more once the recorded launches have N warp instructions"),
    OPTION_NAMED(cuda_options, max_idle, "max-idle", 0, OPTION_COUNT, "N",
                 "stop a launch after N warp instructions without progress (default: 4294967296)"),
    OPTION_NAMED(cuda_options, turn_insts, "turn-insts", 0, OPTION_COUNT, "N",
                 "warps of a CTA take turns of N instructions; by default each runs until it waits or ends. A program "
                 "without races gives the same with any N"),
    OPTION(cuda_options, threads, 0, OPTION_WHOLE, "N",
           "threads that a launch's CTAs and its trace may use; what comes out is the same with any number (default: "
           "as many "
           "as there are processors; for CTAs where a launch is long and they are measured to be faster)"),
    OPTION(cuda_options, device, 0, OPTION_TEXT, "NAME",
           "the device that the program sees: a100 (default), h100, rtx3090, v100 or kepler32"),
    OPTION(cuda_options, sms, 0, OPTION_COUNT, "N",
           "SMs of that device, by which programs size their grids (default: its own)"),
    OPTION(
        cuda_options, bounds, 0, OPTION_TEXT, "MODE",
        "an access outside every allocation: strict stops the launch; warn (default) and page let it continue where a "
        "GPU's pages would"),
    OPTION_NAMED(
        cuda_options, host_access, "host-access", 0, OPTION_TEXT, "MODE",
        "strict: host code that touches device memory (cudaMalloc) ends with a segmentation fault, as on a GPU, "
        "and a line says which address and whose; free (default): it may"),
    OPTION(cuda_options, progress, 0, OPTION_FLAG, NULL,
           "say on stderr which launch runs, how many of its CTAs have ended, and how fast"),
    OPTION_NAMED(cuda_options, strict_exit, "strict-exit", 0, OPTION_FLAG, NULL,
                 "the exit status is 1, not 0, if a call failed or --bounds warn had something to say"),
    OPTION(cuda_options, json, 0, OPTION_FLAG, NULL, "errors as JSON; what the program prints is its own"),
};
static const struct command own_options = {"cuda", NULL, NULL, NULL, rows, COUNT_OF(rows), sizeof(struct cuda_options),
                                           NULL};

static bool is_flag(const char *argument)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].kind == OPTION_FLAG && strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, rows[i].name) == 0)
            return true;
    return false;
}

/* How many arguments are ours: options with their values, up to the program. */
static int count_own(int argc, char **argv)
{
    int n = 0;
    while (n < argc && argv[n][0] == '-' && strcmp(argv[n], "--") != 0)
        n += strchr(argv[n], '=') || is_flag(argv[n]) ? 1 : 2;
    return n < argc ? n : argc;
}

/* The path that a shell would run. */
static int find_program(char out[PATH_MAX], const char *name, struct error *err)
{
    if (strchr(name, '/') || !getenv("PATH")) {
        snprintf(out, PATH_MAX, "%s", name);
        return access(out, X_OK) == 0 ? 0 : error_set(err, ERR_INPUT, "%s: %s", name, strerror(errno));
    }
    if (file_in_path(out, PATH_MAX, name)) return 0;
    return error_set(err, ERR_INPUT, "%s: no such program; give its path, such as ./%s", name, name);
}

static int set_number(const char *variable, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return setenv(variable, text, 1);
}

/* What the program sees; a name that there is not ends here, not in the program. */
static int set_device(const struct cuda_options *o, struct error *err)
{
    struct cuda_device device;
    if (cuda_device_choose(&device, o->device ? o->device : CUDA_DEVICE_DEFAULT, o->sms, err) < 0)
        return error_while(err, "poise cuda");
    if ((o->device && setenv("POISE_CUDA_DEVICE", o->device, 1) < 0) ||
        (o->sms && set_number("POISE_CUDA_SMS", o->sms) < 0))
        return error_set(err, ERR_MEMORY, "out of memory");
    return 0;
}

static int set_launches(const char *text, struct error *err)
{
    uint64_t first, last;
    if (!text) return 0;
    const char *end = whole_scan(text, &first);
    if (end && *end == '-') end = whole_scan(end + 1, &last);
    else last = first;
    if (!end || *end || last < first || last == UINT64_MAX)
        return error_set(err, ERR_USAGE, "--launches %s: two launch numbers are needed, such as 3-10", text);
    return set_number("POISE_TRACE_SKIP", first) < 0 || set_number("POISE_TRACE_MAX_LAUNCHES", last - first + 1) < 0
               ? error_set(err, ERR_MEMORY, "out of memory")
               : 0;
}

/* What the library in the program would find wrong at the first launch. */
static int check_recording(const struct cuda_options *o, struct error *err)
{
    regex_t kernels;
    if (o->kernels && regcomp(&kernels, o->kernels, REG_EXTENDED | REG_NOSUB) != 0)
        return error_set(err, ERR_USAGE, "--kernels %s: this is no extended regular expression", o->kernels);
    if (o->kernels) regfree(&kernels);
    if ((o->kernels || o->launches || o->max_insts) && !o->trace_dir && !getenv("POISE_TRACE_DIR"))
        return error_set(err, ERR_USAGE, "--%s goes with --trace-dir: it says what is recorded",
                         o->kernels    ? "kernels"
                         : o->launches ? "launches"
                                       : "max-insts");
    struct stat st;
    if (!o->trace_dir || stat(o->trace_dir, &st) < 0 || S_ISDIR(st.st_mode)) return 0;
    return error_set(err, ERR_INPUT, "--trace-dir %s: %s", o->trace_dir, strerror(ENOTDIR));
}

/* Our libraries come first. */
static int set_environment(const struct cuda_options *o, struct error *err)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *path, own[512], library[PATH_MAX];
    lab_path(own, sizeof own, "POISE_CUDA_LIB", "lib/poise/cuda", POISE_CUDA_LIB_DEFAULT);
    snprintf(library, sizeof library, "%s/libcudart.so", own);
    if (access(library, R_OK) < 0) {
        error_set(err, ERR_RUN, "%s: %s", library, strerror(errno));
        return error_at(err, NULL, 0, -1, OWN_KERNELS_HINT "; POISE_CUDA_LIB names another folder");
    }
    if (asprintf(&path, "%s%s%s", own, before ? ":" : "", before ? before : "") < 0)
        return error_set(err, ERR_MEMORY, "out of memory");
    int failed = setenv("LD_LIBRARY_PATH", path, 1);
    free(path);
    if (o->trace_dir) failed |= setenv("POISE_TRACE_DIR", o->trace_dir, 1);
    if (o->kernels) failed |= setenv("POISE_TRACE_KERNELS", o->kernels, 1);
    if (o->bounds && strcmp(o->bounds, "strict") != 0 && strcmp(o->bounds, "warn") != 0 &&
        strcmp(o->bounds, "page") != 0)
        return error_set(err, ERR_USAGE, "--bounds %s: strict, warn or page is needed", o->bounds);
    if (o->bounds) failed |= setenv("POISE_BOUNDS", o->bounds, 1);
    if (o->host_access && strcmp(o->host_access, "strict") != 0 && strcmp(o->host_access, "free") != 0)
        return error_set(err, ERR_USAGE, "--host-access %s: strict or free is needed", o->host_access);
    if (o->host_access) failed |= setenv("POISE_HOST_ACCESS", o->host_access, 1);
    if (o->progress) failed |= setenv("POISE_PROGRESS", "1", 1);
    if (o->strict_exit) failed |= setenv("POISE_STRICT_EXIT", "1", 1);
    if (o->max_insts) failed |= set_number("POISE_TRACE_MAX_INSTS", o->max_insts);
    if (o->max_idle) failed |= set_number("POISE_MAX_IDLE_INSTS", o->max_idle);
    if (o->turn_insts) failed |= set_number("POISE_TURN_INSTS", o->turn_insts);
    if (o->threads > HOST_THREADS_MAX)
        return error_set(err, ERR_USAGE, "--threads %" PRIu64 ": at most %u", o->threads, HOST_THREADS_MAX);
    if (o->threads) failed |= set_number("POISE_THREADS", o->threads);
    if (failed) return error_set(err, ERR_MEMORY, "out of memory");
    return set_device(o, err) < 0 ? -1 : set_launches(o->launches, err);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    char *argv[TEXTS_MAX + 1], path[PATH_MAX];
    struct cuda_options o;
    struct texts none;
    bool wants_help;
    const int argc = (int)arguments->n;
    (void)cli, (void)options;
    for (int i = 0; i < argc; i++) argv[i] = (char *)(uintptr_t)arguments->items[i];
    argv[argc] = NULL;
    int n = count_own(argc, argv);
    if (options_parse(&own_options, &o, &none, n, argv, &wants_help, NULL, err) < 0) return -1;
    if (n < argc && strcmp(argv[n], "--") == 0) n++;
    if (n == argc) return error_set(err, ERR_USAGE, "poise cuda needs a program: poise cuda [OPTIONS] ./PROGRAM ARGS");
    if (find_program(path, argv[n], err) < 0 || check_recording(&o, err) < 0 || cuda_program_check(path, err) < 0 ||
        set_environment(&o, err) < 0)
        return -1;
    /* Device memory lies at fixed addresses; without a random layout they are free. */
    const int now = personality(0xffffffff);
    if (now >= 0) personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    execv(path, argv + n);
    return error_set(err, ERR_RUN, "%s: %s", path, strerror(errno));
}

const struct command command_cuda = {
    "cuda",
    "run a CUDA program built by nvcc on the functional device",
    "[OPTIONS] ./PROGRAM ARGS",
    "The program must load the runtime (nvcc -cudart shared) or the driver from a library, and hold PTX. It runs "
    "unmodified;\n"
    "the exit status is its own. Every call of CUDA's API that fails is also a line on stderr.\n\n"
    "The device that it sees is apart from the GPU that is simulated later: a launch is refused by that device's "
    "limits alone,\n"
    "and `poise sim` says whether a trace fits the simulated GPU.\n\n"
    "Hardware checks pages, not allocations: by default an access outside every allocation continues where a page of 2 "
    "MiB holds an\n"
    "allocation, with one line on stderr for each PTX line (none by --bounds page); launches.jsonl and the trace's "
    "provenance count them.\n",
    rows,
    COUNT_OF(rows),
    0,
    run};
