/*
 * all.c
 *	  Many columns learnt in one go, for one charge.
 *
 * Numbers, dates and times have a range, others levels. Each has the same part
 * of epsilon, or, if delta is given and there are many, of rho: Gaussian noise,
 * which grows with the root of their number. What nothing was learnt of is left
 * out of models, so that a fit does not stop. Claims P15, P16.
 */
#include "learn/learn.h"

#include "utils/builtins.h"

static void
take_column(PegsLearning *learning, const char *name)
{
	PegsLearnt *learnt = pegs_learning_column(learning, name);
	bool		levels = !pegs_type_has_bins(learnt->column.type);

	pegs_learning_by(learning, learnt, levels ? pegs_learn_levels_of : pegs_learn_range_of, levels);
	pegs_learning_check(learning, learnt);
}

/* Those named, or all of which nothing is known. */
static void
take_columns(PegsLearning *learning, List *names)
{
	PegsDomain *domain;
	ListCell   *cell;

	foreach(cell, names)
	{
		for (int i = 0; i < learning->n; i++)
			if (strcmp(learning->learnt[i].column.name, (char *) lfirst(cell)) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is named twice", (char *) lfirst(cell)),
						 errhint("Name every column once.")));
		take_column(learning, (char *) lfirst(cell));
	}
	if (names != NIL)
		return;
	domain = pegs_domain_of(learning->source);
	for (int i = 0; i < domain->ncols; i++)
		if (pegs_is_unknown(&domain->column[i]))
			take_column(learning, domain->column[i].name);
		else if (domain->column[i].problem && domain->column[i].origin == NULL && domain->column[i].left_out == NULL && pegs_beyond_bins(&domain->column[i]))
			ereport(NOTICE,
					(errmsg("column \"%s\" is not learnt: its values have %s", domain->column[i].name, pegs_beyond_bins(&domain->column[i])),
					 errhint("Use a view that rounds it: round(%s, 2)::numeric(18, 2).", quote_identifier(domain->column[i].name))));
	if (learning->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no column of which nothing is known", learning->source->name),
				 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(learning->source->name))));
}

/* Before anything is read: what each column costs must buy something. */
static void
check_columns(const PegsLearning *learning)
{
	for (int i = 0; i < learning->n; i++)
		if (!learning->learnt[i].levels)
			pegs_learning_cells(&learning->learnt[i].column);
	if (learning->nlevels > 0 && learning->delta == 0)
		pegs_refuse_without_delta("pegs_learn", learning->source, learning->epsilon);
	if (learning->epsilon / learning->n / learning->source->rows_per_unit == 0 || (learning->nlevels > 0 && learning->delta / 2 / learning->nlevels == 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon and delta are too small for %d columns", learning->n),
				 errhint("epsilon => 0.5, delta => 1e-6")));
}

static void
say_what_was_learnt(const PegsLearning *learning)
{
	StringInfoData not;
	int			found = 0;

	initStringInfo(&not);
	for (int i = 0; i < learning->n; i++)
		if (learning->learnt[i].found)
			found++;
		else
			appendStringInfo(&not, "%s\"%s\"%s", not.len > 0 ? ", " : "", learning->learnt[i].column.name,
							 learning->learnt[i].declared.left_out ? "" : " (as it was declared before)");
	ereport(NOTICE,
			(errmsg("%d of %d columns were learnt: %s", found, learning->n, pegs_charged_words(learning)),
			 found < learning->n ? errdetail("Nothing stood out of the noise in those that are left out of models: %s.", not.data) : 0,
			 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(learning->source->name))));
}

/* pegs_learn(source regclass, epsilon float8, delta float8 DEFAULT 0, columns name[] DEFAULT NULL, bins int DEFAULT 32) → void */
PG_FUNCTION_INFO_V1(pegs_learn);
Datum
pegs_learn(PG_FUNCTION_ARGS)
{
	PegsLearning *learning = pegs_learning(fcinfo, NULL, false);

	learning->delta = pegs_arg_delta(fcinfo, 2, "delta");
	take_columns(learning, pegs_arg_names(fcinfo, 3, "columns"));
	learning->bins = pegs_learning_bins(fcinfo, 4);
	learning->leave_out = true;
	check_columns(learning);
	pegs_say_large_delta(learning->delta);
	pegs_learn_columns(learning);
	say_what_was_learnt(learning);
	pegs_say_zero_alone(learning);
	pegs_uncharged_done(learning->uncharged);
	PG_RETURN_VOID();
}
