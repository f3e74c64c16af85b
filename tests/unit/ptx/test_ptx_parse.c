#include "ptx_rig.h"

#define HEAD ".version 6.3\n.target sm_75\n"

/* The text must be refused with exactly this message. */
static void refused(const char *text, const char *message)
{
    struct error err = {0};
    struct ptx_module *m;
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, strlen(text), &err));
    assert_string_equal(err.text, message);
    assert_int_equal(ERR_INPUT, err.code);
    assert_null(m);
}

/* A kernel of one bad instruction: line 5, column 2. */
static void body_refused(const char *inst, const char *message)
{
    char text[1000], wanted[400];
    snprintf(text, sizeof text,
             HEADER ".entry k(.param .u64 a) { .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<9>; .reg .f32 "
                    "%%f<9>;.param .b32 q;\n %s\n}",
             inst);
    snprintf(wanted, sizeof wanted, "t.ptx:5:%s", message);
    refused(text, wanted);
}

static void tokens_that_cannot_be_are_told_with_line_and_column(void **state)
{
    (void)state;
    refused(HEAD "\n .entry k() { mov.u32 %r1, 0xfffffffffffffffff; }", "t.ptx:4:28: the number does not fit 64 bits");
    refused(HEAD "/* never\nends", "t.ptx:3:1: a comment that does not end");
    refused(HEAD ".global .f32 x = 0f3f80;", "t.ptx:3:18: 0f needs 8 hexadecimal digits");
    refused(HEAD ".global .f32 x = 12abc;", "t.ptx:3:18: letters follow the number");
    refused(HEAD "\x01", "t.ptx:3:1: a character that PTX does not use");
    refused(HEAD ".file 1 \"a\"\n.pragma \"open\n", "t.ptx:4:9: a string that does not end");
    refused(HEAD " . ", "t.ptx:3:2: a lone '.'");
    refused(HEAD ".global .attribute(.nosuch) .u32 x;", "t.ptx:3:20: unknown attribute '.nosuch'");
    refused(HEAD ".func .attribute(.managed) f() { ret; }", "t.ptx:3:28: a function has no attribute .managed");
    refused(HEAD ".func .attribute(.unified(1, 2)) f() { ret; } .nosuch",
            "t.ptx:3:47: expected a declaration, found '.nosuch'");
}

/* As NVIDIA's assembler has it. */
static void a_module_begins_with_a_version_and_a_target_that_there_are(void **state)
{
    (void)state;
    refused("", "t.ptx:1:1: .version is missing: PTX begins with it, as in .version 6.3");
    refused("\n.entry k() { ret; }", "t.ptx:2:1: .version is missing: PTX begins with it, as in .version 6.3");
    refused(".target sm_75\n.version 6.3\n", "t.ptx:1:1: .version is missing: PTX begins with it, as in .version 6.3");
    refused(".version 6.3\n.address_size 64\n",
            "t.ptx:2:1: .target is missing: it follows .version, as in .target sm_75");
    refused("// a comment\n.version 99.0\n.target sm_75\n",
            "t.ptx:2:10: .version 99.0 is newer than any known here (9.x)");
    refused(".version 6.9\n.target sm_75\n", "t.ptx:1:10: there is no PTX of version 6.9");
    refused(".version 0.3\n.target sm_75\n", "t.ptx:1:10: there is no PTX of version 0.3");
    refused(".version 6\n.target sm_75\n", "t.ptx:1:10: .version needs a number such as 6.3");
    refused(".version 6.3\n.target sm_7\n", "t.ptx:2:9: .target needs a name such as sm_75");
    refused(".version 6.3\n.target compute_75\n", "t.ptx:2:9: .target needs a name such as sm_75");
    refused(".version 6.3\n.target sm_75, debug, sm_80\n",
            "t.ptx:2:23: .target names one architecture, and this is the second");
    refused(HEAD ".entry k() .reqntid 0 { ret; }", "t.ptx:3:21: a number of threads is 0, at least 1 is needed");
    refused(HEAD ".entry k() .maxntid 2048 { ret; }",
            "t.ptx:3:21: a number of threads is 2048, at most 1024 is possible");
    refused(HEAD ".entry k() .maxntid 64, 32 { ret; }", "t.ptx:3:25: the product is 2048, at most 1024 is possible");
    static const char *const good[] = {"1.4\n.target sm_13, map_f64_to_f32", "9.2\n.target sm_120f",
                                       "8.0\n.target sm_90a, texmode_unified, debug"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[100];
        snprintf(text, sizeof text, ".version %s\n.address_size 64\n", good[i]);
        ptx_module_free(rig_module(text));
    }
}

