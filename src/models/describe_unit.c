/*
 * describe_unit.c
 *	  What a model protects, in words: its unit and neighbours, what its rows
 *	  stand for, and rows of others that they refer to, which it does not
 *	  protect. Laws L6, L9, L10.
 */
#include "models/models.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "budget/bound.h"

/* What its tables say beside the unit; nothing if they say nothing. */
static void
describe_notes(StringInfo out, const PegsRelated *related, const char *name, bool repeat)
{
	int			n = 0;

	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];

		for (int i = 0; i < (repeat ? member->nrepeat : member->nbeside); i++)
		{
			if (n++ == 0)
				appendStringInfo(out, ", \"%s\": [", name);
			else
				appendStringInfoString(out, ", ");
			escape_json(out, repeat ? member->repeat[i] : member->beside[i]);
		}
	}
	if (n > 0)
		appendStringInfoChar(out, ']');
}

/* As a further member of an object; none of them, no member. */
void
pegs_describe_words(StringInfo out, const char *name, const List *words)
{
	ListCell   *cell;

	foreach(cell, words)
	{
		if (cell == list_head(words))
			appendStringInfo(out, ", \"%s\": [", name);
		else
			appendStringInfoString(out, ", ");
		escape_json(out, lfirst(cell));
	}
	if (words != NIL)
		appendStringInfoChar(out, ']');
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
		escape_json(out, psprintf("add or remove %s", pegs_related_unit(related, false)));
		appendStringInfoString(out, ", \"unit\": ");
		escape_json(out, pegs_related_unit(related, true));
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
		char	   *unit = psprintf("a row of %s with every row of %s that refers to it%s, however many", above ? above : "a table", below ? below : "this one",
									model->unit_column ? psprintf(" by %s", quote_identifier(model->unit_column)) : "");

		appendStringInfoString(out, ", \"neighbours\": ");
		escape_json(out, psprintf("add or remove %s", unit));
		appendStringInfoString(out, ", \"unit\": ");
		escape_json(out, psprintf("%s (%s)", unit, model->rows_each > 0 ? psprintf("all weigh the same: each is counted %d times, its rows in turn", model->rows_each)
								  : psprintf("at most %d are read", model->rows_per_unit)));
		appendStringInfoString(out, ", \"stands_for\": ");
		escape_json(out, model->rows_each > 0 ? psprintf("a random row of a random row of %s; as many rows as there are of those with any", above ? above : "its parent")
					: psprintf("rows of the table, of each row of %s at most so many as are read", above ? above : "its parent"));
		pegs_describe_words(out, "not_covered", model->beside);
		return;
	}
	/* of a file, whose unit is a person: the table to whose rows it was bound is not here */
	pegs_describe_words(out, "not_covered", model->beside);
	if (model->method->payment != PEGS_NOT_PRIVATE && !model->has_unit)
		appendStringInfo(out, ", \"neighbours\": \"add or remove one row\", \"unit\": \"one row%s\"", model->slice ? ", as it was first inserted" : "");
	if (model->method->payment != PEGS_NOT_PRIVATE && model->has_unit)
		appendStringInfo(out, ", \"neighbours\": \"add or remove one person\", \"unit\": \"%s\"",
						 pegs_unit_words(model->rows_per_unit, model->rows_each));
	if (model->has_unit)
		appendStringInfo(out, ", \"stands_for\": \"%s\"",
						 model->rows_each > 0 ? "a random row of a random person; as many rows as there are persons"
						 : "rows of the table, of each person at most so many as are read");
	if (model->method->payment != PEGS_NOT_PRIVATE)
		pegs_describe_words(out, "not_covered", model->beside);
}
