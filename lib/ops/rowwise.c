/* SPDX-License-Identifier: MIT */
/* What the row-wise operations share. */
#include "ops/rowwise.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "core/arch.h"
#include "core/dtype.h"

const char *fly_rowwise_fits(const struct fly_kernel *k, int64_t cols)
{
    const struct fly_rowwise_tile *t = &k->rowwise;
    if (cols < t->vec)
        return "the row is shorter than a vector";
    if (t->max_cols && cols > t->max_cols)
        return "the row is longer than the kernel's max_cols";
    if (t->passes == 1 && cols > (int64_t)t->threads * t->vectors * t->vec)
        return "the row does not fit in the registers of threads * vectors * vec columns";
    if (cols > FLY_ROWWISE_MAX_COLS)
        return "kernels count columns in 32 bits";
    return NULL;
}

/* The longest distance between rows of any matrix. */
static int64_t longest_ld(const struct fly_problem *p)
{
    const struct fly_op *op = fly_op_table[p->op];
    int64_t most = 0;
    for (uint32_t f = 0; f < op->nfields; f++)
        if (strncmp(op->fields[f].name, "ld", 2) == 0 && p->v[f] > most)
            most = p->v[f];
    return most;
}

/* Kernels for AMD reach the rows that share a wave in 32 bits of bytes from its first one. */
static bool reaches(const struct fly_kernel *k, int64_t ld)
{
    const struct fly_arch *a = fly_arch_row(k->arch);
    const struct fly_rowwise_tile *t = &k->rowwise;
    if (a->family == FLY_FAMILY_PTX || t->threads >= a->wave || t->passes != 1 || t->vec == 1)
        return true;
    return ld <= UINT32_MAX / (fly_dtype_bits(k->types[0]) / 8) / (a->wave / t->threads);
}

int64_t fly_rowwise_max_cols(const struct fly_kernel *k)
{
    const struct fly_rowwise_tile *t = &k->rowwise;
    int64_t registers = t->passes == 1 ? (int64_t)t->threads * t->vectors * t->vec : 0;
    return t->max_cols && (!registers || t->max_cols < registers) ? t->max_cols : registers;
}

int fly_rowwise_limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    int64_t cols = fly_rowwise_max_cols(k);
    if (cols)
        return snprintf(text, bytes, "%u <= cols <= %" PRId64, k->rowwise.vec, cols);
    return snprintf(text, bytes, "%u <= cols", k->rowwise.vec);
}

/* What keeps a machine busy: a work-item's vectors and the work-items of a workgroup, where rows fill the machine, the
 * same where there are fewer, and the work-items where there is no more than a row a compute unit: then a wide
 * workgroup is the only parallelism. Measured on an H200 for PTX, modelled for AMD. */
struct taste {
    int vectors, block, few_vectors, few_block, single_block;
    int vector_step; /* a halving or doubling away from the wanted vectors */
    /* On PTX, where rows fill the machine: the part of idle lanes' share that they cost, of tiles of one or two vectors, of
     * others, and of loops of more than four waves that read again from L1; and the bytes of rows that are loaded while a
     * workgroup starts, 0: not looked at. */
    int idle_of_few, idle, idle_again, start_bytes;
};
static const struct taste on_amd = {4, 128, 4, 128, 256, .vector_step = 25};
/* Of PTX. Rows whose vectors are not aligned are taken best by tiles of single elements. */
static const struct taste on_ptx[] = {
    [FLY_ROWWISE_LIGHT] = {2, 128, 2, 256, 512, 31, 12, 12, 3, 1500},
    [FLY_ROWWISE_POWERS] = {2, 128, 2, 256, 512, 25, 5, 5, 5, 2560},
    [FLY_ROWWISE_ASKS] = {2, 128, 2, 256, 512, 33, 1, 4, 2, 1700}, /* small tiles fill an SM */
    [FLY_ROWWISE_WIDE] = {2, 256, 2, 256, 512, 25, 8, 8, 8, 0},
    [FLY_ROWWISE_BUSY] = {4, 64, 2, 256, 512, 25, 8, 8, 8, 0},
};
static const struct taste on_ptx_odd = {4, 128, 2, 256, 512, 25, 8, 8, 8, 0};
/* Of norms of a sum, where rows fill the machine: a lane has registers for a vector of each term. With fewer rows a norm
 * has the tile, and the bits, of that of a sum made before. */
static const struct taste on_ptx_adds = {1, 256, 2, 256, 512, 31, 8, 8, 8, 1000};

static const struct taste *taste_of(const struct fly_target *t, const struct fly_kernel *k, int64_t cols,
                                    int64_t ld, enum fly_rowwise_work work, bool adds)
{
    if (t->arch->family != FLY_FAMILY_PTX)
        return &on_amd;
    const int64_t vector = 128 / fly_dtype_bits(k->types[0]);
    return cols % vector || ld % vector ? &on_ptx_odd : adds ? &on_ptx_adds : &on_ptx[work];
}

