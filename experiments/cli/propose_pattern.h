/* Knobs of `poise trace synth` for a kernel whose sampling is to look like a given one. */
#ifndef PROPOSE_PATTERN_H
#define PROPOSE_PATTERN_H
#include "poise/response_table.h"

#define PROPOSAL_MAX 256
/* "pattern=scan degree=16 ...", read off the row's features In, degree and hit.G and its W; empty where the table has
 * no In, degree or hit. A starting point, in closed form: what the engine samples of it has to be measured. */
void propose_pattern(char *out, size_t size, const struct response_table *table, size_t row);
#endif
