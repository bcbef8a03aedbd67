/* SPDX-License-Identifier: MIT */
/*
 * The first layer of a sentence encoder on real weights: all-MiniLM-L6-v2 from a safetensors file. The
 * sentence is split into WordPieces, the word, position and type embeddings are added on the host, and
 * flyLayerNorm normalises them with the model's own gamma, beta and eps.
 *
 *     02_embeddings [SENTENCE]      FLY_MODEL: folder with model.safetensors and tokenizer.json
 *
 * Exits with 77 (skipped) when the model is not there; `./dev demo` fetches it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fly/fly.h>

#include "gpu.h"
#include "safetensors.h"
#include "wordpiece.h"

enum { MAX_TOKENS = 128, SKIP = 77 };

static const float EPS = 1e-12f; /* layer_norm_eps of the model's config.json */

static const char sentence[] = "The quick brown fox jumps over the lazy dog.";
/* What BERT's own tokeniser makes of it. */
static const int sentence_ids[] = {101, 1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 1012, 102};

struct weights {
    struct tensor word, position, type, gamma, beta;
    int cols;
};

static int load(const struct safetensors *file, struct weights *w)
{
    if (safetensors_find(file, "embeddings.word_embeddings.weight", &w->word) != 0 ||
        safetensors_find(file, "embeddings.position_embeddings.weight", &w->position) != 0 ||
        safetensors_find(file, "embeddings.token_type_embeddings.weight", &w->type) != 0 ||
        safetensors_find(file, "embeddings.LayerNorm.weight", &w->gamma) != 0 ||
        safetensors_find(file, "embeddings.LayerNorm.bias", &w->beta) != 0)
        return -1;
    const struct tensor *table[] = {&w->word, &w->position, &w->type};
    w->cols = (int)w->gamma.shape[0];
    for (int i = 0; i < 3; i++)
        if (strcmp(table[i]->dtype, "F32") != 0 || table[i]->rank != 2 || table[i]->shape[1] != w->cols)
            return -1;
    return strcmp(w->gamma.dtype, "F32") || strcmp(w->beta.dtype, "F32") || w->beta.shape[0] != w->cols ? -1 : 0;
}

static int embed(const struct weights *w, const int *id, int tokens, float *x)
{
    const float *word = w->word.data, *position = w->position.data, *type = w->type.data;
    if (tokens > w->position.shape[0])
        return -1;
    for (int t = 0; t < tokens; t++) {
        if (id[t] < 0 || id[t] >= w->word.shape[0])
            return -1;
        for (int c = 0; c < w->cols; c++)
            x[t * w->cols + c] = word[id[t] * w->cols + c] + position[t * w->cols + c] + type[c];
    }
    return 0;
}

/* Largest error of y as a fraction of half a unit in the last place and 8 f32 roundings. */
static double worst_error(const struct weights *w, const float *x, const float *y, int tokens)
{
    const float *gamma = w->gamma.data, *beta = w->beta.data;
    double worst = 0;
    for (int t = 0; t < tokens; t++, x += w->cols, y += w->cols) {
        double mean = 0, square = 0;
        for (int c = 0; c < w->cols; c++)
            mean += x[c];
        mean /= w->cols;
        for (int c = 0; c < w->cols; c++)
            square += (x[c] - mean) * (x[c] - mean);
        double rstd = 1 / sqrt(square / w->cols + EPS);
        for (int c = 0; c < w->cols; c++) {
            double scaled = (x[c] - mean) * rstd * gamma[c], exact = scaled + beta[c];
            double ulp = exact == 0 ? 0 : ldexp(1, ilogb(exact) - 23);
            double error = fabs(y[c] - exact) / (0.5 * ulp + 8 * 0x1p-24 * (fabs(scaled) + fabs(beta[c])));
            if (!(error <= worst))
                worst = error;
        }
    }
    return worst;
}

