/*
 * turns.c
 *	  The rows of one person, and which of them count, and how often.
 *
 * Rows that are equal are kept once, with their number: a hash table of the
 * different ones, which is emptied for the next person by its rows alone. When
 * all are there, each copy gets a key, and a heap keeps the least of these.
 * Where keys are equal the codes and the number of the copy decide: what ties
 * then is the same row. Secret, all of it: its env wipes its memory.
 */
#include "core/turns.h"

#include <string.h>

#include "core/mix.h"

#define FIRST_ROOM 64			/* different rows, before there is more room: a power of two */
#define NO_ROW UINT32_MAX

/* One row that may count. */
typedef struct turn
{
	uint64_t	key;
	uint32_t	row;
	uint64_t	copy;
} turn;

struct pegs_turns
{
	const pegs_env *env;
	uint32_t	ncols;
	uint32_t	most;
	bool		alike;
	uint64_t	bytes;
	uint32_t	room;			/* of different rows; a power of two */
	uint32_t	nrows;
	uint16_t   *codes;			/* [room][ncols] */
	uint64_t   *copies;			/* [room] */
	uint64_t   *hash;			/* [room] of the codes */
	uint32_t   *place;			/* [2 * room] a row, or NO_ROW */
	turn	   *heap;			/* [most] the greatest first; after pegs_turns_end in their order */
	uint32_t	nheap;
};

static const uint16_t *
codes_of(const pegs_turns *t, uint32_t row)
{
	return t->codes + (size_t) row * t->ncols;
}

/* The same number on every machine. */
static uint64_t
hash_codes(const uint16_t *codes, uint32_t n)
{
	uint64_t	h = n;

	for (uint32_t i = 0; i < n; i += 4)
	{
		uint64_t	word = 0;

		for (uint32_t k = i; k < i + 4 && k < n; k++)
			word = word << 16 | codes[k];
		h = pegs_mix64(h ^ word) + UINT64_C(0x9e3779b97f4a7c15);
	}
	return h;
}

/* ---- room ---- */

