/*
 * bits.c
 *	  Pairs of columns of two levels, counted 64 rows at once.
 *
 * A column of a chunk is a line of bits; how many rows have the second level of
 * both columns is how many bits both lines have, and how many have it of each,
 * one line: the table follows. Two groups of columns have their lines at a time.
 */
#include "core/bits.h"

#include <string.h>

#define WORDS (PEGS_CHUNK / 64)
#define GROUP 512				/* columns: 64 kB of lines; a long way through the tables without a turn is what pays */
#define FEW 4					/* columns: with fewer, making the lines takes what they save */

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_POPCNT
#endif

typedef struct line
{
	uint64_t	word[WORDS];
} line;

typedef struct group
{
	uint32_t	n;
	uint32_t	next;			/* column behind the last one */
	uint32_t	column[GROUP];
	uint32_t	ones[GROUP];	/* rows with the second level */
	line		line[GROUP];
} group;

bool
pegs_pays_in_bits(const pegs_layout *layout)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < layout->ncols && n < FEW; i++)
		n += layout->levels[i] == 2;
	return n == FEW;
}

/* Bits of a word, where a processor has no instruction for it. */
static inline uint32_t
bits_of(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t) (x * UINT64_C(0x0101010101010101) >> 56);
}

/* How many rows have the second level of both. */
static inline __attribute__((always_inline)) uint32_t
both_of(const line *x, const line *y, bool popcnt)
{
	uint64_t	n = 0;
	uint64_t	m = 0;

	for (int w = 0; w < WORDS; w += 2)
		if (popcnt)
		{
			n += (uint64_t) __builtin_popcountll(x->word[w] & y->word[w]);
			m += (uint64_t) __builtin_popcountll(x->word[w + 1] & y->word[w + 1]);
		}
		else
			n += bits_of(x->word[w] & y->word[w]) + bits_of(x->word[w + 1] & y->word[w + 1]);
	return (uint32_t) (n + m);
}

static void
make_line(line *to, const uint16_t *code, uint32_t n)
{
	uint32_t	r = 0;

	memset(to, 0, sizeof(line));
	/* four at a time: a product that moves each to a place of its own, in the same order in all columns */
	for (; r + 4 <= n; r += 4)
	{
		uint64_t	four;

		memcpy(&four, code + r, sizeof(four));
		to->word[r / 64] |= (four * UINT64_C(0x0001000200040008) >> 48 & 15) << r % 64;
	}
	for (; r < n; r++)
		to->word[r / 64] |= (uint64_t) code[r] << r % 64;
}

/* Columns of two levels from `first` on, as many as fit. */
static void
take_group(group *g, const pegs_layout *layout, uint16_t *const *codes, uint32_t first, uint32_t n)
{
	uint32_t	i = first;

	g->n = 0;
	for (; i < layout->ncols && g->n < GROUP; i++)
	{
		if (layout->levels[i] != 2)
			continue;
		make_line(&g->line[g->n], codes[i], n);
		g->ones[g->n] = both_of(&g->line[g->n], &g->line[g->n], false);
		g->column[g->n++] = i;
	}
	g->next = i;
}

/* Of a column of one group with those of another from number `from` on, all of which come after it. */
static inline __attribute__((always_inline)) void
count_by(const pegs_layout *layout, uint64_t *cells, const group *x, uint32_t i, const group *y, uint32_t from, uint32_t n, bool popcnt)
{
	const uint64_t *at = layout->pair_offset + (size_t) x->column[i] * layout->ncols;

	for (uint32_t j = from; j < y->n; j++)
	{
		uint32_t	both = both_of(&x->line[i], &y->line[j], popcnt);
		uint64_t   *table = cells + at[y->column[j]];

		table[0] += n + both - x->ones[i] - y->ones[j];
		table[1] += y->ones[j] - both;
		table[2] += x->ones[i] - both;
		table[3] += both;
	}
}

#ifdef HAS_POPCNT
__attribute__((target("popcnt")))
static void
count_fast(const pegs_layout *layout, uint64_t *cells, const group *x, uint32_t i, const group *y, uint32_t from, uint32_t n)
{
	count_by(layout, cells, x, i, y, from, n, true);
}
#endif

static void
count_with(const pegs_layout *layout, uint64_t *cells, const group *x, uint32_t i, const group *y, uint32_t from, uint32_t n)
{
#ifdef HAS_POPCNT
	if (__builtin_cpu_supports("popcnt"))
	{
		count_fast(layout, cells, x, i, y, from, n);
		return;
	}
#endif
	count_by(layout, cells, x, i, y, from, n, false);
}

void
pegs_count_bits(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, uint32_t n)
{
	group		x;
	group		y;

	for (uint32_t a = 0; a < layout->ncols; a = x.next)
	{
		take_group(&x, layout, codes, a, n);
		for (uint32_t i = 0; i < x.n; i++)
			count_with(layout, cells, &x, i, &x, i + 1, n);
		for (uint32_t b = x.next; b < layout->ncols; b = y.next)
		{
			take_group(&y, layout, codes, b, n);
			for (uint32_t i = 0; i < x.n; i++)
			{
				if (env)
					env->check(env->context);
				count_with(layout, cells, &x, i, &y, 0, n);
			}
		}
	}
}
