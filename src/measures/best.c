/*
 * best.c
 *	  Which of several models or releases is closest to the table: a private choice.
 *
 * Looking which of them is closest is a look at the rows, and here it is
 * charged: by the monotone exponential mechanism on integer scores. As in a fit
 * the scores and the choice are nobody's until the charge is durable, and the
 * scores are never shown. All that is said before depends on names, declared
 * facts and the rows of the candidates, which were paid for. Law L2; claims P5, P19.
 */
#include "measures/measures.h"
#include "budget/budget.h"
#include "read/read.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "core/accountant.h"
#include "core/choice.h"
#include "core/epsilon.h"

#define MAX_CANDIDATES 1000

typedef struct Candidate
{
	const char *name;
	PegsModel  *model;
	PegsRelease *release;		/* NULL: the model itself */
	int64		rows;			/* that are counted */
	int		   *column;			/* [columns that are compared] the number that each has in the model */
} Candidate;

typedef struct Best
{
	PegsSource *source;
	int			n;
	Candidate  *candidate;
	int64		epsilon;
	uint32		splits;			/* of pegs_likeness */
	PegsSpec   *spec;			/* the columns that are compared, and all their pairs */
	int64		as_rows;		/* each is weighed as a table of so many rows */

	/* what is computed, in memory that is nobody's until the charge */
	PegsUncharged *uncharged;
	PegsCounter *counter;		/* of the rows */
	pegs_accountant accountant; /* what was drawn for */
	int64	   *score;
	Datum		ids;			/* int8[]: for the ledger */
	size_t		pick;
} Best;

static const PegsWork best_work = {
	.title = "choice for",
	.while_words = "while choosing among models and releases",
	.failed = "the choice failed",
	.remedy = "Compare fewer models or releases, or such with fewer columns or levels."
};

/* ---- arguments ---- */

static void
check_names(char **names, int n)
{
	if (n < 2 || n > MAX_CANDIDATES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("names must be 2 to %d models or releases, not %d", MAX_CANDIDATES, n),
				 errhint("SELECT name FROM pegs_models; SELECT name FROM pegs_releases;")));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("\"%s\" is named twice", pegs_clipped(names[i])),
						 errhint("Name every model and release once.")));
}

/* Made from this table, and paid for: what a choice may add to. */
static void
check_candidate(const Candidate *candidate, const PegsSource *source)
{
	const PegsModel *model = candidate->model;

	if (!OidIsValid(model->account))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" came in as a file: of which table it was made is not known here", candidate->name),
				 errhint("Choose where it was fitted.")));
	if (model->account != source->account)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not made of %s", candidate->name, source->name),
				 errdetail("A choice is paid by the account of the table with which all are compared."),
				 errhint("SELECT name, source FROM pegs_models; SELECT name, source FROM pegs_releases;")));
	pegs_refuse_slice(model, candidate->name);
	if (model->spec->related)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\" is of several tables: %s", candidate->name, pegs_related_names(model->spec->related)),
				 errdetail("A choice compares rows of one table, and a unit of these is rows of all of them."),
				 errhint("Name models and releases of %s alone.", source->name)));
	if (!pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no guarantee: what is chosen must have one", candidate->name),
				 errhint("Name models that were fitted with epsilon, and releases.")));
	if (candidate->release == NULL && pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is sealed: its rows are paid for when they are drawn", candidate->name),
				 errhint("Keep rows of it in a release, which is charged, and name that: SELECT pegs_release('kept', %s, 1000, epsilon => 1);",
						 quote_literal_cstr(candidate->name))));
}

static void
take_candidates(Best *best, char **names, int n)
{
	best->n = n;
	best->candidate = palloc0(sizeof(Candidate) * n);
	for (int i = 0; i < n; i++)
	{
		Candidate  *candidate = &best->candidate[i];

		CHECK_FOR_INTERRUPTS();
		candidate->name = names[i];
		candidate->model = pegs_model_or_release(names[i], &candidate->release);
		check_candidate(candidate, best->source);
	}
}

static uint32
splits_argument(FunctionCallInfo fcinfo, int n)
{
	char	   *cells = pegs_arg_text(fcinfo, n, "cells");

	if (strcmp(cells, "pairs") == 0)
		return 0;
	if (strcmp(cells, "tree 1") == 0)
		return 1;
	if (strcmp(cells, "tree 2") == 0)
		return 2;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cells must be pairs, tree 1 or tree 2, not \"%s\"", pegs_clipped(cells)),
			 errhint("cells => 'pairs' compares all tables of two columns.")));
}

/* ---- the columns that are compared: declared facts alone ---- */

