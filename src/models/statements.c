/*
 * statements.c
 *	  Statements that publish rows, one a row of the answer, and what stands
 *	  beside those rows.
 *
 * A person reads them and runs them: nothing is run here. What is said of
 * epsilon is what was charged. Law L6.
 */
#include "models/publish.h"

#include "access/tupdesc.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

char *
pegs_published_comment(const PegsPublished *what)
{
	const PegsModel *model = what->model;
	const PegsRelease *release = what->release;
	bool		sealed = pegs_is_sealed(model);
	const char *learnt = pegs_learnt_words(&model->domain_cost);
	int			among;
	bool		other_unit;
	int64		choice = pegs_choice_epsilon(model, release, &among, &other_unit);
	int64		epsilon = sealed ? release->epsilon : model->epsilon;
	int64		delta = sealed ? release->delta : model->delta;
	bool		of_slices = model->slice && release == NULL;
	StringInfoData text;

	if (of_slices)
	{
		PegsSlicesCost cost = pegs_slices_cost(model);

		epsilon = cost.epsilon;
		delta = cost.delta;
	}
	initStringInfo(&text);
	appendStringInfo(&text, "synthetic, epsilon %s", pegs_units_text(epsilon, 9));
	if (sealed && model->structure_epsilon != 0)
		appendStringInfo(&text, " and %s for the choice of parents", pegs_units_text(model->structure_epsilon, 9));
	if (delta != 0)
		appendStringInfo(&text, ", delta %s", pegs_units_text(delta, 18));
	if (of_slices)
		appendStringInfoString(&text, " in all slices so far");
	if (learnt)
		appendStringInfo(&text, ", and %s for learning levels and bins", learnt);
	if (choice != 0)
		appendStringInfo(&text, ", and epsilon %s for choosing it", pegs_units_text(choice, 9));
	if (!OidIsValid(model->account))
		appendStringInfo(&text, " %s", model->counted_by);
	else if (release == NULL && model->slice == NULL)	/* it stays when the model is fitted anew: what that cost is in the certificate */
		appendStringInfo(&text, " (of the fit when this %s was made)", what->copied ? "table" : "view");
	appendStringInfo(&text, ", see pegs_certificate(%s)", quote_literal_cstr(what->name));
	return quote_literal_cstr(text.data);
}

/* Does it have such a comment? Then statements of ours made it. */
bool
pegs_is_published(Oid relid)
{
	const char *comment = GetComment(relid, RelationRelationId, 0);

	return comment && strncmp(comment, "synthetic, epsilon ", 19) == 0 && strstr(comment, ", see pegs_certificate(") != NULL;
}

void
pegs_put_statement(PegsStatements *statements, char *statement)
{
	Datum		value;
	bool		isnull = false;

	if (statements->result == NULL)
	{
		appendStringInfo(&statements->text, "%s%s", statements->text.len > 0 ? "\n" : "", statement);
		return;
	}
	value = CStringGetTextDatum(statement);
	tuplestore_putvalues(statements->result->setResult, statements->result->setDesc, &value, &isnull);
}

void
pegs_begin_statements(PegsStatements *statements, FunctionCallInfo fcinfo, bool one_text)
{
	TupleDesc	desc;

	statements->result = NULL;
	initStringInfo(&statements->text);
	if (one_text)
		return;
	pegs_require_set(fcinfo, SFRM_Materialize);
	desc = CreateTemplateTupleDesc(1);
	TupleDescInitEntry(desc, 1, "statement", TEXTOID, -1, 0);
	statements->result = pegs_begin_set(fcinfo, desc);
}
