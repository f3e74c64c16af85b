/* Kernels compiled by nvcc for two targets (kernels/, the .cu files beside them) against plain C: calls with frames
 * and by address, CUDA's device functions, half precision, textures, warps, atomics. */
#include <math.h>
#include "poise/file.h"
#include "ptx_rig.h"
#include "poise/trace.h"

static struct ptx_module *module;
static struct rig_device device;
static struct ptx_services services;
static char printed[4096];
static size_t n_printed;
static int n_live;
static struct ptx_texture textures[2];

static void print(void *self, const char *text, size_t size)
{
    (void)self;
    assert_true(n_printed + size < sizeof printed);
    memcpy(printed + n_printed, text, size);
    printed[n_printed += size] = '\0';
}

/* A heap of blocks of 64 bytes in one allocation. */
static uint64_t heap;
static uint8_t heap_used[64];
static uint64_t allocate(void *self, uint64_t bytes)
{
    (void)self;
    for (uint64_t i = 0; i < 64 && bytes <= 64; i++)
        if (!heap_used[i]) {
            heap_used[i] = 1;
            n_live++;
            return heap + 64 * i;
        }
    return 0;
}
static int release(void *self, uint64_t address)
{
    (void)self;
    const uint64_t i = (address - heap) / 64;
    if (i >= 64 || !heap_used[i]) return -1;
    heap_used[i] = 0;
    n_live--;
    return 0;
}
static const struct ptx_texture *find_texture(void *self, uint64_t handle)
{
    (void)self;
    return handle >= 1 && handle <= 2 ? &textures[handle - 1] : NULL;
}

static void open_module(const char *file)
{
    rig_init(&device);
    module = rig_module_file(file);
    uint64_t at[64] = {0};
    for (size_t i = 0; i < ptx_module_n_variables(module); i++) {
        const struct ptx_variable *v = ptx_module_variable(module, i);
        assert_true(i < 64);
        at[i] = RIG_BASE + device.top;
        device.top += (v->bytes + 255) / 256 * 256;
        ptx_module_place(module, i, at[i]);
    }
    for (size_t i = 0; i < ptx_module_n_variables(module); i++) /* initialisers may hold addresses */
        if (ptx_module_variable(module, i)->init)
            memcpy(rig_host(&device, at[i]), ptx_module_variable(module, i)->init,
                   ptx_module_variable(module, i)->bytes);
    if (device.top) device.allocations[device.n++] = (struct ptx_extent){RIG_BASE, RIG_BASE + device.top, NULL};
    heap = rig_alloc(&device, 64 * 64, NULL);
    memset(heap_used, 0, sizeof heap_used);
    services = (struct ptx_services){.texture = find_texture, .print = print, .allocate = allocate, .release = release};
    n_printed = 0;
    printed[0] = '\0';
    n_live = 0;
}

static void close_module(void)
{
    ptx_module_free(module);
    rig_fini(&device);
}

static int try_launch(const char *kernel, uint32_t threads, const void *params, size_t bytes, struct error *err)
{
    const struct ptx_kernel *k = ptx_kernel_find(module, kernel);
    const struct ptx_grid grid = {{1, 1, 1}, {threads, 1, 1}, 0};
    assert_non_null(k);
    return ptx_run_with(k, &grid, params, bytes, &device.memory, &services, NULL, 10000000, NULL, err);
}

static void launch(const char *kernel, uint32_t threads, const void *params, size_t bytes)
{
    struct error err = {0};
    assert_ok(try_launch(kernel, threads, params, bytes, &err), &err);
}