static bool
same_texts(char **a, int na, char **b, int nb)
{
	if (na != nb)
		return false;
	for (int i = 0; i < na; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* A hidden column with the same hours may have those of another zone. */
static bool
same_levels(const PegsColumn *a, const PegsColumn *b)
{
	return a->type == b->type && a->nullable == b->nullable && pegs_same_part(a->part, b->part) && same_texts(a->labels, a->nlabels, b->labels, b->nlabels)
		&& same_texts(a->edges, a->nedges, b->edges, b->nedges) && same_texts(a->points, a->npoints, b->points, b->npoints);
}

/* The first candidate in which the column has other levels, or is not drawn; NULL: it is the same in all. */
static const Candidate *
first_other(const Best *best, const PegsColumn *column, bool *lacks)
{
	for (int i = 0; i < best->n; i++)
	{
		const PegsDomain *domain = best->candidate[i].model->spec->domain;
		int			number = pegs_domain_find(domain, column->name);

		*lacks = number < 0;
		if (number < 0 || !same_levels(&domain->column[number], column))
			return &best->candidate[i];
	}
	return NULL;
}

static void
find_columns(Best *best)
{
	const PegsDomain *all = pegs_domain_of(best->source);
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	StringInfoData other;

	initStringInfo(&other);
	domain->column = palloc0(sizeof(PegsColumn) * (all->ncols + 1));
	for (int c = 0; c < all->ncols; c++)
	{
		const PegsColumn *column = &all->column[c];
		const Candidate *differs;
		bool		lacks;

		CHECK_FOR_INTERRUPTS();
		if (column->problem || pegs_column_levels(column) == 0)
			continue;
		differs = first_other(best, column, &lacks);
		if (differs == NULL)
			domain->column[domain->ncols++] = *column;
		else if (!lacks)
			appendStringInfo(&other, "%s\"%s\" (\"%s\")", other.len > 0 ? ", " : "", column->name, differs->name);
	}
	if (domain->ncols < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fewer than two columns have the same levels in %s and in all that are compared", best->source->name),
				 other.len > 0 ? errdetail("Columns with other levels or time zones than those that are declared now: %s.", other.data) : 0,
				 other.len > 0 ? errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(best->source->name))
				 : errhint("Compared is what all of them have: SELECT name, column_name FROM pegs_models, pegs_columns(name) WHERE source = %s::regclass;",
						   quote_literal_cstr(best->source->name))));
	if (other.len > 0)
		ereport(NOTICE,
				(errmsg("columns with other levels or time zones than those that are declared now are not compared: %s", other.data)));
	for (int i = 0; i < best->n; i++)
	{
		Candidate  *candidate = &best->candidate[i];

		candidate->column = palloc(sizeof(int) * domain->ncols);
		for (int c = 0; c < domain->ncols; c++)
			candidate->column[c] = pegs_domain_find(candidate->model->spec->domain, domain->column[c].name);
	}
	best->spec = pegs_spec_make(domain, NULL, 0);
}

/* ---- how many rows each has ---- */

static int
compare_rows(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/*
 * As many rows as the confidential table has, as far as that was released: what
 * the models stand for, the middle one of them; where all are releases of sealed
 * models, the largest. A larger table would be the closer one else.
 */
static void
weigh_candidates(Best *best)
{
	int64	   *stands_for = palloc(sizeof(int64) * best->n);
	int			n = 0;

	for (int i = 0; i < best->n; i++)
	{
		Candidate  *candidate = &best->candidate[i];
		bool		sealed = pegs_is_sealed(candidate->model);
		int64		rows = sealed ? 0 : pegs_model_rows(candidate->model);

		CHECK_FOR_INTERRUPTS();
		candidate->rows = candidate->release ? candidate->release->n : rows;
		best->as_rows = Max(best->as_rows, candidate->rows);
		if (!sealed)
			stands_for[n++] = rows;
	}
	if (n > 0)
	{
		qsort(stands_for, n, sizeof(int64), compare_rows);
		best->as_rows = stands_for[n / 2];
	}
	/* where persons weigh equally each is counted so often, a public number */
	best->as_rows = Min(best->as_rows, (int64) PEGS_MAX_ROWS) * Max(best->source->rows_each, 1);
}

/* ---- what is computed ---- */

static void
score_all(Best *best, const pegs_env *env)
{
	const pegs_layout *layout = &best->counter->layout;
	uint64_t   *cells = env->alloc(env->context, sizeof(uint64_t) * layout->ncells);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs candidate", ALLOCSET_DEFAULT_SIZES);

	best->score = env->alloc(env->context, sizeof(int64) * best->n);
	for (int i = 0; i < best->n; i++)
	{
		const Candidate *candidate = &best->candidate[i];
		pegs_synthetic synthetic = {cells, (uint64) candidate->rows, (uint64) best->as_rows};
		MemoryContext old = MemoryContextSwitchTo(scratch);

		pegs_count_object(candidate->model, candidate->release, candidate->rows, candidate->column, layout, cells);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
		best->score[i] = pegs_likeness(env, layout, best->counter->cells, &synthetic, best->splits);
	}
}

/* Claim P19: all of epsilon for one choice. */
static void
choose(Best *best)
{
	pegs_env	env = pegs_uncharged_env(best->uncharged);
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;
	volatile bool reading = true;

	pegs_new_key(key);
	rng = pegs_rng_in(pegs_uncharged_context(best->uncharged), key, 0);
	explicit_bzero(key, sizeof(key));
	pegs_accountant_init(&best->accountant, best->epsilon, 0, (uint32) best->source->rows_per_unit);
	PG_TRY();
	{
		best->counter->progress = &env;
		pegs_counter_scan(best->counter, best->source);
		reading = false;
		score_all(best, &env);
		best->pick = pegs_choose_monotone(&best->accountant, rng, pegs_accountant_left(&best->accountant), best->score, (size_t) best->n);
	}
	PG_CATCH();
	{
		pegs_hide_uncharged(&best_work, reading);
	}
	PG_END_TRY();
}

/* ---- the charge ---- */

/* All that were compared, as text of a text[]: who reads the ledger knows them by it. */
static char *
names_of(const Best *best)
{
	Datum	   *names = palloc(sizeof(Datum) * best->n);

	for (int i = 0; i < best->n; i++)
		names[i] = CStringGetTextDatum(best->candidate[i].name);
	return OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(construct_array(names, best->n, TEXTOID, -1, false, TYPALIGN_INT)));
}

