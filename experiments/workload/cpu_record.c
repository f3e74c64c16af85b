/* Recording a CPU program: Valgrind's lackey prints what it does into a pipe, and we read until there is enough. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "poise/cpu_programs.h"
#include "workload/recording.h"

enum { FOLDER_FD = 8, LOG_FD = 9, PIPE_BYTES = 1 << 20, BUFFER_BYTES = 1 << 18, COMMAND_MAX = 48 };

struct source {
    int fd;
    const volatile sig_atomic_t *stop;
};
static bool is_stopped(const volatile sig_atomic_t *stop) { return stop && *stop; }

/* lackey writes each line on its own. A reader that takes them one by one would cost as much as lackey itself, so a
 * short read is followed by a nap in which the pipe fills. An interrupt ends the text. */
static ssize_t read_in_bulk(void *cookie, char *data, size_t size)
{
    enum { LOOK_MS = 100 };
    const struct source *from = cookie;
    struct pollfd pipe = {.fd = from->fd, .events = POLLIN};
    ssize_t n;
    do {
        while (!is_stopped(from->stop) && poll(&pipe, 1, LOOK_MS) <= 0) {}
        n = is_stopped(from->stop) ? 0 : read(from->fd, data, size);
    } while (n < 0 && errno == EINTR);
    if (n > 0 && n < (ssize_t)size / 2) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return n;
}

/* What it is given open has the numbers CPU_FILE_FD and so on, and its folder is then the root; or else its folder is
 * open as FOLDER_FD, the name by which the environment has it. */
static void add_files(posix_spawn_file_actions_t *actions, const struct cpu_command *c)
{
    for (size_t i = 0; i < c->n_files; i++)
        posix_spawn_file_actions_adddup2(actions, c->files[i], CPU_FILE_FD + (int)i);
    if (c->is_apart) posix_spawn_file_actions_addchdir_np(actions, "/");
    else posix_spawn_file_actions_addopen(actions, FOLDER_FD, ".", O_PATH | O_DIRECTORY, 0);
}

static int spawn(pid_t *pid, const struct cpu_command *c, int log, struct error *err)
{
    /* LD_PRELOAD is Valgrind's, which puts one that is not here behind all others. Random bytes of the kernel follow
     * the last string, and the loader, which cuts this one at its colons, looks up whole words of four bytes in a table
     * on the stack. The programs of the registry skip that, and keep the addresses that they had. PWD is set by
     * Debian's wrapper, which is a shell script and keeps one that names the folder. */
    static const char *const environment[] = {"LD_PRELOAD=",
                                              "PATH=/usr/local/bin:/usr/bin:/bin",
                                              "LC_ALL=C",
                                              "PYTHONHASHSEED=0",
                                              "PYTHONSAFEPATH=1", /* it does not look up its script's folder */
                                              "PERL_HASH_SEED=0",
                                              "PERL_PERTURB_KEYS=0",
                                              "PWD=/proc/self/fd/8", /* FOLDER_FD */
                                              NULL};
    const char *command[COMMAND_MAX] = {"valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=9"};
    size_t n = 4;
    for (size_t i = 0; c->argv[i]; i++) {
        if (n == COMMAND_MAX - 1) return error_set(err, ERR_USAGE, "more than %d arguments", COMMAND_MAX - 5);
        command[n++] = c->argv[i];
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, c->input ? c->input : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, LOG_FD);
    add_files(&actions, c);
    const int failed = spawn_without_random_layout(pid, (char *const *)(uintptr_t)command, &actions,
                                                   (char *const *)(uintptr_t)(environment + c->is_apart));
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

static char *provenance_of(const struct cpu_command *c)
{
    json_t *command = json_array();
    for (size_t i = 0; c->shown[i]; i++) json_array_append_new(command, json_string(c->shown[i]));
    json_t *object = json_pack("{s:s,s:o}", "recorder", "valgrind --tool=lackey --trace-mem=yes", "command", command);
    if (c->shown_input) json_object_set_new(object, "input", json_string(c->shown_input));
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* Whether the program was ended from outside: Ctrl-C reaches it as it does us. */
static bool end_program(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM);
}

static int record_text(struct cpu_stream **out, const struct cpu_command *c, int fd, const char *provenance,
                       struct error *err)
{
    struct source source = {fd, c->stop};
    FILE *text = fopencookie(&source, "r", (cookie_io_functions_t){.read = read_in_bulk});
    if (!text) return error_set(err, ERR_MEMORY, "no memory to read what lackey says");
    setvbuf(text, NULL, _IOFBF, BUFFER_BYTES);
    const int result = cpu_stream_from_lackey(out, c->shown[0], text, c->skip, c->insts, provenance, err);
    fclose(text);
    return result;
}

int cpu_record(struct cpu_stream **out, const struct cpu_command *c, struct error *err)
{
    int ends[2];
    pid_t pid;
    *out = NULL;
    if (is_there(c->argv[0], err) < 0) return -1;
    char *provenance = provenance_of(c);
    if (!provenance) return error_set(err, ERR_MEMORY, "no memory for a command line");
    if (pipe2(ends, O_CLOEXEC) < 0) {
        free(provenance);
        return error_set(err, ERR_IO, "a pipe: %s", strerror(errno));
    }
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* a smaller one works too */
    int result = spawn(&pid, c, ends[1], err);
    close(ends[1]);
    if (result == 0) {
        result = record_text(out, c, ends[0], provenance, err);
        const bool is_interrupted = end_program(pid) || is_stopped(c->stop);
        if (is_interrupted && (result < 0 || (*out)->counts.insts < c->insts)) {
            cpu_stream_free(*out);
            *out = NULL;
            result = error_set(err, ERR_INTERRUPTED, "interrupted while %s was recorded", c->shown[0]);
        }
    }
    close(ends[0]);
    free(provenance);
    return result;
}
