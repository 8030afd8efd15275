/*
 * request.c
 *	  What a caller asks of a model: arguments, options, given levels, and the
 *	  alpha that a sealed model's epsilon buys.
 *
 * All of it is checked before anything is charged, from public facts only.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/epsilon.h"
#include "core/pegs/pegs_method.h"

/* A hint: where the declared levels of a column are. */
static int
hint_levels(const PegsRequest *request, const PegsColumn *column)
{
	const PegsRelated *related = request->model->spec->related;

	return errhint("SELECT first_levels FROM pegs_columns(%s, first => NULL) WHERE column_name = %s; shows the declared levels.",
				   quote_literal_cstr(request->model->name),
				   quote_literal_cstr(related ? psprintf("%s.%s", related->member[0].name, column->name) : column->name));
}

/* Columns that may be given: of several tables those of the root, which come first. */
static const PegsDomain *
given_domain(const PegsModel *model)
{
	return model->spec->related ? model->spec->related->member[0].spec->domain : model->spec->domain;
}

/* As it is kept with a release: pegs_kept_values. */
Jsonb *
pegs_request_kept(const PegsRequest *request)
{
	return request->given_json ? pegs_kept_values(given_domain(request->model), request->given_json) : NULL;
}

/* The code of a given value. What its type refuses, PostgreSQL says without the column. */
static int32
code_of_given(const PegsRequest *request, int number, const JsonbValue *value)
{
	const PegsDomain *domain = given_domain(request->model);
	const PegsColumn *column = &domain->column[number];
	PegsEncoder *encoder = request->given_is_kept ? NULL : pegs_domain_encoder(domain, number);
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile error = NULL;
	volatile int32 code = -1;

	PG_TRY();
	{
		code = request->given_is_kept ? pegs_code_of_kept(domain, number, &encoder, value) : pegs_code_of(column, &encoder, value);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		pegs_forgive_data_error(context);
	}
	PG_END_TRY();
	if (error != NULL)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("the value given for column \"%s\" is not a value of type %s", column->name,
						format_type_with_typemod(column->type, column->typmod)),
				 errdetail("It was refused: %s.", error->message),
				 error->hint ? errhint("%s", error->hint) : hint_levels(request, column)));
	if (code < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the value given for column \"%s\" is not in its declared domain", column->name),
				 hint_levels(request, column)));
	return code;
}

/* n of each combination are n times as many of all: the same rows, and the same price. */
static void
take_each(PegsRequest *request)
{
	const PegsDomain *domain = request->model->spec->domain;
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);
	pegs_ask	ask = pegs_request_ask(request);
	int64		combinations;

	for (int i = 0; i < domain->ncols; i++)
		levels[i] = (uint32_t) pegs_column_levels(&domain->column[i]);
	combinations = request->model->method->combinations(&ask, (uint32_t) domain->ncols, levels);
	if (request->n > PG_INT64_MAX / combinations)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n is too large: %s rows of each of %s combinations", pegs_units_text(request->n, 0), pegs_units_text(combinations, 0)),
				 errhint("Ask for fewer rows.")));
	request->n *= combinations;
	request->each = false;
	pfree(levels);
}

