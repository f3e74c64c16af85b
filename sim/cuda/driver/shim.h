/* The driver shim's inside. CUDA's API has process-wide state; all of it is struct shim (one, behind a lock) and, per
 * thread, struct shim_thread. Nothing else in Poise has global state. */
#ifndef CUDA_SHIM_H
#define CUDA_SHIM_H
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cuda.h"
#include "poise/cuda_device.h"
#include "poise/error.h"
#include "poise/hash.h"
#include "poise/occupancy.h"
#include "poise/ptx.h"

/* What every device that programs see (poise/cuda_device.h) has in common. */
#define DEVICE_MEMORY_BASE 0x7f0000000000ull /* device addresses do not depend on where the host maps anything */
#define MAX_BLOCK_THREADS 1024
#define DRIVER_VERSION 13000 /* of the driver, which is as new as the newest runtime, whatever the program's */
#define MEMORY_ALIGN 256     /* as cuMemAlloc promises at least */
#define PITCH_ALIGN 512
#define MEMORY_GAP 256 /* between allocations, so that one past the end is never somebody else's */

/* ---- device memory (memory.c) ---- */
enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_PINNED,
    ALLOCATION_MANAGED,
    ALLOCATION_ARRAY,
    ALLOCATION_HEAP,      /* by device code */
    ALLOCATION_REGISTERED /* the host's own memory, at a device address of ours (registered.c) */
};
struct allocation {
    uint64_t lo, hi; /* bytes as asked for */
    CUcontext owner;
    CUmodule module; /* a module's variable; NULL for cuMemAlloc */
    enum allocation_kind kind;
    unsigned char *host;        /* ALLOCATION_REGISTERED: of byte lo; else NULL */
    struct graph_memory *graph; /* a graph has the address (graph_memory.c); NULL: none */
    bool is_reserved;           /* by a graph no launch of which has taken it */
};
struct device_memory {
    unsigned char *host;  /* of DEVICE_MEMORY_BASE, where this library reaches it; pages appear when touched */
    uint64_t bytes;       /* the device's, reserved */
    bool is_shared;       /* the program reaches it too, at the device's own addresses */
    uint64_t strict_page; /* not 0: only what the host may touch (--host-access strict), by pages of so many bytes */
    struct allocation *allocations; /* ascending */
    size_t n, cap;
    uint64_t used;
    bool is_stained; /* a kernel may have written where no allocation was: what is taken from now on is cleared first */
};
/* is_strict: the program's host code may touch managed and pinned memory alone; needs the device's own addresses. */
bool memory_init(struct device_memory *m, uint64_t bytes, bool is_strict);
/* Whether a GPU's pages, of MEMORY_PAGE bytes, would let an access pass: each that it touches holds some allocation. */
#define MEMORY_PAGE (2ull << 20) /* what cuMemAlloc maps at least [CUDA driver API, virtual memory: granularity] */
bool memory_is_mapped(const struct device_memory *m, uint64_t address, uint64_t bytes);
/* First fit, lowest address; zeroed. 0 when nothing fits. */
uint64_t memory_take(struct device_memory *m, uint64_t bytes, CUcontext owner, CUmodule module);
uint64_t memory_take_from(struct device_memory *m, uint64_t from, uint64_t bytes, CUcontext owner, CUmodule module,
                          enum allocation_kind kind); /* at `from`, a multiple of MEMORY_ALIGN, or above */
uint64_t memory_take_as(struct device_memory *m, uint64_t bytes, CUcontext owner, CUmodule module,
                        enum allocation_kind kind);
/* The allocation that holds the address, or NULL. */
struct allocation *memory_find(const struct device_memory *m, uint64_t address);
struct hash memory_hash(const struct device_memory *m); /* of what allocations hold */
void memory_clear(struct device_memory *m, const struct allocation *a);
void memory_drop(struct device_memory *m, struct allocation *a);
/* All that belong to a context (module NULL) or to a module. */
void memory_drop_owned(struct device_memory *m, CUcontext owner, CUmodule module);
struct ptx_memory memory_for_ptx(struct device_memory *m);
static inline unsigned char *memory_host(const struct device_memory *m, uint64_t address)
{
    return m->host + (address - DEVICE_MEMORY_BASE);
}
/* The host's bytes of an address that lies in the allocation. */
static inline unsigned char *allocation_host(const struct device_memory *m, const struct allocation *a,
                                             uint64_t address)
{
    return a->host ? a->host + (address - a->lo) : memory_host(m, address);
}
/* Memory of the host that a program has registered: what holds this address of the host's, or NULL (registered.c). */
const struct allocation *memory_find_registered(const struct device_memory *m, const void *host);
bool memory_covers(uint64_t address); /* by the device in use (shim.c) */
/* The host may use device addresses as they are. */
static inline bool memory_is_shared(const struct device_memory *m) { return m->is_shared; }
/* host_access.c: from now on a touch of the host's that it may not do is told with what it touches, before it ends the
 * program. */
