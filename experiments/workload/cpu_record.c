/* Recording a CPU program: Valgrind's lackey prints what it does into a pipe, and we read until there is enough. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "poise/cpu_programs.h"

enum { LOG_FD = 9, PIPE_BYTES = 1 << 20, BUFFER_BYTES = 1 << 18, COMMAND_MAX = 48 };

/* lackey writes each line on its own. A reader that takes them one by one would cost as much as lackey itself, so a
 * short read is followed by a nap in which the pipe fills. */
static ssize_t read_in_bulk(void *cookie, char *data, size_t size)
{
    const int fd = *(int *)cookie;
    ssize_t n;
    do n = read(fd, data, size);
    while (n < 0 && errno == EINTR);
    if (n > 0 && n < (ssize_t)size / 2) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return n;
}

static int spawn(pid_t *pid, const char *const *argv, const char *input, int log, struct error *err)
{
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                              "LC_ALL=C",
                                              "PYTHONHASHSEED=0",
                                              "PERL_HASH_SEED=0",
                                              "PERL_PERTURB_KEYS=0",
                                              NULL};
    const char *command[COMMAND_MAX] = {"valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=9"};
    size_t n = 4;
    for (size_t i = 0; argv[i]; i++) {
        if (n == COMMAND_MAX - 1) return error_set(err, ERR_USAGE, "more than %d arguments", COMMAND_MAX - 5);
        command[n++] = argv[i];
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input ? input : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, LOG_FD);
    const int failed = posix_spawnp(pid, command[0], &actions, NULL, (char *const *)(uintptr_t)command,
                                    (char *const *)(uintptr_t)environment);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed) return 0;
    error_set(err, ERR_RUN, "valgrind: %s", strerror(failed));
    return error_at(err, NULL, 0, -1, "recording CPU programs needs valgrind: apt-get install valgrind");
}

/* lackey itself says only by silence that a program is not there. */
static int is_there(const char *program, struct error *err)
{
    static const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    char path[4096];
    if (strchr(program, '/') && access(program, X_OK) == 0) return 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !strchr(program, '/'); i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], program);
        if (access(path, X_OK) == 0) return 0;
    }
    error_set(err, ERR_INPUT, "no program '%s'", program);
    return error_at(err, NULL, 0, -1, "install the Debian package that has it, or give a path");
}

static char *provenance_of(const char *const *argv, const char *input)
{
    json_t *command = json_array();
    for (size_t i = 0; argv[i]; i++) json_array_append_new(command, json_string(argv[i]));
    json_t *object = json_pack("{s:s,s:o}", "recorder", "valgrind --tool=lackey --trace-mem=yes", "command", command);
    if (input) json_object_set_new(object, "input", json_string(input));
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

int cpu_record(struct cpu_stream **out, const char *const *argv, const char *input, uint64_t skip, uint64_t insts,
               struct error *err)
{
    int ends[2];
    pid_t pid;
    *out = NULL;
    if (is_there(argv[0], err) < 0) return -1;
    char *provenance = provenance_of(argv, input);
    if (!provenance) return error_set(err, ERR_MEMORY, "no memory for a command line");
    if (pipe2(ends, O_CLOEXEC) < 0) {
        free(provenance);
        return error_set(err, ERR_IO, "a pipe: %s", strerror(errno));
    }
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* a smaller one works too */
    int result = spawn(&pid, argv, input, ends[1], err);
    close(ends[1]);
    if (result == 0) {
        FILE *text = fopencookie(&ends[0], "r", (cookie_io_functions_t){.read = read_in_bulk});
        if (text) setvbuf(text, NULL, _IOFBF, BUFFER_BYTES);
        result = text ? cpu_stream_from_lackey(out, argv[0], text, skip, insts, provenance, err)
                      : error_set(err, ERR_MEMORY, "no memory to read what lackey says");
        if (text) fclose(text);
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(ends[0]);
    free(provenance);
    return result;
}
