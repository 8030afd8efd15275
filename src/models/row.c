/*
 * row.c
 *	  A model as its row of pegs_internal.model has it: its facts, its spec.
 */
#include "models/beside.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PegsSpec *
pegs_read_spec(const PegsLookup *lookup, bool *by_name)
{
	char	   *words = TextDatumGetCString(pegs_needed_column(lookup, "spec"));
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, "types", &isnull);
	Datum	   *items;
	bool	   *nulls;
	Oid		   *types;
	int			n;

	*by_name = isnull;
	if (isnull)
		return pegs_spec_stored(words, 0, NULL);
	deconstruct_array(DatumGetArrayTypeP(value), REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT, &items, &nulls, &n);
	types = palloc(sizeof(Oid) * (n + 1));
	for (int i = 0; i < n; i++)
		types[i] = nulls[i] ? InvalidOid : DatumGetObjectId(items[i]);
	return pegs_spec_stored(words, n, types);
}

/* Of char *. */
static List *
texts_of(Datum array)
{
	List	   *texts = NIL;
	Datum	   *items;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &items, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			texts = lappend(texts, TextDatumGetCString(items[i]));
	return texts;
}

void
pegs_read_facts(const PegsLookup *lookup, PegsModel *model)
{
	bool		isnull;
	Datum		value;

	model->id = DatumGetInt64(pegs_needed_column(lookup, "id"));
	value = pegs_stored_column(lookup, "first_fit", &isnull);
	model->object = isnull ? model->id : DatumGetInt64(value);
	value = pegs_stored_column(lookup, "fit", &isnull);
	model->fit = isnull ? 1 : DatumGetInt32(value);
	model->created = DatumGetTimestampTz(pegs_needed_column(lookup, "created"));
	value = pegs_stored_column(lookup, "name", &isnull);
	model->name = isnull ? NULL : TextDatumGetCString(value);
	model->source = DatumGetObjectId(pegs_needed_column(lookup, "source"));
	model->account = DatumGetObjectId(pegs_needed_column(lookup, "account"));
	model->epsilon = DatumGetInt64(pegs_needed_column(lookup, "epsilon"));
	model->delta = DatumGetInt64(pegs_needed_column(lookup, "delta"));
	model->counted_by = TextDatumGetCString(pegs_needed_column(lookup, "counts"));
	value = pegs_stored_column(lookup, "read", &isnull);
	model->read = isnull ? NULL : TextDatumGetCString(value);
	value = pegs_stored_column(lookup, "lookups", &isnull);
	model->lookups = isnull ? NIL : texts_of(value);
	value = pegs_stored_column(lookup, "beside", &isnull);
	model->beside = isnull ? NIL : texts_of(value);
	model->beside_known = !isnull;
	model->beside_of = pegs_read_beside_of(lookup, model->account);
	value = pegs_stored_column(lookup, "key", &isnull);
	if (!isnull)
		memcpy(model->key, VARDATA_ANY(DatumGetByteaPP(value)), PEGS_KEY_BYTES);
	model->rows_per_unit = DatumGetInt32(pegs_needed_column(lookup, "rows_per_unit"));
	value = pegs_stored_column(lookup, "unit_column", &isnull);
	model->unit_column = isnull ? NULL : TextDatumGetCString(value);
	model->has_unit = model->rows_per_unit > 1 || !isnull;
	value = pegs_stored_column(lookup, "rows_each", &isnull);
	model->rows_each = isnull ? 0 : DatumGetInt32(value);
	if (model->rows_each == 1)
	{
		/* of a file that says: a person, of whom one row is read. Which column told persons apart it does not say. */
		model->has_unit = true;
		model->rows_each = 0;
	}
	model->structure_epsilon = DatumGetInt64(pegs_needed_column(lookup, "structure_epsilon"));
	value = pegs_stored_column(lookup, "domain_epsilon", &isnull);
	model->domain_cost.epsilon = isnull ? 0 : DatumGetInt64(value);
	value = pegs_stored_column(lookup, "domain_delta", &isnull);
	model->domain_cost.delta = isnull ? 0 : DatumGetInt64(value);
	value = pegs_stored_column(lookup, "domain_other_unit", &isnull);
	model->domain_cost.other_unit = !isnull && DatumGetBool(value);
	value = pegs_stored_column(lookup, "l_diversity", &isnull);
	model->l_diversity = isnull ? 0 : DatumGetFloat8(value);
	model->slice = pegs_read_slice(lookup);
	pegs_read_method(lookup, model);
	model->made_here = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(lookup->tuple->t_data));
}
