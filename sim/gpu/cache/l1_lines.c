#include "cache/l1_lines.h"

const struct l1_type l1_lines = {load, load_apart, load_fails, fill, l1_keep_store};
