/* thrust's function objects. */
#ifndef POISE_THRUST_FUNCTIONAL_H
#define POISE_THRUST_FUNCTIONAL_H
#include "tuples.h"

#define POISE_BINARY(name, Result, expression) \
    template <class T = void> struct name { \
        typedef T first_argument_type; \
        typedef T second_argument_type; \
        typedef Result result_type; \
        POISE_HD constexpr Result operator()(const T &a, const T &b) const { return expression; } \
    }; \
    template <> struct name<void> { \
        template <class A, class B> POISE_HD constexpr auto operator()(const A &a, const B &b) const \
        { \
            return expression; \
        } \
    };
#define POISE_UNARY(name, Result, expression) \
    template <class T = void> struct name { \
        typedef T argument_type; \
        typedef Result result_type; \
        POISE_HD constexpr Result operator()(const T &a) const { return expression; } \
    }; \
    template <> struct name<void> { \
        template <class A> POISE_HD constexpr auto operator()(const A &a) const { return expression; } \
    };

namespace thrust
{
POISE_BINARY(plus, T, a + b)
POISE_BINARY(minus, T, a - b)
POISE_BINARY(multiplies, T, a *b)
POISE_BINARY(divides, T, a / b)
POISE_BINARY(modulus, T, a % b)
POISE_BINARY(maximum, T, a < b ? b : a)
POISE_BINARY(minimum, T, b < a ? b : a)
POISE_BINARY(bit_and, T, a &b)
POISE_BINARY(bit_or, T, a | b)
POISE_BINARY(bit_xor, T, a ^ b)
POISE_BINARY(equal_to, bool, a == b)
POISE_BINARY(not_equal_to, bool, !(a == b))
POISE_BINARY(less, bool, a < b)
POISE_BINARY(greater, bool, b < a)
POISE_BINARY(less_equal, bool, !(b < a))
POISE_BINARY(greater_equal, bool, !(a < b))
POISE_BINARY(logical_and, bool, a &&b)
POISE_BINARY(logical_or, bool, a || b)
POISE_BINARY(project1st, T, ((void)b, a))
POISE_BINARY(project2nd, T, ((void)a, b))
#undef POISE_BINARY
POISE_UNARY(negate, T, -a)
POISE_UNARY(identity, T, a)
POISE_UNARY(square, T, a *a)
POISE_UNARY(logical_not, bool, !a)
#undef POISE_UNARY
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
template <class F> struct unary_negate {
    F f;
    template <class T> POISE_HD bool operator()(const T &v) const { return !f(v); }
};
template <class F> POISE_HD unary_negate<F> not1(F f) { return unary_negate<F>{f}; }
template <class F> POISE_HD unary_negate<F> not_fn(F f) { return unary_negate<F>{f}; }
} // namespace thrust
#endif
