/*
 * typed.c
 *	  Codes into typed rows, in the caller's column list.
 *
 * Columns are matched by name and checked by type before anything is charged.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

struct PegsRows
{
	Tuplestorestate *store;		/* NULL: a few at a time */
	HeapTupleHeader *few;		/* [PEGS_CHUNK] these, in memory of their own */
	MemoryContext memory;
	int			nfew;
	TupleDesc	desc;
	int			ncols;			/* of the model */
	PegsDecoder **decoder;		/* [ncols] of what is asked for, or computed from; else NULL */
	pegs_rng  **inside;			/* [ncols] where values inside bins come from */
	PegsRow    *row;
	Datum	   *drawn;			/* [ncols], in the row */
	bool	   *drawn_nulls;
	int		   *column;			/* [natts] of the model; ncols: computed; -1: not of the model */
	PegsComputed **computed;	/* [natts], or NULL */
	int			pinned;			/* level of the settings that they are computed with */
	PegsRunning **number;		/* [natts] of keys, or NULL */
	int64		place;			/* of the last row */
	uint32		stream;			/* values inside bins come from streams behind so many others */
	int		   *made;			/* [natts] which of a table's made keys, or -1; NULL: there are none */
	const int64 *keys;			/* those of the row at hand */
	const uint32_t *chosen;		/* [ncols] likewise, which value of its level (PegsKeys); NULL: of none is it chosen */
	Datum	   *values;
	bool	   *nulls;
	MemoryContext scratch;		/* values of one batch */
	int			batch;
};

/* What the executor asks of the rows that a function returns. */
static bool
same_row(TupleDesc ours, TupleDesc expected)
{
	if (ours->natts != expected->natts)
		return false;
	for (int i = 0; i < ours->natts; i++)
	{
		Form_pg_attribute a = TupleDescAttr(ours, i);
		Form_pg_attribute b = TupleDescAttr(expected, i);

		if (!IsBinaryCoercible(a->atttypid, b->atttypid)
			&& (!b->attisdropped || a->attlen != b->attlen || a->attalign != b->attalign))
			return false;
	}
	return true;
}

/* The row type of the caller's NULL::my_table. */
static TupleDesc
named_row_type(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc;
	TypeFuncClass class = get_call_result_type(fcinfo, NULL, &desc);

	/* a domain over a row type is refused: its constraint would have to be checked row by row */
	if (class != TYPEFUNC_COMPOSITE || desc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("row_type must be a table's row type"),
				 errhint("SELECT * FROM %s(NULL::my_table, ...)", get_func_name(fcinfo->flinfo->fn_oid))));
	/* a cursor's plan does not see that the table was altered: the executor would refuse the rows after the charge */
	if (result->expectedDesc != NULL && !same_row(desc, result->expectedDesc))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the row type has changed since the query was planned"),
				 errhint("Run the query again.")));
	return desc;
}

/* In an ereport. */
static int
hint_column_list(FunctionCallInfo fcinfo, const PegsDomain *domain)
{
	return errhint("SELECT * FROM %s(...) AS t(%s)", get_func_name(fcinfo->flinfo->fn_oid), pegs_column_list(domain));
}

/* That which takes a list, of one that takes a type: without "_as". */
static int
hint_sister(FunctionCallInfo fcinfo, const PegsDomain *domain)
{
	const char *name = get_func_name(fcinfo->flinfo->fn_oid);
	const char *end = strstr(name, "_as");

	return errhint("By a list of columns: SELECT * FROM %s(...) AS t(%s)", end ? pnstrdup(name, end - name) : name, pegs_column_list(domain));
}

/* The caller's AS t(...). */
static TupleDesc
listed_row_type(FunctionCallInfo fcinfo, const PegsDomain *domain)
{
	TupleDesc	desc = ((ReturnSetInfo *) fcinfo->resultinfo)->expectedDesc;

	if (desc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("a column definition list is required"),
				 hint_column_list(fcinfo, domain)));
	return desc;
}

