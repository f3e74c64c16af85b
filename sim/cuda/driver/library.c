/* cuLibrary* and cuKernel* of CUDA 12: a library is a module of the current context, a kernel its function. */
#include "driver/shim.h"

_Static_assert(sizeof(CUlibrary) == sizeof(CUmodule), "a handle each");
static CUmodule module_of(CUlibrary library) { return (CUmodule)(void *)library; }
static CUfunction function_of(CUkernel kernel) { return (CUfunction)(void *)kernel; }

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
                           unsigned int n_jit, void *options, void **values, unsigned int n)
{
    (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n; /* about compilation and time */
    return cuModuleLoadData((CUmodule *)(void *)library, code);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit, void **jit_values,
                               unsigned int n_jit, void *options, void **values, unsigned int n)
{
    (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    return cuModuleLoad((CUmodule *)(void *)library, path);
}
CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload(module_of(library)); }
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)(void *)kernel, module_of(library), name);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal(address, bytes, module_of(library), name);
}

/* A handle that the current context has. */
static CUresult known(CUlibrary library, CUkernel kernel)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS)
        result = library ? module_find(context, module_of(library)) : function_find(context, function_of(kernel));
    return shim_unlock(s, result);
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    const CUresult result =
        module ? known(library, NULL) : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLibraryGetModule: NULL");
    if (result == CUDA_SUCCESS) *module = module_of(library);
    return result;
}
CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    const CUresult result =
        count && library ? known(library, NULL) : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLibraryGetKernelCount: NULL");
    if (result == CUDA_SUCCESS) *count = (unsigned)module_of(library)->n_functions;
    return result;
}
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    const CUresult result =
        function ? known(NULL, kernel) : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuKernelGetFunction: NULL");
    if (result == CUDA_SUCCESS) *function = function_of(kernel);
    return result;
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    return device ? shim_fail(CUDA_ERROR_INVALID_DEVICE, "cuKernelGetAttribute: device %d", device)
                  : cuFuncGetAttribute(value, attribute, function_of(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    return device ? shim_fail(CUDA_ERROR_INVALID_DEVICE, "cuKernelSetAttribute: device %d", device)
                  : cuFuncSetAttribute(function_of(kernel), attribute, value);
}
