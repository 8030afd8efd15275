/*
 * combine.c
 *	  Inference from several fully synthetic tables: pegs_combine.
 *
 * Raghunathan, Reiter and Rubin's rules (2003). It sees
 * estimates that were made from released rows: nothing private.
 */
#include "measures/measures.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define MAX_TABLES 100000

static void
too_many(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s are too many", name),
			 errdetail("At most %d synthetic tables are combined.", MAX_TABLES),
			 errhint("A few tables are enough; more than a hundred change little.")));
}

static float8 *
numbers(FunctionCallInfo fcinfo, int n, const char *name, int *count)
{
	Datum	   *items;
	bool	   *nulls;
	float8	   *result;

	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("One number for each synthetic table: %s => ARRAY[1.2, 1.4, 1.3]", name)));
	/* known before the value is fetched and unpacked */
	if (toast_raw_datum_size(PG_GETARG_DATUM(n)) > MAX_TABLES * sizeof(float8) + 1024)
		too_many(name);
	pegs_require_flat(PG_GETARG_ARRAYTYPE_P(n), name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &items, &nulls, count);
	if (*count > MAX_TABLES)
		too_many(name);
	result = palloc(sizeof(float8) * (*count + 1));
	for (int i = 0; i < *count; i++)
	{
		result[i] = nulls[i] ? NAN : DatumGetFloat8(items[i]);
		if (!isfinite(result[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must hold finite numbers only", name),
					 errhint("One number for each synthetic table, no NULL.")));
	}
	return result;
}

/*
 * pegs_combine(estimates float8[], variances float8[])
 * → (estimate, between, within, variance, warning): q-bar, b, v-bar, T_s = (1 + 1/K) b - v-bar
 */
PG_FUNCTION_INFO_V1(pegs_combine);
Datum
pegs_combine(PG_FUNCTION_ARGS)
{
	int			k;
	int			kv;
	float8	   *q = numbers(fcinfo, 0, "estimates", &k);
	float8	   *v = numbers(fcinfo, 1, "variances", &kv);
	float8		mean = 0;
	float8		between = 0;
	float8		within = 0;
	float8		total;
	TupleDesc	desc;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (k != kv || k < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("pegs_combine needs as many variances as estimates, and at least two"),
				 errdetail("There are %d estimates and %d variances.", k, kv),
				 errhint("Fit the same model to several synthetic tables; one estimate and its squared standard error each.")));
	for (int i = 0; i < k; i++)
	{
		if (v[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a variance is negative"),
					 errhint("Variances are squared standard errors.")));
		mean += q[i] / k;
		within += v[i] / k;
	}
	for (int i = 0; i < k; i++)
		between += (q[i] - mean) * (q[i] - mean) / (k - 1);
	total = (1 + 1.0 / k) * between - within;
	if (!isfinite(mean) || !isfinite(total))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the estimates or variances are too large to be combined"),
				 errhint("Take a larger unit.")));
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Float8GetDatum(mean);
	values[1] = Float8GetDatum(between);
	values[2] = Float8GetDatum(within);
	values[3] = Float8GetDatum(total);
	nulls[4] = total >= 0;
	if (total < 0)
		values[4] = CStringGetTextDatum("the variance came out negative: the tables are too few or too alike; use more of them, or (1 + 1/K) b as an upper bound");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
