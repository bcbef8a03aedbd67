/* SPDX-License-Identifier: MIT */
/* Loading code objects into device memory and lowering their code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "mem.h"

enum { R_AMDGPU_ABS64 = 3, R_AMDGPU_RELATIVE64 = 13, MAX_IMAGE = 1 << 30 };

/* Registers the descriptor allocates: VGPRs and AGPRs share a file on targets with AGPRs. */
static void registers(struct sim_function *f)
{
    const struct sim_kernel *k = f->k;
    f->vgprs = k->vgprs;
    f->agprs = 0;
    if (sim_has(f->module->target, SIM_HAS_AGPR) && k->accum_offset && k->vgprs > k->accum_offset) {
        f->agprs = k->vgprs - k->accum_offset;
        f->vgprs = k->accum_offset;
    }
}

static struct sim_program *program(struct sim_module *m, int wave)
{
    struct sim_program **p = &m->program[wave == 64 ? 0 : 1];
    if (!*p)
        *p = sim_lower(m->target, wave, m->object->text, m->object->text_size,
                       (u64)(uintptr_t)m->image + m->object->text_vaddr, m->object->text_vaddr);
    return *p;
}

static bool relocate(struct sim_module *m, char *err, size_t n)
{
    const struct sim_codeobj *o = m->object;
    for (unsigned i = 0; i < o->nrelocs; i++) {
        const struct sim_reloc *r = &o->relocs[i];
        u64 v = (u64)r->addend;
        if (r->type == R_AMDGPU_RELATIVE64)
            v += (u64)(uintptr_t)m->image;
        else if (r->type == R_AMDGPU_ABS64 && r->symbol < o->nsymbols && o->symbols[r->symbol].defined)
            v += (u64)(uintptr_t)m->image + o->symbols[r->symbol].value;
        else {
            snprintf(err, n, "relocation of type %u is not supported", r->type);
            return false;
        }
        if (r->offset + 8 > o->extent || r->offset + 8 < 8) {
            snprintf(err, n, "relocation at 0x%llx lies outside the image", (unsigned long long)r->offset);
            return false;
        }
        memcpy(m->image + r->offset, &v, 8);
    }
    return true;
}

struct sim_module *sim_module_load(const void *data, size_t n, const struct sim_target *t, int device, char *err,
                                   size_t err_size)
{
    struct sim_module *m = calloc(1, sizeof *m);
    if (!m || !(m->file = malloc(n ? n : 1))) {
        snprintf(err, err_size, "out of memory");
        goto fail;
    }
    memcpy(m->file, data, n);
    m->target = t;
    m->device = device;
    m->object = sim_codeobj_open(m->file, n, err, err_size);
    if (!m->object)
        goto fail;
    const struct sim_codeobj *o = m->object;
    if (o->family->isa != t->family->isa ||
        (o->family != t->family && !(o->family->flags & SIM_GENERIC))) {
        snprintf(err, err_size, "the code object is for %s, the device is %s", o->family->name, t->name);
        goto fail;
    }
    if (!o->extent || o->extent > MAX_IMAGE) {
        snprintf(err, err_size, "an image of %llu bytes cannot be loaded", (unsigned long long)o->extent);
        goto fail;
    }
    m->image = sim_mem_alloc(o->extent, device, SIM_MEM_CODE);
    if (!m->image) {
        snprintf(err, err_size, "out of device memory");
        goto fail;
    }
    for (unsigned i = 0; i < o->nsegments; i++)
        memcpy(m->image + o->segments[i].vaddr, o->segments[i].data, o->segments[i].filesz);
    sim_mem_mark((u64)(uintptr_t)m->image, o->extent, true);
    if (!relocate(m, err, err_size))
        goto fail;
    m->functions = calloc(o->nkernels ? o->nkernels : 1, sizeof *m->functions);
    if (!m->functions)
        goto fail;
    for (unsigned i = 0; i < o->nkernels; i++) {
        struct sim_function *f = &m->functions[m->nfunctions];
        f->module = m;
        f->k = &o->kernels[i];
        f->program = program(m, f->k->wave);
        if (!f->program) {
            snprintf(err, err_size, "out of memory");
            goto fail;
        }
        f->entry = sim_insn_at(f->program, (u64)(uintptr_t)m->image + f->k->entry);
        if (!f->entry) {
            snprintf(err, err_size, "kernel %s: its entry 0x%llx is no instruction", f->k->name,
                     (unsigned long long)f->k->entry);
            goto fail;
        }
        registers(f);
        m->nfunctions++;
    }
    return m;
fail:
    sim_module_unload(m);
    return NULL;
}

void sim_module_unload(struct sim_module *m)
{
    if (!m)
        return;
    sim_program_free(m->program[0]);
    sim_program_free(m->program[1]);
    if (m->image)
        sim_mem_free(m->image);
    if (m->object)
        sim_codeobj_close(m->object);
    free(m->functions);
    free(m->file);
    free(m);
}

struct sim_function *sim_module_function(struct sim_module *m, const char *name)
{
    for (unsigned i = 0; i < m->nfunctions; i++)
        if (!strcmp(m->functions[i].k->name, name))
            return &m->functions[i];
    return NULL;
}
