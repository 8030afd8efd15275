/*
 * spec_text.c
 *	  What is counted, as canonical text: columns, their declared domain, and
 *	  which tables.
 *
 * Two states can be merged, and a state can be fitted, only if their texts are
 * equal byte for byte. The text is JSON; it holds public facts only:
 *
 *	{"pegs": 1, "tables": "pairs", "columns": [{"name": "age", "type": "integer",
 *	  "edges": ["0", "5", "10"], "null": true}, ...]}
 *	{"pegs": 1, "tables": "conditional", "tail_bits": 0, "columns": [{"name": "sex",
 *	  "type": "character(1)", "levels": ["M", "F"], "null": true, "parents": ["age"]}, ...]}
 *
 * "tables": "joint" is the table of all columns; it has no parents.
 *
 * Columns that are computed from these are "derived": [{"name": "adult", "type": "boolean", "place": 1, "expression": "(age >= 18)"}].
 *
 * A hidden column (codes/part.c) has a "part": {"kind": "hour", "column": "rented", "type": "timestamp without time zone"}; of
 * levels of keys {"kind": "via", "column": "icd", "type": "text", "of": "chapter, chronic", "keys": [["A00", "A01"], ["B05"], ...]},
 * and where a key is drawn by weight, "weight": "patients", "weights": [[210, 3], [1], ...].
 *
 * That of a model may end with "inside": "sloped": how its values are drawn; and "target": ["income"]: what they are for,
 * and "options": {"coding": "dummy"}: what its method was told;
 * and "groups": ["code"]: of which columns it knew groups;
 * and that of a model of several tables with "related" (spec_related.c).
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"

static void
put_texts(StringInfo out, char **texts, int n)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoString(out, ", ");
		escape_json(out, texts[i]);
	}
	appendStringInfoChar(out, ']');
}

/* One that was dropped is "-", as none is called, so that it is like no other. */
static void
put_type(StringInfo out, Oid type, int32 typmod)
{
	appendStringInfoString(out, ", \"type\": ");
	escape_json(out, format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY | FORMAT_TYPE_ALLOW_INVALID));
}

/* "keys": of each level, in their order */
static void
put_via(StringInfo out, const PegsVia *via)
{
	appendStringInfoString(out, ", \"of\": ");
	escape_json(out, via->names);
	appendStringInfoString(out, ", \"keys\": [");
	for (int i = 0, next; i < via->n; i = next)
	{
		for (next = i + 1; next < via->n && via->level[next] == via->level[i]; next++)
			;
		if (i > 0)
			appendStringInfoString(out, ", ");
		put_texts(out, via->key + i, next - i);
	}
	appendStringInfoChar(out, ']');
}

/* "weights": of the keys of each level */
static void
put_weights(StringInfo out, const PegsVia *via)
{
	appendStringInfoString(out, ", \"weight\": ");
	escape_json(out, via->by);
	appendStringInfoString(out, ", \"weights\": [");
	for (int i = 0; i < via->n; i++)
	{
		bool		first = i == 0 || via->level[i] != via->level[i - 1];

		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		appendStringInfo(out, "%s%u", i == 0 ? "[" : first ? "], [" : ", ", via->weight[i]);
	}
	appendStringInfoString(out, "]]");
}

/* "part": what a hidden column is of columns of the table */
static void
put_part(StringInfo out, const PegsPart *part)
{
	appendStringInfo(out, ", \"part\": {\"kind\": \"%s\", \"column\": ", pegs_part_name(part->kind));
	escape_json(out, part->column);
	if (part->earlier)
	{
		appendStringInfoString(out, ", \"earlier\": ");
		escape_json(out, part->earlier);
	}
	put_type(out, part->type, -1);
	if (part->zone)
	{
		appendStringInfoString(out, ", \"zone\": ");
		escape_json(out, part->zone);
	}
	if (part->via)
		put_via(out, part->via);
	if (part->via && part->via->weight)
		put_weights(out, part->via);
	appendStringInfoChar(out, '}');
}

