/*
 * adopt_slices.c
 *	  pegs_adopt_slices: a superuser states that slices which are a copy are
 *	  fitted here, and nowhere else any more.
 *
 * Slices cannot be shared, as a budget can: what each of two copies fits of the
 * same rows adds up. So this is for the one copy that lives on. All that could
 * have been fitted elsewhere counts as used up: whatever was complete at
 * fitted_until, and all that the mark and the models here know. No mark falls.
 * Laws L2, L9; claim P21.
 */
#include "slices/slices.h"
#include "source/source.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

/* By a moment that gives up all slices that could have been fitted elsewhere. */
char *
pegs_adopt_slices_command(const char *literal)
{
	return psprintf("SELECT pegs_adopt_slices(%s, fitted_until => now(), reason => '...');", literal);
}

static void
require_superuser(void)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only a superuser can adopt slices"),
				 errhint("They may be fitted in one place alone: ask whoever runs the other copies.")));
}

/* -infinity: all that was fitted is known here. */
static TimestampTz
until_argument(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("fitted_until must not be null"),
				 errhint("When the others fitted slices for the last time, at the latest: fitted_until => now(), or '-infinity' if all that they fitted is here.")));
	if (PG_GETARG_TIMESTAMPTZ(n) > GetCurrentStatementStartTimestamp())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fitted_until is in the future"),
				 errdetail("Slices that are fitted elsewhere later cannot be fitted here: they are adopted when no other copy is fitted any more."),
				 errhint("fitted_until => now()")));
	return PG_GETARG_TIMESTAMPTZ(n);
}

/*
 * In a dump that was restored a column has another number where one before it
 * had been dropped: of the type that it was it is the one of its name, by the
 * superuser's word. Elsewhere its number says which it is.
 */
static void
find_column_again(const PegsSource *source, const PegsGrid *grid)
{
	AttrNumber	attnum = get_attnum(source->relid, grid->column);
	PegsArg		args[2] = {{INT8OID, Int64GetDatum(grid->id), false}, {INT2OID, Int16GetDatum(attnum), false}};
	Oid			type;
	int32		typmod;
	Oid			collation;
	PegsAs		saved;

	if (grid->mark.sequence == grid->mark.kept || attnum < 1 || attnum == grid->attnum)
		return;
	get_atttypetypmodcoll(source->relid, attnum, &type, &typmod, &collation);
	if (getBaseTypeAndTypmod(type, &typmod) != grid->type || typmod != grid->typmod)
		return;
	pegs_begin_as_extension(&saved);
	pegs_spi_now("UPDATE pegs_internal.grid SET attnum = $2 WHERE id = $1", SPI_OK_UPDATE, 2, args);
	pegs_end_as(&saved);
}

/* The mark last: nothing takes it back. */
static void
adopt(Oid account, PegsGrid *grid, TimestampTz until, const char *reason)
{
	char	   *words = pegs_grid_words(grid);
	const char *from = pegs_mark_copied_from(&grid->mark);
	int64		mark;
	int64		used;

	pegs_adopt_mark(account, grid->id, psprintf("slices %s", words), reason);
	mark = pegs_read_mark(&grid->mark);
	used = Max(Max(mark, pegs_recorded_mark(grid)), pegs_grid_complete(grid, until) - grid->base);
	if (used > mark)
		pegs_raise_mark(&grid->mark, mark, used);
	ereport(LOG,
			(errmsg("pegs: the slices %s of table \"%s\" were adopted: %s may be fitted here", words, get_rel_name(account),
					pegs_slices_from(grid, grid->base + used)),
			 errdetail("They were kept %s. Reason given: %s", from ? from : "here", reason)));
}

/* pegs_adopt_slices(source regclass, fitted_until timestamptz, reason text) → void */
PG_FUNCTION_INFO_V1(pegs_adopt_slices);
Datum
pegs_adopt_slices(PG_FUNCTION_ARGS)
{
	PegsSource *source;
	TimestampTz until;
	const char *reason;
	PegsGrid   *grids;
	int			n;

	require_superuser();
	source = pegs_source(pegs_arg_oid(fcinfo, 0, "source"));
	until = until_argument(fcinfo, 1);
	reason = pegs_arg_text(fcinfo, 2, "reason");
	pegs_refuse_read_only();
	grids = pegs_grids_to_change(source, &n);
	for (int i = 0; i < n; i++)
	{
		find_column_again(source, &grids[i]);
		adopt(source->account, &grids[i], until, reason);
	}
	PG_RETURN_VOID();
}
