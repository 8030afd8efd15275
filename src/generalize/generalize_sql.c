/*
 * generalize_sql.c
 *	  A plan as a statement in plain SQL, which makes a table and needs no pegs:
 *	  pegs_generalize_sql.
 *
 * A person reads it and runs it; nothing is run here, and no row is read. Classes
 * are counted when it runs, those of fewer than k rows are suppressed then, and a
 * value that is not declared then is suppressed, too. A table, no view: a view
 * over a table that changes is one release after another, and their differences
 * tell what each alone hides.
 */
#include "generalize/generalize.h"
#include "codes/codes.h"
#include "models/models.h"
#include "scores/scores.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static void
refuse_more_than_k(const PegsGeneral *general)
{
	if (general->local || pegs_asks_diversity(&general->criteria))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a plan with %s cannot be written in plain SQL", general->local ? "method local" : "l or t"),
				 errdetail("Only steps and k can: a count over the keys."),
				 errhint("Take rows from pegs_generalized; or make a plan for k alone: SELECT pegs_generalize(%s, keys => %s);",
						 quote_literal_cstr(general->source->name), pegs_columns_example(general->domain, (int) general->nkeys))));
}

/* Levels of a group, or all but NULL, as pegs_condition_sql takes them. */
static char *
condition_on(const PegsGeneral *general, uint32 j, const PegsStep *step, int group, const char *value)
{
	uint32		levels = general->key[j].levels;
	bool	   *among = palloc0(sizeof(bool) * (levels + 1));
	pegs_condition condition = {.column = j, .levels = among};
	char	   *sql;

	for (uint32 code = 0; code < levels; code++)
		among[code] = group < 0 ? !(general->key[j].null_last && code + 1 == levels) : step->group[code] == group;
	sql = pegs_condition_sql(general->domain, &condition, value);
	pfree(among);
	return sql;
}

/* A label is the text itself, or its beginning: no list of labels is needed. */
static bool
is_text_itself(const PegsGeneral *general, uint32 j, const PegsStep *step)
{
	const PegsColumn *column = &general->domain->column[j];

	return (column->type == TEXTOID || column->type == VARCHAROID) && column->other < 0 && (general->step[j] == 0 || step->keep > 0);
}

/* The label of a key; NULL for NULL, and for what is not declared. */
static char *
label_sql(const PegsGeneral *general, uint32 j, const char *value)
{
	const PegsStep *step = &general->hierarchy[j]->steps[general->step[j]];
	StringInfoData sql;

	initStringInfo(&sql);
	if (general->step[j] + 1 == general->key[j].nsteps)
		return "'*'::pg_catalog.text";
	if (is_text_itself(general, j, step))
	{
		appendStringInfo(&sql, "CASE WHEN %s THEN ", condition_on(general, j, step, -1, value));
		if (general->step[j] == 0)
			appendStringInfo(&sql, "%s::pg_catalog.text END", value);
		else
			appendStringInfo(&sql, "pg_catalog.left(%s::pg_catalog.text, %d) OPERATOR(pg_catalog.||) pg_catalog.repeat('*', pg_catalog.char_length(%s::pg_catalog.text) OPERATOR(pg_catalog.-) %d) END",
							 value, step->keep, value, step->keep);
		return sql.data;
	}
	appendStringInfoString(&sql, "CASE");
	for (int g = 0; g < step->ngroups; g++)
	{
		CHECK_FOR_INTERRUPTS();
		if (step->labels[g])
			appendStringInfo(&sql, "\n\t\tWHEN %s THEN %s", condition_on(general, j, step, g, value), quote_literal_cstr(step->labels[g]));
	}
	appendStringInfoString(&sql, step->ngroups == 1 && step->labels[0] == NULL ? " WHEN false THEN NULL::pg_catalog.text END" : " END");
	return sql.data;
}

/* Levels are told apart by their bytes, whatever the column's collation says. */
static char *
value_of(const char *column, TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && strcmp(NameStr(att->attname), column) == 0 && OidIsValid(att->attcollation)
			&& !get_collation_isdeterministic(att->attcollation))
			return psprintf("(r.%s COLLATE pg_catalog.\"C\")", quote_identifier(column));
	}
	return psprintf("r.%s", quote_identifier(column));
}

