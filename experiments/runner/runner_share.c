/* Which runs of a batch are this process's. Processes that share a store claim runs in it, a few at a time: as many as
 * take CLAIM_S, so that a claim costs little and nobody has more in hand than the others can wait for. */
#include <string.h>
#include "runner/runner_internal.h"

static const double claim_s = 0.1, look_s = 0.02, tell_s = 3;
enum { CLAIMS_MAX = 64 };

static bool is_stopped(const struct batch *b)
{
    return b->has_failed || (b->runner->options.stop && *b->runner->options.stop);
}

static int claim(struct batch *b, const size_t *of, size_t n, struct error *err)
{
    char keys[CLAIMS_MAX][HASH_TEXT_SIZE];
    enum store_claim claims[CLAIMS_MAX];
    for (size_t i = 0; i < n; i++) hash_text(&b->jobs[b->missing[of[i]]].key, keys[i]);
    if (store_claim(b->runner->store, keys, n, claims, err) < 0) return -1;
    for (size_t i = n; i-- > 0;) { /* the first is to be the next */
        const size_t job = b->missing[of[i]];
        if (claims[i] == STORE_CLAIM_TAKEN) {
            b->elsewhere[b->n_elsewhere++] = of[i];
            continue;
        }
        /* another process may have ended it before the claim */
        if (batch_ask_store(b, job, false, err) < 0) return -1;
        if (b->jobs[job].result.is_done) {
            batch_take(b, job);
            continue;
        }
        b->jobs[job].is_isolated = claims[i] == STORE_CLAIM_LEFT_OVER;
        b->ready[b->n_ready++] = of[i];
    }
    return 0;
}

/* What nobody has looked at. */
static int claim_next(struct batch *b, struct error *err)
{
    size_t of[CLAIMS_MAX], n = 0;
    double cost = 0;
    while (b->looked < b->n_missing && n < CLAIMS_MAX && (n == 0 || cost < claim_s)) {
        cost += b->jobs[b->missing[b->looked]].cost;
        of[n++] = b->looked++;
    }
    return n ? claim(b, of, n, err) : 0;
}

/* What others had in hand: their results, or what they left over. */
static int look_elsewhere(struct batch *b, struct error *err)
{
    size_t of[CLAIMS_MAX], n = 0, kept = 0;
    double cost = 0;
    long pid = 0;
    for (size_t i = 0; i < b->n_elsewhere; i++) {
        const size_t k = b->elsewhere[i], job = b->missing[k];
        char key[HASH_TEXT_SIZE];
        if (batch_ask_store(b, job, false, err) < 0) return -1;
        if (b->jobs[job].result.is_done) {
            batch_take(b, job);
            continue;
        }
        hash_text(&b->jobs[job].key, key);
        const bool has_room = n < CLAIMS_MAX && (n == 0 || cost < claim_s);
        const int is_taken = has_room ? store_is_taken(b->runner->store, key, &pid, err) : 1;
        if (is_taken < 0) return -1;
        if (is_taken) b->elsewhere[kept++] = k;
        else cost += b->jobs[job].cost, of[n++] = k;
    }
    b->n_elsewhere = kept;
    if (!b->has_told && kept && clock_s() - b->waits_since > tell_s && b->runner->options.progress) {
        b->has_told = true;
        fprintf(b->runner->options.progress, "%s: process %ld has %zu of these runs in hand: waiting for its results\n",
                store_path(b->runner->store), pid, kept);
        if (store_process_is_stopped(pid))
            fprintf(
                b->runner->options.progress,
                "process %ld is stopped: 'kill -CONT %ld' lets it go on; where it is ended, its runs are taken over\n",
                pid, pid);
    }
    return n ? claim(b, of, n, err) : 0;
}

static int find_more(struct batch *b, struct error *err)
{
    if (!b->runner->store) {
        if (b->looked < b->n_missing) b->ready[b->n_ready++] = b->looked++;
        return 0;
    }
    while (b->n_ready == 0 && b->looked < b->n_missing)
        if (claim_next(b, err) < 0) return -1;
    /* others wait for these rows, and nothing writes them while a last run goes on */
    if (b->n_ready == 0 && store_flush(b->runner->store, err) < 0) return -1;
    const double now = clock_s();
    if (b->n_ready || b->n_elsewhere == 0 || now - b->last_look < look_s) return 0;
    if (b->waits_since <= 0) b->waits_since = now;
    b->last_look = now;
    return look_elsewhere(b, err);
}

enum turn batch_next(struct batch *b, size_t *k)
{
    enum turn turn = TURN_OVER;
#pragma omp critical(runner_state)
    {
        if (!is_stopped(b) && b->n_ready == 0 && find_more(b, &b->fatal) < 0) b->has_failed = true;
        if (!is_stopped(b)) turn = b->n_ready ? TURN_RUN : b->n_elsewhere ? TURN_WAIT : TURN_OVER;
        if (turn == TURN_RUN) *k = b->ready[--b->n_ready];
    }
    return turn;
}
