/* Opcodes that public programs use (two or more of them, or the wider set), each with a body and what it must give. */
#define ROWS(R) \
    R(abs_f32, 'f', "abs.f32", "abs.f32 %fd, %f;", fabsf(f)) \
    R(abs_f64, 'g', "abs.f64", "abs.f64 %gd, %x;", fabs(x)) \
    R(abs_s32, 'w', "abs.s32", "abs.s32 %d, %a;", s < 0 ? -a : a) \
    R(add_f32, 'f', "add.f32", "add.f32 %fd, %f, %g;", f + g) \
    R(add_f64, 'g', "add.f64", "add.f64 %gd, %x, %y;", x + y) \
    R(add_rn_f64, 'g', "add.rn.f64", "add.rn.f64 %gd, %x, %y;", x + y) \
    R(add_s16, 'h', "add.s16", "add.s16 %hd, %m, %n;", m + n) \
    R(add_s32, 'w', "add.s32", "add.s32 %d, %a, %b;", a + b) \
    R(add_s64, 'l', "add.s64", "add.s64 %D, %A, %B;", A + B) \
    R(add_u32, 'w', "add.u32", "add.u32 %d, %a, %b;", a + b) \
    R(add_u64, 'l', "add.u64", "add.u64 %D, %A, %B;", A + B) \
    R(and_b16, 'h', "and.b16", "and.b16 %hd, %m, %n;", m &n) \
    R(and_b32, 'w', "and.b32", "and.b32 %d, %a, %b;", a &b) \
    R(and_b64, 'l', "and.b64", "and.b64 %D, %A, %B;", A &B) \
    R(and_pred, 'p', "and.pred", "setp.lt.s32 %p, %a, 0; setp.lt.s32 %q, %b, 0; and.pred %p, %p, %q;", \
      (s < 0) & (t < 0)) \
    R(atom_global_add_f32, 'f', "atom.global.add.f32", \
      "st.global.f32 [%m0], %f; atom.global.add.f32 %fd, [%m0], %g; ld.global.f32 %fd, [%m0];", f + g) \
    R(atom_global_add_u32, 'w', "atom.global.add.u32", \
      "st.global.u32 [%m0], %a; atom.global.add.u32 %d, [%m0], %b; ld.global.u32 %d, [%m0];", a + b) \
    R(atom_global_add_u64, 'l', "atom.global.add.u64", \
      "st.global.u64 [%m0], %A; atom.global.add.u64 %D, [%m0], %B; ld.global.u64 %D, [%m0];", A + B) \
    R(atom_global_cas_b32, 'w', "atom.global.cas.b32", \
      "st.global.b32 [%m0], %a; atom.global.cas.b32 %d, [%m0], %b, %c; ld.global.b32 %d, [%m0];", a == b ? c : a) \
    R(atom_global_inc_u32, 'w', "atom.global.inc.u32", \
      "st.global.u32 [%m0], %a; atom.global.inc.u32 %d, [%m0], %b; ld.global.u32 %d, [%m0];", a >= b ? 0 : a + 1) \
    R(atom_global_max_s32, 'w', "atom.global.max.s32", \
      "st.global.s32 [%m0], %a; atom.global.max.s32 %d, [%m0], %b; ld.global.s32 %d, [%m0];", s > t ? s : t) \
    R(atom_global_min_u32, 'w', "atom.global.min.u32", \
      "st.global.u32 [%m0], %a; atom.global.min.u32 %d, [%m0], %b; ld.global.u32 %d, [%m0];", a < b ? a : b) \
    R(atom_shared_add_u32, 'w', "atom.shared.add.u32", \
      "st.shared.u32 [%s0], %a; atom.shared.add.u32 %d, [%s0], %b; ld.shared.u32 %d, [%s0];", a + b) \
    R(atom_shared_inc_u32, 'w', "atom.shared.inc.u32", \
      "st.shared.u32 [%s0], %a; atom.shared.inc.u32 %d, [%s0], %b; ld.shared.u32 %d, [%s0];", a >= b ? 0 : a + 1) \
    R(atom_shared_or_b32, 'w', "atom.shared.or.b32", \
      "st.shared.b32 [%s0], %a; atom.shared.or.b32 %d, [%s0], %b; ld.shared.b32 %d, [%s0];", a | b) \
    R(bar_red_or_pred, 'p', "bar.red.or.pred", "setp.eq.u32 %q, %tid, 3; bar.red.or.pred %p, 0, %q;", 1) \
    R(bar_sync, 'w', "bar.sync", \
      "xor.b32 %e, %tid, 1; shl.b32 %e, %e, 5; mov.u32 %e1, sh; add.u32 %e, %e, %e1; st.shared.u32 [%s0], %tid; " \
      "bar.sync 0; ld.shared.u32 %d, [%e];", \
      thread ^ 1) \
    R(bar_warp_sync, 'w', "bar.warp.sync", "bar.warp.sync -1; mov.u32 %d, %a;", a) \
    R(bfi_b32, 'w', "bfi.b32", "and.b32 %b, %b, 15; bfi.b32 %d, %a, %c, %b, 7;", \
      (c & ~(127u << (b & 15))) | (a & 127u) << (b & 15)) \
    R(bfind_shiftamt_u32, 'w', "bfind.shiftamt.u32", "bfind.shiftamt.u32 %d, %a;", \
      a ? (uint32_t)__builtin_clz(a) : ~0u) \
    R(bmsk_clamp_b32, 'w', "bmsk.clamp.b32", "and.b32 %a, %a, 31; and.b32 %b, %b, 63; bmsk.clamp.b32 %d, %a, %b;", \
      (uint32_t)(((b & 63) > 31 ? 0xffffffffu : (1u << (b & 63)) - 1u) << (a & 31))) \
    R(bra, 'w', "bra", "mov.u32 %d, %a; setp.lt.s32 %p, %a, 0; @%p bra over; mov.u32 %d, %b; over:", s < 0 ? a : b) \
    R(bra_uni, 'w', "bra.uni", "mov.u32 %d, %a; bra.uni over; mov.u32 %d, %b; over:", a) \
    R(brev_b32, 'w', "brev.b32", "brev.b32 %d, %a;", reversed(a)) \
    R(call_uni, 'l', "call.uni", \
      "{ .param .align 8 .b8 t[16]; .param .b64 u; st.param.b64 [t+8], %A; call.uni (u), pass, (t); ld.param.b64 %D, " \
      "[u]; }", \
      A) \
    R(clz_b32, 'w', "clz.b32", "clz.b32 %d, %a;", a ? (uint32_t)__builtin_clz(a) : 32) \
    R(copysign_f32, 'f', "copysign.f32", "copysign.f32 %fd, %f, %g;", copysignf(g, f)) \
    R(cvt_f64_f32, 'g', "cvt.f64.f32", "cvt.f64.f32 %gd, %f;", (double)f) \
    R(cvt_rn_f32_f64, 'f', "cvt.rn.f32.f64", "cvt.rn.f32.f64 %fd, %x;", (float)x) \
    R(cvt_rn_f32_s32, 'f', "cvt.rn.f32.s32", "cvt.rn.f32.s32 %fd, %a;", (float)s) \
    R(cvt_rn_f32_u32, 'f', "cvt.rn.f32.u32", "cvt.rn.f32.u32 %fd, %a;", (float)a) \
    R(cvt_rn_f64_u32, 'g', "cvt.rn.f64.u32", "cvt.rn.f64.u32 %gd, %a;", (double)a) \
    R(cvt_rzi_f64_f64, 'g', "cvt.rzi.f64.f64", "cvt.rzi.f64.f64 %gd, %x;", trunc(x)) \
    R(cvt_rzi_s32_f32, 'w', "cvt.rzi.s32.f32", "cvt.rzi.s32.f32 %d, %f;", clamp_s32(trunc(f))) \
    R(cvt_rzi_u32_f32, 'w', "cvt.rzi.u32.f32", "cvt.rzi.u32.f32 %d, %f;", clamp_u32(trunc(f))) \
    R(cvt_s16_s8, 'h', "cvt.s16.s8", "cvt.s16.s8 %hd, %a;", (int16_t)(int8_t)a) \
    R(cvt_s64_s32, 'l', "cvt.s64.s32", "cvt.s64.s32 %D, %a;", (int64_t)s) \
    R(cvt_sat_f32_f32, 'f', "cvt.sat.f32.f32", "cvt.sat.f32.f32 %fd, %f;", f > 0 ? f < 1 ? f : 1.0f : 0.0f) \
    R(cvt_u16_u32, 'h', "cvt.u16.u32", "cvt.u16.u32 %hd, %a;", (uint16_t)a) \
    R(cvt_u32_u16, 'w', "cvt.u32.u16", "cvt.u32.u16 %d, %m;", (uint32_t)m) \
    R(cvt_u32_u64, 'w', "cvt.u32.u64", "cvt.u32.u64 %d, %A;", (uint32_t)A) \
    R(cvt_u64_u32, 'l', "cvt.u64.u32", "cvt.u64.u32 %D, %a;", (uint64_t)a) \
    R(cvta_global_u64, 'w', "cvta.global.u64", "st.global.u32 [%m0], %a; cvta.global.u64 %E, %m0; ld.u32 %d, [%E];", \
      a) \
    R(cvta_local_u64, 'w', "cvta.local.u64", \
      "st.local.u32 [lo], %a; mov.u64 %E, lo; cvta.local.u64 %E, %E; ld.u32 %d, [%E];", a) \
    R(cvta_shared_u64, 'w', "cvta.shared.u64", \
      "st.shared.u32 [%s0], %a; cvt.u64.u32 %E, %s0; cvta.shared.u64 %E, %E; ld.u32 %d, [%E];", a) \
    R(cvta_to_global_u64, 'l', "cvta.to.global.u64", \
      "cvta.global.u64 %E, %m0; cvta.to.global.u64 %D, %E; sub.u64 %D, %D, %m0;", 0) \
    R(div_approx_f32, 'f', "div.approx.f32", "div.approx.f32 %fd, %f, %g;", f / g) \
    R(div_rn_f32, 'f', "div.rn.f32", "div.rn.f32 %fd, %f, %g;", f / g) \
    R(div_rn_f64, 'g', "div.rn.f64", "div.rn.f64 %gd, %x, %y;", x / y) \
    R(div_s32, 'w', "div.s32", "or.b32 %b, %b, 1; div.s32 %d, %a, %b;", (int64_t)s / (t | 1)) \
    R(div_u32, 'w', "div.u32", "or.b32 %b, %b, 1; div.u32 %d, %a, %b;", a / (b | 1)) \
    R(ex2_approx_f32, '~', "ex2.approx.f32", "ex2.approx.f32 %fd, %f;", exp2f(f)) \
    R(ex2_approx_ftz_f32, '~', "ex2.approx.ftz.f32", "ex2.approx.ftz.f32 %fd, %f;", exp2f(f)) \
    R(exit, 'w', "exit", "mov.u32 %d, %a; setp.ne.u32 %p, %d, %a; @%p exit;", a) \
    R(fma_rm_f32, 'f', "fma.rm.f32", "fma.rm.f32 %fd, %f, %g, %h;", fma_downf(f, g, h)) \
    R(fma_rn_f32, 'f', "fma.rn.f32", "fma.rn.f32 %fd, %f, %g, %h;", fmaf(f, g, h)) \
    R(fma_rn_f64, 'g', "fma.rn.f64", "fma.rn.f64 %gd, %x, %y, %z;", fma(x, y, z)) \
    R(ld_const_f32, 'f', "ld.const.f32", "ld.const.f32 %fd, [cv+16];", 5.0f) \
    R(ld_const_f64, 'g', "ld.const.f64", "ld.const.f64 %gd, [cv+16];", const64(0x4002000040a00000)) \
    R(ld_const_u32, 'w', "ld.const.u32", "ld.const.u32 %d, [cv+16];", 0x40a00000) \
    R(ld_const_u8, 'w', "ld.const.u8", "ld.const.u8 %d, [cv+16];", 0) \
    R(ld_const_v4_f32, 'f', "ld.const.v4.f32", "ld.const.v4.f32 {%fd, %fe, %fe1, %fe2}, [cv+16];", 5.0f) \
    R(ld_global_f32, 'f', "ld.global.f32", "st.global.f32 [%m0+16], %f; ld.global.f32 %fd, [%m0+16];", f) \
    R(ld_global_f64, 'g', "ld.global.f64", "st.global.f64 [%m0+16], %x; ld.global.f64 %gd, [%m0+16];", x) \
    R(ld_global_s32, 'w', "ld.global.s32", "st.global.s32 [%m0+16], %a; ld.global.s32 %d, [%m0+16];", s) \
    R(ld_global_u16, 'h', "ld.global.u16", "st.global.u16 [%m0+16], %m; ld.global.u16 %hd, [%m0+16];", m) \
    R(ld_global_u32, 'w', "ld.global.u32", "st.global.u32 [%m0+16], %a; ld.global.u32 %d, [%m0+16];", a) \
    R(ld_global_u64, 'l', "ld.global.u64", "st.global.u64 [%m0+16], %A; ld.global.u64 %D, [%m0+16];", A) \
    R(ld_global_u8, 'w', "ld.global.u8", "st.global.u8 [%m0+16], %a; ld.global.u8 %d, [%m0+16];", (uint8_t)a) \
    R(ld_global_v2_u32, 'w', "ld.global.v2.u32", \
      "st.global.v2.u32 [%m0+16], {%a, %b}; ld.global.v2.u32 {%d, %e}, [%m0+16]; mov.b32 %d, %e;", b) \
    R(ld_global_v4_f32, 'f', "ld.global.v4.f32", \
      "st.global.v4.f32 [%m0+16], {%f, %g, %h, %f}; ld.global.v4.f32 {%fd, %fe, %fe1, %fe2}, [%m0+16]; mov.f32 %fd, " \
      "%fe2;", \
      f) \
    R(ld_global_v4_u32, 'w', "ld.global.v4.u32", \
      "st.global.v4.u32 [%m0+16], {%a, %b, %c, %a}; ld.global.v4.u32 {%d, %e, %e1, %e2}, [%m0+16]; mov.b32 %d, %e2;", \
      a) \
    R(ld_local_f32, 'f', "ld.local.f32", "st.local.f32 [lo+16], %f; ld.local.f32 %fd, [lo+16];", f) \
    R(ld_local_u64, 'l', "ld.local.u64", "st.local.u64 [lo+16], %A; ld.local.u64 %D, [lo+16];", A) \
    R(ld_local_v2_u32, 'w', "ld.local.v2.u32", \
      "st.local.v2.u32 [lo+16], {%a, %b}; ld.local.v2.u32 {%d, %e}, [lo+16]; mov.b32 %d, %e;", b) \
    R(ld_local_v2_u64, 'l', "ld.local.v2.u64", \
      "st.local.v2.u64 [lo+16], {%A, %B}; ld.local.v2.u64 {%D, %E}, [lo+16]; mov.b64 %D, %E;", B) \
    R(ld_local_v4_f32, 'f', "ld.local.v4.f32", \
      "st.local.v4.f32 [lo+16], {%f, %g, %h, %f}; ld.local.v4.f32 {%fd, %fe, %fe1, %fe2}, [lo+16]; mov.f32 %fd, " \
      "%fe2;", \
      f) \
    R(ld_local_v4_u32, 'w', "ld.local.v4.u32", \
      "st.local.v4.u32 [lo+16], {%a, %b, %c, %a}; ld.local.v4.u32 {%d, %e, %e1, %e2}, [lo+16]; mov.b32 %d, %e2;", a) \
    R(ld_param_b32, 'w', "ld.param.b32", "ld.param.b32 %d, [pv+16];", 0x40a00000) \
    R(ld_param_f32, 'f', "ld.param.f32", "ld.param.f32 %fd, [pv+16];", 5.0f) \
    R(ld_param_f64, 'g', "ld.param.f64", "ld.param.f64 %gd, [pv+16];", const64(0x4002000040a00000)) \
    R(ld_param_u32, 'w', "ld.param.u32", "ld.param.u32 %d, [pv+16];", 0x40a00000) \
    R(ld_param_u64, 'l', "ld.param.u64", "ld.param.u64 %D, [pv+16];", 0x4002000040a00000) \
    R(ld_param_v2_u32, 'w', "ld.param.v2.u32", "ld.param.v2.u32 {%d, %e}, [pv+16];", 0x40a00000) \
    R(ld_relaxed_gpu_v2_u32, 'w', "ld.relaxed.gpu.v2.u32", \
      "st.v2.u32 [%m0+16], {%a, %b}; ld.relaxed.gpu.v2.u32 {%d, %e}, [%m0+16]; mov.b32 %d, %e;", b) \
    R(ld_relaxed_gpu_v2_u64, 'l', "ld.relaxed.gpu.v2.u64", \
      "st.v2.u64 [%m0+16], {%A, %B}; ld.relaxed.gpu.v2.u64 {%D, %E}, [%m0+16]; mov.b64 %D, %E;", B) \
    R(ld_s8, 'w', "ld.s8", "st.u8 [%m0+16], %a; ld.s8 %d, [%m0+16];", (uint32_t)(int8_t)a) \
    R(ld_shared_f32, 'f', "ld.shared.f32", "st.shared.f32 [%s0+16], %f; ld.shared.f32 %fd, [%s0+16];", f) \
    R(ld_shared_f64, 'g', "ld.shared.f64", "st.shared.f64 [%s0+16], %x; ld.shared.f64 %gd, [%s0+16];", x) \
    R(ld_shared_s32, 'w', "ld.shared.s32", "st.shared.s32 [%s0+16], %a; ld.shared.s32 %d, [%s0+16];", s) \
    R(ld_shared_u16, 'h', "ld.shared.u16", "st.shared.u16 [%s0+16], %m; ld.shared.u16 %hd, [%s0+16];", m) \
    R(ld_shared_u32, 'w', "ld.shared.u32", "st.shared.u32 [%s0+16], %a; ld.shared.u32 %d, [%s0+16];", a) \
    R(ld_shared_v2_u64, 'l', "ld.shared.v2.u64", \
      "st.shared.v2.u64 [%s0+16], {%A, %B}; ld.shared.v2.u64 {%D, %E}, [%s0+16]; mov.b64 %D, %E;", B) \
    R(ld_shared_v4_u32, 'w', "ld.shared.v4.u32", \
      "st.shared.v4.u32 [%s0+16], {%a, %b, %c, %a}; ld.shared.v4.u32 {%d, %e, %e1, %e2}, [%s0+16]; mov.b32 %d, %e2;", \
      a) \
    R(ld_shared_v4_u8, 'w', "ld.shared.v4.u8", \
      "st.shared.v4.u8 [%s0+16], {%a, %b, %c, %a}; ld.shared.v4.u8 {%d, %e, %e1, %e2}, [%s0+16]; mov.b32 %d, %e2;", \
      (uint8_t)a) \
    R(ld_u8, 'w', "ld.u8", "st.u8 [%m0+16], %a; ld.u8 %d, [%m0+16];", (uint8_t)a) \
    R(ld_volatile_global_f32, 'f', "ld.volatile.global.f32", \
      "st.global.f32 [%m0+16], %f; ld.volatile.global.f32 %fd, [%m0+16];", f) \
    R(ld_volatile_global_s32, 'w', "ld.volatile.global.s32", \
      "st.global.s32 [%m0+16], %a; ld.volatile.global.s32 %d, [%m0+16];", s) \
    R(ld_volatile_global_u8, 'w', "ld.volatile.global.u8", \
      "st.global.u8 [%m0+16], %a; ld.volatile.global.u8 %d, [%m0+16];", (uint8_t)a) \
    R(ld_volatile_shared_f32, 'f', "ld.volatile.shared.f32", \
      "st.shared.f32 [%s0+16], %f; ld.volatile.shared.f32 %fd, [%s0+16];", f) \
    R(mad_lo_s32, 'w', "mad.lo.s32", "mad.lo.s32 %d, %a, %b, %c;", a *b + c) \
    R(max_f32, 'f', "max.f32", "max.f32 %fd, %f, %g;", fmaxf(f, g)) \
    R(max_s32, 'w', "max.s32", "max.s32 %d, %a, %b;", s > t ? s : t) \
    R(min_s32, 'w', "min.s32", "min.s32 %d, %a, %b;", s < t ? s : t) \
    R(min_u32, 'w', "min.u32", "min.u32 %d, %a, %b;", a < b ? a : b) \
    R(mov_b32, 'w', "mov.b32", "mov.b32 %d, %a;", a) \
    R(mov_b64, 'l', "mov.b64", "mov.b64 %D, %A;", A) \
    R(mov_f32, 'f', "mov.f32", "mov.f32 %fd, %f;", f) \
    R(mov_f64, 'g', "mov.f64", "mov.f64 %gd, %x;", x) \
    R(mov_pred, 'p', "mov.pred", "setp.lt.s32 %q, %a, 0; mov.pred %p, %q;", s < 0) \
    R(mov_u16, 'h', "mov.u16", "mov.u16 %hd, %m;", m) \
    R(mov_u32, 'w', "mov.u32", "mov.u32 %d, %a;", a) \
    R(mov_u64, 'l', "mov.u64", "mov.u64 %D, %A;", A) \
    R(mul_f32, 'f', "mul.f32", "mul.f32 %fd, %f, %g;", f *g) \
    R(mul_f64, 'g', "mul.f64", "mul.f64 %gd, %x, %y;", x *y) \
    R(mul_hi_s32, 'w', "mul.hi.s32", "mul.hi.s32 %d, %a, %b;", (int64_t)s *t >> 32) \
    R(mul_lo_s32, 'w', "mul.lo.s32", "mul.lo.s32 %d, %a, %b;", a *b) \
    R(mul_lo_s64, 'l', "mul.lo.s64", "mul.lo.s64 %D, %A, %B;", A *B) \
    R(mul_rn_f32, 'f', "mul.rn.f32", "mul.rn.f32 %fd, %f, %g;", f *g) \
    R(mul_rn_f64, 'g', "mul.rn.f64", "mul.rn.f64 %gd, %x, %y;", x *y) \
    R(mul_wide_s32, 'l', "mul.wide.s32", "mul.wide.s32 %D, %a, %b;", (int64_t)s *t) \
    R(mul_wide_u16, 'w', "mul.wide.u16", "mul.wide.u16 %d, %m, %n;", (uint32_t)m *n) \
    R(mul_wide_u32, 'l', "mul.wide.u32", "mul.wide.u32 %D, %a, %b;", (uint64_t)a *b) \
    R(nanosleep_u32, 'w', "nanosleep.u32", "nanosleep.u32 20; mov.u32 %d, %a;", a) \
    R(neg_f32, 'f', "neg.f32", "neg.f32 %fd, %f;", -f) \
    R(neg_f64, 'g', "neg.f64", "neg.f64 %gd, %x;", -x) \
    R(neg_s32, 'w', "neg.s32", "neg.s32 %d, %a;", -a) \
    R(neg_s64, 'l', "neg.s64", "neg.s64 %D, %A;", -A) \
    R(not_b32, 'w', "not.b32", "not.b32 %d, %a;", ~a) \
    R(not_b64, 'l', "not.b64", "not.b64 %D, %A;", ~A) \
    R(not_pred, 'p', "not.pred", "setp.lt.s32 %q, %a, 0; not.pred %p, %q;", s >= 0) \
    R(or_b32, 'w', "or.b32", "or.b32 %d, %a, %b;", a | b) \
    R(or_b64, 'l', "or.b64", "or.b64 %D, %A, %B;", A | B) \
    R(or_pred, 'p', "or.pred", "setp.lt.s32 %p, %a, 0; setp.lt.s32 %q, %b, 0; or.pred %p, %p, %q;", (s < 0) | (t < 0)) \
    R(popc_b32, 'w', "popc.b32", "popc.b32 %d, %a;", (uint32_t)__builtin_popcount(a)) \
    R(rcp_approx_ftz_f32, '~', "rcp.approx.ftz.f32", "rcp.approx.ftz.f32 %fd, %f;", 1 / f) \
    R(rcp_approx_ftz_f64, 'G', "rcp.approx.ftz.f64", "rcp.approx.ftz.f64 %gd, %x;", 1 / x) \
    R(rcp_rn_f32, 'f', "rcp.rn.f32", "rcp.rn.f32 %fd, %f;", 1 / f) \
    R(rcp_rn_f64, 'g', "rcp.rn.f64", "rcp.rn.f64 %gd, %x;", 1 / x) \
    R(rem_s32, 'w', "rem.s32", "or.b32 %b, %b, 1; rem.s32 %d, %a, %b;", (int64_t)s % (t | 1)) \
    R(rem_u64, 'l', "rem.u64", "or.b64 %B, %B, 1; rem.u64 %D, %A, %B;", A % (B | 1)) \
    R(ret, 'w', "ret", "mov.u32 %d, %a;", a) \
    R(selp_b32, 'w', "selp.b32", "setp.lt.s32 %p, %c, 0; selp.b32 %d, %a, %b, %p;", v < 0 ? a : b) \
    R(selp_b64, 'l', "selp.b64", "setp.lt.s32 %p, %c, 0; selp.b64 %D, %A, %B, %p;", v < 0 ? A : B) \
    R(selp_f32, 'f', "selp.f32", "setp.lt.s32 %p, %c, 0; selp.f32 %fd, %f, %g, %p;", v < 0 ? f : g) \
    R(selp_f64, 'g', "selp.f64", "setp.lt.s32 %p, %c, 0; selp.f64 %gd, %x, %y, %p;", v < 0 ? x : y) \
    R(selp_s32, 'w', "selp.s32", "setp.lt.s32 %p, %c, 0; selp.s32 %d, %a, %b, %p;", v < 0 ? a : b) \
    R(selp_u32, 'w', "selp.u32", "setp.lt.s32 %p, %c, 0; selp.u32 %d, %a, %b, %p;", v < 0 ? a : b) \
    R(setp_eq_b32, 'p', "setp.eq.b32", "setp.eq.b32 %p, %a, %b;", a == b) \
    R(setp_eq_b64, 'p', "setp.eq.b64", "setp.eq.b64 %p, %A, %B;", A == B) \
    R(setp_eq_f32, 'p', "setp.eq.f32", "setp.eq.f32 %p, %f, %g;", f == g) \
    R(setp_eq_f64, 'p', "setp.eq.f64", "setp.eq.f64 %p, %x, %y;", x == y) \
    R(setp_eq_s16, 'p', "setp.eq.s16", "setp.eq.s16 %p, %m, %n;", i == j) \
    R(setp_eq_s32, 'p', "setp.eq.s32", "setp.eq.s32 %p, %a, %b;", s == t) \
    R(setp_eq_s64, 'p', "setp.eq.s64", "setp.eq.s64 %p, %A, %B;", S == T) \
    R(setp_ge_f32, 'p', "setp.ge.f32", "setp.ge.f32 %p, %f, %g;", f >= g) \
    R(setp_ge_f64, 'p', "setp.ge.f64", "setp.ge.f64 %p, %x, %y;", x >= y) \
    R(setp_ge_s32, 'p', "setp.ge.s32", "setp.ge.s32 %p, %a, %b;", s >= t) \
    R(setp_ge_s64, 'p', "setp.ge.s64", "setp.ge.s64 %p, %A, %B;", S >= T) \
    R(setp_ge_u32, 'p', "setp.ge.u32", "setp.ge.u32 %p, %a, %b;", a >= b) \
    R(setp_ge_u64, 'p', "setp.ge.u64", "setp.ge.u64 %p, %A, %B;", A >= B) \
    R(setp_geu_f32, 'p', "setp.geu.f32", "setp.geu.f32 %p, %f, %g;", !(f < g)) \
    R(setp_geu_f64, 'p', "setp.geu.f64", "setp.geu.f64 %p, %x, %y;", !(x < y)) \
    R(setp_gt_f32, 'p', "setp.gt.f32", "setp.gt.f32 %p, %f, %g;", f > g) \
    R(setp_gt_f64, 'p', "setp.gt.f64", "setp.gt.f64 %p, %x, %y;", x > y) \
    R(setp_gt_s16, 'p', "setp.gt.s16", "setp.gt.s16 %p, %m, %n;", i > j) \
    R(setp_gt_s32, 'p', "setp.gt.s32", "setp.gt.s32 %p, %a, %b;", s > t) \
    R(setp_gt_s64, 'p', "setp.gt.s64", "setp.gt.s64 %p, %A, %B;", S > T) \
    R(setp_gt_u32, 'p', "setp.gt.u32", "setp.gt.u32 %p, %a, %b;", a > b) \
    R(setp_gt_u64, 'p', "setp.gt.u64", "setp.gt.u64 %p, %A, %B;", A > B) \
    R(setp_gtu_f64, 'p', "setp.gtu.f64", "setp.gtu.f64 %p, %x, %y;", !(x <= y)) \
    R(setp_le_f32, 'p', "setp.le.f32", "setp.le.f32 %p, %f, %g;", f <= g) \
    R(setp_le_s32, 'p', "setp.le.s32", "setp.le.s32 %p, %a, %b;", s <= t) \
    R(setp_le_u32, 'p', "setp.le.u32", "setp.le.u32 %p, %a, %b;", a <= b) \
    R(setp_le_u64, 'p', "setp.le.u64", "setp.le.u64 %p, %A, %B;", A <= B) \
    R(setp_leu_f32, 'p', "setp.leu.f32", "setp.leu.f32 %p, %f, %g;", !(f > g)) \
    R(setp_leu_f64, 'p', "setp.leu.f64", "setp.leu.f64 %p, %x, %y;", !(x > y)) \
    R(setp_lt_f32, 'p', "setp.lt.f32", "setp.lt.f32 %p, %f, %g;", f < g) \
    R(setp_lt_f64, 'p', "setp.lt.f64", "setp.lt.f64 %p, %x, %y;", x < y) \
    R(setp_lt_s16, 'p', "setp.lt.s16", "setp.lt.s16 %p, %m, %n;", i < j) \
    R(setp_lt_s32, 'p', "setp.lt.s32", "setp.lt.s32 %p, %a, %b;", s < t) \
    R(setp_lt_u32, 'p', "setp.lt.u32", "setp.lt.u32 %p, %a, %b;", a < b) \
    R(setp_lt_u64, 'p', "setp.lt.u64", "setp.lt.u64 %p, %A, %B;", A < B) \
    R(setp_ltu_f32, 'p', "setp.ltu.f32", "setp.ltu.f32 %p, %f, %g;", !(f >= g)) \
    R(setp_ne_s16, 'p', "setp.ne.s16", "setp.ne.s16 %p, %m, %n;", i != j) \
    R(setp_ne_s32, 'p', "setp.ne.s32", "setp.ne.s32 %p, %a, %b;", s != t) \
    R(setp_ne_s64, 'p', "setp.ne.s64", "setp.ne.s64 %p, %A, %B;", S != T) \
    R(setp_ne_u32, 'p', "setp.ne.u32", "setp.ne.u32 %p, %a, %b;", a != b) \
    R(setp_neu_f64, 'p', "setp.neu.f64", "setp.neu.f64 %p, %x, %y;", !(x == y)) \
    R(shfl_sync_down_b32, 'w', "shfl.sync.down.b32", "shfl.sync.down.b32 %d|%p, %tid, 3, 31, -1;", \
      thread < 29 ? thread + 3 : thread) \
    R(shl_b16, 'h', "shl.b16", "and.b32 %b, %b, 15; shl.b16 %hd, %m, %b;", m << (b & 15)) \
    R(shl_b32, 'w', "shl.b32", "and.b32 %b, %b, 15; shl.b32 %d, %a, %b;", a << (b & 15)) \
    R(shl_b64, 'l', "shl.b64", "and.b32 %b, %b, 15; shl.b64 %D, %A, %b;", A << (b & 15)) \
    R(shr_b32, 'w', "shr.b32", "and.b32 %b, %b, 15; shr.b32 %d, %a, %b;", a >> (b & 15)) \
    R(shr_s32, 'w', "shr.s32", "and.b32 %b, %b, 15; shr.s32 %d, %a, %b;", s >> (b & 15)) \
    R(shr_s64, 'l', "shr.s64", "and.b32 %b, %b, 15; shr.s64 %D, %A, %b;", S >> (b & 15)) \
    R(shr_u32, 'w', "shr.u32", "and.b32 %b, %b, 15; shr.u32 %d, %a, %b;", a >> (b & 15)) \
    R(shr_u64, 'l', "shr.u64", "and.b32 %b, %b, 15; shr.u64 %D, %A, %b;", A >> (b & 15)) \
    R(sqrt_rn_f32, 'f', "sqrt.rn.f32", "abs.f32 %f, %f; sqrt.rn.f32 %fd, %f;", sqrtf(fabsf(f))) \
    R(st_global_f32, 'f', "st.global.f32", "st.global.f32 [%m0+16], %f; ld.global.f32 %fd, [%m0+16];", f) \
    R(st_global_f64, 'g', "st.global.f64", "st.global.f64 [%m0+16], %x; ld.global.f64 %gd, [%m0+16];", x) \
    R(st_global_u32, 'w', "st.global.u32", "st.global.u32 [%m0+16], %a; ld.global.u32 %d, [%m0+16];", a) \
    R(st_global_u64, 'l', "st.global.u64", "st.global.u64 [%m0+16], %A; ld.global.u64 %D, [%m0+16];", A) \
    R(st_global_u8, 'w', "st.global.u8", "st.global.u8 [%m0+16], %a; ld.global.u8 %d, [%m0+16];", (uint8_t)a) \
    R(st_global_v2_u32, 'w', "st.global.v2.u32", \
      "st.global.v2.u32 [%m0+16], {%a, %b}; ld.global.v2.u32 {%d, %e}, [%m0+16]; mov.b32 %d, %e;", b) \
    R(st_global_v2_u64, 'l', "st.global.v2.u64", \
      "st.global.v2.u64 [%m0+16], {%A, %B}; ld.global.v2.u64 {%D, %E}, [%m0+16]; mov.b64 %D, %E;", B) \
    R(st_global_v4_f32, 'f', "st.global.v4.f32", \
      "st.global.v4.f32 [%m0+16], {%f, %g, %h, %f}; ld.global.v4.f32 {%fd, %fe, %fe1, %fe2}, [%m0+16]; mov.f32 %fd, " \
      "%fe2;", \
      f) \
    R(st_global_v4_u32, 'w', "st.global.v4.u32", \
      "st.global.v4.u32 [%m0+16], {%a, %b, %c, %a}; ld.global.v4.u32 {%d, %e, %e1, %e2}, [%m0+16]; mov.b32 %d, %e2;", \
      a) \
    R(st_local_f32, 'f', "st.local.f32", "st.local.f32 [lo+16], %f; ld.local.f32 %fd, [lo+16];", f) \
    R(st_local_f64, 'g', "st.local.f64", "st.local.f64 [lo+16], %x; ld.local.f64 %gd, [lo+16];", x) \
    R(st_local_u32, 'w', "st.local.u32", "st.local.u32 [lo+16], %a; ld.local.u32 %d, [lo+16];", a) \
    R(st_local_u64, 'l', "st.local.u64", "st.local.u64 [lo+16], %A; ld.local.u64 %D, [lo+16];", A) \
    R(st_local_v2_f32, 'f', "st.local.v2.f32", \
      "st.local.v2.f32 [lo+16], {%f, %g}; ld.local.v2.f32 {%fd, %fe}, [lo+16]; mov.f32 %fd, %fe;", g) \
    R(st_local_v2_u32, 'w', "st.local.v2.u32", \
      "st.local.v2.u32 [lo+16], {%a, %b}; ld.local.v2.u32 {%d, %e}, [lo+16]; mov.b32 %d, %e;", b) \
    R(st_local_v2_u8, 'w', "st.local.v2.u8", \
      "st.local.v2.u8 [lo+16], {%a, %b}; ld.local.v2.u8 {%d, %e}, [lo+16]; mov.b32 %d, %e;", (uint8_t)b) \
    R(st_local_v4_f32, 'f', "st.local.v4.f32", \
      "st.local.v4.f32 [lo+16], {%f, %g, %h, %f}; ld.local.v4.f32 {%fd, %fe, %fe1, %fe2}, [lo+16]; mov.f32 %fd, " \
      "%fe2;", \
      f) \
    R(st_param_b64, 'l', "st.param.b64", \
      "{ .param .align 8 .b8 t[16]; .param .b64 u; st.param.b64 [t+8], %A; call (u), pass, (t); ld.param.b64 %D, " \
      "[u]; }", \
      A) \
    R(st_param_f64, 'g', "st.param.f64", \
      "{ .param .align 8 .b8 t[16]; .param .b64 u; st.param.f64 [t+8], %x; call (u), pass, (t); ld.param.f64 %gd, " \
      "[u]; }", \
      x) \
    R(st_relaxed_gpu_v2_u32, 'w', "st.relaxed.gpu.v2.u32", \
      "st.relaxed.gpu.v2.u32 [%m0+16], {%a, %b}; ld.v2.u32 {%d, %e}, [%m0+16]; mov.b32 %d, %e;", b) \
    R(st_relaxed_gpu_v2_u64, 'l', "st.relaxed.gpu.v2.u64", \
      "st.relaxed.gpu.v2.u64 [%m0+16], {%A, %B}; ld.v2.u64 {%D, %E}, [%m0+16]; mov.b64 %D, %E;", B) \
    R(st_shared_f32, 'f', "st.shared.f32", "st.shared.f32 [%s0+16], %f; ld.shared.f32 %fd, [%s0+16];", f) \
    R(st_shared_f64, 'g', "st.shared.f64", "st.shared.f64 [%s0+16], %x; ld.shared.f64 %gd, [%s0+16];", x) \
    R(st_shared_u32, 'w', "st.shared.u32", "st.shared.u32 [%s0+16], %a; ld.shared.u32 %d, [%s0+16];", a) \
    R(st_shared_u64, 'l', "st.shared.u64", "st.shared.u64 [%s0+16], %A; ld.shared.u64 %D, [%s0+16];", A) \
    R(st_shared_u8, 'w', "st.shared.u8", "st.shared.u8 [%s0+16], %a; ld.shared.u8 %d, [%s0+16];", (uint8_t)a) \
    R(st_shared_v4_u32, 'w', "st.shared.v4.u32", \
      "st.shared.v4.u32 [%s0+16], {%a, %b, %c, %a}; ld.shared.v4.u32 {%d, %e, %e1, %e2}, [%s0+16]; mov.b32 %d, %e2;", \
      a) \
    R(st_shared_v4_u8, 'w', "st.shared.v4.u8", \
      "st.shared.v4.u8 [%s0+16], {%a, %b, %c, %a}; ld.shared.v4.u8 {%d, %e, %e1, %e2}, [%s0+16]; mov.b32 %d, %e2;", \
      (uint8_t)a) \
    R(st_u8, 'w', "st.u8", "st.u8 [%m0+16], %a; ld.u8 %d, [%m0+16];", (uint8_t)a) \
    R(st_volatile_global_f32, 'f', "st.volatile.global.f32", \
      "st.volatile.global.f32 [%m0+16], %f; ld.global.f32 %fd, [%m0+16];", f) \
    R(st_volatile_global_u32, 'w', "st.volatile.global.u32", \
      "st.volatile.global.u32 [%m0+16], %a; ld.global.u32 %d, [%m0+16];", a) \
    R(st_volatile_global_u8, 'w', "st.volatile.global.u8", \
      "st.volatile.global.u8 [%m0+16], %a; ld.global.u8 %d, [%m0+16];", (uint8_t)a) \
    R(st_volatile_shared_f32, 'f', "st.volatile.shared.f32", \
      "st.volatile.shared.f32 [%s0+16], %f; ld.shared.f32 %fd, [%s0+16];", f) \
    R(sub_f32, 'f', "sub.f32", "sub.f32 %fd, %f, %g;", f - g) \
    R(sub_f64, 'g', "sub.f64", "sub.f64 %gd, %x, %y;", x - y) \
    R(sub_s32, 'w', "sub.s32", "sub.s32 %d, %a, %b;", a - b) \
    R(sub_s64, 'l', "sub.s64", "sub.s64 %D, %A, %B;", A - B) \
    R(tex_1d_v4_f32_s32, 'f', "tex.1d.v4.f32.s32", "tex.1d.v4.f32.s32 {%fd, %fe, %fe1, %fe2}, [image, {%tid}];", \
      texel_float(thread)) \
    R(tex_1d_v4_s32_s32, 'w', "tex.1d.v4.s32.s32", "tex.1d.v4.s32.s32 {%d, %e, %e1, %e2}, [image, {%tid}];", \
      texel(thread)) \
    R(tex_1d_v4_u32_s32, 'w', "tex.1d.v4.u32.s32", "tex.1d.v4.u32.s32 {%d, %e, %e1, %e2}, [image, {%tid}];", \
      texel(thread)) \
    R(tex_2d_v4_s32_f32, 'w', "tex.2d.v4.s32.f32", \
      "tex.2d.v4.s32.f32 {%d, %e, %e1, %e2}, [image, {%t0, 0f3F000000}];", texel(thread)) \
    R(tex_2d_v4_u32_f32, 'w', "tex.2d.v4.u32.f32", \
      "tex.2d.v4.u32.f32 {%d, %e, %e1, %e2}, [image, {%t0, 0f3F000000}];", texel(thread)) \
    R(vote_all_pred, 'p', "vote.all.pred", "setp.lt.u32 %q, %tid, 99; vote.all.pred %p, %q;", 1) \
    R(vote_ballot_sync_b32, 'w', "vote.ballot.sync.b32", "setp.eq.u32 %q, %tid, 7; vote.ballot.sync.b32 %d, %q, -1;", \
      1u << 7) \
    R(vote_sync_all_pred, 'p', "vote.sync.all.pred", "setp.lt.u32 %q, %tid, 99; vote.sync.all.pred %p, %q, -1;", 1) \
    R(vote_sync_any_pred, 'p', "vote.sync.any.pred", "setp.eq.u32 %q, %tid, 7; vote.sync.any.pred %p, %q, -1;", 1) \
    R(vote_sync_ballot_b32, 'w', "vote.sync.ballot.b32", "setp.eq.u32 %q, %tid, 7; vote.sync.ballot.b32 %d, %q, -1;", \
      1u << 7) \
    R(xor_b32, 'w', "xor.b32", "xor.b32 %d, %a, %b;", a ^ b) \
    R(xor_b64, 'l', "xor.b64", "xor.b64 %D, %A, %B;", A ^ B) \
    R(xor_pred, 'p', "xor.pred", "setp.lt.s32 %p, %a, 0; setp.lt.s32 %q, %b, 0; xor.pred %p, %p, %q;", \
      (s < 0) ^ (t < 0))
