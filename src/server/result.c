/*
 * result.c
 *	  A set of rows for the caller of a set-returning function.
 *
 * The set is materialised, at most 16 MB of it in memory. What charges is
 * refused in the select list: it would charge once for every outer row.
 */
#include "server/server.h"

#include "access/tupdesc.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#define ROWS_IN_MEMORY_KB (16 * 1024)

ReturnSetInfo *
pegs_begin_set(FunctionCallInfo fcinfo, TupleDesc desc)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;

	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->returnMode = SFRM_Materialize;
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false,
											  Min(work_mem, ROWS_IN_MEMORY_KB));
	result->setDesc = desc ? CreateTupleDescCopy(desc) : NULL;
	MemoryContextSwitchTo(old);
	return result;
}

void
pegs_require_set(FunctionCallInfo fcinfo, int mode)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc;

	if (result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize)
		|| (result->allowedModes & mode) != mode)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s must be called in FROM", get_func_name(fcinfo->flinfo->fn_oid)),
				 get_call_result_type(fcinfo, NULL, &desc) == TYPEFUNC_RECORD
				 ? errhint("SELECT * FROM %s(...) AS t(name type, ...), with the columns that pegs_row_type prints",
						   get_func_name(fcinfo->flinfo->fn_oid))
				 : errhint("SELECT * FROM %s(...)", get_func_name(fcinfo->flinfo->fn_oid))));
}

ReturnSetInfo *
pegs_materialize(FunctionCallInfo fcinfo, bool in_from)
{
	TupleDesc	desc;
	Oid			type;

	pegs_require_set(fcinfo, in_from ? SFRM_Materialize | SFRM_Materialize_Preferred : SFRM_Materialize);
	if (get_call_result_type(fcinfo, &type, &desc) != TYPEFUNC_COMPOSITE)
	{
		/* a set of one value each */
		desc = CreateTemplateTupleDesc(1);
		TupleDescInitEntry(desc, 1, "value", type, -1, 0);
	}
	return pegs_begin_set(fcinfo, desc);
}
