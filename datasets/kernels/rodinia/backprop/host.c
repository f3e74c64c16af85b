/* backprop: one training step of a network with one hidden layer. */
#include "exact_math.h"
#include "workload.h"

#include <string.h>

enum { SIDE = 16, HIDDEN = 16 };
static const uint32_t sizes[WL_N_SIZES] = {[WL_TEST] = 512, [WL_SMALL] = 5120, [WL_FULL] = 65536};

struct network {
    uint32_t inputs;                  /* a multiple of SIDE */
    float *input, *weights, *changes; /* inputs + 1; (inputs + 1) x (HIDDEN + 1), twice */
    float out_weights[HIDDEN + 1], target;
};

static float squash(float a) { return 1.0f / (1.0f + exact_exp(-a)); }

/* The partial sums of every block of SIDE inputs, in the order of the kernel's tree; the tile that it writes back. */
static void forward(const struct network *net, float *weights, float *partial)
{
    for (size_t b = 0; b < net->inputs / SIDE; b++) {
        float tile[SIDE][HIDDEN];
        for (size_t y = 0; y < SIDE; y++)
            for (size_t x = 0; x < HIDDEN; x++)
                tile[y][x] = weights[(HIDDEN + 1) * (b * SIDE + y + 1) + x + 1] * net->input[b * SIDE + y + 1];
        for (size_t step = 2; step <= SIDE; step *= 2)
            for (size_t y = 0; y < SIDE; y += step)
                for (size_t x = 0; x < HIDDEN; x++) tile[y][x] += tile[y + step / 2][x];
        for (size_t y = 0; y < SIDE; y++)
            memcpy(weights + (HIDDEN + 1) * (b * SIDE + y + 1) + 1, tile[y], sizeof tile[y]);
        memcpy(partial + b * HIDDEN, tile[0], sizeof tile[0]);
    }
}

/* What Rodinia leaves to the host: the hidden units, the one output unit, its error and the hidden units' share of
 * it. */
static void hidden_deltas(const struct network *net, const float *partial, float delta[HIDDEN + 1])
{
    float unit[HIDDEN + 1] = {1.0f}, output = net->out_weights[0];
    for (size_t j = 1; j <= HIDDEN; j++) {
        float sum = net->weights[j];
        for (size_t b = 0; b < net->inputs / SIDE; b++) sum += partial[b * HIDDEN + j - 1];
        unit[j] = squash(sum);
        output = fmaf(net->out_weights[j], unit[j], output);
    }
    output = squash(output);
    float error = output * (1.0f - output) * (net->target - output);
    delta[0] = 0.0f;
    for (size_t j = 1; j <= HIDDEN; j++) delta[j] = unit[j] * (1.0f - unit[j]) * error * net->out_weights[j];
}

static void adjust(struct network *net, const float delta[HIDDEN + 1])
{
    for (size_t i = 0; i <= net->inputs; i++)
        for (size_t j = 1; j <= HIDDEN; j++) {
            size_t at = (HIDDEN + 1) * i + j;
            float change = fmaf(0.3f * delta[j], net->input[i], 0.3f * net->changes[at]);
            net->weights[at] += change;
            net->changes[at] = change;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "backprop", .doc = "one training step of a layered network (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size], hidden = HIDDEN;
    size_t n_weights = (size_t)(n + 1) * (HIDDEN + 1), n_partial = n / SIDE * HIDDEN, bytes = n_weights * sizeof(float);
    struct network net = {.inputs = n, .target = 0.1f};
    net.input = WL_NEW(&w, float, n + 1);
    net.weights = WL_NEW(&w, float, n_weights);
    net.changes = WL_NEW(&w, float, n_weights);
    float *partial = WL_NEW(&w, float, n_partial), *got = WL_NEW(&w, float, n_weights),
          *summed = WL_NEW(&w, float, n_weights);
    struct wl_rng rng = {23};
    wl_rng_fill(&rng, net.input, n + 1);
    net.input[0] = 1.0f;
    for (size_t i = 0; i < n_weights; i++) net.weights[i] = (wl_rng_unit(&rng) - 0.5f) * 0.02f;
    wl_rng_fill(&rng, net.out_weights, HIDDEN + 1);

    CUdeviceptr d_input = wl_upload(&w, net.input, (n + 1) * sizeof(float)),
                d_weights = wl_upload(&w, net.weights, bytes);
    CUdeviceptr d_changes = wl_upload(&w, net.changes, bytes), d_partial = wl_alloc(&w, n_partial * sizeof(float));
    void *forward_args[] = {&d_input, &d_weights, &d_partial, &hidden};
    wl_launch(&w, wl_function(&w, "backprop_forward"), 1, n / SIDE, SIDE, SIDE, forward_args);
    memcpy(summed, net.weights, bytes);
    forward(&net, summed, partial);
    wl_output(&w, got, d_partial, n_partial * sizeof(float));
    wl_compare_f32(&w, "partial sum", got, partial, n_partial);
    wl_output(&w, got, d_weights, bytes);
    wl_compare_f32(&w, "summed tile", got, summed, n_weights);

    float delta[HIDDEN + 1];
    hidden_deltas(&net, partial, delta);
    CUdeviceptr d_delta = wl_upload(&w, delta, sizeof delta);
    wl_write(&w, d_weights, net.weights, bytes);
    void *adjust_args[] = {&d_delta, &d_input, &d_weights, &d_changes, &hidden};
    wl_launch(&w, wl_function(&w, "backprop_adjust"), 1, n / SIDE, SIDE, SIDE, adjust_args);
    adjust(&net, delta);
    wl_output(&w, got, d_weights, bytes);
    wl_compare_f32(&w, "weight", got, net.weights, n_weights);
    return wl_end(&w);
}
