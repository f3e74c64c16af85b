/* vadd4.u32.s32.u32.sat d, a, b, c and its kin; vset2.s32.u32.ge{.add} d, a, b, c */
#include <string.h>
#include "lower.h"
#include "video.h"

static const struct { const char *name; uint8_t op; } operations[] = {{"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB}, {"vavrg", VIDEO_AVRG},
    {"vabsdiff", VIDEO_ABSDIFF}, {"vmin", VIDEO_MIN}, {"vmax", VIDEO_MAX}, {"eq", VIDEO_EQ}, {"ne", VIDEO_NE}, {"lt", VIDEO_LT},
    {"le", VIDEO_LE}, {"gt", VIDEO_GT}, {"ge", VIDEO_GE}};

void decode_video(struct lower *l)
{
    const char *name = l->inst->mnemonic;
    const size_t n = strlen(name) - 1;
    const bool is_set = !strncmp(name, "vset", 4);
    uint8_t signs[3] = {0};
    uint32_t n_types = 0, n_operations = 0;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (strlen(operations[k].name) == n && !strncmp(operations[k].name, name, n)) {
            l->u.op = operations[k].op;
            n_operations++;
        }
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = true;
        if ((type == T_U32 || type == T_S32) && n_types < 3) signs[n_types++] = type == T_S32;
        else if (!strcmp(mod, "sat")) l->u.type |= VIDEO_SATURATES;
        else if (!strcmp(mod, "add")) l->u.type |= VIDEO_ADDS;
        else known = false;
        for (size_t k = 6; k < sizeof operations / sizeof operations[0] && !known && is_set; k++)
            if (!strcmp(mod, operations[k].name)) {
                l->u.op = operations[k].op;
                known = true;
                n_operations++;
            }
        if (!known) n_operations = 99;
    }
    const struct lane_op *op = lane_find(l->lanes, name[n] == '2' ? "video2" : "video4");
    need_operands(l, 4, 4);
    if (l->failed) return;
    if (n_operations != 1 || n_types != (is_set ? 2 : 3) || !op) {
        lower_unknown(l);
        return;
    }
    const uint8_t *inputs = is_set ? signs : signs + 1;
    l->u.type |= (uint8_t)((inputs[0] ? VIDEO_A_SIGNED : 0) | (inputs[1] ? VIDEO_B_SIGNED : 0) | (!is_set && signs[0] ? VIDEO_D_SIGNED : 0));
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.c = source_at(l, 3, 32, false);
    l->u.d = dest_at(l, 0, 32);
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, TRACE_INT);
}
