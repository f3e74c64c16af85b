/* The best of many policies by samples that grow while policies drop out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sampling/sample_internal.h"

const char *const race_end_names[] = {"untried", "slower", "behind", "close", "best"};

/* Errors of the rounds: the asked one last, each before it five times as large. At most every fourth goes on. The first
 * rounds only choose, by the same launches of all. */
enum { ROUNDS = 3, WIDER = 5, GOES_ON = 4 };
static const double ERROR_MOST = 0.5;

/* Jobs of policies stand in blocks; those that take part come first, the best so far at the head. */
struct field {
    struct program_sample *s;
    struct race *race;
    struct run_job *jobs, *room; /* room: one block */
    size_t *policy;              /* of each block */
    size_t n_in;
};

static void swap_blocks(struct field *f, size_t a, size_t b)
{
    const size_t bytes = f->s->n * sizeof *f->jobs, policy = f->policy[a];
    if (a == b) return;
    memcpy(f->room, &f->jobs[a * f->s->n], bytes);
    memcpy(&f->jobs[a * f->s->n], &f->jobs[b * f->s->n], bytes);
    memcpy(&f->jobs[b * f->s->n], f->room, bytes);
    f->policy[a] = f->policy[b];
    f->policy[b] = policy;
}

static size_t block_of(const struct field *f, size_t policy)
{
    size_t block = 0;
    while (f->policy[block] != policy) block++;
    return block;
}

static bool has_failed(const struct field *f, size_t block)
{
    for (size_t i = 0; i < f->s->n; i++) {
        const struct run_result *r = &f->jobs[block * f->s->n + i].result;
        if (r->is_done && r->err.code != ERR_NONE) return true;
    }
    return false;
}

static struct race_row *row_at(const struct field *f, size_t block) { return &f->race->rows[f->policy[block]]; }

/* What the sample says of all that take part. The best comes to the head; whoever failed is at the end of the order. */
static int judge(struct field *f, unsigned round, struct error *err)
{
    size_t best = f->n_in;
    for (size_t b = 0; b < f->n_in; b++) {
        struct race_row *row = row_at(f, b);
        const struct sample_part cycles = sample_cycles(&f->jobs[b * f->s->n]);
        row->round = round;
        row->cycles.value = INFINITY;
        if (has_failed(f, b)) continue;
        if (program_sample_estimate(&row->cycles, f->s, &cycles, NULL, err) < 0) return -1;
        if (best == f->n_in || row->cycles.value < row_at(f, best)->cycles.value ||
            (row->cycles.value == row_at(f, best)->cycles.value && f->policy[b] < f->policy[best]))
            best = b;
    }
    if (best == f->n_in) return error_set(err, ERR_RUN, "no policy could be simulated on every launch of the sample");
    swap_blocks(f, 0, best);
    const struct sample_part head = sample_cycles(f->jobs);
    for (size_t b = 0; b < f->n_in; b++) {
        struct race_row *row = row_at(f, b);
        const struct sample_part cycles = sample_cycles(&f->jobs[b * f->s->n]);
        row->over_best = (struct stratified_estimate){.value = 1, .low = 1, .high = 1};
        if (has_failed(f, b)) row->over_best = (struct stratified_estimate){INFINITY, INFINITY, INFINITY, 0, 0};
        else if (b && program_sample_estimate(&row->over_best, f->s, &cycles, &head, err) < 0) return -1;
    }
    return 0;
}

static void drop(struct field *f, size_t block, enum race_end end)
{
    row_at(f, block)->end = end;
    swap_blocks(f, block, --f->n_in);
}

/* Who is slower leaves, then who is not among the fastest quarter of the round's `n`. */
static void drop_losers(struct field *f, bool is_last)
{
    const size_t n = f->n_in;
    for (size_t b = f->n_in; b-- > 1;)
        if (row_at(f, b)->over_best.low > 1) drop(f, b, RACE_SLOWER);
    while (!is_last && GOES_ON * f->n_in >= n + GOES_ON) {
        size_t worst = 1;
        for (size_t b = 2; b < f->n_in; b++) {
            const double x = row_at(f, b)->cycles.value, y = row_at(f, worst)->cycles.value;
            if (x > y || (x == y && f->policy[b] > f->policy[worst])) worst = b;
        }
        drop(f, worst, RACE_BEHIND);
    }
}

