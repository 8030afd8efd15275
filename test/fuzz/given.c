/*
 * given.c
 *	  Fuzz target: `given` of pegs_sample.
 *
 * What is accepted must mean the levels that it names, said apart from the
 * encoder; and every row drawn under it, from a sealed model and from a
 * perturbed one, must have them. The price of a sealed call is asked as well.
 */
#include "domain.h"

#include "../../src/rows/request.c"

static void
start(void)
{
	(void) fuzz_fitted();
	(void) fuzz_counts(true);
}

static void
check_meaning(const PegsDomain *domain, Jsonb *json, const int32 *given)
{
	uint32		named = 0;

	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];
		JsonbValue	value;
		bool		is_named = getKeyJsonValueFromContainer(&json->root, column->name, strlen(column->name), &value) != NULL;

		named += is_named;
		MUST(is_named == (given[i] >= 0));
		MUST(!is_named || fuzz_means(column, &value, given[i]));
	}
	MUST(named == JsonContainerSize(&json->root));
}

static void
check_row(const PegsDomain *domain, const uint16_t *row, const int32 *given)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		MUST(row[i] < pegs_column_levels(&domain->column[i]));
		MUST(given[i] < 0 || row[i] == given[i]);
	}
}

static void
one(input *in)
{
	uint8_t		how = take_byte(in);
	uint8_t		key[PEGS_KEY_BYTES] = {take_byte(in)};
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsModel	model = {.name = "m", .method = pegs_method_named(how % 2 ? "pegs" : "graph"), .spec = fuzz_spec(how % 2), .rows_per_unit = 1 + below(in, 3)};
	PegsRequest request = {.model = &model, .n = 1 + take(in, 1 + below(in, 7)), .block = 1 + take(in, 1 + below(in, 3)),
		.epsilon = 1 + take(in, 1 + below(in, 7))};
	const PegsDomain *domain = model.spec->domain;
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(fuzz_json(in, fuzz_domain_words()))));
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, 0);

	if (!JB_ROOT_IS_OBJECT(json))	/* pegs_arg_object */
		return;
	request.given_json = json;
	pegs_request_given(&request);
	if (!pegs_is_sealed(&model))
		fuzz_accepted();
	check_meaning(domain, json, request.given);
	if (pegs_is_sealed(&model))
	{
		PegsCounter *counter = fuzz_counts(true);
		pegs_gibbs	gibbs = {.layout = &counter->layout, .cells = counter->cells, .block = request.block, .given = request.given};

		pegs_request_price(&request);
		fuzz_accepted();
		MUST(request.alpha >= 1);
		gibbs.alpha = request.alpha;
		pegs_gibbs_init(&env, &gibbs);
		MUST(pegs_gibbs_seed(&gibbs, rng, 1));
		for (int r = 0; r < 4; r++)
		{
			pegs_gibbs_next(&gibbs, rng);
			check_row(domain, gibbs.row, request.given);
		}
	}
	else
	{
		uint16_t   *row = palloc(sizeof(uint16_t) * domain->ncols);
		pegs_draw	draw;

		if (pegs_draw_init(&env, fuzz_fitted(), request.given, &draw) != PEGS_OK)
			return;				/* probability zero */
		for (int r = 0; r < 4; r++)
		{
			pegs_draw_row(&draw, rng, row);
			check_row(domain, row, request.given);
		}
	}
}

const target given_target = {"given", start, one, NULL};
