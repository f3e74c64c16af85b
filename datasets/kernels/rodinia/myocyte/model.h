/* The right sides of a heart muscle cell's differential equations, shared by kernel.cu and host.c: 46 of the cell
 * and 15 in each of three compartments, as in Rodinia's myocyte. The equations have the published models' forms
 * (voltage gates, mass-action buffers, calcium exchange, calmodulin reactions); their constants are ours, so the
 * results are no physiology. */
#ifndef MYOCYTE_MODEL_H
#define MYOCYTE_MODEL_H
#include "exact_math.h"

enum {
    CELL_GATES = 1,
    CELL_CA_GATES = 13,
    CELL_RYR = 15,
    CELL_BUFFERS = 18,
    CELL_CA_SR = 32,
    CELL_NA = 33,
    CELL_K = 36,
    CELL_CA = 37,
    CELL_TOTALS = 40,
    CELL_STATES = 46,
    CAM_STATES = 15,
    COMPARTMENTS = 3,
    STATES = CELL_STATES + COMPARTMENTS * CAM_STATES,
    PARAMS = 4 /* cycle length ms, stimulus A/F, temperature factor, calmodulin rate factor */
};

/* Voltage gates relax to a Boltzmann curve; the time is a bell. state, half mV, slope mV, base ms, height ms, centre
 * mV, width mV */
/* clang-format off */
#define CELL_GATE_ROWS(G) \
    G(1, -56.9f, 9.0f, 0.06f, 0.13f, -46.0f, 16.0f) G(2, -71.5f, -7.4f, 1.1f, 8.0f, -67.0f, 12.0f) \
    G(3, -71.5f, -7.4f, 9.0f, 60.0f, -75.0f, 18.0f) G(4, -14.5f, 6.0f, 0.6f, 2.2f, -15.0f, 22.0f) \
    G(5, -35.1f, -3.6f, 20.0f, 50.0f, -14.0f, 30.0f) G(6, -3.0f, 15.0f, 1.5f, 3.5f, 0.0f, 30.0f) \
    G(7, -33.5f, -10.0f, 20.0f, 20.0f, -33.0f, 14.0f) G(8, -3.0f, 15.0f, 0.5f, 9.0f, -10.0f, 25.0f) \
    G(9, -33.5f, -10.0f, 30.0f, 90.0f, -60.0f, 17.0f) G(10, -33.5f, -10.0f, 220.0f, 180.0f, -60.0f, 17.0f) \
    G(11, -50.0f, 7.5f, 12.0f, 110.0f, -40.0f, 28.0f) G(12, 1.5f, 16.7f, 60.0f, 290.0f, -20.0f, 40.0f)
/* clang-format on */

/* Buffers bind what their compartment holds. state, source state, on 1/(mM ms), off 1/ms, capacity mM */
/* clang-format off */
#define CELL_BUFFER_ROWS(B) \
    B(18, 33, 0.0001f, 0.001f, 7.56f) B(19, 34, 0.0001f, 0.001f, 1.65f) B(20, 39, 32.7f, 0.0196f, 0.07f) \
    B(21, 39, 2.37f, 0.000032f, 0.14f) B(22, 36, 0.003f, 0.00333f, 0.14f) B(23, 39, 34.0f, 0.238f, 0.024f) \
    B(24, 39, 13.8f, 0.00046f, 0.14f) B(25, 36, 0.0157f, 0.057f, 0.14f) B(26, 39, 100.0f, 0.06f, 0.0171f) \
    B(27, 37, 100.0f, 1.3f, 0.0046f) B(28, 38, 100.0f, 1.3f, 0.0374f) B(29, 37, 100.0f, 0.03f, 0.0165f) \
    B(30, 38, 100.0f, 0.03f, 0.0134f) B(31, 32, 100.0f, 65.0f, 0.14f)
/* clang-format on */

