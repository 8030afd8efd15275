/*
 * taken.c
 *	  A table becomes private whose rows were taken as public before: by lookup
 *	  tables that it is, or that lead to it.
 *
 * Nothing can take back what models have of it. Whoever makes it private is
 * told which they are, and pegs_health tells whoever asks later, also where a
 * foreign key was added since; the next use of such a lookup table is refused
 * where it is asked for (facts/lookup.c). What belongs to others is not named.
 * Laws L9, L10.
 */
#include "budget/budget.h"
#include "source/source.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

/* A declared fact that takes rows of a lookup table. */
typedef struct Use
{
	Oid			source;
	Oid			lookup;
	char	   *column;
	bool		steps;			/* of its hierarchy */
} Use;

/* All that are declared. */
static List *
uses(void)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *all = NIL;
	PegsAs		saved;
	MemoryContext old;

	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("hierarchy", NULL)
				 ? "SELECT source::pg_catalog.oid, lookup::pg_catalog.oid, column_name, false FROM pegs_internal.fact WHERE lookup IS NOT NULL UNION"
				 " SELECT source::pg_catalog.oid, l.o::pg_catalog.oid, column_name, true FROM pegs_internal.hierarchy, unnest(lookups) AS l (o) ORDER BY 1, 3, 2, 4"
				 : "SELECT source::pg_catalog.oid, lookup::pg_catalog.oid, column_name, false FROM pegs_internal.fact WHERE lookup IS NOT NULL ORDER BY 1, 3, 2",
				 SPI_OK_SELECT, 0, NULL);
	old = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Use		   *use = palloc(sizeof(Use));
		bool		isnull;

		use->source = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		use->lookup = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull));
		use->column = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3);
		use->steps = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 4, &isnull));
		all = lappend(all, use);
	}
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	return all;
}

/* Of tables that are there, and lead to this one or are it. */
static List *
uses_of(Oid table)
{
	List	   *of = NIL;
	Oid			asked = InvalidOid;
	bool		leads = false;
	ListCell   *cell;

	foreach(cell, uses())
	{
		Use		   *use = lfirst(cell);

		if (get_rel_name(use->lookup) == NULL || get_rel_name(use->source) == NULL || use->source == table)
			continue;
		if (use->lookup != asked)
			leads = pegs_is_or_leads_to(use->lookup, table);
		asked = use->lookup;
		if (leads)
			of = lappend(of, use);
	}
	return of;
}

static void
add_name(StringInfo names, const char *name)
{
	appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "", name);
}

/* Of the caller's tables (a file's are of another server), those that say that they took rows of these tables (qualified names). *others: there are more. */
static char *
models_of(List *tables, bool *others)
{
	MemoryContext context = CurrentMemoryContext;
	Datum	   *words = palloc(sizeof(Datum) * (list_length(tables) + 1));
	List	   *names = NIL;
	List	   *accounts = NIL;
	StringInfoData own;
	PegsAs		saved;
	PegsArg		arg;
	MemoryContext old;
	int			n = 0;
	ListCell   *cell;
	ListCell   *account;

	initStringInfo(&own);
	foreach(cell, tables)
		words[n++] = CStringGetTextDatum(pegs_relation_words(lfirst_oid(cell)));
	arg = (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(words, n, TEXTOID, -1, false, TYPALIGN_INT)), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT name, account::pg_catalog.oid FROM pegs_internal.model WHERE lookups && $1 AND name IS NOT NULL AND account::pg_catalog.oid <> 0 ORDER BY name", SPI_OK_SELECT, 1, &arg);
	old = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		names = lappend(names, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
		accounts = lappend_oid(accounts, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull)));
	}
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	forboth(cell, names, account, accounts)
		if (pegs_is_curator(lfirst_oid(account)))
			add_name(&own, psprintf("\"%s\"", pegs_clipped(lfirst(cell))));
		else
			*others = true;
	return own.data;
}

