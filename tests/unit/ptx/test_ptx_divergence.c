/* A warp's lanes must not see one another's control flow. Random programs, of loops with several ways in and out,
 * jumps across, indexed branches, early exits and recursion, give every lane what an interpreter of one lane gives.
 * Then what does look at other lanes: instructions with a mask of members, reached on several paths, and barriers
 * that threads reach on their own. */
#include "ptx_rig.h"

#define MAX_BLOCKS 12
#define THREADS 70 /* three warps, the last partial */
#define FUEL 60    /* blocks a lane may enter */
enum end { JUMP, BRANCH, TWO_BRANCHES, TABLE, LEAVE, RETURN_EARLY, CALL, N_ENDS };
struct block {
    enum end end;
    uint32_t to[4], n, bit, add;
};
struct program {
    uint32_t n;
    struct block blocks[MAX_BLOCKS];
};

static uint64_t random_state;
static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static struct program random_program(uint32_t number)
{
    struct program p = {.n = 0};
    random_state = number * 7919u + 1;
    p.n = 2 + draw(MAX_BLOCKS - 1);
    for (uint32_t i = 0; i < p.n; i++) {
        struct block *b = &p.blocks[i];
        b->end = (enum end)draw(N_ENDS);
        if ((b->end == LEAVE || b->end == RETURN_EARLY) && draw(3)) b->end = BRANCH; /* or few lanes would live long */
        b->n = 1 + draw(4);
        for (uint32_t k = 0; k < 4; k++) b->to[k] = draw(p.n + 1); /* p.n: the end */
        b->bit = draw(12);
        b->add = draw(1u << 30);
    }
    return p;
}

static uint32_t recursion(uint32_t n) { return n == 0 ? 1 : n % 2 ? n * 5 + recursion(n - 1) : recursion(n - 1) ^ n; }

/* One lane, from the program itself. */
static uint32_t interpret(const struct program *p, uint32_t thread, uint32_t *visits)
{
    uint32_t x = thread * 2654435761u, y = 0, fuel = FUEL;
    for (uint32_t at = 0; at < p->n;) {
        const struct block *b = &p->blocks[at];
        visits[at]++;
        if (--fuel == 0) break;
        x = x * 1664525u + b->add;
        y ^= x >> 3;
        const bool first = x >> b->bit & 1, second = x >> (b->bit + 9) & 1;
        uint32_t next = at + 1;
        switch (b->end) {
        case JUMP: next = b->to[0]; break;
        case BRANCH: next = first ? b->to[0] : next; break;
        case TWO_BRANCHES: next = first ? b->to[0] : second ? b->to[1] : next; break;
        case TABLE: next = b->to[(x >> 8) % b->n]; break;
        case LEAVE:
        case RETURN_EARLY:
            if (first && second) return x;
            break;
        default:
            if (first) x += recursion(x >> 20 & 7);
            break;
        }
        at = next;
    }
    return x ^ y;
}

static size_t put_label(char *text, const struct program *p, uint32_t to)
{
    return to == p->n ? (size_t)sprintf(text, "END") : (size_t)sprintf(text, "B%u", to);
}

