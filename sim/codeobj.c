/* SPDX-License-Identifier: MIT */
/*
 * Reader of ELF code objects; see codeobj.h. One cursor type checks every access to the file;
 * section headers are used for .text, symbols and notes, and the dynamic section where there are
 * none.
 */
#include "codeobj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"

enum {
    EM_AMDGPU = 224, OSABI_HSA = 64, PT_LOAD = 1, PT_NOTE = 4, SHT_SYMTAB = 2, SHT_RELA = 4,
    SHT_NOBITS = 8, SHT_DYNSYM = 11, NT_AMDGPU_METADATA = 32, MAX_ITEMS = 1 << 20
};

struct file { const uint8_t *d; uint64_t size; };

static bool within(const struct file *f, uint64_t at, uint64_t n)
{
    return at <= f->size && n <= f->size - at;
}

/* Little-endian number of that many bytes; the caller has checked the range. */
static uint64_t le(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

struct section {
    uint32_t name, type;
    uint64_t flags, addr, offset, size;
    uint32_t link;
    uint64_t entsize;
};

static struct section section_at(const uint8_t *p)
{
    return (struct section){le(p, 4), le(p + 4, 4), le(p + 8, 8), le(p + 16, 8), le(p + 24, 8),
                            le(p + 32, 8), le(p + 40, 4), le(p + 56, 8)};
}

/* What the steps of reading share. */
struct reader {
    struct file f;
    struct sim_codeobj *o;
    const uint8_t *sections;
    unsigned nsections;
    const char *error;
};

/* Name at an offset of a string table; "" when out of range or not terminated. */
static const char *string_at(const struct file *f, const struct section *tab, uint64_t at)
{
    const uint8_t *p;

    if (!within(f, tab->offset, tab->size) || at >= tab->size)
        return "";
    p = f->d + tab->offset + at;
    return memchr(p, 0, tab->size - at) ? (const char *)p : "";
}

static bool read_header(struct reader *r)
{
    const uint8_t *d = r->f.d;
    uint64_t shoff;
    struct sim_codeobj *o = r->o;

    if (r->f.size < 64 || memcmp(d, "\177ELF", 4) != 0)
        r->error = "not an ELF file";
    else if (d[4] != 2 || d[5] != 1)
        r->error = "not a 64-bit little-endian ELF file";
    else if (le(d + 18, 2) != EM_AMDGPU)
        r->error = "not an AMD GPU code object";
    else if (d[7] != OSABI_HSA)
        r->error = "not an HSA code object";
    if (r->error)
        return false;
    o->abi = d[8];
    o->flags = le(d + 48, 4);
    o->family = sim_family_by_mach(o->flags & 0xff);
    if (!o->family) {
        r->error = "code object for a target the simulator does not know";
        return false;
    }
    shoff = le(d + 40, 8);
    r->nsections = le(d + 60, 2);
    if (r->nsections &&
        (le(d + 58, 2) != 64 || !within(&r->f, shoff, (uint64_t)r->nsections * 64))) {
        r->error = "section table lies outside the file";
        return false;
    }
    r->sections = r->nsections ? d + shoff : d;
    return true;
}

static bool read_segments(struct reader *r)
{
    const uint8_t *d = r->f.d;
    uint64_t phoff = le(d + 32, 8);
    unsigned n = le(d + 56, 2);
    struct sim_codeobj *o = r->o;

    if (n && (le(d + 54, 2) != 56 || !within(&r->f, phoff, (uint64_t)n * 56))) {
        r->error = "program headers lie outside the file";
        return false;
    }
    o->segments = calloc(n ? n : 1, sizeof *o->segments);
    if (!o->segments) {
        r->error = "out of memory";
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = d + phoff + (uint64_t)i * 56;
        struct sim_segment *s = &o->segments[o->nsegments];
        uint64_t offset = le(p + 8, 8);

        if (le(p, 4) != PT_LOAD)
            continue;
        s->vaddr = le(p + 16, 8);
        s->filesz = le(p + 32, 8);
        s->memsz = le(p + 40, 8);
        s->exec = p[4] & 1;
        s->write = p[4] & 2;
        if (!within(&r->f, offset, s->filesz) || s->filesz > s->memsz ||
            s->vaddr + s->memsz < s->vaddr || s->vaddr + s->memsz > UINT64_C(1) << 40) {
            r->error = "a segment lies outside the file or the address space";
            return false;
        }
        s->data = d + offset;
        for (unsigned k = 0; k < o->nsegments; k++)
            if (s->vaddr < o->segments[k].vaddr + o->segments[k].memsz &&
                o->segments[k].vaddr < s->vaddr + s->memsz) {
                r->error = "segments overlap";
                return false;
            }
        if (s->vaddr + s->memsz > o->extent)
            o->extent = s->vaddr + s->memsz;
        o->nsegments++;
    }
    return true;
}

static bool read_symbols(struct reader *r, const struct section *tab)
{
    struct sim_codeobj *o = r->o;
    struct section names = {0};
    uint64_t n = tab->size / 24;

    if (!within(&r->f, tab->offset, tab->size) || tab->link >= r->nsections || n > MAX_ITEMS) {
        r->error = "symbol table lies outside the file";
        return false;
    }
    names = section_at(r->sections + (size_t)tab->link * 64);
    free(o->symbols);
    o->symbols = calloc(n ? n : 1, sizeof *o->symbols);
    if (!o->symbols) {
        r->error = "out of memory";
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *p = r->f.d + tab->offset + i * 24;

        o->symbols[i] = (struct sim_symbol){.name = string_at(&r->f, &names, le(p, 4)),
                                            .value = le(p + 8, 8),
                                            .size = le(p + 16, 8),
                                            .type = p[4] & 15,
                                            .global = p[4] >> 4 != 0,
                                            .defined = le(p + 6, 2) != 0};
    }
    o->nsymbols = n;
    return true;
}

static bool read_relocs(struct reader *r, const struct section *tab)
{
    struct sim_codeobj *o = r->o;
    uint64_t n = tab->size / 24;
    struct sim_reloc *grown;

    if (!within(&r->f, tab->offset, tab->size) || n > MAX_ITEMS || o->nrelocs + n > MAX_ITEMS) {
        r->error = "relocations lie outside the file";
        return false;
    }
    grown = realloc(o->relocs, (o->nrelocs + n + 1) * sizeof *grown);
    if (!grown) {
        r->error = "out of memory";
        return false;
    }
    o->relocs = grown;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *p = r->f.d + tab->offset + i * 24;
        uint32_t sym = le(p + 12, 4);

        o->relocs[o->nrelocs++] = (struct sim_reloc){
            .offset = le(p, 8), .addend = (int64_t)le(p + 16, 8), .type = le(p + 8, 4),
            .symbol = sym && sym < o->nsymbols ? sym : UINT32_MAX};
    }
    return true;
}

