/* Fourier transforms of lines against the sum that defines them, and plans of the whole library. */
#include "rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fft/fft.h"

static double complex number(size_t i)
{
    const unsigned a = (unsigned)i * 2654435761u, b = (unsigned)i * 2246822519u + 7;
    return CMPLX((double)(a >> 16) / 65536 - 0.5, (double)(b >> 16) / 65536 - 0.5);
}

static void lines_of_every_length_up_to_200_are_the_defining_sum_and_come_back(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 200; n++) {
        struct fft_line line;
        double complex x[200], *room;
        assert_int_equal(0, fft_line_init(&line, n));
        assert_non_null(room = malloc(fft_line_room(&line) * sizeof *room));
        for (size_t i = 0; i < n; i++) x[i] = number(i);
        fft_line_forward(&line, x, room);
        for (size_t k = 0; k < n; k++) {
            double complex sum = 0;
            for (size_t j = 0; j < n; j++) sum += number(j) * cexp(-2 * M_PI * I * (double)(j * k % n) / (double)n);
            if (!(cabs(sum - x[k]) < 1e-12)) fail_msg("length %zu, number %zu: off by %g", n, k, cabs(sum - x[k]));
        }
        fft_line_backward(&line, x, room);
        for (size_t i = 0; i < n; i++) assert_true(cabs(x[i] / (double)n - number(i)) < 1e-14);
        free(room);
        fft_line_fini(&line);
    }
}

static void a_long_line_of_a_large_prime_comes_back(void **state)
{
    const size_t n = 10007;
    struct fft_line line;
    (void)state;
    assert_int_equal(0, fft_line_init(&line, n));
    double complex *x = malloc(n * sizeof *x), *room = malloc(fft_line_room(&line) * sizeof *room), sum = 0;
    assert_true(x && room);
    for (size_t i = 0; i < n; i++) sum += x[i] = number(i);
    fft_line_forward(&line, x, room);
    assert_true(cabs(x[0] - sum) < 1e-9);
    fft_line_backward(&line, x, room);
    for (size_t i = 0; i < n; i++) assert_true(cabs(x[i] / (double)n - number(i)) < 1e-13);
    free(x);
    free(room);
    fft_line_fini(&line);
}

/* A handle is free again when its plan is destroyed, and a plan may be made again with other sizes. */
static void plans_are_made_used_made_again_and_destroyed(void **state)
{
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float got[2 * 5];
    cufftHandle first, second, third;
    void *in, *out;
    size_t bytes;
    (void)state;
    assert_int_equal(CUFFT_SUCCESS, cufftCreate(&first));
    assert_int_equal(CUFFT_SUCCESS, cufftPlan3d(&second, 2, 3, 67, CUFFT_Z2Z));
    assert_int_equal(CUFFT_SUCCESS, cufftMakePlan2d(first, 5, 5, CUFFT_C2C, &bytes));
    assert_int_equal(5 * 5 * 8, bytes);
    assert_int_equal(CUFFT_SUCCESS, cufftMakePlan1d(first, 8, CUFFT_R2C, 1, &bytes));
    assert_int_equal(CUFFT_SUCCESS, cufftDestroy(second));
    assert_int_equal(CUFFT_INVALID_PLAN, cufftDestroy(second));
    assert_int_equal(CUFFT_SUCCESS, cufftPlan1d(&third, 4, CUFFT_C2C, 1));
    assert_int_equal(second, third);
    assert_int_equal(cudaSuccess, cudaMalloc(&in, sizeof x));
    assert_int_equal(cudaSuccess, cudaMalloc(&out, sizeof got));
    assert_int_equal(cudaSuccess, cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice));
    assert_int_equal(CUFFT_SUCCESS, cufftExecR2C(first, in, out));
    assert_int_equal(cudaSuccess, cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    assert_true(got[0] == 36 && got[1] == 0 && got[8] == -4 && got[9] == 0);
    assert_true(fabsf(got[2] + 4) < 1e-6f && fabsf(got[3] - 9.656854f) < 1e-5f);
    assert_int_equal(CUFFT_INVALID_PLAN, cufftExecC2R(first, out, in)); /* the plan is R2C */
    assert_int_equal(CUFFT_INVALID_SIZE, cufftMakePlan1d(first, -1, CUFFT_R2C, 1, &bytes));
    assert_int_equal(CUFFT_INVALID_VALUE, cufftMakePlan1d(first, 8, (cufftType)1, 1, &bytes));
    assert_int_equal(CUFFT_SUCCESS, cufftDestroy(first));
    assert_int_equal(CUFFT_SUCCESS, cufftDestroy(third));
    assert_int_equal(cudaSuccess, cudaFree(in));
    assert_int_equal(cudaSuccess, cudaFree(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_every_length_up_to_200_are_the_defining_sum_and_come_back),
        cmocka_unit_test(a_long_line_of_a_large_prime_comes_back),
        cmocka_unit_test(plans_are_made_used_made_again_and_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
