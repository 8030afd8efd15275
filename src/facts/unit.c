/*
 * unit.c
 *	  The privacy unit: a person, whatever the number of its rows.
 *
 * A unit is declared for a base table. Which rows of a person are counted, and
 * how often, is decided by that person's rows alone; every mechanism then runs
 * as if one person were rows_per_unit rows. Rows without a person are left
 * out, and so are rows with a value that is not declared (undeclared =>
 * 'drop'), before any are chosen. Two ways:
 *
 *	weighting 'row'		at most max_rows rows of each person, each counted once:
 *						the table's own rows, max_rows times the noise
 *	weighting 'person'	each person is counted ROWS_EACH times, its own rows in
 *						turn: a random row of a random person. Counts and noise
 *						are both ROWS_EACH times as large, so the noise is that
 *						of one row, however many rows a person has
 *
 * Claim P10, docs/privacy.md.
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "core/accountant.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/*
 * How often a person is counted where persons weigh equally. A power of two
 * that is well above the rows of most persons: a person of r rows gives each
 * of them 64/r times, rounded down, and the rest to the rows that come first.
 */
#define ROWS_EACH 64

/* Name of the column of `source` that is column `attnum` of its base table, or NULL. */
char *
pegs_column_of_base(const PegsSource *source, AttrNumber attnum)
{
	Relation	rel = table_open(source->relid, AccessShareLock);
	int			natts = RelationGetNumberOfAttributes(rel);

	table_close(rel, NoLock);
	for (AttrNumber i = 1; i <= natts; i++)
	{
		AttrNumber	at;
		char	   *name = get_attname(source->relid, i, true);

		if (name == NULL)
			continue;
		if (pegs_base_column(source, i, &at) && at == attnum)
			return name;
	}
	return NULL;
}

/* What is declared for an account. */
typedef struct Unit
{
	NameData	column;
	AttrNumber	attnum;			/* its number then; 0: not known here (an older version, a restored dump) */
	int			max_rows;
	int			rows_each;		/* 0: rows weigh equally */
} Unit;

/* False if none is declared. As it is now, like the budget: whatever the transaction's snapshot. */
static bool
read_declared(Oid account, Unit *unit)
{
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(account), false};
	bool		found;

	memset(unit, 0, sizeof(*unit));
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("unit", "attnum")
				 ? "SELECT column_name, max_rows, rows_each, CASE WHEN relation = source::pg_catalog.oid THEN attnum END"
				 " FROM pegs_internal.unit WHERE source = $1"
				 : "SELECT column_name, max_rows, NULL::int4, NULL::int2 FROM pegs_internal.unit WHERE source = $1",
				 SPI_OK_SELECT, 1, &arg);
	found = SPI_processed == 1;
	if (found)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Datum		value;

		unit->column = *DatumGetName(SPI_getbinval(row, desc, 1, &isnull));
		unit->max_rows = DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull));
		value = SPI_getbinval(row, desc, 3, &isnull);
		unit->rows_each = isnull ? 0 : DatumGetInt32(value);
		value = SPI_getbinval(row, desc, 4, &isnull);
		unit->attnum = isnull ? 0 : DatumGetInt16(value);
	}
	pegs_end_as(&saved);
	return found;
}

/*
 * False if the account's unit is a row. A row of a table that is bound to a
 * parent is its parent's row's: all parents weigh the same, unless it is
 * declared how many rows of one are read.
 */
static bool
read_unit(Oid account, Unit *unit)
{
	PegsBound	bound;

	if (read_declared(account, unit))
		return true;
	if (!pegs_read_bound(account, &bound) || !bound.is || bound.n != 1 || bound.attnum[0] == InvalidAttrNumber)
		return false;
	namestrcpy(&unit->column, get_attname(account, bound.attnum[0], false));
	unit->attnum = bound.attnum[0];
	unit->max_rows = 1;
	unit->rows_each = ROWS_EACH;
	return true;
}

/* Its column now; by its name, where its number is not known. */
static AttrNumber
number_of(Oid account, const Unit *unit)
{
	return unit->attnum > 0 ? unit->attnum : get_attnum(account, NameStr(unit->column));
}