/* Costs are in thousandths of the ideal time of the row. Idle lanes move no memory and cost a part of their
 * share. The other weights only order tiles that are about equal in this. */
enum {
    IDLE_PART = 5,
    IDLE_PART_WAVE64 = 3, /* modelled: instructions come close to memory's time there */
    LINE = 64, /* bytes */
    SIMDS = 4, /* of a compute unit */
    COST_SECOND_READ = 2000, /* a tile that reads the row twice, when a resident one fits */
    COST_AGAIN = -10,        /* the same from L1, where rows fill the machine, or from L2 if they have no more bytes than: */
    MOST_IN_L2 = 1 << 17,
    AGAIN_ROWS = 56,         /* a compute unit: norms of fewer rows stay in registers if they have no more bytes than: */
    MOST_HELD = 1 << 14,
    WIDE_BLOCK = 1024,       /* of a workgroup whose rows are that long; with a resident row it waits longer at barriers */
    COST_ROUND = 20,         /* of a loop, after the first: rows of fewer workgroups stay in L2 */
    COST_SHARED = 100,       /* workgroups that share rows wait for one another, lanes without columns too */
    COST_NARROW = 4000,      /* accesses of less than 16 bytes */
    COST_ODD = 200,          /* vectors on PTX that are not aligned and are taken by elements */
    ODD_ELEMENTS = 12,       /* a lane should have, there */
    COST_MANY_VECTORS = 32,  /* a lane of PTX with more vectors than this leaves registers for fewer lanes: */
    MOST_VECTORS = 4,
    COST_THREADS_STEP = 30,  /* a halving or doubling away from the wanted block */
    COST_START = 100,        /* workgroups that start no faster than memory brings their rows */
    COST_SPARE_ROWS = 40,    /* rows of whole waves share a workgroup, and its barrier, and half of them have more bytes than: */
    SPARE_BYTES = 2560,
    COST_IDLE_CUS = 150,     /* packing rows although compute units stay idle */
    COST_IDLE_LANES = 200,   /* more than a tenth of the lanes without columns, in rows of whole cache lines up to */
    SHORT_ROW = 1024,        /* columns */
    MOST_IDLE = 111,         /* lanes without columns, in thousandths of those that have some */
    COST_LINES = 150,        /* more line_bytes than these, for rows that begin at lines and for others: */
    MOST_LINES = 20,
    COST_LINES_ODD = 300,
    MOST_LINES_ODD = 95,
    COST_EVEN = 10000,       /* a tile of odd_vectors for rows that others are better for */
    MOST_EVEN = 256,         /* columns of such rows; of rows of half a wave, for each vector but one */
};

int64_t fly_rowwise_most_before(int64_t ld, int64_t line)
{
    const int64_t step = ld & -ld; /* rows begin at multiples of it */
    return step < line ? line - step : 0;
}

static int log2_distance(uint64_t a, uint64_t b)
{
    int d = __builtin_clzll(a | 1) - __builtin_clzll(b | 1);
    return d < 0 ? -d : d;
}

