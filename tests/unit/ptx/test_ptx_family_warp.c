/* Instructions that look at other lanes of a warp, with random operands, members and warps that are not full: every
 * lane's result against the ISA's pseudo-code over all 32 lanes. */
#include "families.h"

enum { ROUNDS = 128 };
struct lanes {
    uint32_t a[32], b[32], c[32];
    uint64_t wide[32];
    uint32_t members, live;
};
/* What lane l (one of the members) gets; *p: its predicate. */
typedef uint32_t lane_oracle(const char *mode, const struct lanes *x, uint32_t l, bool *p);

static uint32_t shuffled(const char *mode, const struct lanes *x, uint32_t l, bool *p)
{
    const int lane = (int)l, b = (int)(x->b[l] & 31), clamp = (int)(x->c[l] & 31), segment = (int)(x->c[l] >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from;
    if (!strcmp(mode, "up")) from = lane - b, *p = from >= most;
    else if (!strcmp(mode, "down")) from = lane + b, *p = from <= most;
    else if (!strcmp(mode, "bfly")) from = lane ^ b, *p = from <= most;
    else from = least | (b & ~segment), *p = from <= most;
    if (!*p) from = lane;
    return x->live & x->members & 1u << from ? x->a[from] : UINT32_MAX; /* else undefined: not looked at, see below */
}
static uint32_t voted(const char *mode, const struct lanes *x, uint32_t l, bool *p)
{
    uint32_t ballot = 0;
    const uint32_t there = x->members & x->live;
    (void)l;
    for (uint32_t k = 0; k < 32; k++) ballot |= there >> k & 1 && x->a[k] & 1 ? 1u << k : 0;
    *p = !strcmp(mode, "all") ? ballot == there : !strcmp(mode, "any") ? ballot != 0 : ballot == 0 || ballot == there;
    return !strcmp(mode, "ballot") ? ballot : *p;
}
static uint32_t matched(const char *mode, const struct lanes *x, uint32_t l, bool *p)
{
    const bool is_wide = strstr(mode, "b64") != NULL;
    uint32_t same = 0;
    const uint32_t there = x->members & x->live;
    for (uint32_t k = 0; k < 32; k++)
        same |= there >> k & 1 && (is_wide ? x->wide[k] == x->wide[l] : x->a[k] == x->a[l]) ? 1u << k : 0;
    *p = same == there;
    return !strncmp(mode, "all", 3) && !*p ? 0 : same;
}
static uint32_t reduced(const char *mode, const struct lanes *x, uint32_t l, bool *p)
{
    const bool is_signed = strstr(mode, "s32") != NULL;
    uint32_t r = 0;
    bool first = true;
    (void)l;
    *p = false;
    for (uint32_t k = 0; k < 32; k++) {
        if (!(x->members & x->live & 1u << k)) continue;
        const uint32_t v = x->a[k];
        const bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
        if (first) r = v;
        else if (!strncmp(mode, "add", 3)) r += v;
        else if (!strncmp(mode, "min", 3)) r = less ? v : r;
        else if (!strncmp(mode, "max", 3)) r = less ? r : v;
        else if (!strncmp(mode, "and", 3)) r &= v;
        else if (!strncmp(mode, "or", 2)) r |= v;
        else r ^= v;
        first = false;
    }
    return r;
}
static uint32_t elected(const char *mode, const struct lanes *x, uint32_t l, bool *p)
{
    const uint32_t leader = (uint32_t)__builtin_ctz(x->members & x->live);
    (void)mode;
    *p = leader == l;
    return leader;
}

/* %a %b %c %w in, %d and %p out; %m the members. Only they execute it. */
static void lanes_case(const char *inst, const char *mode, lane_oracle *oracle, uint32_t n_lanes, bool is_shuffle,
                       bool few_values)
{
    static struct lanes in[ROUNDS];
    char text[4096];
    struct rig_device d;
    rig_init(&d);
    for (uint32_t r = 0; r < ROUNDS; r++) {
        struct lanes *x = &in[r];
        const uint32_t live = n_lanes == 32 ? UINT32_MAX : (1u << n_lanes) - 1;
        x->members = r % 4 == 0 ? UINT32_MAX : (uint32_t)mix(r * 3 + 1);
        if (!(x->members & live)) x->members |= 1;
        x->live = live;
        for (uint32_t l = 0; l < 32; l++) {
            const uint64_t v = mix((uint64_t)r << 8 | l);
            x->a[l] = few_values ? (uint32_t)(v >> 20) % (1 + r % 4) : (uint32_t)v;
            x->wide[l] = few_values ? (uint64_t)(v >> 20 & 1) << 40 | (v >> 30 & r & 1) : v;
            x->b[l] = r % 2 ? (uint32_t)(v >> 32) & 63 : (uint32_t)mix(r) & 31;
            x->c[l] =
                (uint32_t)(r % 3 ? (uint32_t[]){0x1f, 0, 0x181f, 0x1c1f, 0x1003, 0x1e00}[mix(r) % 6] : mix(r) & 0x1f1f);
        }
    }
    const uint64_t memory = rig_alloc(&d, sizeof in, in), out = rig_alloc(&d, ROUNDS * 32 * 8, NULL),
                   params[] = {memory, out};
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 pin, .param .u64 pout) { .reg .b64 "
             "i, o, x, y, %%w; .reg .b32 l, r, m, t, %%a, %%b, %%c, %%d, %%e; .reg .pred %%p, %%q, q;\n"
             "mov.u32 l, %%laneid; mov.u32 r, %%ctaid.x; ld.param.u64 i, [pin]; mul.wide.u32 x, r, %zu; add.u64 i, i, "
             "x; mul.wide.u32 y, l, 4; add.u64 x, i, y;\n"
             "ld.global.u32 %%a, [x]; ld.global.u32 %%b, [x+128]; ld.global.u32 %%c, [x+256]; add.u64 x, x, y; "
             "ld.global.u64 %%w, [x+384]; ld.global.u32 m, [i+%zu];\n"
             "and.b32 t, %%a, 1; setp.ne.u32 %%q, t, 0; mad.lo.u32 r, r, 32, l; mul.wide.u32 x, r, 8; ld.param.u64 o, "
             "[pout]; add.u64 o, o, x; setp.ne.u32 %%p, l, l; mov.u32 %%d, 0;\n"
             "shr.u32 t, m, l; and.b32 t, t, 1; setp.eq.u32 q, t, 0; @q bra END;\n%s;\nselp.u32 %%e, 1, 0, %%p; "
             "st.global.v2.u32 [o], {%%d, %%e};\nEND: ret; }\n",
             sizeof in[0], offsetof(struct lanes, members), inst);
    struct ptx_module *module = rig_module(text);
    const struct ptx_grid grid = {{ROUNDS, 1, 1}, {n_lanes, 1, 1}, 0};
    struct error err = {0};
    if (ptx_run(ptx_module_kernel(module, 0), &grid, params, 16, &d.memory, NULL, 1000000, NULL, &err) < 0)
        fail_msg("%s: %s", inst, err.text);
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t l = 0; l < n_lanes; l++) {
            const uint32_t *got = (const uint32_t *)rig_host(&d, out) + (r * 32 + l) * 2;
            bool p = false;
            if (!(in[r].members >> l & 1)) continue;
            const uint32_t wanted = oracle(mode, &in[r], l, &p);
            if (is_shuffle && wanted == UINT32_MAX) continue; /* from a lane that does not take part: undefined */
            if (got[0] != wanted || got[1] != p)
                fail_msg("%s, round %u, lane %u of members %x, a %x b %x c %x: %x %u, not %x %u", inst, r, l,
                         in[r].members, in[r].a[l], in[r].b[l], in[r].c[l], got[0], got[1], wanted, p);
        }
    ptx_module_free(module);
    rig_fini(&d);
    n_cases++;
}