void host_access_watch(const struct device_memory *m);

/* ---- what `poise cuda --progress` says (progress.c) ---- */
struct launch_progress {
    bool is_on, is_terminal;
    double begin, told;       /* by the host's clock: when the program began, and the last line was written */
    uint64_t launches, insts; /* of the launches before */
    const char *kernel;       /* of the launch in hand */
};
void launch_progress_begin(struct launch_progress *p);
void launch_progress_launch(struct launch_progress *p, const char *kernel);
void launch_progress_tell(struct launch_progress *p, uint64_t ctas, uint64_t n_ctas, uint64_t warp_insts);
void launch_progress_launched(struct launch_progress *p, uint64_t warp_insts);
/* A line that is being written over is taken off the terminal, before another text. */
void launch_progress_clear(struct launch_progress *p);

/* ---- recording (recorder.c) ---- */
struct recorder {
    bool configured, on;
    char folder[3840];
    bool has_kernels;
    regex_t kernels;
    uint64_t skip, max, max_insts, max_warp_insts; /* UINT64_MAX, UINT64_MAX, 0: no limit */
    uint64_t max_idle_insts;                       /* UINT64_MAX: no limit */
    uint64_t turn_insts;                           /* 0: warps run until they wait or end */
    unsigned threads, cta_threads;                 /* of the host, that a trace may use; and a launch's CTAs */
    bool threads_if_faster;                        /* nobody has said how many for those */
    struct launch_progress progress;
    uint64_t launches, recorded_insts;
    bool has_failed;   /* some launch could not be written */
    bool ends_program; /* behind the last launch that is wanted */
    char orders[3840]; /* folder of the orders that launches' atomics are to follow; "": there are none */
};

/* ---- handles ---- */
struct CUfunc_st {
    CUmodule module;
    const struct ptx_kernel *kernel;
    const struct ptx_kernel_info *info;
    uint32_t max_dynamic_shared_bytes;
};
struct CUmod_st {
    CUmodule next;
    CUcontext context;
    struct ptx_module *ptx;
    struct CUtexref_st *references; /* by ptx_module_texture_name */
    size_t n_references;
    struct CUfunc_st *functions;
    size_t n_functions, n_variables;
    uint64_t *addresses; /* of the variables */
    struct hash ptx_hash;
    char compiler[128], flags[512], version[16], target[32];
};
/* A texture or surface reference: settings, and what is bound. */
struct CUtexref_st {
    CUmodule module;
    size_t index;
    struct ptx_texture texture;
};
struct CUarray_st {
    CUarray next;
    CUcontext context;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    uint64_t address, pitch, slice_pitch;
};
struct texture_object {
    struct texture_object *next;
    CUcontext context;
    uint64_t handle;
    bool is_surface;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC desc;
    struct ptx_texture texture;
};
struct capture; /* capture.c */
struct CUstream_st {
    CUstream next;
    CUcontext context;
    unsigned flags;
    int priority;
    struct capture *capture; /* NULL: work runs at once */
    CUgraphNode *tail;       /* in a capture: what the next node depends on */
    size_t n_tail;
};
struct CUevent_st {
    CUevent next;
    CUcontext context;
    bool timing, recorded;
    int64_t time_ns;
    struct capture *capture; /* recorded in this one */
    CUgraphNode *tail;
    size_t n_tail;
};
struct CUctx_st {
    CUcontext next;
    CUmodule modules;
    CUstream streams;
    CUevent events;
    CUarray arrays;
    struct texture_object *objects;
    CUresult sticky;      /* an error after which the context is of no more use */
    bool is_sticky_known; /* some call has answered with it */
};

