/* The samples' helper_functions.h: command lines, stop watches, images and comparisons. */
#ifndef POISE_SUITE_HELPER_FUNCTIONS_H
#define POISE_SUITE_HELPER_FUNCTIONS_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "exception.h"
#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

template <typename T> static inline bool poise_compare(const T *reference, const T *data, unsigned n, double epsilon)
{
    for (unsigned i = 0; i < n; i++)
        if (!(fabs((double)reference[i] - (double)data[i]) <= epsilon)) return false;
    return true;
}
static inline bool compareData(const float *reference, const float *data, unsigned n, float epsilon, float threshold)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < n; i++) bad += !(fabsf(reference[i] - data[i]) <= epsilon);
    return threshold > 0 ? bad <= (unsigned)((float)n * threshold) : bad == 0;
}
/* The norm of the difference over that of the reference. */
static inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned n, float epsilon)
{
    double error = 0, norm = 0;
    for (unsigned i = 0; i < n; i++) {
        const double difference = (double)reference[i] - (double)data[i];
        error += difference * difference;
        norm += (double)reference[i] * (double)reference[i];
    }
    return norm > 0 && sqrt(error / norm) < epsilon;
}
#endif
