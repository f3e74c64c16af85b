#include "l2_rig.h"

static void place(struct l2_rig *rig, const char *const *set)
{
    struct error err;
    rig->params = gpu_params_new();
    rig->params->l2.sets = 1;
    rig->params->l2.banks = rig->params->dram.channels;
    rig->params->l2.write_miss = WRITE_ALLOCATE; /* stores show what is dirty */
    for (; set && *set; set++) {
        char key[64];
        const size_t length = strcspn(*set, "=");
        snprintf(key, sizeof key, "%.*s", (int)length, *set);
        assert_ok(gpu_params_set(rig->params, key, *set + length + 1, &err), &err);
    }
    assert_int_equal(arena_new(&rig->arena, 16 << 20, &err), 0);
    l2_init(&rig->bank, rig->params, 0, 0, &rig->arena);
    rig->now = 1;
}

static void begin(struct l2_rig *rig)
{
    struct error err;
    const struct l2_params *p = &rig->params->l2;
    struct mech_env env = {.sms = rig->params->core.sms,
                           .schedulers = 2,
                           .W = 24,
                           .l2_banks = p->banks,
                           .l2_sets = p->sets,
                           .l2_ways = p->ways,
                           .l2_frames = p->banks * p->sets * l2_set_frames(rig->params),
                           .line_bytes = 128};
    assert_ok(hooks_check(rig->stack, rig->n, &err), &err);
    for (unsigned i = 0; i < rig->n; i++) {
        const struct mech_type *type = rig->stack[i].type;
        env.carried_at = (type->state_size + env.sms * type->per_sm_size + 63) / 64 * 64;
        rig->self[i] = calloc(1, env.carried_at + (type->carried ? type->carried(rig->stack[i].params, &env) : 0));
        if (type->init) assert_ok(type->init(rig->self[i], rig->stack[i].params, &env, &err), &err);
        hooks_attach(&rig->hooks, type, rig->self[i]);
    }
    rig->bank.policy = rig->hooks.l2.n ? &rig->hooks.l2 : NULL;
    l2_attach(&rig->bank, &rig->hooks);
}

void l2_rig_new(struct l2_rig *rig, const char *const *set, const char *const *mechs)
{
    struct error err;
    *rig = (struct l2_rig){0};
    place(rig, set);
    for (; mechs && *mechs; mechs++) assert_ok(mech_parse(&rig->stack[rig->n++], *mechs, &err), &err);
    begin(rig);
}

void l2_rig_of(struct l2_rig *rig, const char *const *set, const struct mech_type *const *types)
{
    struct error err;
    *rig = (struct l2_rig){0};
    place(rig, set);
    for (; *types; types++) assert_ok(mech_new(&rig->stack[rig->n++], *types, &err), &err);
    begin(rig);
}

void l2_rig_free(struct l2_rig *rig)
{
    for (unsigned i = 0; i < rig->n; i++) {
        free(rig->self[i]);
        mech_free(&rig->stack[i]);
    }
    arena_free(&rig->arena);
    gpu_params_free(rig->params);
}

/* DRAM takes what it is asked for at once, and answers in the next cycle. */
static void serve(struct l2_rig *rig)
{
    struct l2 *bank = &rig->bank;
    while (!request_fifo_empty(&bank->to_dram)) {
        const struct request r = request_fifo_pop(&bank->to_dram);
        const size_t used = strlen(rig->dram);
        snprintf(rig->dram + used, sizeof rig->dram - used, "%s:%u ", r.kind == REQUEST_READ ? "LD" : "WR", r.line);
        if (r.kind == REQUEST_READ) request_fifo_push(&bank->from_dram, r, rig->now + 1);
    }
    while (!reply_fifo_empty(&bank->to_xbar)) {
        reply_fifo_pop(&bank->to_xbar);
        rig->answered++;
    }
}

const char *l2_rig_do(struct l2_rig *rig, const struct request *request)
{
    if (strlen(rig->dram) > sizeof rig->dram / 2) *rig->dram = '\0';
    const size_t before = strlen(rig->dram);
    struct request r = *request;
    const cycle_t limit = rig->now + 200;
    const uint32_t answered = rig->answered;
    r.set = (uint16_t)(r.line % rig->params->l2.sets);
    if (r.kind != REQUEST_WRITE) r.wants_data = 1;
    request_fifo_push(&rig->bank.from_xbar, r, rig->now);
    for (; rig->now < limit && (rig->answered == answered || !l2_idle(&rig->bank)); rig->now++) {
        l2_tick(&rig->bank, rig->now);
        serve(rig);
    }
    assert_int_equal(rig->answered, answered + 1);
    return rig->dram + before;
}

const char *l2_rig_load(struct l2_rig *rig, uint32_t line, unsigned cache_op, uint32_t requester)
{
    const struct request r = {.line = line,
                              .kind = REQUEST_READ,
                              .sectors = 15,
                              .op = MEMORY_OP(cache_op, 0) & 63,
                              .requester = (uint16_t)requester};
    return l2_rig_do(rig, &r);
}

const char *l2_rig_store(struct l2_rig *rig, uint32_t line, unsigned cache_op, uint32_t requester)
{
    const struct request r = {.line = line,
                              .kind = REQUEST_WRITE,
                              .sectors = 15,
                              .wants_data = 1,
                              .op = MEMORY_OP(cache_op, 0) & 63,
                              .requester = (uint16_t)requester};
    return l2_rig_do(rig, &r);
}

bool l2_rig_holds(const struct l2_rig *rig, uint32_t line)
{
    return tags_find(&rig->bank.tags, line % rig->params->l2.sets, line) != NULL;
}

uint64_t l2_rig_stat(const struct l2_rig *rig, unsigned mech, const char *name)
{
    const struct mech_type *type = rig->stack[mech].type;
    for (size_t i = 0; i < type->stats.n_rows; i++)
        if (strcmp(type->stats.rows[i].name, name) == 0)
            return stats_get(&type->stats.rows[i], type->stats_of(rig->self[mech]));
    fail_msg("no counter %s", name);
    return 0;
}
