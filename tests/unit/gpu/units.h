/* What the tests of single units share: parameters at their defaults and an empty arena, new for each test. */
#ifndef TEST_UNITS_H
#define TEST_UNITS_H
#include "rig.h"

#include "../../../sim/gpu/cache/l1.h"
#include "../../../sim/gpu/machine/machine.h"
#include "synth.h"

static struct gpu_params *params;
static struct arena arena;
static struct error err;

static inline int setup(void **state)
{
    (void)state;
    params = gpu_params_new();
    return arena_new(&arena, 16 << 20, &err);
}
static inline int teardown(void **state)
{
    (void)state;
    gpu_params_free(params);
    arena_free(&arena);
    return 0;
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#endif
