/*
 * sample.c
 *	  Rows of a model: pegs_sample and pegs_sample_as.
 *
 * Order of a call: arguments, right, facts, alpha, column list, level values,
 * body; then the charge; then the key; then rows. Nothing after the charge
 * depends on anything the caller could still get wrong. Law L2.
 */
#include "rows/rows.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- pegs_sample, pegs_sample_as ---- */

/* A table of several: nothing is charged. */
static void
sample_member(FunctionCallInfo fcinfo, const PegsRequest *request, bool by_type)
{
	PegsMemberRows *member = pegs_member_rows(request);
	PegsKeys	keys = pegs_member_keys(request, member);
	const PegsDomain *domain = pegs_member_domain(request, member);
	PegsRows   *rows = pegs_rows_begin(fcinfo, domain, request->model->name, by_type, &keys);
	uint16_t   *codes = palloc0(sizeof(uint16_t) * (domain->ncols + 1));

	pegs_member_rows_start(member, request->model->key);
	pegs_rows_start(rows, request->model->key);
	while (pegs_member_rows_pull(member, rows, codes))
		pegs_rows_put(rows, codes);
	pegs_rows_end(rows);
}

static void
sample(FunctionCallInfo fcinfo, bool by_type)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsRequest request;
	PegsBill	bill;
	bool		charges;
	PegsRows   *rows;
	PegsStream *stream;
	PegsKeys	keys;
	uint8_t		key[PEGS_KEY_BYTES];

	pegs_request(&request, fcinfo, by_type ? 1 : 0);
	if (request.model->spec->related)
	{
		sample_member(fcinfo, &request, by_type);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		return;
	}
	keys = (PegsKeys) {.n = request.n, .model = request.model};
	rows = pegs_rows_begin(fcinfo, pegs_sliced_domain(request.model, pegs_drawn_domain(request.model)), request.model->name, by_type, request.numbered ? &keys : NULL);
	stream = pegs_stream(&request);
	if (request.parts > 0)
		pegs_stream_part(stream, request.part, request.parts);
	if (pegs_is_sealed(request.model) || request.fresh)
		pegs_new_key(key);
	else
		memcpy(key, request.model->key, sizeof(key));
	if (!pegs_is_private(request.model))
		pegs_note_uncovered(request.model->account, "uncovered sample", request.model->name, pegs_why_uncovered(request.model->l_diversity));
	charges = pegs_is_sealed(request.model) && pegs_is_private(request.model);
	if (charges)
	{
		pegs_request_bill(&request, "sample", request.model->name, &bill);
		pegs_charge(&bill);
	}
	pegs_stream_start(stream, key);
	pegs_rows_start(rows, key);
	explicit_bzero(key, sizeof(key));
	pegs_stream_rows(stream, pegs_rows_turn, pegs_rows_put, rows);
	pegs_rows_end(rows);
	if (charges)
		pegs_charge_done(&bill);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static bool
next_row(void *from, PegsRows *rows, uint16_t *row)
{
	return pegs_stream_pull(from, pegs_rows_turn, rows, row);
}

/* What charges, or is another table at each call, stands in FROM alone. */
static void
require_repeatable(FunctionCallInfo fcinfo, const PegsRequest *request)
{
	if (pegs_is_sealed(request->model) || !pegs_is_private(request->model))
		pegs_require_set(fcinfo, SFRM_Materialize | SFRM_Materialize_Preferred);
	if (request->fresh)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("rows with a fresh key must be asked for in FROM"),
				 errdetail("In the select list each column of (pegs_sample_as(...)).* would be of another table."),
				 errhint("SELECT * FROM pegs_sample_as(...)")));
}

