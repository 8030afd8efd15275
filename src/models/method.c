/*
 * method.c
 *	  Of which method a stored model is.
 */
#include "models/models.h"

#include "utils/builtins.h"

/* Before a model's method was written down: which it was. */
const pegs_method *
pegs_method_of_old(bool sealed, double l_diversity)
{
	return pegs_method_named(!sealed ? "graph" : l_diversity > 0 ? "pegs l-diverse" : "pegs");
}

/*
 * The method; what is wrong with it is said once the caller's right to the
 * model is known (pegs_require_method).
 */
void
pegs_read_method(const PegsLookup *lookup, PegsModel *model)
{
	bool		sealed = DatumGetBool(pegs_needed_column(lookup, "sealed"));
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, "method", &isnull);
	char	   *name = isnull ? NULL : TextDatumGetCString(value);

	model->method = name ? pegs_method_named(name) : pegs_method_of_old(sealed, model->l_diversity);
	if (model->method == NULL)
	{
		model->method = pegs_method_of_old(sealed, model->l_diversity);
		model->unknown_method = name;
	}
	model->method_is_false = pegs_is_sealed(model) != sealed;
}

/* Is it a method that is here, and does it fit what else is stored of the model? */
void
pegs_require_method(const PegsModel *model)
{
	const char *name = model->name ? model->name : "(dropped)";

	if (model->unknown_method)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("model \"%s\" is of method \"%s\", which this version does not have", name, model->unknown_method),
				 errhint("Install the version of pegs that made it.")));
	if (model->method_is_false || model->spec->tables != model->method->tables)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the method of model \"%s\" is not its own", name),
				 errdetail("Its facts are those of another: pegs_internal.model was changed."),
				 errhint("Restore a backup, or drop the model and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(name))));
}
