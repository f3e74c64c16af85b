/* The manual page and the completions, from the same rows that options are parsed by. Internal to the program. */
#ifndef POISE_HELP_H
#define POISE_HELP_H
#include "cli/options.h"
void help_man(const struct command *const *commands, size_t n, FILE *out);
int help_words(const char *what, FILE *out); /* -1: neither mech nor set */
void help_bash(const struct command *const *commands, size_t n, FILE *out);
void help_zsh(const struct command *const *commands, size_t n, FILE *out);
/* Environment variables, a line each. */
void help_variables(FILE *out);
#endif