struct shim {
    pthread_mutex_t lock;
    bool initialized;
    CUcontext contexts, primary;
    unsigned primary_users;
    enum bounds { BOUNDS_WARN, BOUNDS_STRICT, BOUNDS_PAGE } bounds; /* POISE_BOUNDS */
    bool is_host_strict;                                            /* POISE_HOST_ACCESS */
    struct cuda_device device;                                      /* what programs see; chosen by cuInit */
    struct device_memory memory;
    struct recorder recorder;
    uint64_t limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE + 1];
    uint64_t heap_bytes; /* taken by device code */
    uint64_t objects;    /* texture and surface objects ever made */
    uint64_t busy_ns;    /* the device's clock: what events record */
    struct skipped *skipped;
    size_t n_skipped;
};
/* Calls of libraries whose kernels are in no trace (untraced_calls.c). */
struct skipped {
    char function[64];
    uint64_t calls;
};
/* Time that events see. The device is functional, so it is an estimate, but the same at every run: a launch takes
 * its warp instructions at one a cycle and SM, a copy its bytes at 6 GB/s (assumed: PCIe 2), either 5 us more
 * (assumed). */
void shim_spend_launch(struct shim *s, uint64_t warp_insts);
void shim_spend_copy(struct shim *s, uint64_t bytes);
#define CONTEXT_STACK 16
#define TOLD_LINES 64
struct shim_thread {
    CUcontext stack[CONTEXT_STACK]; /* current context: stack[depth - 1] */
    unsigned depth;
    CUstreamCaptureMode capture_mode; /* cuThreadExchangeStreamCaptureMode */
    bool runs_library_call;           /* of a graph: now, whatever its stream is */
    char last_error[1100];
    bool told; /* the error in hand is on stderr already; the runtime says what it finds wrong itself */
    struct hash lines[TOLD_LINES];
    unsigned n_lines;
};
struct shim_thread *shim_thread(void);
/* Not 0: the program was compiled with --default-stream per-thread (runtime_per_thread.c writes it, in assembly). */
extern unsigned char shim_default_per_thread;
/* Of a default stream: whether it is one that waits for no other. */
bool shim_default_is_per_thread(CUstream stream);

