/* Modules from PTX text. Loading places the module's variables in device memory. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include "poise/cuda_limits.h"
#include "poise/fatbin.h"
#include "poise/file.h"

void module_free(struct shim *s, CUmodule module)
{
    CUmodule *link = &module->context->modules;
    while (*link && *link != module) link = &(*link)->next;
    if (*link) *link = module->next;
    memory_drop_owned(&s->memory, module->context, module);
    ptx_module_free(module->ptx);
    free(module->functions);
    free(module->references);
    free(module->addresses);
    free(module);
}

#define REGION(address) ((address) >> 32 << 32)

/* Variables in the order of the text, so that addresses depend on the program alone. Constants lie in one region of 4
 * GiB, as PTX may have the lower halves of their addresses alone: where they do not, all begin again further up. */
static CUresult place_variables(struct shim *s, CUmodule m)
{
    uint64_t from = DEVICE_MEMORY_BASE, constants = 0;
    for (size_t i = 0; i < m->n_variables; i++) {
        const struct ptx_variable *v = ptx_module_variable(m->ptx, i);
        const bool is_constant = v->space == TRACE_SPACE_CONST;
        if (v->align > MEMORY_ALIGN)
            return shim_fail(CUDA_ERROR_INVALID_PTX, "variable %s: alignment %llu is above %d", v->name,
                             (unsigned long long)v->align, MEMORY_ALIGN);
        const uint64_t at =
            memory_take_from(&s->memory, is_constant ? from : DEVICE_MEMORY_BASE, v->bytes ? v->bytes : 1, m->context,
                             m, v->is_managed ? ALLOCATION_MANAGED : ALLOCATION_DEVICE);
        if (!at)
            return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "variable %s: no room for %llu bytes", v->name,
                             (unsigned long long)v->bytes);
        if (is_constant && REGION(at + v->bytes) != (constants ? constants : REGION(at))) {
            from = REGION(at + v->bytes), constants = 0, i = SIZE_MAX;
            memory_drop_owned(&s->memory, m->context, m);
            continue;
        }
        if (is_constant) constants = REGION(at);
        if (v->init) memcpy(memory_host(&s->memory, at), v->init, v->bytes);
        ptx_module_place(m->ptx, i, at);
        m->addresses[i] = at;
    }
    return CUDA_SUCCESS;
}

static CUresult fill_module(struct shim *s, CUmodule m, const char *name, const char *text, size_t size)
{
    struct error err;
    if (ptx_module_new(&m->ptx, name, text, size, &err) < 0)
        return shim_fail_with(err.code == ERR_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX, &err);
    provenance_of_module(m, text, size);
    m->n_functions = ptx_module_n_kernels(m->ptx);
    m->n_variables = ptx_module_n_variables(m->ptx);
    m->functions = calloc(m->n_functions + 1, sizeof *m->functions);
    m->addresses = calloc(m->n_variables + 1, sizeof *m->addresses);
    if (!m->functions || !m->addresses) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "%s: no memory for a module", name);
    for (size_t i = 0; i < m->n_functions; i++) {
        struct CUfunc_st *f = &m->functions[i];
        const uint32_t most = s->device.block_shared_bytes;
        f->module = m;
        f->kernel = ptx_module_kernel(m->ptx, i);
        f->info = ptx_kernel_info(f->kernel);
        f->max_dynamic_shared_bytes = f->info->static_shared_bytes < most ? most - f->info->static_shared_bytes : 0;
    }
    if (cuda_limits_check(m->ptx, name, &err) < 0) return shim_fail_with(CUDA_ERROR_INVALID_PTX, &err);
    const CUresult result = references_new(m);
    return result == CUDA_SUCCESS ? place_variables(s, m) : result;
}

static CUresult load(struct shim *s, CUcontext context, CUmodule *out, const char *name, const char *text, size_t size)
{
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
    if (size >= 4 && memcmp(text, elf, 4) == 0)
        return shim_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                         "%s: machine code for a real GPU; this device runs PTX text: compile with -ptx", name);
    CUmodule m = calloc(1, sizeof *m);
    if (!m) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "%s: no memory for a module", name);
    m->context = context;
    m->next = context->modules;
    context->modules = m;
    const CUresult result = fill_module(s, m, name, text, size);
    if (result == CUDA_SUCCESS) *out = m;
    else module_free(s, m);
    return result;
}