bool
pegs_has_unit(Oid account, AttrNumber *attnum)
{
	Unit		unit;
	bool		has = read_declared(account, &unit);

	*attnum = has ? number_of(account, &unit) : InvalidAttrNumber;
	return has;
}

/* Statements; another column may have the name now. */
static char *
name_again(Oid account, const Unit *unit, const char *now)
{
	const char *table = pegs_relation_words(account);
	const char *was = quote_identifier(NameStr(unit->column));
	AttrNumber	other = get_attnum(account, NameStr(unit->column));

	return psprintf("%sALTER TABLE %s RENAME COLUMN %s TO %s;", other > 0 ? psprintf("ALTER TABLE %s RENAME COLUMN %s TO \"column %d\"; ", table, was, other) : "",
					table, quote_identifier(now), was);
}

/*
 * A name may be given to another column later: then it is not the unit, and
 * what tells rows apart must be said anew, by somebody who knows.
 */
static void
refuse_another_column(Oid account, const Unit *unit)
{
	char	   *now = pegs_name_of_column(account, unit->attnum);
	char	   *anew = psprintf("SELECT pegs_set_unit(%s, %s%s);", pegs_relation_literal(account), now ? quote_literal_cstr(now) : "'...'",
								unit->rows_each > 0 ? ", weighting => 'person'" : psprintf(", %d", unit->max_rows));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the privacy unit of table \"%s\" is no longer its column \"%s\"", get_rel_name(account), NameStr(unit->column)),
			 now ? errdetail("That column was renamed: it is \"%s\" now.", now) : errdetail("That column was dropped."),
			 now ? errhint("%s gives it that name again, and all is as it was. Or %s what was charged before is of another unit then.", name_again(account, unit, now), anew)
			 : errhint("%s", anew)));
}

/* Fills in source->unit_column, rows_per_unit (1 if no unit is declared) and rows_each. */
void
pegs_load_unit(PegsSource *source)
{
	Unit		unit;
	AttrNumber	attnum;
	bool		declared;

	source->rows_per_unit = 1;
	source->rows_each = 0;
	declared = read_declared(source->account, &unit);
	pegs_check_bound(source, declared, declared ? number_of(source->account, &unit) : InvalidAttrNumber);
	if (!read_unit(source->account, &unit))
		return;
	source->rows_per_unit = unit.rows_each > 0 ? unit.rows_each : unit.max_rows;
	source->rows_each = unit.rows_each;
	attnum = get_attnum(source->account, NameStr(unit.column));
	if (unit.attnum > 0 && attnum != unit.attnum)
		refuse_another_column(source->account, &unit);
	source->unit_column = attnum > 0 ? pegs_column_of_base(source, attnum) : NULL;
	if (source->unit_column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no column for the privacy unit \"%s\" of table \"%s\"", source->name, NameStr(unit.column),
						get_rel_name(source->account)),
				 pegs_is_bound(source->account) ? errhint("Add the column to the view.")
				 : errhint("Add the column to the view, or SELECT pegs_set_unit(%s, NULL); to protect single rows.",
						   pegs_relation_literal(source->account))));
}

/* The source's column that is the unit, or NULL; without a word about one that does not fit. */
char *
pegs_unit_column(const PegsSource *source)
{
	Unit		unit;
	AttrNumber	attnum;

	if (!read_unit(source->account, &unit))
		return NULL;
	attnum = number_of(source->account, &unit);
	return attnum > 0 ? pegs_column_of_base(source, attnum) : NULL;
}

/* What a charge protects, as the ledger tells units apart. */
const char *
pegs_charged_unit(bool person, const char *column)
{
	if (!person)
		return "row";
	return column ? psprintf("person: %s", column) : "person";
}

/* What the unit is, in the words of certificates. */
const char *
pegs_unit_words(int rows_per_unit, int rows_each)
{
	if (rows_each > 0)
		return psprintf("a person, whatever the number of rows (all weigh the same: each is counted %d times, its own rows in turn)",
						rows_each);
	return psprintf("a person, whatever the number of rows (at most %d are read)", rows_per_unit);
}

