/*
 * decode.c
 *	  Codes to Datums: a label's value, a point, a value drawn inside a bin, or one of the keys of a level.
 *
 * Post-processing of codes that are already released. A value has the column's
 * own type and typmod. Everything that can fail is in pegs_decoder, before any
 * charge.
 */
#include "codes/codes.h"

#include "utils/memutils.h"

struct PegsDecoder
{
	int			bins;
	int			levels;			/* but for NULL: bins and points, or labels */
	Datum	   *level;			/* labels; of a binned column its points */
	PegsInside *inside;			/* of a binned column */
	Datum	   *key;			/* of a column of levels of keys; else NULL */
	int		   *first;			/* [levels + 1] */
	uint32	   *sum;			/* of what they weigh; NULL: each is as likely */
};

PegsDecoder *
pegs_decoder(const PegsColumn *column)
{
	PegsDecoder *decoder = palloc0(sizeof(PegsDecoder));

	if (!OidIsValid(column->type))
		pegs_type_is_gone(column->name, NULL);
	if (column->part && column->part->via)
	{
		decoder->levels = column->nlabels;
		decoder->key = pegs_via_keys(column, &decoder->first);
		decoder->sum = pegs_via_sums(column);
		return decoder;
	}
	if (column->nedges == 0)
	{
		decoder->levels = column->nlabels;
		decoder->level = pegs_values(column->type, column->typmod, column->labels, column->nlabels);
		return decoder;
	}
	decoder->bins = column->nedges - 1;
	decoder->levels = decoder->bins + column->npoints;
	decoder->level = pegs_values(column->type, column->typmod, column->points, column->npoints);
	decoder->inside = pegs_inside(column, decoder->level);
	return decoder;
}

/* The decoder of a column: kept where the domain is kept. */
PegsDecoder *
pegs_domain_decoder(const PegsDomain *domain, int number)
{
	PegsKeptColumn *kept = domain->kept ? &domain->kept[number] : NULL;
	MemoryContext context;
	MemoryContext old;
	PegsDecoder *decoder;

	if (kept == NULL)
		return pegs_decoder(&domain->column[number]);
	if (kept->decoder)
		return kept->decoder;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs decoder", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	decoder = pegs_decoder(&domain->column[number]);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, domain->context);
	return kept->decoder = decoder;
}

Datum
pegs_decode(const PegsDecoder *decoder, uint16 code, pegs_rng *values, bool *isnull)
{
	*isnull = code >= decoder->levels;
	if (*isnull)
		return (Datum) 0;
	if (decoder->key)
		return decoder->key[pegs_via_key(decoder->sum, decoder->first[code], decoder->first[code + 1], values)];
	return code < decoder->bins ? pegs_draw_inside(decoder->inside, code, values) : decoder->level[code - decoder->bins];
}

/* Of a level that has labels or keys: this one of its values, from 0 on. */
Datum
pegs_decode_chosen(const PegsDecoder *decoder, uint16 code, uint32 chosen, bool *isnull)
{
	*isnull = code >= decoder->levels;
	if (*isnull)
		return (Datum) 0;
	return decoder->key ? decoder->key[decoder->first[code] + (int) chosen] : decoder->level[code];
}
