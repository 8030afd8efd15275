/*
 * via.c
 *	  Keys of a public lookup table by what the table says of them: from a key to
 *	  its level, and from a level to its keys.
 *
 * A column of keys is modelled by a hidden column of such levels (part.c). What
 * is counted of a row is its key's level alone; a row that is drawn gets one of
 * the level's keys, each as likely, or by weight (decode.c). Public facts, and
 * post-processing of released levels: laws L1, L5.
 */
#include "codes/codes.h"

#include "core/weights.h"

#include "utils/builtins.h"

struct PegsViaTaker
{
	PegsEncoder *keys;
	const PegsVia *via;
	Datum	   *level;			/* as texts */
	Datum		none;			/* a text that is no level */
};

PegsViaTaker *
pegs_via_taker(const PegsColumn *hidden)
{
	PegsViaTaker *taker = palloc0(sizeof(PegsViaTaker));
	PegsColumn *keys = palloc0(sizeof(PegsColumn));
	size_t		longest = 0;
	char	   *none;

	*keys = (PegsColumn) {.name = hidden->part->column, .type = hidden->part->type, .typmod = -1, .nlabels = hidden->part->via->n,
		.labels = hidden->part->via->key, .other = -1};
	taker->keys = pegs_encoder(keys);
	taker->via = hidden->part->via;
	taker->level = palloc(sizeof(Datum) * (hidden->nlabels + 1));
	for (int i = 0; i < hidden->nlabels; i++)
	{
		taker->level[i] = CStringGetTextDatum(hidden->labels[i]);
		longest = Max(longest, strlen(hidden->labels[i]));
	}
	none = palloc0(longest + 2);
	memset(none, '?', longest + 1);
	taker->none = CStringGetTextDatum(none);
	return taker;
}

Datum
pegs_take_via(const PegsViaTaker *taker, Datum key)
{
	int			found = pegs_encode_strict(taker->keys, key, false);

	return found < 0 ? taker->none : taker->level[taker->via->level[found]];
}

Datum *
pegs_via_keys(const PegsColumn *hidden, int **first)
{
	const PegsVia *via = hidden->part->via;
	Datum	   *key = palloc(sizeof(Datum) * (via->n + 1));

	*first = palloc(sizeof(int) * (hidden->nlabels + 1));
	for (int i = 0; i < via->n; i++)
	{
		if (i == 0 || via->level[i] != via->level[i - 1])
			(*first)[via->level[i]] = i;
		key[i] = CStringGetTextDatum(via->key[i]);
	}
	(*first)[hidden->nlabels] = via->n;
	return key;
}

uint32 *
pegs_via_sums(const PegsColumn *hidden)
{
	const PegsVia *via = hidden->part->via;
	uint32	   *sum;

	if (via->weight == NULL)
		return NULL;
	sum = palloc(sizeof(uint32) * (via->n + 1));
	for (int i = 0; i < via->n; i++)
		sum[i] = via->weight[i] + (i > 0 && via->level[i] == via->level[i - 1] ? sum[i - 1] : 0);
	return sum;
}

int
pegs_via_key(const uint32 *sum, int first, int next, pegs_rng *values)
{
	uint32		n = (uint32) (next - first);

	return first + (int) (sum ? pegs_draw_weighed(sum + first, n, values) : pegs_rng_below(values, n));
}

bool
pegs_same_via(const PegsVia *a, const PegsVia *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->n != b->n || (a->weight == NULL) != (b->weight == NULL))
		return false;
	for (int i = 0; i < a->n; i++)
		if (a->level[i] != b->level[i] || strcmp(a->key[i], b->key[i]) != 0 || (a->weight && a->weight[i] != b->weight[i]))
			return false;
	return true;
}
