/*
 * forbid.c
 *	  Fuzz target: the combinations of pegs_forbid.
 *
 * What is accepted must hit the rows that have one of the named values in
 * every named column, and no others, said apart from the reader; rows drawn
 * under it are none of those.
 */
#include "domain.h"

#include "../../src/facts/zeros.c"

static void
start(void)
{
	(void) fuzz_fitted();
	(void) fuzz_counts(true);
}

/* Has the row, in every column that the combination names, one of the values that it names there? */
static bool
hits(const PegsDomain *domain, Jsonb *combination, const uint16_t *row)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];
		JsonbValue	value;
		bool		any = false;

		if (getKeyJsonValueFromContainer(&combination->root, column->name, strlen(column->name), &value) == NULL)
			continue;
		if (value.type != jbvBinary)
			any = fuzz_means(column, &value, row[i]);
		for (uint32 k = 0; value.type == jbvBinary && k < JsonContainerSize(value.val.binary.data); k++)
			any |= fuzz_means(column, getIthJsonbValueFromContainer(value.val.binary.data, k), row[i]);
		if (!any)
			return false;
	}
	return true;
}

static void
check_row(const PegsDomain *domain, Jsonb *const *combination, int n, const uint16_t *row)
{
	for (int r = 0; r < n; r++)
		MUST(!hits(domain, combination[r], row));
}

static void
draw_sealed(const PegsDomain *domain, const pegs_zeros *zeros, Jsonb *const *combination, pegs_rng *rng)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsCounter *counter = fuzz_counts(true);
	int32	   *given = palloc(sizeof(int32) * domain->ncols);
	pegs_gibbs	gibbs = {.layout = &counter->layout, .cells = counter->cells, .block = 2, .alpha = 1000, .given = given, .zeros = *zeros};

	memset(given, 0xff, sizeof(int32) * domain->ncols);
	pegs_gibbs_init(&env, &gibbs);
	for (int r = 0; r < 3 && pegs_gibbs_seed(&gibbs, rng, 100); r++)
	{
		pegs_gibbs_next(&gibbs, rng);
		check_row(domain, combination, zeros->n, gibbs.row);
	}
}

static void
draw_perturbed(const PegsDomain *domain, const pegs_zeros *zeros, Jsonb *const *combination, pegs_rng *rng)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * domain->ncols);
	uint16_t   *row = palloc(sizeof(uint16_t) * domain->ncols);
	uint32_t	n = 6;
	pegs_draw	draw;

	MUST(pegs_draw_init(&env, fuzz_fitted(), NULL, &draw) == PEGS_OK);
	for (int i = 0; i < domain->ncols; i++)
		codes[i] = palloc(sizeof(uint16_t) * n);
	pegs_draw_batch(&env, &draw, rng, n, codes);
	for (uint32_t r = 0; r < n; r++)
	{
		for (int i = 0; i < domain->ncols; i++)
			row[i] = codes[i][r];
		if (!pegs_draw_possible(&draw, zeros, rng, 200, row))
			return;				/* hardly any row is allowed */
		check_row(domain, combination, zeros->n, row);
		for (int i = 0; i < domain->ncols; i++)
			codes[i][r] = row[i];
	}
	pegs_adjust_batch(&env, fuzz_fitted(), zeros, rng, n, codes);
	for (uint32_t r = 0; r < n; r++)
	{
		for (int i = 0; i < domain->ncols; i++)
			row[i] = codes[i][r];
		check_row(domain, combination, zeros->n, row);
	}
}

/* A rule hits a row if and only if the combination does. */
static void
check_rule(const PegsDomain *domain, const pegs_zero *zero, Jsonb *combination, pegs_rng *rng)
{
	pegs_zeros	alone = {1, zero};
	uint16_t   *row = palloc(sizeof(uint16_t) * domain->ncols);

	for (int r = 0; r < 6; r++)
	{
		for (int i = 0; i < domain->ncols; i++)
			row[i] = (uint16_t) pegs_rng_below(rng, pegs_column_levels(&domain->column[i]));
		/* half of the time a row that is hit, as far as the rule has levels */
		for (uint32_t x = 0; r % 2 && x < zero->n; x++)
			for (int l = 0; l < pegs_column_levels(&domain->column[zero->column[x]]); l++)
				if (zero->level[x][l])
					row[zero->column[x]] = (uint16_t) l;
		MUST(pegs_is_zero(&alone, row) == hits(domain, combination, row));
	}
}

static void
one(input *in)
{
	uint8_t		how = take_byte(in);
	uint8_t		key[PEGS_KEY_BYTES] = {take_byte(in)};
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	const PegsDomain *domain = fuzz_domain();
	pegs_zero  *zero = palloc(sizeof(pegs_zero) * 3);
	Jsonb	   *combination[3];
	pegs_zeros	zeros = {0, zero};
	PegsSource	source = {.name = "public.t"};	/* for hints alone */
	int			n;

	for (int i = 0; i < 1 + how / 4 % 3; i++)
	{
		Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(fuzz_json(in, fuzz_domain_words()))));
		Jsonb	   *renamed;

		if (!JB_ROOT_IS_OBJECT(json) || !read_zero(&zero[zeros.n], domain, json, &source, true))
			return;
		renamed = rename_columns(json, names_of(json, &n));
		MUST(compareJsonbContainers(&renamed->root, &json->root) == 0);
		MUST(zero[zeros.n].n == JsonContainerSize(&json->root));
		/* what pegs_load_zeros makes of it, whose reader is the lenient one */
		MUST(read_zero(&zero[zeros.n], domain, json, &source, false));
		check_rule(domain, &zero[zeros.n], json, rng);
		combination[zeros.n++] = json;
	}
	fuzz_accepted();
	if (how % 2)
		draw_sealed(domain, &zeros, combination, rng);
	else
		draw_perturbed(domain, &zeros, combination, rng);
}

const target forbid_target = {"forbid", start, one, NULL};
