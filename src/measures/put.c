/*
 * put.c
 *	  Rows of the answer of pegs_utility, and of a trial of pegs_ru_map.
 */
#include "measures/measures.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

/* (measure, columns, value, guarantee), after (method, epsilon, replicate) of a trial. */
void
pegs_put_comparison(ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain, const char *measure,
				 const uint32 *columns, int n, double value)
{
	Datum		values[7];
	bool		nulls[7] = {false};
	Datum	   *names = palloc(sizeof(Datum) * (n + 1));
	int			at = 0;

	for (int i = 0; i < n; i++)
		names[i] = DirectFunctionCall1(namein, CStringGetDatum(domain->column[columns[i]].name));
	if (trial)
	{
		values[at++] = CStringGetTextDatum(trial->method);
		nulls[at] = isnan(trial->epsilon);
		values[at++] = Float8GetDatum(trial->epsilon);
		values[at++] = Int32GetDatum(trial->replicate);
	}
	values[at++] = CStringGetTextDatum(measure);
	nulls[at] = n == 0;
	values[at++] = n > 0 ? PointerGetDatum(construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR)) : (Datum) 0;
	nulls[at] = isnan(value);
	values[at++] = Float8GetDatum(value);
	values[at++] = CStringGetTextDatum("none");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

void
pegs_put_compared(const PegsUtility *u, const char *measure, const uint32 *columns, int n, double value)
{
	/* a map has many trials: of each only what is of all columns, or of one */
	if (u->trial == NULL || n < 2)
		pegs_put_comparison(u->result, u->trial, u->domain, measure, columns, n, value);
}
