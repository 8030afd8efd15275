/*
 * owner.c
 *	  Whose a relation is, by the catalog as it is now; nothing is locked.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
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
