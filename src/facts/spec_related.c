/*
 * spec_related.c
 *	  The spec of related tables: what is counted of a unit's rows in all of
 *	  them, its text, and its columns.
 *
 * What is modelled are path rows (core/schema/schema.h). Their columns are
 * those of the tables, and numbers of rows, as levels in words: values of the
 * tables' own types come from the spec that each table has for itself. Public
 * facts alone: law L1.
 *
 *	"related": [{"name": "patients", "table": "public.patients", "keys": [{"column": "id", "is": "number"}],
 *	  "spec": {"pegs": 1, "tables": "pairs", "columns": [...]}},
 *	 {"name": "admissions", "table": "public.admissions", "parent": 0, "children": [0, 1, 2, 5], "at_most": 9,
 *	  "keys": [{"column": "patient", "is": "parent", "of": 0}, {"column": "line", "is": "line"}], "spec": {...}}]
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"

#define NO_ROW "(no row)"		/* the level of columns that are absent */

/* ---- as path rows ---- */

static char *
class_words(const pegs_relation *table, uint32_t class)
{
	uint32_t	first = table->first[class];
	uint32_t	last = class + 1 < table->nclasses ? table->first[class + 1] - 1 : table->most;

	return first == last ? psprintf("%u", first) : psprintf("%u to %u", first, last);
}

/* A column of path rows, in words. Those that it was learnt by are its own's. */
static void
path_column(const PegsRelated *related, uint32_t i, PegsColumn *column)
{
	const pegs_path_column *path = &related->relations.column[i];
	const PegsMember *member = &related->member[path->table];
	const PegsColumn *own = path->own >= 0 ? &member->spec->domain->column[path->own] : NULL;

	*column = (PegsColumn) {.type = TEXTOID, .typmod = -1, .nlabels = (int) path->levels, .other = -1};
	column->labels = palloc(sizeof(char *) * path->levels);
	if (own)
	{
		column->name = psprintf("%s.%s", member->name, own->name);
		column->drop = own->drop;
		column->nlearnt = own->nlearnt;
		column->learnt = own->learnt;
	}
	else
		column->name = psprintf("number of %s", related->member[path->counts].name);
	for (int l = 0; l < column->nlabels; l++)
	{
		char	   *words = NO_ROW;

		if (l % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		if (l != path->absent)
			words = own ? pegs_level_text(own, l) : class_words(&related->relations.table[path->counts], l);
		column->labels[l] = words ? words : "NULL";
	}
}

/* What a table is to the core. */
static void
as_relation(const PegsMember *member, pegs_relation *relation)
{
	uint32_t   *levels = palloc(sizeof(uint32_t) * (member->spec->domain->ncols + 1));

	for (int i = 0; i < member->spec->domain->ncols; i++)
		levels[i] = (uint32_t) pegs_column_levels(&member->spec->domain->column[i]);
	*relation = (pegs_relation) {
		.parent = member->parent,
		.ncols = (uint32_t) member->spec->domain->ncols,
		.levels = levels,
		.nclasses = (uint32_t) member->nclasses,
		.first = member->first,
		.most = member->most
	};
	pegs_member_room(member, relation);
}

/* The spec of its members, which are all there. Not PEGS_OK: the core does not take them, and it is NULL. */
PegsSpec *
pegs_spec_of_related(PegsRelated *related, pegs_status *status)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_relation *table = palloc0(sizeof(pegs_relation) * related->n);
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));
	PegsDomain *domain = palloc0(sizeof(PegsDomain));

	for (int t = 0; t < related->n; t++)
		as_relation(&related->member[t], &table[t]);
	*status = pegs_relations_init(&env, (uint32_t) related->n, table, &related->relations);
	if (*status != PEGS_OK)
		return NULL;
	domain->ncols = (int) related->relations.ncols;
	domain->column = palloc0(sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
		path_column(related, (uint32_t) i, &domain->column[i]);
	spec->domain = domain;
	spec->tables = PEGS_PAIRS;
	spec->related = related;
	return spec;
}

