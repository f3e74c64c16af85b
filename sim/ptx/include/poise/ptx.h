/* PTX front end: text -> module -> decoded micro-ops -> functional execution of a launch, 32 lanes at a time.
 * Execution is independent of timing and deterministic: CTAs run in ascending order, one after another, or on several
 * threads with the same result; the warps of a CTA take turns at barriers. Optionally it records a warp trace. */
#ifndef POISE_PTX_H
#define POISE_PTX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/trace.h"

struct ptx_module;
struct ptx_kernel;

/* Parses and decodes all of a module. Errors name `name` (a file or "module"), line and column; an unknown
 * instruction is an error that names it and its line. */
int ptx_module_new(struct ptx_module **out, const char *name, const char *text, size_t size, struct error *err);
void ptx_module_free(struct ptx_module *module); /* accepts NULL */

/* Module-scope variables (.global and .const). The owner of device memory places them in ascending order: allocate,
 * copy `init`, tell. An initialiser may hold addresses of variables placed before (telling writes them into it). */
struct ptx_variable {
    const char *name;
    enum trace_space space;
    uint64_t bytes, align;
    const void *init; /* `bytes` bytes, or NULL for zero */
    bool is_managed;  /* .attribute(.managed): the host has it too */
};
size_t ptx_module_n_variables(const struct ptx_module *module);
const struct ptx_variable *ptx_module_variable(const struct ptx_module *module, size_t i);
void ptx_module_place(struct ptx_module *module, size_t i, uint64_t address);

struct ptx_param {
    uint32_t offset, bytes, align;
};
struct ptx_kernel_info {
    const char *name;
    uint32_t n_params, param_bytes;
    const struct ptx_param *params;
    uint32_t static_shared_bytes, local_bytes; /* local: per thread */
    uint32_t regs_per_thread;
    const char *regs_source; /* ".maxnreg", "ptxas" or "live range" */
    uint32_t max_threads;    /* .maxntid product, 0 if none */
};
size_t ptx_module_n_kernels(const struct ptx_module *module);
const struct ptx_kernel *ptx_module_kernel(const struct ptx_module *module, size_t i);
const struct ptx_kernel *ptx_kernel_find(const struct ptx_module *module, const char *name); /* NULL if absent */
const struct ptx_kernel_info *ptx_kernel_info(const struct ptx_kernel *kernel);
/* The kernel's static code for the trace format. Borrowed from the module. */
void ptx_kernel_code(const struct ptx_kernel *kernel, const struct trace_inst **code, uint32_t *n_code,
                     const char **strings, size_t *n_strings, uint32_t *n_regs);

/* Device memory as the executor sees it: one reserved range, host = bytes at `base`. `find` returns the live
 * allocation that holds `address` (its bounds), or one with lo == hi. The executor keeps the last one as a cache, so
 * it is called seldom; by several threads at once where a launch has several. An allocation whose bytes stand elsewhere
 * (memory of the host that a program has registered) says where. */
struct ptx_extent {
    uint64_t lo, hi;
    unsigned char *host; /* of byte lo; NULL: in the reserved range */
};
struct ptx_memory {
    unsigned char *host;
    uint64_t base, size;
    struct ptx_extent (*find)(void *self, uint64_t address);
    void *self;
};
/* Generic-address windows: shared and local memory as seen through cvta / generic addresses (outside any device
 * range). */
#define PTX_SHARED_WINDOW TRACE_SHARED_WINDOW
#define PTX_LOCAL_WINDOW TRACE_LOCAL_WINDOW
#define PTX_CODE_WINDOW TRACE_LOCAL_WINDOW_END   /* addresses of functions */
#define PTX_TEXTURE_WINDOW 0x0000040000000000ull /* handles of texture references */
#define PTX_PARAM_WINDOW 0x0000050000000000ull   /* a kernel's parameters, as cvta.param shows them; read only */

struct ptx_grid {
    uint32_t grid[3], block[3], dynamic_shared_bytes;
};
struct ptx_counts {
    uint64_t warp_insts, thread_insts;
};
/* Runs a launch. recorder may be NULL (nothing is recorded). max_warp_insts 0 = no limit; reaching it is ERR_LIMIT.
 * Errors name the kernel, CTA and thread, PTX line and address. */
int ptx_run(const struct ptx_kernel *kernel, const struct ptx_grid *grid, const void *params, size_t param_bytes,
            const struct ptx_memory *memory, struct trace_writer *recorder, uint64_t max_warp_insts,
            struct ptx_counts *counts, struct error *err);

/* ---- what a launch may ask of its host beyond memory ---- */

/* A texture: texels in device memory, row after row. Bound to a texture reference or found by a texture object's
 * handle. */
/* as cudaTextureAddressMode */
enum ptx_texture_address { PTX_TEXTURE_WRAP, PTX_TEXTURE_CLAMP, PTX_TEXTURE_MIRROR, PTX_TEXTURE_BORDER };
struct ptx_texture {
    uint64_t address;              /* of texel (0, 0, 0) */
    uint64_t pitch, slice_pitch;   /* bytes from row to row, from layer (or slice) to layer */
    uint32_t width, height, depth; /* in texels; height and depth 0 where there is none */
    uint8_t channels;              /* 1, 2 or 4 */
    uint8_t channel_bits;          /* 8, 16 or 32 */
    char kind;                     /* 'u', 's' or 'f' */
    bool is_linear_memory;         /* tex1Dfetch: an index outside reads zero */
    bool filters;                  /* linear interpolation, 8 bits of fraction as on the hardware */
    bool is_normalised;            /* coordinates from 0 to 1 */
    bool reads_unit;               /* 8- and 16-bit integers are read as floats in [0, 1] or [-1, 1] */
    uint8_t address_mode[3];       /* enum ptx_texture_address */
};
/* Texture references (.texref variables) of a module, in the order of their declaration. Binding copies; NULL
 * unbinds. */
