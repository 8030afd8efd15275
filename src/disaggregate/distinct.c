/*
 * distinct.c
 *	  Rows of values that are told apart by the equality of their types, each with a number.
 *
 * NULL is a value like any other, as in GROUP BY.
 */
#include "disaggregate/disaggregate.h"

#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

struct PegsDistinct
{
	MemoryContext context;
	int			nkeys;
	TypeCacheEntry **type;
	Oid		   *collation;
	uint32		n;
	uint32		room;
	uint32		mask;			/* of slots */
	uint32	   *slot;			/* number + 1; 0: free */
	uint32	   *hash;			/* [room] */
	Datum	   *value;			/* [room][nkeys] */
	bool	   *isnull;
};

PegsDistinct *
pegs_distinct(int n, const Oid *type, const Oid *collation)
{
	PegsDistinct *all = palloc0(sizeof(PegsDistinct));

	all->context = CurrentMemoryContext;
	all->nkeys = n;
	all->type = palloc(sizeof(TypeCacheEntry *) * n);
	all->collation = palloc(sizeof(Oid) * n);
	for (int k = 0; k < n; k++)
	{
		all->type[k] = lookup_type_cache(type[k], TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);
		all->collation[k] = collation[k];
		if (!OidIsValid(all->type[k]->hash_proc_finfo.fn_oid) || !OidIsValid(all->type[k]->eq_opr_finfo.fn_oid))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("values of type %s cannot be told apart", format_type_be(type[k])),
					 errhint("Make a view with a cast to text, and name that.")));
	}
	all->room = 1024;
	all->mask = 4 * all->room - 1;
	all->slot = palloc0(sizeof(uint32) * (all->mask + 1));
	all->hash = palloc(sizeof(uint32) * all->room);
	all->value = palloc(sizeof(Datum) * all->room * n);
	all->isnull = palloc(sizeof(bool) * all->room * n);
	return all;
}

static uint32
hash_of(const PegsDistinct *all, const Datum *values, const bool *nulls)
{
	uint32		hash = 0;

	for (int k = 0; k < all->nkeys; k++)
		hash = hash_combine(hash, nulls[k] ? 0 : DatumGetUInt32(FunctionCall1Coll(&all->type[k]->hash_proc_finfo, all->collation[k], values[k])));
	return murmurhash32(hash);
}

static bool
is_equal(const PegsDistinct *all, uint32 number, const Datum *values, const bool *nulls)
{
	for (int k = 0; k < all->nkeys; k++)
	{
		size_t		at = (size_t) number * all->nkeys + k;

		if (all->isnull[at] != nulls[k])
			return false;
		if (!nulls[k] && !DatumGetBool(FunctionCall2Coll(&all->type[k]->eq_opr_finfo, all->collation[k], all->value[at], values[k])))
			return false;
	}
	return true;
}

static void
grow(PegsDistinct *all)
{
	MemoryContext old = MemoryContextSwitchTo(all->context);

	all->room *= 2;
	all->mask = 4 * all->room - 1;
	pfree(all->slot);
	all->slot = MemoryContextAllocExtended(all->context, sizeof(uint32) * ((size_t) all->mask + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	all->hash = repalloc_huge(all->hash, sizeof(uint32) * all->room);
	all->value = repalloc_huge(all->value, sizeof(Datum) * all->room * all->nkeys);
	all->isnull = repalloc_huge(all->isnull, sizeof(bool) * all->room * all->nkeys);
	for (uint32 i = 0; i < all->n; i++)
	{
		uint32		at = all->hash[i];

		while (all->slot[at & all->mask] != 0)
			at++;
		all->slot[at & all->mask] = i + 1;
	}
	MemoryContextSwitchTo(old);
}

int64
pegs_distinct_number(PegsDistinct *all, const Datum *values, const bool *nulls, bool add)
{
	uint32		hash = hash_of(all, values, nulls);
	uint32		at;
	MemoryContext old;

	for (at = hash; all->slot[at & all->mask] != 0; at++)
	{
		uint32		number = all->slot[at & all->mask] - 1;

		if (all->hash[number] == hash && is_equal(all, number, values, nulls))
			return number;
	}
	if (!add)
		return -1;
	if (all->n >= (1U << 29))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are more than %u different values", 1U << 29),
				 errhint("Take a column with fewer values, or a view with fewer rows.")));
	if (all->n == all->room)
	{
		grow(all);
		for (at = hash; all->slot[at & all->mask] != 0; at++)
			;
	}
	old = MemoryContextSwitchTo(all->context);
	all->slot[at & all->mask] = all->n + 1;
	all->hash[all->n] = hash;
	for (int k = 0; k < all->nkeys; k++)
	{
		size_t		to = (size_t) all->n * all->nkeys + k;
		const TypeCacheEntry *type = all->type[k];

		all->isnull[to] = nulls[k];
		all->value[to] = nulls[k] ? (Datum) 0 : type->typlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(values[k]))
			: datumCopy(values[k], type->typbyval, type->typlen);
	}
	MemoryContextSwitchTo(old);
	return all->n++;
}

uint32
pegs_distinct_count(const PegsDistinct *all)
{
	return all->n;
}

Datum
pegs_distinct_value(const PegsDistinct *all, uint32 number)
{
	return all->value[(size_t) number * all->nkeys];
}
