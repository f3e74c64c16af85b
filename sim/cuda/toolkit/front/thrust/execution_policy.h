/* Stands in front of Thrust's own. Thrust 1 called in a kernel with thrust::device names host functions that it never
 * calls there, which nvcc lets pass and clang does not. Where such a call stands in device code these functions are
 * chosen, and the calling thread does the work, as it does by nvcc; host code has Thrust's own. */
#ifdef POISE_THRUST_IN_KERNELS /* Thrust includes it again within itself */
#include_next <thrust/execution_policy.h>
#else
#define POISE_THRUST_IN_KERNELS
#include_next <thrust/execution_policy.h>
#include <thrust/version.h>
#if THRUST_VERSION < 200000 && defined(__CUDA__)
THRUST_NAMESPACE_BEGIN
struct poise_one_thread : detail::seq_t {
};
/* The policy as programs write it is constant; what Thrust hands on inside is not. */
template <class Policy> struct poise_policy;
template <> struct poise_policy<const detail::device_t> {
    typedef poise_one_thread sequential;
};
#define POISE_ALGORITHM(name) \
    template <class Policy, class... A> \
    __device__ auto name(Policy &, A &&...a)->decltype(name(typename poise_policy<Policy>::sequential(), a...)) \
    { \
        return name(typename poise_policy<Policy>::sequential(), a...); \
    }
#define POISE_ALGORITHMS(a, b, c, d, e) \
    POISE_ALGORITHM(a) POISE_ALGORITHM(b) POISE_ALGORITHM(c) POISE_ALGORITHM(d) POISE_ALGORITHM(e)
POISE_ALGORITHMS(adjacent_difference, all_of, any_of, binary_search, copy)
POISE_ALGORITHMS(copy_if, copy_n, count, count_if, equal)
POISE_ALGORITHMS(equal_range, exclusive_scan, exclusive_scan_by_key, fill, fill_n)
POISE_ALGORITHMS(find, find_if, find_if_not, for_each, for_each_n)
POISE_ALGORITHMS(gather, gather_if, generate, generate_n, inclusive_scan)
POISE_ALGORITHMS(inclusive_scan_by_key, inner_product, is_partitioned, is_sorted, is_sorted_until)
POISE_ALGORITHMS(lower_bound, max_element, merge, merge_by_key, min_element)
POISE_ALGORITHMS(minmax_element, mismatch, none_of, partition, partition_copy)
POISE_ALGORITHMS(partition_point, reduce, reduce_by_key, remove, remove_copy)
POISE_ALGORITHMS(remove_copy_if, remove_if, replace, replace_copy, replace_copy_if)
POISE_ALGORITHMS(replace_if, reverse, reverse_copy, scatter, scatter_if)
POISE_ALGORITHMS(sequence, set_difference, set_difference_by_key, set_intersection, set_intersection_by_key)
POISE_ALGORITHMS(set_symmetric_difference, set_symmetric_difference_by_key, set_union, set_union_by_key, sort)
POISE_ALGORITHMS(sort_by_key, stable_partition, stable_partition_copy, stable_sort, stable_sort_by_key)
POISE_ALGORITHMS(swap_ranges, tabulate, transform, transform_exclusive_scan, transform_if)
POISE_ALGORITHMS(transform_inclusive_scan, transform_reduce, uninitialized_copy, uninitialized_copy_n,
                 uninitialized_fill)
POISE_ALGORITHMS(uninitialized_fill_n, unique, unique_by_key, unique_by_key_copy, unique_copy)
POISE_ALGORITHM(unique_count)
POISE_ALGORITHM(upper_bound)
#undef POISE_ALGORITHMS
#undef POISE_ALGORITHM
THRUST_NAMESPACE_END
#endif
#endif
