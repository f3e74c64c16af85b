/* cuFFT's extended plans on one device: types by name of their elements, 64-bit sizes. Several devices and callbacks
 * are not here. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_
#include "cufft.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;
/* Elements: CUDA_R_32F, CUDA_C_32F, CUDA_R_64F and CUDA_C_64F, the execution's of the same precision. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, cudaDataType in, long long *onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t *work_bytes,
                                cudaDataType execution);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, cudaDataType in, long long *onembed, long long ostride, long long odist,
                               cudaDataType out, long long batch, size_t *work_bytes, cudaDataType execution);
/* The direction is read for plans of complex to complex alone. */
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy, size_t *work_bytes);
#ifdef __cplusplus
}
#endif
#endif
