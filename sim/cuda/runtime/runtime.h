/* The runtime API's inside. It sits on the driver shim: one primary context, a module for each registered fat
 * binary. As CUDA's own, it has process-wide state; all of it is struct runtime (one, behind a lock) and, per
 * thread, struct runtime_thread. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#include "cuda_runtime_api.h"
#include "driver/shim.h"
#include "poise/cuda_shim.h"

struct runtime_binary {
    struct runtime_binary *next;
    const void *data;   /* of the wrapper: a fat binary */
    const void **parts; /* of a program whose files were compiled to be linked: their fat binaries; NULL ends them */
    size_t n_parts;     /* of a list that is ours; 0: the program's */
    CUmodule module;    /* NULL until needed */
    cudaError_t status; /* of loading it; tried once */
    bool is_tried;
    void *handle; /* what the program holds is this member's address */
};
struct runtime_function {
    struct runtime_function *next;
    struct runtime_binary *binary;
    const void *host; /* the host function that stands for it */
    const char *name;
    CUfunction function; /* NULL until needed */
};
struct runtime_variable {
    struct runtime_variable *next;
    struct runtime_binary *binary;
    size_t unit; /* of the files that are linked, from 1: whose it is where several have one of that name; else 0 */
    const void *host;  /* the shadow's address */
    bool is_reference; /* a texture or surface reference; the shadow has its settings */
    void **pointer;    /* of a managed variable: where the program keeps its address */
    const char *name;
    size_t bytes;
    void *known; /* of a managed variable of poise cc: the value that both sides had last */
};
struct runtime {
    pthread_mutex_t lock;
    CUcontext context;
    struct runtime_binary *binaries;
    struct runtime_function *functions;
    struct runtime_variable *variables;
};

#define CALL_STACK 4
#define ARGUMENTS_BYTES 32768 /* CUDA allows 32,764 from compute capability 7.0 on */
struct runtime_call {
    dim3 grid, block;
    size_t shared_bytes, argument_bytes;
    cudaStream_t stream;
    unsigned char arguments[ARGUMENTS_BYTES];
};
struct runtime_thread {
    cudaError_t last_error;
    unsigned depth;
    struct runtime_call calls[CALL_STACK];
};
struct runtime_thread *runtime_thread(void);
struct runtime *runtime_lock(void);
void runtime_unlock(struct runtime *r);

/* Notes an error as the last one of the thread and returns it. The codes of driver and runtime are the same numbers. */
cudaError_t runtime_note_at(cudaError_t error, const char *function);
#define runtime_note(error) \
    runtime_note_at(error, __func__) /* what the driver did not say is said on stderr
                                      * (shim_tell) */
#define runtime_note_driver(result) runtime_note_at((cudaError_t)(result), __func__)
/* An API function that is the driver's after the device is there. */
#define FORWARD(call) \
    do { \
        cudaError_t error = runtime_ready(); \
        if (error == cudaSuccess) error = (cudaError_t)(call); \
        return runtime_note(error); \
    } while (0)
/* The major version of the runtime that the program was linked with; 0 where its library's name has none. */
int program_cuda_version(void);
/* runtime_texture.c */
CUDA_MEMCPY3D runtime_box(const struct cudaMemcpy3DParms *p);
/* The device is there, this thread has a current context, the primary one unless it made or chose another, and
 * no kernel has come to a fault: that is what every later call answers. */
cudaError_t runtime_ready(void);
cudaError_t runtime_choose(void); /* the same, and the primary context is current */
cudaError_t runtime_fault(void);  /* of which some call has told; else cudaSuccess */
/* Forgets modules and context: cudaDeviceReset. */
cudaError_t runtime_reset(void);
cudaError_t runtime_function(CUfunction *out, const void *host);
cudaError_t runtime_reference(CUtexref *out, const void *host);
cudaError_t runtime_kernel(CUfunction *out, struct runtime_function *f);
/* By the shadow's address; old programs pass the name. */
cudaError_t runtime_variable(CUdeviceptr *address, size_t *bytes, const void *symbol);
/* Managed variables of poise cc: v's first value comes from its code; what one side changed goes to the other. */
void runtime_managed_begin(struct runtime_variable *v);
void runtime_managed_exchange(bool to_device);
/* The bytes [offset, offset + bytes) of it (runtime_copy.c). */
cudaError_t runtime_symbol_range(void **pointer, const void *symbol, size_t bytes, size_t offset);
/* What cudaStreamSetAttribute kept of a stream that is being destroyed (runtime_attributes.c). */
void runtime_forget_settings(cudaStream_t stream);
/* runtime_pools.c: what a stream without a pool of its own takes from, and memory that is taken and given back.
 * runtime_pool_taken is false when there is no memory to note it; what is freed may come from no pool. */
cudaMemPool_t runtime_pool_current(void);
bool runtime_pool_is_known(cudaMemPool_t pool);
bool runtime_pool_taken(cudaMemPool_t pool, const void *pointer, size_t bytes);
void runtime_pool_freed(const void *pointer);
#endif
