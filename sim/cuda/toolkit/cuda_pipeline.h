/* The primitives; the C++ classes belong to libcu++. */
#include <cuda_pipeline_primitives.h>
