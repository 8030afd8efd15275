/*
 * options.c
 *	  Fuzz target: the other JSON arguments, `parents` and `options`.
 *
 * Accepted parents are the ones that the JSON names, in its order; their spec
 * must read back to the same text. Accepted options are known ones.
 */
#include "domain.h"

/* read_options is private to its file */
#include "../../src/rows/request_options.c"

/* Rows of the last come from each combination of a column, so they may be as many of each. */
static const char *const methods[] = {"pegs", "graph", "table sealed"};

static PegsSpec *
spec_of(const pegs_method *method)
{
	static pegs_setting within = {.given = true};
	static PegsSpec spec;

	if (method->combinations == NULL)
		return fuzz_spec(true);
	if (within.columns == NULL)
	{
		bool	   *columns = MemoryContextAllocZero(TopMemoryContext, sizeof(bool) * fuzz_domain()->ncols);

		columns[0] = true;
		within.columns = columns;
		spec = *fuzz_spec(false);
		spec.settings = &within;
	}
	return &spec;
}

static void
start(void)
{
	for (size_t i = 0; i < lengthof(methods); i++)
		(void) spec_of(pegs_method_named(methods[i]));
}

/* A whole number from 1 to most. */
static bool
is_count(const JsonbValue *value, int64 most, int64 read)
{
	return value->type == jbvNumeric && read >= 1 && read <= most;
}

static void
try_options(input *in, Jsonb *json)
{
	const pegs_method *method = pegs_method_named(methods[take_byte(in) % lengthof(methods)]);
	PegsModel	model = {.name = "m", .method = method, .spec = spec_of(method)};
	PegsRequest request = {.model = &model};
	JsonbValue	value;
	uint32		known = 0;

	read_options(&request, json);
	fuzz_accepted();
	if (getKeyJsonValueFromContainer(&json->root, "fresh", 5, &value))
	{
		MUST(value.type == jbvBool && value.val.boolean == request.fresh);
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "keys", 4, &value))
	{
		MUST(value.type == jbvString && value.val.string.len == 6 && memcmp(value.val.string.val, "number", 6) == 0 && request.numbered);
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "draw", 4, &value))
	{
		MUST(value.type == jbvString && request.urns == has_urns(&model));
		MUST(!request.urns || (value.val.string.len == 3 && memcmp(value.val.string.val, "urn", 3) == 0));
		MUST(request.independent == (value.val.string.len == 11 && memcmp(value.val.string.val, "independent", 11) == 0));
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "sweeps", 6, &value))
	{
		MUST(has_urns(&model) && is_count(&value, MAX_SWEEPS, request.sweeps));
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "each", 4, &value))
	{
		MUST(method->combinations && value.type == jbvBool && value.val.boolean == request.each);
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "part", 4, &value))
	{
		MUST(!pegs_is_sealed(&model) && is_count(&value, MAX_PARTS, request.part));
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "parts", 5, &value))
	{
		MUST(!pegs_is_sealed(&model) && is_count(&value, MAX_PARTS, request.parts));
		known++;
	}
	MUST(known == JsonContainerSize(&json->root));
}

static void
try_parents(input *in, Jsonb *json)
{
	PegsDomain *domain = fuzz_domain();
	PegsSpec   *spec = pegs_spec_make(domain, json, take_byte(in) % 2);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_layout layout;

	for (int i = 0; i < domain->ncols; i++)
	{
		JsonbValue	value;
		uint32		n = spec->parent_start[i + 1] - spec->parent_start[i];
		bool		named = getKeyJsonValueFromContainer(&json->root, domain->column[i].name, strlen(domain->column[i].name), &value) != NULL;

		MUST(n == (named ? JsonContainerSize(value.val.binary.data) : 0));
		for (uint32 p = 0; p < n; p++)
			MUST(strcmp(pegs_json_scalar(getIthJsonbValueFromContainer(value.val.binary.data, p)),
						domain->column[spec->parents[spec->parent_start[i] + p]].name) == 0);
	}
	MUST(strcmp(pegs_spec_parse(spec->text)->text, spec->text) == 0);
	pegs_spec_layout(spec, &env, &layout);	/* too large is an error */
	fuzz_accepted();
	MUST(layout.ncells > 0 && layout.ncells <= PEGS_MAX_CELLS);
}

static void
one(input *in)
{
	bool		parents = take_byte(in) % 2;
	char	   *text = fuzz_json(in, fuzz_domain_words());
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));

	if (!JB_ROOT_IS_OBJECT(json))	/* pegs_arg_object */
		return;
	if (parents)
		try_parents(in, json);
	else
		try_options(in, json);
}

const target options_target = {"options", start, one, NULL};
