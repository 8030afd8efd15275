/*
 * dirichlet.c
 *	  The multinomial-Dirichlet synthesizer as numbers: pegs_dirichlet_matrix,
 *	  pegs_dirichlet_risk, pegs_dirichlet_validity, pegs_dirichlet_alpha.
 *
 * They look at no table and charge nothing: arithmetic on their arguments, for
 * everybody. It must never find the alpha that a mechanism draws with.
 */
#include "measures/measures.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/dirichlet.h"
#include "core/epsilon.h"

#define MAX_CELLS (1 << 20)
#define MAX_COUNTS (2 * MAX_CELLS)	/* cells times categories: what the answer holds, or is looked at */
#define MAX_ALPHA 1e15

/* ---- arguments ---- */

static int
whole_argument(FunctionCallInfo fcinfo, int n, const char *name, int least)
{
	int			value;

	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("Give a value: %s => 5", name)));
	value = PG_GETARG_INT32(n);
	if (value < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least %d, not %d", name, least, value),
				 errhint("Abowd's example: k => 2, alpha => 0.5, n => 5, m => 5")));
	return value;
}

static float8
alpha_argument(FunctionCallInfo fcinfo, int n)
{
	float8		alpha;

	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("alpha must not be null"),
				 errhint("Give a value: alpha => 0.5")));
	alpha = PG_GETARG_FLOAT8(n);
	if (!(alpha > 0 && alpha <= MAX_ALPHA))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("alpha must be above 0 and at most 1e15"),
				 errhint("Abowd's example: alpha => 0.5")));
	return alpha;
}

/* One of two words: is it the second? */
static bool
second_word(FunctionCallInfo fcinfo, int n, const char *name, const char *first, const char *second)
{
	char	   *word = pegs_arg_text(fcinfo, n, name);

	if (strcmp(word, first) != 0 && strcmp(word, second) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be %s or %s, not \"%s\"", name, first, second, pegs_clipped(word)),
				 errhint("%s => '%s'", name, first)));
	return strcmp(word, second) == 0;
}

/* The first four arguments of three functions, and `draw`. */
static pegs_dirichlet
arguments(FunctionCallInfo fcinfo, int draw)
{
	pegs_dirichlet d = {0};

	d.k = (uint32) whole_argument(fcinfo, 0, "k", 2);
	d.alpha = alpha_argument(fcinfo, 1);
	d.n = (uint32) whole_argument(fcinfo, 2, "n", 0);
	d.m = (uint32) whole_argument(fcinfo, 3, "m", 1);
	d.plug_in = second_word(fcinfo, draw, "draw", "urn", "plug-in");
	return d;
}

static void
check_size(const pegs_dirichlet *d, const char *rows, uint64 tables, uint64 releases)
{
	double		cells = (double) tables * (double) releases;

	if (cells > MAX_CELLS || cells * d->k > MAX_COUNTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the matrix has too many cells"),
				 errdetail("%s: %.0f cells of %u categories. At most %d cells, and %d cells times categories.",
						   rows, cells, d->k, MAX_CELLS, MAX_COUNTS),
				 errhint("Take a smaller k, n or m: k => 2, n => 100, m => 100")));
}

static void
check_matrix(const pegs_dirichlet *d)
{
	uint64		tables = pegs_tables_of(d->k, d->n);
	uint64		releases = pegs_tables_of(d->k, d->m);

	check_size(d, psprintf(UINT64_FORMAT " tables of n rows times " UINT64_FORMAT " of m", tables, releases), tables, releases);
}

static void
begin(pegs_dirichlet *d)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	pegs_dirichlet_init(&env, d);
}

