/* Fast atomics: each SM performs atomics itself, on data that it caches under a mutex.       [TECHNIQUES §3.2-3.4]
 *
 * A node (an SM) that has atomics waiting for a mutex asks for it, gets it, fetches the data from L2 unless its copy is
 * still good, performs, writes to L2 and releases. Three ways to find out who may have a mutex:
 *
 *   naive      Every node has the table of all mutexes; who holds the rotating token may acquire and release. Copies
 *              are kept good by updates to all nodes; while one is on its way its busy wire is asserted, and no mutex
 *              of that wire can be acquired. [§3.2]
 *   directory  A mutex has an owner, which answers requests in the order in which they came. No updates. [§3.2]
 *   rings      A mutex belongs to a row of the mesh. The request goes along its column to the member of that row, waits
 *              for the row's token there, and the answer comes back. No updates. [§3.3]
 *
 * The machine is a state machine of its own: it knows no simulator, but what it is told and a struct of calls. The unit
 * test explores all interleavings of two nodes and one mutex on this very source. It allocates nothing and has no
 * pointers, so a copy of it is a snapshot. What the paper leaves open stands in MECHANISMS.md. */
#ifndef ATOM_MUTEX_H
#define ATOM_MUTEX_H
#include <stdbool.h>
#include <stdint.h>

#ifndef ATOM_MUTEXES_MAX /* the model check has smaller ones */
enum { ATOM_MUTEXES_MAX = 1024, ATOM_REQUESTS_MAX = 64, ATOM_COPIES_MAX = 64, ATOM_WIRES_MAX = 64 };
#endif
enum { ATOM_MASK_WORDS = (ATOM_MUTEXES_MAX + 63) / 64, ATOM_NO_COPY = 0xff };
#define ATOM_NEVER UINT64_MAX

enum atom_kind { ATOM_NAIVE, ATOM_DIRECTORY, ATOM_RINGS };
/* Parts left out, so that the model check can show that it finds what they are for. */
enum atom_fault {
    ATOM_SOUND,
    ATOM_TRUSTS_EVERY_FETCH,
    ATOM_RELEASES_EARLY,
    ATOM_IGNORES_BUSY_WIRES,
    ATOM_NEVER_RECALLS,
    ATOM_DROPS_WHAT_COMES
};
struct atom_config {
    uint32_t nodes, columns;           /* a mesh, numbered row by row; columns divide the nodes */
    uint32_t mutexes, wires;           /* line L is under mutex L mod mutexes, mutex M under busy wire M mod wires */
    uint32_t requests;                 /* that wait at a node, at most */
    uint32_t copies;                   /* lines of atomic data that a node caches */
    uint32_t hold;                     /* atomics performed before the mutex is given back, if others wait or not */
    uint32_t hop_cycles, token_cycles; /* from a node of the mesh to the next; that a token stays at a node */
    uint32_t update_cycles;            /* beside the way, of a line between nodes: naive's updates, data that travels */
    uint32_t epoch_cycles;             /* a release is mature, and a request stale, when an epoch has begun since */
    enum atom_kind kind;
    bool writes_back;      /* directory, rings: changes stay at the node until another is to get the mutex, */
    uint32_t flush_cycles; /* or until so long after its release */
    bool travels;          /* writes_back: they go to that other node with the mutex, where it has room for them */
    bool speculates;       /* data is fetched along with the request for its mutex, where there is no copy, */
    bool refetches;        /* or a copy that another node may have made old since */
    enum atom_fault fault;
};

