/*
 * describe_unit.c
 *	  What a model protects, in words: its unit and neighbours, what its rows
 *	  stand for, and rows of others that they refer to, which it does not protect.
 *
 * Of a model of several tables that is written in its spec. Of a table that is
 * bound to another, and was fitted alone, it is asked of the catalog as it is
 * now, without opening the table: whoever may read the model holds no lock on
 * it. Laws L6, L9, L10.
 */
#include "models/models.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "budget/bound.h"
#include "budget/budget.h"

/* A list of what its tables say beside the unit, one by one; nothing if they say nothing. */
static void
add_note(StringInfo out, const char *name, int *n, const char *words)
{
	if ((*n)++ == 0)
		appendStringInfo(out, ", \"%s\": [", name);
	else
		appendStringInfoString(out, ", ");
	escape_json(out, words);
}

static void
end_notes(StringInfo out, int n)
{
	if (n > 0)
		appendStringInfoChar(out, ']');
}

static void
describe_notes(StringInfo out, const PegsRelated *related, const char *name, bool repeat)
{
	int			n = 0;

	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];

		for (int i = 0; i < (repeat ? member->nrepeat : member->nbeside); i++)
			add_note(out, name, &n, repeat ? member->repeat[i] : member->beside[i]);
	}
	end_notes(out, n);
}

/* The table whose account would pay for the rows that are referred to. */
static Oid
topmost(Oid relid)
{
	for (Oid above = relid; OidIsValid(above); above = pegs_source_parent(relid))
		relid = above;
	return relid;
}

/*
 * The same of a bound table that was fitted alone: its other keys (facts/beside.c). A key of one column that is modelled, or has a
 * declared domain, and leads to no private table is a list of values.
 */
static void
describe_references(StringInfo out, const PegsModel *model, Oid root)
{
	PegsBound	bound;
	PegsAs		saved;
	PegsArg		args[2] = {{OIDOID, ObjectIdGetDatum(model->account), false}, {INT2OID, Int16GetDatum(0), false}};
	StringInfoData all;
	int			n = 0;

	(void) pegs_read_bound(model->account, &bound);
	args[1].value = Int16GetDatum(bound.n == 1 ? bound.attnum[0] : 0);
	initStringInfo(&all);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT k.confrelid::pg_catalog.oid, string_agg(quote_ident(a.attname), ', ' ORDER BY e.n), CASE WHEN cardinality(k.conkey) = 1 THEN min(a.attname::text) END,"
				 " EXISTS (SELECT FROM pegs_internal.fact AS f WHERE f.source::pg_catalog.oid = $1 AND f.relation = $1 AND f.attnum = k.conkey[1] AND coalesce(f.lookup::text, f.levels::text, f.edges::text) IS NOT NULL)"
				 " FROM pg_constraint AS k, unnest(k.conkey) WITH ORDINALITY AS e (attnum, n), pg_attribute AS a"
				 " WHERE k.conrelid = $1 AND k.contype = 'f' AND k.conparentid = 0 AND k.conkey <> ARRAY[$2] AND a.attrelid = $1 AND a.attnum = e.attnum"
				 " GROUP BY k.oid, k.conname, k.confrelid, k.conkey ORDER BY k.conname", SPI_OK_SELECT, 2, args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Oid			refers_to = topmost(DatumGetObjectId(SPI_getbinval(row, desc, 1, &isnull)));
		char	   *column = SPI_getvalue(row, desc, 3);
		bool		has_domain = DatumGetBool(SPI_getbinval(row, desc, 4, &isnull)) || (column && pegs_domain_find(model->spec->domain, column) >= 0);

		if (column && has_domain && !pegs_is_private_table(refers_to, root))
			continue;
		add_note(&all, "not_covered", &n, psprintf("a row of %s in the rows of %s that refer to it by %s", pegs_relation_words(refers_to), get_rel_name(model->account),
												   SPI_getvalue(row, desc, 2)));
	}
	end_notes(&all, n);
	pegs_end_as(&saved);
	appendStringInfoString(out, all.data);
}

/* What is protected, where anything is; what its rows stand for. */
void
pegs_describe_unit(StringInfo out, const PegsModel *model)
{
	Oid			root = OidIsValid(model->account) ? pegs_payer(model->account) : InvalidOid;
	const PegsRelated *related = model->spec->related;

	if (related)
	{
		appendStringInfoString(out, ", \"neighbours\": ");
		escape_json(out, psprintf("add or remove one row of %s with all that refers to it", related->member[0].name));
		appendStringInfoString(out, ", \"unit\": ");
		escape_json(out, pegs_related_unit(related));
		appendStringInfoString(out, ", \"stands_for\": ");
		escape_json(out, psprintf("rows of %s, whose keys belong together", pegs_related_names(related)));
		describe_notes(out, related, "not_covered", false);
		describe_notes(out, related, "may_repeat", true);
		return;
	}
	/* bound to another table, and fitted since: before it could not have been charged */
	if (OidIsValid(root) && root != model->account && model->has_unit && model->method->payment != PEGS_NOT_PRIVATE)
	{
		char	   *above = get_rel_name(root);
		char	   *below = get_rel_name(model->account);

		appendStringInfoString(out, ", \"neighbours\": ");
		escape_json(out, psprintf("add or remove one row of %s with all that belongs to it", above ? above : "a table"));
		appendStringInfoString(out, ", \"unit\": ");
		escape_json(out, psprintf("a row of %s with every row of %s that refers to it, however many (%s)", above ? above : "a table", below ? below : "this one",
								  model->rows_each > 0 ? psprintf("all weigh the same: each is counted %d times, its rows in turn", model->rows_each)
								  : psprintf("at most %d are read", model->rows_per_unit)));
		appendStringInfoString(out, ", \"stands_for\": ");
		escape_json(out, model->rows_each > 0 ? psprintf("a random row of a random row of %s; as many rows as there are of those with any", above ? above : "its parent")
					: psprintf("rows of the table, of each row of %s at most so many as are read", above ? above : "its parent"));
		if (above && below)
			describe_references(out, model, root);
		return;
	}
	if (model->method->payment != PEGS_NOT_PRIVATE && !model->has_unit)
		appendStringInfo(out, ", \"neighbours\": \"add or remove one row\", \"unit\": \"one row%s\"", model->slice ? ", as it was first inserted" : "");
	if (model->method->payment != PEGS_NOT_PRIVATE && model->has_unit)
		appendStringInfo(out, ", \"neighbours\": \"add or remove one person\", \"unit\": \"%s\"",
						 pegs_unit_words(model->rows_per_unit, model->rows_each));
	if (model->has_unit)
		appendStringInfo(out, ", \"stands_for\": \"%s\"",
						 model->rows_each > 0 ? "a random row of a random person; as many rows as there are persons"
						 : "rows of the table, of each person at most so many as are read");
}
