/* Part of thrust. */
#include <thrust/bits/all.h>