static void print_program(char *text, const struct program *p)
{
    size_t at = (size_t)sprintf(
        text,
        HEADER ".func (.param .b32 r) rec(.param .b32 n) { .reg .b32 a, b, c; .reg .pred p; .param .b32 t, u; "
               "ld.param.b32 a, [n]; mov.u32 c, 1; setp.eq.u32 p, a, 0; @p bra L;\n"
               "sub.u32 b, a, 1; st.param.b32 [t], b; call (u), rec, (t); ld.param.b32 b, [u]; and.b32 c, a, 1; "
               "setp.eq.u32 p, c, 0; @p bra M; mad.lo.u32 c, a, 5, b; bra L;\n"
               "M: xor.b32 c, b, a;\nL: st.param.b32 [r], c; ret; }\n"
               ".entry k(.param .u64 out, .param .u64 visits) { .reg .b32 x, y, t, fuel, tid; .reg .pred p, q; .reg "
               ".b64 o, v, w; .param .b32 a, b;\n"
               "mov.u32 tid, %%tid.x; mul.wide.u32 w, tid, 4; ld.param.u64 o, [out]; add.u64 o, o, w; ld.param.u64 v, "
               "[visits]; mul.lo.u32 x, tid, 2654435761; mov.u32 y, 0; mov.u32 fuel, %u;\n",
        FUEL);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct block *b = &p->blocks[i];
        at += (size_t)sprintf(text + at,
                              "B%u: red.global.add.u32 [v+%u], 1; sub.u32 fuel, fuel, 1; setp.eq.u32 p, fuel, 0; @p "
                              "bra END; mad.lo.u32 x, x, 1664525, %u; shr.u32 t, x, 3; xor.b32 y, y, t;\n"
                              "shr.u32 t, x, %u; and.b32 t, t, 1; setp.ne.u32 p, t, 0; shr.u32 t, x, %u; and.b32 t, t, "
                              "1; setp.ne.u32 q, t, 0;\n",
                              i, 4 * i, b->add, b->bit, b->bit + 9);
        if (b->end == JUMP || b->end == BRANCH || b->end == TWO_BRANCHES) {
            at += (size_t)sprintf(text + at, "%sbra ", b->end == JUMP ? "" : "@p ");
            at += put_label(text + at, p, b->to[0]);
            at += (size_t)sprintf(text + at, ";");
        }
        if (b->end == TWO_BRANCHES) {
            at += (size_t)sprintf(text + at, " @q bra ");
            at += put_label(text + at, p, b->to[1]);
            at += (size_t)sprintf(text + at, ";");
        }
        if (b->end == TABLE) {
            at += (size_t)sprintf(text + at, "T%u: .branchtargets ", i);
            for (uint32_t k = 0; k < b->n; k++) {
                at += (size_t)sprintf(text + at, "%s", k ? ", " : "");
                at += put_label(text + at, p, b->to[k]);
            }
            at += (size_t)sprintf(text + at, "; shr.u32 t, x, 8; rem.u32 t, t, %u; brx.idx t, T%u;", b->n, i);
        }
        if (b->end == LEAVE || b->end == RETURN_EARLY)
            at += (size_t)sprintf(text + at, "and.pred p, p, q; @p st.global.u32 [o], x; @p %s;",
                                  b->end == LEAVE ? "exit" : "ret");
        if (b->end == CALL)
            at += (size_t)sprintf(text + at, "shr.u32 t, x, 20; and.b32 t, t, 7; st.param.b32 [a], t; @p call (b), "
                                             "rec, (a); ld.param.b32 t, [b]; @p add.u32 x, x, t;");
        at += (size_t)sprintf(text + at, "\n");
    }
    sprintf(text + at, "END: xor.b32 x, x, y; st.global.u32 [o], x; ret; }\n");
}

static void random_flow_gives_every_lane_what_it_would_have_alone(void **state)
{
    static char text[32768];
    (void)state;
    uint32_t forms[N_ENDS] = {0};
    for (uint32_t number = 0; number < 400; number++) {
        const struct program p = random_program(number);
        struct rig_device d;
        uint32_t visits[MAX_BLOCKS] = {0};
        print_program(text, &p);
        rig_init(&d);
        const uint64_t out = rig_alloc(&d, THREADS * 4, NULL), counters = rig_alloc(&d, MAX_BLOCKS * 4, NULL),
                       params[] = {out, counters};
        rig_run(&d, text, 1, THREADS, params, 2);
        const uint32_t *got = rig_host(&d, out), *seen = rig_host(&d, counters);
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t wanted = interpret(&p, t, visits);
            if (got[t] != wanted) fail_msg("program %u, thread %u: %x, not %x\n%s", number, t, got[t], wanted, text);
        }
        for (uint32_t i = 0; i < p.n; i++) {
            if (seen[i] != visits[i])
                fail_msg("program %u, block %u: %u visits, not %u\n%s", number, i, seen[i], visits[i], text);
            forms[p.blocks[i].end] += seen[i] > 0;
        }
        rig_fini(&d);
    }
    for (int k = 0; k < N_ENDS; k++) assert_true(forms[k] > 50); /* each kind was met */
}

#define OUT "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n"

