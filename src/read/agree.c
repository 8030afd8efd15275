/*
 * agree.c
 *	  Is a row of the table as it is declared to be, where a column is a function
 *	  of another (facts/computed/function.c)?
 *
 * Such a column is not counted, but computed of what is drawn. It is read for
 * this alone: a row that is otherwise ends the fit before anything is charged,
 * as a value that is not declared does, by this row alone and without a value
 * in the message. Laws L5, L10.
 */
#include "read/read.h"

#include "utils/builtins.h"

typedef struct Agreement
{
	const PegsDerived *derived;
	int			of;				/* columns that are read */
	int			column;
	PegsEncoder *from;			/* a value of `of` to its place in the list */
	PegsEncoder *to;			/* a value of the column to the first place where the list has it */
	int		   *code;			/* [n] which that must be; -1: NULL */
	int			of_null;		/* likewise, where `of` is NULL */
} Agreement;

struct PegsAgree
{
	int			n;
	Agreement  *agreement;
	const char *table;			/* of several; or NULL */
	const char *source;			/* what is read: quoted and qualified */
	bool		inherited;		/* what is declared may be so of another relation */
};

/* What is read: the columns that are counted, then those that must agree with them; itself, if none must. */
const PegsDomain *
pegs_agreeing(const PegsDomain *domain, const PegsDomain *counted)
{
	PegsDomain *read = palloc0(sizeof(PegsDomain));

	read->column = palloc0(sizeof(PegsColumn) * (counted->ncols + domain->nderived + 1));
	read->ncols = counted->ncols;
	memcpy(read->column, counted->column, sizeof(PegsColumn) * counted->ncols);
	for (int i = 0; i < domain->nderived; i++)
	{
		const PegsDerived *derived = &domain->derived[i];

		if (derived->function)
			read->column[read->ncols++] = (PegsColumn) {.name = derived->name, .type = derived->type, .typmod = derived->typmod, .other = -1};
	}
	return read->ncols > counted->ncols ? read : counted;
}

/* Each text once: an encoder of them, and for each its code. */
static PegsEncoder *
encoder_of(const PegsColumn *like, char *const *texts, int n, int *code)
{
	PegsColumn *column = palloc0(sizeof(PegsColumn));
	Datum	   *value;
	PegsEncoder *encoder;

	*column = (PegsColumn) {.name = like->name, .type = like->type, .typmod = like->typmod, .other = -1};
	column->labels = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		code[i] = -1;
		for (int l = 0; texts[i] && code[i] < 0 && l <= column->nlabels; l++)
		{
			if (l == column->nlabels)
				column->labels[column->nlabels++] = texts[i];
			if (strcmp(column->labels[l], texts[i]) == 0)
				code[i] = l;
		}
	}
	encoder = pegs_encoder(column);
	/* labels that are one value of the type have one code */
	value = pegs_values(column->type, column->typmod, column->labels, column->nlabels);
	for (int i = 0; i < n; i++)
		if (code[i] >= 0)
			code[i] = pegs_encode_strict(encoder, value[code[i]], false);
	return encoder;
}

static Agreement
agreement_of(const PegsDerived *derived, const PegsDomain *read)
{
	const PegsFunction *function = derived->function;
	Agreement	agreement = {derived, pegs_domain_find(read, function->of), pegs_domain_find(read, derived->name), .of_null = -1};
	int		   *place = palloc(sizeof(int) * (function->n + 1));
	int		   *code = palloc(sizeof(int) * (function->n + 1));

	if (agreement.of < 0)
		elog(ERROR, "a function is of a column that is not read");
	agreement.from = encoder_of(&read->column[agreement.of], function->from, function->n, place);
	agreement.to = encoder_of(&read->column[agreement.column], function->to, function->n, code);
	agreement.code = palloc(sizeof(int) * (function->n + 1));
	for (int i = 0; i < function->n; i++)
		if (place[i] >= 0)
			agreement.code[place[i]] = code[i];
		else
			agreement.of_null = code[i];
	return agreement;
}

PegsAgree *
pegs_agree(const PegsDomain *domain, const PegsDomain *read, const PegsSource *source)
{
	PegsAgree  *agree = palloc0(sizeof(PegsAgree));

	agree->agreement = palloc(sizeof(Agreement) * (domain->nderived + 1));
	agree->source = source->name;
	agree->inherited = source->relid != source->account;
	agree->table = domain->ncols > 0 ? domain->column[0].table : NULL;
	for (int i = 0; i < domain->nderived; i++)
		if (domain->derived[i].function)
			agree->agreement[agree->n++] = agreement_of(&domain->derived[i], read);
	return agree;
}

static void
refuse(const PegsDerived *derived, const PegsAgree *agree)
{
	const char *of = derived->function->of;
	const char *table = agree->table;

	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("column \"%s\"%s%s is not what is declared: a function of column \"%s\"", derived->name, table ? " of " : "", table ? table : "", of),
			 errdetail("There is a row with another value. Nothing was charged."),
			 errhidestmt(true),
			 errhint("%s Which values occur together: SELECT DISTINCT %s, %s FROM %s;",
					 agree->inherited ? "Declare it as it is, where it is declared: of what the view or the part reads."
					 : psprintf("SELECT pegs_unset(%s, %s); and declare it as it is.", quote_literal_cstr(agree->source), quote_literal_cstr(derived->name)),
					 quote_identifier(of), quote_identifier(derived->name), agree->source)));
}

/* A row that counts. What the list does not name is another level's (other => ...), which has no value of its own here. */
void
pegs_require_agreement(const PegsAgree *agree, const Datum *values, const bool *nulls)
{
	for (int i = 0; i < agree->n; i++)
	{
		const Agreement *a = &agree->agreement[i];
		int			place = nulls[a->of] ? -1 : pegs_encode_strict(a->from, values[a->of], false);
		int			must = nulls[a->of] ? a->of_null : place >= 0 ? a->code[place] : -1;

		if (place < 0 && !nulls[a->of])
			continue;
		if (nulls[a->column] ? must >= 0 : must < 0 || pegs_encode_strict(a->to, values[a->column], false) != must)
			refuse(a->derived, agree);
	}
}
