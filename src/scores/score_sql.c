/*
 * score_sql.c
 *	  A score as a function in plain SQL, which needs no pegs.
 *
 * All names in it are looked up when it is made, those of operators in pg_catalog alone. Its sum is of whole numbers,
 * and what follows is what pegs_score does: the same to the last digit.
 */
#include "scores/scores.h"
#include "models/publish.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#define MAX_SQL (4 * 1024 * 1024)	/* bytes: whoever calls it needs far more memory */

typedef struct Text
{
	const PegsScored *scored;
	char	  **parameter;		/* [ncols] of features */
	StringInfoData sql;
	int64		part;			/* that is being written; -1: none yet */
	bool		open;			/* it is a CASE */
	MemoryContext scratch;		/* of a line */
} Text;

static void
close_part(Text *text)
{
	if (text->open)
		appendStringInfoString(&text->sql, " ELSE 0 END");
	text->open = false;
}

static void
write_conditions(Text *text, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points)
{
	if (text->part != part)
	{
		close_part(text);
		appendStringInfoString(&text->sql, text->part < 0 ? "\n\t\t" : "\n\t\tOPERATOR(pg_catalog.+) ");
		text->part = part;
		if (n == 0)
		{
			appendStringInfo(&text->sql, "(%d)::bigint", points);
			return;
		}
		appendStringInfoString(&text->sql, "CASE");
		text->open = true;
	}
	else if (!text->open)
		return;					/* what comes after a line that always holds */
	if (n == 0)
	{
		appendStringInfo(&text->sql, " ELSE %d END", points);
		text->open = false;
		return;
	}
	appendStringInfoString(&text->sql, " WHEN ");
	for (uint32_t i = 0; i < n; i++)
		appendStringInfo(&text->sql, "%s%s", i > 0 ? " AND " : "",
						 pegs_condition_sql(text->scored->domain, &condition[i], text->parameter[condition[i].column]));
	appendStringInfo(&text->sql, " THEN %d", points);
}

static void
write_line(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	Text	   *text = to;
	MemoryContext old = MemoryContextSwitchTo(text->scratch);

	CHECK_FOR_INTERRUPTS();
	write_conditions(text, part, n, condition, points);
	if (text->sql.len > MAX_SQL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("score \"%s\" would be more than %d bytes of SQL", text->scored->name, MAX_SQL),
				 errhint("Use pegs_score; or make a score of fewer trees or levels: method => 'additive'.")));
	MemoryContextSwitchTo(old);
	pegs_let_go(text->scratch);
}

static void
refuse_parts(const PegsScored *scored)
{
	if (scored->parts)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("score \"%s\" looks at parts of times, which plain SQL is not written for", scored->name),
				 errhint("Use pegs_score; or make a score without these columns: features => ARRAY[...].")));
	if (scored->domain->ncols - 1 > FUNC_MAX_ARGS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("score \"%s\" has %d features, and a function at most %d arguments", scored->name, scored->domain->ncols - 1, FUNC_MAX_ARGS),
				 errhint("Make a score of fewer: features => ARRAY[...].")));
}

/* pegs_score_sql(model text, function_name text: 'function' or 'schema.function') → text */
PG_FUNCTION_INFO_V1(pegs_score_sql);
Datum
pegs_score_sql(PG_FUNCTION_ARGS)
{
	PegsScored *scored = pegs_scored_by(fcinfo);
	char	   *name = pegs_arg_text(fcinfo, 1, "function_name");
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	Text		text = {.scored = scored, .part = -1};
	pegs_card	card = {.to = &text, .line = write_line};
	StringInfoData head;

	pegs_require_points(scored);
	refuse_parts(scored);
	initStringInfo(&text.sql);
	initStringInfo(&head);
	text.parameter = palloc0(sizeof(char *) * scored->domain->ncols);
	appendStringInfo(&head, "CREATE FUNCTION %s(", pegs_new_identifier(name));
	for (int i = 0, n = 0; i < scored->domain->ncols; i++)
	{
		const PegsColumn *column = &scored->domain->column[i];

		if (i == scored->target)
			continue;
		n++;
		if (pegs_type_named_of_others(column->type))
			ereport(NOTICE,
					(errmsg("argument \"%s\" of function %s is of type text", column->name, pegs_new_identifier(name)),
					 errdetail("It is of %s, before the statement runs.", pegs_type_named_of_others(column->type)),
					 errhint("Call it with %s::text. To have the type let it be yours, ALTER TYPE ... OWNER TO CURRENT_USER, and print the statement anew.", quote_identifier(column->name))));
		text.parameter[i] = psprintf("$%d", n);
		appendStringInfo(&head, "%s%s %s DEFAULT NULL", n > 1 ? ", " : "", quote_identifier(column->name),
						 pegs_type_sql(column->type));
	}
	text.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs score sql", ALLOCSET_DEFAULT_SIZES);
	scored->scorer->card(&env, scored->body, &card);
	MemoryContextDelete(text.scratch);
	close_part(&text);
	appendStringInfo(&head, ")\nRETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE\n"
					 "RETURN 1::double precision OPERATOR(pg_catalog./) (1::double precision OPERATOR(pg_catalog.+) pg_catalog.exp(OPERATOR(pg_catalog.-)\n"
					 "\tGREATEST(-%d, LEAST(%d, (%s\n\t)::double precision OPERATOR(pg_catalog./) %.0f::double precision))));\n",
					 PEGS_MAX_LOGIT, PEGS_MAX_LOGIT, text.sql.data, pegs_score_divisor(scored));
	PG_RETURN_TEXT_P(cstring_to_text(head.data));
}
