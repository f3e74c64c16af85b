/* sdkHelper.h of CUDA 4, by the helpers that came after it. */
#include "helper_cuda.h"
#include "helper_functions.h"
