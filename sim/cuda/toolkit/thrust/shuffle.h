/* Part of thrust. */
#include "poise/all.h"
