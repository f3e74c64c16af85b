/* Replacement policies, a row each: R(name) is a value of l1.replacement and its like, and the policy
 * `replacement_name` in cache/replacement_name.c (cache/README.md shows how to write one). */
#ifndef GPU_REPLACEMENT_LIST_H
#define GPU_REPLACEMENT_LIST_H
#define REPLACEMENTS(R) \
    R(lru) \
    R(nru) \
    R(srrip) \
    R(brrip) \
    R(drrip) \
    R(fifo) \
    R(plru) \
    R(random)

#define REPLACEMENT_NAME(policy) "|" #policy
#define REPLACEMENT_NUMBER(policy) REPLACE_##policy,
#define REPLACEMENT_NAMES "usual" REPLACEMENTS(REPLACEMENT_NAME)
/* The parameters' values; `usual` is what the cache's organisation has by itself. */
enum { REPLACE_USUAL, REPLACEMENTS(REPLACEMENT_NUMBER) REPLACE_VALUES };
#endif