static bool read_sections(struct reader *r)
{
    struct section strings = {0};
    unsigned strndx = le(r->f.d + 62, 2);
    bool have_dynsym = false;

    if (strndx < r->nsections)
        strings = section_at(r->sections + (size_t)strndx * 64);
    for (unsigned i = 0; i < r->nsections; i++) {
        struct section s = section_at(r->sections + (size_t)i * 64);

        if (s.type == SHT_DYNSYM || (s.type == SHT_SYMTAB && !have_dynsym)) {
            if (!read_symbols(r, &s))
                return false;
            have_dynsym = s.type == SHT_DYNSYM;
        }
        if (s.type != SHT_NOBITS && strcmp(string_at(&r->f, &strings, s.name), ".text") == 0) {
            if (!within(&r->f, s.offset, s.size)) {
                r->error = ".text lies outside the file";
                return false;
            }
            r->o->text = r->f.d + s.offset;
            r->o->text_size = s.size;
            r->o->text_vaddr = s.addr;
        }
    }
    for (unsigned i = 0; i < r->nsections; i++) {
        struct section s = section_at(r->sections + (size_t)i * 64);

        if (s.type == SHT_RELA && le(r->f.d + 16, 2) == 3 && !read_relocs(r, &s))
            return false;
    }
    return true;
}