/* if (a || b) { ... } compiles to two branches to one place: its lanes come in two parts and count as one. */
static void members_that_come_by_two_branches_meet_at_the_instruction(void **state)
{
    (void)state;
    uint32_t out[32];
    const uint32_t both = 0x0000ffff; /* lanes below 8 by the first branch, below 16 by the second */
    char body[1024];
    static const char *const inst[] = {
        "vote.sync.ballot.b32 %r5, %p5, 0xffff",   "shfl.sync.idx.b32 %r5, %r0, %r6, 31, 0xffff",
        "match.any.sync.b32 %r5, %r7, 0xffff",     "redux.sync.add.u32 %r5, %r0, 0xffff",
        "match.all.sync.b32 %r5|%p6, %r8, 0xffff", "elect.sync %r5|%p6, 0xffff"};
    for (size_t k = 0; k < 6; k++) {
        snprintf(body, sizeof body,
                 "mul.wide.u32 %%rd1, %%r0, 4; add.u64 %%rd2, %%rd0, %%rd1; mov.u32 %%r5, 77; setp.eq.u32 %%p5, %%r0, "
                 "%%r0; sub.u32 %%r6, 15, %%r0; and.b32 %%r7, %%r0, 1; mov.u32 %%r8, 9; setp.lt.u32 %%p1, %%r0, 8; "
                 "@%%p1 bra BODY;\n"
                 "setp.lt.u32 %%p2, %%r0, 16; @%%p2 bra BODY; bra END;\nBODY: %s;\nEND: st.global.u32 [%%rd2], %%r5;",
                 inst[k]);
        rig_body(body, 32, out, 32);
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t wanted = l >= 16            ? 77
                                    : k == 0 || k == 4 ? both
                                    : k == 1           ? 15 - l
                                    : k == 2           ? (l & 1 ? 0xaaaa : 0x5555)
                                    : k == 3           ? 120
                                                       : 0;
            if (out[l] != wanted) fail_msg("%s in lane %u: %x, not %x", inst[k], l, out[l], wanted);
        }
    }
}

static void lanes_on_different_paths_hand_values_over_at_warp_barriers(void **state)
{
    (void)state;
    uint32_t out[32];
    /* the lower half produces five rounds, the upper half consumes, each at barriers of its own code */
    rig_body("{ .shared .align 4 .b8 s[128]; .reg .b64 %a; mov.u64 %a, s; " OUT
             "mov.u32 %r1, 0; mov.u32 %r2, 0; setp.ge.u32 %p1, %r0, 16; @%p1 bra TAKE;\n"
             "GIVE: mad.lo.u32 %r3, %r1, 100, %r0; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %a; st.shared.u32 "
             "[%rd3], %r3; bar.warp.sync 0xffffffff;\n"
             "bar.warp.sync 0xffffffff; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 5; @%p2 bra GIVE; bra END;\n"
             "TAKE: bar.warp.sync -1; sub.u32 %r4, %r0, 16; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd3, %a; "
             "ld.shared.u32 %r3, [%rd3]; add.u32 %r2, %r2, %r3; bar.warp.sync -1;\n"
             "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 5; @%p2 bra TAKE;\nEND: st.global.u32 [%rd2], %r2; }",
             32, out, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(l < 16 ? 0 : 5 * (l - 16) + 1000, out[l]);
}

static void lanes_that_have_ended_or_stand_at_the_meeting_point_are_not_waited_for(void **state)
{
    (void)state;
    uint32_t out[32];
    rig_body(OUT "setp.lt.u32 %p1, %r0, 4; @%p1 exit; setp.lt.u32 %p2, %r0, 12; @!%p2 bra END;\nvote.sync.ballot.b32 "
                 "%r1, %p2, 0xffffffff; st.global.u32 [%rd2], %r1;\nEND: bar.warp.sync -1;",
             32, out, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(l < 4 || l >= 12 ? 0 : 0xff0, out[l]);
}

/* barrier.sync counts threads, whichever way they come: both halves of each warp write before anyone reads. */
static void barriers_without_aligned_are_reached_by_each_thread_on_its_own(void **state)
{
    (void)state;
    uint32_t out[128];
    rig_body("{ .shared .align 4 .b8 s[512]; .reg .b64 %a; mov.u64 %a, s; " OUT
             "mul.lo.u32 %r1, %r0, 3; xor.b32 %r2, %r0, 33; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %a; "
             "mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %a;\n"
             "and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN; st.shared.u32 [%rd3], %r1; barrier.sync 0; "
             "ld.shared.u32 %r4, [%rd4]; bra END;\n"
             "EVEN: st.shared.u32 [%rd3], %r1; barrier.cta.sync 0; ld.shared.u32 %r4, [%rd4];\nEND: st.global.u32 "
             "[%rd2], %r4; }",
             128, out, 128);
    for (uint32_t t = 0; t < 128; t++) assert_int_equal(3 * (t ^ 33), out[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_flow_gives_every_lane_what_it_would_have_alone),
        cmocka_unit_test(members_that_come_by_two_branches_meet_at_the_instruction),
        cmocka_unit_test(lanes_on_different_paths_hand_values_over_at_warp_barriers),
        cmocka_unit_test(lanes_that_have_ended_or_stand_at_the_meeting_point_are_not_waited_for),
        cmocka_unit_test(barriers_without_aligned_are_reached_by_each_thread_on_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
