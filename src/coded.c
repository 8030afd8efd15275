/*
 * coded.c
 *	  Whole tables as codes, for the measures of src/measure.
 *
 * The original is read as its owner, as a fit reads it; a synthetic relation as
 * its own owner, after the caller's right to read it was checked, so that no
 * function of a view runs with the rights of a curator. Rows of a model or
 * release are read through pegs_sample and pegs_rows. All columns are of the
 * original's declared domain; what is outside it has a code of its own.
 */
#include "types.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

typedef struct Reader
{
	DestReceiver pub;
	const PegsDomain *domain;
	PegsEncoder **encoder;
	pegs_coded *table;
	uint64		room;
	MemoryContext scratch;
} Reader;

/* An integer, float or numeric as a double. */
double
pegs_number_of(Oid type, Datum value, bool isnull)
{
	if (isnull)
		return get_float8_nan();
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

bool
pegs_is_number(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID
		|| base == FLOAT4OID || base == FLOAT8OID || base == NUMERICOID;
}

static void
make_room(Reader *reader)
{
	pegs_coded *table = reader->table;
	uint64		room = reader->room > 0 ? reader->room * 2 : PEGS_CHUNK;

	for (uint32 c = 0; c < table->ncols; c++)
	{
		table->code[c] = reader->room == 0 ? palloc(sizeof(uint16) * room)
			: repalloc_huge(table->code[c], sizeof(uint16) * room);
		if (table->number && table->number[c])
			table->number[c] = repalloc_huge(table->number[c], sizeof(double) * room);
	}
	reader->room = room;
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Reader	   *reader = (Reader *) self;
	pegs_coded *table = reader->table;
	MemoryContext old;

	if (table->nrows == reader->room)
		make_room(reader);
	old = MemoryContextSwitchTo(reader->scratch);
	slot_getallattrs(slot);
	for (uint32 c = 0; c < table->ncols; c++)
	{
		const PegsColumn *column = &reader->domain->column[c];
		int			code = pegs_encode_strict(reader->encoder[c], slot->tts_values[c], slot->tts_isnull[c]);

		if (code < 0)
			code = column->other >= 0 ? column->other : (int) table->levels[c];
		table->code[c][table->nrows] = (uint16) code;
		if (table->number && table->number[c])
			table->number[c][table->nrows] = pegs_number_of(column->type, slot->tts_values[c], slot->tts_isnull[c]);
	}
	MemoryContextSwitchTo(old);
	if (++table->nrows % PEGS_CHUNK == 0)
	{
		MemoryContextReset(reader->scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	if (desc->natts != (int) ((Reader *) self)->table->ncols)
		elog(ERROR, "the table has changed");
}

static void
nothing(DestReceiver *self)
{
}

/* Rows of `query` as codes of the domain, read as `role`; which columns' numbers are wanted, or NULL. */
static pegs_coded *
read_query(const char *query, const char *relation, Oid role, const PegsDomain *domain, const bool *numbers)
{
	pegs_coded *table = palloc0(sizeof(pegs_coded));
	uint32	   *levels = palloc(sizeof(uint32) * domain->ncols);
	Reader		reader = {
		.pub = {receive, startup, nothing, nothing, DestTuplestore},
		.domain = domain,
		.table = table
	};
	SPIExecuteOptions options = {0};
	SPIPlanPtr	plan;
	PegsAs		saved;
	volatile int rc;

	table->ncols = domain->ncols;
	table->levels = levels;
	table->code = palloc0(sizeof(uint16 *) * domain->ncols);
	reader.encoder = palloc(sizeof(PegsEncoder *) * domain->ncols);
	if (numbers)
		table->number = palloc0(sizeof(double *) * domain->ncols);
	for (int c = 0; c < domain->ncols; c++)
	{
		levels[c] = pegs_column_levels(&domain->column[c]);
		if (levels[c] >= PEGS_MAX_LEVELS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("column \"%s\" has too many levels to be measured", domain->column[c].name),
					 errhint("Leave it out: columns => ARRAY[...]")));
		reader.encoder[c] = pegs_encoder(&domain->column[c]);
		if (numbers && numbers[c])
			table->number[c] = palloc(sizeof(double) * PEGS_CHUNK);
	}
	make_room(&reader);
	reader.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs measure", ALLOCSET_DEFAULT_SIZES);

	/* what make_room takes outlives SPI: it is repalloc'ed in place */
	pegs_begin_as(&saved, role);
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	options.dest = (DestReceiver *) &reader;
	PG_TRY();
	{
		rc = SPI_execute_plan_extended(plan, &options);
		if (rc != SPI_OK_SELECT)
			elog(ERROR, "reading a table gave %s", SPI_result_code_string(rc));
	}
	PG_CATCH();
	{
		pegs_hide_value(relation);
	}
	PG_END_TRY();
	pegs_end_as(&saved);
	MemoryContextDelete(reader.scratch);
	return table;
}

/* "SELECT a, b" of the domain; `cast` to its types, where the relation's own may differ. */
static void
select_list(StringInfo query, const PegsDomain *domain, bool cast)
{
	for (int c = 0; c < domain->ncols; c++)
	{
		const PegsColumn *column = &domain->column[c];

		appendStringInfo(query, "%s%s", c == 0 ? "SELECT " : ", ", quote_identifier(column->name));
		if (cast)
			appendStringInfo(query, "::%s", format_type_extended(column->type, column->typmod,
																 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
}

pegs_coded *
pegs_coded_original(const PegsSource *source, const PegsDomain *domain, const bool *numbers)
{
	StringInfoData query;

	initStringInfo(&query);
	select_list(&query, domain, false);
	appendStringInfo(&query, " FROM %s", source->name);
	return read_query(query.data, source->name, source->owner, domain, numbers);
}

pegs_coded *
pegs_coded_relation(Oid relid, const PegsDomain *domain, const bool *numbers)
{
	char	   *name = get_rel_name(relid);
	StringInfoData query;
	HeapTuple	tuple;
	Oid			owner;

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the synthetic relation does not exist"),
				 errhint("Name a table or view: synthetic => 'schema.table'")));
	switch (get_rel_relkind(relid))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" has no rows to compare", name),
					 errhint("Name a table or a view: synthetic => 'schema.table'")));
	}
	if (pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relid)), name);
	for (int c = 0; c < domain->ncols; c++)
		if (get_attnum(relid, domain->column[c].name) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("relation \"%s\" has no column \"%s\"", name, domain->column[c].name),
					 errhint("Name the columns that both have: columns => ARRAY[...]")));
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	initStringInfo(&query);
	select_list(&query, domain, true);
	name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)), name);
	appendStringInfo(&query, " FROM %s", name);
	return read_query(query.data, name, owner, domain, numbers);
}

