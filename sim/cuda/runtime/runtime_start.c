/* POISE_STRICT_EXIT: what was told on stderr makes a program that says all went well end otherwise. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs last, as it was asked for first. */
static void end(int status, void *unused)
{
    (void)unused;
    if (status != 0 || shim_told() == 0) return;
    fflush(NULL);
    _exit(1);
}

__attribute__((constructor)) static void start(void)
{
    const char *strict = getenv("POISE_STRICT_EXIT");
    if (strict && strcmp(strict, "1") == 0) on_exit(end, NULL);
}
