/*
 * renamed.c
 *	  A model that is fitted anew, and columns that its tables do not have any
 *	  more: what is said of them, and what there is to do.
 *
 * A column that was given another name is known by what was declared of it, or
 * by what the catalog says of it (a CHECK, an enum), if no other is alike. By
 * public facts alone: law L1.
 */
#include "models/models.h"
#include "models/fit.h"
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

/* A column that a model has and its table has not any more. */
typedef struct Gone
{
	char	   *name;
	char	   *now;			/* what is that one now, it seems; NULL: nothing, or it is not known */
	bool		declared;		/* which is known: something was declared of it under this name */
} Gone;

/* Of one table. */
typedef struct Left
{
	StringInfoData gone;		/* names */
	StringInfoData renames;		/* statements */
	StringInfoData either;		/* sentences: columns that several may be */
	List	   *names;			/* what is there, maybe under another name */
} Left;

static char *
text_of(const PegsColumn *column, const char *name)
{
	PegsColumn	copy = *column;
	PegsDomain	domain = {.ncols = 1, .column = &copy};
	PegsSpec	spec = {.domain = &domain, .tables = PEGS_PAIRS};

	copy.name = pstrdup(name);
	return pegs_spec_column_text(&spec, 0);
}

/* The column of which something was declared under this name. */
static char *
declared_as(const PegsDomain *all, const PegsSource *source, const char *name)
{
	for (int j = 0; j < all->ncols; j++)
	{
		Oid			where;
		const char *was = all->column[j].part ? NULL : pegs_name_when_declared(source, all->column[j].name, &where);

		if (was && where == source->relid && strcmp(was, name) == 0)
			return all->column[j].name;
	}
	return NULL;
}

/* The only column beside the model's that is what this one was; NULL: none, or several. */
static char *
only_alike(const PegsDomain *all, const PegsDomain *was, List *named, const char *name)
{
	int			i = pegs_domain_find(was, name);
	char	   *found = NULL;

	if (i < 0 || !OidIsValid(was->column[i].type))
		return NULL;
	for (int j = 0; j < all->ncols; j++)
	{
		const PegsColumn *column = &all->column[j];

		if (column->part || column->problem || column->origin == NULL || pegs_has_name(named, column->name)
			|| strcmp(text_of(column, name), text_of(&was->column[i], name)) != 0)
			continue;
		if (found)
			return NULL;
		found = column->name;
	}
	return found;
}

/* In the order of the model; returns how many. */
static int
find_gone(const PegsDomain *all, const PegsSource *source, const PegsDomain *was, List *named, Gone *gone)
{
	int			n = 0;
	ListCell   *cell;

	foreach(cell, named)
	{
		char	   *name = lfirst(cell);
		char	   *declared;

		if (pegs_domain_find(all, name) >= 0)
			continue;
		declared = declared_as(all, source, name);
		gone[n++] = (Gone) {name, declared ? declared : only_alike(all, was, named, name), declared != NULL};
	}
	return n;
}

/* All that may be what this one is now, by what they were alone: "c" or "d"; NULL: it is the only one. */
static char *
any_of(const Gone *gone, int n, const Gone *one)
{
	StringInfoData names;
	int			several = 0;

	if (one->now == NULL || one->declared)
		return NULL;
	initStringInfo(&names);
	for (int g = 0; g < n; g++)
		if (gone[g].now && !gone[g].declared && strcmp(gone[g].now, one->now) == 0)
			appendStringInfo(&names, "%s\"%s\"", several++ > 0 ? " or " : "", gone[g].name);
	return several > 1 ? names.data : NULL;
}

/* One that is gone: what there is to do, and what is there in its place. */
static void
add_gone(Left *left, const PegsSource *source, const Gone *one, const char *any)
{
	bool		first = one->now && !one->declared && !pegs_has_name(left->names, one->now);

	appendStringInfo(&left->gone, "%s\"%s\"", left->gone.len > 0 ? ", " : "", one->name);
	if (first)
		left->names = lappend(left->names, one->now);
	if (first && any)
		appendStringInfo(&left->either, "%s\"%s\" may be what %s was", left->either.len > 0 ? ", " : "", one->now, any);
	if (one->now && any == NULL)
		appendStringInfo(&left->renames, "ALTER TABLE %s RENAME COLUMN %s TO %s; ", source->name, pstrdup(quote_identifier(one->now)), quote_identifier(one->name));
}

static Left
left_of(const PegsDomain *all, const PegsSource *source, const PegsDomain *was)
{
	List	   *named = pegs_columns_named(was);
	Gone	   *gone = palloc(sizeof(Gone) * (list_length(named) + 1));
	int			n = find_gone(all, source, was, named, gone);
	Left		left = {.names = NIL};
	int			g = 0;
	ListCell   *cell;

	initStringInfo(&left.gone);
	initStringInfo(&left.renames);
	initStringInfo(&left.either);
	foreach(cell, named)
	{
		if (g < n && gone[g].name == lfirst(cell))
		{
			add_gone(&left, source, &gone[g], any_of(gone, n, &gone[g]));
			g++;
		}
		else
			left.names = lappend(left.names, lfirst(cell));
	}
	return left;
}

