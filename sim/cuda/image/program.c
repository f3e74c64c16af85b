#include "poise/cuda_program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/fatbin.h"
#include "poise/file.h"

struct image {
    const unsigned char *data;
    size_t size;
    Elf64_Ehdr header;
};

/* Copies `bytes` bytes at an offset, or says that the file is damaged. */
static bool get(const struct image *elf, void *out, uint64_t offset, size_t bytes)
{
    if (offset > elf->size || bytes > elf->size - offset) return false;
    memcpy(out, elf->data + offset, bytes);
    return true;
}

static bool section(const struct image *elf, unsigned i, Elf64_Shdr *out)
{
    return elf->header.e_shentsize == sizeof *out && elf->header.e_shoff < elf->size &&
           get(elf, out, elf->header.e_shoff + (uint64_t)i * sizeof *out, sizeof *out) &&
           (out->sh_type == SHT_NOBITS || (out->sh_offset <= elf->size && out->sh_size <= elf->size - out->sh_offset));
}

/* A string of a section; "" where it is not one. */
static const char *text_at(const struct image *elf, const Elf64_Shdr *strings, uint64_t at)
{
    if (strings->sh_type != SHT_STRTAB || at >= strings->sh_size) return "";
    const char *text = (const char *)elf->data + strings->sh_offset + at;
    return memchr(text, '\0', strings->sh_size - at) ? text : "";
}

/* Libraries of NVIDIA's whose kernels are machine code. */
static bool is_absent(const char *name)
{
    static const char *const absent[] = {"libcufftw",   "libcusolverMg", "libcudnn", "libnpp",
                                         "libcublasLt", "libnvjpeg",     "libnccl"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strncmp(name, absent[i], strlen(absent[i])) == 0) return true;
    return false;
}

static void read_dynamic(struct cuda_program *out, const struct image *elf, const Elf64_Shdr *s)
{
    Elf64_Shdr strings;
    Elf64_Dyn d;
    if (!section(elf, s->sh_link, &strings)) return;
    for (uint64_t at = 0;
         at + sizeof d <= s->sh_size && get(elf, &d, s->sh_offset + at, sizeof d) && d.d_tag != DT_NULL;
         at += sizeof d) {
        const char *name = d.d_tag == DT_NEEDED ? text_at(elf, &strings, d.d_un.d_val) : "";
        out->loads_runtime |= strncmp(name, "libcudart.so", 12) == 0;
        out->loads_driver |= strncmp(name, "libcuda.so", 10) == 0;
        out->loads_compiler |= strncmp(name, "libnvrtc.so", 11) == 0;
        out->has_rpath |= d.d_tag == DT_RPATH;
        if (!out->absent[0] && is_absent(name)) snprintf(out->absent, sizeof out->absent, "%s", name);
    }
}

static int read_fatbins(struct cuda_program *out, const unsigned char *data, size_t size, struct error *err)
{
    out->has_fatbin = true;
    for (size_t at = 0; at + FATBIN_HEADER_BYTES <= size;) {
        const size_t bytes = fatbin_bytes(data + at);
        struct fatbin_entry entry;
        size_t next = 0;
        int more;
        if (bytes == 0) { /* padding */
            at += 8;
            continue;
        }
        while ((more = fatbin_next(&entry, data + at, size - at, &next, err)) == 1) {
            out->has_ptx |= entry.kind == FATBIN_PTX;
            if (entry.kind == FATBIN_MACHINE_CODE) out->machine_code = entry.arch;
        }
        if (more < 0) return -1;
        at += bytes;
    }
    return 0;
}

/* The second is of files that were compiled to be linked (-rdc). */
static bool is_fat_section(const char *name)
{
    return strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0;
}

int cuda_program_read(struct cuda_program *out, const void *data, size_t size, struct error *err)
{
    struct image elf = {.data = data, .size = size};
    Elf64_Shdr names, s;
    memset(out, 0, sizeof *out);
    if (!get(&elf, &elf.header, 0, sizeof elf.header) || memcmp(elf.header.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.header.e_ident[EI_CLASS] != ELFCLASS64)
        return error_set(err, ERR_INPUT, "not a program for 64-bit Linux");
    if (!section(&elf, elf.header.e_shstrndx, &names))
        return error_set(err, ERR_INPUT, "its table of sections is damaged");
    for (unsigned i = 0; i < elf.header.e_shnum; i++) {
        if (!section(&elf, i, &s)) return error_set(err, ERR_INPUT, "its section %u is damaged", i);
        if (s.sh_type == SHT_DYNAMIC) read_dynamic(out, &elf, &s);
        else if (s.sh_type == SHT_PROGBITS && is_fat_section(text_at(&elf, &names, s.sh_name)) &&
                 read_fatbins(out, elf.data + s.sh_offset, s.sh_size, err) < 0)
            return -1;
    }
    return 0;
}

static int judge(const struct cuda_program *p, struct error *err)
{
    char hint[200];
    if (!p->loads_runtime && !p->loads_driver) {
        error_set(err, ERR_INPUT,
                  p->has_fatbin ? "the CUDA runtime is linked into this program; it cannot be exchanged"
                                : "this program uses no CUDA library");
        return error_at(err, NULL, 0, -1, "link it with nvcc -cudart shared, or build it with poise cc");
    }
    if (p->has_rpath) {
        error_set(err, ERR_INPUT, "this program's RPATH comes before every other place for libraries");
        return error_at(err, NULL, 0, -1, "link it without -rpath or with -Wl,--enable-new-dtags");
    }
    if (p->machine_code && !p->has_ptx && !p->loads_compiler) { /* nvcc puts an empty list into programs of host code */
        error_set(err, ERR_INPUT,
                  "this program holds machine code for sm_%u and no PTX, which is what this device runs",
                  p->machine_code);
        snprintf(hint, sizeof hint, "compile it with nvcc -cudart shared -gencode arch=compute_%u,code=compute_%u",
                 p->machine_code, p->machine_code);
        return error_at(err, NULL, 0, -1, hint);
    }
    return 0;
}

int cuda_program_check(const char *path, struct error *err)
{
    struct cuda_program program;
    char *data;
    size_t size;
    if (file_read(&data, &size, path, err) < 0) return -1;
    int result = cuda_program_read(&program, data, size, err);
    if (result == 0) result = judge(&program, err);
    if (result == 0 && program.absent[0])
        fprintf(stderr,
                "poise: %s uses %s, which is NVIDIA's own and not here: its kernels are machine code, so calls of it "
                "fail or compute nothing\n",
                path, program.absent);
    free(data);
    return result < 0 ? error_while(err, "%s", path) : 0;
}
