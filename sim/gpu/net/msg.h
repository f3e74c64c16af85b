/* What travels between units: requests down, replies up. Nothing else crosses a queue. */
#ifndef GPU_MSG_H
#define GPU_MSG_H
#include <stdbool.h>
#include <stdint.h>

/* Of any clock domain; clocks_limit() says how far they reach. Cycles and base ticks that mechanisms, callers and
 * statistics see have 64 bits. */
typedef uint32_t cycle_t;
#define NEVER UINT32_MAX
#define NEVER_TIME UINT64_MAX
/* A function that runs in every cycle. The linker puts these side by side: scattered over the program, they drive
 * each other out of the host's 32 KB of instruction cache. */
#define HOT __attribute__((hot))
/* A branch that most accesses do not take: its registers are saved only by those that do. */
#define APART __attribute__((noinline))
/* A function that runs in every cycle and is called from a rare place as well. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What is asked of L2, a row each: what the sender keeps for it is its token. Writeback: dirty sectors of L1 (local
 * memory); nobody waits for its acknowledgement. Fetch, const, texture: a line for a read-only cache. Bypass: a load
 * that reads a line without an MSHR and without a line of L1. Atomic fetch, atomic store: data of atomics that a
 * mechanism performs itself. What comes back is the row's class: data of a line, an acknowledgement, or the result
 * of an atomic. */
#define REQUEST_KINDS(K) \
    K(READ, LINE) \
    K(WRITE, STORE) \
    K(ATOMIC, ATOMIC) \
    K(WRITEBACK, STORE) \
    K(FETCH, LINE) \
    K(CONST, LINE) \
    K(TEXTURE, LINE) \
    K(BYPASS, LINE) \
    K(ATOMIC_FETCH, LINE) \
    K(ATOMIC_STORE, STORE)
#define REQUEST_KIND(kind, class) REQUEST_##kind,
enum request_kind { REQUEST_KINDS(REQUEST_KIND) N_REQUEST_KINDS };
#undef REQUEST_KIND
enum { REQUEST_KIND_BITS = 5 };
_Static_assert(N_REQUEST_KINDS <= 1 << REQUEST_KIND_BITS, "an MSHR of L2 keeps a kind in five bits");
enum request_class { REQUEST_OF_LINE, REQUEST_OF_STORE, REQUEST_OF_ATOMIC };
/* The kinds of a class, as bits. */
#define LINE_KIND(kind, class) | (uint32_t)(REQUEST_OF_##class == REQUEST_OF_LINE) << REQUEST_##kind
#define STORE_KIND(kind, class) | (uint32_t)(REQUEST_OF_##class == REQUEST_OF_STORE) << REQUEST_##kind
static inline bool request_reads_line(unsigned kind) { return (0 REQUEST_KINDS(LINE_KIND)) >> kind & 1; }
static inline bool request_is_store(unsigned kind) { return (0 REQUEST_KINDS(STORE_KIND)) >> kind & 1; }
#undef LINE_KIND
#undef STORE_KIND
/* Who asks, and so where the answer goes: one of up to 256 SMs, CPU cores or caches. An SM is known by its number. */
enum requester_class { FROM_SM, FROM_CPU, FROM_CACHE };
enum { REQUESTER_INDEX_BITS = 8, REQUESTER_BITS = REQUESTER_INDEX_BITS + 2 };
static inline uint16_t requester_of(enum requester_class from, uint32_t index)
{
    return (uint16_t)((uint32_t)from << REQUESTER_INDEX_BITS | index);
}
static inline uint32_t requester_index(uint32_t requester) { return requester & ((1u << REQUESTER_INDEX_BITS) - 1); }
static inline enum requester_class requester_class(uint32_t requester)
{
    return (enum requester_class)(requester >> REQUESTER_INDEX_BITS);
}
enum reply_flags { REPLY_L2_HIT = 1 };
/* A store, and an atomic whose old value nobody reads, are only acknowledged. */
static inline uint8_t reply_kind(unsigned kind, bool wants_data)
{
    return (uint8_t)(kind == REQUEST_ATOMIC && !wants_data ? REQUEST_WRITE : kind);
}
/* What an instruction asks of the caches: enum trace_cache_op in four bits, enum trace_scope in two above them. */
#define MEMORY_OP(cache_op, scope) ((unsigned)(cache_op) | (unsigned)(scope) << 4)
#define MEMORY_OP_CACHE(op) ((op)&15u)
#define MEMORY_OP_SCOPE(op) ((op) >> 4 & 3u)
/* What L1 looks up: which sectors of which line, for whom. */
struct l1_access {
    uint32_t line;
    uint32_t warp, pc;    /* launch-unique warp, and its instruction */
    uint16_t load;        /* that waits for it */
    uint8_t sectors;      /* of 32 bytes, up to eight, */
    bool may_pollute : 1; /* it may reserve a line */
    bool covers : 1;      /* a store: all bytes of these sectors */
    uint8_t op : 6;       /* MEMORY_OP of its instruction */
    uint32_t chunks;      /* and what stands for them in a plan that names chunks (plan.h) */
};
/* One line request between the coalescer and L1. */
struct line_access {
    cycle_t at; /* first cycle in which it may look L1 up */
    struct l1_access access;
    uint8_t warp; /* slot */
    uint8_t action, wants_result, is_last, has_failed, degree;
    uint8_t route; /* of a load: through L1, bypassing it, or past it */
};
/* `line` is the plan's line number; `token` names the waiting MSHR (reads), bypass entry or load (atomics) of the
 * sender, `op` is the MEMORY_OP of the instruction that asks: for L2, and for what will stand there. */
struct request {
    uint32_t line;
    uint16_t token, requester;
    uint8_t kind, sectors, flits;
    bool wants_data : 1; /* a store: it covers all bytes of its sectors */
    bool is_counted : 1; /* a write that somebody waits for (core/waiting.h) */
    uint8_t op : 6;
    uint16_t bank, set; /* of L2; known once the request enters arbitration */
};
/* Sectors in a line's mask of up to four; the baseline x86-64 has no instruction for it. */
static inline uint32_t sector_count(uint32_t sectors)
{
    return (uint32_t)(0x4332322132212110ull >> 4 * (sectors & 15)) & 15;
}
struct reply {
    uint16_t token, requester;
    uint8_t kind, flits, flags, sectors;
};
_Static_assert(sizeof(struct l1_access) == 20, "its flag and its operator are one byte");
_Static_assert(sizeof(struct request) == 16 && sizeof(struct reply) == 8, "messages are copied through every queue");
#endif
