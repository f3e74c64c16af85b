#include "runner/crash.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N_FAULTS = sizeof faults / sizeof *faults, STACK_BYTES = 1 << 16, ENVIRONMENT_MAX = 4000 };
#define VARIABLE "POISE_RESTARTS="

/* A handler can reach nothing but a global. */
static struct {
    char **argv;
    const volatile sig_atomic_t *stop;
    volatile sig_atomic_t n_armed, is_at_work;
    unsigned restarts;
    pid_t pid;     /* a child that has not yet begun what it is for must not take its parent's place */
    char next[32]; /* "POISE_RESTARTS=2" */
} guard;

/* Only what a signal handler may call. */
static _Noreturn void begin_again(void)
{
    static const char words[] = "poise: the simulator crashed: the command begins again from what is stored; runs that "
                                "were in hand get processes of their own\n";
    char *environment[ENVIRONMENT_MAX + 2];
    size_t n = 0;
    sigset_t none;
    for (char **e = environ; e && *e && n < ENVIRONMENT_MAX; e++)
        if (strncmp(*e, VARIABLE, sizeof VARIABLE - 1) != 0) environment[n++] = *e;
    environment[n++] = guard.next;
    environment[n] = NULL;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) {}
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/proc/self/exe", guard.argv, environment);
    _exit(1);
}

static void on_fault(int signal_number)
{
    if (guard.n_armed == 0 || getpid() != guard.pid || *guard.stop || guard.restarts >= CRASH_RESTARTS_MAX) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    if (__atomic_exchange_n(&guard.is_at_work, 1, __ATOMIC_SEQ_CST))
        for (;;) pause(); /* another thread is at it, and this one ends with it */
    begin_again();
}

/* Who has a handler already (a sanitizer, a debugger's library) keeps it. */
static void install(int signal_number)
{
    struct sigaction before, action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    if (sigaction(signal_number, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

void crash_guard(char **argv, const volatile sig_atomic_t *stop)
{
    const char *restarts = getenv("POISE_RESTARTS");
    guard.argv = argv;
    guard.stop = stop;
    guard.pid = getpid();
    guard.restarts = restarts ? (unsigned)strtoul(restarts, NULL, 10) : 0;
    snprintf(guard.next, sizeof guard.next, VARIABLE "%u", guard.restarts + 1);
    unsetenv("POISE_RESTARTS"); /* not for programs that this one starts */
    for (size_t i = 0; i < N_FAULTS; i++) install(faults[i]);
    crash_thread();
}

void crash_arm(bool has_runs_in_hand)
{
    __atomic_add_fetch(&guard.n_armed, has_runs_in_hand ? 1 : -1, __ATOMIC_SEQ_CST);
}

void crash_thread(void)
{
    stack_t now, mine = {.ss_size = STACK_BYTES};
    if (!guard.argv || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    mine.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine.ss_sp != MAP_FAILED) sigaltstack(&mine, NULL);
}

void crash_default(void)
{
    for (size_t i = 0; guard.argv && i < N_FAULTS; i++) signal(faults[i], SIG_DFL);
}

unsigned crash_restarts(void) { return guard.restarts; }

bool crash_is_of_run(int signal_number)
{
    for (size_t i = 0; i < N_FAULTS; i++)
        if (faults[i] == signal_number) return true;
    return signal_number == SIGTRAP || signal_number == SIGSYS;
}