/* Simulates and judges whoever takes part. */
static int try_field(struct field *f, const char *what, unsigned round, struct error *err)
{
    return program_sample_run(f->s, what, f->jobs, f->n_in, err) < 0 ? -1 : judge(f, round, err);
}

/* The first round also chooses who takes part. */
static int first_round(struct field *f, const char *what, race_choose *choose, void *context, struct error *err)
{
    if (!choose) {
        f->n_in = f->race->n;
        return try_field(f, what, 1, err);
    }
    size_t *chosen = calloc(f->race->n + 1, sizeof *chosen), n = 0;
    int result = chosen ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu policies", f->race->n);
    while (result == 0) {
        result = choose(context, f->race, chosen, &n, err);
        if (result < 0 || n == 0) break;
        for (size_t i = 0; i < n; i++) {
            const size_t block = block_of(f, chosen[i]);
            if (block >= f->n_in) swap_blocks(f, block, f->n_in++);
        }
        result = try_field(f, what, 1, err);
    }
    free(chosen);
    if (result == 0 && f->n_in == 0) return error_set(err, ERR_INPUT, "no policy was chosen to be tried");
    return result;
}

static int race_on(struct field *f, const char *what, race_choose *choose, void *context, struct error *err)
{
    const double asked = f->s->options.error;
    int result = 0;
    for (unsigned round = 1; round <= ROUNDS && result == 0; round++) {
        const double wider = asked * pow(WIDER, ROUNDS - round);
        const bool is_last = round == ROUNDS;
        f->s->is_coarse = !is_last;
        result = program_sample_refine(f->s, wider < ERROR_MOST ? wider : ERROR_MOST, err);
        if (result == 0)
            result = round == 1 ? first_round(f, what, choose, context, err) : try_field(f, what, round, err);
        if (result == 0) drop_losers(f, is_last);
    }
    f->s->options.error = asked;
    return result;
}

/* The blocks go back to where the caller has them; on the way, what was simulated is counted. */
static void restore(struct field *f)
{
    const struct program_sample *s = f->s;
    for (size_t k = 0; k < f->race->n; k++) {
        swap_blocks(f, k, block_of(f, k));
        for (size_t u = 0; u < s->n_units; u++) {
            const struct run_job *jobs = &f->jobs[k * s->n];
            if (jobs[s->units[u].first].result.is_done) f->race->warp_insts += sample_insts_of(s, jobs, u);
        }
    }
}

static void conclude(struct field *f)
{
    struct race *r = f->race;
    r->best = f->policy[0];
    for (size_t b = 0; b < f->n_in; b++) row_at(f, b)->end = b ? RACE_CLOSE : RACE_BEST;
    for (size_t k = 0; k < r->n; k++)
        if (r->rows[k].end == RACE_BEHIND || r->rows[k].end == RACE_CLOSE)
            r->regret = fmax(r->regret, 1 - r->rows[k].over_best.low);
}

int program_sample_race(struct race *out, struct program_sample *s, const char *what, struct run_job *jobs,
                        size_t n_policies, race_choose *choose, void *context, struct error *err)
{
    *out = (struct race){.rows = calloc(n_policies + 1, sizeof *out->rows), .n = n_policies};
    struct field f = {.s = s,
                      .race = out,
                      .jobs = jobs,
                      .room = malloc((s->n + 1) * sizeof *jobs),
                      .policy = calloc(n_policies + 1, sizeof *f.policy)};
    int result = out->rows && f.room && f.policy
                     ? 0
                     : error_set(err, ERR_MEMORY, "out of memory for a race of %zu policies", n_policies);
    for (size_t k = 0; k < n_policies && result == 0; k++) f.policy[k] = k;
    if (result == 0) {
        result = race_on(&f, what, choose, context, err);
        if (result == 0) conclude(&f);
        out->of_warp_insts = n_policies * s->work.warp_insts;
        restore(&f);
    }
    free(f.room);
    free(f.policy);
    if (result < 0) race_fini(out);
    return result;
}

void race_fini(struct race *race)
{
    free(race->rows);
    *race = (struct race){.rows = NULL};
}