static void module_errors_are_told_with_line_and_column(void **state)
{
    (void)state;
    refused(HEAD ".address_size 32\n", "t.ptx:3:15: .address_size 32: only 64 is supported");
    refused(HEAD "\n\n  .globl x;", "t.ptx:5:3: expected a declaration, found '.globl'");
    refused(HEAD ".entry k( { }", "t.ptx:3:11: expected .param or .reg");
    refused(HEAD ".entry k() {", "t.ptx:3:13: the text ends inside a function");
    refused(HEAD ".entry k() { ret; }\n.entry k() { ret; }", "t.ptx:4:8: 'k' is declared twice");
    refused(HEAD ".entry k() { .reg .b32 x; .reg .b32 x; }", "t.ptx:3:37: 'x' is declared twice");
    refused(HEAD ".entry k() .maxnreg 900 { }", "t.ptx:3:21: a number of registers is 900, at most 255 is possible");
    refused(HEAD ".entry k() { bra nowhere; }", "t.ptx:3:18: 'nowhere' is not declared");
    refused(HEAD ".global .u32 x[2] = {1, 2, 3};", "t.ptx:3:28: more values than x holds");
    refused(HEAD ".shared .u32 x = 1;", "t.ptx:3:18: only .global and .const variables have initialisers");
    refused(HEAD ".entry k(.param .align 3 .b8 x[4]) { }", "t.ptx:3:24: an alignment is a power of two");
}

static void an_unknown_instruction_is_named_with_its_line(void **state)
{
    (void)state;
    body_refused("frob.u32 %r1, %r2;", "2: unknown instruction 'frob.u32'");
    body_refused("add.u31 %r1, %r2, %r3;", "2: unknown instruction 'add.u31'");
    body_refused("mul.tf32 %r1, %r2, %r3;", "2: unknown instruction \'mul.tf32\'");
    body_refused("mul.u32 %r1, %r2, %r3;", "2: unknown instruction 'mul.u32'");
    body_refused("cvt.rp.tf32.f32 %r1, %f3;", "2: unknown instruction 'cvt.rp.tf32.f32'");
    body_refused("cvt.pack.sat.s16.s32.b32 %r1, %r2, %r3;", "2: unknown instruction 'cvt.pack.sat.s16.s32.b32'");
    body_refused("tld4.r.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2, %f3, %f3}];",
                 "2: tld4.r.cube.v4.f32.f32: tld4.cube is not supported");
    body_refused("tex.cube.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1, %r2, %r3, %r3}];",
                 "2: unknown instruction 'tex.cube.v4.f32.s32'");
    body_refused("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}];",
                 "2: tex.cube.v4.f32.f32: expected 3 coordinates");
    body_refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [q, {%f1, %f2}];", "2: tex.2d.v4.f32.f32: q is no texture");
    body_refused("ld.global.foo.u32 %r1, [%rd1];", "2: unknown instruction 'ld.global.foo.u32'");
    body_refused("atom.global.add.s64 %rd1, [%rd2], %rd3, %rd4;", "2: atom.global.add.s64 has 4 operands, expected 3");
    body_refused("setp.almost.u32 %p1, %r1, %r2;", "2: unknown instruction 'setp.almost.u32'");
}

