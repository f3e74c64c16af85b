/* Thrust: vectors, algorithms of every family, iterators over iterators, random numbers, against the host; and within a
 * kernel, where each is one thread's. */
#include <cmath>
#include <cstdio>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/sequence.h>
#include <thrust/unique.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/execution_policy.h>
#include <thrust/binary_search.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/random.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/complex.h>
#include <thrust/count.h>
#include <thrust/find.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1; \
        } \
    } while (0)
struct scaled_sum {
    float by;
    __host__ __device__ float operator()(float a, float b) const { return by * a + b; }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct tenth {
    __host__ __device__ int operator()(int i) const { return i / 10; }
};
struct product_of_both {
    template <class T> __host__ __device__ float operator()(const T &t) const
    {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};
struct second_and_one {
    template <class T> __host__ __device__ void operator()(T t) const { thrust::get<0>(t) = thrust::get<1>(t) + 1; }
};

/* By thread t numbers t * n to (t + 1) * n: results are out[16 * t] on. */
__global__ void in_a_kernel(int *x, int *y, int *z, int n, int *out)
{
    x += threadIdx.x * n, y += threadIdx.x * n, z += threadIdx.x * n, out += threadIdx.x * 16;
    out[0] = (int)thrust::count_if(thrust::device, x, x + n, is_odd());
    out[1] = thrust::reduce(thrust::seq, x, x + n);
    out[2] = thrust::reduce(thrust::seq, x, x + n, -100, thrust::maximum<int>());
    out[3] = (int)(thrust::find(thrust::seq, x, x + n, 7) - x);
    out[4] = *thrust::min_element(thrust::seq, x, x + n);
    thrust::copy(thrust::seq, x, x + n, y);
    thrust::transform(thrust::seq, x, x + n, z, [](int v) { return 10 * v; });
    thrust::sort_by_key(thrust::seq, y, y + n, z, thrust::greater<int>());
    out[5] = z[0];
    thrust::sort(thrust::device, x, x + n);
    out[6] = thrust::is_sorted(thrust::seq, x, x + n) && thrust::equal(thrust::seq, y, y + 1, x + n - 1);
    out[7] = (int)(thrust::lower_bound(thrust::seq, x, x + n, 50) - x);
    thrust::exclusive_scan(thrust::device, x, x + n, y);
    thrust::inclusive_scan(thrust::seq, x, x + n, z);
    out[8] = y[n - 1], out[9] = z[n - 1];
    thrust::transform(thrust::seq, x, x + n, y, tenth());
    out[10] = (int)(thrust::unique(thrust::seq, y, y + n) - y);
    out[11] = (int)(thrust::remove_if(thrust::seq, x, x + n, is_odd()) - x);
    out[12] = thrust::inner_product(thrust::seq, x, x + 3, y, 1000);
    thrust::fill(thrust::seq, x, x + 3, 9);
    thrust::for_each(thrust::seq, x, x + 3, [](int &v) { v++; });
    out[13] = x[2];
}
static int within_kernels()
{
    const int n = 100, threads = 3;
    thrust::host_vector<int> h(n * threads);
    for (int i = 0; i < n * threads; i++) h[i] = i % n * 37 % 101; /* all but one of 0 to 100 */
    thrust::device_vector<int> x = h, y(n * threads), z(n * threads), out(16 * threads);
    in_a_kernel<<<1, threads>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()), thrust::raw_pointer_cast(z.data()), n,
                                thrust::raw_pointer_cast(out.data()));
    const int left_out = 100 * 37 % 101, sum = 5050 - left_out;
    thrust::host_vector<int> got = out;
    int at = 0;
    while (h[at] != 7) at++;
    for (int t = 0; t < threads; t++) {
        const int *r = &got[16 * t];
        CHECK(r[0] == 50 - left_out % 2 && r[1] == sum && r[2] == 100 && r[3] == at && r[4] == 0 && r[5] == 1000 && r[6] == 1);
        CHECK(r[7] == 50 - (left_out < 50) && r[8] == sum - 100 && r[9] == sum && r[10] == 11 && r[11] == 51 - (left_out % 2 == 0));
        CHECK(r[12] == 1000 + 0 * 0 + 2 * 1 + 4 * 2 && r[13] == 10);
    }
    return 0;
}

