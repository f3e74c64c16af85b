/* Files that say something of addresses: how often lines are accessed, and which ranges carry an operator for L2. The
 * mechanism l2_profile proposes both, as the `detail` of a run's JSON; the same keys can be written by hand:
 *
 *   {"line_bytes": 128, "lines": [[ADDRESS, ACCESSES], ..],
 *    "marking": [{"operator": "cc", "from": ADDRESS, "to": ADDRESS}, {"operator": "cp", ..}, ..]}
 *
 * A range holds the bytes from `from` to before `to`. Of a whole run's JSON the last launch counts. */
#ifndef MECH_L2_MARKS_H
#define MECH_L2_MARKS_H
#include "poise/sys/hooks.h"
#include "poise/trace.h"

enum { L2_MARKS_MAX = 16384 };
struct l2_mark {
    uint64_t from, to;
    uint8_t cache_op; /* TRACE_CACHE_CC: stores are written to L2 alone; TRACE_CACHE_CP: loads bypass L2 */
};
struct l2_marks {
    uint32_t n;
    struct l2_mark marks[L2_MARKS_MAX]; /* by address, apart from each other */
};
typedef int (*l2_line_told)(void *to, uint64_t address, uint64_t accesses, struct error *err);
/* `text` has `size` bytes; `path` names it in errors. `told` NULL: lines are not wanted; `marks` likewise. */
int l2_marks_parse(struct l2_marks *marks, l2_line_told told, void *to, const char *text, size_t size, const char *path,
                   struct error *err);
int l2_marks_read(struct l2_marks *marks, l2_line_told told, void *to, const char *path, struct error *err);
/* The operator of the address, or TRACE_CACHE_DEFAULT. */
uint8_t l2_marks_find(const struct l2_marks *marks, uint64_t address);
#endif
