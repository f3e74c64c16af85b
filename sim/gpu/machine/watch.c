#include "machine/watch.h"

#include <string.h>

/* The level of each queue, and what has ever come into it; machine-wide. */
struct reading {
    uint64_t level, arrived;
};

static void read_l1(const struct gpu *g, struct reading out[GPU_N_QUEUES])
{
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        const struct sm *sm = &g->sms[i];
        const struct l1_stats *s = &sm->l1.stats;
        out[GPU_QUEUE_L1_MSHRS].level += sm->l1.mshrs.used;
        out[GPU_QUEUE_L1_MSHRS].arrived += s->l1d_misses;
        out[GPU_QUEUE_L1_MISS].level += sm->l1.to_xbar.count;
        out[GPU_QUEUE_L1_MISS].arrived += s->l1d_misses + s->l1d_bypassed + s->l1d_asked_again + s->l1d_stores +
                                          s->l1d_atomics + s->l1d_writebacks + s->const_misses + s->tex_misses +
                                          sm->stats.l1i_misses;
        out[GPU_QUEUE_SM_REPLIES].level += sm->replies.count;
    }
    out[GPU_QUEUE_SM_REPLIES].arrived = g->xbar_stats.reply_packets;
}

static void read_l2(const struct gpu *g, struct reading out[GPU_N_QUEUES])
{
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        const struct l2 *l2 = &g->banks[i];
        out[GPU_QUEUE_L2_ACCESS].level += l2->from_xbar.count;
        out[GPU_QUEUE_L2_MSHRS].level += l2->mshrs.used;
        out[GPU_QUEUE_L2_MSHRS].arrived += l2->stats.l2_misses;
        out[GPU_QUEUE_L2_MISS].level += l2->to_dram.count;
        out[GPU_QUEUE_L2_MISS].arrived += l2->stats.l2_misses + l2->stats.l2_writebacks;
        out[GPU_QUEUE_L2_RESPONSES].level += l2->to_xbar.count;
        out[GPU_QUEUE_L2_RESPONSES].arrived += l2->stats.l2_responses;
    }
    out[GPU_QUEUE_L2_ACCESS].arrived = g->xbar_stats.request_packets;
    for (uint32_t i = 0; i < g->params->dram.channels; i++)
        out[GPU_QUEUE_DRAM].level += dram_in_channel(&g->channels[i]);
    /* What has left the miss queues is in DRAM's. */
    out[GPU_QUEUE_DRAM].arrived = out[GPU_QUEUE_L2_MISS].arrived - out[GPU_QUEUE_L2_MISS].level;
}

void watch_begin(struct gpu_watch *w)
{
    static const char *const names[GPU_N_QUEUES] = {[GPU_QUEUE_L1_MSHRS] = "L1 MSHRs",
                                                    [GPU_QUEUE_L1_MISS] = "L1 miss queue",
                                                    [GPU_QUEUE_L2_ACCESS] = "link and L2 access queue",
                                                    [GPU_QUEUE_L2_MSHRS] = "L2 MSHRs",
                                                    [GPU_QUEUE_L2_MISS] = "L2 miss queue",
                                                    [GPU_QUEUE_DRAM] = "DRAM queue and banks",
                                                    [GPU_QUEUE_L2_RESPONSES] = "L2 response queue",
                                                    [GPU_QUEUE_SM_REPLIES] = "link and SM reply queue"};
    if (!w) return;
    *w = (struct gpu_watch){0};
    for (int q = 0; q < GPU_N_QUEUES; q++) w->queues[q].name = names[q];
}

void watch_sample(struct gpu_watch *w, const struct gpu *g)
{
    struct reading now[GPU_N_QUEUES] = {{0}};
    const double time = (double)g->clocks.time / (double)g->clocks.period[DOMAIN_CORE];
    read_l1(g, now);
    read_l2(g, now);
    for (int q = 0; q < GPU_N_QUEUES; q++) {
        struct gpu_queue_watch *at = &w->queues[q];
        const uint64_t came = now[q].arrived - at->arrived, left = at->level + came - now[q].level;
        at->area += (double)at->level * (time - w->time);
        at->stayed += time * ((double)left - (double)came);
        at->arrived = now[q].arrived;
        at->left += left;
        at->level = now[q].level;
    }
    w->time = time;
}

void watch_end(struct gpu_watch *w, const struct gpu *g)
{
    if (!w) return;
    watch_sample(w, g);
    for (int q = 0; q < GPU_N_QUEUES; q++) {
        struct gpu_queue_watch *at = &w->queues[q];
        at->occupancy = w->time > 0 ? at->area / w->time : 0;
        at->wait_cycles = at->left ? (at->stayed + (double)at->level * w->time) / (double)at->left : 0;
    }
}
