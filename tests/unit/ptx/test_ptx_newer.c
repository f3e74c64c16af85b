/* What newer versions of PTX have, and the rest of its grammar: run, or refused by name. */
#include "ptx_rig.h"
#include "parse/parse.h"

static void an_instruction_behind_a_directive_of_debuggers_on_its_line_is_executed(void **state)
{
    (void)state;
    uint32_t out[4];
    rig_body(".loc 1 2 3 mov.u32 %r1, 1;\n.loc 1 2 3, function_name $L__s0+4, inlined_at 1 7 5 mov.u32 %r2, 2;\n"
             ".file 1 \"a.cu\", 3, 4 mov.u32 %r3, 3;\n@@DWARF .4byte $L__s0+4, 7 mov.u32 %r4, 4;\n.loc 1 9 $L__s0: "
             "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};",
             1, out, 4);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(i + 1, out[i]);
    struct ptx_module *m = rig_module(HEADER ".file 1 \"a.cu\" .global .u32 a; @@DWARF .section .debug_info, \"\", "
                                             "@progbits .global .u32 b; @@dwarf here: .global .u32 c;\n"
                                             ".section .debug_str { x: .b8 1 } .global .u32 d; .tex .u32 t;");
    assert_int_equal(4, ptx_module_n_variables(m));
    assert_int_equal(1, ptx_module_n_textures(m));
    ptx_module_free(m);
}

static void constant_expressions_are_those_of_C(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"1 ? 077 : (2 << 3)", 63},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1 + 2 * 3 - 8 / 3 % 2", 7},
        {"(1 + 2) * 3", 9},
        {"-7 / 2", (uint64_t)-3},
        {"-7 % 3", (uint64_t)-1},
        {"-8 >> 1", (uint64_t)-4},
        {"0xfffffffffffffff8 >> 1", 0x7ffffffffffffffc},
        {"1 << 40 | 3 ^ 1 & 5", (uint64_t)1 << 40 | 2},
        {"-1 < 1", 1},
        {"-1 < 1U", 0},
        {"(.s64) 0xffffffffffffffff < 1", 1},
        {"(.u64) -1 > 1", 1},
        {"2 <= 2 && 3 != 3 || !0", 1},
        {"~0 == -1", 1},
        {"1 - - 1", 2},
        {"2.5 > 1 ? 4 : 5", 4},
        {"WARP_SZ * 2", 64},
        {"-9223372036854775807 - 1", (uint64_t)1 << 63},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        uint64_t out[2];
        snprintf(text, sizeof text, "mov.u64 %%rd1, %s; st.global.u64 [%%rd0 + (4 - 2) * 4], %%rd1;", rows[i].text);
        rig_body(text, 1, (uint32_t *)out, 4);
        if (out[1] != rows[i].value) fail_msg("%s is %llx", rows[i].text, (unsigned long long)out[1]);
    }
    struct ptx_module *m = rig_module(
        HEADER ".const .f32 f[1 + 1] = {1.5 * 2, 1 ? 1 : 0f40000000}; .global .u8 x[(2 << 1) * 2] = {3 - 1, -1};");
    assert_int_equal(8, ptx_module_variable(m, 1)->bytes);
    assert_memory_equal(ptx_module_variable(m, 0)->init, ((const float[]){3.0f, 1.0f}), 8);
    assert_memory_equal(ptx_module_variable(m, 1)->init, ((const uint8_t[]){2, 255}), 2);
    ptx_module_free(m);
    struct error err;
    static const char zero[] = HEADER ".global .u32 x = 4 / (2 - 2);", whole[] = HEADER ".global .u32 x = 4.0 % 2;";
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", zero, strlen(zero), &err));
    assert_string_equal("t.ptx:4:20: a division by zero", err.text);
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", whole, strlen(whole), &err));
    assert_string_equal("t.ptx:4:22: '%' takes whole numbers", err.text);
}

