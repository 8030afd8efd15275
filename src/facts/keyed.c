/*
 * keyed.c
 *	  A column of keys of a public lookup table, modelled by what that table says
 *	  of them: its chapter in place of each of 70,000 codes.
 *
 * A level is one combination of values of the named columns that the table has,
 * so none that it lacks is ever drawn; a key of it is drawn with the row, each
 * as likely, or by a column of weights (codes/decode.c). Read anew at each use, as any lookup table is: public facts,
 * law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "core/weights.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

typedef struct Keyed
{
	DestReceiver pub;
	PegsColumn *column;
	PegsVia    *via;
	bool		too_many;		/* keys, or levels */
	double	   *weight;			/* of each key; NULL: they have none */
	const char *odd;			/* what is wrong with one; or NULL */
	MemoryContext context;
} Keyed;

/* As its type writes it; it is a number. What is none counts as 0: the keys that are left say whether that is enough. */
static void
receive_weight(Keyed *keyed, TupleTableSlot *slot)
{
	double		weight = slot->tts_isnull[2] ? -1 : strtod(TextDatumGetCString(slot->tts_values[2]), NULL);

	if (slot->tts_isnull[2])
		keyed->odd = "its lookup table has a key whose weight is NULL";
	else if (!isfinite(weight) || weight < 0)
		keyed->odd = "its lookup table has a key whose weight is negative, or no finite number";
	keyed->weight[keyed->via->n] = isfinite(weight) && weight > 0 ? weight : 0;
}

/* Rows come by what is said, then by key. */
static bool
receive_key(TupleTableSlot *slot, DestReceiver *self)
{
	Keyed	   *keyed = (Keyed *) self;
	PegsColumn *column = keyed->column;
	PegsVia    *via = keyed->via;
	MemoryContext old = MemoryContextSwitchTo(keyed->context);
	char	   *said;

	slot_getallattrs(slot);
	said = TextDatumGetCString(slot->tts_values[0]);
	if (column->nlabels == 0 || strcmp(column->labels[column->nlabels - 1], said) != 0)
	{
		if (column->nlabels % 64 == 0)
			column->labels = repalloc(column->labels, sizeof(char *) * (column->nlabels + 64));
		column->labels[column->nlabels++] = said;
	}
	if (via->n == PEGS_MAX_KEYS || column->nlabels >= PEGS_MAX_LEVELS)
	{
		keyed->too_many = true;
		MemoryContextSwitchTo(old);
		return false;
	}
	if (keyed->weight)
		receive_weight(keyed, slot);
	via->key[via->n] = TextDatumGetCString(slot->tts_values[1]);
	via->level[via->n++] = (uint16) (column->nlabels - 1);
	MemoryContextSwitchTo(old);
	return true;
}

static void
keyed_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
keyed_nothing(DestReceiver *self)
{
}

/* What cannot be of the keys; they are canonical then. */
static char *
problem_of_keys(const PegsColumn *column, PegsVia *via, bool too_many, PegsBadKeys *bad)
{
	*bad = too_many ? (via->n == PEGS_MAX_KEYS ? PEGS_KEYS_TOO_MANY : PEGS_KEYS_TOO_MANY_LEVELS) : via->n == 0 ? PEGS_KEYS_NONE : PEGS_KEYS_ODD;
	if (too_many)
		return psprintf("its lookup table has more than %d keys, or %d levels of them", PEGS_MAX_KEYS, PEGS_MAX_LEVELS - 1);
	if (via->n == 0)
		return pstrdup("its lookup table has no key");
	for (int i = 0; i < via->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		via->key[i] = pegs_try_canonical(column->type, column->typmod, via->key[i]);
		/* a file says their type alone */
		if (via->key[i] == NULL || (via->key[i] = pegs_try_canonical(column->type, -1, via->key[i])) == NULL)
			return psprintf("its lookup table has a value that is not of type %s", format_type_with_typemod(column->type, column->typmod));
	}
	*bad = PEGS_KEYS_TWICE;
	if (pegs_twice(via->key, via->n))
		return pstrdup("its lookup table says two things of one key");
	return NULL;
}

/* Whole numbers, level by level; or what is wrong. */
static char *
weigh(PegsVia *via, const double *weight)
{
	via->weight = palloc(sizeof(uint32) * via->n);
	for (int i = 0, next; i < via->n; i = next)
	{
		CHECK_FOR_INTERRUPTS();
		for (next = i + 1; next < via->n && via->level[next] == via->level[i]; next++)
			;
		if (!pegs_whole_weights(weight + i, (uint32) (next - i), via->weight + i))
			return pstrdup("its lookup table has a level whose keys all have weight 0");
	}
	return NULL;
}

/* Or what is wrong with them, and what mends it. */
static char *
problem_of_weights(const Keyed *keyed, int *bad)
{
	char	   *none = weigh(keyed->via, keyed->weight);

	*bad = (keyed->odd ? PEGS_WEIGHTS_ODD : 0) | (none ? PEGS_WEIGHTS_NONE : 0);
	return keyed->odd ? pstrdup(keyed->odd) : none;
}

