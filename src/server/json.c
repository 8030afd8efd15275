/*
 * json.c
 *	  What stands in an argument of JSON: keys, single values, the members of an object.
 */
#include "server/server.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

/* A key of a JSON object for lookups and messages; one that is too long for a name of anything is cut, and still too long. */
char *
pegs_json_key(const JsonbValue *key)
{
	Assert(key->type == jbvString);
	return pnstrdup(key->val.string.val, key->val.string.len < 2 * NAMEDATALEN ? key->val.string.len
					: pg_mbcliplen(key->val.string.val, key->val.string.len, 2 * NAMEDATALEN));
}

char *
pegs_json_scalar(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvBool:
			return pstrdup(value->val.boolean ? "true" : "false");
		case jbvNull:
			return NULL;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a single value was expected in the JSON argument, not an array or an object"),
					 errhint("For example: '{\"sex\": \"M\"}'")));
	}
}

PegsMembers
pegs_members(JsonbContainer *object)
{
	return (PegsMembers) {.it = JsonbIteratorInit(object)};
}

/* What is in the value is not walked. */
bool
pegs_next_member(PegsMembers *members)
{
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&members->it, &members->value, true)) != WJB_DONE)
		if (token == WJB_KEY)
		{
			members->name = pegs_json_key(&members->value);
			(void) JsonbIteratorNext(&members->it, &members->value, true);
			return true;
		}
	return false;
}