static void bytes_of_addresses_are_initialisers(void **state)
{
    (void)state;
    struct ptx_module *m = rig_module(HEADER ".global .u8 b[9];\n.func f() { ret; }\n.global .u8 m[6] = {0xff(b), "
                                             "0xff00(b), 0xff0000(b), 0xff000000(b+1), 0xFF00000000(generic(b)), 7};");
    ptx_module_place(m, 0, 0x7f12345678ff);
    assert_memory_equal(ptx_module_variable(m, 1)->init, ((const uint8_t[]){0xff, 0x78, 0x56, 0x34, 0x12, 7}), 6);
    ptx_module_free(m);
    struct error err;
    const char *text = HEADER ".global .u8 b; .global .u8 m = 0xff0(b);";
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, strlen(text), &err));
    assert_string_equal("t.ptx:4:32: a mask of an address has one byte of ones, as 0xff00", err.text);
}

static void an_alias_is_its_function_called_or_by_address(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 8, NULL);
    rig_run(&d,
            HEADER
            ".visible .func al(.param .u64 p); .global .u64 table[1] = {al};\n.entry k(.param .u64 out) { .reg "
            ".b64 %rd<4>; ld.param.u64 %rd1, [out]; { .param .u64 a; st.param.u64 [a], %rd1; call al, (a); } "
            "add.u64 %rd1, %rd1, 4; proto: .callprototype _ (.param .u64 _); mov.u64 %rd2, al; { .param .u64 a; "
            "st.param.u64 [a], %rd1; call %rd2, (a), "
            "proto; } ret; }\n"
            ".func real(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 6; ret; "
            "} .alias al, real;",
            1, 1, &at, 1);
    const uint32_t *out = rig_host(&d, at);
    assert_int_equal(6, out[0]);
    assert_int_equal(6, out[1]);
    rig_fini(&d);
}

/* Registers of clusters of 2 x 3 CTAs in a grid of 4 x 3. */
static void a_cta_knows_its_cluster(void **state)
{
    (void)state;
    static const char *const names[] = {"clusterid.x",      "clusterid.y",      "nclusterid.x",    "cluster_ctaid.x",
                                        "cluster_ctaid.y",  "cluster_nctaid.y", "cluster_ctarank", "cluster_nctarank",
                                        "cluster_nctaid.z", "aggr_smem_size",   "envreg31",        "tid.w"};
    char text[3000];
    struct rig_device d;
    struct error err;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 12 * 64, NULL);
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         HEADER ".entry k(.param .u64 out) .explicitcluster .reqnctapercluster 2, 3 {\n.shared .b8 "
                                "s[40]; .reg .b32 %%r<9>; .reg .pred %%p; .reg .b64 %%rd<3>; ld.param.u64 %%rd0, "
                                "[out];\nmov.u32 %%r1, %%ctaid.y; mov.u32 %%r2, %%ctaid.x; mad.lo.u32 %%r1, "
                                "%%r1, 4, %%r2; mul.wide.u32 %%rd1, %%r1, 64; add.u64 %%rd0, %%rd0, %%rd1;\n");
    for (size_t i = 0; i < 12; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "mov.u32 %%r3, %%%s; st.global.u32 [%%rd0+%zu], %%r3;\n",
                              names[i], i * 4);
    snprintf(
        text + n, sizeof text - n,
        "mov.pred %%p, %%is_explicit_cluster; selp.u32 %%r3, 1, 0, %%p; st.global.u32 [%%rd0+48], %%r3;\n"
        "mov.u64 %%rd1, s; cvta.shared.u64 %%rd1, %%rd1; isspacep.shared::cluster %%p, %%rd1; selp.u32 %%r3, 1, 0, "
        "%%p; st.global.u32 [%%rd0+52], %%r3; mov.u64 %%rd1, %%gridid; st.global.u64 [%%rd0+56], %%rd1; }");
    struct ptx_module *m = rig_module(text);
    const struct ptx_services services = {.grid_id = 0x500000007};
    const struct ptx_grid g = {{4, 3, 1}, {1, 1, 1}, 0};
    assert_ok(ptx_run_with(ptx_module_kernel(m, 0), &g, &at, 8, &d.memory, &services, NULL, 0, NULL, &err), &err);
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const uint32_t wanted[16] = {x / 2, 0, 2, x % 2, y, 3, x % 2 + 2 * y, 6, 1, 40, 0, 0, 1, 1, 7, 5};
            assert_memory_equal(rig_host(&d, at + 64 * (4 * y + x)), wanted, sizeof wanted);
        }
    const struct ptx_grid odd = {{3, 3, 1}, {1, 1, 1}, 0};
    assert_int_equal(-1, ptx_run(ptx_module_kernel(m, 0), &odd, &at, 8, &d.memory, NULL, 0, NULL, &err));
    assert_string_equal("kernel k: a grid of 3 CTAs along x is no multiple of its cluster, 2", err.text);
    ptx_module_free(m);
    rig_fini(&d);
}

