/*
 * sloped.c
 *	  A model whose values are sloped inside bins: it says so in its spec, and
 *	  its columns know their released shares.
 *
 * It is decided when the model is made, and stays: models of before, whose
 * spec has no such word, and their releases give the rows that they gave.
 * Released numbers only, never a count: Claim P8.
 */
#include "models/models.h"

/*
 * The spec of a model, not of a state: what is counted does not depend on it, nor on the target and the
 * options, which its text has from here on.
 */
void
pegs_spec_slope(PegsSpec *spec, const pegs_method *method)
{
	spec->sloped = method->payment == PEGS_PAID_AT_FIT && method->shares != NULL;
	if (!spec->sloped && spec->target == NULL && spec->own == NULL)
		return;
	spec->text = pegs_spec_text(spec);
}

void
pegs_tell_shares(PegsDomain *domain, const pegs_method *method, const void *model)
{
	for (int i = 0; method->shares && i < domain->ncols; i++)
		if (domain->column[i].nedges > 0)
			domain->column[i].shares = method->shares(model, i);
}

PegsDomain *
pegs_told_shares(const PegsDomain *domain, const pegs_method *method, const void *model)
{
	PegsDomain *own = palloc(sizeof(PegsDomain));

	*own = *domain;
	own->column = palloc(sizeof(PegsColumn) * domain->ncols);
	memcpy(own->column, domain->column, sizeof(PegsColumn) * domain->ncols);
	own->kept = NULL;			/* decoders of its own */
	pegs_tell_shares(own, method, model);
	return own;
}