/* An atomic of a warp on one line. `payload` is the caller's, and comes back when it is performed. */
struct atom_request {
    uint32_t line, payload[3];
    uint32_t sequence;
    uint64_t since;
    uint16_t mutex;
    uint8_t sectors, is_used, waited_for_data;
};
enum atom_copy_state {
    COPY_NONE,
    COPY_FETCHING,
    COPY_GOOD,
    COPY_DROPPED /* what is on its way for it is not wanted */
};
/* A line of atomic data at a node. `value` is what it holds: the caller's, changed by one with each atomic. */
struct atom_copy {
    uint32_t line, value, used_at;
    uint16_t mutex;
    uint8_t state, sectors, arriving, dirty; /* masks: there; on their way; changed and not yet written */
    uint8_t is_speculative, is_updating;     /* fetched before its mutex came; an update of it is on its way */
    uint8_t is_handed;                       /* it comes with its mutex, from who had that before */
};
enum atom_state { ATOM_FREE, ATOM_ASKING, ATOM_QUEUED, ATOM_COMING, ATOM_HELD, ATOM_RELEASING };
enum atom_recall { RECALL_NONE, RECALL_COMING, RECALL_WRITING, RECALL_ANSWERED }; /* the last holder's part */
/* A node's dealings with one mutex. */
struct atom_want {
    uint64_t at; /* when what is on its way arrives */
    uint64_t asked_at, update_until;
    uint32_t ticket; /* its place in the queue of who answers */
    uint32_t asked_epoch;
    uint64_t recall_at; /* when the recall, or what answers it, arrives */
    uint16_t waiting;   /* atomics not yet performed */
    uint16_t performed; /* while held */
    uint16_t writes;    /* not yet acknowledged */
    uint8_t state, recall;
    uint8_t is_mature, is_same; /* of the answer: the last release is mature, was this node's own */
    uint8_t is_busy, is_dirty;  /* its wire is asserted; changes of it are not yet written */
};
struct atom_mutex {
    uint64_t free_from;
    uint32_t release_epoch;
    uint16_t releaser;
    uint16_t meant_for; /* the node that gets it next: its number and one; 0: any */
    uint8_t is_held, was_released, is_updating;
    uint8_t is_dirty, is_recalled; /* its last holder has changes; they are being written */
};
struct atom_node {
    uint64_t active[ATOM_MASK_WORDS]; /* mutexes that it has dealings with */
    uint32_t n_requests, sequence, turn;
    struct atom_request requests[ATOM_REQUESTS_MAX];
    struct atom_copy copies[ATOM_COPIES_MAX];
    struct atom_want wants[ATOM_MUTEXES_MAX];
};
/* What they count stands in atom_unit.h. */
#define ATOM_COUNTS(X) \
    X(taken) \
    X(performed) \
    X(latency_sum) \
    X(longest) \
    X(acquisitions) \
    X(self_satisfied) \
    X(acquisition_cycles) \
    X(own_again) \
    X(copy_hits) \
    X(fetches) \
    X(speculative) \
    X(speculative_good) \
    X(writes) \
    X(updates) \
    X(busy_waits) \
    X(busy_conflicts) \
    X(recalls) \
    X(handed_over)
struct atom_counts {
#define X(name) uint64_t name;
    ATOM_COUNTS(X)
#undef X
};
struct atom {
    struct atom_config config;
    struct atom_counts counts;
    uint64_t wake;                 /* the first cycle in which a tick could change anything */
    uint32_t tickets, in_flight;   /* in_flight: fetches and writes not yet answered */
    uint16_t busy[ATOM_WIRES_MAX]; /* updates on their way */
    struct atom_mutex mutexes[ATOM_MUTEXES_MAX];
};
/* What the machine asks for. fetch and write return false if nothing can be sent now: it asks again in the next cycle.
 * The caller calls atom_fetched or atom_written with the same copy in the end. */
struct atom_calls {
    void *env;
    bool (*fetch)(void *env, uint32_t node, uint32_t copy, uint32_t line, uint32_t sectors);
    bool (*write)(void *env, uint32_t node, uint32_t mutex, uint32_t line, uint32_t sectors, uint32_t value);
    void (*performed)(void *env, uint32_t node, const struct atom_request *request,
                      uint32_t value);          /* value: after it */
    void (*has_room)(void *env, uint32_t node); /* one that was full */
};
/* The nodes lie behind one another, config.nodes of them. Both are zero. */
void atom_init(struct atom *atom, const struct atom_config *config);
bool atom_has_room(const struct atom *atom, const struct atom_node *node);
/* Takes an atomic in cycle `now`, which the next tick sees; there is room. */
void atom_take(struct atom *atom, struct atom_node *nodes, uint32_t node, uint32_t line, uint32_t sectors,
               const uint32_t payload[3], uint64_t now);
void atom_fetched(struct atom *atom, struct atom_node *nodes, uint32_t node, uint32_t copy, uint32_t value,
                  uint64_t now);
void atom_written(struct atom *atom, struct atom_node *nodes, uint32_t node, uint32_t mutex, uint64_t now);
void atom_tick(struct atom *atom, struct atom_node *nodes, const struct atom_calls *calls, uint64_t now);
bool atom_is_idle(const struct atom *atom, const struct atom_node *nodes);
#endif
