#include "mech/atom_unit.h"

#include <stdio.h>
#include <string.h>
#include "mech/atom_mesh.h"
#include "poise/log2.h"

#define ROW(...) STAT_ROW_OF(atom_stats, __VA_ARGS__)
const struct stat_row atom_stat_rows[ATOM_N_STATS] = {ATOM_STATS(ROW)};
#undef ROW
const struct ratio_row atom_ratios[ATOM_N_RATIOS] = {
    RATIO_ROW_OF(atom_stats, mean_latency, latency_sum, performed,
                 "cycles from taking a line request to performing it, mean"),
    RATIO_ROW_OF(atom_stats, mean_acquisition, acquisition_cycles, acquisitions,
                 "cycles from the request for a mutex to its arrival, mean"),
    RATIO_ROW_OF(atom_stats, self_satisfied_share, self_satisfied, acquisitions,
                 "acquisitions that the SM could answer itself"),
    RATIO_ROW_OF(atom_stats, copy_hit_rate, copy_hits, performed, "line requests whose data was there")};
/* The library's counters are the first rows. */
_Static_assert(sizeof(struct atom_counts) == offsetof(struct atom_stats, slowest_write),
               "rows stand as the library's counters do");

/* The nodes lie behind the unit, and behind them what each SM has on its way. */
static struct atom_node *nodes_of(const struct atom_unit *u) { return (struct atom_node *)(uintptr_t)(u + 1); }
static struct atom_sm *sm_of(const struct atom_unit *u, uint32_t sm)
{
    return (struct atom_sm *)(nodes_of(u) + u->atom.config.nodes) + sm;
}

/* ---- is any update lost? ---- */

/* Memory's account of a line, or NULL where there is no room for another. */
static struct atom_line *line_of(struct atom_unit *u, uint32_t line)
{
    uint32_t at = line * 2654435761u >> 20;
    _Static_assert(ATOM_LINES == 1 << 12, "a product's upper bits are the place");
    for (; u->lines[at].key; at = (at + 1) % ATOM_LINES)
        if (u->lines[at].key == line + 1) return &u->lines[at];
    if (u->n_lines >= ATOM_LINES / 4 * 3) return NULL;
    u->n_lines++;
    u->lines[at].key = line + 1;
    return &u->lines[at];
}

/* ---- calls of the state machine ---- */

struct calls_env {
    struct atom_unit *unit;
    const struct machine_ports *machine;
    uint64_t now;
};

static bool send_fetch(void *env, uint32_t node, uint32_t copy, uint32_t line, uint32_t sectors)
{
    struct calls_env *e = env;
    const struct atom_line *known = line_of(e->unit, line);
    const struct atomic_data data = {.line = line, .token = (uint16_t)copy, .sectors = (uint8_t)sectors};
    if (!e->machine->ask_l2(e->machine->machine, node, &data, e->now)) return false;
    sm_of(e->unit, node)->fetched[copy] = known ? known->written : 0;
    return true;
}

static bool send_write(void *env, uint32_t node, uint32_t mutex, uint32_t line, uint32_t sectors, uint32_t value)
{
    struct calls_env *e = env;
    struct atom_write *writes = sm_of(e->unit, node)->writes;
    uint32_t i = 0;
    while (i < ATOM_WRITES_MAX && writes[i].is_used) i++;
    const struct atomic_data data = {.line = line, .token = (uint16_t)i, .sectors = (uint8_t)sectors, .is_write = true};
    if (i == ATOM_WRITES_MAX || !e->machine->ask_l2(e->machine->machine, node, &data, e->now)) return false;
    writes[i] =
        (struct atom_write){.since = e->now, .line = line, .value = value, .mutex = (uint16_t)mutex, .is_used = 1};
    return true;
}

static void say_performed(void *env, uint32_t node, const struct atom_request *request, uint32_t value)
{
    struct calls_env *e = env;
    struct atom_line *known = line_of(e->unit, request->line);
    const struct atomic atomic = {.line = request->line,
                                  .token = (uint16_t)request->payload[0],
                                  .sectors = request->sectors,
                                  .wants_result = request->payload[0] >> 16 & 1,
                                  .uid = request->payload[1],
                                  .pc = request->payload[2]};
    if (!known) e->unit->stats.unchecked++;
    else if (++known->performed != value) e->unit->stats.lost_updates++;
    e->machine->atomic_done(e->machine->machine, node, &atomic, e->now);
}

static void say_room(void *env, uint32_t node)
{
    struct calls_env *e = env;
    e->machine->has_room(e->machine->machine, node, e->now);
}

/* ---- the hook, and the unit ---- */

static bool unit_has_room(const void *self, uint32_t sm)
{
    const struct atom_unit *u = self;
    return atom_has_room(&u->atom, &nodes_of(u)[sm]);
}

static void unit_take(void *self, const struct atomic_event *what)
{
    struct atom_unit *u = self;
    const struct atomic *a = &what->atomic;
    const uint32_t payload[3] = {a->token | (uint32_t)a->wants_result << 16, a->uid, a->pc};
    atom_take(&u->atom, nodes_of(u), what->sm, a->line, a->sectors, payload, what->now);
}

