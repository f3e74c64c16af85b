#define ORDINARY_CACHE
#include "cache/l1_path.h"

const struct l1_path l1_path_ordinary = {load, load_fails, fill};
