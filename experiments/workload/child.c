#include "workload/child.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/clock.h"

enum { LOOK_MS = 100, LOCK_LOOK_US = 20000 };
#define GRACE_S 3.0 /* between asking a program to end and ending it */

/* Back after LOOK_MS, or as soon as the program ends. */
static void pause_for(int pidfd)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    if (pidfd >= 0) poll(&p, 1, LOOK_MS);
    else usleep(LOOK_MS * 100); /* a kernel before 5.3 */
}

int child_wait(pid_t pid, int *code, const volatile sig_atomic_t *stop)
{
    const int pidfd = stop ? pidfd_open(pid, 0) : -1;
    double asked = 0;
    int result = 0;
    for (;;) {
        const pid_t ended = waitpid(pid, code, stop ? WNOHANG : 0);
        if (ended == pid) break;
        if (ended < 0 && errno == EINTR) continue;
        if (ended < 0) {
            result = -1;
            break;
        }
        if (*stop && (asked == 0 || clock_s() > asked + GRACE_S)) {
            kill(pid, asked == 0 ? SIGTERM : SIGKILL);
            if (asked == 0) asked = clock_s();
        }
        pause_for(pidfd);
    }
    if (pidfd >= 0) {
        const int why = errno;
        close(pidfd);
        errno = why;
    }
    return result;
}

int lock_wait(int fd, const char *path, const volatile sig_atomic_t *stop, struct error *err)
{
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (stop && *stop)
            return error_set(err, ERR_INTERRUPTED, "%s: interrupted while another process records there", path);
        usleep(LOCK_LOOK_US);
    }
    return 0;
}