/* Calmodulin and its kinase and phosphatase. from, to, power of calcium, forward 1/ms (and per mM), backward 1/ms */
/* clang-format off */
#define CAM_REACTION_ROWS(R) \
    R(0, 1, 2, 3.0f, 0.5f) R(1, 2, 2, 9.0f, 0.8f) R(3, 4, 2, 2.4f, 0.5f) R(4, 5, 2, 7.2f, 0.8f) \
    R(0, 3, 0, 0.05f, 0.0056f) \
    R(1, 4, 0, 0.05f, 0.0028f) R(2, 5, 0, 0.05f, 0.0017f) R(1, 6, 0, 0.02f, 0.045f) R(2, 7, 0, 0.06f, 0.0011f) \
    R(6, 7, 2, 9.0f, 0.7f) R(7, 8, 0, 0.004f, 0.0013f) R(8, 9, 0, 0.0004f, 0.002f) R(6, 9, 1, 1.7f, 0.0009f) \
    R(9, 10, 0, 0.0013f, 0.0007f) R(10, 11, 2, 4.4f, 0.3f) R(11, 12, 0, 0.046f, 0.0012f) \
    R(12, 13, 0, 0.023f, 0.0007f) \
    R(13, 14, 2, 6.1f, 0.4f) R(11, 14, 1, 2.2f, 0.0004f)
/* clang-format on */

/* The gates of the channels, v in mV: each nears its end value as fast as the membrane's voltage lets it. */
EXACT void gate_rates(float v, float warm, const float *y, float *dy)
{
#define GATE(state, half, slope, base, height, centre, width) \
    { \
        float end = 1.0f / (1.0f + exact_exp((half - v) / slope)), bell = (v - centre) / width; \
        dy[state] = (end - y[state]) * warm / fmaf(height, exact_exp(-bell * bell), base); \
    }
    CELL_GATE_ROWS(GATE)
#undef GATE
    for (int k = 0; k < 2; k++)
        dy[CELL_CA_GATES + k] =
            fmaf(1.7f * y[CELL_CA + k], 1.0f - y[CELL_CA_GATES + k], -0.0119f * y[CELL_CA_GATES + k]);
}

