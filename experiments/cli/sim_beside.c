#include "cli/sim_beside.h"

#include <string.h>
#include <unistd.h>
#include "cli/cli_kernels.h"
#include "cli/sim_print.h"
#include "poise/lab.h"

/* Beside a trace a name of a file means that; otherwise one with a '/' or '.' in it does, as kernels of suites have
 * such names too. */
static bool is_file(const struct sim_beside_choice *choice)
{
    const char *end = strrchr(choice->what, '.');
    if (end && strcmp(end, ".ptrace") == 0) return true;
    return access(choice->what, F_OK) == 0 && (choice->is_beside_trace || strpbrk(choice->what, "/."));
}

static int find_launch(struct sim_beside *out, const struct cli *cli, const struct sim_beside_choice *choice,
                       struct error *err)
{
    struct launch file;
    if (!is_file(choice)) {
        if (sim_launches(&out->launches, &out->registry, cli, choice->what, choice->size, NULL,
                         choice->launch ? choice->launch : "0", err) < 0)
            return error_while(err, "--beside");
        return 0;
    }
    if (choice->launch)
        return error_set(err, ERR_USAGE, "--beside-launch goes with a kernel: %s is a trace", choice->what);
    return launch_from_file(&file, choice->what, err) < 0 ? -1 : launches_add(&out->launches, &file, err);
}

int sim_beside_begin(struct sim_beside *out, const struct cli *cli, const struct sim_beside_choice *choice,
                     const struct launch *first, struct error *err)
{
    struct gpu_beside *b = &out->gpu;
    if (find_launch(out, cli, choice, err) < 0) return -1;
    const size_t n = choice->mechs->n ? choice->mechs->n : 1;
    if (n > MECH_STACK_MAX) return error_set(err, ERR_USAGE, "a stack holds at most %d mechanisms", MECH_STACK_MAX);
    b->trace = out->launches.items[0].hash;
    b->stack = out->stack;
    for (; b->n_stack < n; b->n_stack++)
        if (mech_parse(&out->stack[b->n_stack], choice->mechs->n ? choice->mechs->items[b->n_stack] : "gto", err) < 0)
            return -1;
    return launches_are_of_one_program(&b->is_same_program, first, &out->launches.items[0], err);
}

void sim_beside_end(struct sim_beside *beside)
{
    for (unsigned i = 0; i < beside->gpu.n_stack; i++) mech_free(&beside->stack[i]);
    launches_fini(&beside->launches);
    registry_fini(&beside->registry);
}
