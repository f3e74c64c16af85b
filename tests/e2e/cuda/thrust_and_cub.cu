/* All as one program, for their headers are most of the time that a compiler takes. */
#define main thrust_program
#include "thrust.cu"
#undef main
#define main thrust_sets_program
#include "thrust_sets.cu"
#undef main
#define main cub_program
#include "cub.cu"
#undef main

int main() { return thrust_program() || thrust_sets_program() || cub_program(); }
