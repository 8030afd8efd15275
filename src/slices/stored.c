/*
 * stored.c
 *	  Grids as they are stored: a row of pegs_internal.grid each, of an account
 *	  of pegs_internal.budget.
 *
 * Where a grid is kept is where its account was when it was set, said again or
 * adopted (mark.c): in a copy of the one the other is a copy, too.
 */
#include "slices/slices.h"
#include "source/source.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#define READ_GRIDS "SELECT g.id, g.column_name, g.attnum, g.type::pg_catalog.oid, g.typmod, g.width, g.origin, g.zone, g.base, g.epsilon, g.delta, g.xmin, " \
	PEGS_MARK_COLUMNS ", g.slices" \
	" FROM pegs_internal.grid AS g JOIN pegs_internal.budget AS b ON b.id = g.budget WHERE b.source = $1 ORDER BY g.width DESC, g.id"

static Datum
value_at(int row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		elog(ERROR, "unexpected null in pegs_internal");
	return value;
}

static void
read_list(PegsGrid *grid, Datum array)
{
	Datum	   *items;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &items, NULL, &grid->nvalues);
	grid->values = palloc(sizeof(char *) * (grid->nvalues + 1));
	for (int i = 0; i < grid->nvalues; i++)
		grid->values[i] = TextDatumGetCString(items[i]);
}

/* NULL: by the clock. */
static Datum
list_of(const PegsGrid *grid)
{
	Datum	   *items;

	if (grid->values == NULL)
		return (Datum) 0;
	items = palloc(sizeof(Datum) * grid->nvalues);
	for (int i = 0; i < grid->nvalues; i++)
		items[i] = CStringGetTextDatum(grid->values[i]);
	return PointerGetDatum(construct_array(items, grid->nvalues, TEXTOID, -1, false, TYPALIGN_INT));
}

static PegsGrid
grid_at(int row)
{
	PegsGrid	grid = {
		.id = DatumGetInt64(value_at(row, 1)),
		.column = pstrdup(NameStr(*DatumGetName(value_at(row, 2)))),
		.attnum = DatumGetInt16(value_at(row, 3)),
		.type = DatumGetObjectId(value_at(row, 4)),
		.typmod = DatumGetInt32(value_at(row, 5)),
		.width = *DatumGetIntervalP(value_at(row, 6)),
		.origin = DatumGetTimestamp(value_at(row, 7)),
		.zone = TextDatumGetCString(value_at(row, 8)),
		.base = DatumGetInt64(value_at(row, 9)),
		.epsilon = DatumGetInt64(value_at(row, 10)),
		.delta = DatumGetInt64(value_at(row, 11)),
		.made_here = TransactionIdIsCurrentTransactionId(DatumGetTransactionId(value_at(row, 12))),
		.mark = pegs_mark_at(row, 13)
	};
	bool		isnull;
	Datum		list = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 20, &isnull);

	if (!isnull)
		read_list(&grid, list);
	return grid;
}

static void
refuse_held(Oid account)
{
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("the slices of table \"%s\" are being fitted or changed", get_rel_name(account)),
			 errdetail("Another session is at it, and has not committed yet. Nothing was used up."),
			 errhint("Try again when that transaction has ended.")));
}

PegsGrid *
pegs_grids_of(Oid account, bool hold, int *n)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext old;
	PegsArg		arg = {OIDOID, ObjectIdGetDatum(account), false};
	PegsGrid   *grids;
	uint64		there;
	PegsAs		saved;

	pegs_require_kept("grid", NULL);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT FROM pegs_internal.grid AS g JOIN pegs_internal.budget AS b ON b.id = g.budget WHERE b.source = $1", SPI_OK_SELECT, 1, &arg);
	there = SPI_processed;
	pegs_spi_now(hold ? READ_GRIDS " FOR NO KEY UPDATE OF g SKIP LOCKED" : READ_GRIDS, SPI_OK_SELECT, 1, &arg);
	*n = (int) SPI_processed;
	old = MemoryContextSwitchTo(context);
	grids = palloc(sizeof(PegsGrid) * (*n + 1));
	for (int i = 0; i < *n; i++)
		grids[i] = grid_at(i);
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	if (hold && (uint64) *n != there)
		refuse_held(account);
	return grids;
}