/* Labels of an enum as texts: whoever does not trust its owner, who may rename the type and make another of that name, need not name it. */
static const PegsColumn *
as_asked(const PegsColumn *own, Form_pg_attribute att)
{
	PegsColumn *text;

	if (getBaseType(att->atttypid) != TEXTOID || !OidIsValid(own->type) || get_typtype(own->type) != TYPTYPE_ENUM)
		return own;
	text = palloc(sizeof(PegsColumn));
	*text = *own;
	text->type = TEXTOID;
	text->typmod = -1;
	return text;
}

/* The caller's column is of the model's type, or of a domain over it. */
static void
require_type(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, const PegsColumn *own,
			 Form_pg_attribute att, bool by_type)
{
	int32		typmod = att->atttypmod;
	Oid			type;

	if (!OidIsValid(own->type))
		pegs_type_is_gone(own->name, psprintf("The other columns can still be read: %s.", pegs_column_list(domain)));
	type = getBaseTypeAndTypmod(att->atttypid, &typmod);
	if (type != own->type || (typmod >= 0 && typmod != own->typmod))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of \"%s\" is of type %s, not %s", own->name, object,
						format_type_with_typemod(own->type, own->typmod),
						format_type_with_typemod(att->atttypid, att->atttypmod)),
				 by_type ? errhint("Its columns are: %s.", pegs_column_list(domain))
				 : hint_column_list(fcinfo, domain)));
}

/* A column that is drawn: its type and level values are looked at now. */
static void
want_drawn(FunctionCallInfo fcinfo, PegsRows *rows, const PegsDomain *domain, const char *object, int column,
		   Form_pg_attribute att, bool by_type)
{
	const PegsColumn *own = as_asked(&domain->column[column], att);

	require_type(fcinfo, domain, object, own, att, by_type);
	rows->decoder[column] = own == &domain->column[column] ? pegs_domain_decoder(domain, column) : pegs_decoder(own);
	if (get_typtype(att->atttypid) == TYPTYPE_DOMAIN)
		pegs_require_allowed(att->atttypid, own);
}

/* One that is computed, and those that it is computed from. No domain over its type: that would be checked too late. */
static PegsComputed *
want_computed(FunctionCallInfo fcinfo, PegsRows *rows, const PegsDomain *domain, const char *object, const PegsDerived *derived,
			  Form_pg_attribute att, bool by_type)
{
	PegsColumn	own = {.name = derived->name, .type = derived->type, .typmod = derived->typmod};
	PegsComputed *computed;

	if (get_typtype(att->atttypid) == TYPTYPE_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of \"%s\" is computed, and cannot be of the domain type %s", derived->name, object,
						format_type_be(att->atttypid)),
				 by_type ? hint_sister(fcinfo, domain) : hint_column_list(fcinfo, domain)));
	require_type(fcinfo, domain, object, &own, att, by_type);
	computed = pegs_computed(rows->row, derived);
	for (int i = 0; i < rows->ncols; i++)
		if (rows->decoder[i] == NULL && pegs_computed_reads(computed, i))
			rows->decoder[i] = pegs_domain_decoder(domain, i);
	return computed;
}

static PegsRows *
rows_of(const PegsDomain *domain, TupleDesc desc)
{
	PegsRows   *rows = palloc0(sizeof(PegsRows));

	rows->ncols = domain->ncols;
	rows->decoder = palloc0(sizeof(PegsDecoder *) * (domain->ncols + 1));
	rows->row = pegs_row(domain);
	rows->drawn = pegs_row_values(rows->row, &rows->drawn_nulls);
	rows->column = palloc(sizeof(int) * (desc->natts + 1));
	for (int i = 0; i < desc->natts; i++)
		rows->column[i] = pegs_row_column(domain, TupleDescAttr(desc, i));
	rows->computed = palloc0(sizeof(PegsComputed *) * (desc->natts + 1));
	rows->number = palloc0(sizeof(PegsRunning *) * (desc->natts + 1));
	rows->values = palloc0(sizeof(Datum) * (desc->natts + 1));
	rows->nulls = palloc0(sizeof(bool) * (desc->natts + 1));
	return rows;
}

