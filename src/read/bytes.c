/*
 * bytes.c
 *	  States, models and files as bytea: the core's bytes with a varlena head.
 *
 * The text in them is UTF-8, whatever the database's encoding is: they are read
 * in other databases, and a dump changes the encoding of texts, but not of bytea.
 */
#include "read/read.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ---- their text ---- */

/* Where it is not known what a text is, it stays what it is. */
static bool
is_utf8_here(void)
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
}

const char *
pegs_text_into_bytes(const char *text)
{
	return is_utf8_here() ? text : pg_server_to_any(text, (int) strlen(text), PG_UTF8);
}

char *
pegs_text_of_bytes(const pegs_wire *wire)
{
	char	   *text = pnstrdup(wire->spec, wire->spec_len);

	return is_utf8_here() ? text : pg_any_to_server(text, (int) strlen(text), PG_UTF8);
}

#define STEP (1024 * 1024)		/* bytes between two looks for a cancel: anybody can write a state */
#define LONGEST_LETTER 4		/* of UTF-8: one may be cut by a step */

static bool
is_utf8(const char *text, size_t n)
{
	while (n > 0)
	{
		int			step = (int) Min(n, STEP);
		int			good = pg_encoding_verifymbstr(PG_UTF8, text, step);

		if (good < step && ((size_t) step == n || step - good >= LONGEST_LETTER))
			return false;
		CHECK_FOR_INTERRUPTS();
		text += good;
		n -= good;
	}
	return true;
}

/* Older versions wrote it in the encoding of their database: of this one, or nobody knows. */
static void
make_utf8(pegs_wire *wire)
{
	if (GetDatabaseEncoding() == PG_SQL_ASCII || is_utf8(wire->spec, wire->spec_len))
		return;
	if (GetDatabaseEncoding() == PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("the names and levels in these bytes are not UTF-8"),
				 errdetail("They are damaged, or come from an older version, in a database of another encoding."),
				 errhint("Update pegs there, then export or count again.")));
	wire->spec = pegs_text_into_bytes(pnstrdup(wire->spec, wire->spec_len));
	wire->spec_len = (uint32_t) strlen(wire->spec);
}

/* ---- bytes ---- */

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
	make_utf8(wire);
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
