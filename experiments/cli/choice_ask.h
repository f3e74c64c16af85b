/* The policy for each launch of a kernel. Internal to the program. */
#ifndef POISE_CHOICE_ASK_H
#define POISE_CHOICE_ASK_H
#include "cli/choice_learn.h"

int choice_ask(struct cli *cli, const struct choice_options *o, const char *model, struct error *err);
#endif
