/* A crash of the simulator while runs are in hand: the program begins again, in the same process, with the same command
 * line. What was stored is there, and the runs that were in hand get processes of their own (runner_isolated.c): the
 * one that crashes again is recorded, and the others go on. Nothing is done unless main asked for it. */
#ifndef POISE_CRASH_H
#define POISE_CRASH_H
#include <signal.h>
#include <stdbool.h>

/* After so many crashes every run gets a process of its own; after so many more the next one ends the program. */
enum { CRASH_RESTARTS_IN_PLACE = 3, CRASH_RESTARTS_MAX = 8 };

/* To be called by main, before any thread. No restart once *stop is set. */
void crash_guard(char **argv, const volatile sig_atomic_t *stop);
void crash_arm(bool has_runs_in_hand);   /* counts: as often false as true */
void crash_thread(void);                 /* a stack for the handler in this thread, where it has none */
void crash_default(void);                /* in a child: a crash ends it */
unsigned crash_restarts(void);           /* how often this command crashed and began again */
bool crash_is_of_run(int signal_number); /* a fault of the program, not somebody's kill */
#endif
