/*
 * same_rows.c
 *	  Do two parts of a table stand for the same rows, or those of two tables?
 *
 * A foreign table is a name for rows that another server has, or a file, and
 * nothing keeps two of them from naming the same. As parts of one table they
 * make each of those rows two rows of it: what is charged protects one. Where
 * the catalog tells, such a table is refused; two names of another server (an
 * address and its host, a view there of a table there) it does not tell. A
 * server may be this one (back.c): then its rows are those of what is read here.
 * Law L3.
 */
#include "source/source.h"

#include "foreign/foreign.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* A place where rows are that a part stands for. A foreign table may have several. */
typedef struct Far
{
	char	   *rows;			/* what says which they are */
	Oid			relid;			/* the part */
	bool		here;			/* it is a table of this database, and has them itself */
} Far;

/* The own rows of a relation of this database. Of one length: in their order. */
static char *
rows_here(Oid relid)
{
	return psprintf("here %010u", relid);
}

/* Where the rows of a foreign table are, of the two wrappers that PostgreSQL has; NULL: of another, or it is known by what is here. */
static char *
rows_there(Oid relid)
{
	static const char *const place[] = {"host", "hostaddr", "port", "dbname", "service"};
	ForeignTable *table = GetForeignTable(relid);
	ForeignServer *server = GetForeignServer(table->serverid);
	StringInfoData rows;
	const char *schema;
	const char *name;

	initStringInfo(&rows);
	if (pegs_server_is_of(server, "file_fdw_handler"))
		appendStringInfo(&rows, "file %s\n%s", pegs_option_of(table->options, "filename", ""), pegs_option_of(table->options, "program", ""));
	else if (pegs_leads_back(relid, &schema, &name))
		appendStringInfo(&rows, "of this database\n%s\n%s", schema, name);
	else if (pegs_server_is_of(server, "postgres_fdw_handler"))
	{
		for (size_t i = 0; i < lengthof(place); i++)
			appendStringInfo(&rows, "%s\n", pegs_option_of(server->options, place[i], ""));
		appendStringInfo(&rows, "%s\n%s", schema, name);
	}
	else
		return NULL;
	return rows.data;
}

static bool
is_foreign(Oid relid)
{
	return SearchSysCacheExists1(FOREIGNTABLEREL, ObjectIdGetDatum(relid));
}

bool
pegs_has_foreign(const List *parts)
{
	ListCell   *cell;

	foreach(cell, parts)
		if (is_foreign(lfirst_oid(cell)))
			return true;
	return false;
}

static int
compare(const ListCell *a, const ListCell *b)
{
	const Far  *one = lfirst(a);
	const Far  *other = lfirst(b);
	int			order = strcmp(one->rows, other->rows);

	if (order != 0)
		return order;
	if (one->here != other->here)
		return one->here ? -1 : 1;
	return one->relid < other->relid ? -1 : one->relid > other->relid;
}

static List *
add_place(List *all, char *rows, Oid relid, bool here)
{
	Far		   *far;

	if (rows == NULL)
		return all;
	far = palloc(sizeof(Far));
	*far = (Far) {rows, relid, here};
	return lappend(all, far);
}

/* As far as it is known where their rows are, in their order. */
List *
pegs_rows_at(const List *parts)
{
	List	   *all = NIL;
	ListCell   *cell;
	ListCell   *behind;

	foreach(cell, parts)
	{
		Oid			part = lfirst_oid(cell);

		if (!is_foreign(part))
		{
			all = add_place(all, rows_here(part), part, true);
			continue;
		}
		foreach(behind, pegs_read_behind(part))
		{
			all = add_place(all, rows_here(lfirst_oid(behind)), part, false);
			if (is_foreign(lfirst_oid(behind)))
				all = add_place(all, rows_there(lfirst_oid(behind)), part, false);
		}
	}
	list_sort(all, compare);
	return all;
}

/* Has a part of these the rows of another one of those? by_these: it is foreign, so that these say so themselves. */
bool
pegs_rows_meet(const List *these, const List *those, bool *by_these)
{
	int			first = 0;
	bool		meet = false;

	*by_these = false;
	for (int i = 0; i < list_length(these); i++)
	{
		const Far  *one = list_nth(these, i);

		while (first < list_length(those) && strcmp(((const Far *) list_nth(those, first))->rows, one->rows) < 0)
			first++;
		for (int j = first; j < list_length(those); j++)
		{
			const Far  *other = list_nth(those, j);

			if (strcmp(other->rows, one->rows) != 0)
				break;
			if (other->relid == one->relid)
				continue;		/* a part of both: pegs_warn_of_parts */
			meet = true;
			*by_these |= !one->here;
		}
	}
	return meet;
}

/* Two parts of a table, or it and one, that stand for the same rows: the other is a foreign table, the later one of two. False: there are none. */
bool
pegs_same_rows(const List *parts, Oid *one, Oid *other)
{
	const Far  *before = NULL;
	ListCell   *cell;

	if (!pegs_has_foreign(parts))
		return false;
	foreach(cell, pegs_rows_at(parts))
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
