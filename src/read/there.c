/*
 * there.c
 *	  Whether the rows of a foreign table can be counted on its server: by what
 *	  the catalog says of the server and of the columns' types, and by no row.
 */
#include "read/read.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

static bool
lists(List *options, const char *extension)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst(cell);
		List	   *names;

		if (strcmp(option->defname, "extensions") == 0 && SplitIdentifierString(pstrdup(defGetString(option)), ',', &names))
		{
			ListCell   *name;

			foreach(name, names)
				if (strcmp(lfirst(name), extension) == 0)
					return true;
		}
	}
	return false;
}

/* A column of another type than the server's own, which its server is not said to have; NULL: there is none. */
static const char *
unknown_type(Oid relid, const ForeignServer *server, const char *column)
{
	AttrNumber	attnum = get_attnum(relid, column);
	Oid			type = attnum == InvalidAttrNumber ? InvalidOid : get_atttype(relid, attnum);
	Oid			extension = type < FirstGenbkiObjectId ? InvalidOid : getExtensionOfObject(TypeRelationId, type);

	if (type < FirstGenbkiObjectId || (OidIsValid(extension) && lists(server->options, get_extension_name(extension))))
		return NULL;
	return psprintf("column \"%s\" is of type %s, which server \"%s\" is not said to have", column, format_type_be(type), server->servername);
}

/* Why a foreign table cannot be counted on its server; NULL: it can. person: the column that is the privacy unit, or NULL. */
const char *
pegs_why_not_there(Oid relid, const PegsDomain *physical, const char *person)
{
	ForeignServer *server = GetForeignServer(GetForeignTable(relid)->serverid);
	const char *why = NULL;

	if (!pegs_server_is_of(server, "postgres_fdw_handler"))
		return psprintf("server \"%s\" is not one of postgres_fdw", server->servername);
	if (!lists(server->options, "pegs"))
		return psprintf("server \"%s\" is not said to have pegs (ALTER SERVER %s OPTIONS (ADD extensions 'pegs'))", server->servername,
						quote_identifier(server->servername));
	for (int i = 0; i < physical->ncols && why == NULL; i++)
		why = unknown_type(relid, server, physical->column[i].name);
	if (why == NULL && person)
		why = unknown_type(relid, server, person);
	return why;
}
