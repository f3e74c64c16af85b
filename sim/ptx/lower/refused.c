/* What PTX has and this front end has not: instructions by mnemonic and modifier. The list of README.md is made of
 * these rows (tests/unit/ptx/test_ptx_newer.c compares them). And modifiers that an instruction cannot have: its
 * decoder looks for those that it knows, and would pass over the others. */
#include <string.h>
#include "lower/lower.h"
#include "parse/parse.h"

/* An instruction of this mnemonic (NULL: of any) with a modifier that is mod, or begins with it where mod ends with
 * '*' (NULL: with any); "f32.f16": with these two beside each other. */
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
    {"tex.2dms", "tex", "2dms"},
    {"tex.a2dms", "tex", "a2dms"},
    {"txq.level", "txq", "level"},
    {"suld.p", "suld", "p"},
    {"sust.p", "sust", "p"},
    {"lop3.BoolOp", "lop3", "and"},
    {"lop3.BoolOp", "lop3", "or"},
    {"lop3.BoolOp", "lop3", "xor"},
    {"redux.f32", "redux", "f32"},
    {"fma.oob", "fma", "oob"},
    {"cvt.rs", "cvt", "rs"},
    {"s2f6x2", NULL, "s2f6x2"},
    {"f32.f16", "add", "f32.f16"},
    {"f32.bf16", "add", "f32.bf16"},
    {"f32.f16", "sub", "f32.f16"},
    {"f32.bf16", "sub", "f32.bf16"},
    {"f32.f16", "fma", "f32.f16"},
    {"f32.bf16", "fma", "f32.bf16"},
};

static bool fits(const char *mod, const char *wanted)
{
    const size_t n = strlen(wanted) - 1;
    return wanted[n] == '*' ? !strncmp(mod, wanted, n) : !strcmp(mod, wanted);
}

/* Has it modifier k, and the one behind it where `wanted` names two? */
static bool fits_at(const char *const *mods, uint32_t n_mods, uint32_t k, const char *wanted)
{
    const char *second = strchr(wanted, '.');
    const size_t n = second ? (size_t)(second - wanted) : 0;
    if (!second) return fits(mods[k], wanted);
    return k + 1 < n_mods && strlen(mods[k]) == n && !strncmp(mods[k], wanted, n) && fits(mods[k + 1], second + 1);
}

const char *ptx_refused(const char *mnemonic, const char *const *mods, uint32_t n_mods)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool found = !rows[i].mod;
        if (rows[i].mnemonic && strcmp(rows[i].mnemonic, mnemonic) != 0) continue;
        for (uint32_t k = 0; k < n_mods && !found; k++) found = fits_at(mods, n_mods, k, rows[i].mod);
        if (found) return rows[i].name;
    }
    return NULL;
}

const char *ptx_refusal(size_t i) { return i < sizeof rows / sizeof rows[0] ? rows[i].name : NULL; }

/* All modifiers of these mnemonics. */
static const struct words {
    const char *mnemonics, *words;
} closed[] = {
    {"bra call ret", "uni"},
    {"brx", "idx uni"},
    {"exit trap brkpt", ""},
    {"bar barrier", "cta warp sync arrive red aligned popc and or pred u32"},
    {"membar fence",
     "cta cluster gpu gl sys sc acq_rel acquire release relaxed proxy alias async async::generic global "
     "shared::cta shared::cluster tensormap::generic mbarrier_init sync_restrict::shared::cta "
     "sync_restrict::shared::cluster"},
    {"vote", "sync all any uni ballot pred b32"},
    {"shfl", "sync up down bfly idx b32"},
    {"match", "sync any all b32 b64"},
    {"activemask", "b32"},
    {"elect", "sync"},
    {"nanosleep", "u32"},
    {"pmevent", "mask"},
    {"griddepcontrol", "wait launch_dependents"},
    {"setmaxnreg", "inc dec sync aligned u32"},
    {"prefetch", "global local const param L1 L2 L2::evict_last L2::evict_normal tensormap"},
    {"prefetchu", "L1"},
    {"discard", "global L2"},
    {"applypriority", "global L2::evict_normal"},
    {"createpolicy", "fractional range cvt L2 global b64 L2::evict_last L2::evict_normal L2::evict_first "
                     "L2::evict_unchanged"},
};
/* Of these words an instruction has one. "": of any mnemonic. */
static const struct words one_of[] = {
    {"", "rn rz rm rp"},
    {"", "weak relaxed acquire release acq_rel sc volatile"},
    {"", "cta cluster gpu sys gl"},
    {"", "ca cg cs lu cv wb wt"},
    {"ld ldu st atom red", "global shared local const param shared::cta shared::cluster param::entry param::func"},
    {"atom red", "and or xor cas exch add inc dec min max"},
    {"bar barrier", "sync arrive red"},
    {"shfl", "up down bfly idx"},
    {"vote", "all any uni ballot"},
    {"match", "all any"},
};

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; n && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

bool ptx_modifiers_clash(const char *mnemonic, const char *const *mods, uint32_t n_mods, const char *clash[2])
{
    clash[1] = NULL;
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
        if (!has_word(closed[i].mnemonics, mnemonic)) continue;
        for (uint32_t k = 0; k < n_mods; k++)
            if (!has_word(closed[i].words, clash[0] = mods[k])) return true;
    }
    for (size_t i = 0; n_mods > 1 && i < sizeof one_of / sizeof one_of[0]; i++) {
        clash[0] = NULL;
        if (*one_of[i].mnemonics && !has_word(one_of[i].mnemonics, mnemonic)) continue;
        for (uint32_t k = 0; k < n_mods; k++) {
            if (!has_word(one_of[i].words, mods[k])) continue;
            clash[1] = mods[k];
            if (clash[0]) return true;
            clash[0] = mods[k];
        }
    }
    return false;
}
