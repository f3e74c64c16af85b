/* Any text: a module or an error with a text and a line. What parses is run, with little memory and few
 * instructions: no access may leave its allocation. A text that begins with '!' is taken as the body of a kernel
 * with some declarations. */
#include <stdlib.h>
#include <string.h>
#include "poise/ptx.h"

#define BASE 0x7f0000000000ull
#define BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ptx_extent find(void *self, uint64_t address)
{
    (void)self;
    return address - BASE < BYTES ? (struct ptx_extent){BASE, BASE + BYTES, NULL} : (struct ptx_extent){0, 0, NULL};
}

static void print(void *self, const char *text, size_t size)
{
    (void)self;
    if (size && !text) abort();
}
static uint64_t allocate(void *self, uint64_t bytes) { return (void)self, bytes <= 64 ? BASE + 1024 : 0; }
static int release(void *self, uint64_t address) { return (void)self, address == BASE + 1024 ? 0 : -1; }
static const struct ptx_texture texture = {.address = BASE,
                                           .pitch = 64,
                                           .slice_pitch = 512,
                                           .width = 16,
                                           .height = 8,
                                           .depth = 2,
                                           .channels = 1,
                                           .channel_bits = 32,
                                           .kind = 'f',
                                           .filters = true,
                                           .is_normalised = true};
static const struct ptx_texture *find_texture(void *self, uint64_t handle)
{
    return (void)self, handle % 2 ? &texture : NULL;
}
static const struct ptx_services services = {.texture = find_texture,
                                             .print = print,
                                             .allocate = allocate,
                                             .release = release},
                                 cooperative = {.texture = find_texture, .print = print, .grid_workspace = BASE + 2048};

static void run(const struct ptx_kernel *kernel)
{
    unsigned char *host = calloc(1, BYTES);
    const struct ptx_kernel_info *info = ptx_kernel_info(kernel);
    unsigned char *params = calloc(1, info->param_bytes + 1u);
    const struct ptx_memory memory = {host, BASE, BYTES, find, NULL};
    const struct ptx_grid grid = {
        {2, 1, 1}, {info->max_threads && info->max_threads < 40 ? info->max_threads : 40, 1, 1}, 64};
    const uint64_t pointer = BASE;
    struct error err;
    if (!host || !params) abort();
    for (uint32_t i = 0; i < info->n_params; i++)
        if (info->params[i].bytes == 8) memcpy(params + info->params[i].offset, &pointer, 8);
    for (int k = 0; k < 2 && info->local_bytes < 20000; k++)
        ptx_run_with(kernel, &grid, params, info->param_bytes, &memory, k ? &cooperative : &services, NULL, 2000, NULL,
                     &err);
    free(params);
    free(host);
}

static int try_text(const char *text, size_t size)
{
    struct ptx_module *module;
    struct error err = {0};
    if (ptx_module_new(&module, "fuzz", text, size, &err) < 0) {
        if (!err.text[0] || err.code == ERR_NONE) abort();
        return 0;
    }
    for (size_t i = 0; i < ptx_module_n_variables(module); i++) ptx_module_place(module, i, BASE + 64 * i);
    for (size_t i = 0; i < ptx_module_n_textures(module); i++) ptx_module_bind_texture(module, i, &texture);
    for (size_t i = 0; i < ptx_module_n_kernels(module) && i < 4; i++) run(ptx_module_kernel(module, i));
    ptx_module_free(module);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] =
        ".version 9.0\n.target sm_90\n.func (.param .b32 r) f(.param .b32 x) { .reg .b32 y; ld.param.b32 y, [x]; "
        "st.param.b32 [r], y; ret; }\n"
        ".global .b32 g[4] = {1, 2};\n.entry k(.param .u64 o, .param .u32 n) { .reg .pred p, q; .reg .b16 h, i; .reg "
        ".b32 a, b, c, d;"
        ".reg .b64 u, v, w; .reg .f32 e, f; .reg .f64 x, y; .shared .b32 s[8]; .local .b64 l[2]; .param .b32 t;"
        "ld.param.u64 u, [o]; mov.u32 a, %tid.x;\n";
    if (size == 0 || data[0] != '!') return try_text((const char *)data, size);
    char *text = malloc(sizeof head + size);
    if (!text) abort();
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, data + 1, size - 1);
    text[sizeof head + size - 2] = '}';
    const int rc = try_text(text, sizeof head + size - 1);
    free(text);
    return rc;
}
