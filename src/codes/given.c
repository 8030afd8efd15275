/*
 * given.c
 *	  A level as a caller writes it in JSON, and what a session keeps of a model's columns.
 */
#include "codes/codes.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Longest text that the input function of a type other than text is tried with: numerics have up to 147,455 digits. */
#define LONGEST_VALUE 200000

static int
code_of(const PegsColumn *column, PegsEncoder **encoder, const JsonbValue *value, bool kept)
{
	char	   *text;

	if (!OidIsValid(column->type))
		pegs_type_is_gone(column->name, NULL);
	if (value->type == jbvString && value->val.string.len > LONGEST_VALUE && !pegs_is_text(column->type))
		return -1;
	text = pegs_json_scalar(value);
	if (text == NULL)
		return column->nullable ? pegs_column_levels(column) - 1 : -1;
	if (*encoder == NULL)
		*encoder = pegs_encoder(column);
	return pegs_encode_strict(*encoder,
							  kept ? pegs_from_canonical(column->type, column->typmod, text) : pegs_input(column->type, column->typmod, text),
							  false);
}

/* As the session writes it. */
int
pegs_code_of(const PegsColumn *column, PegsEncoder **encoder, const JsonbValue *value)
{
	return code_of(column, encoder, value, false);
}

/* A label is kept as it was called: whatever it is called now, and if its type is gone. */
static int
code_of_label(const PegsColumn *column, const JsonbValue *value)
{
	char	   *text = pegs_json_scalar(value);

	if (text == NULL)
		return column->nullable ? pegs_column_levels(column) - 1 : -1;
	for (int i = 0; i < column->nlabels; i++)
		if (strcmp(column->labels[i], text) == 0)
			return i;
	return -1;
}

/* As pegs_kept_values wrote it: the same in every session. */
int
pegs_code_of_kept(const PegsDomain *domain, int number, PegsEncoder **encoder, const JsonbValue *value)
{
	const PegsColumn *column = &domain->column[number];

	if (!OidIsValid(column->type) || get_typtype(column->type) == TYPTYPE_ENUM)
		return code_of_label(column, value);
	if (*encoder == NULL)
		*encoder = pegs_domain_encoder(domain, number);
	return code_of(column, encoder, value, true);
}

/* Which value a text is depends on the session, or on the day: 'today'. */
static bool
is_by_session(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* Values of columns, known to be of their types, as they are kept for other sessions: in our notation. */
Jsonb *
pegs_kept_values(const PegsDomain *domain, Jsonb *object)
{
	JsonbParseState *state = NULL;
	JsonbValue *result = NULL;
	JsonbIterator *it = JsonbIteratorInit(&object->root);
	const PegsColumn *column = NULL;
	JsonbValue	item;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			int			found = pegs_domain_find(domain, pegs_json_key(&item));

			column = found >= 0 && is_by_session(domain->column[found].type) ? &domain->column[found] : NULL;
		}
		else if ((token == WJB_VALUE || token == WJB_ELEM) && column && item.type != jbvNull)
		{
			char	   *text = pegs_canonical(column->type, column->typmod, pegs_json_scalar(&item));

			item.type = jbvString;
			item.val.string.val = text;
			item.val.string.len = (int) strlen(text);
		}
		result = pushJsonbValue(&state, token, token < WJB_BEGIN_ARRAY ? &item : NULL);
	}
	return JsonbValueToJsonb(result);
}

/* The encoder of a column: kept where the domain is kept. */
PegsEncoder *
pegs_domain_encoder(const PegsDomain *domain, int number)
{
	PegsKeptColumn *kept = domain->kept ? &domain->kept[number] : NULL;
	MemoryContext context;
	MemoryContext old;
	PegsEncoder *encoder;

	if (kept == NULL)
		return pegs_encoder(&domain->column[number]);
	if (kept->encoder)
		return kept->encoder;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs encoder", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	encoder = pegs_encoder(&domain->column[number]);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, domain->context);
	return kept->encoder = encoder;
}
