/*
 * spec_member.c
 *	  Members of a spec, read: what is not of their kind is an error.
 */
#include "facts/spec_read.h"

#include "miscadmin.h"

void
pegs_bad_spec(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("spec is not valid: %s", what),
			 errhint("Make it with pegs_spec(source, columns).")));
}

JsonbValue
pegs_member(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue	value = {.type = jbvNull};

	if (!getKeyJsonValueFromContainer(object, name, strlen(name), &value) && required)
		pegs_bad_spec(psprintf("\"%s\" is missing", name));
	return value;
}

char *
pegs_member_text(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue	value = pegs_member(object, name, required);

	if (value.type == jbvNull && !required)
		return NULL;
	if (value.type != jbvString)
		pegs_bad_spec(psprintf("\"%s\" must be text", name));
	return pnstrdup(value.val.string.val, value.val.string.len);
}

char **
pegs_member_texts(JsonbContainer *object, const char *name, int *n)
{
	JsonbValue	value = pegs_member(object, name, false);
	char	  **texts;

	*n = 0;
	if (value.type == jbvNull)
		return NULL;
	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
		pegs_bad_spec(psprintf("\"%s\" must be a list", name));
	*n = JsonContainerSize(value.val.binary.data);
	if (*n > PEGS_MAX_LEVELS)
		pegs_bad_spec(psprintf("\"%s\" is too long", name));
	texts = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		JsonbValue *item;

		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		item = getIthJsonbValueFromContainer(value.val.binary.data, i);
		if (item->type != jbvString)
			pegs_bad_spec(psprintf("\"%s\" must hold texts", name));
		texts[i] = pnstrdup(item->val.string.val, item->val.string.len);
	}
	return texts;
}
