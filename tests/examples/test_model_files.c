/* SPDX-License-Identifier: MIT */
/* The readers of the embedding example: right on good files, an error and no crash on others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../examples/json.h"
#include "../../examples/safetensors.h"
#include "../../examples/wordpiece.h"

static char path[] = "/tmp/fly-model-XXXXXX";

static void write_file(const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void make_path(void)
{
    close(mkstemp(path));
}

static void remove_path(void)
{
    unlink(path);
}

static const char header[] =
    "{\"__metadata__\":{\"format\":\"pt\",\"list\":[1,[2,{}],\"x\\\"]}\"]},"
    "\"a.b\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
    "\"h\":{\"shape\":[4],\"extra\":null,\"dtype\":\"BF16\",\"data_offsets\":[24,32]},"
    "\"far\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[28,36]},"
    "\"wrong\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,24]},"
    "\"huge\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}";

static size_t make_safetensors(unsigned char *out)
{
    size_t n = sizeof header - 1;
    memset(out, 0, 8);
    out[0] = (unsigned char)n;
    out[1] = (unsigned char)(n >> 8);
    memcpy(out + 8, header, n);
    for (int i = 0; i < 32; i++)
        out[8 + n + (size_t)i] = (unsigned char)i;
    return 8 + n + 32;
}

Test(safetensors, finds_tensors_and_refuses_bad_ones, .init = make_path, .fini = remove_path)
{
    unsigned char file[2048];
    char error[300];
    struct safetensors s;
    struct tensor t;
    write_file(file, make_safetensors(file));
    cr_assert_eq(safetensors_open(&s, path, error, sizeof error), 0, "%s", error);
    cr_assert_eq(safetensors_find(&s, "a.b", &t), 0);
    cr_assert_str_eq(t.dtype, "F32");
    cr_assert(t.rank == 2 && t.shape[0] == 2 && t.shape[1] == 3 && t.bytes == 24);
    cr_assert_eq(*(const unsigned char *)t.data, 0);
    cr_assert_eq(safetensors_find(&s, "h", &t), 0);
    cr_assert_eq(*(const unsigned char *)t.data, 24);
    cr_assert_eq(safetensors_find(&s, "none", &t), -1);
    cr_assert_eq(safetensors_find(&s, "far", &t), -1, "a tensor past the end of the file was taken");
    cr_assert_eq(safetensors_find(&s, "wrong", &t), -1, "size and shape differ");
    cr_assert_eq(safetensors_find(&s, "huge", &t), -1, "the size overflows");
    safetensors_close(&s);
}

Test(safetensors, survives_truncation_and_flipped_bytes, .init = make_path, .fini = remove_path)
{
    unsigned char file[2048], bad[2048];
    char error[300];
    struct safetensors s;
    struct tensor t;
    size_t n = make_safetensors(file);
    for (size_t i = 0; i < n; i++) {
        write_file(file, i);
        if (safetensors_open(&s, path, error, sizeof error) == 0) {
            safetensors_find(&s, "h", &t);
            safetensors_close(&s);
        }
        memcpy(bad, file, n);
        bad[i] ^= 0x55;
        write_file(bad, n);
        if (safetensors_open(&s, path, error, sizeof error) == 0) {
            safetensors_find(&s, "h", &t);
            safetensors_close(&s);
        }
    }
    unlink(path);
    cr_assert_eq(safetensors_open(&s, path, error, sizeof error), -1);
    cr_assert_gt(strlen(error), 0);
}

Test(json, unescapes_strings)
{
    const char text[] = "[\"a\\u00e9\\n\\ud83d\\ude00\", -12, {\"k\" : [true]}, \"end\"]";
    struct json j;
    char s[32];
    int64_t v;
    json_open(&j, text, sizeof text - 1);
    cr_assert(json_enter(&j, '[') && json_item(&j) && json_string(&j, s, sizeof s));
    cr_assert_str_eq(s, "a\xc3\xa9\n\xf0\x9f\x98\x80");
    cr_assert(json_item(&j) && json_integer(&j, &v));
    cr_assert_eq(v, -12);
    cr_assert(json_item(&j) && json_skip(&j));
    cr_assert(json_item(&j) && json_string(&j, s, 3));
    cr_assert_str_eq(s, "en", "a string is cut to the buffer");
    cr_assert_not(json_item(&j));
    cr_assert_not(j.bad);
}

Test(json, ends_in_an_error_on_any_prefix)
{
    const char text[] = "{\"a\":[1,2,{\"b\":\"\\u0041\"}],\"c\":{\"d\":-3.5e7}}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = malloc(n ? n : 1); /* so that a checker sees a read past the end */
        struct json j;
        memcpy(copy, text, n);
        json_open(&j, copy, n);
        cr_assert_not(json_skip(&j), "prefix of %zu bytes was taken", n);
        cr_assert(j.bad);
        free(copy);
    }
}

Test(wordpiece, takes_the_longest_pieces, .init = make_path, .fini = remove_path)
{
    const char text[] = "{\"version\":\"1.0\",\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,\"[SEP]\":2,"
                        "\"un\":3,\"##bel\":4,\"##be\":5,\"##lie\":6,\"!\":7,\"u\":8}}}";
    char error[300];
    struct wordpiece w;
    int id[16];
    write_file(text, sizeof text - 1);
    cr_assert_eq(wordpiece_open(&w, path, error, sizeof error), 0, "%s", error);
    cr_assert_eq(wordpiece_encode(&w, "UNBE! unbel unbelx", id, 16), 8);
    static const int want[] = {1, 3, 5, 7, 3, 4, 0, 2};
    cr_assert_eq(memcmp(id, want, sizeof want), 0);
    cr_assert_eq(wordpiece_encode(&w, "un un un un", id, 4), 4);
    cr_assert_eq(id[3], 2, "a cut sentence still ends in [SEP]");
    wordpiece_close(&w);
    write_file("{\"model\":{}}", 12);
    cr_assert_eq(wordpiece_open(&w, path, error, sizeof error), -1);
}
