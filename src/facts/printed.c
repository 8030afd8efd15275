/*
 * printed.c
 *	  All that is declared about a table, as pegs_declare takes it: pegs_facts.
 */
#include "facts/facts.h"
#include "budget/bound.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The parent of its table, whose foreign key has these columns now. */
static Jsonb *
with_parent(const PegsSource *source, Jsonb *facts)
{
	MemoryContext context = CurrentMemoryContext;
	PegsBound	bound;
	Datum	   *names;
	PegsArg		args[4];
	PegsAs		saved;
	MemoryContext old;
	bool		isnull;

	if (!pegs_read_bound(source->account, &bound) || !bound.is || !OidIsValid(bound.parent))
		return facts;
	names = palloc(sizeof(Datum) * bound.n);
	for (int i = 0; i < bound.n; i++)
		names[i] = CStringGetTextDatum(bound.attnum[i] > 0 ? get_attname(source->account, bound.attnum[i], false) : bound.column[i]);
	args[0] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	args[1] = (PegsArg) {JSONBOID, JsonbPGetDatum(facts), false};
	args[2] = (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(names, bound.n, TEXTOID, -1, false, TYPALIGN_INT)), false};
	args[3] = (PegsArg) {TEXTOID, CStringGetTextDatum(pegs_relation_words(bound.parent)), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT $2 || jsonb_build_object('parent', jsonb_strip_nulls(jsonb_build_object('table', $4, 'columns', to_jsonb($3),"
				 " 'children', to_jsonb(children), 'at_most', at_most))) FROM pegs_internal.parent WHERE source = $1", SPI_OK_SELECT, 4, args);
	old = MemoryContextSwitchTo(context);
	if (SPI_processed == 1)
		facts = DatumGetJsonbPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	return facts;
}

/* Structural zeros of the table, as the source calls their columns: those that it has columns for. */
static Datum
zeros_of_table(const PegsSource *source)
{
	Relation	rel = table_open(source->relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	List	   *names = NIL;
	List	   *zeros;
	Datum	   *items;
	int			n = 0;
	ListCell   *cell;

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			names = lappend(names, NameStr(TupleDescAttr(desc, i)->attname));
	zeros = pegs_zeros_of(source, names);
	items = palloc(sizeof(Datum) * (list_length(zeros) + 1));
	foreach(cell, zeros)
		items[n++] = JsonbPGetDatum((Jsonb *) lfirst(cell));
	table_close(rel, NoLock);
	return PointerGetDatum(construct_array(items, n, JSONBOID, -1, false, 'i'));
}

/* pegs_facts(source regclass) → jsonb: of the source itself; structural zeros and unit are those of its table, by its own names */
PG_FUNCTION_INFO_V1(pegs_facts);
Datum
pegs_facts(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_unread(pegs_arg_oid(fcinfo, 0, "source"), "see its declared facts");
	char	   *unit = pegs_unit_column(source);
	PegsArg		args[8] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {JSONBARRAYOID, zeros_of_table(source), false},
		{REGCLASSOID, ObjectIdGetDatum(source->account), false}, {TEXTOID, unit ? CStringGetTextDatum(unit) : 0, unit == NULL}};
	MemoryContext context = CurrentMemoryContext;
	PegsAs		saved;
	Jsonb	   *facts;
	bool		isnull;
	MemoryContext old;

	pegs_computed_arguments(source, &args[4]);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT jsonb_build_object('columns', coalesce((SELECT " PEGS_OBJECT("column_name::text", "(jsonb_strip_nulls(jsonb_build_object("
				 " 'levels', to_jsonb(levels), 'other', other, 'bins', to_jsonb(edges), 'points', to_jsonb(points), 'step', step,"
				 " 'lookup', lookup::text, 'lookup_column', lookup_column, 'via', to_jsonb(via), 'weight', weight, 'undeclared', CASE WHEN drop_undeclared THEN 'drop' WHEN nearest THEN 'nearest' END,"
				 " 'nullable', CASE WHEN not_null THEN false END, 'leave_out', CASE WHEN left_out THEN true END, 'derived', CASE WHEN function IS NULL THEN nullif(c.derived, '') END,"
				 " 'parts', to_jsonb(parts), 'zone', zone, 'after', nullif(c.earlier, ''), 'groups', groups -> 'values'))"
				 " || CASE WHEN function IS NULL THEN '{}' ELSE function || jsonb_build_object('of', c.of) END)")
				 /* what no column has any more says nothing, and pegs_declare would refuse it */
				 " FROM pegs_internal.fact AS f LEFT JOIN unnest($5, $6, $7, $8) AS c (name, derived, earlier, of) ON c.name = f.column_name::text"
				 " WHERE source = $1 AND (c.name IS NOT NULL OR (f.derived IS NULL AND f.earlier IS NULL)) AND EXISTS (SELECT FROM pg_attribute AS a WHERE attrelid = $1 AND attname = column_name"
				 " AND a.attnum > 0 AND NOT attisdropped AND (f.attnum IS NULL OR f.relation IS NULL OR f.relation <> source::oid OR f.attnum = a.attnum))"
				 " AND (lookup IS NULL OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = lookup AND attname = lookup_column AND NOT attisdropped))), '{}'))"
				 " || CASE WHEN cardinality($2) > 0 THEN jsonb_build_object('forbidden', $2) ELSE '{}' END"
				 " || coalesce((SELECT jsonb_build_object('unit', jsonb_build_object('column', $4, 'max_rows', max_rows,"
				 " 'weighting', CASE WHEN rows_each IS NULL THEN 'row' ELSE 'person' END)) FROM pegs_internal.unit WHERE source = $3 AND $4 IS NOT NULL), '{}')",
				 SPI_OK_SELECT, 8, args);
	old = MemoryContextSwitchTo(context);
	facts = DatumGetJsonbPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	PG_RETURN_JSONB_P(with_parent(source, pegs_facts_and_hierarchies(source, facts)));
}
