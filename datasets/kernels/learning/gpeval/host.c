/* gpeval: a population of expressions evaluated on fitness cases. */
#include "workload.h"
#include "expression.h"

/* Expressions of 2 `leaves` - 1 nodes, on so many cases. */
struct sizes {
    uint32_t expressions, leaves, cases;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {3, 12, 300},
    [WL_SMALL] = {24, 32, 2048},
    [WL_EVAL] = {5, 64, 65536}, /* 1280 blocks of 256: 6.7 times the places of 32 SMs */
    [WL_FULL] = {128, 64, 65536},
};
enum { DEPTH_MAX = 64 };

struct population {
    uint8_t nodes[GP_BYTES_MAX];
    uint32_t starts[GP_EXPRESSIONS_MAX], n_nodes, depth, deepest;
};

/* A random tree with so many leaves: each split of them between left and right is as likely as any other. */
static void draw_tree(struct wl *w, struct population *p, uint32_t leaves, struct wl_rng *rng)
{
    if (p->n_nodes + 2 > GP_BYTES_MAX) wl_fail(w, "expressions of more than %d nodes", GP_BYTES_MAX);
    if (leaves == 1) {
        bool is_variable = wl_rng_below(rng, 5) < 3;
        uint32_t which = wl_rng_below(rng, is_variable ? GP_VARIABLES : GP_CONSTANTS);
        p->nodes[p->n_nodes++] = (uint8_t)((is_variable ? GP_VARIABLE : GP_CONSTANT) + which);
        if (++p->depth > p->deepest) p->deepest = p->depth;
        return;
    }
    uint32_t left = 1 + wl_rng_below(rng, leaves - 1);
    draw_tree(w, p, left, rng);
    draw_tree(w, p, leaves - left, rng);
    p->nodes[p->n_nodes++] = (uint8_t)(GP_ADD + wl_rng_below(rng, GP_OPERATORS - GP_ADD));
    p->depth--;
}

static float operate(uint32_t what, float left, float right)
{
    switch (what) {
    case GP_ADD: return left + right;
    case GP_SUBTRACT: return left - right;
    case GP_MULTIPLY: return left * right;
    case GP_LARGER: return left > right ? left : right;
    default: return right == 0.0f ? 1.0f : left / right;
    }
}

/* By recursion from the last node backwards: a stack of calls, not of values. */
static float evaluate(const struct population *p, uint32_t *node, const float *variables, uint32_t cases)
{
    uint32_t what = p->nodes[(*node)--];
    if (what >= GP_CONSTANT) return gp_constant(what);
    if (what >= GP_VARIABLE) return variables[(size_t)(what - GP_VARIABLE) * cases];
    float right = evaluate(p, node, variables, cases), left = evaluate(p, node, variables, cases);
    return operate(what, left, right);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "gpeval", .doc = "expressions evaluated on fitness cases, a stack each", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct population *p = WL_NEW(&w, struct population, 1);
    size_t n_variables = (size_t)s.cases * GP_VARIABLES, n_values = (size_t)s.cases * s.expressions;
    float *variables = WL_NEW(&w, float, n_variables), *got = WL_NEW(&w, float, n_values),
          *want = WL_NEW(&w, float, n_values);
    struct wl_rng rng = {88};
    for (uint32_t e = 0; e < s.expressions; e++) {
        p->starts[e] = p->n_nodes;
        p->depth = 0;
        draw_tree(&w, p, s.leaves, &rng);
        p->nodes[p->n_nodes++] = GP_END;
    }
    if (p->deepest > DEPTH_MAX) wl_fail(&w, "an expression needs a stack of %u", p->deepest);
    for (size_t i = 0; i < n_variables; i++) variables[i] = 2.0f * wl_rng_unit(&rng) - 1.0f;

    wl_symbol(&w, "gp_nodes", p->nodes, p->n_nodes);
    wl_symbol(&w, "gp_starts", p->starts, s.expressions * sizeof *p->starts);
    CUdeviceptr d_variables = wl_upload(&w, variables, n_variables * sizeof *variables);
    CUdeviceptr d_stacks = wl_alloc(&w, n_values * DEPTH_MAX * sizeof(float));
    CUdeviceptr d_values = wl_alloc(&w, n_values * sizeof *got);
    void *args[] = {&d_variables, &d_stacks, &d_values, &s.cases};
    wl_launch(&w, wl_function(&w, "gp_evaluate"), wl_blocks(s.cases, 256), s.expressions, 256, 1, args);

    for (uint32_t e = 0; e < s.expressions; e++) {
        uint32_t end = e + 1 < s.expressions ? p->starts[e + 1] : p->n_nodes;
        for (uint32_t i = 0; i < s.cases; i++) {
            uint32_t node = end - 2; /* before GP_END */
            want[(size_t)e * s.cases + i] = evaluate(p, &node, variables + i, s.cases);
        }
    }
    wl_output(&w, got, d_values, n_values * sizeof *got);
    wl_compare_f32(&w, "values", got, want, n_values);
    return wl_end(&w);
}
