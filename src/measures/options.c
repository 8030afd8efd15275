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

/* Is a list of such values alone? */
static bool
is_of(JsonbContainer *list, enum jbvType type)
{
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (getIthJsonbValueFromContainer(list, i)->type != type)
			return false;
	}
	return true;
}

/* A list of numbers; whether they are amounts of epsilon is asked where they are spent in a trial. */
static bool
is_numbers(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) && JsonContainerSize(value->val.binary.data) > 0
		&& is_of(value->val.binary.data, jbvNumeric);
}

/* {"value": "cost", "groups": ..., "columns": [...]}: their shape; names, and what groups are, pegs_reconstruct asks. */
static void
check_averages(const JsonbValue *value)
{
	bool		named = false;
	bool		grouped = false;
	bool		right = value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data);
	PegsMembers members = {0};

	if (right)
		members = pegs_members(value->val.binary.data);
	while (right && pegs_next_member(&members))
	{
		bool		is_list = members.value.type == jbvBinary && JsonContainerIsArray(members.value.val.binary.data);

		if (strcmp(members.name, "value") == 0)
			right = named = members.value.type == jbvString;
		else if (strcmp(members.name, "groups") == 0)
			right = grouped = is_list;
		else if (strcmp(members.name, "columns") == 0)
			right = is_list && is_of(members.value.val.binary.data, jbvString);
		else
			right = false;
	}
	if (!right || !named || !grouped)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"averages\" must be an object with \"value\" and \"groups\", and perhaps \"columns\""),
				 errhint("options => '{\"averages\": {\"value\": \"cost\", \"groups\": [[\"county\"], [\"hospital\", \"year\"]], \"columns\": [\"age\", \"sex\"]}}'")));
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
	else if (strcmp(name, "averages") == 0)
		check_averages(value);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown option \"%s\"", name),
				 errhint("Known are: ru_map, epsilons, scores, averages.")));
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