/* The rows of a release, or as many of a perturbed model as it stands for; `schema` is the extension's. */
pegs_coded *
pegs_coded_object(const char *name, const char *schema, const PegsDomain *domain, const bool *numbers)
{
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	StringInfoData query;

	initStringInfo(&query);
	select_list(&query, domain, false);
	if (release)
		appendStringInfo(&query, " FROM %s.pegs_rows(%s)", quote_identifier(schema), quote_literal_cstr(name));
	else if (!model->sealed)
		appendStringInfo(&query, " FROM %s.pegs_sample(%s, %.0f)", quote_identifier(schema), quote_literal_cstr(name),
						 pegs_model_rows(model));
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is sealed: its rows are paid for when they are drawn", name),
				 errhint("Make a release (pegs_release) and measure that.")));
	/* not pegs_column_list: its types are named for the caller's search_path, and the query has another */
	for (int c = 0; c < model->spec->domain->ncols; c++)
	{
		const PegsColumn *column = &model->spec->domain->column[c];

		appendStringInfo(&query, "%s%s %s", c == 0 ? " AS t(" : ", ", quote_identifier(column->name),
						 format_type_extended(column->type, column->typmod,
											  FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	appendStringInfoChar(&query, ')');
	return read_query(query.data, quote_identifier(name), GetUserId(), domain, numbers);
}

/* All rows into the tables of a layout. */
uint64_t *
pegs_count_coded(const pegs_layout *layout, const pegs_coded *table)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * table->ncols);

	for (uint64 start = 0; start < table->nrows; start += PEGS_CHUNK)
	{
		for (uint32 c = 0; c < table->ncols; c++)
			codes[c] = table->code[c] + start;
		pegs_count_chunk(layout, cells, codes, (uint32) Min(PEGS_CHUNK, table->nrows - start));
		CHECK_FOR_INTERRUPTS();
	}
	return cells;
}
