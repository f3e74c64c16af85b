/* `poise cuda --progress`: which launch runs, how far it is, and how fast the executor is. One line that is written
 * over on a terminal, else a line now and then; on stderr. */
#include "driver/shim.h"

#include <string.h>
#include <unistd.h>
#include "poise/clock.h"

#define TERMINAL_S 0.2
#define FILE_S 10.0

void launch_progress_begin(struct launch_progress *p)
{
    *p = (struct launch_progress){.is_on = true, .is_terminal = isatty(STDERR_FILENO), .begin = clock_s()};
    p->told = p->begin;
}

void launch_progress_launch(struct launch_progress *p, const char *kernel) { p->kernel = kernel; }

void launch_progress_clear(struct launch_progress *p)
{
    if (p->is_on && p->is_terminal) fputs("\r\033[K", stderr);
}

void launch_progress_tell(struct launch_progress *p, uint64_t ctas, uint64_t n_ctas, uint64_t warp_insts)
{
    if (!p->is_on) return;
    const double now = clock_s(), passed = now - p->begin;
    const uint64_t all = p->insts + warp_insts;
    if (now - p->told < (p->is_terminal ? TERMINAL_S : FILE_S)) return;
    p->told = now;
    launch_progress_clear(p);
    fprintf(stderr,
            "poise: %.0f s: launch %llu %.60s, %llu of %llu CTAs; %.1f million warp instructions, %.1f a second%s",
            passed, (unsigned long long)p->launches, p->kernel ? p->kernel : "", (unsigned long long)ctas,
            (unsigned long long)n_ctas, (double)all * 1e-6, passed > 0 ? (double)all * 1e-6 / passed : 0.0,
            p->is_terminal ? "" : "\n");
    fflush(stderr);
}

void launch_progress_launched(struct launch_progress *p, uint64_t warp_insts)
{
    p->launches++;
    p->insts += warp_insts;
    launch_progress_clear(p);
}