/* What each of the caller's columns gets. A column of none is an error, but with by_type, and what has a number. */
static void
match_columns(FunctionCallInfo fcinfo, PegsRows *rows, const PegsDomain *domain, const char *object, TupleDesc desc, bool by_type,
			  const PegsKeys *keys, const bool *number)
{
	int			matched = 0;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		int			column = rows->column[i];

		rows->nulls[i] = column < 0 && !number[i];
		matched += column >= 0 || (keys && keys->member && number[i]);
		if (column == rows->ncols)
			rows->computed[i] = want_computed(fcinfo, rows, domain, object, pegs_derived_find(domain, NameStr(att->attname)), att, by_type);
		else if (column >= 0)
			want_drawn(fcinfo, rows, domain, object, column, att, by_type);
		else if (keys && number[i])
			rows->number[i] = pegs_running(att, keys->member ? Max(keys->largest[rows->made[i]], 1) : keys->n);
		else if (!by_type)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" has no column \"%s\"", object, NameStr(att->attname)),
					 hint_column_list(fcinfo, domain)));
	}
	if (matched == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("row_type has no column of \"%s\"", object),
				 errhint("Its columns are: %s.", pegs_column_list(domain))));
}

/* Columns of a table of several that are made keys. Numbers that are not known yet a domain is asked of one by one. */
static void
find_made(PegsRows *rows, TupleDesc desc, const PegsKeys *keys, bool *number)
{
	rows->made = palloc(sizeof(int) * (desc->natts + 1));
	rows->keys = keys->made;
	rows->chosen = keys->chosen;
	rows->stream = keys->stream;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		rows->made[i] = rows->column[i] < 0 && !att->attisdropped ? pegs_made_key(keys->member, NameStr(att->attname)) : -1;
		number[i] = rows->made[i] >= 0;
	}
}

static PegsRows *
begin(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type, const PegsKeys *keys)
{
	TupleDesc	desc = by_type ? named_row_type(fcinfo) : listed_row_type(fcinfo, domain);
	PegsRows   *rows = rows_of(domain, desc);
	bool	   *number = palloc0(sizeof(bool) * (desc->natts + 1));

	if (keys && keys->member && by_type)
		pegs_refuse_other_type(keys, desc);
	if (keys && keys->member)
		find_made(rows, desc, keys, number);
	else if (keys)
		pegs_find_keys(keys, desc, rows->column, by_type, number);
	match_columns(fcinfo, rows, domain, object, desc, by_type, keys, number);
	if (keys && by_type)
		pegs_fill(desc, domain, rows->column, number, rows->values, rows->nulls);
	rows->desc = desc;
	rows->scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs rows", ALLOCSET_DEFAULT_SIZES);
	return rows;
}

/*
 * by_type: the row type is a named one, and columns that the model lacks come
 * out NULL. Otherwise it is the caller's AS t(...), which must name columns of
 * the model. With keys, also those; and what must not be NULL is filled.
 */
PegsRows *
pegs_rows_begin(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type, const PegsKeys *keys)
{
	ReturnSetInfo *result;
	PegsRows   *rows;

	pegs_require_set(fcinfo, SFRM_Materialize | SFRM_Materialize_Preferred);
	rows = begin(fcinfo, domain, object, by_type, keys);
	result = pegs_begin_set(fcinfo, rows->desc);
	rows->store = result->setResult;
	rows->desc = result->setDesc;
	return rows;
}

/* The same by type, PEGS_CHUNK of them at a time: pegs_rows_few has them, until it is asked again. */
PegsRows *
pegs_rows_begin_few(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, const PegsKeys *keys)
{
	PegsRows   *rows = begin(fcinfo, domain, object, true, keys);

	rows->desc = CreateTupleDescCopy(rows->desc);
	rows->few = palloc(sizeof(HeapTupleHeader) * PEGS_CHUNK);
	rows->memory = AllocSetContextCreate(CurrentMemoryContext, "pegs few rows", ALLOCSET_DEFAULT_SIZES);
	return rows;
}

