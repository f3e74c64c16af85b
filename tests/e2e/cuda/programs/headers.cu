/* What the common headers of public programs ask of CUDA's: guards by their names, attributes, structures and functions
 * that compile whether or not they are offered, and an error that says so. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#if !defined __CUDA_RUNTIME_H__ || !defined __CUDA_RUNTIME_API_H__ || !defined __DRIVER_TYPES_H__ || !defined __VECTOR_TYPES_H__ || !defined __HOST_DEFINES_H__
#error "CUDA's headers define these names"
#endif
extern "C" __global__ void headers_kernel(int *x) { x[threadIdx.x] += 1; }

static int attribute(cudaDeviceAttr which)
{
    int value = -1;
    return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : -1;
}

/* A pool counts what is taken from it; what was given back can be taken again. */
static int pools()
{
    cudaMemPoolProps props = {};
    cudaMemPool_t pool, standard, now;
    cudaStream_t stream;
    uint64_t threshold = 1 << 20, used = 1, kept = 0;
    int *x, value = 5, reuse = 0;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess && cudaMemPoolCreate(&pool, &props) == cudaSuccess);
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess && kept == threshold);
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
    CHECK(cudaMallocFromPoolAsync((void **)&x, 400, pool, stream) == cudaSuccess);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess && used >= 400);
    CHECK(cudaMemcpyAsync(x, &value, sizeof value, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    headers_kernel<<<1, 1, 0, stream>>>(x);
    CHECK(cudaMemcpyAsync(&value, x, sizeof value, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess && value == 6);
    CHECK(cudaFreeAsync(x, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess && used == 0);
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess && cudaDeviceSetMemPool(0, pool) == cudaSuccess);
    CHECK(cudaDeviceGetMemPool(&now, 0) == cudaSuccess && now == pool && pool != standard);
    CHECK(cudaMemPoolDestroy(pool) == cudaSuccess && cudaDeviceGetMemPool(&now, 0) == cudaSuccess && now == standard);
    return cudaStreamDestroy(stream) != cudaSuccess;
}

static int streams_keep_attributes()
{
    cudaStream_t a, b;
    cudaStreamAttrValue value = {}, back = {};
    value.accessPolicyWindow.num_bytes = 4096, value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting, value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamCreate(&a) == cudaSuccess && cudaStreamCreate(&b) == cudaSuccess);
    CHECK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value) == cudaSuccess && cudaStreamCopyAttributes(b, a) == cudaSuccess);
    CHECK(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &back) == cudaSuccess && back.accessPolicyWindow.num_bytes == 4096);
    return cudaStreamDestroy(a) != cudaSuccess || cudaStreamDestroy(b) != cudaSuccess;
}
#endif

PROGRAM(headers)
{
#ifdef PROGRAM_DRIVER
    CUdeviceptr at;
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp props = {};
    unsigned rows[8], type = 0;
    size_t range = 0;
    int can = 1;
    driver_module();
    CHECK(!cuMemAlloc(&at, 128) && !cuMemsetD8(at, 0, 128) && !cuMemsetD2D32(at, 16, 7, 2, 4) && !cuMemcpyDtoH(rows, at, sizeof rows));
    CHECK(rows[0] == 7 && rows[1] == 7 && rows[2] == 0 && rows[4] == 7);
    CHECK(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at + 4) && type == CU_MEMORYTYPE_DEVICE);
    CHECK(!cuPointerGetAttribute(&range, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at + 4) && range == 128);
    CHECK(!cuDeviceCanAccessPeer(&can, 0, 0) && can == 0);
    CHECK(cuMemCreate(&handle, 1 << 21, &props, 0) == CUDA_ERROR_NOT_SUPPORTED);
    return cuMemFree(at);
#else
    cudaIpcMemHandle_t handle;
    void *x;
    CHECK(attribute(cudaDevAttrComputeMode) == cudaComputeModeDefault && attribute(cudaDevAttrIntegrated) == 0 && attribute(cudaDevAttrClockRate) > 0);
    CHECK(attribute(cudaDevAttrComputeCapabilityMajor) > 0 && attribute(cudaDevAttrMultiProcessorCount) > 0);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorHostMemoryAlreadyRegistered), "cudaErrorHostMemoryAlreadyRegistered"));
    CHECK(cudaMalloc(&x, 64) == cudaSuccess && cudaGetLastError() == cudaSuccess);
    CHECK(cudaIpcGetMemHandle(&handle, x) == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess);
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaFree(x) == cudaSuccess && cudaMallocManaged(&x, 4096) == cudaSuccess && cudaMemPrefetchAsync(x, 4096, here, 0, 0) == cudaSuccess);
    CHECK(cudaMemAdvise(x, 4096, cudaMemAdviseSetReadMostly, here) == cudaSuccess && cudaFree(x) == cudaSuccess);
    return pools() || streams_keep_attributes();
#endif
}
