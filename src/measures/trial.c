/*
 * trial.c
 *	  A method of the table, as a trial of pegs_ru_map runs it: rows of it at
 *	  some epsilon.
 *
 * It is fitted or sampled as it would be for a release, by how it is paid for
 * and never by its name. What comes out is not private and is not stored: the
 * caller compares it and throws it away.
 */
#include "measures/measures.h"
#include "budget/budget.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define MAX_FIT_EPSILON 1000	/* of pegs_fit */

/* What pegs_ru_map has called methods from the beginning, as the papers do. */
static const struct
{
	const char *name;
	const char *method;
	bool		row_by_row;
	const char *pays;			/* after the title of the method */
}			of_papers[] = {
	{"PeGS", "pegs", true, ", each row pays"},
	{"PeGS.rs", "pegs", false, ", each block pays"},
	{"fit once", "graph", false, ""}
};

/* With rows, and no word besides the epsilon. */
static bool
can_be_tried(const pegs_method *method)
{
	return method->scorer == NULL && method != pegs_method_of_old(true, PEGS_MAX_LEVELS);
}

/* By the names that a map takes: of a family each form is tried by itself. */
static char *
names_to_try(void)
{
	StringInfoData list;

	initStringInfo(&list);
	for (size_t i = 0; i < lengthof(of_papers); i++)
		appendStringInfo(&list, "%s, ", quote_literal_cstr(of_papers[i].name));
	for (int i = 0; pegs_methods[i]; i++)
		if (can_be_tried(pegs_methods[i]))
			appendStringInfo(&list, "%s, ", quote_literal_cstr(pegs_methods[i]->name));
	return pnstrdup(list.data, list.len - 2);
}

static void refuse_name(const char *name) __attribute__((noreturn));

static void
refuse_name(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 pegs_method_named(name) ? errmsg("the map cannot try method \"%s\": %s", name,
														  pegs_method_named(name)->scorer ? "it has no rows" : "a fit of it needs an option")
			 : errmsg("there is no method \"%s\"", name),
			 errhint("methods are among %s: methods => ARRAY['PeGS', 'table']", names_to_try())));
}

PegsTried
pegs_tried(const char *name, int64 block, int64 delta)
{
	PegsTried	tried = {.name = name, .block = block, .delta = delta, .method = pegs_method_named(name)};

	for (size_t i = 0; i < lengthof(of_papers); i++)
		if (strcmp(of_papers[i].name, name) == 0)
		{
			tried.method = pegs_method_named(of_papers[i].method);
			tried.block = of_papers[i].row_by_row ? 1 : block;
			tried.delta = tried.method->payment == PEGS_PAID_AT_FIT ? delta : 0;
		}
	if (tried.method == NULL || !can_be_tried(tried.method))
		refuse_name(name);
	if (tried.method->payment == PEGS_PAID_BY_SAMPLE && !pegs_has_blocks(tried.method))
		tried.block = 1;
	return tried;
}

/* ---- what is counted for it ---- */

/* As a fit reads them: with a privacy unit it counts other rows than those of the table, and some methods keep them. */
static void
read_again(PegsTried *tried, const PegsSource *source)
{
	PegsCounter *counter = pegs_counter_of_method(tried->model.spec, tried->method, CurrentMemoryContext);

	pegs_counter_scan(counter, source);
	tried->layout = counter->layout;
	tried->cells = counter->cells;
}

/* Those of one before it that counts the same, or none. */
static uint64_t *
cells_of_another(const PegsTried *all, int number)
{
	const pegs_method *method = all[number].method;

	for (int i = 0; i < number; i++)
		if (all[i].method->tables == method->tables && all[i].method->triples == method->triples && pegs_has_parents(all[i].method) == pegs_has_parents(method))
			return all[i].cells;
	return NULL;
}

/* Exact counts, or what its fit makes of them: the same for every epsilon. */
static void
make_unpaid(PegsTried *tried)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint8_t		key[PEGS_KEY_BYTES];

	if (tried->method->fit == NULL)
	{
		tried->wire = (pegs_wire) {.kind = tried->model.spec->tables, .ncols = tried->layout.ncols, .layout = tried->layout, .cells = tried->cells};
		return;
	}
	pegs_new_key(key);
	tried->wire = pegs_model_wire(tried->model.spec, tried->method, &tried->layout,
								  tried->method->fit(&env, pegs_rng_in(CurrentMemoryContext, key, 0), NULL, &tried->layout, tried->cells));
}

