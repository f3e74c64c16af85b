/* cuLaunchKernel: checks, parameters, execution, recording. A launch has finished when the call returns, so a device
 * error is returned by the launch itself; as on a GPU, the context is of no use after it. */
#include "driver/graph.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static CUresult check_shape(const struct shim *s, const struct CUfunc_st *f, const struct ptx_grid *g)
{
    static const uint32_t max_grid[3] = {INT_MAX, 65535, 65535}, max_block[3] = {1024, 1024, 64};
    const char *name = f->info->name;
    uint64_t threads = 1, ctas = 1;
    for (int d = 0; d < 3; d++) {
        if (g->grid[d] == 0 || g->grid[d] > max_grid[d])
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: grid dimension %c is %u, allowed 1 .. %u", name,
                             'x' + d, g->grid[d], max_grid[d]);
        if (g->block[d] == 0 || g->block[d] > max_block[d])
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: block dimension %c is %u, allowed 1 .. %u", name,
                             'x' + d, g->block[d], max_block[d]);
        threads *= g->block[d];
        ctas *= g->grid[d];
        if (ctas > UINT32_MAX)
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: more than %u CTAs", name, UINT32_MAX);
    }
    if (threads > MAX_BLOCK_THREADS)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: %llu threads in a CTA, at most %d", name,
                         (unsigned long long)threads, MAX_BLOCK_THREADS);
    if (f->info->max_threads && threads > f->info->max_threads)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: %llu threads in a CTA, its .maxntid is %u", name,
                         (unsigned long long)threads, f->info->max_threads);
    if (g->dynamic_shared_bytes > f->max_dynamic_shared_bytes)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: %u bytes of dynamic shared memory, at most %u", name,
                         g->dynamic_shared_bytes, f->max_dynamic_shared_bytes);
    const struct trace_launch launch = function_launch(f, g);
    const struct occupancy o = function_occupancy(s, f, g);
    if (o.ctas == 0)
        return shim_fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                         "kernel %s: a CTA of %llu threads with %u registers each and %u bytes of shared memory does "
                         "not fit on an SM of the device %s, which has %u registers and %u bytes (%s)",
                         name, (unsigned long long)threads, launch.regs_per_thread, launch.shared_bytes, s->device.name,
                         s->device.sm.registers, s->device.sm.shared_bytes, occupancy_limit_text(o.limit));
    return CUDA_SUCCESS;
}

/* The parameter bank from kernelParams, or from the buffer in extra. */
static CUresult pack_params(const struct ptx_kernel_info *info, void **params, void **extra, unsigned char *bank)
{
    const void *buffer = NULL;
    size_t size = 0;
    if (params && extra)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: both kernelParams and extra", info->name);
    if (params) {
        for (uint32_t i = 0; i < info->n_params; i++) {
            if (!params[i])
                return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: parameter %u of %u is NULL", info->name, i,
                                 info->n_params);
            memcpy(bank + info->params[i].offset, params[i], info->params[i].bytes);
        }
        return CUDA_SUCCESS;
    }
    for (void **e = extra; e && *e != CU_LAUNCH_PARAM_END; e += 2) {
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = e[1];
        else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE && e[1]) size = *(const size_t *)e[1];
        else return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: unknown entry in extra", info->name);
    }
    if (info->n_params && (!buffer || size < info->param_bytes))
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: %zu bytes of parameters, it needs %u", info->name,
                         buffer ? size : 0, info->param_bytes);
    if (info->n_params) memcpy(bank, buffer, info->param_bytes);
    return CUDA_SUCCESS;
}

/* CUDA's code for what went wrong on the device; the executor tells the kinds of fault apart in its text only. */
static CUresult fault_code(const struct error *err)
{
    static const struct {
        const char *words;
        CUresult code;
    } faults[] = {{" is outside ", CUDA_ERROR_ILLEGAL_ADDRESS},
                  {" is not aligned to ", CUDA_ERROR_MISALIGNED_ADDRESS},
                  {": assertion `", CUDA_ERROR_ASSERT}};
    if (err->code == ERR_LIMIT || err->code == ERR_DEADLOCK) return CUDA_ERROR_LAUNCH_TIMEOUT;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strstr(err->text, faults[i].words)) return faults[i].code;
    return CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult device_error(CUcontext context, const struct error *err)
{
    if (err->code == ERR_MEMORY) return shim_fail_with(CUDA_ERROR_OUT_OF_MEMORY, err);
    context->sticky = fault_code(err);
    return shim_fail_with(context->sticky, err);
}

