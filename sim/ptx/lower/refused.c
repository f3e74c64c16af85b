/* What PTX has and this front end has not: instructions by mnemonic and modifier. The list of README.md is made of
 * these rows (tests/unit/ptx/test_ptx_newer.c compares them). */
#include <string.h>
#include "lower/lower.h"
#include "parse/parse.h"

/* An instruction of this mnemonic (NULL: of any) with a modifier that is mod, or begins with it where mod ends with
 * '*' (NULL: with any). */
struct refusal {
    const char *name, *mnemonic, *mod;
};
static const struct refusal rows[] = {
    {"wgmma", "wgmma", NULL},
    {"tcgen05", "tcgen05", NULL},
    {"mma.sp", "mma", "sp*"},
    {"mma.kind", "mma", "kind::*"},
    {"mma.block_scale", "mma", "block_scale"},
    {"mma.e4m3", "mma", "e4m3"},
    {"mma.e5m2", "mma", "e5m2"},
    {"wmma.s4", "wmma", "s4"},
    {"wmma.u4", "wmma", "u4"},
    {"wmma.b1", "wmma", "b1"},
    {"ldmatrix.m16n16", "ldmatrix", "m16n16"},
    {"ldmatrix.m8n16", "ldmatrix", "m8n16"},
    {"stmatrix.m16n8", "stmatrix", "m16n8"},
    {"cp.async.bulk", "cp", "bulk"},
    {"cp.reduce.async.bulk", "cp", "reduce"},
    {"st.async", "st", "async"},
    {"st.bulk", "st", "bulk"},
    {"red.async", "red", "async"},
    {"multimem", "multimem", NULL},
    {"mapa", "mapa", NULL},
    {"getctarank", "getctarank", NULL},
    {"barrier.cluster", "barrier", "cluster"},
    {"clusterlaunchcontrol", "clusterlaunchcontrol", NULL},
    {"tensormap", "tensormap", NULL},
    {"e4m3x2", NULL, "e4m3x2"},
    {"e5m2x2", NULL, "e5m2x2"},
    {"e4m3x4", NULL, "e4m3x4"},
    {"e5m2x4", NULL, "e5m2x4"},
    {"e2m1x2", NULL, "e2m1x2"},
    {"e2m1x4", NULL, "e2m1x4"},
    {"e2m3x2", NULL, "e2m3x2"},
    {"e2m3x4", NULL, "e2m3x4"},
    {"e3m2x2", NULL, "e3m2x2"},
    {"e3m2x4", NULL, "e3m2x4"},
    {"ue8m0x2", NULL, "ue8m0x2"},
    {"f32x2", NULL, "f32x2"},
    {"b128", NULL, "b128"},
    {"tld4.cube", "tld4", "cube"},
    {"tld4.acube", "tld4", "acube"},
    {"sured", "sured", NULL},
    {"istypep", "istypep", NULL},
    {"movmatrix", "movmatrix", NULL},
};

static bool fits(const char *mod, const char *wanted)
{
    const size_t n = strlen(wanted) - 1;
    return wanted[n] == '*' ? !strncmp(mod, wanted, n) : !strcmp(mod, wanted);
}

const char *ptx_refused(const char *mnemonic, const char *const *mods, uint32_t n_mods)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool found = !rows[i].mod;
        if (rows[i].mnemonic && strcmp(rows[i].mnemonic, mnemonic) != 0) continue;
        for (uint32_t k = 0; k < n_mods && !found; k++) found = fits(mods[k], rows[i].mod);
        if (found) return rows[i].name;
    }
    return NULL;
}

const char *ptx_refusal(size_t i) { return i < sizeof rows / sizeof rows[0] ? rows[i].name : NULL; }