/* Measures compare rows: where persons weigh the same in the models, a part of the difference is that. Law L10. */
void
pegs_say_weighting(const PegsSource *source)
{
	Unit		unit;

	if (read_unit(source->account, &unit) && unit.rows_each > 0)
		ereport(NOTICE,
				(errmsg("all rows of %s are compared, and in models of it alone all persons weigh the same", source->name),
				 errdetail("Where persons with many rows differ from those with few, a part of the difference is this."),
				 errhint("Compare with a view that has one row of each person.")));
}

/* ---- declaring ---- */

/* The column of the base table that says whose row it is. */
static void
check_column(Oid account, const char *name)
{
	AttrNumber	attnum = get_attnum(account, name);

	if (attnum < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of table \"%s\" does not exist", pegs_clipped(name), get_rel_name(account)),
				 errhint("Name the column of the base table that says whose row it is.")));
	if (!OidIsValid(lookup_type_cache(get_atttype(account, attnum), TYPECACHE_LT_OPR)->lt_opr))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" cannot be sorted and cannot be a privacy unit", name),
				 errhint("Use a number, a text or a uuid.")));
}

/* Do persons weigh equally? */
static bool
persons_weigh_equally(const char *weighting)
{
	if (weighting == NULL || (strcmp(weighting, "row") != 0 && strcmp(weighting, "person") != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weighting must be 'row' or 'person'"),
				 errdetail("'row': at most max_rows rows of a person, max_rows times the noise. 'person': all persons weigh the same, the noise of one row."),
				 errhint("weighting => 'person'")));
	return strcmp(weighting, "person") == 0;
}

static bool
weighting_argument(FunctionCallInfo fcinfo, int n)
{
	return persons_weigh_equally(PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n)));
}

static int
checked_max_rows(int max_rows, bool persons)
{
	if (max_rows < 1 || max_rows > PEGS_MOST_ROWS_PER_UNIT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_rows must be between 1 and %d", PEGS_MOST_ROWS_PER_UNIT),
				 errdetail("The noise of every table is max_rows times that of one row; the rest of a person's rows is left out."),
				 errhint("Start with 1; weighting => 'person' uses all rows at the noise of one. SELECT * FROM pegs_unit_cost(epsilon => 1, delta => 1e-9);")));
	if (persons && max_rows != 1)
	{
		ereport(NOTICE,
				(errmsg("max_rows has no effect with weighting => 'person'"),
				 errdetail("Each person weighs the same, whatever the number of rows.")));
		return 1;
	}
	return max_rows;
}

/*
 * Every other column says: rows, or persons as that column tells them apart.
 * One that was renamed is another, too: the ledger tells units apart by name.
 */
static bool
same_unit(bool had, const Unit *old, bool has, const Unit *new)
{
	if (!had || !has)
		return had == has;
	return strcmp(NameStr(old->column), NameStr(new->column)) == 0 && (old->attnum == 0 || old->attnum == new->attnum);
}