/* The same by their ids, by which their certificates find it: of a model that of this fit, and scores that were made of it. */
static Datum
ids_of(const Best *best)
{
	List	   *ids = NIL;

	for (int i = 0; i < best->n; i++)
		ids = pegs_add_compared(ids, best->candidate[i].release, best->candidate[i].model);
	return pegs_ids_array(ids);
}

/*
 * By public facts. Of one choice by monotone scores ln of the ratios is in an interval of length epsilon: claims P19, P20.
 * `counted` fails closed: candidates were paid for, so that no call of ours binds the table or lets it go meanwhile, but a
 * hand may, or rows of another dump.
 */
static PegsBill
bill_of(const Best *best)
{
	return (PegsBill) {
		.account = best->source->account,
		.epsilon = best->epsilon,
		.rho = pegs_rho_of_range(best->epsilon, 1),
		.action = "choice",
		.object = names_of(best),
		.unit = pegs_charged_unit(best->source->unit_column != NULL, best->source->unit_column),
		.compared = best->ids,
		.counted = best->source->counted
	};
}

static void
charge_choice(const Best *best)
{
	PegsBill	bill = bill_of(best);

	/* fails closed, before anything of it is seen */
	if (best->accountant.epsilon != bill.epsilon || best->accountant.spent > best->accountant.total
		|| best->accountant.rows_per_unit != (uint32) best->source->rows_per_unit)
		elog(ERROR, "the choice was not for what would be charged");
	pegs_charge(&bill);
	pegs_charge_done(&bill);
}

/* pegs_best(source regclass, names text[], epsilon float8, cells text DEFAULT 'pairs') → text */
PG_FUNCTION_INFO_V1(pegs_best);
Datum
pegs_best(PG_FUNCTION_ARGS)
{
	Best		best = {.source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "choose by its rows")};
	int			n;
	char	  **names = pegs_arg_texts(fcinfo, 1, "names", &n);
	PegsBill	bill;
	MemoryContext old;

	check_names(names, n);
	take_candidates(&best, names, n);
	best.epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	if (best.epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("A choice by how close they are to the rows is charged: epsilon => 0.1")));
	best.splits = splits_argument(fcinfo, 3);
	pegs_load_unit(best.source);
	find_columns(&best);
	weigh_candidates(&best);
	pegs_warn_of_parts(best.source->account);
	pegs_warn_of_the_way_out(best.source->account);
	best.ids = ids_of(&best);
	bill = bill_of(&best);
	pegs_check_budget(&bill);
	best.uncharged = pegs_uncharged(&best_work, best.source->name);
	old = MemoryContextSwitchTo(pegs_uncharged_context(best.uncharged));
	best.counter = pegs_counter(best.spec, pegs_uncharged_context(best.uncharged), true);
	choose(&best);
	MemoryContextSwitchTo(old);
	pegs_uncharged_computed(best.uncharged);
	charge_choice(&best);
	pegs_uncharged_done(best.uncharged);
	PG_RETURN_TEXT_P(cstring_to_text(best.candidate[best.pick].name));
}