/* Codes of the columns that `given` fixes; and n of each combination, where that was asked for. */
void
pegs_request_given(PegsRequest *request)
{
	const PegsRelated *related = request->model->spec->related;
	const PegsDomain *domain = given_domain(request->model);
	int			ncols = request->model->spec->domain->ncols;
	PegsMembers members;
	uint32_t	given = 0;

	request->given = palloc(sizeof(int32) * ncols);
	for (int i = 0; i < ncols; i++)
		request->given[i] = -1;
	if (request->given_json)
		members = pegs_members(&request->given_json->root);
	while (request->given_json && pegs_next_member(&members))
	{
		const char *name = members.name;
		int			column = pegs_domain_find(domain, name);

		if (column < 0 && pegs_derived_find(domain, name))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("given names \"%s\", which is computed from other columns", name),
					 errhint("Give those: SELECT column_name, domain FROM pegs_columns(%s);", quote_literal_cstr(request->model->name))));
		if (column < 0 && related)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("given names \"%s\", which is not a modelled column of \"%s\"", name, related->member[0].name),
					 errdetail("Of several tables, columns of the root are given; all else is drawn by it."),
					 errhint("Its columns are: %s.", pegs_column_list(domain))));
		if (column < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("given names \"%s\", which is not a column of model \"%s\"", name, request->model->name),
					 errhint("Its columns are: %s.", pegs_column_list(domain))));
		request->given[column] = code_of_given(request, column, &members.value);
		given++;
	}
	if (request->model->method->most_given > 0 && given > request->model->method->most_given)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("given names %u columns, and method \"%s\" takes at most %u", given, request->model->method->name,
						request->model->method->most_given),
				 errhint("Give fewer; or fit with method => 'graph', which takes any number.")));
	if (request->each)
		take_each(request);
}

/* What the caller asks of the model's method. */
pegs_ask
pegs_request_ask(const PegsRequest *request)
{
	const PegsDomain *domain = request->model->spec->domain;

	return (pegs_ask) {
		.given = request->given,
		.zeros = {domain->nzeros, domain->zeros},
		.n = (uint64_t) request->n,
		.one_by_one = request->independent || request->given_json != NULL,
		.alpha = request->alpha,
		.block = (uint64_t) request->block,
		.sweeps = (uint64_t) request->sweeps,
		.l_diversity = request->model->l_diversity,
		.settings = request->model->spec->settings,
		.times = (uint32_t) Max(request->model->rows_each, 1)
	};
}

/*
 * The alpha of a sealed call, and how much of the delta that was offered it
 * takes: all, or none where epsilon alone buys no more noise. From public facts
 * only. False: too little for so many rows.
 */
bool
pegs_request_priced(PegsRequest *request)
{
	const PegsModel *model = request->model;
	const PegsDomain *domain = model->spec->domain;
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);
	pegs_ask	ask = pegs_request_ask(request);
	bool		enough;

	for (int i = 0; i < domain->ncols; i++)
		levels[i] = (uint32_t) pegs_column_levels(&domain->column[i]);
	enough = model->method->price(&ask, (uint32_t) domain->ncols, levels, (uint32_t) model->rows_per_unit, request->epsilon,
								  &request->delta, &request->alpha) == PEGS_OK;
	if (enough && request->alpha == 0)
		elog(ERROR, "method \"%s\" would give rows without noise", model->method->name);
	pfree(levels);
	return enough;
}

/* For the words of what is refused. */
static char *
drawn_how(const PegsRequest *request)
{
	if (request->model->method->urns)
		return " from urns";
	if (request->sweeps > 0)
		return psprintf(" from urns, sweeps of each row: %s", pegs_units_text(request->sweeps, 0));
	return pegs_has_blocks(request->model->method) ? psprintf(" in blocks of %s", pegs_units_text(request->block, 0)) : "";
}

/* The same, or an error. */
void
pegs_request_price(PegsRequest *request)
{
	bool		free_column = false;

	for (int i = 0; i < request->model->spec->domain->ncols; i++)
		free_column |= request->given[i] < 0;
	if (!free_column)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("given fixes every column: there is nothing to draw"),
				 errhint("Leave at least one column free.")));
	if (!pegs_request_priced(request))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for so many rows"),
				 errdetail("epsilon %s over %s rows%s: the noise would not fit in 64 bits.", pegs_units_text(request->epsilon, 9), pegs_units_text(request->n, 0), drawn_how(request)),
				 errhint("Ask for fewer rows%s or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).",
						 request->sweeps > 0 && !request->model->method->urns ? ", fewer sweeps" : pegs_has_blocks(request->model->method) ? ", larger blocks" : "")));
}

/*
 * What a role may spend by a grant is counted in epsilon: delta would be the
 * table's, without a limit. And what urns give away with delta is known of some
 * orders of Renyi divergence alone, which an account in rho cannot add up.
 */
