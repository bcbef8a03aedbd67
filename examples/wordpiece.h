/* SPDX-License-Identifier: MIT */
/*
 * BERT's uncased WordPiece tokeniser for ASCII text: words and punctuation apart, lower case, then the
 * longest pieces of the vocabulary from left to right (Wu et al. 2016; Devlin et al. 2018).
 */
#ifndef EXAMPLES_WORDPIECE_H
#define EXAMPLES_WORDPIECE_H

#include <stddef.h>

struct wordpiece {
    char **token; /* by id */
    int *slot;    /* hash table of ids, -1 free */
    int tokens, slots;
};

/* Reads the vocabulary of a Hugging Face tokenizer.json. 0, or -1 with a sentence in `error`. */
int wordpiece_open(struct wordpiece *w, const char *path, char *error, size_t error_bytes);
void wordpiece_close(struct wordpiece *w);

/* [CLS] pieces [SEP]; returns their number, at most `max`. */
int wordpiece_encode(const struct wordpiece *w, const char *text, int *id, int max);

#endif
