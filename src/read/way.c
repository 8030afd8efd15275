/*
 * way.c
 *	  What is said of how rows were counted: by the model, to whoever may read it;
 *	  and to who fits.
 *
 * The planner knows of private rows. What it made of a query is nobody's but the
 * caller's. Law L5.
 */
#include "read/read.h"

#include "utils/lsyscache.h"

/* What a model keeps of it, which a grantee may read: what servers and types allow, and not what was planned, by estimates of private rows. */
char *
pegs_way_to_keep(const PegsCounted *counted, const List *legs, Oid pulled, const char *why_not)
{
	StringInfoData words;
	int			shipped = list_length(counted->shipped_legs);

	initStringInfo(&words);
	if (counted->persons)
		appendStringInfoString(&words, "person by person, ");
	if (list_length(legs) > 1)
		appendStringInfo(&words, "by an aggregate for each of %d parts%s", list_length(legs), shipped == 0 ? "" : psprintf(", %d of which can be counted on their own servers", shipped));
	else
		appendStringInfoString(&words, shipped > 0 ? "by an aggregate, which can run on its own server" : "by an aggregate");
	if (why_not)
		appendStringInfo(&words, "; rows of \"%s\" come here: %s", get_rel_name(pulled), why_not);
	return words.data;
}

/*
 * What is said to the caller: of a leg that could have been counted on its
 * server, and was not, too. That depends on what postgres_fdw can write for a
 * condition of a view, and on how many rows the planner expects there.
 */
char *
pegs_way_of_plan(const PegsCounted *counted, const List *legs, Oid pulled, const char *why_not)
{
	StringInfoData words;
	int			number = 0;
	int			shipped = 0;
	ListCell   *cell;

	foreach(cell, legs)
	{
		Oid			leg = lfirst_oid(cell);

		if (!list_member_int(counted->shipped_legs, ++number))
			continue;
		if (!list_member_oid(counted->pulled, leg))
			shipped++;
		else if (why_not == NULL)
		{
			pulled = leg;
			why_not = "PostgreSQL does not plan it on their server (a condition that it does not send, or few rows or none are expected there)";
		}
	}
	initStringInfo(&words);
	if (counted->persons)
		appendStringInfoString(&words, "person by person, ");
	if (number > 1)
		appendStringInfo(&words, "by an aggregate for each of %d parts%s", number, shipped == 0 ? "" : psprintf(", %d of them on their own servers", shipped));
	else
		appendStringInfoString(&words, shipped > 0 ? "by an aggregate on its own server" : "by an aggregate");
	if (why_not)
		appendStringInfo(&words, "; rows of \"%s\" come here: %s", get_rel_name(pulled), why_not);
	return words.data;
}
