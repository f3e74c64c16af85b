/* Graphs: nodes of work with dependencies. An executable graph is a copy whose nodes run one after another, each
 * after those it depends on, of several that could run the one that was made first. Stream capture turns what a
 * program puts into a stream into nodes. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H
#include "driver/shim.h"

struct graph_kernel {
    const void *host; /* the runtime's name of the function; NULL from the driver API */
    CUfunction function;
    struct ptx_grid grid;
    bool is_cooperative;
    unsigned char *bank; /* parameters, packed */
    void **params;       /* each one's place in it */
};
/* A node that runs a graph if, while, or at the index that its condition says. A condition is four bytes of device
 * memory, whose address is its handle; the memory stays until the context ends. */
struct graph_choice {
    CUgraphConditionalNodeType type;
    CUdeviceptr condition;
    CUgraph *bodies; /* owned */
    size_t n_bodies;
};
struct graph_condition {
    CUdeviceptr address;
    unsigned int initial; /* at each launch of the graph */
};
struct graph_work {
    CUgraphNodeType type;
    struct library_call *library; /* a host node that calls a library's function instead; shared by copies */
    union {
        struct graph_kernel kernel;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child; /* owned */
        struct graph_choice choice;
        CUevent event;
        struct graph_memory *memory; /* shared by all nodes that name it */
    };
};
struct CUgraphNode_st {
    CUgraph graph;
    uint64_t number; /* the same in copies of the graph */
    struct graph_work work;
    bool is_disabled;
    bool is_placed;     /* while the graph is sorted */
    CUgraphNode *after; /* what it depends on */
    size_t n_after;
};
struct CUgraph_st {
    CUcontext context;
    CUgraphNode *nodes; /* in the order of making */
    size_t n_nodes;
    uint64_t made;
    bool is_part;                       /* of a node: goes with it */
    struct graph_condition *conditions; /* those with an initial value */
    size_t n_conditions;
};
struct CUgraphExec_st {
    CUgraph graph;        /* nodes in the order of running */
    bool frees_at_launch; /* what an earlier launch took and did not free */
};

CUresult graph_add(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t n_after,
                   const struct graph_work *work);
CUresult graph_depend(CUgraphNode node, const CUgraphNode *after, size_t n);
void graph_remove(CUgraphNode node);                                      /* frees it */
void graph_forget(CUgraphNode node, const struct CUgraphNode_st *before); /* that it depends on that one */
/* A copy of work that a node may own; and its end. */
CUresult work_copy(struct graph_work *out, const struct graph_work *work);
void work_free(struct graph_work *work);
CUresult graph_copy(CUgraph *out, const struct CUgraph_st *graph);
void graph_free(CUgraph graph);
/* Conditions get their initial values; the nodes run. */
CUresult graph_launch(const struct CUgraph_st *graph, CUstream stream);
/* graph_choice.c */
CUresult conditions_reset(const struct CUgraph_st *graph, CUstream stream);
CUresult choice_run(const struct graph_choice *choice, CUstream stream,
                    CUresult (*run)(const struct CUgraph_st *, CUstream));
/* The node of a copy that stands for one of the original; NULL: none. */
CUgraphNode graph_node_of(const struct CUgraph_st *copy, const struct CUgraphNode_st *node);

/* Memory that a node takes at each launch of its graph and another gives back. Its address is known from when the first
 * node is made, and nobody else's until the last node is gone; or longer, where the program is to free it
 * (graph_memory.c). */
struct graph_memory {
    size_t holders; /* nodes, and who makes one */
    CUdeviceptr address;
    size_t bytes;
    bool is_taken; /* by a launch */
};
CUresult graph_memory_new(struct graph_memory **out, size_t bytes);       /* by one holder */
CUresult graph_memory_of(struct graph_memory **out, CUdeviceptr address); /* by no more than before */
void graph_memory_keep(struct graph_memory *memory);
void graph_memory_leave(struct graph_memory *memory);
CUresult graph_memory_run(const struct graph_work *work);
/* Before a launch: nothing of the graph may be taken, or is given back. */
CUresult graph_memory_ready(const struct CUgraph_st *graph, bool gives_back);

/* capture.c. All are called with the lock held. */
bool stream_is_captured(CUstream stream);
CUresult capture_work(CUstream stream, const struct graph_work *work);
CUresult capture_record(CUstream stream, CUevent event);
CUresult capture_wait(CUstream stream, CUevent event);
CUresult capture_wait_outside(CUstream stream, CUevent event, unsigned flags); /* for one of no capture */
/* What nobody may do during a capture: the capture is of no more use. Returns the code. */
CUresult capture_spoil(CUstream stream, CUresult code, const char *why);
CUresult capture_spoil_event(CUevent event, CUresult code, const char *why);
/* The stream is about to be freed. */
void capture_forget(CUstream stream);
/* library_calls.c: `function` of the library that `caller` lies in, with its arguments; held once. */
struct poise_cuda_argument;
CUresult library_call_new(struct library_call **out, const char *function, const void *caller,
                          const struct poise_cuda_argument *arguments, size_t n);
void library_call_keep(struct library_call *call);
void library_call_leave(struct library_call *call);
CUresult library_call_run(struct library_call *call); /* lock not held */
/* launch.c */
CUresult launch_work(const struct graph_kernel *kernel, CUstream stream);
/* The kernel with its parameters packed: to be freed with work_free. */
CUresult launch_pack(struct graph_kernel *out, const CUDA_KERNEL_NODE_PARAMS *p);
#endif