/* What may be pasted to have the columns again, or what there is to know before. */
static char *
repair(const Left *left)
{
	StringInfoData text;

	initStringInfo(&text);
	if (left->renames.len > 0)
		appendStringInfo(&text, "%sgives it that name again.", left->renames.data);
	if (left->either.len > 0)
		appendStringInfo(&text, "%sColumn %s: give it the name of the one that it was, and put back the rest.", text.len > 0 ? " " : "", left->either.data);
	return text.len > 0 ? psprintf("%s Or ", text.data) : pstrdup("Put it back; or ");
}

static void
refuse(const char *model, const char *table, const Left *left, const char *otherwise)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("model \"%s\" cannot be fitted anew: %s has no column %s any more", model, table, left->gone.data),
			 errdetail("Nothing was charged."),
			 errhint("%s%s", repair(left), otherwise)));
}

/* slices: what goes on with those that are left; NULL: it is of none */
void
pegs_require_columns(const PegsFit *fit, const PegsDomain *all, const char *slices)
{
	Left		left = left_of(all, fit->source, fit->before->spec->domain);
	const char *name = quote_literal_cstr(fit->name);
	char	   *otherwise;

	if (left.gone.len == 0)
		return;
	if (slices)
		otherwise = psprintf("drop the model with all its slices, and fit those that are left: %s", slices);
	else if (left.names == NIL)
		otherwise = pstrdup("make a model of other columns, under another name.");
	else
		otherwise = psprintf("make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(%s); SELECT pegs_fit(%s, %s%s, epsilon => %s, delta => %s%s%s); COMMIT;",
							 name, name, pegs_relation_literal(fit->source->relid), pegs_columns_argument(left.names), pegs_units_text(fit->args->epsilon, 9),
							 pegs_units_text(fit->args->delta, 18), pegs_method_argument(fit->before->method), pegs_options_argument(fit->before->spec, left.names));
	refuse(fit->name, fit->source->name, &left, otherwise);
}

/* ---- of several tables ---- */

/* It, or one that is bound below it. */
static Oid
table_named(Oid root, const char *name)
{
	List	   *tables = list_make1_oid(root);

	for (int i = 0; i < list_length(tables); i++)
	{
		Oid			table = list_nth_oid(tables, i);
		char	   *is = get_rel_name(table);

		if (is && strcmp(is, name) == 0)
			return table;
		tables = list_concat_unique_oid(tables, pegs_children_of(table));
	}
	return InvalidOid;
}

static void
put_names(StringInfo out, const char *table, const List *names)
{
	const ListCell *cell;

	appendStringInfoString(out, out->len > 0 ? ", " : "{");
	escape_json(out, table);
	foreach(cell, names)
	{
		appendStringInfoString(out, cell == list_head(names) ? ": [" : ", ");
		escape_json(out, lfirst(cell));
	}
	appendStringInfoChar(out, ']');
}

/* A table that is not there, or has another name, is said by who reads its declarations. */
void
pegs_require_related_columns(const PegsFit *fit)
{
	const PegsRelated *related = fit->before->spec->related;
	const char *name = quote_literal_cstr(fit->name);
	Left		first = {.names = NIL};
	char	   *of = NULL;
	bool		empty = false;
	StringInfoData columns;
	StringInfoData tables;

	initStringInfo(&columns);
	initStringInfo(&tables);
	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];
		Oid			table = t == 0 ? fit->before->account : table_named(fit->before->account, member->name);
		PegsSource *source;
		Left		left;

		if (!OidIsValid(table) || get_rel_name(table) == NULL)
			return;
		source = pegs_source(table);
		left = left_of(pegs_domain_of(source), source, member->spec->domain);
		empty |= left.names == NIL;
		put_names(&columns, get_rel_name(table), left.names);
		appendStringInfo(&tables, "%s%s", tables.len > 0 ? ", " : "ARRAY[", quote_literal_cstr(get_rel_name(table)));
		if (left.gone.len > 0 && of == NULL)
		{
			first = left;
			of = source->name;
		}
	}
	if (of == NULL)
		return;
	refuse(fit->name, of, &first, empty ? "make a model of other columns, under another name."
		   : psprintf("make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(%s); SELECT pegs_fit_schema(%s, %s, %s], %s, epsilon => %s, delta => %s%s); COMMIT;",
					  name, name, pegs_relation_literal(fit->before->account), tables.data, quote_literal_cstr(psprintf("%s}", columns.data)), pegs_units_text(fit->args->epsilon, 9),
					  pegs_units_text(fit->args->delta, 18), related->siblings ? "" : ", siblings => false"));
}
