/*
 * words.c
 *	  What is said after learning: what was charged, what was not found, and how
 *	  more is found.
 *
 * By what is declared and charged, which is public: no count, and no value that
 * is not an edge. Laws L5, L10.
 */
#include "learn/learn.h"
#include "budget/budget.h"

#include "utils/builtins.h"

#define LESS_NOISE 0.7			/* of what there was: else it is not worth a charge */

char *
pegs_charged_words(const PegsLearning *learning)
{
	const char *epsilon = pegs_units_text(learning->epsilon, 9);

	if (learning->delta == 0)
		return psprintf("epsilon %s was charged", epsilon);
	return psprintf("epsilon %s and delta %s were charged", epsilon, pegs_units_text(learning->delta, 18));
}

void
pegs_say_nothing_learnt(const PegsLearning *learning, const char *why)
{
	ereport(NOTICE,
			(errmsg("nothing was learnt of column \"%s\": %s", learning->learnt[0].column.name, pegs_charged_words(learning)),
			 errdetail("%s What was declared before is as it was.", why),
			 errhint("More epsilon finds what has fewer rows; or declare the column by hand: pegs_set_levels, pegs_set_bins.")));
}

/*
 * A statement by which one of these columns is learnt with less noise, and of
 * which twice as much has room: fits are to be paid, too. NULL: there is none.
 * An account in rho pays for Gaussian noise a part of what epsilon alone costs.
 */
static char *
again_alone(const PegsLearning *learning, const PegsLearnt *learnt)
{
	const char *source = quote_literal_cstr(learning->source->name);
	const char *name = quote_literal_cstr(learnt->column.name);
	PegsLearning alone = *learning;
	int64		epsilon;

	alone.n = 1;
	alone.nlevels = 0;
	alone.learnt = unconstify(PegsLearnt *, learnt);
	alone.delta = learning->accountant.pure || !pegs_is_in_rho(learning->source->account) ? 0 : learning->accountant.delta;
	epsilon = pegs_learning_room(&alone, learning->n > 1 ? learning->epsilon : 2 * Min(learning->epsilon, PG_INT64_MAX / 2), 2);
	if (epsilon == 0)
		return NULL;
	alone = pegs_learning_with(&alone, epsilon);
	if (pegs_noise_sd(&alone.accountant, alone.learnt[0].cost) >= LESS_NOISE * pegs_noise_sd(&learning->accountant, learnt->cost))
		return NULL;
	if (alone.delta == 0)
		return psprintf("SELECT pegs_learn_range(%s, %s, epsilon => %s);", source, name, pegs_units_text(epsilon, 9));
	return psprintf("SELECT pegs_learn(%s, epsilon => %s, delta => %s, columns => ARRAY[%s]);", source, pegs_units_text(epsilon, 9),
					pegs_units_text(alone.delta, 18), name);
}

/*
 * Law L10. Most rows are 0, and what others there are is hidden by the noise:
 * all of them count as the nearest edge, and means are lost. What is said is in
 * the edges, which are public.
 */
void
pegs_say_zero_alone(const PegsLearning *learning)
{
	const char *source = quote_literal_cstr(learning->source->name);
	const PegsLearnt *first = NULL;
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < learning->n; i++)
	{
		const PegsLearnt *learnt = &learning->learnt[i];

		if (!learnt->found || !learnt->zero_alone)
			continue;
		appendStringInfo(&names, "%s\"%s\"", first ? ", " : "", learnt->column.name);
		first = first ? first : learnt;
	}
	if (first)
	{
		char	   *again = again_alone(learning, first);
		char	   *by_hand = psprintf("SELECT pegs_set_bins(%s, %s, '{...}', points => '{0}');", source, quote_literal_cstr(first->column.name));

		ereport(WARNING,
				(errmsg("nothing but 0 stood out of the noise in: %s", names.data),
				 errdetail("If there are other values they now count as the nearest edge, and a mean says nothing."),
				 again ? errhint("More epsilon for one column finds values that are rarer: %s Or declare its bins by hand: %s", again, by_hand)
				 : errhint("Declare its bins by hand, there is no budget for much less noise: %s", by_hand)));
	}
}
