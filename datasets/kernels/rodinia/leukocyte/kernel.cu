// leukocyte: finds and follows white blood cells in a film. Three kernels as in Rodinia: the score of circles about each pixel
// (gradients looked up around it), its dilation, and the evolution of a motion field within each cell's window (a block a cell, the
// window in shared memory). Gradients and scores are read through textures, tables are in constant memory, as in the original.
#include "cuda_device.h"

#define POINTS_MAX 150
#define CIRCLES_MAX 7
#define WINDOW_MAX (41 * 81)
#define BLOCK 320

__constant__ float point_sine[POINTS_MAX], point_cosine[POINTS_MAX];
__constant__ int offset_x[CIRCLES_MAX * POINTS_MAX], offset_y[CIRCLES_MAX * POINTS_MAX];

// The largest over the circles of mean^2 / variance of the gradient along the radius. Blocks of `rows` threads: a column each.
extern "C" __global__ void leukocyte_score(unsigned long long gradient_x, unsigned long long gradient_y, float *score, u32 rows, u32 margin, u32 circles,
                                           u32 points)
{
    u32 column = blockIdx.x + margin, row = threadIdx.x + margin;
    float best = 0.0f;
#pragma unroll 1
    for (u32 circle = 0; circle < circles; circle++) {
        float sum = 0.0f, variance = 0.0f, mean = 0.0f;
        // Mean and variance by one pass of updates, point by point.
#pragma unroll 1
        for (u32 i = 0; i < points; i++) {
            u32 x = column + (u32)offset_x[circle * POINTS_MAX + i], y = row + (u32)offset_y[circle * POINTS_MAX + i], at = x * rows + y;
            float p = texel(gradient_x, (int)at) * point_cosine[i] + texel(gradient_y, (int)at) * point_sine[i];
            sum += p;
            float before = p - mean;
            mean += before / (float)(i + 1);
            variance = fmaf(before, p - mean, variance);
        }
        mean = sum / (float)points;
        variance /= (float)(points - 1);
        float value = mean * mean / variance;
        if (value > best) best = value;
    }
    score[column * rows + row] = best;
}

// The largest score within a disc; a thread a pixel.
extern "C" __global__ void leukocyte_dilate(unsigned long long score, float *dilated, u32 rows, u32 columns, u32 radius)
{
    u32 thread = thread_index(), row = thread % rows, column = thread / rows;
    if (thread >= rows * columns) return;
    float best = 0.0f;
    int r = (int)radius;
#pragma unroll 1
    for (int dy = -r; dy <= r; dy++) {
        int y = (int)row + dy;
        if (y < 0 || y >= (int)rows) continue;
#pragma unroll 1
        for (int dx = -r; dx <= r; dx++) {
            int x = (int)column + dx;
            if (x < 0 || x >= (int)columns || dx * dx + dy * dy > r * r) continue;
            float value = texel(score, x * (int)rows + y);
            if (value > best) best = value;
        }
    }
    dilated[column * rows + row] = best;
}

static inline __device__ float step_of(float a) { return a > 0.0001f ? 1.0f : a > -0.0001f ? 0.5f : 0.0f; }

// The field flows uphill along (vx, vy) and is drawn to the image where that is bright, until the mean change is small.
extern "C" __global__ void leukocyte_field(const float *images, float *fields, u32 rows, u32 columns, float vx, float vy, u32 rounds, float cutoff)
{
    __shared__ float field[WINDOW_MAX], buffer[BLOCK];
    __shared__ int converged;
    u32 tx = threadIdx.x, cells = rows * columns;
    const float *image = images + blockIdx.x * cells;
    float *out = fields + blockIdx.x * cells, moved[(WINDOW_MAX + BLOCK - 1) / BLOCK];
#pragma unroll 1
    for (u32 i = tx; i < cells; i += BLOCK) field[i] = image[i];
    if (tx == 0) converged = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 round = 0; round < rounds && !converged; round++) {
        float change = 0.0f;
        u32 n_mine = 0;
#pragma unroll 1
        for (u32 i = tx; i < cells; i += BLOCK) {
            u32 row = i / columns, column = i % columns;
            u32 up = row == 0 ? 0 : row - 1, down = row == rows - 1 ? row : row + 1;
            u32 left = column == 0 ? 0 : column - 1, right = column == columns - 1 ? column : column + 1;
            float here = field[i], sum = 0.0f, d;
            d = field[up * columns + left] - here, sum += step_of(d * (-vx - vy)) * d;
            d = field[up * columns + column] - here, sum += step_of(d * -vy) * d;
            d = field[up * columns + right] - here, sum += step_of(d * (vx - vy)) * d;
            d = field[row * columns + left] - here, sum += step_of(d * -vx) * d;
            d = field[row * columns + right] - here, sum += step_of(d * vx) * d;
            d = field[down * columns + left] - here, sum += step_of(d * (vy - vx)) * d;
            d = field[down * columns + column] - here, sum += step_of(d * vy) * d;
            d = field[down * columns + right] - here, sum += step_of(d * (vx + vy)) * d;
            float next = fmaf(0.1f, sum, here), bright = image[i];
            next -= 0.2f * bright * (next - bright);
            change += next > here ? next - here : here - next;
            moved[n_mine++] = next;
        }
        __syncthreads();
        n_mine = 0;
#pragma unroll 1
        for (u32 i = tx; i < cells; i += BLOCK) field[i] = moved[n_mine++];
        buffer[tx] = change;
        __syncthreads();
        if (tx >= 256) buffer[tx - 256] += buffer[tx];
        __syncthreads();
#pragma unroll 1
        for (u32 step = 128; step > 0; step /= 2) {
            if (tx < step) buffer[tx] += buffer[tx + step];
            __syncthreads();
        }
        if (tx == 0) converged = buffer[0] / (float)cells < cutoff;
        __syncthreads();
    }
#pragma unroll 1
    for (u32 i = tx; i < cells; i += BLOCK) out[i] = field[i];
}
