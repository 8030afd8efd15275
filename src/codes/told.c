/*
 * told.c
 *	  What a person said of a column: where its type refuses it, the error says of which column and argument it was, and what to put there.
 */
#include "codes/codes.h"

#include "utils/builtins.h"

/* What the type refuses says nothing of the column. A cancel is none of it, and what was learnt from rows must not stand beside one. */
static void
say_where(void *arg)
{
	const PegsTold *told = arg;
	int			category = ERRCODE_TO_CATEGORY(geterrcode());

	if (told->text == NULL || (category != ERRCODE_DATA_EXCEPTION && category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION))
		return;
	errcontext("\"%s\" for column \"%s\", in %s", pegs_clipped(told->text), told->column->name, told->what);
	if (told->hint)
		errhint("%s", told->hint);
	else
		errhint("In its place put a value that column \"%s\" of type %s can have.", told->column->name,
				format_type_with_typemod(told->column->type, told->column->typmod));
}

void
pegs_tell(PegsTold *told)
{
	told->context = (ErrorContextCallback) {.callback = say_where, .arg = told, .previous = error_context_stack};
	error_context_stack = &told->context;
}

void
pegs_untell(const PegsTold *told)
{
	error_context_stack = told->context.previous;
}

int
pegs_code_of_told(const PegsColumn *column, PegsEncoder **encoder, const JsonbValue *value, const char *what)
{
	PegsTold	told = {.column = column, .text = pegs_json_scalar(value), .what = what};
	int			code;

	pegs_tell(&told);
	code = pegs_code_of(column, encoder, value);
	pegs_untell(&told);
	return code;
}

char *
pegs_canonical_told(const PegsColumn *column, const char *text, const char *what)
{
	PegsTold	told = {.column = column, .text = text, .what = what};
	char	   *value;

	pegs_tell(&told);
	value = pegs_canonical(column->type, column->typmod, text);
	pegs_untell(&told);
	return value;
}
