/* SPDX-License-Identifier: MIT */
/*
 * FLYSIM_MFMA=device against vectors of the published device models of CDNA2 and CDNA3 (Xie et al.,
 * arXiv 2511.10909), made with the authors' package mmasim 2.1.1: random, wide exponents, specials,
 * subnormals, cancellation. data/mfma_device.bin, per record: length and mnemonic, instruction set
 * (0 gfx90a, 1 gfx942), m, n, k; then A[m][k], B[k][n] in their types, C[m][n] and D[m][n] as f32
 * bits. Every NaN counts as the same.
 */
#include "matrix.h"

#include "layout.h"

static int bytes_of(int type)
{
    return type == SIM_MT_F32 || type == SIM_MT_XF32   ? 4
           : type == SIM_MT_F16 || type == SIM_MT_BF16 ? 2
                                                       : 1;
}

static uint64_t element(const uint8_t *p, int bytes, int at)
{
    uint64_t v = 0;
    memcpy(&v, p + at * bytes, (size_t)bytes);
    return v;
}

static bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

Test(matrix_device, follows_the_published_models)
{
    load();
    FILE *f = fopen(SIM_TEST_DATA "/mfma_device.bin", "rb");
    cr_assert(f);
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    int level[3], count = levels(level), records = 0;
    for (const uint8_t *p = data; p < data + size; records++) {
        char token[64] = {0};
        int len = *p++;
        memcpy(token, p, (size_t)len);
        p += len;
        int isa = *p++, m = *p++, n = *p++, k = *p++;
        const struct sim_matrix_form *form = sim_matrix_find(token, isa);
        cr_assert(form && form->m == m && form->n == n && form->k == k, "%s", token);
        int as = bytes_of(form->a), bs = bytes_of(form->b);
        const uint8_t *a = p, *b = a + m * k * as, *c = b + k * n * bs, *d = c + 4 * m * n;
        p = d + 4 * m * n;
        static uint32_t ra[WORDS], rb[WORDS], rc[WORDS], rd[WORDS];
        const struct map *ma = find(isa_name[isa], token, 64, "A"),
                         *mb = find(isa_name[isa], token, 64, "B");
        const struct map *md = find(isa_name[isa], token, 64, "D");
        int lane, elem;
        for (int bk = 0; bk < form->blocks; bk++) {
            for (int i = 0; i < m * k; i++) {
                locate(ma, bk, i / k, i % k, &lane, &elem);
                put(ra, 64, 8 * as, lane, elem, element(a, as, i));
            }
            for (int i = 0; i < k * n; i++) {
                locate(mb, bk, i / n, i % n, &lane, &elem);
                put(rb, 64, 8 * bs, lane, elem, element(b, bs, i));
            }
            for (int i = 0; i < m * n; i++) {
                locate(md, bk, i / n, i % n, &lane, &elem);
                put(rc, 64, 32, lane, elem, element(c, 4, i));
            }
        }
        for (int v = 0; v < count; v++) {
            struct sim_matrix_args x = {ra, rb, rc, rd, .wave = 64};
            sim_mfma_mode = SIM_MFMA_DEVICE;
            sim_matrix_level(level[v])(form, &x);
            for (int i = 0; i < form->blocks * m * n; i++) {
                locate(md, i / (m * n), i / n % m, i % n, &lane, &elem);
                uint32_t got = (uint32_t)get(rd, 64, 32, lane, elem),
                         want = (uint32_t)element(d, 4, i % (m * n));
                cr_assert(got == want || (is_nan(got) && is_nan(want)),
                          "record %d %s level %d D[%d][%d]: %08x, want %08x", records, token,
                          level[v], i / n % m, i % n, got, want);
            }
        }
    }
    cr_expect(records > 100, "%d records", records);
}
