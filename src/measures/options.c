/*
 * options.c
 *	  What a report is asked for, checked before anything is read.
 *
 * An option that nobody knows, or a value of another kind, is an error: left
 * alone it would be a wish that is not heard. The report itself is SQL
 * (src/report/report.sql), which cannot raise one.
 */
#include "measures/measures.h"

#include "miscadmin.h"

PG_FUNCTION_INFO_V1(pegs_report_options);

/* A list of numbers; whether they are amounts of epsilon is asked where they are spent in a trial. */
static bool
is_numbers(const JsonbValue *value)
{
	uint32		n = value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ? JsonContainerSize(value->val.binary.data) : 0;

	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (getIthJsonbValueFromContainer(value->val.binary.data, i)->type != jbvNumeric)
			return false;
	}
	return n > 0;	/* what is no list has none */
}

static void
check_option(const char *name, const JsonbValue *value)
{
	if (strcmp(name, "ru_map") == 0 || strcmp(name, "scores") == 0)
	{
		if (value->type != jbvBool)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"%s\" must be true or false", name),
					 errhint("options => '{\"%s\": false}'", name)));
	}
	else if (strcmp(name, "epsilons") == 0)
	{
		if (!is_numbers(value))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"epsilons\" must be a list of numbers"),
					 errhint("options => '{\"epsilons\": [0.5, 1, 2]}'; without the map: options => '{\"ru_map\": false}'")));
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown option \"%s\"", name),
				 errhint("Known are: ru_map, epsilons, scores.")));
}

/* pegs_internal.report_options(options jsonb) → jsonb: as they are; null stays null */
Datum
pegs_report_options(PG_FUNCTION_ARGS)
{
	Jsonb	   *options = pegs_arg_object(fcinfo, 0, "options");
	PegsMembers members;

	if (options == NULL)
		PG_RETURN_NULL();
	members = pegs_members(&options->root);
	while (pegs_next_member(&members))
		check_option(members.name, &members.value);
	PG_RETURN_JSONB_P(options);
}
