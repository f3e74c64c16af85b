#!/usr/bin/env python3
"""Prints the SASS that ptxas makes of single PTX operations: the counts of sim/gpu/sass/expand.c.

usage: count.py [ARCHITECTURE (75)]     needs ptxas on PATH; no GPU

An instruction of Volta and later has 16 bytes, its operation in the low 12 bits. Opcodes that are not listed are printed as numbers. What
stands behind EXIT is a routine that is called apart; loads, the store and the move of the stack pointer are left out.
"""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = {
    0x202: "MOV", 0x802: "MOV", 0x824: "IMAD", 0x224: "IMAD", 0x424: "IMAD", 0x225: "IMAD.WIDE", 0x825: "IMAD.WIDE", 0x227: "IMAD.HI",
    0x827: "IMAD.HI", 0x210: "IADD3", 0x810: "IADD3", 0x213: "IABS", 0x20C: "ISETP", 0x80C: "ISETP", 0x212: "LOP3", 0x812: "LOP3",
    0x207: "SEL", 0x807: "SEL", 0x219: "SHF", 0x819: "SHF", 0x217: "IMNMX", 0x216: "PRMT", 0x816: "PRMT", 0x223: "FFMA", 0x823: "FFMA",
    0x423: "FFMA", 0x221: "FADD", 0x421: "FADD", 0x220: "FMUL", 0x820: "FMUL", 0x20B: "FSETP", 0x80B: "FSETP", 0x208: "FSEL", 0x808: "FSEL",
    0x308: "MUFU", 0x309: "POPC", 0x300: "FLO", 0x301: "BREV", 0x302: "FCHK", 0x306: "I2F", 0x906: "I2F", 0x305: "F2I", 0x307: "FRND",
    0x310: "F2F", 0x311: "F2I.64", 0x312: "I2F.64", 0x22B: "DFMA", 0x42B: "DFMA", 0x228: "DMUL", 0x229: "DADD", 0x947: "BRA",
    0x944: "CALL", 0x950: "RET", 0x94D: "EXIT", 0x918: "NOP",
}  # fmt: skip
OUTSIDE = {0x381, 0x981, 0x386, 0x986, 0x624, 0xA02, 0xAB9, 0x918}
BYTES = {"b32": 4, "f32": 4, "b64": 8, "f64": 8}
TWO = "{op} d, a, b;"
ONE = "{op} d, a;"
CASES = [
    ("b32", "b32", TWO, "div.s32 div.u32 rem.s32 rem.u32 min.s32 mul.lo.s32 mul.hi.s32 mul24.lo.s32"),
    ("b32", "b32", ONE, "abs.s32 popc.b32 clz.b32 brev.b32 bfind.u32 cvt.s32.s8 cvt.u32.u16"),
    ("b32", "b32", "{op} d, a, 3, 7;", "bfe.u32 bfe.s32"),
    ("b32", "b32", "{op} d, a, b, 3, 7;", "bfi.b32"),
    ("b64", "b64", TWO, "add.s64 and.b64 mul.lo.s64 mul.hi.s64 mul.hi.u64 min.s64 div.s64 div.u64 rem.s64 rem.u64"),
    ("b64", "b64", "{op} d, a, 3;", "shl.b64 shr.s64"),
    ("b64", "b64", "{op} d, a, b, c;", "mad.lo.s64"),
    ("b32", "b64", TWO, "mul.wide.s32"),
    ("b32", "b64", ONE, "cvt.s64.s32 cvt.u64.u32"),
    ("f32", "f32", TWO, "div.rn.f32 div.full.f32 div.approx.f32"),
    ("f32", "f32", ONE, "rcp.rn.f32 sqrt.rn.f32 rcp.approx.f32 sqrt.approx.f32 rsqrt.approx.f32 ex2.approx.f32 lg2.approx.f32 sin.approx.f32"),
    ("b32", "f32", ONE, "cvt.rn.f32.s32"),
    ("f32", "b32", ONE, "cvt.rzi.s32.f32"),
    ("f32", "f64", ONE, "cvt.f64.f32"),
    ("f64", "f32", ONE, "cvt.rn.f32.f64"),
    ("f64", "f64", TWO, "div.rn.f64"),
    ("f64", "f64", ONE, "rcp.rn.f64 sqrt.rn.f64"),
]


def kernel(arch, source, result, body):
    loads = "".join(f"ld.global.{source} {v}, [p + {i * BYTES[source]}]; " for i, v in enumerate("abc"))
    return (
        f".version 7.0\n.target sm_{arch}\n.address_size 64\n.visible .entry k(.param .u64 at) {{\n.reg .b64 p; .reg .{source} a, b, c; "
        f".reg .{result} d;\nld.param.u64 p, [at]; {loads}\n{body}\nst.global.{result} [p + 64], d;\nret;\n}}\n"
    )


def text_of(elf):
    """The bytes of the kernel's section of code."""
    at, (size, n, names) = struct.unpack_from("<Q", elf, 0x28)[0], struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * size) for i in range(n)]
    for s in sections:
        name = elf[sections[names][4] + s[0] :].split(b"\0", 1)[0]
        if name.startswith(b".text."):
            return elf[s[4] : s[4] + s[5]]
    raise SystemExit("count.py: ptxas's output has no code")


def main():
    arch = sys.argv[1] if len(sys.argv) > 1 else "75"
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = Path(folder) / "k.ptx", Path(folder) / "k.cubin"
        for source, result, body, names in CASES:
            for name in names.split():
                ptx.write_text(kernel(arch, source, result, body.format(op=name)))
                subprocess.run(["ptxas", f"-arch=sm_{arch}", ptx, "-o", cubin], check=True)
                code = text_of(cubin.read_bytes())
                ops = [struct.unpack_from("<H", code, i)[0] & 0xFFF for i in range(0, len(code), 16)]
                told = [NAMES.get(op, hex(op)) for op in ops if op not in OUTSIDE][:-1]  # the last jumps to itself
                usual, apart = told[: told.index("EXIT")], told[told.index("EXIT") + 1 :]
                print(f"{name:18} {len(usual):3}  {' '.join(usual)}" + (f"  | {len(apart)}: {' '.join(apart)}" if apart else ""))


if __name__ == "__main__":
    main()
