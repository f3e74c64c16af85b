/* What the programs about CUDA's libraries share: counted checks, arrays of the device and numbers that look random.
 * The library's header is included before this one. */
#ifndef LIBRARY_CHECKS_H
#define LIBRARY_CHECKS_H
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef std::complex<double> Number;
static int checks;
#define CHECK(condition) \
    do { \
        checks++; \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

template <class T> struct Device {
    T *p;
    size_t n;
    explicit Device(size_t count) : n(count) { CHECK(!cudaMalloc(&p, n * sizeof(T))); }
    explicit Device(const std::vector<T> &host) : n(host.size())
    {
        CHECK(!cudaMalloc(&p, n * sizeof(T)) && !cudaMemcpy(p, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Device() { cudaFree(p); }
    std::vector<T> back() const
    {
        std::vector<T> host(n);
        CHECK(!cudaMemcpy(host.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

/* From -1 to 1. */
[[maybe_unused]] static double noise()
{
    static unsigned seed = 12345;
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}
#endif
