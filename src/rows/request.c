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

static bool
option_bool(const char *name, const JsonbValue *value)
{
	if (value->type != jbvBool)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be true or false", name),
				 errhint("options => '{\"%s\": true}'", name)));
	return value->val.boolean;
}

static void
read_options(PegsRequest *request, Jsonb *options)
{
	JsonbIterator *it;
	JsonbValue	item;
	JsonbIteratorToken token;

	if (options == NULL)
		return;
	it = JsonbIteratorInit(&options->root);
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		char	   *name;
		JsonbValue	value;

		if (token != WJB_KEY)
			continue;
		name = pegs_json_key(&item);
		(void) JsonbIteratorNext(&it, &value, true);
		if (strcmp(name, "fresh") == 0)
			request->fresh = option_bool(name, &value);
		else if (strcmp(name, "draw") == 0 && !pegs_is_sealed(request->model))
		{
			char	   *how = value.type == jbvString ? pegs_json_key(&value) : NULL;

			if (how == NULL || (strcmp(how, "independent") != 0 && strcmp(how, "apportioned") != 0))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("option \"draw\" must be \"apportioned\" or \"independent\""),
						 errhint("options => '{\"draw\": \"independent\"}'")));
			request->independent = strcmp(how, "independent") == 0;
		}
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown option \"%s\"", name),
					 errhint("Known are: fresh%s.", pegs_is_sealed(request->model) ? "" : ", draw")));
	}
}

/* Codes of the columns that `given` fixes. */
void
pegs_request_given(PegsRequest *request)
{
	const PegsDomain *domain = request->model->spec->domain;
	JsonbIterator *it;
	JsonbValue	item;
	JsonbIteratorToken token;

	request->given = palloc(sizeof(int32) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
		request->given[i] = -1;
	if (request->given_json == NULL)
		return;
	it = JsonbIteratorInit(&request->given_json->root);
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		char	   *name;
		JsonbValue	value;
		int			column;

		if (token != WJB_KEY)
			continue;
		name = pegs_json_key(&item);
		column = pegs_domain_find(domain, name);
		if (column < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("given names \"%s\", which is not a column of model \"%s\"", name, request->model->name),
					 errhint("Its columns are: %s.", pegs_column_list(domain))));
		(void) JsonbIteratorNext(&it, &value, true);
		request->given[column] = pegs_code_of(&domain->column[column], pegs_domain_encoder(domain, column), &value);
		if (request->given[column] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the value given for column \"%s\" is not in its declared domain", name),
					 errhint("SELECT pegs_describe(%s); shows the declared levels.", quote_literal_cstr(request->model->name))));
	}
}

/* Blocks times free columns: how often a visit to a cell is paid for. */
static uint64
visits_of(int64 n, int64 block, int free_columns)
{
	uint64		blocks = ((uint64) n - 1) / (uint64) block + 1;

	return blocks > PG_UINT64_MAX / 1000 / PEGS_MAX_COLUMNS ? PG_UINT64_MAX : blocks * (uint64) free_columns;
}

/* Claim P1: the alpha of a sealed call, from public facts only. */
void
pegs_request_price(PegsRequest *request)
{
	const PegsDomain *domain = request->model->spec->domain;
	int			free_columns = 0;
	uint32		widest = 1;

	for (int i = 0; i < domain->ncols; i++)
		if (request->given[i] < 0)
		{
			free_columns++;
			widest = Max(widest, (uint32) pegs_column_levels(&domain->column[i]));
		}
	if (free_columns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("given fixes every column: there is nothing to draw"),
				 errhint("Leave at least one column free.")));
	/* a person of several rows costs several times a row */
	if (pegs_alpha(request->epsilon,
				   visits_of(request->n, request->block, free_columns * request->model->rows_per_unit),
				   widest, &request->alpha) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for so many rows"),
				 errdetail("epsilon %s over %s rows in blocks of %s: the noise would not fit in 64 bits.",
						   pegs_units_text(request->epsilon, 9), pegs_units_text(request->n, 0),
						   pegs_units_text(request->block, 0)),
				 errhint("Ask for fewer rows, larger blocks or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).")));
}

/* (model, n, epsilon, block, delta, given, options), from argument `first` on. */
void
pegs_request(PegsRequest *request, FunctionCallInfo fcinfo, int first)
{
	char	   *name = pegs_arg_text(fcinfo, first, "model");
	Jsonb	   *options;

	memset(request, 0, sizeof(*request));
	request->n = pegs_arg_count(fcinfo, first + 1, "n");
	request->epsilon = pegs_arg_epsilon(fcinfo, first + 2, "epsilon");
	request->block = pegs_arg_count(fcinfo, first + 3, "block");
	request->delta = pegs_arg_delta(fcinfo, first + 4, "delta");
	request->given_json = pegs_arg_object(fcinfo, first + 5, "given");
	options = pegs_arg_object(fcinfo, first + 6, "options");
	request->model = pegs_model(name);
	read_options(request, options);
	pegs_request_given(request);
	if (!pegs_is_private(request->model))
	{
		pegs_require_curator(request->model->account, "read rows that have no guarantee");
		if (request->model->made_here)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("model \"%s\" has no guarantee and was made in this transaction", name),
					 errdetail("The mark that its account is uncovered could be rolled back with it."),
					 errhint("COMMIT first.")));
		if (request->epsilon != 0 || request->delta != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 request->model->l_diversity > 0 ? errmsg("model \"%s\" is l-diverse: it takes no epsilon", name)
					 : errmsg("model \"%s\" has no guarantee: it takes no epsilon", name),
					 request->model->l_diversity > 0 ? errdetail("l-diversity is not differential privacy; no epsilon describes it.") : 0,
					 errhint("Leave epsilon out.")));
	}
	else if (pegs_is_sealed(request->model))
	{
		if (request->epsilon == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("model \"%s\" is sealed: every sample pays", name),
					 errhint("Give the total epsilon of the call: epsilon => 1. SELECT * FROM pegs_cost(%s, n, epsilon); shows what it buys.",
							 quote_literal_cstr(name))));
		if (request->delta != 0)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a sealed model takes no delta in this version"),
					 errdetail("Renyi accounting of a sealed sample is not proved yet; pure composition is used."),
					 errhint("Leave delta out.")));
		pegs_request_price(request);
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

void
pegs_request_bill(const PegsRequest *request, const char *action, const char *object, PegsBill *bill)
{
	pegs_refuse_part(request->model);
	bill->account = request->model->account;
	bill->grant = request->model->grant;
	bill->epsilon = request->epsilon;
	bill->delta = request->delta;
	bill->unit = pegs_charged_unit(request->model->has_unit, request->model->unit_column);
	bill->action = action;
	bill->object = object;
}
