/* cutil_math.h of CUDA 2 to 4: the same arithmetic by its later name. */
#include "helper_math.h"
