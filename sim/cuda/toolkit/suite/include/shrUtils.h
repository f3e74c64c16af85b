/* shrUtils.h of CUDA 3 and 4, what programs take from it: the log goes to the output. */
#include "helper_functions.h"
#include "shrQATest.h"
