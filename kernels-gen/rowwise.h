/* SPDX-License-Identifier: MIT */
/*
 * Stages of row-wise kernels: which rows a work-item has, where in the row its vectors lie, loading
 * and storing them, and reductions over a row. What they leave behind for the next stage are
 * variables of the emitted kernel, named here.
 *
 * A row lies on a grid of 16-byte vectors that starts at the cache line of the row's first element,
 * so that each access of a wave starts at a line. Vector i of the grid is moved into the row at
 * both ends of it: no access leaves the row, and none is narrower than 16 bytes. What a moved
 * vector shares with its neighbour is left out of sums and stored twice with the same value.
 *
 * Where memory takes vectors only at multiples of their size, a kernel has two bodies: one for rows that
 * have all vectors there, and one in which a vector's elements lie as many columns apart as the row has
 * threads.
 *
 * kg_line names in these kernels: $x $w $o vector types of input, weight and output, $f the f32
 * vector of as many elements, $n that number; @ the index of a work-item's vector.
 */
#ifndef KG_ROWWISE_H
#define KG_ROWWISE_H

#include "words.h"

/* The kernel, its function's body written by `body`. Where memory takes vectors only at multiples of their
 * size, there are two bodies, for rows that have them there and for all others, and the kernel chooses. */
void kg_row_emit(struct kg *g, const struct kg_spec *s,
                 void (*body)(struct kg *g, const struct kg_spec *s));

/* Where kernels wait for the one before them themselves: waits. A kernel begins with it, but for those that add up,
 * which say where. */
void kg_row_after_earlier(struct kg *g, const struct kg_spec *s);

/* The work-item's row: `row`, `lane` (of the row's threads), `x_row`, `y_row`. */
void kg_row_begin(struct kg *g, const struct kg_spec *s);

/* Whether vectors share no columns with others: each lies in the row (moved@ is 0) or outside. */
bool kg_row_apart(const struct kg *g, const struct kg_spec *s);

/* Whether the row is held in single elements where memory takes vectors at multiples of their size only: all are their
 * own or outside, and each access is one instruction under a predicate. */
bool kg_row_by_elements(const struct kg_spec *s);

/* Of such rows, ahead of kg_row_param: `param_end`, from the float `known`, which comes of the row. */
void kg_row_param_end(struct kg *g, const struct kg_spec *s, const char *known);

/* Whether a vector's elements lie tile.threads columns apart; moved@ then is how many are beyond the row. */
bool kg_row_strided(const struct kg *g, const struct kg_spec *s);

/* Where the grid starts: `before`, the columns between it and the row. */
void kg_row_anchor(struct kg *g, const struct kg_spec *s);

/* `at@`, the column vector j is loaded from, and `moved@`, how far that is from its place on the
 * grid: 0 for vectors all their own, less than $n either way for others of the row. Rows of single elements are aligned
 * from here on (kg_row_by_elements). In a body for aligned rows (g->aligned) vectors are their own or outside, where loads give zeros or nothing (kg_row_passes_over); in a body of strided elements `moved@` is
 * the number of elements beyond the row; else see kg_row_insides. For kernels that hold a whole row. */
void kg_row_places(struct kg *g, const struct kg_spec *s);

/* From at@ and moved@ of a grid `before` columns ahead of the row: `inside@`, whether the lane's vector j has columns of the row; a vector outside is neither loaded
 * nor stored and has no certain value (g->guarded). `edged@`: whether any vector j of the wave that is inside is
 * moved, so that it must leave out what a neighbour counts. */
void kg_row_insides(struct kg *g, const struct kg_spec *s);

/* The same for the columns from `first` on, in a loop over the row; kg_close ends it. */
void kg_row_loop(struct kg *g, const struct kg_spec *s);

/* `name@` = the input's vectors. `guarded`: zero where the row has none, without a look at memory:
 * that would be traffic for nothing, and in a second read others may be writing there. */
void kg_row_load(struct kg *g, const struct kg_spec *s, const char *name, bool guarded);