/* pegs_sample_as in the select list, at its first call: streamed.c. */
static void
begin_streamed(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	PegsRequest *request = palloc0(sizeof(PegsRequest));
	PegsKeys   *keys = palloc(sizeof(PegsKeys));
	PegsStream *stream;
	PegsRows   *rows;

	pegs_request(request, fcinfo, 1);
	require_repeatable(fcinfo, request);
	if (request->model->spec->related)
	{
		PegsMemberRows *member = pegs_member_rows(request);
		const PegsDomain *domain = pegs_member_domain(request, member);

		*keys = pegs_member_keys(request, member);
		rows = pegs_rows_begin_few(fcinfo, domain, request->model->name, keys);
		pegs_member_rows_start(member, request->model->key);
		pegs_rows_start(rows, request->model->key);
		pegs_rows_end(rows);
		pegs_streamed(fcinfo, rows, pegs_member_rows_pull, member, palloc0(sizeof(uint16_t) * (domain->ncols + 1)));
		MemoryContextSwitchTo(old);
		return;
	}
	*keys = (PegsKeys) {.n = request->n, .model = request->model};
	rows = pegs_rows_begin_few(fcinfo, pegs_sliced_domain(request->model, pegs_drawn_domain(request->model)), request->model->name,
							   request->numbered ? keys : NULL);
	stream = pegs_stream(request);
	if (request->parts > 0)
		pegs_stream_part(stream, request->part, request->parts);
	pegs_stream_start(stream, request->model->key);
	pegs_rows_start(rows, request->model->key);
	pegs_rows_end(rows);
	pegs_streamed(fcinfo, rows, next_row, stream, pegs_stream_room(stream));
	MemoryContextSwitchTo(old);
}

/* pegs_sample(model, n, epsilon, block, delta, given, options) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_sample);
Datum
pegs_sample(PG_FUNCTION_ARGS)
{
	sample(fcinfo, false);
	return (Datum) 0;
}

/* pegs_sample_as(row_type anyelement, model, n, epsilon, block, delta, given, options) → SETOF anyelement */
PG_FUNCTION_INFO_V1(pegs_sample_as);
Datum
pegs_sample_as(PG_FUNCTION_ARGS)
{
	if (pegs_in_select_list(fcinfo))
	{
		if (SRF_IS_FIRSTCALL())
			begin_streamed(fcinfo);
		return pegs_streamed_row(fcinfo);
	}
	sample(fcinfo, true);
	return (Datum) 0;
}

/* How many rows a call without n gives, as far as its caller may know; 0: it does not. */
static int64
rows_without_n(PlannerInfo *root, Node *model)
{
	Const	   *name = (Const *) estimate_expression_value(root, model);
	PegsModel  *found;

	if (!IsA(name, Const) || name->constisnull || name->consttype != TEXTOID || toast_raw_datum_size(name->constvalue) > NAMEDATALEN + VARHDRSZ)
		return 0;
	found = pegs_find_model(TextDatumGetCString(name->constvalue));
	if (found == NULL || pegs_usable_grant(found->object, found->account) < 0 || found->unknown_method != NULL || pegs_is_sealed(found))
		return 0;
	return pegs_model_rows(found);
}

/* The planner learns n: support function of both. */
PG_FUNCTION_INFO_V1(pegs_sample_support);
Datum
pegs_sample_support(PG_FUNCTION_ARGS)
{
	Node	   *node = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *request = (SupportRequestRows *) node;
	List	   *args;
	Node	   *n;
	int64		rows;

	if (!IsA(node, SupportRequestRows) || !is_funcclause(request->node))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) request->node)->args;
	if (list_length(args) < 7)
		PG_RETURN_POINTER(NULL);
	n = estimate_expression_value(request->root, list_nth(args, list_length(args) - 6));
	if (!IsA(n, Const) || ((Const *) n)->consttype != INT8OID)
		PG_RETURN_POINTER(NULL);
	rows = ((Const *) n)->constisnull ? rows_without_n(request->root, list_nth(args, list_length(args) - 7))
		: DatumGetInt64(((Const *) n)->constvalue);
	if (rows < 1)
		PG_RETURN_POINTER(NULL);
	request->rows = (double) rows;
	PG_RETURN_POINTER(request);
}
