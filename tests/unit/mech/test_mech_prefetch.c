/* The L1 prefetcher. */
#include "stack.h"

#include <jansson.h>

struct outcome {
    uint64_t cycles, l1_prefetches, misses;
    uint64_t predicted, queued_already, queue_full, present, pending, left, sent, late, useful, useless, trained;
};

static struct outcome run(struct trace *t, const char *mech, const char *const *set)
{
    json_t *own = NULL;
    struct gpu_stats *s = stack_run(t, &(struct stack_run){.mechs = {mech}, .set = set}, &own);
    struct outcome o = {.cycles = stack_value(s, "core_cycles"),
                        .l1_prefetches = stack_value(s, "l1d_prefetches"),
                        .misses = stack_value(s, "l1d_misses")};
#define OWN(name) o.name = (uint64_t)json_integer_value(json_object_get(own, #name))
    OWN(predicted), OWN(queued_already), OWN(queue_full), OWN(present), OWN(pending), OWN(left), OWN(sent);
    OWN(late), OWN(useful), OWN(useless), OWN(trained);
#undef OWN
    if (strcmp(mech, "gto") != 0) {
        assert_true(o.sent == o.l1_prefetches);
        assert_true(o.predicted == o.queued_already + o.queue_full + o.present + o.pending + o.left + o.sent);
        assert_true(o.late + o.useful + o.useless <= o.sent);
    }
    free(s);
    json_decref(own);
    return o;
}

/* A warp that reads line after line, each when the one before has come. */
static void next_lines_of_a_walk_are_there_or_on_their_way_when_it_comes(void **state)
{
    (void)state;
    struct trace *t = synth_chase(64, 128, 64 * 128);
    const struct outcome none = run(t, "gto", NULL), next = run(t, "prefetch,on=access,degree=4", NULL);
    assert_int_equal(none.misses, 64);
    assert_int_equal(next.misses, 1);
    assert_int_equal(next.late + next.useful, 63);
    assert_true(next.cycles * 2 < none.cycles);
    const struct outcome missed = run(t, "prefetch", NULL); /* every other line misses, and brings the one behind it */
    assert_int_equal(missed.misses, 32);
    assert_int_equal(missed.late + missed.useful, 32);
    trace_close(t);
}

static void a_stride_is_followed_once_it_was_seen_twice(void **state)
{
    (void)state;
    struct trace *t = synth_chase(64, 5 * 128, 64 * 5 * 128);
    const struct outcome next = run(t, "prefetch,on=access", NULL),
                         stride = run(t, "prefetch,kind=stride,on=access", NULL);
    assert_int_equal(next.misses, 64);
    assert_int_equal(next.late + next.useful, 0);
    assert_int_equal(stride.trained, 64);
    assert_int_equal(stride.misses, 3); /* the first line, and two strides */
    assert_int_equal(stride.late + stride.useful, 61);
    const struct outcome far = run(t, "prefetch,kind=stride,on=access,distance=4", NULL);
    assert_int_equal(far.misses, 6);
    assert_true(far.useful > stride.useful && far.cycles < stride.cycles);
    trace_close(t);
}

/* A walk through one line is no stride of none: the stride between its lines is followed. */
static void a_load_that_stays_in_its_line_teaches_nothing(void **state)
{
    (void)state;
    struct trace *t = synth_chase(64, 32, 64 * 32);
    const struct outcome o = run(t, "prefetch,kind=stride,on=access", NULL);
    assert_int_equal(o.trained, 16);
    assert_int_equal(o.misses, 3);
    trace_close(t);
}

static void no_prediction_leaves_its_page(void **state)
{
    (void)state;
    struct trace *t = synth_chase(32, 4096, 32 * 4096);
    assert_int_equal(run(t, "prefetch,kind=stride,on=access,page_kib=4", NULL).predicted, 0);
    const struct outcome o = run(t, "prefetch,kind=stride,on=access,page_kib=64", NULL);
    assert_int_equal(o.predicted, 29 - 1); /* the last line of the first page of 16 leads out of it */
    trace_close(t);
}

static void a_full_queue_drops_and_mshrs_are_left_to_loads(void **state)
{
    (void)state;
    struct trace *t = synth_rows(4, 4, 64, 1);
    const struct outcome small = run(t, "prefetch,on=access,degree=8,queue=1", NULL);
    assert_true(small.queue_full > small.sent && small.sent > 0);
    const struct outcome none = run(t, "prefetch,on=access,keep_mshrs=4096", NULL);
    assert_true(none.sent == 0 && none.left > 0 && none.queue_full > 0);
    assert_int_equal(none.cycles, run(t, "gto", NULL).cycles);
    trace_close(t);
}

/* Conserved, and the same bytes however it is run, in each organisation and beside what uses the same ways. */
static void every_organisation_of_L1_and_every_neighbour_takes_prefetches(void **state)
{
    static const char *const tight[] = {"l1.mshrs=4", "l1.miss_queue=2", "l1.ways=1", NULL};
    static const char *const sectored[] = {"l1.organisation=sectored", "l2.organisation=sectored", NULL};
    static const char *const streaming[] = {"l1.streaming=1", "l1.ways=2", NULL};
    static const char *const tsc[] = {"l1.organisation=tsc", "l1.ways=2", NULL};
    static const char *const dsc[] = {"l1.organisation=dsc", "l1.miss_queue=2", NULL};
    static const char *const elastic[] = {"l1.organisation=elastic", "l1.chunk_bytes=32", NULL};
    static const char *const wide[] = {"l1.line_bytes=256", "l2.line_bytes=128", NULL};
    static const struct stack_run runs[] = {
        {{"prefetch,on=access,degree=4,keep_mshrs=0"}, tight, false},
        {{"prefetch,kind=stride,on=access,keep_mshrs=0"}, sectored, false},
        {{"prefetch,degree=2"}, streaming, false},
        {{"prefetch,on=access,degree=2"}, tsc, false},
        {{"prefetch,on=access,keep_mshrs=0"}, dsc, false},
        {{"prefetch,on=access"}, elastic, false},
        {{"prefetch,degree=3"}, wide, false},
        {{"prefetch,on=access", "ccn"}, NULL, false},
        {{"swl,N=2", "prefetch,kind=stride", "mrpb"}, tight, false},
    };
    (void)state;
    stack_runs_hold(runs, COUNT_OF(runs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_lines_of_a_walk_are_there_or_on_their_way_when_it_comes),
        cmocka_unit_test(a_stride_is_followed_once_it_was_seen_twice),
        cmocka_unit_test(a_load_that_stays_in_its_line_teaches_nothing),
        cmocka_unit_test(no_prediction_leaves_its_page),
        cmocka_unit_test(a_full_queue_drops_and_mshrs_are_left_to_loads),
        cmocka_unit_test(every_organisation_of_L1_and_every_neighbour_takes_prefetches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