static void
put_column(StringInfo out, const PegsSpec *spec, int i)
{
	const PegsColumn *column = &spec->domain->column[i];

	appendStringInfoString(out, "{\"name\": ");
	escape_json(out, column->name);
	put_type(out, column->type, column->typmod);
	appendStringInfoString(out, column->nedges > 0 ? ", \"edges\": " : ", \"levels\": ");
	if (column->nedges > 0)
		put_texts(out, column->edges, column->nedges);
	else
		put_texts(out, column->labels, column->nlabels);
	if (column->npoints > 0)
	{
		appendStringInfoString(out, ", \"points\": ");
		put_texts(out, column->points, column->npoints);
	}
	if (column->step)
	{
		appendStringInfoString(out, ", \"step\": ");
		escape_json(out, column->step);
	}
	appendStringInfoString(out, column->nullable ? ", \"null\": true" : ", \"null\": false");
	if (column->other >= 0)
	{
		appendStringInfoString(out, ", \"other\": ");
		escape_json(out, column->labels[column->other]);
	}
	if (column->drop || column->nearest)
		appendStringInfo(out, ", \"undeclared\": \"%s\"", column->drop ? "drop" : "nearest");
	if (column->part)
		put_part(out, column->part);
	if (spec->tables == PEGS_CONDITIONAL)
	{
		int			n = spec->parent_start[i + 1] - spec->parent_start[i];
		char	  **names = palloc(sizeof(char *) * (n + 1));

		for (int p = 0; p < n; p++)
			names[p] = spec->domain->column[spec->parents[spec->parent_start[i] + p]].name;
		appendStringInfoString(out, ", \"parents\": ");
		put_texts(out, names, n);
	}
	appendStringInfoChar(out, '}');
}

/* "forbidden": [[["sex", 0], ["mdc", 13, 14]], ...]: columns and the places of their levels */
static void
put_zeros(StringInfo out, const PegsDomain *domain)
{
	for (int r = 0; r < domain->nzeros; r++)
	{
		const pegs_zero *zero = &domain->zeros[r];

		appendStringInfoString(out, r == 0 ? ", \"forbidden\": [[" : ", [");
		for (uint32_t x = 0; x < zero->n; x++)
		{
			const PegsColumn *column = &domain->column[zero->column[x]];

			appendStringInfoString(out, x == 0 ? "[" : ", [");
			escape_json(out, column->name);
			for (int l = 0; l < pegs_column_levels(column); l++)
				if (zero->level[x][l])
					appendStringInfo(out, ", %d", l);
			appendStringInfoChar(out, ']');
		}
		appendStringInfoChar(out, ']');
	}
	appendStringInfoChar(out, ']');
}

/* "derived": what is computed from the columns, and is not counted */
static void
put_derived(StringInfo out, const PegsDomain *domain)
{
	for (int i = 0; i < domain->nderived; i++)
	{
		const PegsDerived *derived = &domain->derived[i];

		appendStringInfoString(out, i == 0 ? ", \"derived\": [{\"name\": " : ", {\"name\": ");
		escape_json(out, derived->name);
		put_type(out, derived->type, derived->typmod);
		appendStringInfo(out, ", \"place\": %d, \"expression\": ", derived->place);
		escape_json(out, derived->expression);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/* "target": columns, in their order */
static void
put_columns(StringInfo out, const char *member, const PegsSpec *spec, const bool *which)
{
	char	  **names = palloc(sizeof(char *) * spec->domain->ncols);
	int			n = 0;

	for (int i = 0; i < spec->domain->ncols; i++)
		if (which[i])
			names[n++] = spec->domain->column[i].name;
	appendStringInfo(out, ", \"%s\": ", member);
	put_texts(out, names, n);
}

/* Types have one name, whatever the session's setting: texts are compared. */
static int
begin_notation(void)
{
	int			notation = NewGUCNestLevel();

	(void) set_config_option("quote_all_identifiers", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return notation;
}

char *
pegs_spec_column_text(const PegsSpec *spec, int i)
{
	StringInfoData out;
	int			notation = begin_notation();

	initStringInfo(&out);
	put_column(&out, spec, i);
	AtEOXact_GUC(false, notation);
	return out.data;
}

char *
pegs_spec_text(const PegsSpec *spec)
{
	StringInfoData out;
	int			notation = begin_notation();

	initStringInfo(&out);
	appendStringInfo(&out, "{\"pegs\": 1, \"tables\": \"%s\"",
					 spec->triples ? "triples" : spec->tables == PEGS_PAIRS ? "pairs" : spec->tables == PEGS_JOINT ? "joint" : "conditional");
	if (spec->tables == PEGS_CONDITIONAL)
		appendStringInfo(&out, ", \"tail_bits\": %u", spec->tail_bits);
	appendStringInfoString(&out, ", \"columns\": [");
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		put_column(&out, spec, i);
	}
	appendStringInfoChar(&out, ']');
	if (spec->domain->nzeros > 0)
		put_zeros(&out, spec->domain);
	if (spec->domain->nderived > 0)
		put_derived(&out, spec->domain);
	if (spec->sloped)
		appendStringInfoString(&out, ", \"inside\": \"sloped\"");
	if (spec->target)
		put_columns(&out, "target", spec, spec->target);
	if (spec->grouped)
		put_columns(&out, "groups", spec, spec->grouped);
	if (spec->own)
		appendStringInfo(&out, ", \"options\": %s", spec->own);
	if (spec->related)
		pegs_put_related(&out, spec->related);
	appendStringInfoChar(&out, '}');
	AtEOXact_GUC(false, notation);
	return out.data;
}