const uint8_t *sim_codeobj_bytes(const struct sim_codeobj *o, uint64_t vaddr, uint64_t n)
{
    for (unsigned i = 0; i < o->nsegments; i++) {
        const struct sim_segment *s = &o->segments[i];

        if (vaddr >= s->vaddr && vaddr - s->vaddr <= s->filesz &&
            n <= s->filesz - (vaddr - s->vaddr))
            return s->data + (vaddr - s->vaddr);
    }
    return NULL;
}

/* Fields of the 64-byte descriptor; LLVM AMDGPU usage guide, "Kernel Descriptor". */
static bool read_descriptor(struct reader *r, struct sim_kernel *k, const uint8_t *p)
{
    const struct sim_family *f = r->o->family;
    const struct sim_symbol *fn;
    unsigned granule;

    k->lds = le(p, 4);
    k->scratch = le(p + 4, 4);
    k->kernarg = le(p + 8, 4);
    k->entry = k->descriptor + le(p + 16, 8);
    k->rsrc3 = le(p + 44, 4);
    k->rsrc1 = le(p + 48, 4);
    k->rsrc2 = le(p + 52, 4);
    k->properties = le(p + 56, 2);
    k->preload = le(p + 58, 2);
    k->wave = f->wave == 64 || !(k->properties >> 10 & 1) ? 64 : 32;
    k->dynamic_stack = k->properties >> 11 & 1;
    k->private_bytes = k->dynamic_stack && k->scratch < SIM_STACK ? SIM_STACK : k->scratch;
    k->user_sgprs = k->rsrc2 >> 1 & (f->flags & SIM_HAS_VGPR_MSB ? 0x3f : 0x1f);
    k->wg_id_x = k->rsrc2 >> 7 & 1;
    k->wg_id_y = k->rsrc2 >> 8 & 1;
    k->wg_id_z = k->rsrc2 >> 9 & 1;
    k->wg_info = k->rsrc2 >> 10 & 1;
    k->workitem_dims = k->rsrc2 >> 11 & 3;
    granule = f->flags & SIM_HAS_VGPR_MSB ? 16 : k->wave == 64 && f->wave == 32 ? 4 : 8;
    k->vgprs = ((k->rsrc1 & 0x3f) + 1) * granule;
    k->accum_offset = f->flags & SIM_HAS_AGPR ? ((k->rsrc3 & 0x3f) + 1) * 4 : 0;
    if (!sim_codeobj_bytes(r->o, k->entry, 4) || k->entry % 4) {
        r->error = "a kernel's entry lies outside the code";
        return false;
    }
    for (unsigned i = 0; i < r->o->nsegments; i++) {
        const struct sim_segment *s = &r->o->segments[i];

        if (k->entry >= s->vaddr && k->entry < s->vaddr + s->filesz) {
            if (!s->exec) {
                r->error = "a kernel's entry lies in a segment that is not executable";
                return false;
            }
            k->code_end = s->vaddr + s->filesz;
        }
    }
    fn = sim_codeobj_symbol(r->o, k->name);
    if (fn && fn->value == k->entry && fn->size && fn->size <= k->code_end - k->entry)
        k->code_end = k->entry + fn->size;
    return true;
}