int main()
{
    CHECK(within_kernels() == 0);
    const int n = 5000;
    thrust::host_vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 7919) % n;
    thrust::device_vector<int> d = h, e(n);
    thrust::sort(d.begin(), d.end());
    for (int i = 0; i < n; i += 500) CHECK(d[i] == i);
    CHECK(thrust::reduce(d.begin(), d.end()) == n * (n - 1) / 2);
    CHECK(thrust::reduce(d.begin(), d.end(), -1, thrust::maximum<int>()) == n - 1);
    thrust::exclusive_scan(d.begin(), d.end(), e.begin());
    CHECK(e[n - 1] == (n - 1) * (n - 2) / 2);
    thrust::inclusive_scan(thrust::device, d.begin(), d.end(), e.begin());
    CHECK(e[n - 1] == n * (n - 1) / 2);
    thrust::sequence(e.begin(), e.end());
    d = h;
    thrust::sort_by_key(d.begin(), d.end(), e.begin(), thrust::greater<int>());
    thrust::host_vector<int> back = e;
    for (int i = 0; i < n; i++) CHECK(h[back[i]] == n - 1 - i);
    thrust::device_vector<float> x(n, 2.0f), y(n, 1.0f);
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), scaled_sum{3});
    CHECK(y[17] == 7);
    using namespace thrust::placeholders;
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), 2.0f * _1 + _2);
    CHECK(y[4999] == 11);
    auto z = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    CHECK(thrust::transform_reduce(z, z + n, product_of_both(), 0.0f, thrust::plus<float>()) == 22.0f * n);
    thrust::for_each(z, z + 10, second_and_one());
    CHECK(x[9] == 12 && x[10] == 2);
    CHECK(thrust::inner_product(x.begin() + 10, x.end(), y.begin() + 10, 0.0f) == 22.0f * (n - 10));
    CHECK(thrust::count_if(d.begin(), d.end(), is_odd()) == n / 2);
    int *raw = thrust::raw_pointer_cast(d.data());
    CHECK(thrust::count(thrust::device, raw, raw + n, 5) == 1);
    CHECK(thrust::min_element(d.begin(), d.end()) - d.begin() == n - 1);
    CHECK(*thrust::max_element(d.begin(), d.end()) == n - 1);
    CHECK(thrust::find(d.begin(), d.end(), 17) - d.begin() == n - 1 - 17);
    auto mid = thrust::partition(d.begin(), d.end(), is_odd());
    CHECK(mid - d.begin() == n / 2);
    auto gone = thrust::remove_if(d.begin(), d.end(), is_odd());
    CHECK(gone - d.begin() == n / 2);
    d.resize(gone - d.begin());
    thrust::device_vector<int> k(n), v(n, 1), ko(n), vo(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), k.begin(), tenth());
    auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), ko.begin(), vo.begin());
    CHECK(ends.first - ko.begin() == n / 10 && vo[3] == 10 && ko[499] == 499);
    CHECK(thrust::unique(k.begin(), k.end()) - k.begin() == n / 10);
    thrust::device_vector<int> q(3), at(3);
    q[0] = 0, q[1] = 100, q[2] = 499;
    thrust::lower_bound(k.begin(), k.begin() + n / 10, q.begin(), q.end(), at.begin());
    CHECK(at[1] == 100 && at[2] == 499);
    thrust::gather(q.begin(), q.end(), k.begin(), at.begin());
    thrust::scatter(q.begin(), q.end(), q.begin(), k.begin());
    CHECK(at[2] == 499);
    std::vector<int> hs(h.begin(), h.end());
    thrust::sort(hs.begin(), hs.end());
    thrust::stable_sort(thrust::host, hs.begin(), hs.end(), thrust::greater<int>());
    CHECK(hs[0] == n - 1);
    thrust::default_random_engine rng(1); thrust::uniform_real_distribution<float> u(0, 1);
    rng.discard(5);
    CHECK(u(rng) < 1);
    thrust::minstd_rand a; for (int i = 0; i < 9999; i++) a(); CHECK(a() == 399268537);
    thrust::device_ptr<int> dp = thrust::device_pointer_cast(raw);
    thrust::fill(dp, dp + 4, 9); CHECK(dp[3] == 9);
    thrust::device_vector<int> mixed(n);
    thrust::sequence(mixed.begin(), mixed.end());
    thrust::shuffle(mixed.begin(), mixed.end(), thrust::default_random_engine(7));
    CHECK(!thrust::is_sorted(mixed.begin(), mixed.end()));
    thrust::sort(mixed.begin(), mixed.end());
    CHECK(mixed[0] == 0 && mixed[n - 1] == n - 1);
    typedef thrust::complex<double> number;
    const number value = thrust::exp(number(0.5, 2)) * number(3, -1) / number(1, 4), root = thrust::sqrt(value);
    CHECK(thrust::abs(root * root - value) < 1e-12 && std::fabs(thrust::abs(value) - std::exp(0.5) * std::sqrt(10.0 / 17)) < 1e-12);
    std::printf("thrust");
    std::fflush(stdout);
    std::cout << " ok\n"; /* declared by CUDA's headers without being asked for */
    return 0;
}
