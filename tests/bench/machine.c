/* How fast the machine is while the table is made: on shared processors it may be half as fast a minute later. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

void bench_sample_machine(struct machine_speed *m)
{
    enum { TURNS = 2000000 };
    const double start = thread_cpu_s();
    uint64_t x = 0;
    for (int i = 0; i < TURNS; i++) { /* each turn needs the one before: a processor does one a cycle or so */
        x += (uint64_t)i;
        __asm__ volatile("" : "+r"(x));
    }
    m->turns_s[m->n++ % MACHINE_SAMPLES] = TURNS / (thread_cpu_s() - start);
}

void bench_machine(const struct bench *b, json_t *out)
{
    struct machine_speed *m = b->machine;
    const int n = m->n < MACHINE_SAMPLES ? m->n : MACHINE_SAMPLES;
    if (n == 0) return;
    const double middle = median(m->turns_s, n, NULL), least = m->turns_s[0], most = m->turns_s[n - 1];
    if (!b->json)
        printf("\nthe machine: a loop of dependent additions turned %.2f G times a second (least %.2f, most %.2f of %d "
               "samples)\n",
               1e-9 * middle, 1e-9 * least, 1e-9 * most, n);
    json_object_set_new(
        out, "machine",
        json_pack("{s:f,s:f,s:f,s:i}", "turns_s", middle, "turns_s_least", least, "turns_s_most", most, "samples", n));
}
