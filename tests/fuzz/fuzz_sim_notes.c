/* SPDX-License-Identifier: MIT */
/* Metadata of a code object: the input is the MessagePack of its note, in an otherwise good file
 * that has the kernel `k`. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj.h"
#include "msgpack.h"

enum { HEAD = 64, PHDRS = 2 * 56, CODE = 64, DESCRIPTOR = 64, SECTIONS = 4 * 64, SYMBOLS = 2 * 24,
       STRINGS = 8, FIXED = HEAD + PHDRS + CODE + DESCRIPTOR + SECTIONS + SYMBOLS + STRINGS };

static void put(uint8_t *p, unsigned bytes, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = v >> 8 * i;
}

static void section(uint8_t *p, unsigned type, uint64_t offset, uint64_t size, unsigned link)
{
    put(p + 4, 4, type);
    put(p + 24, 8, offset);
    put(p + 32, 8, size);
    put(p + 40, 4, link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t note = FIXED, total = FIXED + 20 + bytes;
    uint8_t *f = calloc(1, total), *p;
    struct sim_msgpack m = {data, data + bytes};
    char err[200];
    size_t code = HEAD + PHDRS, descriptor = code + CODE, sections = descriptor + DESCRIPTOR,
           symbols = sections + SECTIONS, strings = symbols + SYMBOLS;

    while (sim_msgpack_skip(&m))
        ;
    if (!f)
        return 0;
    memcpy(f, "\177ELF\2\1\1\100\3", 9);
    put(f + 16, 2, 3);
    put(f + 18, 2, 224);
    put(f + 32, 8, HEAD);
    put(f + 40, 8, sections);
    put(f + 48, 4, 0x54c);
    put(f + 54, 2, 56);
    put(f + 56, 2, 2);
    put(f + 58, 2, 64);
    put(f + 60, 2, 4);
    p = f + HEAD; /* one segment over everything, executable */
    put(p, 4, 1);
    put(p + 4, 4, 5);
    put(p + 32, 8, FIXED);
    put(p + 40, 8, FIXED);
    p += 56;
    put(p, 4, 4);
    put(p + 8, 8, note);
    put(p + 32, 8, 20 + bytes);
    put(f + code, 4, 0xbf810000);
    put(f + descriptor + 16, 8, code - descriptor);
    section(f + sections + 64, 11, symbols, SYMBOLS, 2);
    section(f + sections + 128, 3, strings, STRINGS, 0);
    p = f + symbols + 24;
    put(p, 4, 1);
    p[4] = 0x11;
    put(p + 6, 2, 1);
    put(p + 8, 8, descriptor);
    put(p + 16, 8, 64);
    memcpy(f + strings, "\0k.kd", 6);
    put(f + note, 4, 7);
    put(f + note + 4, 4, bytes);
    put(f + note + 8, 4, 32);
    memcpy(f + note + 12, "AMDGPU", 7);
    memcpy(f + note + 20, data, bytes);
    sim_codeobj_close(sim_codeobj_open(f, total, err, sizeof err));
    free(f);
    return 0;
}