/* y, dy: CELL_STATES values. */
EXACT void cell_rates(float time, const float *y, const float *params, float *dy)
{
    float v = y[0], warm = params[2];
    gate_rates(v, warm, y, dy);

    /* The calcium release channel: resting, open, inactivated; what remains is the fourth state. */
    float sr = 15.0f - 14.0f / (1.0f + exact_pow(0.45f / y[CELL_CA_SR], 2.5f)), on = 10.0f / sr, off = 0.5f * sr,
          ca = y[CELL_CA];
    float rest = y[CELL_RYR], open = y[CELL_RYR + 1], still = y[CELL_RYR + 2], ri = 1.0f - rest - open - still;
    dy[CELL_RYR] = 0.005f * ri - off * ca * rest - (on * ca * ca * rest - 0.06f * open);
    dy[CELL_RYR + 1] = on * ca * ca * rest - 0.06f * open - (off * ca * open - 0.005f * still);
    dy[CELL_RYR + 2] = off * ca * open - 0.005f * still - (0.06f * still - on * ca * ca * ri);

    float bound[CELL_STATES - CELL_CA_SR] = {0}; /* what buffers take from each concentration */
#define BUFFER(state, source, on_rate, off_rate, capacity) \
    dy[state] = on_rate * y[source] * (capacity - y[state]) - off_rate * y[state]; \
    bound[source - CELL_CA_SR] += dy[state];
    CELL_BUFFER_ROWS(BUFFER)
#undef BUFFER

    /* Currents, A/F: sodium, calcium, potassium (transient, rapid, slow, rectifier), pump, exchanger, stimulus. */
    float e_na = 26.7f * exact_log(140.0f / y[CELL_NA + 2]), e_k = 26.7f * exact_log(5.4f / y[CELL_K]);
    float i_na = 16.0f * y[1] * y[1] * y[1] * y[2] * y[3] * (v - e_na);
    float i_ca = 0.3f * y[4] * y[5] * (1.0f - y[13]) * (v - 60.0f);
    float i_to = (0.02f * y[6] * y[7] + 0.06f * y[8] * fmaf(0.5f, y[10], y[9])) * (v - e_k);
    float i_kr = 0.03f * y[11] / (1.0f + exact_exp((v + 33.0f) / 22.4f)) * (v - e_k),
          i_ks = 0.035f * y[12] * y[12] * (v - e_k);
    float i_k1 = 0.35f * (v - e_k) / (1.0f + exact_exp(0.0896f * (v - e_k)));
    float i_pump = 1.9f * 5.4f / (1.0f + exact_pow(11.0f / y[CELL_NA + 2], 4.0f)) / 6.9f;
    float i_exchange =
        0.01f * (exact_exp(0.013f * v) * y[CELL_NA + 2] - exact_exp(-0.024f * v) * 90.0f * y[CELL_CA + 2]);
    float phase = time - params[0] * (float)(int)(time / params[0]), stimulus = phase <= 5.0f ? params[1] : 0.0f;
    dy[0] = stimulus - (i_na + i_ca + i_to + i_kr + i_ks + i_k1 + i_pump + i_exchange);

    /* Concentrations, mM, of the store, the junction, below the membrane and the interior. */
    float release = 25.0f * open * (y[CELL_CA_SR] - y[CELL_CA]), leak = 5.3e-6f * (y[CELL_CA_SR] - y[CELL_CA]);
    float uptake = 0.0053f / (1.0f + exact_pow(0.000246f / y[CELL_CA + 2], 1.787f));
    float ca_in = 0.02f * (y[CELL_CA] - y[CELL_CA + 1]), ca_on = 0.03f * (y[CELL_CA + 1] - y[CELL_CA + 2]);
    float na_in = 0.02f * (y[CELL_NA] - y[CELL_NA + 1]), na_on = 0.03f * (y[CELL_NA + 1] - y[CELL_NA + 2]);
    dy[CELL_CA_SR] = uptake - leak - release * 0.03f - bound[0];
    dy[CELL_NA] = -1e-4f * i_na - na_in - bound[1];
    dy[CELL_NA + 1] = na_in - na_on - 1e-4f * i_exchange - bound[2];
    dy[CELL_NA + 2] = na_on - 3e-5f * i_pump;
    dy[CELL_K] = -1e-5f * (i_to + i_kr + i_ks + i_k1 - 2.0f * i_pump) - bound[4];
    dy[CELL_CA] = release * 0.03f + leak - 1e-5f * i_ca - ca_in - bound[5];
    dy[CELL_CA + 1] = ca_in - ca_on + 1e-6f * i_exchange - bound[6];
    dy[CELL_CA + 2] = ca_on - uptake - bound[7];
    dy[40] = i_na;
    dy[41] = i_ca;
    dy[42] = i_to;
    dy[43] = i_kr + i_ks;
    dy[44] = i_exchange;
    dy[45] = release;
}

/* y, dy: CAM_STATES values; calcium: of the compartment, mM. Returns how fast the reactions bind calcium, mM/ms. */
EXACT float cam_rates(float calcium, const float *y, const float *params, float *dy)
{
    float square = calcium * calcium, taken = 0.0f, rate = params[3], d[CAM_STATES] = {0};
#define REACTION(from, to, power, forward, backward) \
    { \
        float drive = power == 2 ? square : power == 1 ? calcium : 1.0f; \
        float flux = rate * (forward * drive * y[from] - backward * y[to]); \
        d[from] -= flux; \
        d[to] += flux; \
        taken += (float)power * flux; \
    }
    CAM_REACTION_ROWS(REACTION)
#undef REACTION
    for (int i = 0; i < CAM_STATES; i++) dy[i] = d[i];
    return taken;
}
#endif
