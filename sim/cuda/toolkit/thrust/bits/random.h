/* thrust's random numbers: linear congruential engines, uniform and normal distributions. */
#ifndef POISE_THRUST_RANDOM_H
#define POISE_THRUST_RANDOM_H
#include <cstdint>
#include <limits>
#include "functional.h"

namespace thrust
{
namespace random
{
/* x := a x + c modulo m; skipping takes steps by squaring. */
template <class U, U a, U c, U m> class linear_congruential_engine
{
    U x;

  public:
    typedef U result_type;
    static const U min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;
    POISE_HD explicit linear_congruential_engine(U s = default_seed) { seed(s); }
    POISE_HD void seed(U s = default_seed) { x = c == 0 && s % m == 0 ? 1 : s % m; }
    POISE_HD U operator()()
    {
        x = (U)(((uint64_t)a * x + c) % m);
        return x;
    }
    POISE_HD void discard(unsigned long long n)
    {
        uint64_t factor = a, shift = c, f = 1, s = 0;
        for (; n; n >>= 1) {
            if (n & 1) f = f * factor % m, s = (s * factor + shift) % m;
            shift = (factor + 1) * shift % m;
            factor = factor * factor % m;
        }
        x = (U)((f * x + s) % m);
    }
};
typedef linear_congruential_engine<uint32_t, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<uint32_t, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;
template <class T = double> class uniform_real_distribution
{
    T low, high;

  public:
    typedef T result_type;
    POISE_HD explicit uniform_real_distribution(T a = 0, T b = 1) : low(a), high(b) {}
    template <class E> POISE_HD T operator()(E &engine) const
    {
        const T x = (T)(engine() - E::min) / ((T)(E::max - E::min) + (T)1);
        return x * (high - low) + low;
    }
};
template <class T = int> class uniform_int_distribution
{
    T low, high;

  public:
    typedef T result_type;
    POISE_HD explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : low(a), high(b) {}
    template <class E> POISE_HD T operator()(E &engine) const
    {
        uniform_real_distribution<double> real((double)low, (double)high + 1);
        return (T)floor(real(engine));
    }
};
template <class T = double> class normal_distribution
{
    T mean, deviation;

  public:
    typedef T result_type;
    POISE_HD explicit normal_distribution(T m = 0, T d = 1) : mean(m), deviation(d) {}
    template <class E> POISE_HD T operator()(E &engine) const
    {
        uniform_real_distribution<double> real(0, 1);
        const double u = 1 - real(engine), v = real(engine);
        return (T)(mean + deviation * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    }
};
} // namespace random
using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

/* Expressions of arguments: _1 * 2 + _2. */
namespace placeholders
{
template <class F> struct expression {
    F f;
    template <class... A> POISE_HD constexpr auto operator()(const A &...a) const { return f(a...); }
};
struct first {
    template <class A, class... B> POISE_HD constexpr A operator()(const A &a, const B &...) const { return a; }
};
struct second {
    template <class A, class B, class... C> POISE_HD constexpr B operator()(const A &, const B &b, const C &...) const
    {
        return b;
    }
};
template <class T> struct constant {
    T v;
    template <class... A> POISE_HD constexpr T operator()(const A &...) const { return v; }
};
template <class T> struct is_expression : std::false_type {
};
template <class F> struct is_expression<expression<F>> : std::true_type {
};
template <class F> POISE_HD constexpr F poise_part(const expression<F> &e) { return e.f; }
template <class T, class = std::enable_if_t<!is_expression<T>::value>>
POISE_HD constexpr constant<T> poise_part(const T &v)
{
    return constant<T>{v};
}
#define POISE_PLACE(name, op) \
    template <class F, class G> struct name { \
        F f; \
        G g; \
        template <class... A> POISE_HD constexpr auto operator()(const A &...a) const { return f(a...) op g(a...); } \
    }; \
    template <class L, class R, class = std::enable_if_t<is_expression<L>::value || is_expression<R>::value>> \
    POISE_HD constexpr auto operator op(const L &l, const R &r) \
    { \
        typedef name<decltype(poise_part(l)), decltype(poise_part(r))> N; \
        return expression<N>{N{poise_part(l), poise_part(r)}}; \
    }
POISE_PLACE(sum_of, +)
POISE_PLACE(difference_of, -)
POISE_PLACE(product_of, *)
POISE_PLACE(quotient_of, /)
POISE_PLACE(remainder_of, %)
POISE_PLACE(is_less, <)
POISE_PLACE(is_more, >)
POISE_PLACE(is_at_most, <=)
POISE_PLACE(is_at_least, >=)
POISE_PLACE(is_equal, ==)
POISE_PLACE(is_other, !=)
POISE_PLACE(both, &&)
POISE_PLACE(either, ||)
#undef POISE_PLACE
static const expression<first> _1{};
static const expression<second> _2{};
} // namespace placeholders
} // namespace thrust
#endif
