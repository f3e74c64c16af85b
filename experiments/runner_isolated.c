/* A run in a process of its own: it may crash, take too long or too much memory, and only its own result tells of it.
 * The child shares the plan with its parent (copy on write), simulates, writes its result to a pipe and leaves by _exit. */
#include "runner_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "progress.h"

struct head { struct error err; uint64_t text_size; bool complete; };
struct bytes { char *data; size_t n, capacity; };

static bool write_all(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* The address space that the process has, and so much more. */
static void limit_memory(uint64_t mib)
{
    unsigned long long pages = 0;
    FILE *in = mib ? fopen("/proc/self/statm", "r") : NULL;
    if (!in) return;
    if (fscanf(in, "%llu", &pages) == 1) {
        const rlim_t bytes = (rlim_t)(pages * (unsigned long long)sysconf(_SC_PAGESIZE) + mib * 1048576ull);
        const struct rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
    }
    fclose(in);
}

static _Noreturn void child(int fd, const struct run_job *job, const struct plan *plan, uint64_t memory_mib)
{
    struct head head = {0};
    struct gpu_result g = {0};
    char *text = NULL;
    signal(SIGINT, SIG_IGN); /* the parent finishes what runs */
    signal(SIGTERM, SIG_DFL);
    limit_memory(memory_mib);
    if (gpu_run(&g, plan, job->params, job->stack, job->n_stack, &job->limits, &head.err) == 0) {
        json_t *mechs = json_array();
        head.err.code = ERR_NONE;
        head.complete = g.complete;
        for (unsigned i = 0; i < g.n_mechs; i++) json_array_append(mechs, g.mechs[i]);
        text = json_dumps(mechs, JSON_COMPACT);
        if (!text) error_set(&head.err, ERR_MEMORY, "out of memory for the result");
        head.text_size = text ? strlen(text) : 0;
    }
    const bool ok = write_all(fd, &head, sizeof head) &&
                    (head.err.code != ERR_NONE || (write_all(fd, g.stats, gpu_stat_table.size) && write_all(fd, text, head.text_size)));
    _exit(ok ? 0 : 1);
}

/* Until the end of what the child says, or the deadline: false. */
static bool read_until(int fd, struct bytes *out, double deadline)
{
    for (;;) {
        const double left = deadline > 0 ? deadline - clock_s() : 1;
        if (left <= 0) return false;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int ready = poll(&p, 1, left < 1 ? (int)(left * 1000) + 1 : 1000);
        if (ready < 0 && errno != EINTR) return true;
        if (ready <= 0) continue;
        if (out->capacity - out->n < 65536) {
            char *data = realloc(out->data, out->capacity + 262144);
            if (!data) return true;
            out->data = data;
            out->capacity += 262144;
        }
        const ssize_t n = read(fd, out->data + out->n, out->capacity - out->n);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        out->n += (size_t)n;
    }
}

static void take_result(struct run_result *r, const struct bytes *b)
{
    struct head head;
    memcpy(&head, b->data, sizeof head);
    r->err = head.err;
    if (head.err.code != ERR_NONE) return;
    const size_t stats = gpu_stat_table.size;
    r->stats = malloc(stats);
    r->mechs = b->n == sizeof head + stats + head.text_size ? json_loadb(b->data + sizeof head + stats, head.text_size, 0, NULL) : NULL;
    r->complete = head.complete;
    if (r->stats) memcpy(r->stats, b->data + sizeof head, stats);
    if (!r->stats || !r->mechs) error_set(&r->err, ERR_MEMORY, "out of memory for statistics");
}

void run_isolated(struct run_job *job, const struct plan *plan, const struct runner_options *options)
{
    struct run_result *r = &job->result;
    struct bytes bytes = {0};
    int fds[2], status = 0;
    if (pipe2(fds, O_CLOEXEC) < 0) {
        error_set(&r->err, ERR_IO, "no pipe for a run: %s", strerror(errno));
        return;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child(fds[1], job, plan, options->memory_mib);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        error_set(&r->err, ERR_IO, "no process for a run: %s", strerror(errno));
        return;
    }
    const bool is_over = read_until(fds[0], &bytes, options->timeout_s > 0 ? clock_s() + options->timeout_s : 0);
    if (!is_over) kill(pid, SIGKILL);
    close(fds[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (!is_over) error_set(&r->err, ERR_LIMIT, "%s: not done after --timeout %g seconds", job->launch->label, options->timeout_s);
    else if (WIFSIGNALED(status)) error_set(&r->err, ERR_RUN, "%s: the run's process was ended by signal %d (%s)", job->launch->label, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 || bytes.n < sizeof(struct head)) error_set(&r->err, ERR_RUN, "%s: the run's process ended without a result", job->launch->label);
    else take_result(r, &bytes);
    if (r->err.code == ERR_MEMORY && options->memory_mib) error_at(&r->err, NULL, 0, -1, "give it more with --max-memory");
    free(bytes.data);
}
