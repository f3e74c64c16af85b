/* Thrust's merges, sets, searches with a comparison, and mismatch, on both sides, against the standard library's. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/universal_vector.h>
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1; \
        } \
    } while (0)

static std::vector<int> numbers(unsigned seed, size_t n, int below)
{
    std::vector<int> v(n);
    for (size_t i = 0; i < n; i++) v[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return v;
}

/* Each operation on the device and on thrust's host side gives what the standard library gives. */
#define BOTH(name, ...) \
    { \
        std::vector<int> wanted(a.size() + b.size()); \
        wanted.resize((size_t)(std::name(a.begin(), a.end(), b.begin(), b.end(), wanted.begin(), ##__VA_ARGS__) - wanted.begin())); \
        thrust::device_vector<int> da = a, db = b, out(a.size() + b.size()); \
        const size_t n = (size_t)(thrust::name(da.begin(), da.end(), db.begin(), db.end(), out.begin(), ##__VA_ARGS__) - out.begin()); \
        CHECK(n == wanted.size()); \
        std::vector<int> got(n), host(a.size() + b.size()); \
        thrust::copy(out.begin(), out.begin() + n, got.begin()); \
        CHECK(got == wanted); \
        host.resize((size_t)(thrust::name(a.begin(), a.end(), b.begin(), b.end(), host.begin(), ##__VA_ARGS__) - host.begin())); \
        CHECK(host == wanted); \
    }

template <class Less> static int sets(size_t na, size_t nb, int below, Less less)
{
    std::vector<int> a = numbers(1, na, below), b = numbers(2, nb, below);
    std::sort(a.begin(), a.end(), less);
    std::sort(b.begin(), b.end(), less);
    BOTH(merge, less)
    BOTH(set_union, less)
    BOTH(set_intersection, less)
    BOTH(set_difference, less)
    BOTH(set_symmetric_difference, less)
    thrust::device_vector<int> d = a, values = b;
    thrust::device_vector<unsigned> low(nb), high(nb);
    thrust::device_vector<bool> there(nb);
    thrust::lower_bound(d.begin(), d.end(), values.begin(), values.end(), low.begin(), less);
    thrust::upper_bound(thrust::device, d.begin(), d.end(), values.begin(), values.end(), high.begin(), less);
    thrust::binary_search(d.begin(), d.end(), values.begin(), values.end(), there.begin(), less);
    for (size_t i = 0; i < nb; i += 7) {
        CHECK(low[i] == (unsigned)(std::lower_bound(a.begin(), a.end(), b[i], less) - a.begin()));
        CHECK(high[i] == (unsigned)(std::upper_bound(a.begin(), a.end(), b[i], less) - a.begin()));
        CHECK(there[i] == std::binary_search(a.begin(), a.end(), b[i], less));
    }
    return 0;
}

int main()
{
    if (sets(1000, 700, 300, thrust::less<int>()) || sets(300, 2000, 5000, thrust::greater<int>()) || sets(0, 5, 9, thrust::less<int>())) return 1;
    std::vector<int> a = numbers(5, 200, 50), b = numbers(6, 150, 50);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    BOTH(merge)
    BOTH(set_union)
    BOTH(set_intersection)

    thrust::device_vector<int> ka = a, kb = b, va(200), vb(150), keys(350), values(350);
    thrust::sequence(va.begin(), va.end());
    thrust::sequence(vb.begin(), vb.end(), 1000);
    const auto ends = thrust::merge_by_key(ka.begin(), ka.end(), kb.begin(), kb.end(), va.begin(), vb.begin(), keys.begin(), values.begin());
    CHECK(ends.first == keys.end() && ends.second == values.end());
    for (int i = 0; i < 350; i++) {
        const int v = values[i];
        CHECK(keys[i] == (v < 1000 ? a[v] : b[v - 1000]));
        CHECK(i == 0 || keys[i - 1] < keys[i] || values[i - 1] < v);
    }
    const auto range = thrust::equal_range(ka.begin(), ka.end(), 25);
    CHECK(range.first - ka.begin() == std::lower_bound(a.begin(), a.end(), 25) - a.begin());
    CHECK(range.second - ka.begin() == std::upper_bound(a.begin(), a.end(), 25) - a.begin());
    CHECK(thrust::binary_search(ka.begin(), ka.end(), a[7]) && !thrust::binary_search(thrust::device, ka.begin(), ka.end(), 77));
    CHECK(*thrust::lower_bound(ka.begin(), ka.end(), 25, thrust::less<int>()) >= 25);

    thrust::device_vector<int> other = ka;
    CHECK(thrust::mismatch(ka.begin(), ka.end(), other.begin()).first == ka.end());
    other[123] = -1;
    CHECK(thrust::mismatch(ka.begin(), ka.end(), other.begin()).second - other.begin() == 123);

    thrust::universal_vector<int> u(100);
    thrust::sequence(u.begin(), u.end());
    CHECK(u[99] == 99 && thrust::reduce(u.begin(), u.end()) == 4950);
    std::printf("thrust_sets ok\n");
    return 0;
}