static uint64_t
bytes_of(uint32_t room, uint32_t ncols)
{
	return (uint64_t) room * (sizeof(uint16_t) * ncols + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

static void
put_in_place(pegs_turns *t, uint32_t row)
{
	uint32_t	mask = 2 * t->room - 1;
	uint32_t	at = (uint32_t) t->hash[row] & mask;

	while (t->place[at] != NO_ROW)
		at = (at + 1) & mask;
	t->place[at] = row;
}

static void
make_room(pegs_turns *t, uint32_t room)
{
	pegs_turns	old = *t;
	const pegs_env *env = t->env;

	t->codes = env->alloc(env->context, sizeof(uint16_t) * t->ncols * room);
	t->copies = env->alloc(env->context, sizeof(uint64_t) * room);
	t->hash = env->alloc(env->context, sizeof(uint64_t) * room);
	t->place = env->alloc(env->context, 2 * sizeof(uint32_t) * room);
	t->room = room;
	memset(t->place, 0xff, 2 * sizeof(uint32_t) * room);
	if (old.codes == NULL)
		return;
	memcpy(t->codes, old.codes, sizeof(uint16_t) * t->ncols * old.nrows);
	memcpy(t->copies, old.copies, sizeof(uint64_t) * old.nrows);
	memcpy(t->hash, old.hash, sizeof(uint64_t) * old.nrows);
	for (uint32_t row = 0; row < t->nrows; row++)
	{
		put_in_place(t, row);
		pegs_env_turn(env, row);
	}
	pegs_env_free(env, old.codes);
	pegs_env_free(env, old.copies);
	pegs_env_free(env, old.hash);
	pegs_env_free(env, old.place);
}

pegs_turns *
pegs_turns_new(const pegs_env *env, uint32_t ncols, uint32_t most, bool alike, uint64_t bytes)
{
	pegs_turns *t = env->alloc(env->context, sizeof(pegs_turns));

	t->env = env;
	t->ncols = ncols;
	t->most = most;
	t->alike = alike;
	t->bytes = bytes;
	t->heap = env->alloc(env->context, sizeof(turn) * most);
	make_room(t, FIRST_ROOM);
	return t;
}

/* ---- the rows of a person ---- */

void
pegs_turns_begin(pegs_turns *t)
{
	uint32_t	mask = 2 * t->room - 1;

	/* of many rows all places are emptied; of few theirs, in the order in which they were filled: none before it is left */
	if (t->nrows > t->room / 8)
		memset(t->place, 0xff, 2 * sizeof(uint32_t) * t->room);
	else
		for (uint32_t row = 0; row < t->nrows; row++)
		{
			uint32_t	at = (uint32_t) t->hash[row] & mask;

			while (t->place[at] != row)
				at = (at + 1) & mask;
			t->place[at] = NO_ROW;
		}
	t->nrows = 0;
	t->nheap = 0;
}

pegs_status
pegs_turns_add(pegs_turns *t, const uint16_t *codes)
{
	uint64_t	hash = hash_codes(codes, t->ncols);
	uint32_t	at = (uint32_t) hash & (2 * t->room - 1);

	for (uint32_t row; (row = t->place[at]) != NO_ROW; at = (at + 1) & (2 * t->room - 1))
		if (t->hash[row] == hash && memcmp(codes_of(t, row), codes, sizeof(uint16_t) * t->ncols) == 0)
		{
			t->copies[row]++;
			return PEGS_OK;
		}
	if (t->nrows == t->room)
	{
		if (t->room > UINT32_MAX / 8 || bytes_of(2 * t->room, t->ncols) > t->bytes)
			return PEGS_ERR_TOO_LARGE;
		make_room(t, 2 * t->room);
	}
	memcpy(t->codes + (size_t) t->nrows * t->ncols, codes, sizeof(uint16_t) * t->ncols);
	t->copies[t->nrows] = 1;
	t->hash[t->nrows] = hash;
	put_in_place(t, t->nrows++);
	return PEGS_OK;
}

/* ---- their turns ---- */

static bool
comes_before(const pegs_turns *t, const turn *a, const turn *b)
{
	int			order;

	if (a->key != b->key)
		return a->key < b->key;
	order = a->row == b->row ? 0 : memcmp(codes_of(t, a->row), codes_of(t, b->row), sizeof(uint16_t) * t->ncols);
	return order != 0 ? order < 0 : a->copy < b->copy;
}

/* heap[at] may come before one below it. */
static void
sink(pegs_turns *t, uint32_t at, uint32_t n)
{
	for (;;)
	{
		uint32_t	last = at;
		turn		held = t->heap[at];

		for (uint32_t below = 2 * at + 1; below < n && below <= 2 * at + 2; below++)
			if (comes_before(t, &t->heap[last], &t->heap[below]))
				last = below;
		if (last == at)
			return;
		t->heap[at] = t->heap[last];
		t->heap[last] = held;
		at = last;
	}
}

static void
rise(pegs_turns *t, uint32_t at)
{
	while (at > 0 && comes_before(t, &t->heap[(at - 1) / 2], &t->heap[at]))
	{
		turn		held = t->heap[at];

		t->heap[at] = t->heap[(at - 1) / 2];
		t->heap[(at - 1) / 2] = held;
		at = (at - 1) / 2;
	}
}

static void
offer(pegs_turns *t, const turn *one)
{
	if (t->nheap < t->most)
	{
		t->heap[t->nheap++] = *one;
		rise(t, t->nheap - 1);
	}
	else if (comes_before(t, one, &t->heap[0]))
	{
		t->heap[0] = *one;
		sink(t, 0, t->nheap);
	}
}

uint32_t
pegs_turns_end(pegs_turns *t, uint64_t seed)
{
	size_t		offered = 0;

	for (uint32_t row = 0; row < t->nrows; row++)
		for (uint64_t copy = 1; copy <= t->copies[row]; copy++)
		{
			turn		one = {pegs_mix64(seed ^ pegs_mix64(t->hash[row] ^ pegs_mix64(copy))), row, copy};

			offer(t, &one);
			pegs_env_turn(t->env, ++offered);
		}
	for (uint32_t n = t->nheap; n > 1; n--)
	{
		turn		held = t->heap[0];

		t->heap[0] = t->heap[n - 1];
		t->heap[n - 1] = held;
		sink(t, 0, n - 1);
	}
	return t->nheap;
}

const uint16_t *
pegs_turns_row(const pegs_turns *t, uint32_t i, uint32_t *times)
{
	*times = t->alike ? t->most / t->nheap + (i < t->most % t->nheap) : 1;
	return codes_of(t, t->heap[i].row);
}
