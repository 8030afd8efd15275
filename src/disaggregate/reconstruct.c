/*
 * reconstruct.c
 *	  What do averages that somebody means to publish give away? pegs_reconstruct.
 *
 * Not private: it computes the averages of the confidential rows, guesses every
 * row's value from them, and compares with the truth. Curators only.
 */
#include "disaggregate/disaggregate.h"
#include "codes/codes.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#define MAX_TABLES 16
#define METHODS_HINT "methods => ARRAY['mean', 'er']"
#define MAX_LUDIA 64		/* terms: its rank is no more then */

static void
put_measure(ReturnSetInfo *result, const char *method, const char *measure, double value)
{
	Datum		values[4] = {(Datum) 0, CStringGetTextDatum(measure), Float8GetDatum(value), CStringGetTextDatum("none")};
	bool		nulls[4] = {method == NULL, false, isnan(value), false};

	if (method)
		values[0] = CStringGetTextDatum(method);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
wrong_groups(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("groups must be an array of columns, or an array of such arrays, at most %d", MAX_TABLES),
			 errhint("groups => '[\"county\"]', or of several tables '[[\"county\"], [\"hospital\", \"year\"]]'")));
}

/* ["a", "b"]: one table; [["a"], ["b"]]: several */
static void
take_groups(PegsIndividuals *all, const Jsonb *groups)
{
	JsonbIterator *it = JsonbIteratorInit(unconstify(JsonbContainer *, &groups->root));
	JsonbValue	item;
	JsonbIteratorToken token;
	int			depth = 0;
	int			deepest = 0;

	all->level = palloc0(sizeof(PegsGrouping) * MAX_TABLES);
	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_OBJECT || (token == WJB_BEGIN_ARRAY && item.val.array.rawScalar))
			wrong_groups();
		if (token == WJB_BEGIN_ARRAY && ++depth == 2)
		{
			if (all->nlevels == MAX_TABLES || (deepest == 1 && all->nlevels > 0))
				wrong_groups();
			deepest = 2;
			all->nlevels++;
		}
		else if (token == WJB_END_ARRAY)
			depth--;
		else if (token == WJB_ELEM)
		{
			if (item.type != jbvString || depth > 2 || (depth == 1 && deepest == 2))
				wrong_groups();
			if (depth == 1)
				deepest = all->nlevels = 1;
			all->level[all->nlevels - 1].on = lappend(all->level[all->nlevels - 1].on, pegs_json_key(&item));
		}
	}
	for (int l = 0; l < all->nlevels; l++)
		if (all->level[l].on == NIL)
			wrong_groups();
	if (all->nlevels == 0)
		wrong_groups();
}

/* All columns that are read: what the caller must be allowed to read. */
static const PegsReading *
reading_of(const PegsSource *source, const PegsIndividuals *all)
{
	List	   *names = lappend(list_copy(all->columns), all->value);
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	ListCell   *cell;

	for (int l = 0; l < all->nlevels; l++)
		names = list_concat(names, list_copy(all->level[l].on));
	domain->column = palloc0(sizeof(PegsColumn) * list_length(names));
	foreach(cell, names)
	{
		if (get_attnum(source->relid, lfirst(cell)) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("%s has no column \"%s\"", source->name, (char *) lfirst(cell)),
					 errhint("Its columns are: %s.", pegs_columns_it_has(source->relid))));
		domain->column[domain->ncols++].name = lfirst(cell);
	}
	return pegs_reading_source(source, domain);
}

/* Rows that are alone in a group of any table: their average is their value. */
static double
alone(const PegsIndividuals *all)
{
	double		rows = 0;

	for (uint64 i = 0; i < all->all.rows; i++)
	{
		bool		is_alone = false;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 l = 0; l < all->all.nlevels; l++)
			is_alone |= all->all.level[l].size[all->all.level[l].of[i]] == 1;
		rows += is_alone;
	}
	return rows;
}

/* A method that cannot be asked of so many terms: the others can. */
static void
put_unknown(ReturnSetInfo *result, const char *method)
{
	put_measure(result, method, "mae", NAN);
	put_measure(result, method, "mse", NAN);
	put_measure(result, method, "r2", NAN);
	put_measure(result, method, "within_10", NAN);
}

static void
compare(ReturnSetInfo *result, const PegsIndividuals *all, const char *method, const double *y)
{
	double		n = (double) all->all.rows;
	double		mean = 0;
	double		variance = 0;
	double		absolute = 0;
	double		square = 0;
	double		within = 0;

	for (uint64 i = 0; i < all->all.rows; i++)
		mean += (all->truth[i] - mean) / (double) (i + 1);
	for (uint64 i = 0; i < all->all.rows; i++)
	{
		double		off = fabs(y[i] - all->truth[i]);

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		absolute += off / n;
		square += off * off / n;
		variance += (all->truth[i] - mean) * (all->truth[i] - mean) / n;
		within += off <= 0.1 * fabs(all->truth[i]);
	}
	put_measure(result, method, "mae", absolute);
	put_measure(result, method, "mse", square);
	/* of values that are all the same there is nothing to explain */
	put_measure(result, method, "r2", variance > 0 ? 1 - square / variance : NAN);
	put_measure(result, method, "within_10", within / n);
}

/* pegs_reconstruct(source regclass, value name, groups jsonb, columns name[], methods text[]) → (method, measure, value, guarantee) */
PG_FUNCTION_INFO_V1(pegs_reconstruct);
Datum
pegs_reconstruct(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "try what its averages give away");
	PegsIndividuals all = {.value = pegs_arg_column(fcinfo, 1, "value", "cost"), .any_factor = true};
	int			n;
	char	  **methods;
	ReturnSetInfo *result;
	double		smallest = NAN;
	bool		skip;

	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("groups must not be null"),
				 errhint("groups => '[\"county\"]'")));
	take_groups(&all, PG_GETARG_JSONB_P(2));
	all.columns = pegs_arg_names(fcinfo, 3, "columns");
	methods = pegs_arg_texts(fcinfo, 4, "methods", &n);
	for (int i = 0; i < n; i++)
		(void) pegs_guess_method(methods[i], METHODS_HINT);
	result = pegs_materialize(fcinfo, false);
	all.reading = reading_of(source, &all);
	pegs_read_individuals(&all);
	for (uint32 l = 0; l < all.all.nlevels && all.all.rows > 0; l++)
		for (uint32 g = 0; g < all.all.level[l].n; g++)
			smallest = fmin(smallest, all.all.level[l].size[g]);
	put_measure(result, NULL, "rows", (double) all.all.rows);
	put_measure(result, NULL, "exact", alone(&all));
	put_measure(result, NULL, "smallest_group", smallest);
	for (int i = 0; i < n && all.all.rows > 0; i++)
	{
		PegsGuess	guess = pegs_guess_options(NULL, &skip);
		double	   *y;

		guess.method = pegs_guess_method(methods[i], METHODS_HINT);
		guess.classes = Min(guess.classes, all.all.level[0].n);
		if (guess.classes < 2 && strcmp(guess.method, "cudia") == 0)
			guess.method = "mean";
		if (strcmp(guess.method, "ludia") == 0 && all.all.m > MAX_LUDIA)
		{
			put_unknown(result, methods[i]);
			continue;
		}
		y = pegs_guess(&all, &guess);
		compare(result, &all, methods[i], y);
		pfree(y);
	}
	PG_RETURN_NULL();
}
