/*
 * leftover.c
 *	  What is left of dropped tables and roles, for pegs_health.
 */
#include "models/models.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"

/* (item, state, remedy, account, is it left only if the table is gone?) of all that may be left, as the extension's owner sees it. */
#define EVERYTHING(model_id) \
	"SELECT pg_catalog.format('grant of %s', o.name), pg_catalog.format('to a role that was dropped (OID %s)', a.grantee::pg_catalog.oid)," \
	" pg_catalog.format('SELECT pegs_revoke(%L, %L)', o.name, a.grantee::pg_catalog.oid), o.account::pg_catalog.oid, false" \
	" FROM pegs_internal.access AS a JOIN (SELECT " model_id " AS id, name, account FROM pegs_internal.model" \
	" UNION ALL SELECT id, name, account FROM pegs_internal.release) AS o ON o.id = a.object" \
	" WHERE o.name IS NOT NULL AND a.grantee::pg_catalog.oid <> 0 AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = a.grantee)" \
	" UNION ALL SELECT pg_catalog.format('%s %s', o.kind, o.name), 'its table was dropped', pg_catalog.format('SELECT pegs_drop(%L)', o.name), o.account::pg_catalog.oid, true" \
	" FROM (SELECT 'model' AS kind, name, account FROM pegs_internal.model UNION ALL SELECT 'release', name, account FROM pegs_internal.release) AS o" \
	" WHERE o.name IS NOT NULL AND o.account::pg_catalog.oid <> 0" \
	" ORDER BY 1, 2"

/* pegs_internal.leftovers() → (item text, state text, remedy text): of one's own tables */
PG_FUNCTION_INFO_V1(pegs_leftovers);
Datum
pegs_leftovers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	MemoryContext context = CurrentMemoryContext;
	SPITupleTable *table;
	PegsAs		saved;
	uint64		n;
	char	 ***found;
	Oid		   *account;
	bool	   *of_dropped;
	Oid			owner;

	pegs_begin_as_extension(&saved);
	pegs_spi(pegs_keeps("model", "first_fit") ? EVERYTHING("coalesce(first_fit, id)") : EVERYTHING("id"), SPI_OK_SELECT, 0, NULL);
	n = SPI_processed;
	table = SPI_tuptable;
	MemoryContextSwitchTo(context);
	found = palloc(sizeof(char **) * (n + 1));
	account = palloc(sizeof(Oid) * (n + 1));
	of_dropped = palloc(sizeof(bool) * (n + 1));
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;

		found[i] = palloc(sizeof(char *) * 3);
		for (int c = 0; c < 3; c++)
			found[i][c] = SPI_getvalue(table->vals[i], table->tupdesc, c + 1);
		account[i] = DatumGetObjectId(SPI_getbinval(table->vals[i], table->tupdesc, 4, &isnull));
		of_dropped[i] = DatumGetBool(SPI_getbinval(table->vals[i], table->tupdesc, 5, &isnull));
	}
	pegs_end_as(&saved);
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false};

		if (!pegs_is_curator(account[i]) || (of_dropped[i] && !pegs_is_dead(account[i], &owner)))
			continue;
		for (int c = 0; c < 3; c++)
			values[c] = CStringGetTextDatum(found[i][c]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
