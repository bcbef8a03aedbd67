/* SPDX-License-Identifier: MIT */
/* Loading code objects into device memory and lowering their code. */
#include <pthread.h>
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

/* Lowered when a kernel is first asked for: objects hold many. A kernel that leaves its own code runs in the whole
 * text instead. False when out of memory. */
static bool lower(struct sim_function *f)
{
    struct sim_module *m = f->module;
    const struct sim_codeobj *o = m->object;
    const struct sim_kernel *k = f->k;
    const u64 at = k->entry - o->text_vaddr, left = o->text_size - at, size = k->code_end - k->entry;
    struct sim_program **whole = &m->program[k->wave == 64 ? 0 : 1];

    f->own = sim_lower(m->target, k->wave, o->text + at, size < left ? size : left,
                       (u64)(uintptr_t)m->image + k->entry, k->entry);
    f->program = f->own;
    if (f->own && f->own->leaves) {
        sim_program_free(f->own);
        f->own = NULL;
        if (!*whole)
            *whole = sim_lower(m->target, k->wave, o->text, o->text_size,
                               (u64)(uintptr_t)m->image + o->text_vaddr, o->text_vaddr);
        f->program = *whole;
    }
    f->entry = f->program ? sim_insn_at(f->program, (u64)(uintptr_t)m->image + k->entry) : NULL;
    return f->entry != NULL;
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
        if (f->k->entry & 3 || f->k->entry - o->text_vaddr >= o->text_size || f->k->code_end <= f->k->entry) {
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
    for (unsigned i = 0; i < m->nfunctions; i++)
        sim_program_free(m->functions[i].own);
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
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (unsigned i = 0; i < m->nfunctions; i++) {
        struct sim_function *f = &m->functions[i];
        if (strcmp(f->k->name, name))
            continue;
        pthread_mutex_lock(&lock);
        const bool ok = f->entry || lower(f);
        pthread_mutex_unlock(&lock);
        return ok ? f : NULL;
    }
    return NULL;
}
