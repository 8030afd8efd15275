/*
 * same_rows.c
 *	  Do two parts of a table stand for the same rows, or those of two tables?
 *
 * A foreign table is a name for rows that another server has, or a file, and
 * nothing keeps two of them from naming the same. As parts of one table they
 * make each of those rows two rows of it: what is charged protects one. Where
 * the catalog tells (back.c), such a table is refused; two names of another
 * server (an address and its host, a view or a partition there of a table there)
 * it does not tell. Law L3.
 */
#include "source/source.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "access/htup_details.h"
#include "catalog/pg_foreign_table.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* A place where the rows of a foreign table may be. */
typedef struct Far
{
	char	   *rows;			/* what says which they are */
	Oid			relid;
} Far;

bool
pegs_has_foreign(const List *parts)
{
	ListCell   *cell;

	foreach(cell, parts)
		if (SearchSysCacheExists1(FOREIGNTABLEREL, ObjectIdGetDatum(lfirst_oid(cell))))
			return true;
	return false;
}

/*
 * A file by the one name that it has without links and dots, as it is written
 * where there is none; and by its number, which hard links to it have, too.
 */
static List *
places_of_file(const char *file, const char *program)
{
	char	   *whole = *file == '\0' || is_absolute_path(file) ? pstrdup(file) : psprintf("%s/%s", DataDir, file);
	char		real[PATH_MAX];
	struct stat there;
	List	   *places;

	canonicalize_path(whole);
	places = list_make1(psprintf("file %s\n%s", realpath(whole, real) ? real : whole, program));
	if (stat(whole, &there) == 0)
		places = lappend(places, psprintf("file %llu %llu", (unsigned long long) there.st_dev, (unsigned long long) there.st_ino));
	return places;
}

static int
compare_words(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/*
 * Of a wrapper that is not known: what its table's options say, on that very server. Where none of them names what is there it may be what the
 * table is called here.
 */
static List *
places_of_unknown(Oid relid, const ForeignServer *server, const List *options)
{
	static const char *const naming[] = {"table_name", "table", "tablename", "query", "sql_query", "collection", "filename", "resource"};
	List	   *words = NIL;
	bool		named = false;
	StringInfoData place;
	ListCell   *cell;

	foreach(cell, options)
		words = lappend(words, psprintf("\n%s %s", lfirst_node(DefElem, cell)->defname, defGetString(lfirst(cell))));
	for (size_t i = 0; i < lengthof(naming); i++)
		named |= pegs_option_of(options, naming[i], NULL) != NULL;
	list_sort(words, compare_words);
	initStringInfo(&place);
	appendStringInfo(&place, "server %u", server->serverid);
	foreach(cell, words)
		appendStringInfoString(&place, lfirst(cell));
	if (!named)
		appendStringInfo(&place, "\n\n%s\n%s", get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid));
	return list_make1(place.data);
}

/* Of char *, as pegs_places_there. */
static List *
places_of(Oid relid, Oid asks)
{
	ForeignServer *server;
	List	   *options;

	if (!pegs_foreign(relid, &server, &options))
		return NIL;
	if (pegs_server_is_of(server, "file_fdw_handler"))
		return places_of_file(pegs_option_of(options, "filename", ""), pegs_option_of(options, "program", ""));
	if (pegs_server_is_of(server, "postgres_fdw_handler"))
		return pegs_places_there(relid, asks);
	return places_of_unknown(relid, server, options);
}

static int
compare(const ListCell *a, const ListCell *b)
{
	const Far  *one = lfirst(a);
	const Far  *other = lfirst(b);
	int			order = strcmp(one->rows, other->rows);

	return order != 0 ? order : one->relid < other->relid ? -1 : one->relid > other->relid;
}

/* As far as it is known where rows of foreign ones of these are, in the order of places. */
List *
pegs_rows_at(const List *parts, Oid asks)
{
	List	   *all = NIL;
	ListCell   *cell;
	ListCell   *place;

	foreach(cell, parts)
		foreach(place, places_of(lfirst_oid(cell), asks))
		{
			Far		   *far = palloc(sizeof(Far));

			*far = (Far) {lfirst(place), lfirst_oid(cell)};
			all = lappend(all, far);
		}
	list_sort(all, compare);
	return all;
}

/* Has a part of these the rows of another one of those? */
bool
pegs_rows_meet(const List *these, const List *those)
{
	int			first = 0;

	for (int i = 0; i < list_length(these); i++)
	{
		const Far  *one = list_nth(these, i);

		while (first < list_length(those) && strcmp(((const Far *) list_nth(those, first))->rows, one->rows) < 0)
			first++;
		for (int j = first; j < list_length(those) && strcmp(((const Far *) list_nth(those, j))->rows, one->rows) == 0; j++)
			if (((const Far *) list_nth(those, j))->relid != one->relid)	/* a part of both: pegs_warn_of_parts */
				return true;
	}
	return false;
}

/* Two parts of a table that stand for the same rows, the later one second. False: there are none. An error: it cannot be known. */
bool
pegs_same_rows(const List *parts, Oid asks, Oid *one, Oid *other)
{
	const Far  *before = NULL;
	ListCell   *cell;

	pegs_require_few_hosts(parts);
	foreach(cell, pegs_rows_at(parts, asks))
	{
		const Far  *far = lfirst(cell);

		if (before && strcmp(before->rows, far->rows) == 0 && before->relid != far->relid)
		{
			*one = before->relid;
			*other = far->relid;
			return true;
		}
		before = far;
	}
	return false;
}
