/* Kernels by the names that their source has: traces and stores keep the linker's symbol, people read "rows<float>". */
#ifndef POISE_KERNEL_NAME_H
#define POISE_KERNEL_NAME_H
#include <stddef.h>

/* "rows<float>" for "_Z4rowsIfEvPKT_PS0_ii": the name with its namespaces and template arguments, without result and
 * parameters. What is no mangled name stays as it is. Returns `out`. */
const char *kernel_name(const char *symbol, char *out, size_t size);
/* Text for a person: every mangled name in it becomes the source's, as in "0001-rows<float>/0". POISE_MANGLED=1 in the
 * environment leaves the text as it is. Returns `out`. */
const char *kernel_shown(const char *text, char *out, size_t size);
#endif
