/*
 * bytes.c
 *	  States, models and files as bytea: the core's bytes with a varlena head.
 */
#include "read/read.h"

#include "libpq/pqformat.h"
#include "utils/memutils.h"

void
pegs_not_ours(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("these bytes are not a state or model of pegs"),
			 errhint("States come from pegs_agg and pegs_merge.")));
}

void
pegs_read_bytes(const pegs_env *env, const bytea *bytes, pegs_wire *wire)
{
	pegs_status status = pegs_wire_read(env, (const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), wire);

	if (status == PEGS_ERR_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("these bytes were written by a later version of pegs"),
				 errhint("ALTER EXTENSION pegs UPDATE;")));
	if (status != PEGS_OK)
		pegs_not_ours();
}

/* The stored form, in memory of env: what is secret is kept where env keeps it. */
bytea *
pegs_wire_bytes(const pegs_env *env, const pegs_wire *wire)
{
	size_t		size = pegs_wire_size(wire);
	bytea	   *bytes;

	if (size > MaxAllocSize - VARHDRSZ)
		elog(ERROR, "the tables are too large to be stored");
	bytes = env->alloc(env->context, VARHDRSZ + size);
	SET_VARSIZE(bytes, VARHDRSZ + size);
	pegs_wire_write(env, wire, (uint8_t *) VARDATA(bytes));
	return bytes;
}