static Datum
counts_datum(const pegs_dirichlet *d, const uint32_t *counts)
{
	Datum	   *items = palloc(sizeof(Datum) * d->k);

	for (uint32 i = 0; i < d->k; i++)
		items[i] = Int64GetDatum(counts[i]);
	return PointerGetDatum(construct_array(items, (int) d->k, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- the matrix ---- */

static void
put_row(const pegs_dirichlet *d, const uint32_t *counts, ReturnSetInfo *result, MemoryContext scratch)
{
	MemoryContext old = CurrentMemoryContext;
	uint32_t   *drawn = palloc(sizeof(uint32_t) * d->k);

	pegs_first_table(d->k, d->m, drawn);
	do
	{
		Datum		values[3];
		bool		nulls[3] = {false};

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(scratch);
		values[0] = counts_datum(d, counts);
		values[1] = counts_datum(d, drawn);
		values[2] = Float8GetDatum(exp(pegs_dirichlet_ln(d, counts, drawn)));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	} while (pegs_next_table(d->k, drawn));
	pfree(drawn);
}

/* pegs_dirichlet_matrix(k int, alpha float8, n int, m int, draw text DEFAULT 'urn') → (counts, drawn, probability) */
PG_FUNCTION_INFO_V1(pegs_dirichlet_matrix);
Datum
pegs_dirichlet_matrix(PG_FUNCTION_ARGS)
{
	pegs_dirichlet d = arguments(fcinfo, 4);
	ReturnSetInfo *result;
	MemoryContext scratch;
	uint32_t   *counts;

	check_matrix(&d);
	result = pegs_materialize(fcinfo, false);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs row of a matrix", ALLOCSET_SMALL_SIZES);
	begin(&d);
	counts = palloc(sizeof(uint32_t) * d.k);
	pegs_first_table(d.k, d.n, counts);
	do
		put_row(&d, counts, result, scratch);
	while (pegs_next_table(d.k, counts));
	return (Datum) 0;
}

/* ---- risk ---- */

static void
put_measure(ReturnSetInfo *result, const char *measure, double value)
{
	Datum		values[2];
	bool		nulls[2] = {false};

	values[0] = CStringGetTextDatum(measure);
	values[1] = Float8GetDatum(value);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* pegs_dirichlet_risk(k int, alpha float8, n int, m int, epsilon float8 DEFAULT NULL, draw text DEFAULT 'urn') → (measure, value) */
PG_FUNCTION_INFO_V1(pegs_dirichlet_risk_sql);
Datum
pegs_dirichlet_risk_sql(PG_FUNCTION_ARGS)
{
	pegs_dirichlet d = arguments(fcinfo, 5);
	int64		epsilon = pegs_arg_epsilon(fcinfo, 4, "epsilon");
	ReturnSetInfo *result;
	pegs_dirichlet_risk risk;
	pegs_env	env;

	check_matrix(&d);
	result = pegs_materialize(fcinfo, false);
	begin(&d);
	env = pegs_env_in(CurrentMemoryContext);
	risk = pegs_dirichlet_risk_of(&env, &d, epsilon == 0 ? -1 : (double) epsilon / (double) PEGS_EPSILON_UNIT);
	put_measure(result, "epsilon", risk.epsilon);
	if (epsilon == 0)
		return (Datum) 0;
	put_measure(result, "delta_joint", risk.joint);
	put_measure(result, "delta_worst", risk.worst);
	put_measure(result, "delta_tight", risk.tight);
	return (Datum) 0;
}

/* ---- validity ---- */

/* counts NULL: all tables, each as often as it has weight. */
static void
put_validity(const pegs_dirichlet *d, ReturnSetInfo *result, const uint32_t *counts, double weight, const pegs_dirichlet_validity *v)
{
	Datum		values[6];
	bool		nulls[6] = {false};

	nulls[0] = counts == NULL;
	values[0] = counts ? counts_datum(d, counts) : (Datum) 0;
	values[1] = Float8GetDatum(weight);
	values[2] = Float8GetDatum(v->expected);
	values[3] = Float8GetDatum(v->bias);
	values[4] = Float8GetDatum(v->variance);
	values[5] = Float8GetDatum(v->mse);
	nulls[3] = nulls[5] = d->n == 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * pegs_dirichlet_validity(k int, alpha float8, n int, m int, draw text DEFAULT 'urn', weights text DEFAULT 'binomial')
 * → (counts, weight, expected, bias, variance, mse)
 */
PG_FUNCTION_INFO_V1(pegs_dirichlet_validity_sql);
Datum
pegs_dirichlet_validity_sql(PG_FUNCTION_ARGS)
{
	pegs_dirichlet d = arguments(fcinfo, 4);
	bool		by_prior = second_word(fcinfo, 5, "weights", "binomial", "dirichlet");
	pegs_dirichlet_validity all = {0};
	pegs_dirichlet prior = {.k = d.k, .alpha = d.alpha, .n = 0, .m = d.n};	/* an urn of it alone draws a table */
	ReturnSetInfo *result;
	uint32_t   *counts;
	uint32_t   *empty;
	double		weights = 0;

	check_matrix(&d);
	result = pegs_materialize(fcinfo, false);
	begin(&d);
	begin(&prior);
	counts = palloc(sizeof(uint32_t) * d.k);
	empty = palloc0(sizeof(uint32_t) * d.k);
	pegs_first_table(d.k, d.n, counts);
	do
	{
		pegs_dirichlet_validity v = pegs_dirichlet_validity_of(&d, counts);
		double		weight = exp(by_prior ? pegs_dirichlet_ln(&prior, empty, counts) : pegs_ln_alike(&d, counts));

		CHECK_FOR_INTERRUPTS();
		put_validity(&d, result, counts, weight, &v);
		weights += weight;
		all.expected += weight * v.expected;
		all.bias += weight * v.bias;
		all.variance += weight * v.variance;
		all.mse += weight * v.mse;
	} while (pegs_next_table(d.k, counts));
	put_validity(&d, result, NULL, weights, &all);
	return (Datum) 0;
}

/* ---- the other way round ---- */

/* pegs_dirichlet_alpha(epsilon float8, delta float8, m bigint, tables int DEFAULT 1) → float8 */
PG_FUNCTION_INFO_V1(pegs_dirichlet_alpha);
Datum
pegs_dirichlet_alpha(PG_FUNCTION_ARGS)
{
	int64		epsilon = pegs_arg_epsilon(fcinfo, 0, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 1, "delta");
	int64		m = PG_ARGISNULL(2) ? 0 : pegs_arg_count(fcinfo, 2, "m");
	int			tables = whole_argument(fcinfo, 3, "tables", 1);
	uint64_t	alpha = PG_UINT64_MAX;
	uint64_t	other = PG_UINT64_MAX;

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("For example: epsilon => 1")));
	if (m == 0 && delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("m must not be null without delta"),
				 errdetail("The alpha of an urn grows with the rows that are drawn; with delta it need not."),
				 errhint("m => 1000, or delta => 1e-9")));
	if ((m == 0 || pegs_alpha_urn(epsilon, (uint64) tables, (uint64) m, 1, &alpha) != PEGS_OK) && delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for so many rows"),
				 errdetail("No alpha of 64 bits is large enough."),
				 errhint("Draw fewer rows, or with more epsilon: epsilon => 1, m => 1000")));
	if (delta > 0 && pegs_alpha_urn_renyi(epsilon, delta, (uint64) tables, 1, &other) != PEGS_OK && alpha == PG_UINT64_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for so many tables"),
				 errdetail("No alpha of 64 bits is large enough."),
				 errhint("Take more epsilon: epsilon => 1")));
	PG_RETURN_FLOAT8(ldexp((double) Min(alpha, other), -PEGS_ALPHA_BITS));
}