/* The same from another matrix of the input's type, whose row is `matrix`_row. */
void kg_row_load_from(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name, bool guarded);

/* The same into vectors that are declared. */
void kg_row_load_into(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name, bool guarded);

/* Inside kg_each: `name` = vector j of `matrix`_row. */
void kg_row_load_one(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name);

/* `name`_row, this row of the matrix argument `name` with its leading dimension. */
void kg_row_matrix(struct kg *g, const struct kg_spec *s, enum kg_of of, const char *name, const char *ld);

/* Rows of 16-bit values stay as they are in memory, and are widened in each sweep. */
void kg_row_keep_packed(struct kg *g, const struct kg_spec *s, const char *name);

/* `name@` = the vectors of the parameter row `from`, or `other` in all elements when it is null. */
void kg_row_param(struct kg *g, const struct kg_spec *s, const char *from, const char *name,
                  const char *other);

/* Sums over a lane's vectors: the lines of `body` for each, with own without what neighbours count. Where g->guarded,
 * one or the other for each vector that is inside; else first without own, and, in waves that have vectors moved,
 * again with it, starting from `reset`. */
void kg_row_sweep(struct kg *g, const struct kg_spec *s, const char *reset,
                  void (*body)(struct kg *g, const struct kg_spec *s, bool own));

/* The same for sums to which zeros add nothing: of aligned rows whose vectors outside are zeros none is left out. */
void kg_row_sweep_zeros(struct kg *g, const struct kg_spec *s, const char *reset,
                        void (*body)(struct kg *g, const struct kg_spec *s, bool own));

/* In the body of a sweep: the f32 vector `name`, the input vector `value` widened. */
void kg_row_widened(struct kg *g, const struct kg_spec *s, const char *name, const char *value,
                    bool own);

/* Where a work-item has many vectors, it keeps their offsets in bytes, bytes@, and not at@ too, which would take as many
 * registers. */
bool kg_row_keeps_bytes(const struct kg_spec *s);

/* In the body of a sweep, with own: zeros the columns of the f32 vector `name` that a neighbour
 * counts. */
void kg_row_own(struct kg *g, const struct kg_spec *s, const char *name, bool own);

/* The same where a row with an infinity becomes NaN anyhow. */
void kg_row_own_or_nan(struct kg *g, const struct kg_spec *s, const char *name, bool own);

/* Inside kg_each: `line`, its %s the elements of vector j that lie before `column`. */
void kg_row_until(struct kg *g, const struct kg_spec *s, const char *line, const char *column);

/* Outside of sweeps: the same as kg_row_own where the vector needs it. */
void kg_row_own_part(struct kg *g, const struct kg_spec *s, const char *name);

/* Inside kg_each: stores `value`, of type $o, where vector j belongs to the row. */
void kg_row_store(struct kg *g, const struct kg_spec *s, const char *value);

/* Stores `value` of each vector. */
void kg_row_store_all(struct kg *g, const struct kg_spec *s, const char *value);

/* The same to `matrix`_row, `value` being of `type` ($x or $o). */
void kg_row_store_to(struct kg *g, const struct kg_spec *s, const char *matrix, const char *type, const char *value);

/* "4 rows a workgroup, 64 lanes a row, 8 to 1024 columns, read once" */
void kg_row_explain(struct kg_buf *out, const struct kg_spec *s);

/* Whether a tile can exist whose kernel needs `registers` a work-item: null, else why not. */
const char *kg_row_legal(const struct kg_spec *s, unsigned registers);

/* Visits the record with each of the tiles that is legal; vec 0 in a tile stands for 16 bytes. Where single waves are
 * workgroups as good as others, rows share no more than a wave: compute units get equal shares of fewer rows. */
/* Tiles of single elements, all of a lane's in flight, for rows of 16-bit types whose width is no multiple of a
 * vector: none where memory takes vectors at any address. */
