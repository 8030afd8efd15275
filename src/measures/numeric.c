/*
 * numeric.c
 *	  Numeric columns of a synthetic table beside the original's: means, medians, spreads, zeros.
 *
 * Not private: exact numbers of the original, for curators, as all of pegs_utility.
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "utils/float.h"

#include "core/compare/numbers.h"

const bool *
pegs_numbers_wanted(const PegsDomain *domain, char **groups, int ngroups)
{
	bool	   *wanted = NULL;

	for (int i = 0; i < ngroups && wanted == NULL; i++)
		if (strcmp(groups[i], "numbers") == 0)
			wanted = palloc0(sizeof(bool) * domain->ncols);
	for (int c = 0; c < domain->ncols && wanted; c++)
		wanted[c] = pegs_is_number(domain->column[c].type) || pegs_is_date(domain->column[c].type);
	return wanted;
}

/* What one table has, the other, and by how much they differ; relative to the original's, where that means something. */
static void
put_both(const PegsUtility *u, const char *what, uint32 c, double original, double synthetic, bool relative)
{
	pegs_put_compared(u, psprintf("%s_original", what), &c, 1, original);
	pegs_put_compared(u, psprintf("%s_synthetic", what), &c, 1, synthetic);
	pegs_put_compared(u, psprintf("%s_difference", what), &c, 1, synthetic - original);
	if (relative)
		pegs_put_compared(u, psprintf("%s_relative", what), &c, 1,
					   original != 0 ? (synthetic - original) / fabs(original) : get_float8_nan());
}

/*
 * How far the mean is off: over the mean itself, or over the spread where the
 * mean is small beside it, as of temperatures; of dates always over the spread.
 * Of the smaller spread: a tail that was lost would hide behind its own.
 */
static double
mean_error(const pegs_numbers *n, bool date)
{
	double		difference = fabs(n->synthetic.mean - n->original.mean);
	double		sd = isnan(n->original.sd) ? 0 : n->original.sd;
	double		smaller = isnan(n->synthetic.sd) ? sd : Min(sd, n->synthetic.sd);
	double		size = date ? sd : Max(fabs(n->original.mean), smaller);

	if (isnan(difference) || difference == 0)
		return difference;
	return size > 0 ? difference / size : 1;
}

/* The greater; one that is not defined does not count. */
static double
greatest(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

void
pegs_compare_columns(const PegsUtility *u)
{
	double		error = get_float8_nan();
	double		zeros = get_float8_nan();

	for (uint32 c = 0; c < u->original->ncols; c++)
	{
		bool		date = pegs_is_date(u->domain->column[c].type);
		pegs_numbers n;

		if (u->original->number[c] == NULL)
			continue;
		if (pegs_compare_numbers(&u->env, u->original, u->synthetic, c, &n) != PEGS_OK)
			elog(ERROR, "the numbers of a column cannot be compared");
		put_both(u, "mean", c, n.original.mean, n.synthetic.mean, !date);
		put_both(u, "median", c, n.original.median, n.synthetic.median, !date);
		put_both(u, "sd", c, n.original.sd, n.synthetic.sd, true);
		pegs_put_compared(u, "mean_error", &c, 1, mean_error(&n, date));
		pegs_put_compared(u, "mean_inside", &c, 1, n.inside);
		pegs_put_compared(u, "mean_shares", &c, 1, n.shares);
		pegs_put_compared(u, "mean_worst", &c, 1, isnan(n.inside) ? n.inside : (double) n.worst);
		error = greatest(error, mean_error(&n, date));
		if (date)
			continue;
		put_both(u, "zeros", c, n.original.zeros, n.synthetic.zeros, false);
		zeros = greatest(zeros, fabs(n.synthetic.zeros - n.original.zeros));
	}
	pegs_put_compared(u, "mean_error_max", NULL, 0, error);
	pegs_put_compared(u, "zeros_error_max", NULL, 0, zeros);
}
