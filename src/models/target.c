/*
 * target.c
 *	  What the rows of a model are for: columns that are named before anything
 *	  is looked at, whose pairs a fit prefers.
 *
 * It is a public fact of the model, and stands in its spec: a fit anew and the
 * slices after the first repeat it, a file has it, a certificate says it. Its
 * price is nothing: scores keep their sensitivity. Claim P7.
 */
#include "models/models.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

static void
refuse_value(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("target must be the name of a column, or a list of such names"),
			 errhint("options => '{\"target\": \"income\"}', or '{\"target\": [\"income\", \"hours\"]}'")));
}

static List *
add_name(List *names, const JsonbValue *value)
{
	char	   *name;

	if (value->type != jbvString)
		refuse_value();
	name = pegs_json_scalar(value);
	if (pegs_has_name(names, name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is named twice in target", pegs_clipped(name)),
				 errhint("Name every column once.")));
	return lappend(names, name);
}

List *
pegs_target_option(const JsonbValue *value)
{
	List	   *names = NIL;

	if (value->type != jbvBinary)
		return add_name(NIL, value);
	if (!JsonContainerIsArray(value->val.binary.data) || JsonContainerSize(value->val.binary.data) == 0
		|| JsonContainerSize(value->val.binary.data) > PEGS_MAX_COLUMNS)
		refuse_value();
	for (uint32 i = 0; i < JsonContainerSize(value->val.binary.data); i++)
		names = add_name(names, getIthJsonbValueFromContainer(value->val.binary.data, i));
	return names;
}

/* Where nothing is chosen by scores, a target would change nothing, and somebody would think that it did. */
void
pegs_refuse_target(const pegs_method *method)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("target cannot be given with method \"%s\"", method->name),
			 errdetail("It says which pairs of columns a fit prefers, and this method chooses none."),
			 errhint("Leave it out; or method => 'graph', with epsilon.")));
}

/* Each name once, of those columns; which NULL: of all. */
static List *
names_of(const PegsDomain *domain, const bool *which)
{
	List	   *names = NIL;

	for (int i = 0; i < domain->ncols; i++)
		if ((which == NULL || which[i]) && !pegs_has_name(names, pegs_said_name(&domain->column[i])))
			names = lappend(names, pegs_said_name(&domain->column[i]));
	return names;
}

static void
refuse_name(const PegsDomain *domain, const char *name)
{
	StringInfoData known;
	ListCell   *cell;

	for (int i = 0; i < domain->nderived; i++)
	{
		const PegsDerived *derived = &domain->derived[i];

		/* of a function its list would be told, which can be long */
		if (strcmp(derived->name, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be a target: it is computed from others", name),
					 derived->function ? errdetail("It is a function of column \"%s\".", derived->function->of)
					 : errdetail("It is %s.", derived->expression),
					 derived->function ? errhint("Name that column.") : errhint("Name the columns that it is computed from.")));
	}
	initStringInfo(&known);
	foreach(cell, names_of(domain, NULL))
		appendStringInfo(&known, "%s%s", known.len > 0 ? ", " : "", (char *) lfirst(cell));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("target \"%s\" is not a column of the model", pegs_clipped(name)),
			 errhint("Its columns are: %s.", known.data)));
}

bool *
pegs_target_columns(const PegsDomain *domain, List *names)
{
	bool	   *target = palloc0(sizeof(bool) * domain->ncols);
	ListCell   *cell;

	if (names == NIL)
		return NULL;
	foreach(cell, names)
	{
		bool		found = false;

		for (int i = 0; i < domain->ncols; i++)
			if (strcmp(pegs_said_name(&domain->column[i]), lfirst(cell)) == 0)
				found = target[i] = true;
		if (!found)
			refuse_name(domain, lfirst(cell));
	}
	return target;
}

void
pegs_repeat_target(PegsSpec *spec, const PegsSpec *before)
{
	spec->target = before->target ? palloc0(sizeof(bool) * spec->domain->ncols) : NULL;
	for (int i = 0; before->target && i < before->domain->ncols; i++)
	{
		int			now = pegs_domain_find(spec->domain, before->domain->column[i].name);

		if (before->target[i] && now >= 0)
			spec->target[now] = true;
	}
}

List *
pegs_target_named(const PegsSpec *spec)
{
	return spec->target ? names_of(spec->domain, spec->target) : NIL;
}

char *
pegs_target_json(const PegsSpec *spec, List *among)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, pegs_target_named(spec))
		if (among == NIL || pegs_has_name(among, lfirst(cell)))
		{
			appendStringInfoString(&list, list.len > 0 ? ", " : "[");
			escape_json(&list, lfirst(cell));
		}
	if (list.len == 0)
		return NULL;
	appendStringInfoChar(&list, ']');
	return list.data;
}