void
pegs_refuse_delta(const PegsRequest *request)
{
	if (request->delta == 0)
		return;
	if (request->model->grant != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("your share of the privacy budget has no delta"),
				 errdetail("A grant of a sealed model limits epsilon alone; delta is spent by curators of the table."),
				 errhint("Leave delta out, or ask a curator for a release.")));
	if ((request->sweeps > 0 || request->model->method->urns) && pegs_is_in_rho(request->model->account))
		pegs_refuse_rho_of_urns(request->sweeps == 0 ? "Leave delta out." : "Leave the option out: without it delta is taken here, too.");
}

/* For a hint: would delta buy anything with so many rows, at epsilon 1 and all else left out? Of some methods it never does. */
static bool
delta_helps(const PegsRequest *request, int64 n)
{
	PegsRequest other = {.model = request->model, .n = n, .epsilon = PEGS_EPSILON_UNIT, .block = 1, .delta = PEGS_HINTED_DELTA};

	pegs_request_given(&other);
	return pegs_request_priced(&other) && other.delta > 0;
}

/* n is left out: as many rows as a perturbed model stands for, which is a released number. Of a sealed one it is a secret. */
int64
pegs_default_rows(const PegsModel *model)
{
	if (pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("n must be given: model \"%s\" is sealed, and the number of its rows is not public", model->name),
				 errhint("Give a number: n => 1000")));
	return pegs_model_rows(model);
}

/* (model, n, epsilon, block, delta, given, options), from argument `first` on. */
void
pegs_request(PegsRequest *request, FunctionCallInfo fcinfo, int first)
{
	char	   *name = pegs_arg_text(fcinfo, first, "model");
	Jsonb	   *options;
	int64		offered;

	memset(request, 0, sizeof(*request));
	request->n = PG_ARGISNULL(first + 1) ? 0 : pegs_arg_count(fcinfo, first + 1, "n");
	request->epsilon = pegs_arg_epsilon(fcinfo, first + 2, "epsilon");
	request->block = pegs_arg_count(fcinfo, first + 3, "block");
	request->delta = pegs_arg_delta(fcinfo, first + 4, "delta");
	request->given_json = pegs_arg_object(fcinfo, first + 5, "given");
	options = pegs_arg_object(fcinfo, first + 6, "options");
	request->model = pegs_model(name);
	pegs_require_no_score(request->model);
	if (request->n == 0)
		request->n = pegs_default_rows(request->model);
	pegs_request_options(request, options);
	pegs_request_given(request);
	if (!pegs_is_private(request->model))
	{
		pegs_require_curator(request->model->account, "read rows that have no guarantee");
		if (request->model->made_here)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("model \"%s\" has no guarantee and was made in this transaction", name),
					 errdetail("The mark that its account is uncovered could be rolled back with it."),
					 errhint("ROLLBACK; then fit the model in a transaction of its own, and ask for its rows in the next.")));
		if (request->epsilon != 0 || request->delta != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 request->model->l_diversity > 0 ? errmsg("model \"%s\" is l-diverse: it takes no epsilon", name)
					 : errmsg("model \"%s\" has no guarantee: it takes no epsilon", name),
					 errdetail("No epsilon describes it: %s.", request->model->method->no_guarantee),
					 errhint("Leave epsilon out.")));
	}
	else if (pegs_is_sealed(request->model))
	{
		if (request->epsilon == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("model \"%s\" is sealed: every sample pays", name),
					 errhint("Give the total epsilon of the call: epsilon => 1. SELECT * FROM pegs_cost(%s, " INT64_FORMAT ", epsilon => 1); shows what it buys.",
							 quote_literal_cstr(name), request->n)));
		pegs_refuse_delta(request);
		request->delta = offered = pegs_delta_of_call(request->model->account, request->delta);
		pegs_request_price(request);
		pegs_say_large_delta(request->delta);
		if (request->delta != offered)
			ereport(NOTICE,
					(errmsg("delta buys nothing here: epsilon alone needs no more noise, and no delta is charged"),
					 delta_helps(request, 1000) ? errhint("It is for many rows: SELECT * FROM pegs_cost(%s, 1000, epsilon => 1, delta => 1e-9);", quote_literal_cstr(name))
					 : errhint("Leave delta out.")));
	}
	else if (request->epsilon != 0 || request->block != 1 || request->delta != 0)
		ereport(NOTICE,
				(errmsg("model \"%s\" is perturbed: epsilon was spent when it was fitted, nothing is charged", name),
				 errdetail("epsilon, block and delta have no effect here.")));
}