/* A fat binary holds its own size; the text that this device takes is inside. */
static CUresult load_fat(struct shim *s, CUcontext context, CUmodule *out, const char *name, const void *data,
                         size_t size)
{
    struct error err = {0};
    char *text;
    if (fatbin_ptx(&text, &size, data, size, cuda_device_capability(&s->device), &err) < 0)
        return shim_fail_with(CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    const CUresult result = load(s, context, out, name, text, size);
    free(text);
    return result;
}

static bool is_fat(const void *data)
{
    static const unsigned char fat[] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(data, fat, sizeof fat) == 0;
}

/* Whether the image is text: its first bytes, as far as no NUL ends them. */
static bool starts_fat(const char *image) { return strnlen(image, 4) == 4 && is_fat(image); }

static const void *unwrap(const void *image)
{
    const struct fatbin_wrapper *w = image;
    uint32_t magic;
    if (strnlen(image, 4) < 4) return image;
    memcpy(&magic, image, 4);
    return magic == FATBIN_WRAPPER_MAGIC ? w->data : image;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!module || !image))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoadData: NULL");
    if (result == CUDA_SUCCESS && starts_fat(image = unwrap(image)))
        result = load_fat(s, context, module, "module", image, fatbin_bytes(image));
    else if (result == CUDA_SUCCESS) result = load(s, context, module, "module", image, strlen(image));
    return shim_unlock(s, result);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return cuModuleLoadData(module, image); }

struct jit_log jit_log_of(unsigned int n_options, const CUjit_option *options, void *const *values)
{
    struct jit_log log = {0};
    for (unsigned i = 0; i < n_options; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.text = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log.size = (size_t)(uintptr_t)values[i];
    }
    return log.text ? log : (struct jit_log){0};
}

void jit_log_write(const struct jit_log *log, CUresult result)
{
    if (log->size) snprintf(log->text, log->size, "%s", result == CUDA_SUCCESS ? "" : shim_thread()->last_error);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n_options, CUjit_option *options,
                            void **values)
{
    if (n_options && (!options || !values)) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoadDataEx: NULL");
    const CUresult result = cuModuleLoadData(module, image);
    const struct jit_log log = jit_log_of(n_options, options, values);
    jit_log_write(&log, result);
    return result;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    struct shim *s = shim_lock();
    struct error err;
    CUcontext context;
    char *text = NULL;
    size_t size;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!module || !path))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoad: NULL");
    if (result == CUDA_SUCCESS && file_read(&text, &size, path, &err) < 0)
        result = shim_fail_with(CUDA_ERROR_FILE_NOT_FOUND, &err);
    if (result == CUDA_SUCCESS)
        result = size > FATBIN_HEADER_BYTES && is_fat(text) ? load_fat(s, context, module, path, text, size)
                                                            : load(s, context, module, path, text, size);
    free(text);
    return shim_unlock(s, result);
}

CUresult cuModuleUnload(CUmodule module)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = module_find(context, module);
    if (result == CUDA_SUCCESS) module_free(s, module);
    return shim_unlock(s, result);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!function || !name))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleGetFunction: NULL");
    if (result == CUDA_SUCCESS) result = module_find(context, module);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    for (size_t i = 0; i < module->n_functions; i++)
        if (strcmp(module->functions[i].info->name, name) == 0)
            return *function = &module->functions[i], shim_unlock(s, CUDA_SUCCESS);
    return shim_unlock(s, shim_fail(CUDA_ERROR_NOT_FOUND, "the module has no kernel '%s'", name));
}

bool module_has_variable(CUmodule module, const char *name)
{
    for (size_t i = 0; i < module->n_variables; i++)
        if (strcmp(ptx_module_variable(module->ptx, i)->name, name) == 0) return true;
    return false;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !name) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleGetGlobal: NULL");
    if (result == CUDA_SUCCESS) result = module_find(context, module);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    for (size_t i = 0; i < module->n_variables; i++) {
        const struct ptx_variable *v = ptx_module_variable(module->ptx, i);
        if (strcmp(v->name, name) != 0) continue;
        if (address) *address = module->addresses[i];
        if (bytes) *bytes = v->bytes;
        return shim_unlock(s, CUDA_SUCCESS);
    }
    return shim_unlock(s, shim_fail(CUDA_ERROR_NOT_FOUND, "the module has no variable '%s'", name));
}