/* ARRAY["chapter"::text, ...]::text, as it is written whatever the session's settings are, of whatever collations; and "chapter, ..." for a person */
static char *
said_by(char *const *names, int n, char **words)
{
	StringInfoData sql;
	StringInfoData list;

	initStringInfo(&sql);
	initStringInfo(&list);
	for (int i = 0; i < n; i++)
	{
		appendStringInfo(&sql, "%s%s::pg_catalog.text COLLATE \"C\"", i > 0 ? ", " : "ARRAY[", quote_identifier(names[i]));
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	appendStringInfoString(&sql, "]::pg_catalog.text");
	*words = list.data;
	return sql.data;
}

/* Are the columns by which it is declared there, public, and of types that serve? Else the column's problem and remedy say why not. *names: they. */
static bool
has_columns(PegsColumn *column, const PegsKeyedBy *by, const PegsSource *source, List **parts, List **names)
{
	int			bad = 0;
	PegsBadKeys bad_keys = PEGS_KEYS_GONE;
	Oid			type;
	const char *problem = pegs_lookup_problem(by->lookup, by->key, source->account, &type, parts);

	*names = list_make1(pstrdup(by->key));
	for (int i = 0; i < by->n; i++)
	{
		if (problem == NULL)
			problem = pegs_lookup_problem(by->lookup, by->via[i], source->account, &type, parts);
		*names = lappend(*names, by->via[i]);
	}
	if (problem == NULL && by->weight)
	{
		problem = pegs_lookup_problem(by->lookup, by->weight, source->account, &type, parts);
		if (problem == NULL && !pegs_is_number(type))
			problem = "the weights of its lookup table are no numbers any more";
		bad = problem ? PEGS_WEIGHTS_GONE : 0;
		*names = lappend(*names, pstrdup(by->weight));
	}
	if (problem == NULL && !pegs_has_via(column->type))
	{
		problem = "its keys are no numbers or texts any more";
		bad_keys = PEGS_KEYS_NO_VIA;
	}
	if (problem == NULL)
		return true;
	column->problem = pstrdup(problem);
	if (bad)
		column->remedy = pegs_mend_weights(column, by, bad);
	else if (bad_keys != PEGS_KEYS_GONE || strcmp(problem, PEGS_LOOKUP_IS_GONE) == 0 || strcmp(problem, PEGS_LOOKUP_HAS_NO_LEVELS) == 0)
		column->remedy = pegs_mend_keys(column, by, bad_keys);
	return false;
}

void
pegs_load_keyed(PegsColumn *column, Oid lookup, const char *key, char *const *via, int n, const char *weight, Oid where, const PegsSource *source)
{
	int			bad = 0;
	PegsBadKeys bad_keys;
	PegsKeyedBy by = {lookup, key, via, n, weight, where};
	List	   *parts;
	List	   *names;
	PegsVia    *keys = palloc0(sizeof(PegsVia));
	char	   *said = said_by(via, n, &keys->names);
	Keyed		receiver = {
		.pub = {receive_key, keyed_startup, keyed_nothing, keyed_nothing, DestTuplestore},
		.column = column,
		.via = keys,
		.weight = weight ? palloc(sizeof(double) * PEGS_MAX_KEYS) : NULL,
		.context = CurrentMemoryContext
	};
	PegsReading *reading;

	if (!has_columns(column, &by, source, &parts, &names))
		return;
	if (!pegs_may_read_lookup(column, lookup, parts, names))
		return;
	reading = pegs_reading_relation(lookup, names);
	reading->only = parts;
	column->lookup = pegs_relation_words(lookup);
	column->nlabels = 0;
	column->labels = palloc(sizeof(char *));
	keys->key = palloc(sizeof(char *) * PEGS_MAX_KEYS);
	keys->level = palloc(sizeof(uint16) * PEGS_MAX_KEYS);
	pegs_read(reading,
			  psprintf("SELECT s.v, s.k, s.w::pg_catalog.text FROM (SELECT DISTINCT %s AS v, %s::pg_catalog.text AS k, %s AS w FROM %s WHERE %s IS NOT NULL) s"
					   " ORDER BY s.v COLLATE \"C\", s.k COLLATE \"C\"",
					   said, quote_identifier(key), weight ? quote_identifier(weight) : "0", reading->name, quote_identifier(key)),
			  NULL, (DestReceiver *) &receiver);
	column->problem = problem_of_keys(column, keys, receiver.too_many, &bad_keys);
	if (column->problem)
		column->remedy = pegs_mend_keys(column, &by, bad_keys);
	if (column->problem == NULL && weight)
	{
		keys->by = pstrdup(weight);
		column->problem = problem_of_weights(&receiver, &bad);
		if (bad)
			column->remedy = pegs_mend_weights(column, &by, bad);
	}
	if (column->problem)
	{
		column->nlabels = 0;
		return;
	}
	column->via = keys;
	column->nparts = 1;
	column->parts = palloc(sizeof(char *));
	column->parts[0] = pstrdup(pegs_part_name(PEGS_VIA));
}
