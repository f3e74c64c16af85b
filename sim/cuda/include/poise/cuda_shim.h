/* What the CUDA driver shim offers beyond CUDA's own API.
 *
 * POISE_CUDA_DEVICE and POISE_CUDA_SMS, read by cuInit: the device that the program sees (poise/cuda_device.h), and
 * another number of SMs of it. POISE_BOUNDS, likewise: strict, warn (the default) or page, what an access outside
 * every allocation does (sim/cuda/README.md). POISE_HOST_ACCESS=strict: the program's host code may touch managed and
 * pinned memory alone. POISE_STRICT_EXIT=1, for programs that load the library: those that would exit with 0 exit with
 * 1 if a call failed or POISE_BOUNDS=warn had something to say.
 *
 * Recording, by environment variable, read at the first launch:
 *   POISE_TRACE_DIR           folder for NNNN-<kernel>.ptrace (NNNN: launch index from 0) and launches.jsonl
 *   POISE_TRACE_SKIP          launches before this index run, but are not recorded
 *   POISE_TRACE_MAX_LAUNCHES  record no launch so far behind that one; the others run
 *   POISE_TRACE_END           1: the program ends with status 0 once POISE_TRACE_MAX_LAUNCHES are recorded
 *   POISE_TRACE_KERNELS       record kernels whose name has a match of this extended regular expression; the others
 *                             run
 *   POISE_TRACE_MAX_INSTS     once the recorded launches have so many warp instructions, the others run only
 *   POISE_THREADS             threads of the host that a launch's CTAs and its trace may use, 256 at most; 0: all
 *                             processors. Not given: the first number of OMP_NUM_THREADS, else all processors; CTAs
 *                             of long launches use them as long as they are measured to be faster
 *   POISE_PROGRESS            1: lines on stderr say how far a launch is
 *   POISE_MAX_WARP_INSTS      a launch that executes more warp instructions ends with CUDA_ERROR_LAUNCH_TIMEOUT; 0:
 *                             no limit. Unless it is given, 1,000,000,000 while recording, else none
 *   POISE_MAX_IDLE_INSTS      so does one that executes so many in a row without a change of memory, the end of a warp
 *                             or a barrier: it waits for what never comes. 0: no limit; unless it is given, 2^32,
 *                             about a minute
 *   POISE_TURN_INSTS          warps of a CTA take turns of so many instructions (0, the default: each runs until it
 *                             waits or ends)
 *
 * launches.jsonl has a line for each launch that ran: index, kernel, file, hash (both null where nothing was recorded),
 * grid, block, regs, regs_source, shared_bytes, warp_insts, thread_insts, bytes. */
#ifndef POISE_CUDA_SHIM_H
#define POISE_CUDA_SHIM_H
#include <stddef.h>
#include <stdint.h>
struct CUstream_st;

#pragma GCC visibility push(default)
/* The full text of this thread's last error: what failed, where, and what to do. "" if none yet. Never NULL. */
const char *poise_cuda_last_error(void);

/* For libraries that stand for CUDA's own (libcublas, libcufft, ...) and do on the host what those do in kernels. */
/* The host's bytes behind [device, device + bytes); NULL, with the error told, where no allocation holds them. */
void *poise_cuda_bytes(const void *device, size_t bytes);
/* An argument of such a call, an integer or a pointer: where its value is, its bytes (4 or 8), and how many bytes
 * behind the pointer a graph keeps as they are when the call is captured (0: it points to the device). */
struct poise_cuda_argument {
    const void *value;
    size_t bytes, behind;
};
#define POISE_CUDA_ARGUMENT(name) \
    { \
        &(name), sizeof(name), 0 \
    }
#define POISE_CUDA_ARGUMENT_AND(name, bytes_behind) \
    { \
        &(name), sizeof(name), bytes_behind \
    }
#define POISE_CUDA_RESULT_ON_HOST SIZE_MAX /* as bytes behind: the call writes there, which a graph cannot */
/* A call whose kernels are in no trace. The provenance of later traces names it, and the device's clock goes on by
 * 32 lanes' operations a warp instruction. 0: do it. 1: `stream` is being captured; the graph got a node that calls
 * `function`, which the calling library exports, with these n arguments at each launch; return success. -1, with the
 * error told: the device has failed, or the call cannot be captured (n is 0, or a result is on the host). */
int poise_cuda_skip(const char *function, struct CUstream_st *stream, uint64_t operations,
                    const struct poise_cuda_argument *arguments, size_t n);
/* A call that fails with `status`, of that library's: one line on stderr, as other errors are told. */
void poise_cuda_refuse(const char *function, const char *status, const char *why);
#pragma GCC visibility pop
#endif