static void each_mode(const char *format, const char *modes, lane_oracle *oracle, bool is_shuffle)
{
    char list[120], *save, *mode;
    snprintf(list, sizeof list, "%s", modes);
    for (mode = strtok_r(list, " ", &save); mode; mode = strtok_r(NULL, " ", &save))
        for (int k = 0; k < 4; k++) {
            char inst[160], *at;
            snprintf(inst, sizeof inst, "%s", format);
            while ((at = strchr(inst, '@'))) { /* the mode's place */
                char rest[160];
                snprintf(rest, sizeof rest, "%s", at + 1);
                snprintf(at, sizeof inst - (size_t)(at - inst), "%s%s", mode, rest);
            }
            lanes_case(inst, mode, oracle, k & 1 ? 19 : 32, is_shuffle, k & 2);
        }
}

static void shuffles_in_segments_and_with_clamps(void **state)
{
    (void)state;
    each_mode("shfl.sync.@.b32 %d|%p, %a, %b, %c, m", "up down bfly idx", shuffled, true);
}
static void votes_of_members(void **state)
{
    (void)state;
    each_mode("vote.sync.@.pred %p, %q, m; selp.u32 %d, 1, 0, %p", "all any uni", voted, false);
    each_mode("vote.sync.@.b32 %d, %q, m; setp.eq.or.u32 %p, %d, 0, !%q; vote.sync.uni.pred %p, %q, m", "ballot", voted,
              false);
}
static void matches_of_members(void **state)
{
    (void)state;
    each_mode("match.any.sync.@ %d, %a, m; popc.b32 l, m; match.all.sync.@ %e|%p, %a, m", "b32", matched, false);
    each_mode("match.any.sync.@ %d, %w, m; match.all.sync.@ %e|%p, %w, m", "b64", matched, false);
    lanes_case("match.all.sync.b32 %d|%p, %a, m", "all.b32", matched, 32, false, true);
    lanes_case("match.all.sync.b64 %d|%p, %w, m", "all.b64", matched, 21, false, true);
}
static void reductions_and_the_elected_lane(void **state)
{
    (void)state;
    each_mode("redux.sync.@ %d, %a, m", "add.u32 add.s32 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32 xor.b32",
              reduced, false);
    each_mode("elect.sync %d|%p, m", "elect", elected, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_in_segments_and_with_clamps),
        cmocka_unit_test(votes_of_members),
        cmocka_unit_test(matches_of_members),
        cmocka_unit_test(reductions_and_the_elected_lane),
    };
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
