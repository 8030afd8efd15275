/*
 * same_rows.c
 *	  Do two parts of a table stand for the same rows?
 *
 * A foreign table is a name for rows that another server has, or a file, and
 * nothing keeps two of them from naming the same. As parts of one table they
 * make each of those rows two rows of it: what is charged protects one. Where
 * the catalog tells, such a table is refused; two names of one server (an
 * address and its host, a view there of a table there) it does not tell. A
 * server may be this one, by a socket or the address of every machine's own: its
 * rows are those of a table here. Law L3.
 */
#include "source/source.h"

#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "postmaster/postmaster.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct Far
{
	char	   *rows;			/* what its options say of them */
	Oid			relid;
	bool		here;			/* it is a table of this database */
} Far;

/* The value of an option; of more than one server's the last that is there. */
static const char *
option(const List *options, const char *name, const char *otherwise)
{
	ListCell   *cell;

	foreach(cell, options)
		if (strcmp(lfirst_node(DefElem, cell)->defname, name) == 0)
			otherwise = defGetString(lfirst(cell));
	return otherwise;
}

/* Does a server lead back to this database? Of a host by its name it is not known. */
static bool
is_here(const List *options)
{
	static const char *const own[] = {"", "localhost", "127.0.0.1", "::1"};
	const char *host = option(options, "hostaddr", option(options, "host", ""));
	bool		is_own = *host == '/';

	for (size_t i = 0; i < lengthof(own); i++)
		is_own |= strcmp(host, own[i]) == 0;
	return is_own && *option(options, "service", "") == '\0' && strcmp(option(options, "port", "5432"), GetConfigOption("port", false, false)) == 0
		&& strcmp(option(options, "dbname", ""), get_database_name(MyDatabaseId)) == 0;
}

static char *
rows_here(const char *schema, const char *name)
{
	return psprintf("here\n%s\n%s", schema, name);
}

/* Where the rows of a foreign table are, of the two wrappers that PostgreSQL has; NULL: of another. */
static char *
rows_there(Oid relid)
{
	static const char *const place[] = {"host", "hostaddr", "port", "dbname", "service"};
	ForeignTable *table = GetForeignTable(relid);
	ForeignServer *server = GetForeignServer(table->serverid);
	StringInfoData rows;

	initStringInfo(&rows);
	if (pegs_server_is_of(server, "file_fdw_handler"))
		appendStringInfo(&rows, "file %s\n%s", option(table->options, "filename", ""), option(table->options, "program", ""));
	else if (pegs_server_is_of(server, "postgres_fdw_handler"))
	{
		const char *schema = option(table->options, "schema_name", get_namespace_name(get_rel_namespace(relid)));
		const char *name = option(table->options, "table_name", get_rel_name(relid));

		if (is_here(server->options))
			return rows_here(schema, name);
		for (size_t i = 0; i < lengthof(place); i++)
			appendStringInfo(&rows, "%s\n", option(server->options, place[i], ""));
		appendStringInfo(&rows, "%s\n%s", schema, name);
	}
	else
		return NULL;
	return rows.data;
}

static int
compare(const ListCell *a, const ListCell *b)
{
	return strcmp(((const Far *) lfirst(a))->rows, ((const Far *) lfirst(b))->rows);
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

/* Those of which it is known where their rows are, in their order. */
static List *
all_far(const List *parts)
{
	List	   *all = NIL;
	ListCell   *cell;

	foreach(cell, parts)
	{
		Oid			part = lfirst_oid(cell);
		bool		here = !is_foreign(part);
		char	   *rows = here ? rows_here(get_namespace_name(get_rel_namespace(part)), get_rel_name(part)) : rows_there(part);
		Far		   *far;

		if (rows == NULL)
			continue;
		far = palloc(sizeof(Far));
		far->rows = rows;
		far->relid = part;
		far->here = here;
		all = lappend(all, far);
	}
	list_sort(all, compare);
	return all;
}

bool
pegs_same_rows_as(const List *parts, const List *others)
{
	List	   *these = all_far(parts);
	List	   *those = all_far(others);
	int			i = 0;
	int			j = 0;

	while (i < list_length(these) && j < list_length(those))
	{
		int			order = compare(list_nth_cell(these, i), list_nth_cell(those, j));

		if (order == 0)
			return true;
		if (order < 0)
			i++;
		else
			j++;
	}
	return false;
}

/* Two parts of a table, or it and one, that stand for the same rows: the other is a foreign table, the later one of two. False: there are none. */
bool
pegs_same_rows(const List *parts, Oid *one, Oid *other)
{
	Far		   *before = NULL;
	ListCell   *cell;

	foreach(cell, all_far(parts))
	{
		Far		   *far = lfirst(cell);

		if (before && strcmp(before->rows, far->rows) == 0)
		{
			bool		turned = before->here != far->here ? far->here : before->relid > far->relid;

			*one = turned ? far->relid : before->relid;
			*other = turned ? before->relid : far->relid;
			return true;
		}
		before = far;
	}
	return false;
}
