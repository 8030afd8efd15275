/*
 * owner.c
 *	  Whose a relation is, by the catalog as it is now; nothing is locked.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "utils/rel.h"
#include "utils/syscache.h"

Oid
pegs_owner_of(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* Below it is read as who runs the query, even where another view is above. */
bool
pegs_is_invoker(Relation view)
{
#if PG_VERSION_NUM >= 150000
	return view->rd_rel->relkind == RELKIND_VIEW && RelationHasSecurityInvoker(view);
#else
	return false;
#endif
}
