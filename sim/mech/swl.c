/* SWL: static wavefront limiting. Only the N oldest warps of a scheduler execute; all of these pollute (N = p), and N is
 * found by profiling. [THESIS §5.3.1, §5.7.3] The limit is on warps that execute, ranked by age, never by slot. */
#include "hooks.h"

#define SWL_PARAMS(P) P(U32, N, 0, 0, 64, "warps", "THESIS 5.3.1", "warps per scheduler that may issue; 0 = all")
PARAM_STRUCT(swl_params, SWL_PARAMS);
#define ROW(...) PARAM_ROW_OF(swl_params, __VA_ARGS__)
static const struct param_row swl_rows[] = {SWL_PARAMS(ROW)};
#undef ROW

struct swl { uint32_t N; };

static int swl_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct swl *swl = self;
    (void)env;
    (void)err;
    swl->N = ((const struct swl_params *)params)->N;
    if (!swl->N) swl->N = 64;
    return 0;
}

static uint64_t swl_may_issue(void *self, const struct warp_set *set) { return warp_rank_mask(set, ((struct swl *)self)->N, false); }

const struct mech_type mech_swl = {
    .name = "swl", .title = "static wavefront limiting", .source = "THESIS 5.3.1",
    .params = {"swl", swl_rows, COUNT_OF(swl_rows), sizeof(struct swl_params)}, .stats = {.owner = "swl"},
    .state_size = sizeof(struct swl), .init = swl_init, .warp_may_issue = swl_may_issue,
};
