#include "runner/progress.h"

void progress_begin(struct progress *p, FILE *out, bool is_terminal, const char *what, size_t total, double cost_total)
{
    *p = (struct progress){
        .out = out, .is_terminal = is_terminal, .what = what, .total = total, .cost_total = cost_total};
    p->started = p->last = clock_s();
}

static void print_line(const struct progress *p, double now)
{
    const double passed = now - p->started, share = p->cost_total > 0 ? p->cost_done / p->cost_total : 1;
    const double eta = share > 0 ? passed * (1 - share) / share : 0;
    if (p->is_terminal) {
        char bar[25];
        const size_t full = share < 1 ? (size_t)(share * 24) : 24;
        for (size_t i = 0; i < 24; i++) bar[i] = i < full ? '#' : '.';
        bar[24] = '\0';
        fprintf(p->out, "\r%-22.22s [%s] %zu/%zu", p->what, bar, p->done, p->total);
    } else {
        fprintf(p->out, "%s: %zu of %zu runs", p->what, p->done, p->total);
    }
    fprintf(p->out, "  %.2f M warp inst/s", passed > 0 ? 1e-6 * (double)p->warp_insts / passed : 0);
    if (p->failed) fprintf(p->out, "  %zu failed", p->failed);
    if (p->done < p->total) fprintf(p->out, "  ETA %d:%02d", (int)(eta / 60), (int)eta % 60);
    else fprintf(p->out, "  %.1f s", passed);
    fputs(p->is_terminal ? "\033[K" : "\n", p->out);
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