static void matrices_are_stored_as_they_are_loaded(void **state)
{
    (void)state;
    uint32_t out[64];
    rig_body(".shared .align 16 .b8 s[512]; shl.b32 %r1, %r0, 3; mov.u64 %rd2, s; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, "
             "%rd2, %rd1;\nmov.u32 %r2, 0x00010000; mad.lo.u32 %r2, %r0, 0x00020002, %r2; mov.u32 %r3, 0; "
             "st.shared.v2.u32 [%rd2+256], {%r3, %r3};\n"
             "mov.u64 %rd3, s; and.b32 %r1, %r0, 7; mul.wide.u32 %rd1, %r1, 16; add.u64 %rd3, %rd3, %rd1; bar.sync 0;\n"
             "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd3], {%r2}; bar.sync 0;\n"
             "stmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 [%rd3+256], {%r2}; bar.sync 0;\n"
             "mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1; ld.shared.u32 %r4, [%rd2]; "
             "ld.shared.u32 %r5, [%rd2+256]; add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r4; st.global.u32 "
             "[%rd0+128], %r5;",
             32, out, 64);
    const uint16_t *plain = (const uint16_t *)out, *turned = plain + 64;
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t column = 0; column < 8; column++) { /* lane 4 row + column / 2 has both */
            assert_int_equal(row * 8 + column, plain[row * 8 + column]);
            assert_int_equal(row * 8 + column, turned[column * 8 + row]);
        }
}

/* m16n8k64 of signed and unsigned nibbles, m16n8k256 of bits: fragments as the ISA's figures have them. */
static int element_of(const uint32_t *words, uint32_t i, uint32_t bits, bool is_signed)
{
    const uint32_t each = 32 / bits, raw = words[i / each] >> i % each * bits & ((1u << bits) - 1);
    return is_signed && raw & 8 ? (int)raw - 16 : (int)raw;
}

static void product(uint32_t bits, bool is_signed, bool is_xor, const char *spelling)
{
    const uint32_t each = 32 / bits, k_size = 8 * each;
    uint32_t in[32][6], out[32 * 4];
    char text[2000];
    uint64_t seed = 88172645463325252u;
    for (uint32_t i = 0; i < 32 * 6; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        in[i / 6][i % 6] = (uint32_t)(seed >> 20);
    }
    size_t n = (size_t)snprintf(text, sizeof text,
                                "mul.wide.u32 %%rd1, %%r0, 24; mov.u64 %%rd2, in; add.u64 %%rd2, %%rd2, %%rd1;\n");
    for (uint32_t i = 0; i < 6; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "ld.global.u32 %%r%u, [%%rd2+%u]; ", i + 1, i * 4);
    snprintf(
        text + n, sizeof text - n,
        "\nmma.sync.aligned.%s {%%r10,%%r11,%%r12,%%r13}, {%%r1,%%r2,%%r3,%%r4}, {%%r5,%%r6}, {%%r0,%%r0,%%r0,%%r0};\n"
        "mul.wide.u32 %%rd1, %%r0, 16; add.u64 %%rd0, %%rd0, %%rd1; st.global.v4.u32 [%%rd0], "
        "{%%r10,%%r11,%%r12,%%r13};",
        spelling);
    char body[4000], module[4200];
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, sizeof out, NULL), from = rig_alloc(&d, sizeof in, in);
    rig_kernel(body, sizeof body, text);
    snprintf(module, sizeof module, HEADER ".global .u32 in[192];\n%s", body + strlen(HEADER));
    struct ptx_module *m = rig_module(module);
    const struct ptx_grid g = {{1, 1, 1}, {32, 1, 1}, 0};
    struct error err;
    ptx_module_place(m, 0, from);
    assert_ok(ptx_run(ptx_module_kernel(m, 0), &g, &at, 8, &d.memory, NULL, 0, NULL, &err), &err);
    memcpy(out, rig_host(&d, at), sizeof out);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t column = 0; column < 8; column++) {
            int sum = 0;
            for (uint32_t k = 0; k < k_size; k++) {
                const uint32_t half = k / (4 * each), inside = k % (4 * each);
                /* A: lane = row's group and the column's place; words: row half, then column half */
                const uint32_t lane_a = row % 8 * 4 + inside / each, word_a = row / 8 + 2 * half;
                const uint32_t lane_b = column * 4 + inside / each;
                const int a = element_of(in[lane_a], word_a * each + inside % each, bits, is_signed),
                          b = element_of(in[lane_b] + 4, half * each + inside % each, bits, is_signed);
                sum += is_xor ? a != b : a * b;
            }
            const uint32_t lane = row % 8 * 4 + column / 2;
            assert_int_equal(sum + (int)lane, (int)out[lane * 4 + row / 8 * 2 + column % 2]);
        }
    ptx_module_free(m);
    rig_fini(&d);
}

