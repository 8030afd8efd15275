/*
 * published.c
 *	  A score as it was published: exact counts, and Laplace noise at every call. No guarantee.
 *
 * For curators alone. A statement that asks is a line of the ledger, and marks
 * its account as uncovered, before the first score; both go with a transaction
 * that is rolled back (docs/auditor.md). Nobody must take what it gives
 * for private: the structure of the trees, the cuts and the size of the noise
 * itself are functions of exact counts (docs/methods/trees.md).
 */
#include "scores/scores.h"
#include "budget/budget.h"

#include <math.h>

#include "utils/builtins.h"

/* Uniform in (0, 1), by 53 bits. */
static double
uniform(void)
{
	uint64		bits;

	if (!pg_strong_random(&bits, sizeof(bits)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("no strong random bytes could be had")));
	return ((double) (bits >> 11) + 0.5) * ldexp(1, -53);
}

static double
laplace(double scale)
{
	double		u = uniform();

	return scale * (u < 0.5 ? log(2 * u) : -log(2 * (1 - u)));
}

/* The caller's right to it, and a line of the ledger: once a statement. */
static void
begin(PegsScored *scored)
{
	const PegsModel *model = scored->model;

	if (scored->scorer->exact == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("score \"%s\" was paid for when it was made: it needs no noise, and no epsilon", scored->name),
				 errhint("SELECT pegs_score(%s, t) FROM my_table AS t;", quote_literal_cstr(scored->name))));
	if (scored->noted)
		return;
	pegs_require_curator(model->account, "read scores that have no guarantee");
	if (model->made_here)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no guarantee and was made in this transaction", scored->name),
				 errdetail("The mark that its account is uncovered could be rolled back with it."),
				 errhint("COMMIT; then ask for its scores.")));
	pegs_note_uncovered(model->account, "uncovered sample", model->name, pegs_why_uncovered(0));
	scored->noted = true;
}

/*
 * pegs_score_published(model text, features record, epsilon float8) → float8
 * pegs_score_published(model text, features jsonb, epsilon float8) → float8
 */
PG_FUNCTION_INFO_V1(pegs_score_published);
Datum
pegs_score_published(PG_FUNCTION_ARGS)
{
	PegsScored *scored = pegs_scored_by(fcinfo);
	int64		epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	double		between;
	double		share;

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null: the noise of a published score is by it"),
				 errhint("epsilon => 1")));
	begin(scored);
	if (!pegs_scored_codes(fcinfo, scored))
		PG_RETURN_NULL();
	share = scored->scorer->exact(scored->body, scored->codes, &between);
	PG_RETURN_FLOAT8(share + laplace(between * PEGS_EPSILON_UNIT / (double) epsilon));
}
