/*
 * state.c
 *	  The type pegs_state: in and out of it, and what else takes bytes for one.
 *
 * A state is a set of contingency tables over a declared domain: exact counts,
 * as secret as the rows. Its text form is hex.
 */
#include "read/read.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

void
pegs_read_state(const pegs_env *env, const bytea *bytes, pegs_wire *wire)
{
	const uint8_t *p = (const uint8_t *) VARDATA_ANY(bytes);

	/* said before more is read: what is done with a model to read it may take long, and anybody can write a state */
	if (VARSIZE_ANY_EXHDR(bytes) >= 8 && memcmp(p, "PEGS", 4) == 0
		&& (p[4] | p[5] << 8) <= PEGS_WIRE_VERSION && pegs_method_of_kind((uint32) (p[6] | p[7] << 8)) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("these bytes are a model, not a state"),
				 errhint("States come from pegs_agg and pegs_merge.")));
	pegs_read_bytes(env, bytes, wire);
}

/* Bytes that are a state: checked whole, then handed on unchanged. */
static bytea *
checked_state(bytea *bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs state check", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_wiped_env_in(context);
	pegs_wire	wire;

	pegs_read_state(&env, bytes, &wire);
	MemoryContextDelete(context);
	return bytes;
}

/* ---- the type ---- */

#define STEP (1024 * 1024)		/* bytes between two looks for a cancel */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
		return (c | 0x20) - 'a' + 10;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid hexadecimal digit in a state"),
			 errhint("States come from pegs_agg and pegs_merge.")));
}

/* What bytea's input function does of the form "\\x...", but it can be cancelled. */
static bytea *
bytes_of_hex(const char *hex)
{
	size_t		length = strlen(hex);
	const char *end = hex + length;
	bytea	   *bytes;
	char	   *out;

	if (length < 2 || hex[0] != '\\' || hex[1] != 'x')
		pegs_not_ours();
	bytes = palloc(VARHDRSZ + length / 2);
	out = VARDATA(bytes);
	for (const char *p = hex + 2; p < end;)
	{
		if (isspace((unsigned char) *p))
		{
			p++;
			continue;
		}
		*out++ = (char) (hex_digit(p[0]) << 4 | hex_digit(p[1]));	/* p[1] may be the end: no digit */
		p += 2;
		if ((out - VARDATA(bytes)) % STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	SET_VARSIZE(bytes, out - (char *) bytes);
	return bytes;
}

PG_FUNCTION_INFO_V1(pegs_state_in);
Datum
pegs_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked_state(bytes_of_hex(PG_GETARG_CSTRING(0))));
}

PG_FUNCTION_INFO_V1(pegs_state_out);
Datum
pegs_state_out(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	size_t		n = VARSIZE_ANY_EXHDR(bytes);
	char	   *text = palloc_extended(2 * n + 3, MCXT_ALLOC_HUGE);

	text[0] = '\\';
	text[1] = 'x';
	for (size_t at = 0; at < n; at += STEP)
	{
		CHECK_FOR_INTERRUPTS();
		(void) hex_encode(VARDATA_ANY(bytes) + at, Min(STEP, n - at), text + 2 + 2 * at);
	}
	text[2 + 2 * n] = '\0';
	PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(pegs_state_recv);
Datum
pegs_state_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked_state(DatumGetByteaP(DirectFunctionCall1(bytearecv, PG_GETARG_DATUM(0)))));
}

PG_FUNCTION_INFO_V1(pegs_state_send);
Datum
pegs_state_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PointerGetDatum(PG_GETARG_BYTEA_P_COPY(0)));
}