/* A WARNING, if so: of a table that has just become private. */
void
pegs_warn_of_taken(Oid table)
{
	List	   *tables = NIL;
	StringInfoData columns;
	char	   *repair = NULL;
	char	   *models = "";
	bool		others = false;
	const Use  *before = NULL;
	ListCell   *cell;

	initStringInfo(&columns);
	foreach(cell, uses_of(table))
	{
		Use		   *use = lfirst(cell);

		tables = list_append_unique_oid(tables, use->lookup);
		/* a column whose levels and hierarchy are of it is named once */
		if (before && before->source == use->source && before->lookup == use->lookup && strcmp(before->column, use->column) == 0)
			continue;
		before = use;
		if (!pegs_is_curator(use->source))
		{
			others = true;
			continue;
		}
		add_name(&columns, psprintf("\"%s\" for column \"%s\" of \"%s\"", get_rel_name(use->lookup), use->column, get_rel_name(use->source)));
		if (repair == NULL)
			repair = psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']); declares levels by what is public.", pegs_relation_literal(use->source), quote_literal_cstr(use->column));
	}
	if (tables == NIL)
		return;
	if (pegs_keeps("model", "lookups"))
		models = models_of(tables, &others);
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("table \"%s\" is private now, and rows about its rows were taken as public: %s%s", get_rel_name(table), columns.data,
					!others ? "" : columns.len > 0 ? ", and by other roles" : "by other roles"),
			 errdetail("%sNo account has paid for them. From now on such a lookup table is refused.",
					   *models ? psprintf("Models have them exactly: %s. ", models) : ""),
			 errhint("%s%s", *models ? "Drop these models, and what was made of them, if those rows are not public. " : "",
					 repair ? repair : "Ask who declared them.")));
}

/* ---- for pegs_health ---- */

/* The private table that the rows of its lookup table are of, or lead to; InvalidOid: none. Tables are neither opened nor locked. */
static Oid
persons_of(const Use *use)
{
	Oid			account = pegs_topmost(use->source);
	Oid			whole = pegs_topmost(use->lookup);

	if (whole == account || pegs_has_account(whole, use->lookup))
		return whole;
	return pegs_leads_to_persons(use->lookup, account);
}

/* What ends that, and is run as it is. */
static char *
without(const Use *use)
{
	const char *of = psprintf("%s, %s", pegs_relation_literal(use->source), quote_literal_cstr(use->column));

	return use->steps ? psprintf("SELECT pegs_set_hierarchy(%s, NULL); %s", of, pegs_comment("or declare it by what is public; and drop the models that have those rows"))
		: psprintf("SELECT pegs_leave_out(%s); %s", of, pegs_comment("or declare its levels by what is public: pegs_set_levels; and drop the models that have those rows"));
}

/* pegs_internal.taken(OUT source regclass, OUT column_name name, OUT lookup regclass, OUT persons text, OUT remedy text) → set of those, to their curators */
PG_FUNCTION_INFO_V1(pegs_taken_sql);
Datum
pegs_taken_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	ListCell   *cell;

	foreach(cell, uses())
	{
		const Use  *use = lfirst(cell);
		Datum		values[5];
		bool		nulls[5] = {false};
		Oid			persons;

		CHECK_FOR_INTERRUPTS();
		/* what was declared of a column that was dropped stays */
		if (get_rel_name(use->lookup) == NULL || get_rel_name(use->source) == NULL || !pegs_is_curator(use->source) || get_attnum(use->source, use->column) <= 0)
			continue;
		persons = persons_of(use);
		if (!OidIsValid(persons))
			continue;
		values[0] = ObjectIdGetDatum(use->source);
		values[1] = DirectFunctionCall1(namein, CStringGetDatum(use->column));
		values[2] = ObjectIdGetDatum(use->lookup);
		values[3] = CStringGetTextDatum(pegs_private_words(persons));
		values[4] = CStringGetTextDatum(without(use));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
