/* What the programs of this folder share. Each is a CUDA program that checks itself against the host. The same text
 * compiles against the runtime API (by clang or nvcc), and, with PROGRAM_DRIVER and without its device code, against
 * the driver API. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* PROGRAM(name) { ... return 0; } */
#ifdef PROGRAM_SUITE
#define PROGRAM(name) static int name##_program()
#else
#define PROGRAM(name) \
    static int name##_program(); \
    int main() \
    { \
        const int status = name##_program(); \
        printf("%s %s\n", #name, status ? "failed" : "ok"); \
        return status; \
    } \
    static int name##_program()
#endif
/* Ends the program where something is not as the host has it. */
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1; \
        } \
    } while (0)

#ifdef PROGRAM_DRIVER
#include <cuda.h>
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
static inline CUmodule driver_module(bool again = false)
{
    static CUmodule module;
    static CUcontext context;
    const char *path = getenv("PROGRAM_PTX");
    if (again) cuCtxDestroy(context), module = NULL;
    if (!module && (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoad(&module, path ? path : PROGRAM_PTX))) {
        printf("%s: cannot be loaded\n", path ? path : PROGRAM_PTX);
        exit(1);
    }
    return module;
}
static inline CUfunction driver_function(const char *name)
{
    CUfunction f;
    if (cuModuleGetFunction(&f, driver_module(), name)) printf("%s: no such kernel\n", name), exit(1);
    return f;
}
/* The arguments have exactly the kernel's types. */
template <class... A>
static inline int driver_launch(const char *name, dim3 grid, dim3 block, unsigned shared, A... arguments)
{
    void *list[] = {(void *)&arguments..., NULL};
    return cuLaunchKernel(driver_function(name), grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, NULL, list,
                          NULL);
}
#define LAUNCH(kernel, grid, block, shared, ...) driver_launch(#kernel, grid, block, shared, __VA_ARGS__)
static inline CUdeviceptr driver_symbol(const char *name)
{
    CUdeviceptr at = 0;
    size_t bytes;
    cuModuleGetGlobal(&at, &bytes, driver_module(), name);
    return at;
}
#define TO_SYMBOL(symbol, from, bytes) cuMemcpyHtoD(driver_symbol(#symbol), from, bytes)
#define FROM_SYMBOL(to, symbol, bytes) cuMemcpyDtoH(to, driver_symbol(#symbol), bytes)
static inline void *device_take(size_t bytes)
{
    CUdeviceptr p = 0;
    driver_module();
    return cuMemAlloc(&p, bytes) ? NULL : (void *)p;
}
static inline void device_drop(void *p) { cuMemFree((CUdeviceptr)p); }
static inline void to_device(void *to, const void *from, size_t bytes) { cuMemcpyHtoD((CUdeviceptr)to, from, bytes); }
static inline void to_host(void *to, const void *from, size_t bytes) { cuMemcpyDtoH(to, (CUdeviceptr)from, bytes); }
static inline int synchronise() { return cuCtxSynchronize(); }
#else
#define LAUNCH(kernel, grid, block, shared, ...) (kernel<<<grid, block, shared>>>(__VA_ARGS__), (int)cudaGetLastError())
#define TO_SYMBOL(symbol, from, bytes) (int)cudaMemcpyToSymbol(symbol, from, bytes)
#define FROM_SYMBOL(to, symbol, bytes) (int)cudaMemcpyFromSymbol(to, symbol, bytes)
static inline void *device_take(size_t bytes)
{
    void *p = NULL;
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : NULL;
}
static inline void device_drop(void *p) { cudaFree(p); }
static inline void to_device(void *to, const void *from, size_t bytes)
{
    cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
static inline void to_host(void *to, const void *from, size_t bytes)
{
    cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
static inline int synchronise() { return (int)cudaDeviceSynchronize(); }
#endif

/* n elements on both sides. */
template <class T> struct Array {
    std::vector<T> host;
    T *device;
    explicit Array(size_t n, T value = T()) : host(n, value), device((T *)device_take(n * sizeof(T))) { up(); }
    ~Array() { device_drop(device); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    T &operator[](size_t i) { return host[i]; }
    void up() { to_device(device, host.data(), host.size() * sizeof(T)); }
    void down() { to_host(host.data(), device, host.size() * sizeof(T)); }
};

/* The same sequence everywhere. */
static inline uint32_t noise(uint32_t i)
{
    i = (i ^ 61u ^ i >> 16) * 9u;
    i = (i ^ i >> 4) * 0x27d4eb2du;
    return i ^ i >> 15;
}
template <class T> static inline T bits_as(uint32_t x)
{
    T t;
    memcpy(&t, &x, sizeof t);
    return t;
}

/* The distance of a single-precision result in units of its last place. */
static inline double ulps(float got, double exact)
{
    if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
    if (std::isinf((float)exact) || exact == 0) return got == (float)exact ? 0 : 1e9;
    int e;
    std::frexp(exact, &e);
    return std::fabs((double)got - exact) / std::ldexp(1.0, (e < -125 ? -125 : e) - 24);
}
#endif
