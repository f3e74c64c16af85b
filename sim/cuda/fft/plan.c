/* Handles, plans and what is asked of them. */
#include "fft/fft.h"

#include <pthread.h>
#include <stdlib.h>
#include "poise/cuda_shim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fft_plan **plans; /* of handle h: plans[h - 1] */
static int n_plans;

cufftResult fft_refuse(const char *function, cufftResult status, const char *why)
{
    static const char *const names[] = {
        [CUFFT_INVALID_PLAN] = "CUFFT_INVALID_PLAN",   [CUFFT_ALLOC_FAILED] = "CUFFT_ALLOC_FAILED",
        [CUFFT_INVALID_VALUE] = "CUFFT_INVALID_VALUE", [CUFFT_EXEC_FAILED] = "CUFFT_EXEC_FAILED",
        [CUFFT_SETUP_FAILED] = "CUFFT_SETUP_FAILED",   [CUFFT_INVALID_SIZE] = "CUFFT_INVALID_SIZE",
        [CUFFT_NOT_SUPPORTED] = "CUFFT_NOT_SUPPORTED"};
    poise_cuda_refuse(function, names[status], why);
    return status;
}

struct fft_plan *fft_plan_of(const char *function, cufftHandle handle)
{
    pthread_mutex_lock(&lock);
    struct fft_plan *plan = handle >= 1 && handle <= n_plans ? plans[handle - 1] : NULL;
    pthread_mutex_unlock(&lock);
    if (!plan) fft_refuse(function, CUFFT_INVALID_PLAN, "no plan has this handle");
    return plan;
}