/* A recording that cannot be kept; the device itself is sound. */
static CUresult record_error(const struct error *err) { return shim_fail_with(CUDA_ERROR_OPERATING_SYSTEM, err); }

/* A cooperative grid's barrier lies in memory that the driver provides: its size, and a counter. */
#define GRID_WORKSPACE_BYTES 64

struct launch {
    CUfunction function;
    struct ptx_grid grid;
    CUstream stream;
    bool is_cooperative;
};

static CUresult run_launched(struct service_call *call, unsigned depth);

/* depth: of launches by kernels. */
static CUresult run_at(struct shim *s, CUcontext context, const struct launch *l, const void *bank, unsigned depth)
{
    struct error err;
    struct ptx_counts counts = {0};
    struct recording rec;
    struct service_call call = {.shim = s, .context = context, .module = l->function->module};
    const struct CUfunc_st *f = l->function;
    const struct ptx_memory memory = memory_for_ptx(&s->memory);
    struct ptx_services services = services_for(&call);
    if (l->is_cooperative && !(services.grid_workspace = memory_take(&s->memory, GRID_WORKSPACE_BYTES, context, NULL)))
        return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the grid's barrier");
    if (recorder_begin(&s->recorder, &rec, f, &l->grid, &err) < 0) return record_error(&err);
    services.grid_id = s->recorder.launches;
    services.turn_insts = s->recorder.turn_insts;
    services.max_idle_insts = s->recorder.max_idle_insts;
    services.threads = s->recorder.cta_threads;
    services.threads_if_faster = s->recorder.threads_if_faster;
    if (!s->recorder.progress.is_on) services.progress = NULL;
    launch_progress_launch(&s->recorder.progress, f->info->name);
    if (order_begin(&s->recorder, &services.order, &err) < 0) return record_error(&err);
    const int rc = ptx_run_with(f->kernel, &l->grid, bank, f->info->param_bytes, &memory, &services, rec.writer,
                                s->recorder.max_warp_insts, &counts, &err);
    launch_progress_launched(&s->recorder.progress, counts.warp_insts);
    if (services.grid_workspace) memory_drop(&s->memory, memory_find(&s->memory, services.grid_workspace));
    struct error untold;
    const int followed = order_end(&s->recorder, services.order, rc < 0 ? &untold : &err);
    if (rc < 0) {
        if (err.code == ERR_LIMIT && strstr(err.text, ": no progress in "))
            error_at(&err, NULL, err.line, -1,
                     "does it never end? POISE_MAX_IDLE_INSTS=N lets it continue for N, 0 without end");
        else if (err.code == ERR_LIMIT && strstr(err.text, "warp instructions"))
            error_at(&err, NULL, 0, -1, "does it end? POISE_MAX_WARP_INSTS=N lets a launch execute N, 0 any number");
        trace_writer_free(rec.writer);
        device_launches_drop(&call);
        return device_error(context, &err);
    }
    shim_spend_launch(s, counts.warp_insts);
    const bool is_kept = followed == 0 && recorder_end(&call, &rec, f, &l->grid, &counts, &err) == 0;
    const CUresult result = is_kept ? run_launched(&call, depth + 1) : record_error(&err);
    device_launches_drop(&call);
    return result;
}

#define MAX_LAUNCH_DEPTH 24 /* as CUDA's */

/* The grids that a grid launched: an error of one is told, and the others run. */
static CUresult run_launched(struct service_call *call, unsigned depth)
{
    CUresult result = CUDA_SUCCESS;
    for (struct device_launch *d; result == CUDA_SUCCESS && (d = device_launch_next(call));) {
        if (!d->function) {
            result = device_copy_run(call->shim, &d->copy);
            device_launch_free(d);
            continue;
        }
        const struct launch l = {d->function, d->grid, NULL, false};
        const char *name = d->function->info->name;
        if (depth > MAX_LAUNCH_DEPTH)
            (void)shim_fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: kernels launched by kernels are %d deep at most",
                            name, MAX_LAUNCH_DEPTH);
        else if (check_shape(call->shim, d->function, &d->grid) == CUDA_SUCCESS)
            result = run_at(call->shim, call->context, &l, d->bank, depth);
        device_launch_free(d);
    }
    return result;
}

static CUresult run(struct shim *s, CUcontext context, const struct launch *l, const void *bank)
{
    return run_at(s, context, l, bank, 0);
}

