/*
 * choice.c
 *	  What pegs_best tells of a model besides: by the lines of the ledger.
 *
 * By ids, and public facts alone. Law L6: a choice is told of all that were
 * compared, and of what was made of them. Claims P19 and P29, docs/privacy.md.
 */
#include "models/models.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/scorer.h"

/* Of the lines that have it, but for what it has told; and those of the fit that it was made of. */
#define CHOICES(told, made_of) \
	"SELECT coalesce(sum(epsilon_to - epsilon_from), 0)::bigint" told ", coalesce(max((SELECT count(*) FROM unnest(compared) AS c WHERE c > 0)), 0)::int," \
	" coalesce(bool_or(CASE WHEN unit LIKE 'a row of %' THEN 'row' ELSE unit END IS DISTINCT FROM $4), false)" \
	" FROM pegs_internal.ledger WHERE source = $1 AND ($2 = ANY (compared) OR $3 = ANY (compared) OR -$2 = ANY (compared)" made_of ")"

/*
 * What was charged for choosing it, or its model, among others (pegs_best): whoever
 * publishes what was chosen tells of all that were compared. By the lines of the
 * ledger, which keep ids: names come and go, and a release outlives that of its
 * model. A choice that was rolled back has no line.
 *
 * A score knows the fit that it was made of, and what of that fit's choices it has
 * told already: whichever of the two was committed first, and whether or not they
 * saw each other, each choice is told once. A score is in a line, too, with its id
 * below 0, if it was made of the model before that was compared: a copy may have
 * lost the rest.
 */
int64
pegs_choice_epsilon(const PegsModel *model, const PegsRelease *release, int *among, bool *other_unit)
{
	PegsAs		saved;
	Oid			payer = OidIsValid(model->account) ? pegs_payer(model->account) : InvalidOid;
	Oid			account = OidIsValid(payer) ? payer : model->account;
	PegsArg		args[4] = {
		{OIDOID, ObjectIdGetDatum(account), !OidIsValid(account)},
		{INT8OID, Int64GetDatum(model->id), false},
		{INT8OID, Int64GetDatum(release ? release->id : 0), release == NULL},
		{TEXTOID, CStringGetTextDatum(payer != model->account ? "row" : pegs_charged_unit(model->has_unit, model->unit_column)), false}
	};
	int64		epsilon = 0;

	*among = 0;
	*other_unit = false;
	if (!pegs_keeps("ledger", "compared"))
		return 0;				/* older than choices */
	pegs_begin_as_extension(&saved);
	pegs_spi(pegs_keeps("model", "made_of")
			 ? CHOICES(" - coalesce((SELECT choice_told FROM pegs_internal.model WHERE id = $2), 0)", " OR (SELECT made_of FROM pegs_internal.model WHERE id = $2) = ANY (compared)")
			 : CHOICES("", ""), SPI_OK_SELECT, 4, args);
	if (SPI_processed == 1)
	{
		bool		isnull;

		epsilon = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
		*among = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
		*other_unit = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3, &isnull));
	}
	pegs_end_as(&saved);
	if (epsilon <= 0)
	{
		*among = 0;
		*other_unit = false;
	}
	return Max(epsilon, 0);
}

void
pegs_note_made_of(int64 score, const PegsModel *model, int64 told)
{
	PegsAs		saved;
	PegsArg		args[3] = {{INT8OID, Int64GetDatum(score), false}, {INT8OID, Int64GetDatum(model->id), false}, {INT8OID, Int64GetDatum(told), false}};

	if (!pegs_keeps("model", "made_of"))
		return;
	pegs_begin_as_extension(&saved);
	pegs_spi_now("UPDATE pegs_internal.model SET made_of = $2, choice_told = $3 WHERE id = $1", SPI_OK_UPDATE, 3, args);
	pegs_end_as(&saved);
}

/* Those of scores that were made of this fit of a model, below 0: what is told of the model is told of them. */
static List *
add_scores_of(List *ids, const PegsModel *model)
{
	PegsAs		saved;
	Oid			payer = OidIsValid(model->account) ? pegs_payer(model->account) : InvalidOid;
	Oid			account = OidIsValid(payer) ? payer : model->account;
	PegsArg		args[4] = {
		{OIDOID, ObjectIdGetDatum(account), !OidIsValid(account)},
		{INT8OID, Int64GetDatum(model->id), false},
		{TEXTOID, CStringGetTextDatum(PEGS_SCORE_OF_MODEL), false},
		{TEXTOID, CStringGetTextDatum(pegs_rows_of_model(model)), false}
	};
	MemoryContext context = CurrentMemoryContext;

	if (!pegs_keeps("model", "method"))
		return ids;				/* older than scores */
	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT id FROM pegs_internal.model WHERE account = $1 AND id > $2 AND method = $3 AND counts = $4 ORDER BY id", SPI_OK_SELECT, 4, args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		int64		id = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		MemoryContext old = MemoryContextSwitchTo(context);

		ids = lappend(ids, DatumGetPointer(Int64GetDatum(-id)));
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	return ids;
}

List *
pegs_add_compared(List *ids, const PegsRelease *release, const PegsModel *model)
{
	ids = lappend(ids, DatumGetPointer(Int64GetDatum(release ? release->id : model->id)));
	return release ? ids : add_scores_of(ids, model);
}

Datum
pegs_ids_array(const List *ids)
{
	Datum	   *id = palloc(sizeof(Datum) * list_length(ids));

	for (int i = 0; i < list_length(ids); i++)
		id[i] = PointerGetDatum(list_nth(ids, i));
	return PointerGetDatum(construct_array(id, list_length(ids), INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