static uint64_t up_to_power_of_2(uint64_t v)
{
    return v & (v - 1) ? UINT64_C(2) << (63 - __builtin_clzll(v)) : v;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of lines between an odd row and the next one, where rows begin 0 to 63 columns into a line, each ld % 64 after the
 * one before, and take one access of `step` columns more beyond some of these: if only one of the two does, they meet in
 * different accesses. */
static int64_t wave_ends(int64_t rows, int64_t step, int64_t cols, int64_t ld)
{
    const int64_t beyond = least((step - cols % step) % step, LINE), after = ld % LINE;
    return (rows / 2 - (rows > 1)) * 2 * least(least(after, LINE - after), least(beyond, LINE - beyond));
}

/* Bytes that a tile of AMD's moves beyond those of the rows, in thousandths of these: of the lines at the ends of rows,
 * which two waves that have neighbouring rows both touch; of lines between two accesses of a wave, where the tile has no
 * room to start at a line; where output is 8 bits, of the lines of a workgroup's scales, of those between rows that share a
 * wave where it has these in different accesses, and of vectors moved into another access's line. */
static int64_t line_bytes(const struct fly_kernel *k, bool codes, int64_t wave, int64_t cols, int64_t ld)
{
    const struct fly_rowwise_tile *t = &k->rowwise;
    const int64_t lanes = t->threads < wave ? t->threads : wave, rows_of_wave = wave / lanes;
    const int64_t accesses = (cols - 1) / (lanes * t->vec), room = (int64_t)t->threads * t->vectors * t->vec - cols;
    const int64_t in = fly_dtype_bits(k->types[0]) / 8, out = codes ? 1 : fly_dtype_bits(k->types[2]) / 8;
    int64_t bytes = codes ? LINE * rows_of_wave / t->rows : 0; /* of the rows of a wave */
    for (int i = 0; i < 2; i++) {
        const int64_t element = i ? out : in, line = LINE / element;
        const int64_t most = fly_rowwise_most_before(ld, line), lacking = t->passes == 1 && most > room ? most - room : 0;
        bytes += most * element + rows_of_wave * accesses * LINE * lacking / line;
    }
    if (codes && ld % LINE)
        bytes += 2 * (wave_ends(rows_of_wave, lanes * t->vec, cols, ld) + rows_of_wave * LINE * 2 * (t->vec - 1) / (lanes * t->vec));
    return 1000 * bytes / (cols * (in + out) * rows_of_wave);
}

/* Tiles of five, seven and nine vectors, of LayerNorm's codes, for rows that share a wave. */
static bool odd_vectors(const struct fly_rowwise_tile *t)
{
    return t->vectors % 2 && t->threads >= 8 && t->threads <= 32 && t->vectors > (t->threads == 8 ? 4 : 6);
}

static int idle_part(const struct fly_rowwise_tile *t, const struct taste *taste, bool once)
{
    if (t->passes == 1)
        return t->vectors <= 2 ? taste->idle_of_few : taste->idle;
    return once && t->threads > 128 ? taste->idle_again : taste->idle;
}

static int64_t cost_of(const struct fly_kernel *k, int64_t rows, int64_t cols, int64_t ld,
                       bool twice, const struct fly_target *target, const struct taste *taste)
{
    const uint32_t cus = target->cus;
    const struct fly_rowwise_tile *t = &k->rowwise;
    int64_t sweep = (int64_t)t->threads * t->vectors * t->vec; /* columns one round of loads covers */
    int64_t rounds = t->passes == 1 ? 1 : (cols + sweep - 1) / sweep;
    int64_t idle = sweep > INT64_MAX / 1000 / rounds ? INT64_MAX / 4 : sweep * rounds * 1000 / cols - 1000;
    const bool amd = taste == &on_amd, codes = amd && t->flags & FLY_ROWWISE_CODES;
    const bool many = rows >= 4 * (int64_t)cus; /* rows fill the machine */
    int64_t cost = idle / (!amd && many ? idle_part(t, taste, rounds == 1) : target->arch->wave == 64 ? IDLE_PART_WAVE64 : IDLE_PART);
    if (amd && cols <= SHORT_ROW && ld % (LINE * 8 / fly_dtype_bits(k->types[0])) == 0 && idle > MOST_IDLE)
        cost += COST_IDLE_LANES;
    if (amd) {
        const int64_t lines = line_bytes(k, codes, target->arch->wave, cols, ld);
        const int64_t elements = codes ? LINE : LINE * 8 / fly_dtype_bits(k->types[0]);
        const bool odd = ld % elements != 0;
        cost += lines;
        if (lines > (odd ? MOST_LINES_ODD : MOST_LINES))
            cost += odd ? COST_LINES_ODD : COST_LINES;
    }
    int64_t workgroups = (rows + t->rows - 1) / t->rows;
    int vectors = many ? taste->vectors : taste->few_vectors;
    int block = many ? taste->block : rows > cus ? taste->few_block : taste->single_block;
    /* Instructions come closest to memory's time there; with more elements a lane, fewer of them are for the row. */
    if (codes && many)
        vectors = 2 * taste->vectors, block = target->arch->wave;
    if (taste == &on_ptx_odd && t->vec == 1 && t->passes == 1)
        vectors = ODD_ELEMENTS;
    else if (taste == &on_ptx_odd && t->vec > 1)
        cost += COST_ODD;
    else if (t->vec * fly_dtype_bits(k->types[0]) < 128)
        cost += COST_NARROW;
    if (t->passes != 1) {
        const bool again = t->flags & FLY_ROWWISE_AGAIN;
        const int64_t row = cols * fly_dtype_bits(k->types[0]) / 8;
        const bool in_l2 = k->block == WIDE_BLOCK && row <= MOST_IN_L2;
        const bool norm = taste == &on_ptx[FLY_ROWWISE_LIGHT] || taste == &on_ptx[FLY_ROWWISE_ASKS];
        const bool in_l1 = rounds == 1 && many && !(norm && row <= MOST_HELD && rows < AGAIN_ROWS * (int64_t)cus);
        cost += again && twice && (in_l2 ? rows >= 2 * (int64_t)cus : in_l1) ? COST_AGAIN : COST_SECOND_READ;
        cost += again ? COST_ROUND * (rounds - 1) : 0;
    }
    cost += k->cluster ? COST_SHARED + (taste == &on_ptx[FLY_ROWWISE_LIGHT] ? 1 : 2) * idle : 0;
    if (!amd && t->passes == 1 && t->vectors > MOST_VECTORS && t->vec > 1)
        cost += COST_MANY_VECTORS;
    cost += taste->vector_step * log2_distance(amd ? t->vectors : up_to_power_of_2(t->vectors), (uint64_t)vectors);
    cost += COST_THREADS_STEP * (log2_distance(k->block, (uint64_t)block) + 2 * (!amd && t->passes == 1 && k->block == WIDE_BLOCK));
    if (taste->start_bytes && many) {
        const int64_t row = cols * (fly_dtype_bits(k->types[0]) / 8);
        if (t->rows * row < taste->start_bytes)
            cost += COST_START;
        else if (t->threads >= target->arch->wave && t->rows / 2 * row > SPARE_BYTES)
            cost += COST_SPARE_ROWS;
    }
    /* Two rows of half a wave of 32 each are no more than one of a wave of 64. */
    const bool few = amd && k->block == 32 && t->rows == 2;
    if (t->rows > 1 && !few && workgroups < cus && workgroups < rows)
        cost += COST_IDLE_CUS;
    /* Rows of whole vectors have gamma and beta as f32 in LDS in other tiles, rows of up to 1536 or 2048 columns fill a wave of
     * their own, which needs no masks, and few rows are spread more evenly in smaller workgroups. */
    const int64_t even = t->threads == 32 ? MOST_EVEN * (t->vectors - 1) : MOST_EVEN;
    if (codes && odd_vectors(t) && (ld % t->vec == 0 || cols <= even || workgroups <= (SIMDS - 1) * (int64_t)cus))
        cost += COST_EVEN;
    if (amd && workgroups > cus) { /* compute units that have nothing in the last round, SIMDs without a wave */
        int64_t turns = (workgroups + cus - 1) / cus, waves = turns * (k->block / target->arch->wave);
        cost += turns < 64 ? (turns * cus * 1000 / workgroups - 1000) / IDLE_PART : 0;
        if (codes && waves < SIMDS)
            cost += (SIMDS * 1000 / waves - 1000) / IDLE_PART;
    }
    return cost;
}

uint32_t fly_rowwise_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               enum fly_rowwise_work work, bool twice, const struct fly_target *t)
{
    const int64_t rows = p->v[FLY_ROWWISE_ROWS], cols = p->v[FLY_ROWWISE_COLS];
    const int64_t ld = rows > 1 ? p->v[FLY_ROWWISE_LD] : cols;
    const int64_t far = longest_ld(p);
    const bool adds = !twice && (work == FLY_ROWWISE_LIGHT || work == FLY_ROWWISE_ASKS) && rows >= 4 * (int64_t)t->cus;
    const struct taste *taste = n ? taste_of(t, k, cols, ld, work, adds) : &on_amd;
    uint32_t best = n;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (fly_rowwise_fits(&k[i], cols) || !reaches(&k[i], far) || k[i].rowwise.flags & FLY_ROWWISE_CANDIDATE)
            continue;
        int64_t cost = cost_of(&k[i], rows, cols, ld, twice && taste != &on_ptx_odd, t, taste);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

int64_t fly_rowwise_rows_per_launch(const struct fly_kernel *k)
{
    uint64_t workgroups = FLY_MAX_WORKITEMS / k->block;
    if (workgroups > INT_MAX)
        workgroups = INT_MAX;
    int64_t rows = (int64_t)workgroups * k->rowwise.rows;
    /* Kernels count rows in 32 bits. */
    return rows < INT_MAX ? rows : INT_MAX / k->rowwise.rows * k->rowwise.rows;
}

const char *fly_rowwise_op_fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    return reaches(k, longest_ld(p)) ? fly_rowwise_fits(k, p->v[FLY_ROWWISE_COLS])
                                     : "rows that share a wave lie further apart than 32 bits of bytes reach";
}

uint32_t fly_rowwise_op_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                                  const struct fly_target *t)
{
    return fly_rowwise_heuristic(k, n, p, FLY_ROWWISE_WIDE, false, t);
}

void fly_rowwise_op_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                         uint32_t grid[3], uint32_t *launches)
{
    int64_t rows = p->v[FLY_ROWWISE_ROWS], most = fly_rowwise_rows_per_launch(k);
    int64_t n = rows / most + (rows % most != 0);
    /* The runtime may say later that fewer clusters run at a time. */
    uint32_t clusters = k->resident ? t->cus * k->resident / k->cluster : 0;
    grid[0] = fly_rowwise_workgroups(k, rows < most ? rows : most, clusters ? clusters : 1);
    grid[1] = grid[2] = 1;
    *launches = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

uint64_t fly_no_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    (void)k, (void)p, (void)t;
    return 0;
}