/* As `spec`, which has the parents, where the method takes them; its options are what is standard: a trial is told nothing else. */
static PegsSpec *
spec_of(const PegsTried *tried, PegsSpec *spec)
{
	const pegs_method *method = tried->method;
	PegsSpec   *own = pegs_has_parents(method) ? palloc(sizeof(PegsSpec)) : pegs_spec_without_parents(spec->domain, method->tables);

	if (pegs_has_parents(method))
		*own = *spec;
	own->tried = tried->name;
	pegs_settle_options(own, method, NULL, NULL);
	return own;
}

/* By public facts, before a row is read: an error, if it cannot fit that. */
void
pegs_prepare_tried(PegsTried *tried, const PegsSource *source, PegsSpec *spec)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	const pegs_method *method = tried->method;

	tried->model = (PegsModel) {
		.name = "R-U map",
		.method = method,
		.account = source->account,
		.spec = spec_of(tried, spec),
		.rows_per_unit = source->rows_per_unit,
		.rows_each = source->rows_each
	};
	pegs_spec_layout(tried->model.spec, &env, &tried->layout);
	if (method->triples)
		pegs_layout_add_triples(&env, &tried->layout);
	pegs_require_fit_of(tried->model.spec, method, &tried->layout);
}

static void
read_one(PegsTried *all, int number, const PegsSource *source, const pegs_coded *original)
{
	PegsTried  *tried = &all[number];
	const pegs_method *method = tried->method;

	tried->cells = cells_of_another(all, number);
	if (pegs_keeps_rows(method, &tried->layout) || (tried->cells == NULL && source->unit_column))
		read_again(tried, source);
	else if (tried->cells == NULL)
		tried->cells = pegs_count_coded(&tried->layout, original);
	if (method->payment != PEGS_PAID_AT_FIT)
		make_unpaid(tried);
}

void
pegs_read_tried(PegsTried *all, int n, const PegsSource *source, const pegs_coded *original)
{
	for (int i = 0; i < n; i++)
		read_one(all, i, source, original);
}

/* ---- rows of it ---- */

/* As a fit and a sample of this table may have it: only where it makes the noise smaller. */
static int64
delta_of(const PegsTried *tried, int64 epsilon)
{
	pegs_accountant pure;
	pegs_accountant other;

	if (tried->method->urns && pegs_is_in_rho(tried->model.account))
		return 0;
	if (!tried->method->one_table || tried->method->payment != PEGS_PAID_AT_FIT || tried->delta == 0)
		return tried->delta;
	pegs_fit_accountant(&pure, epsilon, 0, tried->model.rows_per_unit, tried->model.rows_each);
	pegs_fit_accountant(&other, epsilon, tried->delta, tried->model.rows_per_unit, tried->model.rows_each);
	return pegs_noise_sd(&pure, pegs_accountant_left(&pure)) <= pegs_noise_sd(&other, pegs_accountant_left(&other)) ? 0 : tried->delta;
}

static int64
units_of(double epsilon)
{
	return isnan(epsilon) ? 0 : (int64) rint(epsilon * PEGS_EPSILON_UNIT);
}

static void
account_for(const PegsTried *tried, int64 epsilon, pegs_accountant *accountant)
{
	pegs_fit_accountant(accountant, epsilon, delta_of(tried, epsilon), tried->model.rows_per_unit, tried->model.rows_each);
}

/* Its rows, and what they pay. */
static PegsRequest
request_of(PegsTried *tried, int64 n, int64 epsilon)
{
	PegsRequest request = {.model = &tried->model, .n = n, .block = tried->block};

	pegs_request_given(&request);
	if (tried->method->payment == PEGS_PAID_BY_SAMPLE)
	{
		request.epsilon = epsilon;
		request.delta = delta_of(tried, epsilon);
	}
	return request;
}

