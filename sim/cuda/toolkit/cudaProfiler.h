/* Profiling is a request that changes nothing here. */
#include <cuda.h>