/* column NULL: back to rows; persons: all weigh the same */
static void
set_unit(PegsSource *source, const char *column, int max_rows, bool persons)
{
	NameData	name = {{0}};
	AttrNumber	attnum = column ? get_attnum(source->account, column) : 0;
	Unit		old;
	Unit		new;
	bool		had;
	bool		has;
	PegsAs		saved;
	PegsArg		args[3] = {
		{REGCLASSOID, ObjectIdGetDatum(source->account), false},
		{NAMEOID, NameGetDatum(&name), column == NULL},
		{INT4OID, Int32GetDatum(max_rows), false}
	};
	PegsArg		more[3] = {
		args[0],
		{INT4OID, Int32GetDatum(ROWS_EACH), !persons},
		{INT2OID, Int16GetDatum(attnum), false}
	};

	if (column)
		namestrcpy(&name, column);
	pegs_refuse_another_unit(source, attnum);
	if (column == NULL && !read_declared(source->account, &old) && pegs_is_bound(source->account))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is bound to another table: a row of that one is the privacy unit, whatever is declared here", source->name),
				 errhint("SELECT pegs_set_parent(%s, NULL); lets it go, while nothing is spent.", pegs_relation_literal(source->account))));
	had = read_unit(source->account, &old);
	pegs_begin_as_extension(&saved);
	if (column == NULL)
		pegs_spi_now("DELETE FROM pegs_internal.unit WHERE source = $1", SPI_OK_DELETE, 1, args);
	else
		pegs_spi_now("INSERT INTO pegs_internal.unit (source, column_name, max_rows) VALUES ($1, $2, $3)"
				 " ON CONFLICT (source) DO UPDATE SET column_name = excluded.column_name, max_rows = excluded.max_rows",
				 SPI_OK_INSERT, 3, args);
	if (column && pegs_keeps("unit", "attnum"))
		pegs_spi_now("UPDATE pegs_internal.unit SET rows_each = $2, attnum = $3, relation = $1::pg_catalog.oid WHERE source = $1",
				 SPI_OK_UPDATE, 3, more);
	pegs_end_as(&saved);
	if (max_rows > 1)
		ereport(NOTICE,
				(errmsg("the noise of every table of a fit is now %d times that of one row", max_rows),
				 errhint("Start with max_rows => 1; weighting => 'person' costs the noise of one row. SELECT * FROM pegs_unit_cost(epsilon => 1, delta => 1e-9);")));
	has = read_unit(source->account, &new);
	if (!same_unit(had, &old, has, &new) && pegs_note_unit(source->account))
		ereport(NOTICE,
				(errmsg("the privacy unit of %s changes after charges were made", source->name),
				 errdetail("What was spent before protects another unit: pegs_budgets shows one sum, which is a guarantee of neither (mixed_units)."),
				 had && has && old.attnum > 0 && old.attnum == new.attnum
				 ? errhint("It is the same column, renamed: ROLLBACK; and %s keeps one unit. In a new transaction it is too late.", name_again(source->account, &old, column))
				 : errhint("Declare the unit before the first charge.")));
}

void
pegs_declare_unit(PegsSource *source, const char *column, int max_rows, const char *weighting)
{
	bool		persons = persons_weigh_equally(weighting);

	check_column(source->account, column);
	set_unit(source, column, checked_max_rows(max_rows, persons), persons);
}

/*
 * pegs_set_unit(source regclass, column_name name, max_rows int DEFAULT 1) and
 * pegs_set_unit(source regclass, column_name name, max_rows int, weighting text);
 * a NULL column goes back to single rows
 */
PG_FUNCTION_INFO_V1(pegs_set_unit);
Datum
pegs_set_unit(PG_FUNCTION_ARGS)
{
	PegsSource *source = (PG_ARGISNULL(1) ? pegs_curated_unread : pegs_curated_source) (pegs_arg_oid(fcinfo, 0, "source"), "declare its privacy unit");
	char	   *column = PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1));
	bool		persons = false;
	int			max_rows = 1;

	if (column)
	{
		check_column(source->account, column);
		if (PG_NARGS() > 3)
			persons = weighting_argument(fcinfo, 3);
		max_rows = checked_max_rows(PG_ARGISNULL(2) ? 0 : PG_GETARG_INT32(2), persons);
	}
	set_unit(source, column, max_rows, persons);
	PG_RETURN_VOID();
}

/* pegs_set_unit(source regclass, column_name name, weighting text) */
PG_FUNCTION_INFO_V1(pegs_set_unit_weighting);
Datum
pegs_set_unit_weighting(PG_FUNCTION_ARGS)
{
	PegsSource *source = (PG_ARGISNULL(1) ? pegs_curated_unread : pegs_curated_source) (pegs_arg_oid(fcinfo, 0, "source"), "declare its privacy unit");
	char	   *column = PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1));

	if (column)
		check_column(source->account, column);
	set_unit(source, column, 1, weighting_argument(fcinfo, 2));
	PG_RETURN_VOID();
}