static void unit_answered(void *self, uint32_t sm, uint32_t token, bool is_write, uint64_t now)
{
    struct atom_unit *u = self;
    struct atom_sm *s = sm_of(u, sm);
    if (!is_write) {
        atom_fetched(&u->atom, nodes_of(u), sm, token, s->fetched[token], now);
        return;
    }
    struct atom_write *w = &s->writes[token];
    struct atom_line *known = line_of(u, w->line);
    if (known && known->written < w->value) known->written = w->value;
    if (now - w->since > u->stats.slowest_write) u->stats.slowest_write = now - w->since;
    w->is_used = 0;
    atom_written(&u->atom, nodes_of(u), sm, w->mutex, now);
}
const struct atomic_ops atom_unit_route = {unit_has_room, unit_take, unit_answered};

static void unit_tick(void *self, const struct machine_ports *machine, uint64_t now)
{
    struct atom_unit *u = self;
    struct calls_env env = {u, machine, now};
    const struct atom_calls calls = {&env, send_fetch, send_write, say_performed, say_room};
    if (u->atom.wake <= now) atom_tick(&u->atom, nodes_of(u), &calls, now);
}

static uint64_t unit_next_event(const void *self, uint64_t now)
{
    const uint64_t at = ((const struct atom_unit *)self)->atom.wake;
    return at == ATOM_NEVER ? UNIT_NEVER : at > now ? at : now + 1;
}

static bool unit_is_idle(const void *self)
{
    const struct atom_unit *u = self;
    return atom_is_idle(&u->atom, nodes_of(u));
}

static void unit_dump(const void *self, char *text, size_t size)
{
    static const char *const states[] = {"free", "asking", "queued", "coming", "held", "releasing"};
    const struct atom_unit *u = self;
    size_t used = (size_t)snprintf(text, size, "mutexes:");
    for (uint32_t i = 0; i < u->atom.config.nodes; i++)
        for (uint32_t m = 0; m < u->atom.config.mutexes && used < size; m++) {
            const struct atom_want *w = &nodes_of(u)[i].wants[m];
            if (w->state == ATOM_FREE && !w->is_busy) continue;
            used += (size_t)snprintf(text + used, size - used, " %u of SM %u %s, %u waiting, %u writes%s;", m, i,
                                     states[w->state], w->waiting, w->writes, w->is_busy ? ", busy" : "");
        }
}

/* There and back across the mesh twice, as with a recall; a token's turn; epochs; the timer of what nobody asks for. */
static uint64_t unit_longest_wait(const void *self)
{
    const struct atom_config *c = &((const struct atom_unit *)self)->atom.config;
    const uint64_t way = (uint64_t)c->hop_cycles * (c->columns + rows_of(c));
    return 4 * way + (uint64_t)c->token_cycles * ring_size(c) + 2ull * c->epoch_cycles + c->update_cycles +
           (c->writes_back ? c->flush_cycles : 0);
}
const struct unit_ops atom_unit_ops = {unit_tick, unit_next_event, unit_is_idle, unit_dump, unit_longest_wait};

/* The mesh for so many SMs: a divisor, 0 chosen as the header says. */
static uint32_t atom_columns(uint32_t sms, uint32_t asked)
{
    uint32_t rows = 1;
    for (uint32_t r = 1; r * r <= sms; r++)
        if (sms % r == 0) rows = r;
    return asked ? asked : sms / rows;
}

int atom_unit_init(void *self, struct atom_config config, const struct mech_env *env, struct error *err)
{
    struct atom_unit *u = self;
    config.nodes = env->sms;
    config.columns = atom_columns(env->sms, config.columns);
    if (env->sms % config.columns)
        return error_set(err, ERR_INPUT, "columns=%u: %u SMs are no whole number of rows; 0 chooses", config.columns,
                         env->sms);
    atom_init(&u->atom, &config);
    return 0;
}

void atom_unit_end(void *self, uint64_t now)
{
    struct atom_unit *u = self;
    (void)now;
    memcpy(&u->stats, &u->atom.counts, sizeof u->atom.counts);
}

const void *atom_unit_stats(const void *self) { return &((const struct atom_unit *)self)->stats; }

size_t atom_unit_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"performing atomics", {"performed"}};
    return 1;
}

/* Line numbers of 128 bytes in 32 bits of address, 4 sectors, one of 512 loads. */
size_t atom_unit_cost(const struct atom_config *config, const struct mech_env *env, struct mech_cost *out)
{
    const uint64_t sms = env->sms;
    out[0] = (struct mech_cost){
        "waiting atomics, an SM: line 25, sectors 4, load or warp 9, operation 8 and operand 32 a lane",
        config->requests * (25ull + 4 + 9 + 8 + 32 * 32), 0, STORAGE_QUEUE};
    out[1] =
        (struct mech_cost){"tags of atomic data, an SM: line 25, sectors there, on their way and changed 12, state 2",
                           config->copies * (25ull + 12 + 2), 0, STORAGE_ARRAY};
    out[2] = (struct mech_cost){"their data, an SM: 128 bytes a line, in L1 or beside it", config->copies * 1024ull, 0,
                                STORAGE_ARRAY};
    out[3] = (struct mech_cost){"mutexes, GPU-wide: held, last releaser, mature", 0,
                                config->mutexes * (2 + log2_ceil(sms)), STORAGE_ARRAY};
    return 4;
}
