/* A run in a process of its own: it may crash, take too long or too much memory, and only its own result tells of
 * it. The child shares the plan with its parent (copy on write), simulates, writes its result to a pipe and leaves
 * by _exit. */
#include "runner/crash.h"
#include "runner/runner_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The writable memory that the process has, and so much more. Blocks above 64 KiB come from the system then, not out
 * of what the parent has freed: a run's state is such a block, and the limit is about it. RLIMIT_DATA, since a
 * thread's heap lies in address space that is reserved already and only turns writable. */
static void limit_memory(uint64_t mib)
{
    unsigned long long pages = 0;
    FILE *in = mib ? fopen("/proc/self/statm", "r") : NULL;
    if (!in) return;
    mallopt(M_MMAP_THRESHOLD, 65536);
    if (fscanf(in, "%*u %*u %*u %*u %*u %llu", &pages) == 1) {
        const rlim_t bytes = (rlim_t)(pages * (unsigned long long)sysconf(_SC_PAGESIZE) + mib * 1048576ull);
        const struct rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_DATA, &limit);
    }
    fclose(in);
}

enum { NO_MEMORY = 3 }; /* exit status */

static _Noreturn void child(int fd, const struct run_job *job, const struct plan *plan, const struct gpu_limits *limits,
                            uint64_t memory_mib)
{
    struct run_result r = {0};
    struct gpu_result g = {0};
    struct bytes bytes = {0};
    signal(SIGINT, SIG_IGN); /* the parent finishes what runs */
    signal(SIGTERM, SIG_DFL);
    crash_default();
    limit_memory(memory_mib);
    if (gpu_run(&g, plan, job->params, job->stack, job->n_stack, limits, &r.err) == 0) result_take(&r, &g);
    if (result_pack(&bytes, &r) < 0) _exit(NO_MEMORY);
    _exit(write_all(fd, bytes.data, bytes.n) ? 0 : 1);
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
        if (bytes_reserve(out, 65536) < 0) return true;
        const ssize_t n = read(fd, out->data + out->n, out->capacity - out->n);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        out->n += (size_t)n;
    }
}

void run_isolated(struct run_job *job, const struct plan *plan, const struct gpu_limits *limits,
                  const struct runner_options *options)
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
        child(fds[1], job, plan, limits, options->memory_mib);
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
    if (!is_over)
        error_set(&r->err, ERR_LIMIT, "%s: not done after --timeout %g seconds", job->launch->label,
                  options->timeout_s);
    else if (WIFSIGNALED(status))
        error_set(&r->err, crash_is_of_run(WTERMSIG(status)) && !options->memory_mib ? ERR_CRASH : ERR_RUN,
                  "%s: the run's process was ended by signal %d (%s)", job->launch->label, WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == NO_MEMORY)
        error_set(&r->err, ERR_MEMORY, "%s: out of memory for the result", job->launch->label);
    else if (WEXITSTATUS(status) != 0)
        error_set(&r->err, ERR_RUN, "%s: the run's process ended without a result", job->launch->label);
    else result_unpack(r, bytes.data, bytes.n);
    if (r->err.code == ERR_MEMORY && options->memory_mib)
        error_at(&r->err, NULL, 0, -1, "give it more with --max-memory");
    free(bytes.data);
}