static bool read_kernels(struct reader *r)
{
    struct sim_codeobj *o = r->o;
    size_t bytes = 0;
    char *at;
    unsigned n = 0;

    for (unsigned i = 0; i < o->nsymbols; i++) {
        size_t len = strlen(o->symbols[i].name);

        if (len > 3 && strcmp(o->symbols[i].name + len - 3, ".kd") == 0 && o->symbols[i].defined) {
            bytes += len - 2;
            n++;
        }
    }
    o->kernels = calloc(n ? n : 1, sizeof *o->kernels);
    o->strings = malloc(bytes + 1);
    if (!o->kernels || !o->strings) {
        r->error = "out of memory";
        return false;
    }
    at = o->strings;
    for (unsigned i = 0; i < o->nsymbols; i++) {
        const struct sim_symbol *s = &o->symbols[i];
        size_t len = strlen(s->name);
        struct sim_kernel *k;
        const uint8_t *p;

        if (len <= 3 || strcmp(s->name + len - 3, ".kd") != 0 || !s->defined)
            continue;
        p = sim_codeobj_bytes(o, s->value, 64);
        if (!p) {
            r->error = "a kernel descriptor lies outside the file";
            return false;
        }
        k = &o->kernels[o->nkernels++];
        memcpy(at, s->name, len - 3);
        at[len - 3] = 0;
        k->name = at;
        at += len - 2;
        k->descriptor = s->value;
        if (!read_descriptor(r, k, p))
            return false;
    }
    return true;
}

static bool read_notes(struct reader *r)
{
    const uint8_t *d = r->f.d;
    uint64_t phoff = le(d + 32, 8);
    unsigned n = le(d + 56, 2);

    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = d + phoff + (uint64_t)i * 56;
        uint64_t at = le(p + 8, 8), size = le(p + 32, 8), end;

        if (le(p, 4) != PT_NOTE)
            continue;
        if (!within(&r->f, at, size)) {
            r->error = "notes lie outside the file";
            return false;
        }
        end = at + size;
        while (end - at >= 12) {
            uint64_t namesz = le(d + at, 4), descsz = le(d + at + 4, 4);
            uint32_t type = le(d + at + 8, 4);
            uint64_t desc = at + 12 + (namesz + 3) / 4 * 4, next = desc + (descsz + 3) / 4 * 4;

            if (desc > end || descsz > end - desc) {
                r->error = "a note is cut off";
                return false;
            }
            if (type == NT_AMDGPU_METADATA && namesz == 7 &&
                memcmp(d + at + 12, "AMDGPU", 7) == 0) {
                r->error = sim_metadata_read(r->o, d + desc, descsz);
                if (r->error)
                    return false;
            }
            if (next > end)
                break;
            at = next;
        }
    }
    return true;
}

struct sim_codeobj *sim_codeobj_open(const void *data, size_t size, char *err, size_t err_size)
{
    struct reader r = {.f = {data, size}, .o = calloc(1, sizeof *r.o)};

    if (!r.o)
        r.error = "out of memory";
    else if (read_header(&r) && read_segments(&r) && read_sections(&r) && read_kernels(&r))
        read_notes(&r);
    if (!r.error)
        return r.o;
    snprintf(err, err_size, "%s", r.error);
    sim_codeobj_close(r.o);
    return NULL;
}

void sim_codeobj_close(struct sim_codeobj *o)
{
    char *block;

    if (!o)
        return;
    for (unsigned i = 0; i < o->nkernels; i++)
        free(o->kernels[i].args);
    for (block = o->metadata; block;) {
        char *next;

        memcpy(&next, block, sizeof next);
        free(block);
        block = next;
    }
    free(o->segments);
    free(o->symbols);
    free(o->relocs);
    free(o->kernels);
    free(o->strings);
    free(o);
}

const struct sim_kernel *sim_codeobj_kernel(const struct sim_codeobj *o, const char *name)
{
    for (unsigned i = 0; i < o->nkernels; i++)
        if (strcmp(o->kernels[i].name, name) == 0)
            return &o->kernels[i];
    return NULL;
}

const struct sim_symbol *sim_codeobj_symbol(const struct sim_codeobj *o, const char *name)
{
    for (unsigned i = 0; i < o->nsymbols; i++)
        if (o->symbols[i].defined && strcmp(o->symbols[i].name, name) == 0)
            return &o->symbols[i];
    return NULL;
}
