#include "runner/progress.h"

#include <string.h>
#include <sys/ioctl.h>

void progress_begin(struct progress *p, FILE *out, bool is_terminal, const char *what, size_t total, double cost_total)
{
    *p = (struct progress){
        .out = out, .is_terminal = is_terminal, .what = what, .total = total, .cost_total = cost_total};
    p->started = p->last = clock_s();
}

/* Of the terminal; 80 where it does not say. */
static size_t columns_of(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* The line is shorter than the terminal, or each would go on in the next: the bar takes what the words leave. */
static void print_bar(const struct progress *p, double share, const char *words)
{
    enum { NAME_MAX_CHARS = 22, BAR_MAX = 24, BAR_LEAST = 4 };
    const size_t columns = columns_of(p->out), used = strlen(words) + strlen(" [] ") + 1;
    size_t name = strlen(p->what) < NAME_MAX_CHARS ? strlen(p->what) : NAME_MAX_CHARS;
    size_t width = columns > used + name ? columns - used - name : 0;
    if (width > BAR_MAX) width = BAR_MAX;
    if (width < BAR_LEAST) width = 0;
    if (width == 0 && columns < used + name) name = columns > used ? columns - used : 0;
    const size_t full = share < 1 ? (size_t)(share * (double)width) : width;
    fprintf(p->out, "\r%-*.*s ", (int)name, (int)name, p->what);
    if (width) fputc('[', p->out);
    for (size_t i = 0; i < width; i++) fputc(i < full ? '#' : '.', p->out);
    fprintf(p->out, "%s%s\033[K", width ? "] " : "", words);
}

static void print_line(const struct progress *p, double now)
{
    const double passed = now - p->started, share = p->cost_total > 0 ? p->cost_done / p->cost_total : 1;
    const double eta = share > 0 ? passed * (1 - share) / share : 0;
    char words[160], failed[32] = "", time[32];
    if (p->failed) snprintf(failed, sizeof failed, "  %zu failed", p->failed);
    if (p->done < p->total) snprintf(time, sizeof time, "ETA %d:%02d", (int)(eta / 60), (int)eta % 60);
    else snprintf(time, sizeof time, "%.1f s", passed);
    snprintf(words, sizeof words, "%zu%s%zu%s  %.2f M warp inst/s%s  %s", p->done, p->is_terminal ? "/" : " of ",
             p->total, p->is_terminal ? "" : " runs", passed > 0 ? 1e-6 * (double)p->warp_insts / passed : 0, failed,
             time);
    if (p->is_terminal) print_bar(p, share, words);
    else fprintf(p->out, "%s: %s\n", p->what, words);
    fflush(p->out);
}

void progress_step(struct progress *p, double cost, uint64_t warp_insts, bool has_failed)
{
    p->done++;
    p->cost_done += cost;
    p->warp_insts += warp_insts;
    p->failed += has_failed;
    const double now = clock_s();
    if (!p->out || now - p->last < (p->is_terminal ? 0.1 : 10)) return;
    p->last = now;
    print_line(p, now);
}

void progress_end(struct progress *p)
{
    if (!p->out || p->total == 0) return;
    print_line(p, clock_s());
    if (p->is_terminal) fputc('\n', p->out);
}