static void plan_clear(struct fft_plan *plan)
{
    for (int r = 0; r < FFT_RANKS; r++) fft_line_fini(&plan->lines[r]);
    plan->is_made = false;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle) return fft_refuse(__func__, CUFFT_INVALID_VALUE, "there is no place for the handle");
    if (cudaFree(NULL) != cudaSuccess) return fft_refuse(__func__, CUFFT_SETUP_FAILED, "there is no device");
    struct fft_plan *plan = calloc(1, sizeof *plan), **more;
    int free_one = 0;
    pthread_mutex_lock(&lock);
    while (free_one < n_plans && plans[free_one]) free_one++;
    more = free_one == n_plans ? realloc(plans, (size_t)(n_plans + 1) * sizeof *more) : plans;
    if (plan && more) {
        plans = more;
        if (free_one == n_plans) n_plans++;
        plans[free_one] = plan;
        *handle = free_one + 1;
    }
    pthread_mutex_unlock(&lock);
    if (plan && more) return CUFFT_SUCCESS;
    free(plan);
    return fft_refuse(__func__, CUFFT_ALLOC_FAILED, "out of memory");
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct fft_plan *plan = fft_plan_of(__func__, handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    pthread_mutex_lock(&lock);
    plans[handle - 1] = NULL;
    pthread_mutex_unlock(&lock);
    plan_clear(plan);
    free(plan);
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct fft_plan *plan = fft_plan_of(__func__, handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

/* What a program asks for; the sizes and layouts in 64 bits. */
struct wanted {
    const char *function;
    int rank;
    const long long *n, *in_embed, *out_embed;
    long long in_stride, in_dist, out_stride, out_dist, batch;
    cufftType type;
};

static bool is_type(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z || type == CUFFT_D2Z ||
           type == CUFFT_Z2D;
}
static cufftResult check(const struct wanted *w)
{
    if (!is_type(w->type)) return fft_refuse(w->function, CUFFT_INVALID_VALUE, "no type of transform has this number");
    if (w->rank < 1 || w->rank > FFT_RANKS)
        return fft_refuse(w->function, CUFFT_INVALID_VALUE, "transforms have 1, 2 or 3 dimensions");
    if (!w->n) return fft_refuse(w->function, CUFFT_INVALID_VALUE, "there are no sizes");
    if (w->batch < 1) return fft_refuse(w->function, CUFFT_INVALID_SIZE, "a batch has at least one transform");
    long long total = w->batch;
    for (int r = 0; r < w->rank; r++)
        if (w->n[r] < 1 || __builtin_mul_overflow(total, w->n[r], &total) || total > 1ll << 36)
            return fft_refuse(w->function, CUFFT_INVALID_SIZE, "sizes are at least 1, and 2^36 elements in all");
    if (w->in_embed && w->out_embed && (w->in_stride < 1 || w->out_stride < 1 || w->in_dist < 0 || w->out_dist < 0))
        return fft_refuse(w->function, CUFFT_INVALID_VALUE, "a layout has strides of 1 and more and no negative dist");
    return CUFFT_SUCCESS;
}
/* The batch as complex numbers: what a work area might take. */
static size_t work_bytes(const struct wanted *w)
{
    size_t bytes = (size_t)w->batch * (fft_is_double(w->type) ? 16 : 8);
    for (int r = 0; r < w->rank; r++) bytes *= (size_t)w->n[r];
    return bytes;
}

static struct fft_layout layout(const struct wanted *w, const long long *embed, long long stride, long long dist)
{
    struct fft_layout l = {{1, 1, 1}, stride, dist};
    for (int r = 0; embed && r < w->rank; r++) l.embed[FFT_RANKS - w->rank + r] = embed[r];
    return l;
}

static cufftResult make(cufftHandle handle, const struct wanted *w, size_t *bytes)
{
    struct fft_plan *plan = fft_plan_of(w->function, handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    const cufftResult status = check(w);
    if (status != CUFFT_SUCCESS) return status;
    plan_clear(plan);
    *plan = (struct fft_plan){.type = w->type,
                              .n = {1, 1, 1},
                              .batch = w->batch,
                              .is_basic = !w->in_embed || !w->out_embed,
                              .in = layout(w, w->in_embed, w->in_stride, w->in_dist),
                              .out = layout(w, w->out_embed, w->out_stride, w->out_dist),
                              .stream = plan->stream};
    for (int r = 0; r < w->rank; r++) plan->n[FFT_RANKS - w->rank + r] = w->n[r];
    for (int r = 0; r < FFT_RANKS; r++)
        if (fft_line_init(&plan->lines[r], (size_t)plan->n[r]) < 0) {
            plan_clear(plan);
            return fft_refuse(w->function, CUFFT_ALLOC_FAILED, "out of memory");
        }
    plan->is_made = true;
    if (bytes) *bytes = work_bytes(w);
    return CUFFT_SUCCESS;
}
static cufftResult estimate(const struct wanted *w, size_t *bytes)
{
    const cufftResult status = check(w);
    if (status != CUFFT_SUCCESS) return status;
    if (!bytes) return fft_refuse(w->function, CUFFT_INVALID_VALUE, "there is no place for the size");
    *bytes = work_bytes(w);
    return CUFFT_SUCCESS;
}
/* A plan of a new handle. */
static cufftResult create(cufftHandle *handle, const struct wanted *w)
{
    cufftResult status = cufftCreate(handle);
    if (status != CUFFT_SUCCESS) return status;
    status = make(*handle, w, NULL);
    if (status != CUFFT_SUCCESS) {
        (void)cufftDestroy(*handle);
        *handle = CUFFT_PLAN_NULL;
    }
    return status;
}

/* ---- the same by dimensions: Plan, MakePlan, GetSize and Estimate of 1, 2 and 3 ---- */
#define DENSE(kind, ranks, batches, ...) \
    const struct wanted w = { \
        .function = __func__, .rank = ranks, .n = (const long long[]){__VA_ARGS__}, .batch = batches, .type = kind}
cufftResult cufftPlan1d(cufftHandle *handle, int nx, cufftType type, int batch)
{
    DENSE(type, 1, batch, nx);
    return create(handle, &w);
}
cufftResult cufftPlan2d(cufftHandle *handle, int nx, int ny, cufftType type)
{
    DENSE(type, 2, 1, nx, ny);
    return create(handle, &w);
}
cufftResult cufftPlan3d(cufftHandle *handle, int nx, int ny, int nz, cufftType type)
{
    DENSE(type, 3, 1, nx, ny, nz);
    return create(handle, &w);
}
cufftResult cufftMakePlan1d(cufftHandle handle, int nx, cufftType type, int batch, size_t *bytes)
{
    DENSE(type, 1, batch, nx);
    return make(handle, &w, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle handle, int nx, int ny, cufftType type, size_t *bytes)
{
    DENSE(type, 2, 1, nx, ny);
    return make(handle, &w, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    DENSE(type, 3, 1, nx, ny, nz);
    return make(handle, &w, bytes);
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *bytes)
{
    DENSE(type, 1, batch, nx);
    return estimate(&w, bytes);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *bytes)
{
    DENSE(type, 2, 1, nx, ny);
    return estimate(&w, bytes);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    DENSE(type, 3, 1, nx, ny, nz);
    return estimate(&w, bytes);
}
cufftResult cufftGetSize1d(cufftHandle handle, int nx, cufftType type, int batch, size_t *bytes)
{
    return fft_plan_of(__func__, handle) ? cufftEstimate1d(nx, type, batch, bytes) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSize2d(cufftHandle handle, int nx, int ny, cufftType type, size_t *bytes)
{
    return fft_plan_of(__func__, handle) ? cufftEstimate2d(nx, ny, type, bytes) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSize3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    return fft_plan_of(__func__, handle) ? cufftEstimate3d(nx, ny, nz, type, bytes) : CUFFT_INVALID_PLAN;
}

/* ---- with layouts, in 32 and 64 bits ---- */
static const long long *widened(long long to[FFT_RANKS], const int *from, int rank)
{
    for (int r = 0; from && r < rank && r < FFT_RANKS; r++) to[r] = from[r];
    return from ? to : NULL;
}
#define LAID_OUT(...) \
    const struct wanted w = {.function = __func__, \
                             .rank = rank, \
                             .in_stride = istride, \
                             .in_dist = idist, \
                             .out_stride = ostride, \
                             .out_dist = odist, \
                             .type = type, \
                             .batch = batch, \
                             __VA_ARGS__}
#define LAID_OUT_32 \
    long long sizes[FFT_RANKS], ins[FFT_RANKS], outs[FFT_RANKS]; \
    LAID_OUT(.n = widened(sizes, n, rank), .in_embed = widened(ins, inembed, rank), \
             .out_embed = widened(outs, onembed, rank))
#define LAID_OUT_64 LAID_OUT(.n = n, .in_embed = inembed, .out_embed = onembed)
cufftResult cufftPlanMany(cufftHandle *handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, cufftType type, int batch)
{
    LAID_OUT_32;
    return create(handle, &w);
}
cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *bytes)
{
    LAID_OUT_32;
    return make(handle, &w, bytes);
}
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                              int odist, cufftType type, int batch, size_t *bytes)
{
    LAID_OUT_32;
    return estimate(&w, bytes);
}
cufftResult cufftGetSizeMany(cufftHandle handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                             int ostride, int odist, cufftType type, int batch, size_t *bytes)
{
    LAID_OUT_32;
    return fft_plan_of(__func__, handle) ? estimate(&w, bytes) : CUFFT_INVALID_PLAN;
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                                long long batch, size_t *bytes)
{
    LAID_OUT_64;
    return make(handle, &w, bytes);
}
cufftResult cufftGetSizeMany64(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                               long long batch, size_t *bytes)
{
    LAID_OUT_64;
    return fft_plan_of(__func__, handle) ? estimate(&w, bytes) : CUFFT_INVALID_PLAN;
}

/* The type of a transform between elements; 0, which is none, where there is no such transform. */
static cufftType type_of(cudaDataType in, cudaDataType out, cudaDataType execution)
{
    const bool is_double = execution == CUDA_C_64F || execution == CUDA_R_64F;
    const cudaDataType real = is_double ? CUDA_R_64F : CUDA_R_32F, whole = is_double ? CUDA_C_64F : CUDA_C_32F;
    if (execution != real && execution != whole) return (cufftType)0;
    if (in == whole && out == whole) return is_double ? CUFFT_Z2Z : CUFFT_C2C;
    if (in == real && out == whole) return is_double ? CUFFT_D2Z : CUFFT_R2C;
    if (in == whole && out == real) return is_double ? CUFFT_Z2D : CUFFT_C2R;
    return (cufftType)0;
}
cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, cudaDataType in, long long *onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t *bytes,
                                cudaDataType execution)
{
    const cufftType type = type_of(in, out, execution);
    LAID_OUT_64;
    return make(handle, &w, bytes);
}
cufftResult cufftXtGetSizeMany(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, cudaDataType in, long long *onembed, long long ostride, long long odist,
                               cudaDataType out, long long batch, size_t *bytes, cudaDataType execution)
{
    const cufftType type = type_of(in, out, execution);
    LAID_OUT_64;
    return fft_plan_of(__func__, handle) ? estimate(&w, bytes) : CUFFT_INVALID_PLAN;
}

/* ---- work areas, which are not used, and versions ---- */
cufftResult cufftGetSize(cufftHandle handle, size_t *bytes)
{
    const struct fft_plan *plan = fft_plan_of(__func__, handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    if (!plan->is_made) return fft_refuse(__func__, CUFFT_INVALID_PLAN, "the plan is not made");
    const struct wanted w = {
        .function = __func__, .rank = FFT_RANKS, .n = plan->n, .batch = plan->batch, .type = plan->type};
    return estimate(&w, bytes);
}
cufftResult cufftSetWorkArea(cufftHandle handle, void *area)
{
    (void)area;
    return fft_plan_of(__func__, handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int is_automatic)
{
    (void)is_automatic;
    return fft_plan_of(__func__, handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy policy, size_t *bytes)
{
    (void)policy;
    if (bytes) *bytes = 0;
    return fft_plan_of(__func__, handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetVersion(int *version)
{
    if (!version) return fft_refuse(__func__, CUFFT_INVALID_VALUE, "there is no place for the version");
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    const int values[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return fft_refuse(__func__, CUFFT_INVALID_VALUE, "a property is major, minor or patch");
    *value = values[type];
    return CUFFT_SUCCESS;
}