HeapTupleHeader *
pegs_rows_few(PegsRows *rows, int *n)
{
	*n = rows->nfew;
	rows->nfew = 0;
	return rows->few;
}

/* Rows of another model of the same columns, behind them in the same set. */
PegsRows *
pegs_rows_more(const PegsRows *before, FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type)
{
	PegsRows   *rows = rows_of(domain, before->desc);
	bool	   *number = palloc0(sizeof(bool) * (before->desc->natts + 1));

	match_columns(fcinfo, rows, domain, object, before->desc, by_type, NULL, number);
	rows->store = before->store;
	rows->desc = before->desc;
	rows->scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs rows", ALLOCSET_DEFAULT_SIZES);
	return rows;
}

/*
 * The rows come now. The key is that of the values inside bins: every column of
 * the model has a stream of its own, the same values whichever columns are
 * asked for.
 */
void
pegs_rows_start(PegsRows *rows, const uint8_t *key)
{
	rows->inside = palloc0(sizeof(pegs_rng *) * (rows->ncols + 1));
	for (int i = 0; i < rows->ncols; i++)
		if (rows->decoder[i])
			rows->inside[i] = pegs_rng_in(CurrentMemoryContext, key, 2 + rows->stream + i);
	pegs_rows_go_on(rows);
}

/* After pegs_rows_end: those that come next, where what was taken from pegs_rows_few is used no more. */
void
pegs_rows_go_on(PegsRows *rows)
{
	rows->pinned = pegs_pin_expression();
	if (rows->memory)
		MemoryContextReset(rows->memory);
}

void
pegs_rows_turn(void *arg, uint64_t batch, int64 before)
{
	PegsRows   *rows = arg;

	rows->place = before;
	for (int i = 0; batch > 0 && i < rows->ncols; i++)
		if (rows->inside[i])
			pegs_rng_move(rows->inside[i], pegs_stream_of_batch(2 + rows->stream + i, batch));
}

void
pegs_rows_end(PegsRows *rows)
{
	AtEOXact_GUC(false, rows->pinned);
}

void
pegs_rows_put(void *arg, const uint16_t *codes)
{
	PegsRows   *rows = arg;
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);

	rows->place++;
	for (int i = 0; i < rows->ncols; i++)
		if (rows->decoder[i] && rows->chosen && rows->chosen[i] != PEGS_ANY_NUMBER)
			rows->drawn[i] = pegs_decode_chosen(rows->decoder[i], codes[i], rows->chosen[i], &rows->drawn_nulls[i]);
		else if (rows->decoder[i])
			rows->drawn[i] = pegs_decode(rows->decoder[i], codes[i], rows->inside[i], &rows->drawn_nulls[i]);
	for (int i = 0; i < rows->desc->natts; i++)
		if (rows->column[i] >= 0 && rows->column[i] < rows->ncols)
		{
			rows->values[i] = rows->drawn[rows->column[i]];
			rows->nulls[i] = rows->drawn_nulls[rows->column[i]];
		}
		else if (rows->computed[i])
			rows->values[i] = pegs_compute(rows->computed[i], rows->scratch, &rows->nulls[i]);
		else if (rows->number[i])
		{
			int64		place = rows->made ? rows->keys[rows->made[i]] : rows->place;

			if (rows->made)
				pegs_require_place(rows->number[i], TupleDescAttr(rows->desc, i), place);
			rows->values[i] = pegs_running_value(rows->number[i], place);
		}
	if (rows->store == NULL)
	{
		MemoryContextSwitchTo(rows->memory);
		rows->few[rows->nfew++] = heap_form_tuple(rows->desc, rows->values, rows->nulls)->t_data;
	}
	MemoryContextSwitchTo(old);
	if (rows->store)
		tuplestore_putvalues(rows->store, rows->desc, rows->values, rows->nulls);
	CHECK_FOR_INTERRUPTS();		/* a row may have 1,600 columns */
	if (++rows->batch == PEGS_CHUNK)
	{
		MemoryContextReset(rows->scratch);
		rows->batch = 0;
	}
}