static void a_recursive_function_counts_Fibonacci_numbers_in_64_diverged_threads(void **state)
{
    (void)state;
    int in[64], fib[20] = {0, 1};
    open_module("calls_sm75.ptx");
    for (int i = 2; i < 20; i++) fib[i] = fib[i - 1] + fib[i - 2];
    for (int i = 0; i < 64; i++) in[i] = i * 7 % 14;
    const uint64_t p[] = {rig_alloc(&device, sizeof in, NULL), rig_alloc(&device, sizeof in, in)};
    launch("recursion", 64, p, sizeof p);
    for (int i = 0; i < 64; i++) assert_int_equal(fib[in[i]], ((int *)rig_host(&device, p[0]))[i]);
    close_module();
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void nested_recursion_keeps_the_local_arrays_of_every_frame(void **state)
{
    (void)state;
    open_module("calls_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4 * 32, NULL);
    launch("ackermann", 32, &out, sizeof out);
    for (int i = 0; i < 32; i++) assert_int_equal(ackermann(i % 3, i % 4), ((int *)rig_host(&device, out))[i]);
    int in[8];
    for (int i = 0; i < 8; i++) in[i] = i + 3;
    const uint64_t p[] = {rig_alloc(&device, 4 * 32, NULL), rig_alloc(&device, sizeof in, in)};
    launch("frames", 32, p, sizeof p);
    for (int i = 0; i < 32; i++) {
        /* walk(n) = in[0] + .. ; each level adds its local n, which the level below has raised */
        int sum = 0, where = 0;
        for (int k = 0; k < i % 5; k++) sum += in[k];
        int carried = 1; /* what the innermost call adds to its caller's local */
        for (int n = 1; n <= i % 5; n++) carried = n + carried;
        where = carried;
        assert_int_equal(sum * 1000 + where, ((int *)rig_host(&device, p[0]))[i]);
    }
    close_module();
}

static void a_table_of_three_functions_is_called_by_address_in_32_diverged_lanes(void **state)
{
    (void)state;
    open_module("calls_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4 * 32, NULL);
    launch("pointers", 32, &out, sizeof out);
    for (int i = 0; i < 32; i++)
        assert_int_equal(i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7, ((int *)rig_host(&device, out))[i]);
    close_module();
}

static void virtual_functions_of_objects_from_malloc_are_called(void **state)
{
    (void)state;
    open_module("calls_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4 * 32, NULL);
    launch("virtuals", 32, &out, sizeof out);
    for (int i = 0; i < 32; i++)
        assert_float_equal((i & 1 ? 1.0f : 3.0f) * (float)(i * i), ((float *)rig_host(&device, out))[i], 0);
    assert_int_equal(0, n_live);
    launch("mallocs", 32, &out, sizeof out);
    for (int i = 0; i < 32; i++) assert_int_equal(28 * i, ((int *)rig_host(&device, out))[i]);
    assert_int_equal(0, n_live);
    services.allocate = NULL;
    launch("mallocs", 32, &out, sizeof out);
    for (int i = 0; i < 32; i++) assert_int_equal(-1, ((int *)rig_host(&device, out))[i]);
    close_module();
}

static void printf_formats_six_arguments_as_C_does(void **state)
{
    (void)state;
    open_module("calls_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4 * 32, NULL);
    launch("says", 32, &out, sizeof out);
    char expect[400];
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        n += (size_t)snprintf(expect + n, sizeof expect - n, "thread %d of %5.2f %s|%-5d|%c %lld %%\n", i, i * 1.5,
                              i ? "odd" : "zero", i, 'a' + i, 1LL << 40);
    assert_string_equal(expect, printed);
    for (int i = 0; i < 3; i++) assert_int_equal(6, ((int *)rig_host(&device, out))[i]);
    close_module();
}

static void a_failed_assertion_ends_the_launch_and_tells_its_text(void **state)
{
    (void)state;
    struct error err = {0};
    open_module("calls_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4, NULL);
    assert_int_equal(-1, try_launch("asserts", 32, &out, sizeof out, &err));
    assert_int_equal(ERR_RUN, err.code);
    assert_non_null(strstr(err.text, "assertion `out[0] == threadIdx.x' failed"));
    assert_non_null(strstr(err.text, "thread (1,0,0)"));
    close_module();
}

static void generic_accesses_from_cvta_are_recorded_as_shared_and_local(void **state)
{
    (void)state;
    open_module("calls_sm75.ptx");
    const struct {
        uint64_t out;
        int n;
    } p = {rig_alloc(&device, 4 * 64, NULL), 8};
    launch("provenance", 32, &p, 12);
    for (int t = 0; t < 32; t++) {
        int sum = 28 * t;
        for (int k = 0; k < 8; k++) sum += (t & 15) + k < 32 ? (t & 15) + k : 0;
        assert_int_equal(sum, ((int *)rig_host(&device, p.out))[t]);
    }
    const struct trace_inst *code;
    const char *strings;
    size_t n_strings, n_shared = 0, n_local = 0;
    uint32_t n_code, n_regs;
    ptx_kernel_code(ptx_kernel_find(module, "provenance"), &code, &n_code, &strings, &n_strings, &n_regs);
    for (uint32_t i = 0; i < n_code; i++) {
        if (strcmp(strings + code[i].name, "ld.b32") != 0 && strcmp(strings + code[i].name, "ld.u32") != 0) continue;
        n_shared += code[i].space == TRACE_SPACE_SHARED;
        n_local += code[i].space == TRACE_SPACE_LOCAL;
        assert_int_not_equal(TRACE_SPACE_GLOBAL, code[i].space);
    }
    assert_true(n_shared > 0 && n_local > 0);
    close_module();
}

static float to_half(double x) /* a second opinion: scale, round, scale back */
{
    if (x == 0.0 || x != x || isinf(x)) return (float)x;
    int e = ilogb(x);
    if (e < -14) e = -14;
    const double r = ldexp(rint(ldexp(x, 10 - e)), e - 10);
    return fabs(r) >= 65520.0 ? (float)copysign(INFINITY, x) : (float)r;
}

static void half_precision_arithmetic_is_correctly_rounded(void **state)
{
    (void)state;
    static const char *const files[] = {"half_sm75.ptx", "half_sm90.ptx"};
    float x[32], y[32];
    for (int i = 0; i < 32; i++) {
        x[i] = (float)((i * 7919 % 1000) - 500) * 0.37f;
        y[i] = (float)((i * 104729 % 1000) - 499) * 0.0123f;
    }
    x[3] = 60000.0f, y[3] = 30000.0f;
    x[4] = 1e-7f, y[4] = 0.25f;
    for (int f = 0; f < 2; f++) {
        open_module(files[f]);
        const uint64_t p[] = {rig_alloc(&device, 32 * 64, NULL), rig_alloc(&device, sizeof x, x),
                              rig_alloc(&device, sizeof y, y)};
        launch("halves", 32, p, sizeof p);
        for (int i = 0; i < 32; i++) {
            const float *o = (const float *)rig_host(&device, p[0]) + 16 * i, a = to_half(x[i]), b = to_half(y[i]);
            const double sum = (double)a + b;
            assert_float_equal(to_half(sum), o[0], 0);
            assert_float_equal(to_half((double)a * b), o[1], 0);
            assert_float_equal(to_half((double)a * b + a), o[2], 0);
            assert_float_equal(to_half((double)a - b), o[3], 0);
            assert_float_equal(a < b, o[4], 0);
            assert_float_equal(a < b ? a : b, o[5], 0);
            assert_float_equal(to_half(sum < 0 ? 0 : sum > 1 ? 1 : sum), o[6], 0);
            assert_float_equal(rint(a), o[7], 0);
            assert_float_equal(to_half(i * 37), o[8], 0);
            assert_float_equal(rint(a), o[10], 0);
            assert_float_equal(to_half(sqrt(fabs(a))), o[12], 0);
        }
        close_module();
    }
}

static void pairs_of_halves_and_bfloat16_are_computed_element_by_element(void **state)
{
    (void)state;
    float x[64], y[64];
    for (int i = 0; i < 64; i++) x[i] = (float)(i - 30) * 0.75f, y[i] = (float)(i * 5 % 17 - 8) * 0.5f;
    open_module("half_sm90.ptx");
    const uint64_t p[] = {rig_alloc(&device, 32 * 16, NULL), rig_alloc(&device, sizeof x, x),
                          rig_alloc(&device, sizeof y, y)};
    launch("pairs", 32, p, sizeof p);
    const float *o = rig_host(&device, p[0]);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 2; k++) {
            const float a = x[2 * i + k], b = y[2 * i + k], r = to_half((double)a * b + to_half((double)a + b));
            const bool same = x[2 * i] == y[2 * i] && x[2 * i + 1] == y[2 * i + 1];
            if (!(same && k == 0)) assert_float_equal(r > -a ? r : -a, o[4 * i + k], 0);
            assert_float_equal(a > b, o[4 * i + 2 + k], 0);
        }
    launch("brains", 32, p, sizeof p); /* o[32 + i] = x + y: multiples of a quarter below 32 are exact in eight bits */
    for (int i = 0; i < 32; i++)
        if (fabsf(x[i] + y[i]) < 32.0f) assert_float_equal(x[i] + y[i], o[32 + i], 0);
    const uint64_t q[] = {rig_alloc(&device, 4, NULL), p[1]};
    launch("hatom", 32, q, sizeof q);
    const uint16_t *sum = rig_host(&device, q[0]);
    assert_int_equal(0x5000, sum[1]); /* 32 */
    close_module();
}

static void textures_are_sampled_by_point_and_linearly_in_one_two_and_three_dimensions(void **state)
{
    (void)state;
    enum { W = 8, H = 4, D = 3 };
    float image[D][H][W], line[6];
    open_module("texture_sm75.ptx");
    for (int i = 0; i < W * H * D; i++) (&image[0][0][0])[i] = (float)(i % 13) * 4;
    for (int i = 0; i < 6; i++) line[i] = (float)(100 + i);
    textures[0] = (struct ptx_texture){.address = rig_alloc(&device, sizeof image, image),
                                       .pitch = W * 4,
                                       .slice_pitch = W * H * 4,
                                       .width = W,
                                       .height = H,
                                       .depth = D,
                                       .channels = 1,
                                       .channel_bits = 32,
                                       .kind = 'f',
                                       .address_mode = {PTX_TEXTURE_CLAMP, PTX_TEXTURE_CLAMP, PTX_TEXTURE_CLAMP}};
    textures[1] = (struct ptx_texture){.address = rig_alloc(&device, sizeof line, line),
                                       .width = 6,
                                       .channels = 1,
                                       .channel_bits = 32,
                                       .kind = 'f',
                                       .is_linear_memory = true};
    const struct {
        uint64_t out, t, u;
        int n;
    } p = {rig_alloc(&device, 4 * 32, NULL), 1, 2, 0};
    for (int linear = 0; linear < 2; linear++) {
        textures[0].filters = linear;
        launch("objects", 32, &p, 28);
        for (int i = 0; i < 32; i++) {
            const float px = (float)i * 0.5f, py = (float)i * 0.25f;
            float expect;
#define AT(z, yy, xx) image[z][(yy) < 0 ? 0 : (yy) >= H ? H - 1 : (yy)][(xx) < 0 ? 0 : (xx) >= W ? W - 1 : (xx)]
            if (!linear) {
                expect = AT(0, (int)floorf(py), (int)floorf(px)) + image[1][0][0] + image[0][1][1];
            } else {
                const int x0 = (int)floorf(px - 0.5f), y0 = (int)floorf(py - 0.5f);
                const float fx = px - 0.5f - (float)x0, fy = py - 0.5f - (float)y0;
                expect = (1 - fx) * (1 - fy) * AT(0, y0, x0) + fx * (1 - fy) * AT(0, y0, x0 + 1) +
                         (1 - fx) * fy * AT(0, y0 + 1, x0) + fx * fy * AT(0, y0 + 1, x0 + 1);
                expect += image[1][0][0]; /* the centre of a texel */
                /* (1, 1, 0): halfway between texels in x and y, at the lower edge in z */
                expect += 0.25f * (image[0][0][0] + image[0][0][1] + image[0][1][0] + image[0][1][1]);
            }
            expect += i >= 2 && i - 2 < 6 ? line[i - 2] : 0;
            expect += line[0];
            assert_float_equal(expect, ((float *)rig_host(&device, p.out))[i], 1e-4);
        }
    }
    struct error err = {0};
    const struct {
        uint64_t out, t, u;
        int n;
    } bad = {p.out, 77, 2, 0};
    assert_int_equal(-1, try_launch("objects", 32, &bad, 28, &err));
    assert_non_null(strstr(err.text, "0x4d is no texture or surface object"));
    close_module();
}

static void votes_matches_and_shuffles_agree_with_their_definitions(void **state)
{
    (void)state;
    static const char *const files[] = {"misc_sm75.ptx", "misc_sm90.ptx"};
    for (int f = 0; f < 2; f++) {
        open_module(files[f]);
        const uint64_t out = rig_alloc(&device, 64 * 48, NULL);
        launch("warps", 64, &out, sizeof out);
        for (uint32_t t = 0; t < 64; t++) {
            const uint32_t *o = (const uint32_t *)rig_host(&device, out) + 12 * t, lane = t % 32;
            assert_int_equal(~0u, o[0]);
            assert_int_equal(0xaaaaaaaa, o[1]);
            assert_int_equal(t < 32, o[2]);
            assert_int_equal(t < 32, o[3]);
            assert_int_equal(0xfu << lane / 4 * 4, o[4]);
            assert_int_equal(~0u, o[5]);
            assert_int_equal(1, o[6]);
            assert_int_equal(t ^ 3, o[7]);
            assert_int_equal(lane % 16 < 2 ? t : t - 2, o[8]);
            assert_int_equal(6, o[9]);
            int dot = 1, two = 2;
            for (int k = 0; k < 4; k++) dot += (int8_t)(t >> 8 * k) * (int8_t)(t * 3 >> 8 * k);
            for (int k = 0; k < 2; k++) two += (int16_t)(t >> 16 * k) * (int8_t)(t * 5 >> 8 * k);
            assert_int_equal(dot, (int)o[10]);
            assert_int_equal(two, (int)o[11]);
        }
        close_module();
    }
}

static void atomics_of_every_type_and_scope_add_up(void **state)
{
    (void)state;
    open_module("misc_sm75.ptx");
    const uint32_t b0[8] = {~0u};
    const uint64_t p[] = {rig_alloc(&device, 64, NULL), rig_alloc(&device, sizeof b0, b0),
                          rig_alloc(&device, 64, NULL), rig_alloc(&device, 64, NULL),
                          rig_alloc(&device, 64, NULL), rig_alloc(&device, 64, NULL)};
    launch("atoms", 32, p, sizeof p);
    const int *a = rig_host(&device, p[0]);
    const uint32_t *b = rig_host(&device, p[1]);
    const uint64_t *c = rig_host(&device, p[2]);
    const float *f = rig_host(&device, p[3]);
    assert_int_equal(496, a[0]);
    assert_int_equal(-496, a[1]);
    assert_int_equal(-31, a[2]);
    assert_int_equal(31, a[3]);
    assert_int_equal(32, a[4]);
    assert_int_equal(32, a[5]);
    assert_int_equal(~31u, b[0]);
    assert_int_equal(31, b[1]);
    assert_int_equal(0, b[2]);
    assert_int_equal(0, b[3]);
    assert_int_equal(0, b[4]);
    assert_int_equal(31, b[5]);
    assert_int_equal(32, b[6]);
    assert_int_equal(3, b[7]);
    assert_int_equal(496, c[0]);
    assert_int_equal(31, c[1]);
    assert_int_equal(9, c[2]);
    assert_float_equal(16, f[0], 0);
    assert_float_equal(31, f[1], 0);
    assert_float_equal(8, *(const double *)rig_host(&device, p[4]), 0);
    assert_true(*(const int64_t *)rig_host(&device, p[5]) == -31);
    close_module();
}

static void SIMD_video_functions_match_their_byte_by_byte_definitions(void **state)
{
    (void)state;
    const uint32_t a = 0x80f01234, b = 0x7f11c8f0;
    open_module("misc_sm75.ptx");
    const struct {
        uint64_t out;
        uint32_t a, b;
    } p = {rig_alloc(&device, 64, NULL), a, b};
    launch("video", 1, &p, sizeof p);
    uint32_t expect[9] = {0};
    for (int k = 0; k < 32; k += 8) {
        const uint32_t x = a >> k & 255, y = b >> k & 255, diff = x > y ? x - y : y - x;
        expect[0] |= ((x + y) & 255) << k;
        expect[1] |= diff << k;
        expect[3] |= ((x + y + 1) / 2) << k;
        expect[4] |= (x > y ? 255u : 0u) << k;
        expect[6] |= (x < y ? x : y) << k;
        expect[7] += diff;
        expect[8] |= (x + y > 255 ? 255 : x + y) << k;
    }
    for (int k = 0; k < 32; k += 16) {
        const int x = (int16_t)(a >> k), y = (int16_t)(b >> k), d = x - y;
        expect[2] |= ((uint32_t)(d > 32767 ? 32767 : d < -32768 ? -32768 : d) & 0xffff) << k;
        expect[5] |= ((uint32_t)(x > y ? x : y) & 0xffff) << k;
    }
    assert_memory_equal(expect, rig_host(&device, p.out), sizeof expect);
    close_module();
}

static void every_cache_operator_of_loads_and_stores_moves_its_value(void **state)
{
    (void)state;
    float in[32];
    open_module("misc_sm75.ptx");
    for (int i = 0; i < 32; i++) in[i] = (float)i;
    const uint64_t p[] = {rig_alloc(&device, 4 * 160, NULL), rig_alloc(&device, sizeof in, in)};
    launch("caches", 32, p, sizeof p);
    const float *o = rig_host(&device, p[0]);
    for (int i = 0; i < 32; i++) {
        assert_float_equal((float)(6 * i), o[i], 0);
        for (int k = 1; k < 5; k++) assert_float_equal((float)k, o[32 * k + i], 0);
    }
    close_module();
}

static void barriers_reduce_and_a_switch_takes_every_branch(void **state)
{
    (void)state;
    open_module("misc_sm75.ptx");
    const uint64_t out = rig_alloc(&device, 4 * 64, NULL);
    launch("bars", 64, &out, sizeof out);
    for (int t = 0; t < 64; t++) {
        int o = 32 + 1000 + 10000 + t / 8 * 8 + 3;
        switch (o & 15) {
        case 0: o += 1; break;
        case 1: o *= 3; break;
        case 2: o -= 9; break;
        case 3: o ^= 7; break;
        case 4: o = 8; break;
        case 5: o |= 1; break;
        default: o += t;
        }
        assert_int_equal(o, ((int *)rig_host(&device, out))[t]);
    }
    close_module();
}

static void double_precision_functions_of_CUDA_are_within_two_units_of_the_last_place(void **state)
{
    (void)state;
    open_module("misc_sm75.ptx");
    const struct {
        uint64_t o;
        double x;
        float f;
        int i;
        int64_t l;
        uint32_t u;
    } p = {rig_alloc(&device, 128, NULL), 2.7, 1.3f, 1234567, 1ll << 52 | 5, 77};
    launch("conv", 1, &p, 36);
    const double *o = rig_host(&device, p.o);
    assert_float_equal(2, o[0], 0);
    assert_float_equal(2, o[1], 0);
    assert_true(o[3] == nextafter(2.7, 3.0));
    assert_true(o[5] <= 0.9 && o[5] > 0.8999999999);
    assert_float_equal(3, o[7], 0);
    const double f = 1.3f, expect = sin(f) + pow(2.7, 0.3) + exp(f) + f * f;
    assert_float_equal(expect, o[10], 3e-6);
    close_module();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recursive_function_counts_Fibonacci_numbers_in_64_diverged_threads),
        cmocka_unit_test(nested_recursion_keeps_the_local_arrays_of_every_frame),
        cmocka_unit_test(a_table_of_three_functions_is_called_by_address_in_32_diverged_lanes),
        cmocka_unit_test(virtual_functions_of_objects_from_malloc_are_called),
        cmocka_unit_test(printf_formats_six_arguments_as_C_does),
        cmocka_unit_test(a_failed_assertion_ends_the_launch_and_tells_its_text),
        cmocka_unit_test(generic_accesses_from_cvta_are_recorded_as_shared_and_local),
        cmocka_unit_test(half_precision_arithmetic_is_correctly_rounded),
        cmocka_unit_test(pairs_of_halves_and_bfloat16_are_computed_element_by_element),
        cmocka_unit_test(textures_are_sampled_by_point_and_linearly_in_one_two_and_three_dimensions),
        cmocka_unit_test(votes_matches_and_shuffles_agree_with_their_definitions),
        cmocka_unit_test(atomics_of_every_type_and_scope_add_up),
        cmocka_unit_test(SIMD_video_functions_match_their_byte_by_byte_definitions),
        cmocka_unit_test(every_cache_operator_of_loads_and_stores_moves_its_value),
        cmocka_unit_test(barriers_reduce_and_a_switch_takes_every_branch),
        cmocka_unit_test(double_precision_functions_of_CUDA_are_within_two_units_of_the_last_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
