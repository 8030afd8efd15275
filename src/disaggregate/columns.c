/*
 * columns.c
 *	  Columns of a relation by their types, and its rows one after the other.
 */
#include "disaggregate/disaggregate.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define SCRATCH_ROWS 1024

/* ---- types ---- */

Oid
pegs_type_of(Oid relid, const char *column, Oid *collation)
{
	Oid			type;
	int32		typmod;

	get_atttypetypmodcoll(relid, get_attnum(relid, column), &type, &typmod, collation);
	return getBaseType(type);
}

bool
pegs_is_plain_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

/* may_be_factor: it is one of the columns of pegs_disaggregate, and no value. */
void
pegs_require_number(Oid relid, const char *column, bool may_be_factor)
{
	Oid			collation;
	Oid			type = pegs_type_of(relid, column, &collation);

	if (!pegs_is_plain_number(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation \"%s\" is of type %s, not a number", column, get_rel_name(relid), format_type_be(type)),
				 may_be_factor ? errhint("Name a number; a column of levels may be a factor: factors => ARRAY[%s]", quote_literal_cstr(column))
				 : errhint("Name a column of numbers, or a view that makes a number of it.")));
}

/* As what two columns are compared: their own type; numbers as numeric, texts as text. Any other pair has no equality. */
Oid
pegs_common_type(Oid a, Oid b, const char *column)
{
	if (a == b)
		return a;
	if (pegs_is_plain_number(a) && pegs_is_plain_number(b))
		return NUMERICOID;
	if (TypeCategory(a) == TYPCATEGORY_STRING && TypeCategory(b) == TYPCATEGORY_STRING)
		return TEXTOID;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" is of type %s in one relation and of type %s in the other", column, format_type_be(a), format_type_be(b)),
			 errhint("Make a view that casts one of them, and name that.")));
}

void
pegs_query_column(StringInfo query, const char *column, Oid cast_to)
{
	appendStringInfo(query, "%s%s%s", query->len == 0 ? "SELECT " : ", ", quote_identifier(column),
					 cast_to == NUMERICOID ? "::pg_catalog.numeric" : cast_to == TEXTOID ? "::pg_catalog.text" : "");
}

/* ---- a receiver that hands each row on ---- */

typedef struct Receiver
{
	DestReceiver pub;
	void		(*take) (void *arg, const Datum *values, const bool *nulls);
	void	   *arg;
	uint64		seen;
	MemoryContext scratch;
} Receiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->scratch);

	slot_getallattrs(slot);
	receiver->take(receiver->arg, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(old);
	pegs_let_go(receiver->scratch);
	if (++receiver->seen % SCRATCH_ROWS == 0)
	{
		MemoryContextReset(receiver->scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
nothing_to_end(DestReceiver *self)
{
}

void
pegs_each_row(const PegsReading *reading, StringInfo query, void (*take) (void *arg, const Datum *values, const bool *nulls), void *arg)
{
	Receiver	receiver = {.pub = {receive, startup, nothing_to_end, nothing_to_end, DestTuplestore}, .take = take, .arg = arg};

	if (query->len == 0)
		appendStringInfoString(query, "SELECT NULL");
	appendStringInfo(query, " FROM %s", reading->name);
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs individuals", ALLOCSET_DEFAULT_SIZES);
	pegs_read(reading, query->data, NULL, (DestReceiver *) &receiver);
	MemoryContextDelete(receiver.scratch);
}
