/*
 * unit_query.c
 *	  The rows of persons, of one column, as a query: each in its place among the
 *	  rows of its person, and how often it counts.
 *
 * What counts is a function of that person's rows alone. Claim P10, docs/privacy.md.
 * The domain is that of the table's own columns (codes/part.c).
 */
#include "facts/facts.h"

#include "utils/builtins.h"

/*
 * All rows of each person, each with its place among that person's rows, which
 * begins with 1. By a hash of the row, seeded by the person, so that no level
 * comes first for everybody. Equal rows are told apart by their number, so that
 * a level that a person has three times is three times as likely to come first.
 */
static void
numbered_rows(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation)
{
	const char *unit = quote_identifier(source->unit_column);
	StringInfoData words;

	/* the text itself where hashes are equal: rows that tie then are the same row */
	appendStringInfoString(query, "SELECT *, row_number() OVER (PARTITION BY person"
						   " ORDER BY hashtextextended(words || copy::text, seed), words, copy) AS place FROM (SELECT ");
	initStringInfo(&words);
	for (int i = 0; i < domain->ncols; i++)
	{
		const char *name = quote_identifier(domain->column[i].name);

		appendStringInfo(query, "%s AS c%d, ", name, i);
		appendStringInfo(&words, "%s%s", i == 0 ? "ROW(" : ", ", name);
	}
	appendStringInfoString(&words, ")::text COLLATE \"C\"");
	/* one seed a person: equal values may be written in several ways (1 and 1.00) */
	appendStringInfo(query, "%s AS person, %s AS words, min(hashtextextended(%s::text COLLATE \"C\", 0)) OVER (PARTITION BY %s) AS seed,"
					 " row_number() OVER (PARTITION BY %s, %s) AS copy FROM %s WHERE %s IS NOT NULL) AS numbered",
					 unit, words.data, unit, unit, unit, words.data, relation, unit);
}

/*
 * The rows of one column that count where none is left out, as column c0, and
 * how often each does, as column times. Levels are not known yet, so turns are
 * by the values: by their text.
 */
void
pegs_unit_times_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation)
{
	int			k = source->rows_per_unit;

	if (source->rows_each > 0)
		appendStringInfo(query, "SELECT c0, %d / least(%d, rows) + (place <= %d %% least(%d, rows))::int AS times"
						 " FROM (SELECT c0, place, count(*) OVER (PARTITION BY person) AS rows FROM (", k, k, k, k);
	else
		appendStringInfoString(query, "SELECT c0, 1 AS times FROM (");
	numbered_rows(query, domain, source, relation);
	appendStringInfo(query, ") AS own%s WHERE place <= %d", source->rows_each > 0 ? ") AS weighed" : "", k);
}