const char *
pegs_tried_why_not(PegsTried *tried, int64 n, double epsilon)
{
	int64		units = units_of(epsilon);
	PegsRequest request = request_of(tried, n, units);
	pegs_accountant accountant;

	switch (tried->method->payment)
	{
		case PEGS_PAID_AT_FIT:
			if (units > MAX_FIT_EPSILON * PEGS_EPSILON_UNIT)
				return "A fit takes at most epsilon 1000.";
			account_for(tried, units, &accountant);
			return accountant.total == 0 ? "Nothing is measured for so little." : NULL;
		case PEGS_PAID_BY_SAMPLE:
			return pegs_request_priced(&request) ? NULL : "For so many rows the noise would not fit in 64 bits.";
		case PEGS_NOT_PRIVATE:
			break;
	}
	return NULL;
}

static void *
fit_at(PegsTried *tried, int64 epsilon)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_accountant accountant;
	uint8_t		key[PEGS_KEY_BYTES];

	account_for(tried, epsilon, &accountant);
	pegs_new_key(key);
	return tried->method->fit(&env, pegs_rng_in(CurrentMemoryContext, key, 0), &accountant, &tried->layout, tried->cells);
}

pegs_coded *
pegs_tried_rows(PegsTried *tried, int64 n, double epsilon, const bool *numbers)
{
	PegsRequest request = request_of(tried, n, units_of(epsilon));
	const PegsDomain *domain = tried->model.spec->domain;
	PegsStream *stream;
	uint8_t		key[PEGS_KEY_BYTES];

	if (tried->method->payment == PEGS_PAID_AT_FIT)
	{
		void	   *model = fit_at(tried, units_of(epsilon));

		tried->wire = pegs_model_wire(tried->model.spec, tried->method, &tried->layout, model);
		domain = pegs_told_shares(domain, tried->method, model);
	}
	if (tried->method->payment == PEGS_PAID_BY_SAMPLE)
		pegs_request_price(&request);
	stream = pegs_stream_over(&request, &tried->wire);
	pegs_new_key(key);
	pegs_stream_start(stream, key);
	return pegs_coded_stream(stream, domain, numbers, n, key);
}

/*
 * pegs_internal.report_method(name text) → text: by which method a model or release was made, for the map of pegs_report
 *
 * NULL: every map has it, or the map cannot try it as it was fitted, with options, or its rows have no epsilon to stand at.
 */
PG_FUNCTION_INFO_V1(pegs_report_method);
Datum
pegs_report_method(PG_FUNCTION_ARGS)
{
	PegsRelease *release;
	const PegsModel *model = pegs_model_or_release(pegs_arg_text(fcinfo, 0, "name"), &release);
	const pegs_method *method = model->method;

	for (size_t i = 0; i < lengthof(of_papers); i++)
		if (strcmp(of_papers[i].method, method->name) == 0)
			PG_RETURN_NULL();
	if (model->spec->own || method->payment == PEGS_NOT_PRIVATE || !can_be_tried(method))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(method->name));
}

/* ---- in words, for people ---- */

/* What tells the forms of a family apart. */
static const char *
how_paid(const pegs_method *method)
{
	switch (method->payment)
	{
		case PEGS_PAID_AT_FIT:
			return "";
		case PEGS_PAID_BY_SAMPLE:
			return ", each sample pays";
		case PEGS_NOT_PRIVATE:
			break;
	}
	return method->family ? ", no guarantee" : ", l-diverse, no guarantee";
}

static void
put_title(ReturnSetInfo *result, const char *name, const pegs_method *method, const char *pays)
{
	Datum		values[3] = {CStringGetTextDatum(name), CStringGetTextDatum(method->name), CStringGetTextDatum(psprintf("%s%s", method->title, pays))};
	bool		nulls[3] = {false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * pegs_internal.report_titles() → table(name text, method text, title text)
 *
 * All that a map may have: the methods, each by its own name, and those that the papers call otherwise.
 */
PG_FUNCTION_INFO_V1(pegs_report_titles);
Datum
pegs_report_titles(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);

	for (int i = 0; pegs_methods[i]; i++)
		if (pegs_methods[i]->scorer == NULL)
			put_title(result, pegs_methods[i]->name, pegs_methods[i], how_paid(pegs_methods[i]));
	for (size_t i = 0; i < lengthof(of_papers); i++)
		put_title(result, of_papers[i].name, pegs_method_named(of_papers[i].method), of_papers[i].pays);
	return (Datum) 0;
}