/* The number of the table of this name; -1: there is none. */
int
pegs_related_find(const PegsRelated *related, const char *name)
{
	for (int t = 0; t < related->n; t++)
		if (strcmp(related->member[t].name, name) == 0)
			return t;
	return -1;
}

/* The number of its key of this column; -1: its values are not made. */
int
pegs_made_key(const PegsMember *member, const char *column)
{
	for (int k = 0; k < member->nkeys; k++)
		if (strcmp(member->key[k].column, column) == 0)
			return k;
	return -1;
}

/* "patients, admissions" */
char *
pegs_related_names(const PegsRelated *related)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int t = 0; t < related->n; t++)
		appendStringInfo(&names, "%s%s", t > 0 ? ", " : "", related->member[t].name);
	return names.data;
}

/* The unit, in words: as the ledger says it; and how it is counted, as a certificate does. */
char *
pegs_related_unit(const PegsRelated *related, bool counted)
{
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfo(&words, "a row of %s", related->member[0].name);
	for (int t = 1; t < related->n; t++)
		appendStringInfo(&words, "%s%s", t == 1 ? " with every row of " : t < related->n - 1 ? ", " : " and ", related->member[t].name);
	if (related->n > 1)
		appendStringInfoString(&words, " that refers to it, however many");
	if (related->n > 1 && counted)
		appendStringInfo(&words, " (each counts %d path rows)", PEGS_PATHS);
	return words.data;
}

/* ---- as text ---- */

static void
put_keys(StringInfo out, const PegsMember *member)
{
	static const char *const kinds[] = {[PEGS_KEY_NUMBER] = "number", [PEGS_KEY_LINE] = "line", [PEGS_KEY_PARENT] = "parent"};

	for (int k = 0; k < member->nkeys; k++)
	{
		const PegsMadeKey *key = &member->key[k];

		appendStringInfoString(out, k == 0 ? "{\"column\": " : ", {\"column\": ");
		escape_json(out, key->column);
		appendStringInfo(out, ", \"is\": \"%s\"", kinds[key->kind]);
		if (key->kind == PEGS_KEY_PARENT)
			appendStringInfo(out, ", \"of\": %d", key->of);
		appendStringInfoChar(out, '}');
	}
}

static void
put_words(StringInfo out, const char *name, int n, char *const *words)
{
	for (int i = 0; i < n; i++)
	{
		if (i == 0)
			appendStringInfo(out, ", \"%s\": [", name);
		else
			appendStringInfoString(out, ", ");
		escape_json(out, words[i]);
	}
	if (n > 0)
		appendStringInfoChar(out, ']');
}

void
pegs_put_related(StringInfo out, const PegsRelated *related)
{
	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];

		appendStringInfoString(out, t == 0 ? ", \"related\": [{\"name\": " : ", {\"name\": ");
		escape_json(out, member->name);
		appendStringInfoString(out, ", \"table\": ");
		escape_json(out, member->table);
		if (t > 0)
		{
			appendStringInfo(out, ", \"parent\": %d, \"children\": [", member->parent);
			for (int k = 0; k < member->nclasses; k++)
				appendStringInfo(out, "%s%u", k > 0 ? ", " : "", member->first[k]);
			appendStringInfo(out, "], \"at_most\": %u", member->most);
		}
		appendStringInfoString(out, ", \"keys\": [");
		put_keys(out, member);
		appendStringInfoChar(out, ']');
		put_words(out, "beside", member->nbeside, member->beside);
		put_words(out, "may_repeat", member->nrepeat, member->repeat);
		put_words(out, "distinct", member->ndistinct, member->distinct);
		appendStringInfo(out, ", \"spec\": %s}", member->spec->text);
	}
	appendStringInfo(out, "]%s", related->siblings ? "" : ", \"siblings\": false");
}