static void wrong_operands_are_told_with_line_and_column(void **state)
{
    (void)state;
    body_refused("add.u32 %r1, %r2;", "2: add.u32 has 2 operands, expected 3");
    body_refused("add.u32 %r1, %r2, %rd3;", "2: add.u32: a register of 64 bits (b64) where 32 bits are expected");
    body_refused("add.u32 %r1, %r2, %r99;", "20: '%r99' is not declared");
    body_refused("add.u32 %r1, %r2, 0f3f800000, %r2;", "2: add.u32 has 4 operands, expected 3");
    body_refused("add.u32 4, %r2, %r3;", "2: add.u32: the destination must be a register");
    body_refused("@%r1 bra x; x:", "3: a guard is a predicate register");
    body_refused("ld.global.u32 %r1, %rd1;", "2: ld.global.u32: operand 2 must be an address in brackets");
    body_refused("ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "2: ld.global.v2.u32: 3 registers for 2 elements");
    body_refused("ld.global.u64 %r1, [%rd1];", "2: ld.global.u64: a register of 32 bits for a type of 64 bits");
    body_refused("ld.global.u32 %r1, [a];", "2: ld.global.u32: a is a variable of another space");
    body_refused("st.param.u32 [a], %r1;", "2: st.param.u32: this space cannot be written");
    body_refused("ld.param.u64 %rd1, [q];", "2: ld.param.u64: byte 0 of parameter q, which has 4 bytes");
    body_refused("bfe.u32 %r1, %r2, 260, 8;",
                 "2: bfe.u32: operand 3 is 260: a field's first bit and its length are 0 to 255");
    body_refused("bfi.b32 %r1, %r2, %r3, 4, -1;",
                 "2: bfi.b32: operand 5 is -1: a field's first bit and its length are 0 to 255");
    body_refused("bar.sync 16;", "2: bar.sync: barrier 16, there are 0 to 15");
    body_refused("call %rd1, (4);", "2: call: parameter 1 of a call that is not inlined must be a .param variable");
    body_refused("fence.nosuch;", "2: fence.nosuch: .nosuch is no modifier of fence");
    body_refused("bar.warp.sync.gpu -1;", "2: bar.warp.sync.gpu: .gpu is no modifier of bar");
    body_refused("exit.uni;", "2: exit.uni: .uni is no modifier of exit");
    body_refused("add.rn.rz.f32 %f1, %f2, %f3;", "2: add.rn.rz.f32: .rn and .rz exclude each other");
    body_refused("atom.global.add.max.u32 %r1, [%rd1], %r2;",
                 "2: atom.global.add.max.u32: .add and .max exclude each other");
    body_refused("atom.global.inc.u64 %rd1, [%rd2], %rd3;", "2: unknown instruction 'atom.global.inc.u64'");
    body_refused("ld.global.shared.u32 %r1, [%rd1];",
                 "2: ld.global.shared.u32: .global and .shared exclude each other");
    body_refused("add.u32 %r1, %r2, [%r3;", "24: expected ']', found ';'");
    body_refused("mov.u32 %r1, %clock_lo;", "15: '%clock_lo' is not declared");
}

static void endless_nesting_is_refused(void **state)
{
    (void)state;
    char text[400] = HEAD ".entry k() ";
    for (int i = 0; i < 70; i++) strcat(text, "{");
    struct error err;
    struct ptx_module *m;
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, strlen(text), &err));
    assert_non_null(strstr(err.text, "nested more than 64 deep"));
}

static void every_directive_of_the_compilers_is_accepted(void **state)
{
    (void)state;
    struct ptx_module *m = rig_module(
        HEADER "// a comment\n/* another\n one */\n.file 1 \"a.cu\", 1, 2\n.extern .func (.param .b32 r) "
               "vprintf(.param .b64 x, .param .b64 y);\n"
               ".extern .shared .align 16 .b8 dyn[];\n.visible .global .align 4 .u32 g[3] = {1, 2, -1};\n.const .f32 "
               "pi = 0f40490FDB;\n"
               ".const .f64 e[] = {2.5, 0d3FF0000000000000};\n.global .align 8 .u64 p[2] = {g, generic(g)+4};\n.global "
               ".texref tex;\n"
               ".weak .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 s[24], .param .f32 "
               "x)\n.maxntid 128, 2, 1\n"
               ".minnctapersm 2\n.pragma \"nounroll\";\n{\n.loc 1 2 3\n.reg .b32 %r<5>; .reg .pred p;\n$L__1: { .reg "
               ".b32 %r<2>; mov.u32 %r1, 7; }\n"
               "@!p bra $L__1;\n.pragma \"nounroll\";\n;\n}\n.section .debug_str { info: .b8 1, 2\n .b32 x+4 }\n");
    assert_int_equal(1, ptx_module_n_kernels(m));
    const struct ptx_kernel_info *info = ptx_kernel_info(ptx_kernel_find(m, "k"));
    assert_int_equal(3, info->n_params);
    assert_int_equal(36, info->param_bytes);
    assert_int_equal(8, info->params[1].offset);
    assert_int_equal(24, info->params[1].bytes);
    assert_int_equal(32, info->params[2].offset);
    assert_int_equal(256, info->max_threads);
    assert_int_equal(4, ptx_module_n_variables(m));
    const struct ptx_variable *g = ptx_module_variable(m, 0), *pi = ptx_module_variable(m, 1),
                              *e = ptx_module_variable(m, 2);
    const struct ptx_variable *p = ptx_module_variable(m, 3);
    assert_string_equal("g", g->name);
    assert_int_equal(12, g->bytes);
    assert_memory_equal(g->init, ((const int32_t[]){1, 2, -1}), 12);
    assert_int_equal(TRACE_SPACE_CONST, pi->space);
    assert_memory_equal(pi->init, &(const float){3.14159274f}, 4);
    assert_memory_equal(e->init, ((const double[]){2.5, 1.0}), 16);
    ptx_module_place(m, 0, 0x1000);
    assert_memory_equal(p->init, ((const uint64_t[]){0x1000, 0x1004}), 16);
    assert_null(ptx_kernel_find(m, "other"));
    ptx_module_free(m);
}

