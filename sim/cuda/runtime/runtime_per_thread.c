/* Names that programs use which nvcc compiled with --default-stream per-thread: NAME_ptsz and NAME_ptds. Streams are
 * only an order here, which is there already, so each is NAME itself, once it is noted which default stream the program
 * has: that matters while another stream is captured (driver/capture.c). */
#include "cuda_runtime_api.h"

#if defined(__x86_64__)
#define NOTE "movb $1, shim_default_per_thread(%rip)"
#define JUMP "jmp "
#define PLT "@PLT"
#elif defined(__aarch64__)
#define NOTE "adrp x16, shim_default_per_thread\n\tmov w17, #1\n\tstrb w17, [x16, #:lo12:shim_default_per_thread]"
#define JUMP "b "
#define PLT ""
#endif
#ifdef JUMP
/* clang-format off */
#define ALSO(name, suffix) \
    __asm__(".text\n.globl " #name suffix "\n.type " #name suffix ", %function\n" #name suffix ":\n\t" NOTE \
            "\n\t" JUMP #name PLT "\n.size " #name suffix ", .-" #name suffix "\n");
/* clang-format on */
#define LEGACY(name) ALSO(name, "_ptds")
#define STREAM(name) ALSO(name, "_ptsz")
/* clang-format off */
LEGACY(cudaMemcpy) LEGACY(cudaMemcpyToSymbol) LEGACY(cudaMemcpyFromSymbol) LEGACY(cudaMemcpy2D)
LEGACY(cudaMemcpyToArray) LEGACY(cudaMemcpyFromArray)
LEGACY(cudaMemcpy2DToArray) LEGACY(cudaMemcpy2DFromArray) LEGACY(cudaMemcpy2DArrayToArray) LEGACY(cudaMemcpy3D)
LEGACY(cudaMemset) LEGACY(cudaMemset2D)
LEGACY(cudaMemset3D)
STREAM(cudaMemcpyAsync) STREAM(cudaMemcpyToSymbolAsync) STREAM(cudaMemcpyFromSymbolAsync) STREAM(cudaMemcpy2DAsync)
STREAM(cudaMemcpy2DToArrayAsync)
STREAM(cudaMemcpy2DFromArrayAsync) STREAM(cudaMemcpy3DAsync) STREAM(cudaMemsetAsync) STREAM(cudaMemset2DAsync)
STREAM(cudaStreamGetFlags)
STREAM(cudaStreamGetPriority) STREAM(cudaStreamSynchronize) STREAM(cudaStreamQuery) STREAM(cudaStreamWaitEvent)
STREAM(cudaStreamAddCallback)
STREAM(cudaStreamAttachMemAsync) STREAM(cudaStreamBeginCapture) STREAM(cudaStreamEndCapture)
STREAM(cudaStreamIsCapturing) STREAM(cudaStreamBeginCaptureToGraph) STREAM(cudaEventRecord)
STREAM(cudaEventRecordWithFlags) STREAM(cudaLaunch) STREAM(cudaLaunchKernel) STREAM(cudaLaunchKernelExC)
STREAM(cudaLaunchCooperativeKernel)
STREAM(cudaLaunchHostFunc) STREAM(cudaMallocAsync) STREAM(cudaFreeAsync) STREAM(cudaMallocFromPoolAsync)
STREAM(cudaMemPrefetchAsync)
STREAM(cudaGraphLaunch) STREAM(cudaGetDriverEntryPoint) STREAM(cudaGetDriverEntryPointByVersion)
STREAM(__cudaLaunchKernel)
/* clang-format on */
#endif
