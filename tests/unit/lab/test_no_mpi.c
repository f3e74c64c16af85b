/* What a build without MPI answers; compiled in whether or not this build has it. */
#include "rig.h"

#include "runner/runner_ranks.h"

static void a_plain_run_goes_on_and_one_under_mpirun_is_told_what_to_do(void **state)
{
    (void)state;
    struct ranks *ranks;
    struct error err;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
    assert_ok(ranks_begin(&ranks, &err), &err);
    assert_null(ranks);
    assert_true(ranks_is_first(ranks));
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    assert_int_equal(-1, ranks_begin(&ranks, &err));
    assert_string_equal("this build of poise has no MPI, and 4 processes of it were started", err.text);
    assert_non_null(strstr(err.hint, "libopenmpi-dev"));
    assert_int_equal(2, error_exit_status(&err));
}

static void srun_with_pmix_is_seen_and_srun_without_is_a_plain_run(void **state)
{
    (void)state;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    setenv("SLURM_STEP_NUM_TASKS", "3", 1);
    assert_int_equal(1, ranks_launched());
    setenv("PMIX_RANK", "0", 1);
    assert_int_equal(3, ranks_launched());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_run_goes_on_and_one_under_mpirun_is_told_what_to_do),
        cmocka_unit_test(srun_with_pmix_is_seen_and_srun_without_is_a_plain_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