/* Every API function: lock, check, work, return shim_unlock(shim, result). */
struct shim *shim_lock(void);
struct shim *shim_try_lock(void); /* NULL: a launch of another thread has it */
CUresult shim_unlock(struct shim *s, CUresult result);
/* CUDA_SUCCESS when cuInit was called; with a usable current context in *context where that is not NULL. */
CUresult shim_ready(struct shim *s, CUcontext *context);
/* Notes the text, says it on stderr (shim_tell) and returns the code. */
CUresult shim_fail(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An error of our libraries as text. */
CUresult shim_fail_with(CUresult code, const struct error *err);
/* The same, but nothing is said: for a question whose answer is no. */
CUresult shim_answer(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The program's own log for errors, of the options of a load or a link, which have no other meaning here: their
 * compiler is not there. size 0: none. */
struct jit_log {
    char *text;
    size_t size;
};
struct jit_log jit_log_of(unsigned int n_options, const CUjit_option *options, void *const *values);
/* This thread's last error, or nothing after a success. */
void jit_log_write(const struct jit_log *log, CUresult result);
/* One line on stderr about what a program may not look at: each text once, and no more than TOLD_LINES of them by a
 * thread. */
void shim_tell(const char *text);
void shim_tell_of(const char *what, const char *text); /* once for each `what` */
uint64_t shim_told(void);                              /* how much was to be told so far, by all threads */
const char *cuda_error_name(CUresult code);
/* device.c: by CUDA's number; false: there is none. */
bool device_attribute(const struct shim *s, int attribute, int *value);

bool context_is_live(const struct shim *s, CUcontext context);
/* A module or kernel of the context, or of the primary one: the runtime API loads a program's device code
 * there, whichever context is current. */
CUresult module_find(CUcontext context, CUmodule module);
void module_free(struct shim *s, CUmodule module);
bool module_has_variable(CUmodule module, const char *name);
CUresult function_find(CUcontext context, CUfunction function);
CUresult stream_find(CUcontext context, CUstream stream);
/* The same for a call that puts work into a stream or waits for it: refused where a capture forbids it (capture.c). */
CUresult stream_use(CUcontext context, CUstream stream);
/* For a call that may wait for other streams' work, as allocation does: refused while a capture forbids such calls to
 * this thread. */
CUresult capture_allows(CUcontext context, const char *function);
CUresult capture_is_over(CUcontext context, const char *function); /* for one that waits for all streams */
/* graph_memory.c: the end of memory that a graph's launch took; the graph keeps the address. */
CUresult graph_memory_give(struct shim *s, struct graph_memory *memory);
/* What a program allocates and frees (copy.c); is_hosts: pinned memory, which has a call of its own. */
CUresult memory_give_out(struct shim *s, CUcontext context, CUdeviceptr *address, size_t bytes,
                         enum allocation_kind kind, const char *function);
CUresult memory_take_back(struct shim *s, CUdeviceptr address, bool is_hosts, const char *function);
/* The host bytes behind [address, address + bytes), which must lie within one allocation (ranges.c). */
CUresult device_range(const struct shim *s, const char *function, uint64_t address, uint64_t bytes,
                      unsigned char **host);
/* The same of memory that a program calls the host's, which pinned memory lies in the device's range for. */
CUresult host_range(const struct shim *s, const char *function, uint64_t address, uint64_t bytes, unsigned char **host);
/* kernel_host_calls.c: what kernels ask of the host. Valid until the lock is given back. */
struct device_launch {
    struct device_launch *next;
    struct CUfunc_st *function;
    struct ptx_grid grid;
    uint64_t room;               /* where the kernel writes the parameters, until it launches */
    unsigned char *bank;         /* the parameters, from then on; malloc'd */
    struct ptx_device_copy copy; /* instead of a kernel: function is NULL */
};
struct service_call {
    struct shim *shim;
    CUcontext context;
    CUmodule module;
    struct device_launch *rooms, *launches; /* kernels that the kernel launches: prepared, and made */
    uint64_t strays;                        /* accesses of threads outside every allocation that were let go on */
    char first_stray[400];
};
struct ptx_services services_for(struct service_call *call);
/* device_launch.c: services, and then the launches in the order in which they were made, yours to free */
uint64_t device_launch_room(void *self, const struct ptx_device_launch *launch);
uint32_t device_launch(void *self, uint64_t room);
uint32_t device_copy(void *self, const struct ptx_device_copy *copy);
CUresult device_copy_run(struct shim *s, const struct ptx_device_copy *copy);
struct device_launch *device_launch_next(struct service_call *call);
void device_launch_free(struct device_launch *launch);
void device_launches_drop(struct service_call *call);
#define HEAP_BYTES_DEFAULT ((uint64_t)8 << 20) /* as CUDA's */
/* array.c */
CUresult array_find(CUcontext context, CUarray array);
void arrays_free(CUcontext context);
bool format_of(CUarray_format format, unsigned channels, struct ptx_texture *out); /* kind, bits, channels */
/* texture.c */
CUresult references_new(CUmodule module);
void objects_free(CUcontext context);
#define TEXTURE_OBJECT_BASE 0x0000050000000000ull
/* function.c: how many CTAs of it an SM of the seen device holds. A number of registers that is our estimate never
 * keeps a single CTA out, since the program's own compiler may have needed fewer. */
struct occupancy function_occupancy(const struct shim *s, const struct CUfunc_st *f, const struct ptx_grid *grid);
/* Resources of a launch as trace_occupancy wants them. */
struct trace_launch function_launch(const struct CUfunc_st *f, const struct ptx_grid *grid);

/* device.c: of the device that programs see, such as 80: fat binaries give the PTX of the highest architecture up to
 * it. */
uint32_t device_capability(void);

/* A launch being recorded. */
struct recording {
    struct trace_writer *writer; /* NULL: not recorded */
    char path[4096];
    const char *file; /* within path */
};
int recorder_begin(struct recorder *r, struct recording *rec, const struct CUfunc_st *f, const struct ptx_grid *grid,
                   struct error *err);
int recorder_end(const struct service_call *call, struct recording *rec, const struct CUfunc_st *f,
                 const struct ptx_grid *grid, const struct ptx_counts *counts, struct error *err);
/* orders.c: the order that the next launch's atomics are to follow, if there is one (else NULL); and how they have. */
int order_begin(const struct recorder *r, struct ptx_order **out, struct error *err);
int order_end(const struct recorder *r, struct ptx_order *order, struct error *err); /* frees it; accepts NULL */
/* provenance.c */
void provenance_of_module(struct CUmod_st *module, const char *text, size_t size);
/* JSON, malloc'd; NULL when out of memory */
char *provenance_text(const struct shim *s, const struct CUfunc_st *f, const struct service_call *call);
#endif