void kg_row_offer_odd(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with);
/* For a few rows of 768 columns, a workgroup each, where kg_row_offer has rows share one. */
void kg_row_offer_few(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with);
/* Tiles with a hint of how many waves a SIMD shall have, where input and output are alike: for searching. */
void kg_row_offer_hinted(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with);
void kg_row_offer(struct kg_spec s, const struct kg_rowwise *tiles, unsigned count,
                  void (*visit)(const struct kg_spec *s, void *with), void *with);

/* How two values become one: their type and the text that joins %s and %s. */
struct kg_reduction {
    const char *type;
    const char *join;
    const char *suffix; /* of the words other2 .. that exchange the type */
    unsigned bytes;
    bool sum; /* 0 joined to a value changes nothing: may be made in the last lane of a wave */
    bool halves; /* two doubles, of which lanes take one each: words half_of, from_halves */
};
extern const struct kg_reduction kg_sum, kg_wide_sum; /* float, double */
extern const struct kg_reduction kg_pair_sum;         /* pair: the sum of two floats each; within a wave */
extern const struct kg_reduction kg_most;             /* float: the largest */
extern const struct kg_reduction kg_largest;          /* int: the largest magnitude */
extern const struct kg_reduction kg_moments;          /* moments */
extern const struct kg_reduction kg_peak;             /* peak; needs `factor` */
extern const struct kg_reduction kg_exponents;        /* peak, of exponents */

/* Where a row has several workgroups: waits until all of them run. Before their first kg_row_share, outside of any
 * condition or loop they do not share. */
void kg_row_meet(struct kg *g, const struct kg_spec *s);

/* The work-item's place among those of its row, and the workgroup's row or program, as expressions. */
void kg_row_lane(const struct kg_spec *s, char *out, size_t room);
const char *kg_row_group(const struct kg_spec *s, char *out, size_t room);

/* Writes `name`, the same in all lanes of a wave, to `slot` of each of the row's workgroups, and waits for what the
 * others wrote. */
void kg_row_share(struct kg *g, const struct kg_spec *s, const char *slot, const char *name, unsigned bytes);

/* `name` in every work-item becomes the row's. */
void kg_row_reduce(struct kg *g, const struct kg_spec *s, const char *name,
                   const struct kg_reduction *r);

/* The same where all lanes of a wave have its part. */
void kg_row_reduce_waves(struct kg *g, const struct kg_spec *s, const char *name, const struct kg_reduction *r);

/* Whether vectors outside an aligned row are passed over: loads leave them undefined. To set them to zero first costs
 * more than to step around them, for then a lane's vectors are worked on as they come. */
bool kg_row_passes_over(const struct kg *g, const struct kg_spec *s);

/* Whether rows are divided among lanes as for an output of 8 bits: there, and in norms of f32, so that these and
 * flyQuantPerToken after them give what the norm with codes gives. */
bool kg_row_codes(const struct kg_spec *s);

/* Whether what becomes codes stays in registers as f32 until the row's scale is known: on NVIDIA, of up to 32 elements a lane, for
 * which half of the lanes have room. Bodies for other rows of kernels made for vectors do not. */
bool kg_row_keeps_codes(const struct kg_spec *s);

/* Whether parameters are asked for with the row: they lie in shared memory, where each lane finds what it asked for. Then
 * they take no registers while the row is summed up, and nothing waits for them. */
bool kg_row_asks(const struct kg_spec *s);

/* Asks for `from` (null: `other` everywhere) as asked_<from>. After kg_row_places; the line "asked();" waits. */
void kg_row_ask(struct kg *g, const struct kg_spec *s, const char *from, const char *other);

/* Whether a loop has so many work-items resident that what they read is in L1 when it is read again: its kernel makes
 * do with few registers. */
bool kg_row_again(const struct kg_spec *s);

/* What the isa's bounds take beside the size of a workgroup: that again, or where registers are shared out among
 * workgroups, how many of them shall be resident. */
unsigned kg_row_resident(const struct kg_spec *s);

/* Vector registers a work-item can have. */
unsigned kg_row_registers(const struct kg_spec *s);

/* Defines $x and the other short names. Called by kg_row_emit. */
void kg_row_names(struct kg *g, const struct kg_spec *s);

#endif