static void matrices_of_nibbles_and_bits_are_multiplied(void **state)
{
    (void)state;
    product(4, true, false, "m16n8k64.row.col.s32.s4.s4.s32");
    product(4, false, false, "m16n8k64.row.col.satfinite.s32.u4.u4.s32");
    product(1, false, false, "m16n8k256.row.col.s32.b1.b1.s32.and.popc");
    product(1, false, true, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc");
}

static void thirty_two_bytes_are_loaded_and_stored_at_once(void **state)
{
    (void)state;
    uint32_t out[32];
    rig_body(
        "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; setp.eq.u32 %p1, %r0, 0;\n"
        "st.global.v8.b32 [%rd0], {%r1, %r2, %r3, %r4, %r4, %r3, %r2, 9};\n"
        "@!%p1 st.global.v8.b32 [%rd0], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};\n"
        "ld.global.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd0]; mov.u64 %rd9, %rd0; add.u64 %rd0, %rd0, "
        "32;\nst.global.v8.f32 [%rd0], {%f8, %f7, %f6, %f5, %f4, %f3, %f2, %f1};\n"
        "ld.global.v4.u64 {%rd9, %rd2, %rd3, %rd4}, [%rd9]; st.global.v4.b64 [%rd0+32], {%rd4, %rd3, %rd2, %rd9};",
        1, out, 24);
    const uint32_t wanted[24] = {1, 2, 3, 4, 4, 3, 2, 9, 9, 2, 3, 4, 4, 3, 2, 1, 2, 9, 4, 3, 3, 4, 1, 2};
    assert_memory_equal(out, wanted, sizeof wanted);
}

static void the_largest_and_the_smallest_of_three_are_found(void **state)
{
    (void)state;
    float out[8];
    rig_body("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0fC0A00000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f7FC00000;\n"
             "max.f32 %f5, %f1, %f2, %f3; st.global.f32 [%rd0], %f5; min.f32 %f5, %f1, %f2, %f3; st.global.f32 "
             "[%rd0+4], %f5;\nmax.f32 %f5, %f4, %f1, %f2; st.global.f32 [%rd0+8], %f5; max.NaN.f32 %f5, %f4, %f1, %f2; "
             "st.global.f32 [%rd0+12], %f5;\nmax.xorsign.abs.f32 %f5, %f1, %f2, %f3; st.global.f32 [%rd0+16], %f5; "
             "max.f32 %f1, %f1, %f3, 0f41000000; st.global.f32 [%rd0+20], %f1;",
             1, (uint32_t *)out, 8);
    assert_true(out[0] == 3.0f && out[1] == -5.0f && out[2] == 2.0f && out[3] != out[3] && out[4] == -5.0f &&
                out[5] == 8.0f);
}

static void shared_memory_of_the_system_is_there_where_a_kernel_names_it(void **state)
{
    (void)state;
    uint32_t out[64];
    rig_body("mov.u32 %r1, %reserved_smem_offset_1; mov.u32 %r2, %reserved_smem_offset_begin; sub.u32 %r3, %r1, %r2;\n"
             "st.shared.u32 [%r1+284], %r3; mov.u32 %r4, %reserved_smem_offset_end; sub.u32 %r4, %r4, %r2;\n"
             "mov.u32 %r5, %reserved_smem_offset_cap; ld.shared.u32 %r6, [%r1+284];\n"
             "st.global.v4.u32 [%rd0], {%r6, %r4, %r5, %r2};",
             1, out, 4);
    assert_true(out[0] + 288 <= out[1]);
    assert_int_equal(out[2], out[1]);
    assert_int_equal(0, out[3]);
}

/* The page's list, between its heading and the next, has every name of the table in `quotes`, and no other. */
static void the_page_lists_what_is_refused_and_each_is_refused_by_name(void **state)
{
    (void)state;
    char *page, name[64], quoted[80];
    size_t size, n = 0, n_quoted = 0;
    struct error err = {0};
    assert_ok(file_read(&page, &size, POISE_SOURCE_DIR "/sim/ptx/README.md", &err), &err);
    char *list = strstr(page, "## Not supported");
    assert_non_null(list);
    list += 3;
    char *end = strstr(list, "\n## ");
    assert_non_null(end);
    *end = '\0';
    for (; ptx_refusal(n); n++) {
        snprintf(quoted, sizeof quoted, "`%s`", ptx_refusal(n));
        if (!strstr(list, quoted)) fail_msg("%s is not on the page", quoted);
    }
    for (const char *at = list; (at = strchr(at, '`'));) {
        const size_t length = strcspn(at + 1, "`");
        bool found = at[1] == '.' || at[1] == '%';    /* directives, and special registers */
        found |= memchr(at + 1, '/', length) != NULL; /* a file */
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        for (size_t i = 0; i < n; i++) found |= strcmp(name, ptx_refusal(i)) == 0;
        if (!found) fail_msg("`%s` is on the page and not in the table", name);
        at += length + 2;
        n_quoted++;
    }
    assert_true(n_quoted >= n);
    free(page);
    static const char *const rows[][2] = {
        {"mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, "
         "{%r1, %r2}, %r5, 0x0;",
         "mma.sp"},
        {"red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.add.u32 [%rd1], %r1, [%rd2];", "red.async"},
        {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd1], %r1, [%rd2];", "st.async"},
        {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "e4m3x2"},
        {"add.f32x2 %rd1, %rd2, %rd3;", "f32x2"},
        {"wgmma.fence.sync.aligned;", "wgmma"},
        {"barrier.cluster.arrive;", "barrier.cluster"},
        {"mapa.u64 %rd1, %rd2, %r1;", "mapa"},
        {"wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%r1}, [%rd1], 32;", "wmma.s4"},
        {"ld.global.b128 %rd1, [%rd2];", "b128"},
        {"lop3.or.b32 %r1, %r2, %r3, %r4, 1;", "lop3.BoolOp"},
        {"redux.sync.min.f32 %f1, %f2, -1;", "redux.f32"},
        {"add.rz.f32.bf16 %f1, %rs1, %f2;", "f32.bf16"},
        {"sust.p.1d.b32.trap [%rd1, {%r1}], %r2;", "sust.p"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1500], wanted[300];
        struct ptx_module *m;
        snprintf(wanted, sizeof wanted, "t.ptx:8:1: %.*s: %s is not supported", (int)strcspn(rows[i][0], " ;"),
                 rows[i][0], rows[i][1]);
        rig_kernel(text, sizeof text, rows[i][0]);
        assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, strlen(text), &err));
        assert_string_equal(wanted, err.text);
    }
    char text[1500];
    struct ptx_module *m;
    rig_kernel(text, sizeof text, "mov.u32 %r1, %pm3;");
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, strlen(text), &err));
    assert_string_equal("t.ptx:8:14: special register %pm3 is not supported", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_behind_a_directive_of_debuggers_on_its_line_is_executed),
        cmocka_unit_test(constant_expressions_are_those_of_C),
        cmocka_unit_test(bytes_of_addresses_are_initialisers),
        cmocka_unit_test(an_alias_is_its_function_called_or_by_address),
        cmocka_unit_test(a_cta_knows_its_cluster),
        cmocka_unit_test(matrices_are_stored_as_they_are_loaded),
        cmocka_unit_test(matrices_of_nibbles_and_bits_are_multiplied),
        cmocka_unit_test(thirty_two_bytes_are_loaded_and_stored_at_once),
        cmocka_unit_test(the_largest_and_the_smallest_of_three_are_found),
        cmocka_unit_test(shared_memory_of_the_system_is_there_where_a_kernel_names_it),
        cmocka_unit_test(the_page_lists_what_is_refused_and_each_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