static void inner_blocks_shadow_outer_registers(void **state)
{
    (void)state;
    uint32_t out[1];
    rig_body(
        "mov.u32 %r1, 5;\n{ .reg .b32 %r1; .reg .pred %p1; mov.u32 %r1, 9; setp.eq.u32 %p1, %r1, 9; { .reg .b32 %r<3>;"
        " mov.u32 %r1, 11; } }\nst.global.u32 [%rd0], %r1;",
        1, out, 1);
    assert_int_equal(5, out[0]);
}

static void registers_come_from_maxnreg_then_ptxas_then_live_range(void **state)
{
    (void)state;
    const char *body =
        "{ .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, "
        "[%rd1+4];"
        " ld.global.u32 %r3, [%rd1+8]; add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3; st.global.u32 [%rd1], %r4; }\n";
    char text[2000];
    snprintf(text, sizeof text,
             HEADER
             "// ptxas: two 21 registers (ptxas 13.0 sm_75)\n.entry one(.param .u64 a) %s .entry two(.param .u64 a) %s "
             ".entry three(.param .u64 a) .maxnreg 33 %s",
             body, body, body);
    struct ptx_module *m = rig_module(text);
    const struct ptx_kernel_info *one = ptx_kernel_info(ptx_module_kernel(m, 0)),
                                 *two = ptx_kernel_info(ptx_module_kernel(m, 1));
    const struct ptx_kernel_info *three = ptx_kernel_info(ptx_module_kernel(m, 2));
    assert_string_equal("live range", one->regs_source);
    assert_int_equal(3 + 6, one->regs_per_thread); /* three loaded values; the address comes from a parameter */
    assert_string_equal("ptxas", two->regs_source);
    assert_int_equal(21, two->regs_per_thread);
    assert_string_equal(".maxnreg", three->regs_source);
    assert_int_equal(33, three->regs_per_thread);
    ptx_module_free(m);
}

static void a_64_bit_value_counts_as_two_live_registers(void **state)
{
    (void)state;
    struct ptx_module *m = rig_module(
        HEADER ".entry k(.param .u64 a) { .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.global.u64 %rd2, [%rd1];"
               " ld.global.u64 %rd3, [%rd1+8]; add.u64 %rd4, %rd2, %rd3; st.global.u64 [%rd1], %rd4; }");
    assert_int_equal(4 + 6, ptx_kernel_info(ptx_module_kernel(m, 0))->regs_per_thread);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_that_cannot_be_are_told_with_line_and_column),
        cmocka_unit_test(a_module_begins_with_a_version_and_a_target_that_there_are),
        cmocka_unit_test(module_errors_are_told_with_line_and_column),
        cmocka_unit_test(an_unknown_instruction_is_named_with_its_line),
        cmocka_unit_test(wrong_operands_are_told_with_line_and_column),
        cmocka_unit_test(endless_nesting_is_refused),
        cmocka_unit_test(every_directive_of_the_compilers_is_accepted),
        cmocka_unit_test(inner_blocks_shadow_outer_registers),
        cmocka_unit_test(registers_come_from_maxnreg_then_ptxas_then_live_range),
        cmocka_unit_test(a_64_bit_value_counts_as_two_live_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