/* Keys and other columns under names of ours, so that no name of the table's can be one of these. */
static void
add_coded(StringInfo sql, const PegsGeneral *general, TupleDesc desc)
{
	StringInfoData declared;

	initStringInfo(&declared);
	appendStringInfoString(sql, "WITH coded AS (\n\tSELECT ");
	for (uint32 j = 0; j < general->nkeys; j++)
	{
		char	   *value = value_of(general->domain->column[j].name, desc);

		appendStringInfo(sql, "%s(%s) COLLATE pg_catalog.\"C\" AS key_%u", j == 0 ? "" : ",\n\t\t", label_sql(general, j, value), j + 1);
		if (general->step[j] + 1 < general->key[j].nsteps)
		{
			appendStringInfo(sql, ", %s IS NULL AS null_%u", value, j + 1);
			appendStringInfo(&declared, "%s(key_%u IS NOT NULL OR null_%u)", declared.len > 0 ? " AND " : "", j + 1, j + 1);
		}
	}
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (pegs_general_shows(general, att))
			appendStringInfo(sql, ",\n\t\tr.%s AS other_%d", quote_identifier(NameStr(att->attname)), i + 1);
	}
	appendStringInfo(sql, "\n\tFROM %s AS r),\n", general->source->name);
	appendStringInfo(sql, "known AS (SELECT *, %s AS declared FROM coded),\n", declared.len > 0 ? declared.data : "true");
}

static void
add_shown(StringInfo sql, const PegsGeneral *general, TupleDesc desc)
{
	appendStringInfoString(sql, "SELECT ");
	for (uint32 j = 0; j < general->nkeys; j++)
		appendStringInfo(sql, "%s(CASE WHEN shown THEN key_%u ELSE '*' END) COLLATE pg_catalog.\"default\" AS %s", j == 0 ? "" : ",\n\t", j + 1,
						 quote_identifier(general->domain->column[j].name));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (pegs_general_shows(general, att))
			appendStringInfo(sql, ",\n\tother_%d AS %s", i + 1, quote_identifier(NameStr(att->attname)));
	}
}

/* pegs_generalize_sql(source regclass, plan jsonb, target text: 'table' or 'schema.table') → text */
PG_FUNCTION_INFO_V1(pegs_generalize_sql);
Datum
pegs_generalize_sql(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "generalise it");
	PegsGeneral *general = pegs_general_planned(source, pegs_arg_plan(fcinfo, 1, source));
	char	   *target = pegs_new_identifier(pegs_arg_text(fcinfo, 2, "target"));
	Relation	rel;
	StringInfoData sql;
	StringInfoData keys;

	refuse_more_than_k(general);
	initStringInfo(&sql);
	initStringInfo(&keys);
	for (uint32 j = 0; j < general->nkeys; j++)
		appendStringInfo(&keys, "key_%u, ", j + 1);
	rel = table_open(source->relid, NoLock);
	appendStringInfo(&sql, "%s\nCREATE TABLE %s AS\n", pegs_comment("k-anonymity: no guarantee. Columns that are no keys are shown as they are: take out what tells people apart."), target);
	add_coded(&sql, general, RelationGetDescr(rel));
	appendStringInfo(&sql, "sized AS (SELECT *, declared AND pg_catalog.count(*) OVER (PARTITION BY %sdeclared) OPERATOR(pg_catalog.>=) " UINT64_FORMAT " AS shown FROM known),\n",
					 keys.data, general->criteria.k);
	appendStringInfoString(&sql, "rest AS (SELECT *, pg_catalog.count(*) FILTER (WHERE NOT shown) OVER () AS hidden FROM sized)\n");
	add_shown(&sql, general, RelationGetDescr(rel));
	appendStringInfo(&sql, "\nFROM rest WHERE shown OR hidden OPERATOR(pg_catalog.>=) " UINT64_FORMAT "\nORDER BY pg_catalog.gen_random_uuid();\n", general->criteria.k);
	table_close(rel, NoLock);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(sql.data, sql.len));
}
