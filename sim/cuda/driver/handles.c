/* Whether a handle that a program passes is one of its context. */
#include "driver/shim.h"

CUresult stream_find(CUcontext context, CUstream stream)
{
    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return CUDA_SUCCESS;
    for (CUstream st = context->streams; st; st = st->next)
        if (st == stream) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not a stream of the current context");
}

static bool has_module(CUcontext context, CUmodule module)
{
    for (CUmodule m = context ? context->modules : NULL; m; m = m->next)
        if (m == module) return true;
    return false;
}

CUresult module_find(CUcontext context, CUmodule module)
{
    struct shim *s = shim_lock();
    const bool is_known = has_module(context, module) || has_module(s->primary, module);
    shim_unlock(s, CUDA_SUCCESS);
    if (is_known) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not a module of the current context");
}
