/*
 * trace.c
 *	  One sampled row, feature by feature: pegs_trace, as PeGS paper Table 3
 *	  and Park's thesis Table 3.3 show it.
 *
 * Charged like a sample of one row. It tells no more than that row: the seed
 * is drawn without the data, and each line of the trace is a part of the seed
 * and a part of the row. Claim P2 is proved with the seed given out.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/pegs/pegs_method.h"

/* The columns before `done` as in `row`, the others as in `seed`. */
static void
put_line(ReturnSetInfo *result, const PegsDomain *domain, int done, const uint16_t *row, const uint16_t *seed)
{
	StringInfoData line;
	Datum		values[3];
	bool		nulls[3] = {false, done == 0, false};

	initStringInfo(&line);
	for (int i = 0; i < domain->ncols; i++)
	{
		char	   *text = pegs_level_text(&domain->column[i], i < done ? row[i] : seed[i]);

		appendStringInfoString(&line, i == 0 ? "{" : ", ");
		escape_json(&line, domain->column[i].name);
		appendStringInfoString(&line, ": ");
		if (text)
			escape_json(&line, text);
		else
			appendStringInfoString(&line, "null");
	}
	appendStringInfoChar(&line, '}');
	values[0] = Int32GetDatum(done);
	values[1] = done > 0 ? DirectFunctionCall1(namein, CStringGetDatum(domain->column[done - 1].name)) : (Datum) 0;
	/* json, not jsonb: it keeps the order of the columns */
	values[2] = CStringGetTextDatum(line.data);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* pegs_trace(model text, epsilon double precision) → (step int, drawn name, line json) */
PG_FUNCTION_INFO_V1(pegs_trace);
Datum
pegs_trace(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs trace", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	PegsRequest request = {.n = 1, .block = 1, .epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon")};
	const PegsDomain *domain;
	ReturnSetInfo *result;
	PegsStream *stream;
	PegsBill	bill;
	uint8_t		key[PEGS_KEY_BYTES];
	uint16_t   *seed;
	uint16_t   *row;

	request.model = pegs_model(name);
	domain = request.model->spec->domain;
	if (!pegs_is_private(request.model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 request.model->l_diversity > 0 ? errmsg("model \"%s\" is l-diverse: no epsilon pays for its trace", name)
				 : errmsg("model \"%s\" has no guarantee: no epsilon pays for its trace", name),
				 errhint("SELECT * FROM pegs_sample(%s, 1) AS t(%s);", quote_literal_cstr(name), pegs_column_list(domain))));
	if (!pegs_is_gibbs(request.model->method))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 pegs_is_sealed(request.model) ? errmsg("rows of method \"%s\" cannot be traced", request.model->method->name)
				 : errmsg("model \"%s\" is perturbed: its rows are not made feature by feature", name),
				 errhint("A trace is of a sealed model of method 'pegs' (pegs_fit without epsilon).")));
	if (request.epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null: a trace is charged like a sample of one row"),
				 errhint("epsilon => 1")));
	pegs_request_given(&request);
	pegs_request_price(&request);
	result = pegs_materialize(fcinfo, true);
	stream = pegs_stream(&request);
	seed = palloc(sizeof(uint16_t) * domain->ncols);
	row = palloc(sizeof(uint16_t) * domain->ncols);
	pegs_new_key(key);
	pegs_request_bill(&request, "trace", name, &bill);
	pegs_charge(&bill);
	pegs_stream_start(stream, key);
	explicit_bzero(key, sizeof(key));
	memcpy(seed, pegs_sealed_sampler(pegs_stream_draws(stream))->row, sizeof(uint16_t) * domain->ncols);
	pegs_stream_next(stream, row);
	for (int done = 0; done <= domain->ncols; done++)
		put_line(result, domain, done, row, seed);
	pegs_charge_done(&bill);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return (Datum) 0;
}
