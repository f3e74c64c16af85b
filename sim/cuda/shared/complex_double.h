/* Complex numbers in double precision, for the libraries that compute on the host. */
#ifndef CUDA_SHARED_COMPLEX_DOUBLE_H
#define CUDA_SHARED_COMPLEX_DOUBLE_H
#include <complex.h>
#ifndef CMPLX /* clang's, for which this complex.h has none */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif
/* Without C's care for infinities, which costs a call for each product. */
static inline double complex complex_times(double complex a, double complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}
#endif