static int run(int device, const struct weights *w, const float *x, float *y, int tokens)
{
    size_t matrix = sizeof(float) * (size_t)(tokens * w->cols);
    flyHandle_t h;
    gpu_set_device(device);
    if (flyCreate(&h) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", flyErrorMessage(NULL));
        return 1;
    }
    void *dx = gpu_alloc(matrix), *dgamma = gpu_alloc(w->gamma.bytes), *dbeta = gpu_alloc(w->beta.bytes);
    gpu_upload(dx, x, matrix);
    gpu_upload(dgamma, w->gamma.data, w->gamma.bytes);
    gpu_upload(dbeta, w->beta.data, w->beta.bytes);

    flyLayerNormArgs_t args = FLY_ARGS_INIT(args);
    args.dtype = FLY_DTYPE_F32;
    args.rows = tokens;
    args.cols = w->cols;
    args.eps = EPS;
    args.x = dx;
    args.gamma = dgamma;
    args.beta = dbeta;
    args.y = dx; /* in place */
    if (flyLayerNorm(h, &args) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", flyErrorMessage(h));
        return 1;
    }
    gpu_download(y, dx, matrix);

    double error = worst_error(w, x, y, tokens);
    printf("%s: %d tokens x %d f32, in place\n", flyArchName(h), tokens, w->cols);
    printf("  [CLS] = %.6f %.6f %.6f %.6f ...\n", y[0], y[1], y[2], y[3]);
    printf("  largest error %.3f of the bound\n  %s\n", error, error <= 1 ? "PASS" : "FAIL");
    gpu_free(dx);
    gpu_free(dgamma);
    gpu_free(dbeta);
    flyDestroy(h);
    return !(error <= 1);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("FLY_MODEL"), *text = argc > 1 ? argv[1] : sentence;
    char path[4096], error[4200];
    struct safetensors file;
    struct wordpiece vocabulary;
    struct weights w;
    int id[MAX_TOKENS], failed = 0;

    snprintf(path, sizeof path, "%s/model.safetensors", folder ? folder : ".");
    if (safetensors_open(&file, path, error, sizeof error) != 0) {
        printf("skipped: no model (%s); ./dev demo fetches it, or set FLY_MODEL\n", error);
        return SKIP;
    }
    snprintf(path, sizeof path, "%s/tokenizer.json", folder ? folder : ".");
    if (wordpiece_open(&vocabulary, path, error, sizeof error) != 0) {
        printf("skipped: %s\n", error);
        return SKIP;
    }
    if (load(&file, &w) != 0) {
        fprintf(stderr, "the model has not the embedding tensors of BERT in f32\n");
        return 1;
    }
    int tokens = wordpiece_encode(&vocabulary, text, id, MAX_TOKENS);
    printf("\"%s\"\n ", text);
    for (int t = 0; t < tokens; t++)
        printf(" %s", vocabulary.token[id[t]]);
    putchar('\n');
    if (text == sentence && (tokens != (int)(sizeof sentence_ids / sizeof *sentence_ids) ||
                             memcmp(id, sentence_ids, sizeof sentence_ids) != 0)) {
        fprintf(stderr, "the tokens are not those of BERT's own tokeniser\n");
        return 1;
    }

    float *x = malloc(sizeof *x * (size_t)(tokens * w.cols)), *y = malloc(sizeof *y * (size_t)(tokens * w.cols));
    int devices = gpu_open("gfx942,gfx950");
    if (!x || !y || devices == 0 || embed(&w, id, tokens, x) != 0) {
        fprintf(stderr, "%s\n", devices ? "the sentence cannot be embedded" : "no GPU and no simulator");
        return 1;
    }
    printf("running on %s\n", gpu_name());
    for (int d = 0; d < devices; d++)
        failed |= run(d, &w, x, y, tokens);
    free(x);
    free(y);
    wordpiece_close(&vocabulary);
    safetensors_close(&file);
    return failed;
}
