/*
 * given.c
 *	  A level as a caller writes it in JSON, and what a session keeps of a model's columns.
 */
#include "codes/codes.h"

#include "utils/memutils.h"

/* Longest text that the input function of a type other than text is tried with: numerics have up to 147,455 digits. */
#define LONGEST_VALUE 200000

int
pegs_code_of(const PegsColumn *column, const PegsEncoder *encoder, const JsonbValue *value)
{
	char	   *text;

	if (!OidIsValid(column->type))
		pegs_type_is_gone(column->name, NULL);
	if (value->type == jbvString && value->val.string.len > LONGEST_VALUE && !pegs_is_text(column->type))
		return -1;
	text = pegs_json_scalar(value);
	if (text == NULL)
		return column->nullable ? pegs_column_levels(column) - 1 : -1;
	return pegs_encode_strict(encoder ? encoder : pegs_encoder(column), pegs_input(column->type, column->typmod, text), false);
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
