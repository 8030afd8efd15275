/*
 * unit_cost.c
 *	  What a privacy unit costs: the noise of each way to declare it.
 */
#include "facts/facts.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/accountant.h"

/*
 * pegs_unit_cost(epsilon float8, delta float8) → (weighting text, max_rows int, noise float8, in_words text)
 *
 * The standard deviation of the noise in each count of one table on which all
 * of epsilon is spent. Arithmetic on its arguments: no table is looked at.
 */
PG_FUNCTION_INFO_V1(pegs_unit_cost);
Datum
pegs_unit_cost(PG_FUNCTION_ARGS)
{
	static const int most[] = {0, 1, 2, 3, 5, 10, 20, 50, 100};
	int64		epsilon = pegs_arg_epsilon(fcinfo, 0, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 1, "delta");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("SELECT * FROM pegs_unit_cost(epsilon => 1, delta => 1e-9);")));
	for (size_t i = 0; i < lengthof(most); i++)
	{
		int			rows = Max(most[i], 1);
		pegs_accountant accountant;
		Datum		values[4];
		bool		nulls[4] = {false};

		pegs_accountant_init(&accountant, epsilon, delta, (uint32_t) rows);
		if (accountant.total == 0)
			break;
		values[0] = CStringGetTextDatum(most[i] == 0 ? "person" : "row");
		nulls[1] = most[i] == 0;
		values[1] = Int32GetDatum(most[i]);
		values[2] = Float8GetDatum(pegs_noise_sd(&accountant, pegs_accountant_left(&accountant)));
		values[3] = CStringGetTextDatum(most[i] == 0
										? "a random row of a random person: all rows are used, the noise is that of one"
										: psprintf("at most %d row%s of a person, the noise %s", rows, rows > 1 ? "s" : "",
												   rows > 1 ? psprintf("%d times that of one", rows) : "of one"));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