size_t ptx_module_n_textures(const struct ptx_module *module);
const char *ptx_module_texture_name(const struct ptx_module *module, size_t i);
void ptx_module_bind_texture(struct ptx_module *module, size_t i, const struct ptx_texture *texture);

/* A launch may execute so many warp instructions in a row in which no global or shared memory changes, no warp ends and
 * none comes to a barrier: longer than any loop that computes, and about a minute. Beyond, it waits for what never
 * comes (ERR_LIMIT). */
#define PTX_IDLE_INSTS (UINT64_C(1) << 32)

/* An access of a thread to global memory that lies in no allocation, or not wholly in one. */
struct ptx_stray {
    const char *kernel, *instruction; /* "ld.global.u32" */
    uint32_t cta[3], thread[3], line; /* of the PTX text */
    uint32_t bytes;
    uint64_t address;
};

/* The order in which the atomics of a launch on global memory are to be performed, for instance as a timing model
 * performed them. Each line of device memory has its atomics in the order in which they are listed; lines wait for one
 * another only where a thread does. A thread whose turn has not come waits, unless it does not read the result: then
 * it goes on, up to its next fence or barrier, and the operation is performed when its turn has come.
 *
 * The text, for a launch of one kernel:
 *
 *   poise order 1
 *   line BYTES             of a line: addresses with the same quotient are on one
 *   atomics N              as many lines follow
 *   WARP LINE PC           CTA times warps a CTA plus warp; address / BYTES; instruction, or - for any
 *
 * A kernel whose results decide what it does next, as one with locks, may come to fewer or more atomics than are
 * listed. Those that are not listed are performed at once; listed ones that nobody comes to are left out when nobody
 * can go on, or when their warp has come to a later one. */
#define PTX_ORDER_ANY_PC UINT32_MAX
struct ptx_order;
struct ptx_order_counts {
    uint64_t listed;
    uint64_t in_order; /* of these, performed in their turn */
    uint64_t left_out; /* of these, not performed in their turn, or not yet */
    uint64_t beyond;   /* line accesses performed that are not listed */
};
/* Errors name `name` and the line. */
int ptx_order_parse(struct ptx_order **out, const char *name, const char *text, size_t size, struct error *err);
void ptx_order_free(struct ptx_order *order); /* accepts NULL */
struct ptx_order_counts ptx_order_counts(const struct ptx_order *order);

/* Any member may be NULL or 0: an access outside every allocation ends the launch, no texture object is known, what
 * is printed is dropped, malloc gives 0 and free does nothing. */
/* A kernel that a thread launches: by its place in the module. */
struct ptx_device_launch {
    uint32_t kernel, grid[3], block[3], shared_bytes;
};
/* Rows of bytes that a thread copies or fills (sets): the device's work behind the launches made before. */
struct ptx_device_copy {
    uint64_t to, to_pitch, from, from_pitch, width, rows;
    bool sets;
    uint8_t value;
};
struct ptx_services {
    /* of the host, for CTAs that turn out independent; 0 and 1: one. What a launch does and records is the same with
     * any number. `texture` is called by all of them, the others by the caller's */
    unsigned threads;
    bool threads_if_faster; /* for long launches alone, as long as a clock says that they are faster than one */
    /* now and then: how many CTAs have ended, of how many, and instructions so far */
    void (*progress)(void *self, uint64_t ctas, uint64_t n_ctas, uint64_t warp_insts);
    const struct ptx_texture *(*texture)(void *self, uint64_t handle); /* NULL: no such object */
    void (*print)(void *self, const char *text, size_t size);          /* vprintf, thread after thread */
    uint64_t (*allocate)(void *self, uint64_t bytes);                  /* malloc: a device address, or 0 */
    int (*release)(void *self, uint64_t address);                      /* free; -1: that is no allocation */
    /* PTX leaves open what this line does */
    void (*undefined)(void *self, const char *kernel, uint32_t line, const char *what);
    /* true: it goes on; within the device's memory alone */
    bool (*stray)(void *self, const struct ptx_stray *stray);
    /* a kernel launches another: room for its parameters, a device address or 0; then the launch, by that address: 0,
     * or CUDA's error */
    uint64_t (*launch_room)(void *self, const struct ptx_device_launch *launch);
    uint32_t (*launch)(void *self, uint64_t room);
    uint32_t (*copy)(void *self, const struct ptx_device_copy *copy);         /* 0, or CUDA's error */
    uint32_t (*attribute)(void *self, int which, int device, int32_t *value); /* cudaDeviceGetAttribute; the same */
    void *self;
    uint64_t grid_workspace; /* not 0: a cooperative launch, all of whose CTAs are resident at once; its address is
                              * read from %envreg1 (high half) and %envreg2 */
    uint64_t grid_id;        /* %gridid */
    uint64_t turn_insts;     /* warps of a CTA take turns of at most so many instructions; 0: until they wait or end */
    uint64_t max_idle_insts; /* instead of PTX_IDLE_INSTS; UINT64_MAX: no limit */
    struct ptx_order *order; /* the launch follows it, and uses it up; nothing is recorded then */
};
/* ptx_run with services (which may be NULL). */
int ptx_run_with(const struct ptx_kernel *kernel, const struct ptx_grid *grid, const void *params, size_t param_bytes,
                 const struct ptx_memory *memory, const struct ptx_services *services, struct trace_writer *recorder,
                 uint64_t max_warp_insts, struct ptx_counts *counts, struct error *err);
#endif
