/* Of CUDA 2 to 4. */
#include "cutil.h"
