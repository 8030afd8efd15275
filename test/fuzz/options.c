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

static void
start(void)
{
	(void) fuzz_spec(true);
}

static void
try_options(input *in, Jsonb *json)
{
	PegsModel	model = {.name = "m", .method = pegs_method_named(take_byte(in) % 2 ? "pegs" : "graph")};
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
		MUST(value.type == jbvString && request.urns == pegs_is_sealed(&model));
		MUST(!request.urns || (value.val.string.len == 3 && memcmp(value.val.string.val, "urn", 3) == 0));
		MUST(request.independent == (value.val.string.len == 11 && memcmp(value.val.string.val, "independent", 11) == 0));
		known++;
	}
	if (getKeyJsonValueFromContainer(&json->root, "sweeps", 6, &value))
	{
		MUST(value.type == jbvNumeric && pegs_is_sealed(&model) && request.sweeps >= 1 && request.sweeps <= MAX_SWEEPS);
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
