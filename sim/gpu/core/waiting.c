#include "core/waiting.h"
#include "cache/l1_chunked.h"

#include <inttypes.h>
#include <stdio.h>

struct waiting *waiting_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params)
{
    if (!plan->n_waits) return NULL;
    const uint32_t sms = params->core.sms, loads = params->lsu.pending_loads, slots = params->core.max_warps;
    struct waiting *x = ARENA_TAKE(arena, struct waiting, 1);
    const struct waiting laid_out = {
        .plan = plan,
        .counts = ARENA_TAKE(arena, uint64_t, plan->n_words),
        .writes = ARENA_TAKE(arena, struct waiting_write, plan->n_writes),
        .lists = ARENA_TAKE(arena, uint32_t, sms),
        .entered = ARENA_TAKE(arena, uint32_t, (size_t)sms * loads),
        .warps = ARENA_TAKE(arena, struct waiting_warp, (size_t)sms * slots),
        .sms = sms,
        .loads = loads,
        .slots = slots,
    };
    if (x) *x = laid_out;
    return x;
}

/* ---- warps ---- */

void waiting_branch(struct sm *sm, struct warp *w)
{
    struct waiting *x = sm->waiting;
    const struct plan_step *step = w->next - 1;
    struct waiting_warp *mine = &x->warps[(size_t)sm->sm * x->slots + (size_t)(w - sm->warps)];
    mine->wait = 0;
    for (uint32_t i = step->first; i < step->first + step->n; i++) {
        const struct plan_wait *wait = &x->plan->waits[i];
        if (x->counts[wait->word] >= wait->count) continue;
        x->repeated += wait->round;
        mine->wait = i + 1;
        w->next -= wait->round;
        mine->first = w->next;
        w->buffered =
            1; /* what was fetched behind the branch is not what comes: fetch_next() takes the branch itself */
        return;
    }
}

uint64_t waiting_repeated(const struct waiting *x, const struct sm *sms)
{
    uint64_t n = x->repeated;
    for (uint32_t i = 0; i < x->sms * x->slots; i++)
        if (x->warps[i].wait) n += (uint64_t)(sms[i / x->slots].warps[i % x->slots].next - x->warps[i].first);
    return n;
}

uint32_t waiting_dump(const struct waiting *x, const struct sm *sms, char *text, size_t size)
{
    enum { NAMED = 3 };
    uint32_t n = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < x->sms * x->slots; i++) {
        if (!x->warps[i].wait || n++ >= NAMED || used >= size) continue;
        const struct plan_wait *wait = &x->plan->waits[x->warps[i].wait - 1];
        const struct trace_word *word = &x->plan->words[wait->word];
        const uint32_t uid = sms[i / x->slots].warps[i % x->slots].uid, warps = x->plan->launch.warps_per_cta;
        const bool is_shared = word->address >= TRACE_SHARED_WINDOW && word->address < TRACE_LOCAL_WINDOW;
        const int more = snprintf(
            text + used, size - used, "%swarp %u of CTA %u waits for %s 0x%" PRIx64 ": %" PRIu64 " writes of %" PRIu64,
            used ? "; " : "", uid % warps, uid / warps, is_shared ? "shared memory" : "the word at",
            (uint64_t)(is_shared ? word->address - TRACE_SHARED_WINDOW : word->address), x->counts[wait->word],
            wait->count);
        used += more > 0 ? (size_t)more : 0;
    }
    if (n > NAMED && used < size) snprintf(text + used, size - used, "; and %u other warps", n - NAMED);
    return n;
}

/* ---- writes ---- */

/* The first counted write of a step; n_writes: none. */
static uint32_t first_of(const struct plan *plan, uint64_t step)
{
    uint32_t low = 0, high = plan->n_writes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (plan->writes[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The writes of this one's step to the same line, or all to shared memory. */
static bool goes_with(const struct plan *plan, uint32_t i, uint32_t with)
{
    const struct plan_write *a = &plan->writes[i], *b = &plan->writes[with];
    return i < plan->n_writes && a->step == b->step && a->is_shared == b->is_shared &&
           (a->is_shared || a->line == b->line);
}

static void count(struct waiting *x, uint32_t first)
{
    for (uint32_t i = first; goes_with(x->plan, i, first); i++) x->counts[x->plan->writes[i].word]++;
}

struct plan_step waiting_enter(struct sm *sm, const struct plan_step *step)
{
    struct waiting *x = sm->waiting;
    const uint32_t first = first_of(x->plan, (uint64_t)(step - x->plan->steps));
    struct plan_step plain = *step;
    plain.action = step->action == ACT_COUNTED_STORE    ? ACT_STORE
                   : step->action == ACT_COUNTED_ATOMIC ? ACT_ATOMIC
                                                        : ACT_SHARED;
    if (plain.action == ACT_SHARED) count(x, first);
    else x->entered[(size_t)sm->sm * x->loads + sm->free_load] = first + 1; /* the number that it will have */
    return plain;
}

static void put_last(struct waiting *x, uint32_t sm, uint32_t write)
{
    uint32_t *at = &x->lists[sm];
    while (*at) at = &x->writes[*at - 1].next;
    *at = write + 1;
}

/* Of several requests for a line, of sectors or of lanes that collide, the first stands for all. */
void waiting_sent(struct sm *sm, const struct line_access *a, bool goes_to_l2)
{
    struct waiting *x = sm->waiting;
    const struct plan *plan = x->plan;
    uint32_t *entered = &x->entered[(size_t)sm->sm * x->loads + a->access.load];
    if (!*entered) return;
    const uint32_t first = *entered - 1;
    const uint64_t step = plan->writes[first].step;
    for (uint32_t i = first; i < plan->n_writes && plan->writes[i].step == step; i++) {
        struct waiting_write *write = &x->writes[i];
        const bool is_first = i == first || !goes_with(plan, i, i - 1);
        if (!is_first || write->has_left) continue;
        if (plan->writes[i].is_shared) { /* lanes of a generic access */
            write->has_left = true;
            count(x, i);
        } else if (plan->writes[i].line == a->access.line) {
            struct request *r = goes_to_l2 ? request_fifo_last(&sm->l1.to_xbar) : NULL;
            uint32_t line = a->access.line, sectors = a->access.sectors;
            l1_place(&sm->l1, &line, &sectors);
            *write = (struct waiting_write){
                .line = line, .token = (uint16_t)(a->wants_result ? a->access.load : a->warp), .has_left = true};
            if (r) r->is_counted = 1;
            put_last(x, sm->sm, i);
        }
    }
    if (a->is_last) *entered = 0;
}

void waiting_performed(struct waiting *x, uint32_t sm, uint32_t token, uint32_t line, uint32_t pc)
{
    const struct plan *plan = x->plan;
    for (uint32_t *at = &x->lists[sm]; *at; at = &x->writes[*at - 1].next) {
        const uint32_t i = *at - 1;
        struct waiting_write *write = &x->writes[i];
        const struct plan_inst *inst = &plan->insts[plan->steps[plan->writes[i].step].inst];
        if (write->line != line || write->token != token || (pc != WAITING_ANY_PC && inst->pc != pc)) continue;
        *at = write->next;
        write->next = 0;
        count(x, i);
        return;
    }
}