/*
 * A table may have become a part of another since the model was fitted: its
 * rows are then paid for by the whole, and what the account of its own would
 * charge is seen by nobody who sets the whole's budget. Looked at by OID, under
 * no lock: the caller needs no right on the table, and as little as with any
 * charge that comes just before an ATTACH is lost.
 */
void
pegs_refuse_part(const PegsModel *model)
{
	Oid			whole = OidIsValid(model->account) ? pegs_source_parent(model->account) : InvalidOid;

	if (!OidIsValid(whole) || get_rel_name(whole) == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" is a part of \"%s\" now", get_rel_name(model->account), get_rel_name(whole)),
			 errdetail("Model \"%s\" was fitted before, and would charge an account that pays no more.", model->name),
			 errhint("Fit the model again.")));
}

/*
 * What a sealed call costs an account in rho. Of PeGS each visit to a cell is of
 * bounded range, as is the noise that its alpha was bought for: blocks times
 * free columns. By epsilon alone persons of several rows do not change that;
 * with delta its alpha was bought by them. Urns, and another method, have their
 * epsilon; with delta urns have nothing that could be added up. Claim P20.
 */
static int64
request_rho(const PegsRequest *request)
{
	const PegsModel *model = request->model;
	uint64		blocks = ((uint64) request->n - 1) / (uint64) request->block + 1;
	uint64		visits = 0;
	uint64		together;

	if (!pegs_is_gibbs(model->method) || request->sweeps > 0)
		return request->delta > 0 ? PEGS_NO_RHO : pegs_rho_of_pure(request->epsilon);
	for (int i = 0; i < model->spec->domain->ncols; i++)
		if (request->given[i] < 0 && visits <= PG_UINT64_MAX - blocks)
			visits += blocks;
	if (request->delta == 0)
		return pegs_rho_of_range(request->epsilon, visits);
	together = pegs_rho(request->epsilon, request->delta);	/* that alpha is bought by, and rounded up from */
	return Min(pegs_rho_of_alpha(request->alpha, visits, (uint32_t) model->rows_per_unit), (int64) together);
}

/*
 * A table may be bound while a fit that was begun before has not been
 * committed: its model protects persons who are none of that binding.
 */
static void
refuse_other_unit(const PegsModel *model)
{
	const char *unit = NULL;

	if (!pegs_is_bound(model->account))
		return;
	if (get_rel_name(model->source))
		unit = pegs_unit_column(pegs_source(model->source));
	if (unit && model->unit_column && strcmp(unit, model->unit_column) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("what model \"%s\" protects is not what the account of table \"%s\" protects now", model->name, get_rel_name(model->account)),
			 errdetail("That table was bound to another when the model had been fitted, or its source has no column for that any more."),
			 errhint("SELECT pegs_drop(%s); and fit it again.", quote_literal_cstr(model->name))));
}

void
pegs_request_bill(const PegsRequest *request, const char *action, const char *object, PegsBill *bill)
{
	pegs_refuse_part(request->model);
	refuse_other_unit(request->model);
	pegs_require_unpaid(pegs_payer(request->model->account));
	*bill = (PegsBill) {
		.account = request->model->account,
		.grant = request->model->grant,
		.epsilon = request->epsilon,
		.delta = request->delta,
		.rho = request_rho(request),
		.unit = pegs_charged_unit(request->model->has_unit, request->model->unit_column),
		.action = action,
		.object = object
	};
}
