/* SPDX-License-Identifier: MIT */
/* What a code object must be before a runtime sees it: whole, for a GPU, and of this build. */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/fatbin.h"

#define BAD(...) (snprintf(message, n, __VA_ARGS__), FLY_STATUS_BAD_KERNEL_FILE)

enum { MACHINE_CUDA = 190, MACHINE_AMDGPU = 224, OSABI_AMDGPU_HSA = 64 };

static bool inside(size_t bytes, uint64_t offset, uint64_t size)
{
    return offset <= bytes && size <= bytes - offset;
}

/* Headers are copied out, since nothing promises that the entry is aligned in memory. */
static Elf64_Shdr section(const uint8_t *data, const Elf64_Ehdr *e, unsigned i)
{
    Elf64_Shdr s;
    memcpy(&s, data + e->e_shoff + (size_t)i * sizeof s, sizeof s);
    return s;
}

/* Whether table `s` (its strings in `strings`) has a global symbol of that name. */
static bool table_has(const uint8_t *data, const Elf64_Shdr *s, const Elf64_Shdr *strings,
                      const char *symbol)
{
    size_t length = strlen(symbol) + 1;
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym sym;
        memcpy(&sym, data + s->sh_offset + i * sizeof sym, sizeof sym);
        if (sym.st_name < strings->sh_size && strings->sh_size - sym.st_name >= length &&
            ELF64_ST_BIND(sym.st_info) != STB_LOCAL && sym.st_shndx != SHN_UNDEF &&
            !memcmp(data + strings->sh_offset + sym.st_name, symbol, length))
            return true;
    }
    return false;
}

/* Everything common to both vendors' ELF files. tables: type of the symbol tables to look in. */
static flyStatus_t check_elf(const uint8_t *data, size_t bytes, unsigned machine, uint32_t tables,
                             const char *symbol, char *message, size_t n)
{
    Elf64_Ehdr e;
    if (bytes < sizeof e)
        return BAD("code object: truncated: %zu bytes end inside the ELF header", bytes);
    memcpy(&e, data, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG))
        return BAD("code object: no ELF file: wrong magic");
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
        e.e_ident[EI_VERSION] != EV_CURRENT)
        return BAD("code object: not a 64-bit little-endian ELF file");
    if (e.e_machine != machine)
        return BAD("code object: for machine %u, want %u", e.e_machine, machine);
    if (e.e_phnum && (e.e_phentsize != sizeof(Elf64_Phdr) ||
                      !inside(bytes, e.e_phoff, (uint64_t)e.e_phnum * sizeof(Elf64_Phdr))))
        return BAD("code object: the program headers lie beyond the end (%zu bytes)", bytes);
    if (!e.e_shnum || e.e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(bytes, e.e_shoff, (uint64_t)e.e_shnum * sizeof(Elf64_Shdr)))
        return BAD("code object: the section headers lie beyond the end (%zu bytes)", bytes);
    for (unsigned i = 0; i < e.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, data + e.e_phoff + (size_t)i * sizeof p, sizeof p);
        if (!inside(bytes, p.p_offset, p.p_filesz))
            return BAD("code object: segment %u lies beyond the end (%zu bytes)", i, bytes);
        if (p.p_type == PT_LOAD && (p.p_filesz > p.p_memsz || p.p_vaddr + p.p_memsz < p.p_vaddr))
            return BAD("code object: segment %u has impossible sizes", i);
    }
    bool found = !symbol;
    for (unsigned i = 0; i < e.e_shnum; i++) {
        Elf64_Shdr s = section(data, &e, i);
        if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL &&
            !inside(bytes, s.sh_offset, s.sh_size))
            return BAD("code object: section %u lies beyond the end (%zu bytes)", i, bytes);
        if (s.sh_type != tables || found)
            continue;
        if (s.sh_link >= e.e_shnum)
            return BAD("code object: the symbol table has no strings");
        Elf64_Shdr strings = section(data, &e, s.sh_link);
        if (strings.sh_type != SHT_STRTAB || !inside(bytes, strings.sh_offset, strings.sh_size))
            return BAD("code object: the symbol table's strings lie beyond the end (%zu bytes)",
                       bytes);
        found = table_has(data, &s, &strings, symbol);
    }
    if (!found)
        return BAD("code object: of another build: it lacks the symbol %s", symbol);
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_code_object_check(const void *data, size_t bytes, const char *symbol, char *message,
                                  size_t n)
{
    const uint8_t *p = data;
    if (bytes > EI_OSABI && p[EI_OSABI] != OSABI_AMDGPU_HSA && !memcmp(p, ELFMAG, SELFMAG))
        return BAD("code object: OS ABI %u, want %d (AMDGPU HSA)", p[EI_OSABI], OSABI_AMDGPU_HSA);
    return check_elf(data, bytes, MACHINE_AMDGPU, SHT_DYNSYM, symbol, message, n);
}

flyStatus_t fly_ptx_check(const void *data, size_t bytes, const char *symbol, char *message,
                          size_t n)
{
    if (bytes >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
        return check_elf(data, bytes, MACHINE_CUDA, SHT_SYMTAB, symbol, message, n);
    if (memchr(data, 0, bytes))
        return BAD("PTX: the text has a zero byte");
    if (!memmem(data, bytes, ".version", 8) || !memmem(data, bytes, ".target", 7))
        return BAD("PTX: no .version and .target: not PTX, or truncated");
    if (symbol && !memmem(data, bytes, symbol, strlen(symbol)))
        return BAD("PTX: of another build: it lacks the symbol %s", symbol);
    return FLY_STATUS_SUCCESS;
}
