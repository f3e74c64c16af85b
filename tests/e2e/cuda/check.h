/* What the programs of this folder share: the plain CUDA of any tutorial, and an exit status that says where it
 * failed. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CUDA(call) \
    do { \
        const cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            std::exit(3); \
        } \
    } while (0)
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(4); \
        } \
    } while (0)
