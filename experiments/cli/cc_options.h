/* The command line of `poise cc`, which is nvcc's: what each option means to the compilation of device code, of host
 * code and to the link. Internal to the command. */
#ifndef POISE_CC_OPTIONS_H
#define POISE_CC_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include "cli/options.h"
#include "poise/error.h"

#define CC_WORDS_MAX 768
#define CC_ARCHS_MAX 32
struct words {
    const char *items[CC_WORDS_MAX];
    size_t n;
};

enum source_kind { SOURCE_CUDA, SOURCE_CXX, SOURCE_C };
struct cc_source {
    const char *path;
    enum source_kind kind;
    char object[4096]; /* where its object goes */
};
/* Where the build ends. */
enum cc_stage { CC_LINK, CC_OBJECTS, CC_CXX, CC_PTX, CC_DEVICE_LINK, CC_LIBRARY, CC_PREPROCESS };
struct cc_options {
    struct words both;     /* options of device and host code */
    struct words host;     /* of host code, in every language */
    struct words device;   /* of device code alone */
    struct words standard; /* -std: not of C files */
    struct words link;     /* objects, archives, libraries and the sources' objects, in the order of the command line */
    struct cc_source *sources; /* TEXTS_MAX; zeroed, and freed, by the caller */
    size_t n_sources;
    const char *output, *cccl; /* --cccl, or NULL */
    enum cc_stage stage;
    const char *ptx_ending;       /* of CC_PTX: "ptx", or "fatbin" and "cubin", which are PTX too */
    const char *preprocess;       /* -E, -M or -MM */
    bool links_device_code;       /* -rdc=true, -dc */
    unsigned archs[CC_ARCHS_MAX]; /* 75, ... as -arch and -gencode name them */
    size_t n_archs;
    int language; /* of -x: an enum source_kind, or -1 */
    bool asks_version, links_gomp;
    char pieces[16384]; /* what -Xcompiler and -Xlinker took apart */
    size_t pieces_used;
};
/* ERR_USAGE names the option. Options that mean nothing here are noted on stderr. */
int cc_options_read(struct cc_options *out, const struct texts *arguments, struct error *err);
/* The architecture that device code is compiled for, of those asked for: the one that the device takes [nvcc: the
 * driver chooses among them], the highest up to 8.0, else the lowest; 75 where none was named. */
unsigned cc_options_arch(const struct cc_options *o);
/* Clang's option for nvcc's macro of them: -D__CUDA_ARCH_LIST__=700,750. */
void cc_options_arch_list(const struct cc_options *o, char *out, size_t room);
/* The highest of those asked for that is below another; 0: there is none. */
unsigned cc_options_arch_below(const struct cc_options *o, unsigned arch);
#endif
