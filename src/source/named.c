/*
 * named.c
 *	  A relation that an option names, as text; and what a column is named now.
 *
 * The first is resolved once, as SQL would, by who calls: law L9. What PostgreSQL
 * refuses of a name has no hint of its own, so it gets one.
 */
#include "source/source.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

typedef struct How
{
	const char *what;
	const char *example;
} How;

static void
say_how_it_is_named(void *arg)
{
	const How  *how = arg;

	errhint("%s as SQL does, with quotes where SQL needs them: %s", how->what, how->example);
}

Oid
pegs_relation_named(const char *name, const char *what, const char *example)
{
	How			how = {what, example};
	ErrorContextCallback context = {.callback = say_how_it_is_named, .arg = &how, .previous = error_context_stack};
	Oid			relid;

	error_context_stack = &context;
	relid = DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(name)));
	error_context_stack = context.previous;
	/* "-" is no relation, and a number may be that of none */
	if (get_rel_relkind(relid) == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s\" does not exist", name),
				 errhint("%s by its name: %s", what, example)));
	return relid;
}

/* NULL: it was dropped, and the name that the catalog still has for it is of nothing. */
char *
pegs_name_of_column(Oid relid, AttrNumber attnum)
{
	char	   *name = get_attname(relid, attnum, true);

	return name && get_attnum(relid, name) == attnum ? name : NULL;
}