/* All CTAs of a cooperative launch must be resident. */
static CUresult check_residence(const struct shim *s, const struct launch *l)
{
    const uint64_t most = (uint64_t)function_occupancy(s, l->function, &l->grid).ctas * s->device.sms,
                   ctas = (uint64_t)l->grid.grid[0] * l->grid.grid[1] * l->grid.grid[2];
    if (ctas <= most) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                     "kernel %s: a cooperative launch of %llu CTAs; %llu can be resident", l->function->info->name,
                     (unsigned long long)ctas, (unsigned long long)most);
}

/* A launch whose parameters are packed, or in a captured stream a node that will be one. */
static CUresult launch_locked(struct shim *s, CUcontext context, const struct launch *l, unsigned char *bank)
{
    if (!stream_is_captured(l->stream)) return run(s, context, l, bank);
    return capture_work(l->stream,
                        &(struct graph_work){CU_GRAPH_NODE_TYPE_KERNEL,
                                             .kernel = {NULL, l->function, l->grid, l->is_cooperative, bank, NULL}});
}

static CUresult check(struct shim *s, CUcontext *context, const struct launch *l)
{
    CUresult result = shim_ready(s, context);
    if (result == CUDA_SUCCESS) result = function_find(*context, l->function);
    if (result == CUDA_SUCCESS) result = stream_use(*context, l->stream);
    if (result == CUDA_SUCCESS) result = check_shape(s, l->function, &l->grid);
    return result == CUDA_SUCCESS && l->is_cooperative ? check_residence(s, l) : result;
}

static CUresult launch(const struct launch *l, void **params, void **extra)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = check(s, &context, l);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    unsigned char *bank = calloc(1, l->function->info->param_bytes + 1);
    if (!bank) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the parameters"));
    result = pack_params(l->function->info, params, extra, bank);
    if (result == CUDA_SUCCESS) result = launch_locked(s, context, l, bank);
    free(bank);
    /* Programs that let an assertion fail look for it where they wait, as a launch of a device says nothing of it:
     * every later call answers with it. */
    if (result == CUDA_ERROR_ASSERT) result = CUDA_SUCCESS;
    return shim_unlock(s, result);
}

CUresult launch_pack(struct graph_kernel *out, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct shim *s = shim_lock();
    CUcontext context;
    const struct launch l = {
        p->func ? p->func : (CUfunction)p->kern,
        {{p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes},
        NULL,
        false};
    CUresult result = check(s, &context, &l);
    unsigned char *bank = result == CUDA_SUCCESS ? calloc(1, l.function->info->param_bytes + 1) : NULL;
    if (result == CUDA_SUCCESS && !bank) result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the parameters");
    if (result == CUDA_SUCCESS) result = pack_params(l.function->info, p->kernelParams, p->extra, bank);
    struct graph_work copy;
    if (result == CUDA_SUCCESS)
        result = work_copy(&copy, &(struct graph_work){CU_GRAPH_NODE_TYPE_KERNEL,
                                                       .kernel = {NULL, l.function, l.grid, false, bank, NULL}});
    if (result == CUDA_SUCCESS) *out = copy.kernel;
    free(bank);
    return shim_unlock(s, result);
}

CUresult launch_work(const struct graph_kernel *k, CUstream stream)
{
    const struct launch l = {k->function, k->grid, stream, k->is_cooperative};
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = check(s, &context, &l);
    if (result == CUDA_SUCCESS) result = launch_locked(s, context, &l, k->bank);
    return shim_unlock(s, result);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int dynamic_shared_bytes, CUstream stream, void **params, void **extra)
{
    return launch(
        &(struct launch){
            function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared_bytes}, stream, false},
        params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int dynamic_shared_bytes, CUstream stream, void **params)
{
    return launch(
        &(struct launch){
            function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared_bytes}, stream, true},
        params, NULL);
}

/* Of the attributes two change what is computed; the others are about time, which a functional device does not have. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    if (!c || (c->numAttrs && !c->attrs)) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernelEx: NULL");
    struct launch l = {
        function,
        {{c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes},
        c->hStream,
        false};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttribute *a = &c->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) l.is_cooperative = a->value.cooperative != 0;
        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
            (a->value.clusterDim.x > 1 || a->value.clusterDim.y > 1 || a->value.clusterDim.z > 1))
            return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuLaunchKernelEx: clusters of thread blocks");
    }
    return launch(&l, params, extra);
}