PegsGrid *
pegs_grids_to_change(const PegsSource *source, int *n)
{
	PegsGrid   *grids = pegs_grids_of(source->account, true, n);

	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s has no slices", source->name),
				 errhint("Nothing was changed.")));
	return grids;
}

/* What models say that was used up: never more than the mark, unless somebody set that back. */
int64
pegs_recorded_mark(const PegsGrid *grid)
{
	PegsArg		id = {INT8OID, Int64GetDatum(grid->id), false};
	int64		used = 0;
	bool		isnull;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT coalesce(max(used), 0) FROM pegs_internal.model WHERE grid = $1", SPI_OK_SELECT, 1, &id);
	used = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	pegs_end_as(&saved);
	return used;
}

/* With its mark, at its beginning; and where its account is kept. A list has no width: there is one of a table. */
void
pegs_store_grid(Oid account, const PegsGrid *grid)
{
	PegsAs		saved;
	int64		id;
	NameData	column;
	PegsArg		args[14];

	namestrcpy(&column, grid->column);
	pegs_begin_as_extension(&saved);
	id = pegs_next_id();
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	args[1] = (PegsArg) {NAMEOID, NameGetDatum(&column), false};
	args[2] = (PegsArg) {INT2OID, Int16GetDatum(grid->attnum), false};
	args[3] = (PegsArg) {OIDOID, ObjectIdGetDatum(grid->type), false};
	args[4] = (PegsArg) {INT4OID, Int32GetDatum(grid->typmod), false};
	args[5] = (PegsArg) {INTERVALOID, IntervalPGetDatum(&grid->width), false};
	args[6] = (PegsArg) {TIMESTAMPOID, TimestampGetDatum(grid->origin), false};
	args[7] = (PegsArg) {TEXTOID, CStringGetTextDatum(grid->zone), false};
	args[8] = (PegsArg) {INT8OID, Int64GetDatum(grid->base), false};
	args[9] = (PegsArg) {INT8OID, Int64GetDatum(grid->epsilon), false};
	args[10] = (PegsArg) {INT8OID, Int64GetDatum(grid->delta), false};
	args[11] = (PegsArg) {OIDOID, ObjectIdGetDatum(pegs_new_mark(id)), false};
	args[12] = (PegsArg) {OIDOID, ObjectIdGetDatum(account), false};
	args[13] = (PegsArg) {TEXTARRAYOID, list_of(grid), grid->values == NULL};
	pegs_spi("INSERT INTO pegs_internal.grid (id, budget, column_name, attnum, type, typmod, width, origin, zone, base, epsilon, delta, used, sequence,"
			 " system_identifier, timeline, database, home, entry, slices) SELECT $1, b.id, $2, $3, $4::pg_catalog.regtype, $5, $6, $7, $8, $9, $10, $11,"
			 " $12::pg_catalog.regclass, $12, b.system_identifier, b.timeline, b.database, b.home, b.entry, $14"
			 " FROM pegs_internal.budget AS b WHERE b.source = $13", SPI_OK_INSERT, 14, args);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the privacy budget was set by another transaction after this one began"),
				 errhint("Try again in a new transaction.")));
	pegs_end_as(&saved);
}

/* What was charged for it stays charged. It is held. */
void
pegs_forget_grid(const PegsGrid *grid)
{
	PegsArg		id = {INT8OID, Int64GetDatum(grid->id), false};
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.grid WHERE id = $1", SPI_OK_DELETE, 1, &id);
	pegs_drop_sequence(grid->mark.sequence);
	pegs_end_as(&saved);
}
