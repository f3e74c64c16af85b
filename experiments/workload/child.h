/* Waiting for a program that we started, or for a lock, without losing an interrupt. Internal to the lab and its
 * program. */
#ifndef POISE_CHILD_H
#define POISE_CHILD_H
#include <signal.h>
#include <sys/types.h>
#include "poise/error.h"

/* waitpid() until the program ends; once *stop is set (NULL: never) it is asked to end, and after a few seconds made
 * to. 0; -1 with errno. */
int child_wait(pid_t pid, int *code, const volatile sig_atomic_t *stop);
/* flock(LOCK_EX). 0; ERR_INTERRUPTED once *stop is set. */
int lock_wait(int fd, const char *path, const volatile sig_atomic_t *stop, struct error *err);
#endif
