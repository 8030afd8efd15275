/*
 * witness_test.c
 *	  The witness at the door (witness.h): it changes nothing, it finds nothing
 *	  in a sound build, and it finds every bug that is seeded.
 *
 * Random tables, random neighbours (a person of one to five rows more or less),
 * random epsilon and delta: fits, choices of parents, sealed samples. The
 * claims are exact: in no run does a pair of tables cost more than the account,
 * nor with delta 0 a likelihood ratio pass e^epsilon. A thousand fits twice by
 * default; PEGS_FUZZ_SECONDS=60 goes on for so long.
 *
 * The linker leads the calls named in the Makefile (WRAPPED) through this file,
 * where they can be broken: a judge that cannot say no is no judge.
 */
#include "core/witness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/graph/state.h"
#include "core/pegs/parents.h"
#include "fixture.h"
#include "fitted.h"
#include "unit.h"
#include "core/wire.h"

static uint64_t state = 88172645463325252ULL;

static uint32_t
below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t) ((state * UINT64_C(0x2545F4914F6CDD1D) >> 32) % n);
}

/* ---------- what is broken on purpose ---------- */

typedef enum bug
{
	NONE,
	PAIR_NOISE,					/* cost of a pair's noise: times `factor` */
	PAIR_DRAWS,					/* priced right, but pairs are drawn with less noise */
	CHOICE,						/* e of a choice: times `factor` */
	CHOICE_DRAWS,				/* priced right, but the best is nearly always taken */
	SHARED,						/* one draw for all cells of a pair's table */
	BESIDE,						/* a pair's noisy table says whether the number of rows is odd */
	CHOICE_BESIDE				/* a choice is half as sharp if it is */
} bug;

static bug seeded;
static double factor;
static bool for_pair;			/* the look at hand */
static int64_t kept;				/* its noise */
static size_t cell;
static bool odd;				/* is the number of rows, as the last look saw it? */

extern double __real_pegs_measure(pegs_accountant *, pegs_rng *, pegs_purpose, double, const int64_t *, double *, size_t);
extern double __wrap_pegs_measure(pegs_accountant *, pegs_rng *, pegs_purpose, double, const int64_t *, double *, size_t);
extern pegs_variance __real_pegs_variance_of_cost(uint64_t);
extern pegs_variance __wrap_pegs_variance_of_cost(uint64_t);
extern void __real_pegs_selection_of_cost(bool, uint64_t, uint64_t *, uint64_t *);
extern void __wrap_pegs_selection_of_cost(bool, uint64_t, uint64_t *, uint64_t *);
extern int64_t __real_pegs_discrete_laplace(pegs_rng *, uint64_t, uint64_t);
extern int64_t __wrap_pegs_discrete_laplace(pegs_rng *, uint64_t, uint64_t);
extern int64_t __real_pegs_discrete_gaussian(pegs_rng *, pegs_variance);
extern int64_t __wrap_pegs_discrete_gaussian(pegs_rng *, pegs_variance);
extern size_t __real_pegs_exponential_mechanism(const pegs_env *, pegs_rng *, const int64_t *, size_t, uint64_t, uint64_t);
extern size_t __wrap_pegs_exponential_mechanism(const pegs_env *, pegs_rng *, const int64_t *, size_t, uint64_t, uint64_t);

double
__wrap_pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost, const int64_t *exact,
					double *noisy, size_t n)
{
	double		variance;
	int64_t		rows = 0;

	for_pair = purpose == PEGS_FOR_PAIR;
	cell = 0;
	variance = __real_pegs_measure(accountant, rng, purpose, cost, exact, noisy, n);
	/* a count that does not pass the witness: what the engine sees is not what it was told */
	for (size_t i = 0; i < n; i++)
		rows += exact[i];
	odd = rows % 2;
	if (seeded == BESIDE && for_pair)
		noisy[0] += (double) (rows % 2) / 1024;
	return variance;
}

pegs_variance
__wrap_pegs_variance_of_cost(uint64_t units)
{
	return __real_pegs_variance_of_cost(seeded == PAIR_NOISE && for_pair ? (uint64_t) ((double) units * factor) : units);
}

void
__wrap_pegs_selection_of_cost(bool pure, uint64_t cost, uint64_t *num, uint64_t *den)
{
	__real_pegs_selection_of_cost(pure, cost, num, den);
	if (seeded == CHOICE)
		*num = (uint64_t) ((double) *num * factor);
	if (seeded == CHOICE_BESIDE && odd)
		*num /= 2;
}

/* Noise that is drawn rightly, and used where something else should be. */
static int64_t
echo(int64_t drawn)
{
	if (seeded == SHARED && for_pair)
	{
		if (cell++ == 0)
			kept = drawn;
		return kept;
	}
	return drawn;
}

int64_t
__wrap_pegs_discrete_laplace(pegs_rng *rng, uint64_t num, uint64_t den)
{
	return echo(__real_pegs_discrete_laplace(rng, seeded == PAIR_DRAWS && for_pair ? (uint64_t) ((double) num * factor) : num, den));
}

int64_t
__wrap_pegs_discrete_gaussian(pegs_rng *rng, pegs_variance sigma2)
{
	if (seeded == PAIR_DRAWS && for_pair)
		sigma2.num = (uint64_t) ceil((double) sigma2.num / factor);
	return echo(__real_pegs_discrete_gaussian(rng, sigma2));
}

size_t
__wrap_pegs_exponential_mechanism(const pegs_env *asked, pegs_rng *rng, const int64_t *score, size_t n, uint64_t num, uint64_t den)
{
	return __real_pegs_exponential_mechanism(asked, rng, score, n, seeded == CHOICE_DRAWS ? (uint64_t) ((double) num * factor) : num, den);
}

/* ---------- tables ---------- */

#define MAX_COLUMNS 6

typedef struct pair
{
	pegs_layout layout;
	uint64_t   *cells[2];		/* the second has a person more */
	uint32_t	rows_per_unit;
} pair;

static void
count(const pegs_layout *layout, uint64_t *cells, uint16_t (*row)[MAX_COLUMNS], uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
	{
		uint16_t   *codes[MAX_COLUMNS];

		for (uint32_t i = 0; i < layout->ncols; i++)
			codes[i] = &row[r][i];
		pegs_count_chunk(layout, cells, codes, 1);
	}
}

/* Rows, correlated or not, and one to k rows of one person, alike or not. */
static pair
any_pair(const pegs_env *env, bool conditional, uint32_t most_rows)
{
	pair		p = {.rows_per_unit = below(3) ? 1 : 1 + below(5)};
	uint32_t	m = 1 + below(MAX_COLUMNS);
	uint32_t	n = below(most_rows);
	uint32_t	extra = 1 + below(p.rows_per_unit);
	bool		alike = below(2);
	bool		correlated = below(2);
	uint32_t	levels[MAX_COLUMNS];
	uint32_t	parent_start[MAX_COLUMNS + 1] = {0};
	uint16_t	parents[MAX_COLUMNS * MAX_COLUMNS];
	uint16_t	row[1][MAX_COLUMNS];

	for (uint32_t i = 0; i < m; i++)
	{
		levels[i] = 1 + below(conditional ? 5 : below(4) ? 6 : 40);
		parent_start[i + 1] = parent_start[i];
		for (uint16_t j = 0; j < m; j++)
			if (j != i && below(4) == 0)
				parents[parent_start[i + 1]++] = j;
	}
	if (conditional)
		CHECK(pegs_layout_conditional(env, m, levels, parent_start, parents, below(2), &p.layout, NULL) == PEGS_OK);
	else
		CHECK(pegs_layout_pairs(env, m, levels, &p.layout, NULL) == PEGS_OK);
	if (!conditional && below(2))
		pegs_layout_add_triples(env, &p.layout);
	for (int side = 0; side < 2; side++)
		p.cells[side] = env->alloc(env->context, sizeof(uint64_t) * (p.layout.ncells + 1));
	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t	base = below(1000);

		for (uint32_t i = 0; i < m; i++)
			row[0][i] = (uint16_t) (correlated && below(4) ? base % levels[i] : below(2) ? below(levels[i]) : 0);
		count(&p.layout, p.cells[0], row, 1);
	}
	memcpy(p.cells[1], p.cells[0], sizeof(uint64_t) * p.layout.ncells);
	for (uint32_t r = 0; r < extra; r++)
	{
		for (uint32_t i = 0; i < m && (r == 0 || !alike); i++)
			row[0][i] = (uint16_t) (below(2) ? below(levels[i]) : levels[i] - 1);
		count(&p.layout, p.cells[1], row, 1);
	}
	return p;
}

/* 2,000 rows of five columns, and the rarest one more: the review's table. */
static pair
review_pair(const pegs_env *env)
{
	static const uint32_t levels[5] = {4, 3, 6, 5, 8};
	pair		p = {.rows_per_unit = 1};
	uint16_t	row[1][MAX_COLUMNS];

	CHECK(pegs_layout_pairs(env, 5, levels, &p.layout, NULL) == PEGS_OK);
	for (int side = 0; side < 2; side++)
		p.cells[side] = env->alloc(env->context, sizeof(uint64_t) * p.layout.ncells);
	for (uint32_t r = 0; r < 2000; r++)
	{
		uint32_t	base = below(3);

		for (uint32_t i = 0; i < 5; i++)
			row[0][i] = (uint16_t) (below(3) ? base % (levels[i] - 1) : below(levels[i] - 1));
		count(&p.layout, p.cells[0], row, 1);
	}
	memcpy(p.cells[1], p.cells[0], sizeof(uint64_t) * p.layout.ncells);
	for (uint32_t i = 0; i < 5; i++)
		row[0][i] = (uint16_t) (levels[i] - 1);
	count(&p.layout, p.cells[1], row, 1);
	return p;
}

/* ---------- a pair of runs ---------- */

static pegs_rng
any_rng(void)
{
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng	rng;

	for (int i = 0; i < PEGS_KEY_BYTES; i++)
		key[i] = (uint8_t) below(256);
	pegs_rng_init(&rng, key, 0);
	return rng;
}

static size_t
model_bytes(const pegs_env *env, const pegs_fitted *fitted, uint8_t **bytes)
{
	pegs_fitted copy = *fitted;
	pegs_wire	wire = wire_of("", &copy);
	size_t		size = pegs_wire_size(&wire);

	*bytes = env->alloc(env->context, size);
	pegs_wire_write(env, &wire, *bytes);
	return size;
}

static bool
same_models(const pegs_env *env, const pegs_fitted *a, const pegs_fitted *b)
{
	uint8_t    *bytes[2];
	size_t		size = model_bytes(env, a, &bytes[0]);

	return size == model_bytes(env, b, &bytes[1]) && memcmp(bytes[0], bytes[1], size) == 0;
}

/* Both runs. `plain`: and a run without a witness, that must give the same model. */
static void
watch(const pegs_env *env, pegs_witness *w, const pegs_accountant *accountant, const pair *p, bool swap, bool plain)
{
	pegs_accountant watched = *accountant;
	pegs_rng	rng = any_rng();
	pegs_rng	again = rng;
	pegs_fitted fitted[3];

	watched.witness = w;
	pegs_witness_begin(w, env);
	pegs_engine_fit(env, &rng, &watched, &p->layout, p->cells[swap], &fitted[0]);
	pegs_witness_again(w);
	pegs_engine_fit(env, &rng, &watched, &p->layout, p->cells[!swap], &fitted[1]);
	pegs_witness_end(w, accountant, same_models(env, &fitted[0], &fitted[1]));
	if (!plain)
		return;
	pegs_engine_fit(env, &again, accountant, &p->layout, p->cells[swap], &fitted[2]);
	CHECK(same_models(env, &fitted[0], &fitted[2]));
}

static pegs_accountant
any_account(uint32_t rows_per_unit)
{
	pegs_accountant accountant;
	int64_t		epsilon = (int64_t) (1e9 * pow(10, -2 + 3.0 * below(1000) / 1000));
	int64_t		delta = below(2) ? 0 : (int64_t) (1e18 * pow(10, -12 + 9.0 * below(1000) / 1000));

	pegs_accountant_init(&accountant, epsilon, delta, rows_per_unit);
	return accountant;
}

/* ---------- the tests ---------- */

static double
seconds_of_fuzz(void)
{
	const char *asked = getenv("PEGS_FUZZ_SECONDS");

	return asked ? atof(asked) : 0;
}

/* Fits of any neighbours: no fault, and the worst of them reaches the claim without passing it. */
static void
test_fits(void)
{
	clock_t		end = clock() + (clock_t) (seconds_of_fuzz() * CLOCKS_PER_SEC);
	pegs_witness w = {0};
	double		worst_ratio = 0;
	double		worst_cost = 0;
	uint32_t	pure = 0;
	uint32_t	runs = 0;

	for (; runs < 1000 || clock() < end; runs++)
	{
		pair		p = any_pair(&env, false, 400);
		pegs_accountant accountant = any_account(p.rows_per_unit);
		double		total = (double) accountant.total * 0x1p-50;
		bool		target[MAX_COLUMNS] = {false};

		/* what the rows are for, of one fit in three */
		target[runs % p.layout.ncols] = true;
		if (runs % 3 == 0)
			p.layout.target = target;
		watch(&env, &w, &accountant, &p, below(2), runs % 8 == 0);
		if (!CHECK(w.fault == PEGS_SOUND))
		{
			printf("  fault %d at run %u: epsilon %g delta %g k %u\n", w.fault, runs, (double) accountant.epsilon * 1e-9,
				   (double) accountant.delta * 1e-18, p.rows_per_unit);
			w.fault = PEGS_SOUND;
		}
		worst_cost = fmax(worst_cost, w.cost / total);
		if (accountant.pure)
			worst_ratio = fmax(worst_ratio, fabs(w.ratio) / total);
		pure += accountant.pure;
		arena_free(&memory);
	}
	CHECK(pure > 0 && w.looks > runs && w.choices > runs / 4);
	CHECK(worst_ratio <= 1 + 1e-9 && worst_ratio > 0.9);
	CHECK(worst_cost <= 1 + 1e-9 && worst_cost > 0.999);
	CHECK(!pegs_too_likely(&w.noise, log(1e9)));
	for (int i = 0; i < PEGS_ECHOES; i++)
		CHECK(!pegs_too_likely(&w.echo[i], log(1e9)));
	CHECK(!pegs_too_likely(&w.choice, log(1e9)));
	if (getenv("PEGS_FUZZ_SECONDS"))
		printf("%u fits twice, %" PRIu64 " looks, %" PRIu64 " choices; worst |ln ratio| / epsilon %.9f, worst cost / total %.9f\n",
			   runs, w.looks, w.choices, worst_ratio, worst_cost);
}

/*
 * All pairs once: a fit, its neighbour, and a third run on an empty table that is answered as they were. A count that decides
 * something is seen there, though no neighbour may move it far enough.
 */
static bool
watch_cover(pegs_witness *w, const pegs_accountant *accountant, const pair *p)
{
	const uint64_t *cells[3] = {p->cells[0], p->cells[1], env.alloc(env.context, sizeof(uint64_t) * p->layout.ncells)};
	pegs_accountant watched = *accountant;
	pegs_fitted fitted[3];

	watched.witness = w;
	pegs_witness_begin(w, &env);
	for (int run = 0; run < 3; run++)
	{
		pegs_rng	rng = any_rng();

		if (run == 1)
			pegs_witness_again(w);
		if (run == 2)
			pegs_witness_replay(w);
		pegs_engine_fit(&env, &rng, &watched, &p->layout, cells[run], &fitted[run]);
		if (run > 0)
			pegs_witness_end(w, accountant, same_models(&env, &fitted[0], &fitted[run]));
	}
	/* of a table in the middle of those that it could be of */
	return pegs_can_cover(accountant, p->layout.ncols, p->layout.levels, fitted[0].share, fitted[0].rows);
}

static void
test_covers(void)
{
	static const int64_t epsilons[3] = {10, 100, 1000};
	pegs_witness w = {0};
	uint32_t	covered[2] = {0, 0};
	double		worst = 0;

	for (uint32_t run = 0; run < 150; run++)
	{
		bool		pure = run % 2;
		pair		p = any_pair(&env, false, 3000);
		pegs_accountant accountant;

		pegs_accountant_init(&accountant, epsilons[run % 3] * PEGS_EPSILON_UNIT, pure ? 0 : PEGS_DELTA_UNIT / 1000000000, p.rows_per_unit);
		if (watch_cover(&w, &accountant, &p))
		{
			covered[pure]++;
			worst = fmax(worst, w.cost / ((double) accountant.total * 0x1p-50));
		}
		CHECK_INT(w.fault, PEGS_SOUND);
		arena_free(&memory);
	}
	CHECK(covered[0] > 20 && covered[1] > 10 && worst > 0.999 && worst <= 1 + 1e-9);
	{
		/* the tree cannot hold all of these */
		static const uint32_t levels[4] = {40, 40, 40, 40};
		pair		p = {.rows_per_unit = 1};
		uint16_t	row[1][MAX_COLUMNS];
		pegs_accountant accountant;

		CHECK(pegs_layout_pairs(&env, 4, levels, &p.layout, NULL) == PEGS_OK);
		for (int side = 0; side < 2; side++)
			p.cells[side] = env.alloc(env.context, sizeof(uint64_t) * p.layout.ncells);
		for (uint32_t r = 0; r <= 20000; r++)
		{
			for (uint32_t i = 0; i < 4; i++)
				row[0][i] = (uint16_t) (i > 1 && below(4) ? row[0][i - 2] : below(40));
			count(&p.layout, p.cells[1], row, 1);
			if (r < 20000)
				count(&p.layout, p.cells[0], row, 1);
		}
		pegs_accountant_init(&accountant, 400 * PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000000, 1);
		CHECK(watch_cover(&w, &accountant, &p));
		CHECK_INT(w.fault, PEGS_SOUND);
		arena_free(&memory);
	}
}

/* The private choice of parents goes through the same door; its scores move by at most 4. */
static void
test_parents(void)
{
	pegs_witness w = {0};
	double		worst = 0;

	for (uint32_t run = 0; run < 100; run++)
	{
		pair		p = any_pair(&env, false, 100);
		uint32_t	parent_start[MAX_COLUMNS + 1];
		uint16_t	parents[2][MAX_COLUMNS * MAX_COLUMNS + 1];
		bool		swap = below(2);
		pegs_rng	rng = any_rng();

		memset(parents, 0, sizeof(parents));
		pegs_witness_begin(&w, &env);
		for (int side = 0; side < 2; side++)
		{
			pegs_accountant accountant;

			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, PEGS_PARENT_SENSITIVITY * p.rows_per_unit);
			accountant.witness = &w;
			if (side == 1)
				pegs_witness_again(&w);
			pegs_choose_parents(&env, &rng, &accountant, &p.layout, p.cells[side ? !swap : swap], 2, 1024, parent_start, parents[side]);
			if (side == 1)
				pegs_witness_end(&w, &accountant, memcmp(parents[0], parents[1], sizeof(parents[0])) == 0);
		}
		worst = fmax(worst, w.cost);
		arena_free(&memory);
	}
	CHECK_INT(w.fault, PEGS_SOUND);
	CHECK(w.choices > 100 && worst > 0.1 && worst <= 1);
}

/* A sealed sample: blocks, given columns, a person of several rows; in pure epsilon, and with delta (claim P17). */
static void
test_visits(void)
{
	double		worst[2] = {0, 0};
	pegs_surprise all = {0, 0};

	for (uint32_t run = 0; run < 600; run++)
	{
		bool		pure = run % 2 == 0;
		pair		p = any_pair(&env, true, 60);
		bool		swap = below(2);
		uint32_t	free_columns = 0;
		uint32_t	n = 1 + below(12);
		uint32_t	block = 1 + below(4);
		int32_t		given[MAX_COLUMNS];
		uint64_t	blocks = (n - 1) / block + 1;
		pegs_gibbs	gibbs = {.layout = &p.layout, .cells = p.cells[swap], .block = block, .given = given};
		pegs_gibbs	plain;
		pegs_visit_witness w = {.neighbour = p.cells[!swap], .block = block};
		pegs_rng	rng = any_rng();
		pegs_rng	again = rng;
		double		epsilon = 0.1 + below(40) / 10.0;
		uint64_t	rho = pegs_rho((int64_t) (epsilon * 1e9), PEGS_DELTA_UNIT / 1000000);

		for (uint32_t i = 0; i < p.layout.ncols; i++)
		{
			given[i] = i > 0 && below(4) == 0 ? (int32_t) below(p.layout.levels[i]) : -1;
			free_columns += given[i] < 0;
		}
		if (pure)
			CHECK(pegs_alpha((int64_t) (epsilon * 1e9), blocks * free_columns * p.rows_per_unit, 64, &gibbs.alpha) == PEGS_OK);
		else
			CHECK(pegs_alpha_of_rho(rho, blocks * free_columns, p.rows_per_unit, 64, &gibbs.alpha) == PEGS_OK);
		plain = gibbs;
		pegs_gibbs_init(&env, &gibbs);
		pegs_gibbs_init(&env, &plain);
		w.share = epsilon / (double) (blocks * free_columns);
		w.range = pure ? 0 : sqrt(8 * (double) rho * 0x1p-50 / (double) (blocks * free_columns));
		gibbs.witness = &w;
		pegs_visits_init(&env, &gibbs, &w);
		pegs_visits_begin(&gibbs, &w);
		CHECK(pegs_gibbs_seed(&gibbs, &rng, 1) && pegs_gibbs_seed(&plain, &again, 1));
		for (uint32_t r = 0; r < n; r++)
		{
			pegs_gibbs_next(&gibbs, &rng);
			pegs_gibbs_next(&plain, &again);
			CHECK(memcmp(gibbs.row, plain.row, sizeof(uint16_t) * p.layout.ncols) == 0);
		}
		CHECK_INT(w.fault, PEGS_SOUND);
		if (pure)
			CHECK(fabs(w.ratio) <= epsilon && w.cost == 0);
		else
			CHECK(w.cost <= (double) rho * 0x1p-50);
		worst[pure] = fmax(worst[pure], pure ? fabs(w.ratio) / epsilon : w.cost / ((double) rho * 0x1p-50));
		all.less += w.level.less;
		all.square += w.level.square;
		arena_free(&memory);
	}
	CHECK(worst[true] > 0.3 && worst[true] <= 1 && worst[false] > 0.3 && worst[false] <= 1);
	CHECK(!pegs_too_likely(&all, log(1e9)));
}

/* Urns: each draw is weighed on both tables, and in pure epsilon all of them together are within it (claim P18). */
static void
test_urns(void)
{
	double		worst = 0;

	for (uint32_t run = 0; run < 300; run++)
	{
		pair		p = any_pair(&env, true, 60);
		bool		swap = below(2);
		bool		broken = run % 10 == 0;
		uint32_t	n = 2 + below(12);
		uint32_t	sweeps = 1 + below(3);
		int32_t		given[MAX_COLUMNS];
		double		epsilon = 0.1 + below(40) / 10.0;
		pegs_gibbs	gibbs = {.layout = &p.layout, .cells = p.cells[swap], .block = 1, .sweeps = sweeps, .given = given};
		pegs_visit_witness w = {.neighbour = p.cells[!swap], .block = 1};
		pegs_rng	rng = any_rng();

		for (uint32_t i = 0; i < p.layout.ncols; i++)
			given[i] = -1;
		CHECK(pegs_alpha_urn((int64_t) (epsilon * 1e9), (uint64_t) p.layout.ncols * p.rows_per_unit, n * sweeps, 64, &gibbs.alpha) == PEGS_OK);
		gibbs.witness = &w;
		pegs_gibbs_init(&env, &gibbs);
		pegs_visits_init(&env, &gibbs, &w);
		for (int call = 0; call < 2; call++)
		{
			pegs_gibbs_fill_urns(&gibbs);
			pegs_visits_begin(&gibbs, &w);
			CHECK(pegs_gibbs_seed(&gibbs, &rng, 1));
			for (uint32_t r = 0; r < n; r++)
			{
				pegs_gibbs_next(&gibbs, &rng);
				if (broken)		/* nothing is kept of what was drawn */
					pegs_gibbs_fill_urns(&gibbs);
			}
			CHECK(broken || fabs(w.ratio) <= epsilon);
			worst = fmax(worst, broken ? 0 : fabs(w.ratio) / epsilon);
		}
		/* a cell may not be drawn from again */
		CHECK(broken ? w.fault == PEGS_FAULT_URN || w.fault == PEGS_SOUND : w.fault == PEGS_SOUND);
		CHECK(!broken || p.layout.keys[0] > 1 || w.fault == PEGS_FAULT_URN);
		arena_free(&memory);
	}
	CHECK(worst > 0.2 && worst <= 1);
}

/* Urns of whole tables: the other table's urn beside this one; all draws together are within epsilon (claim P24), and one that forgets is seen. */
static void
test_whole_urns(void)
{
	double		worst = 0;

	for (uint32_t run = 0; run < 400; run++)
	{
		uint32_t	k = 1 + below(12);
		uint32_t	rows = 1 + below(3);
		uint32_t	n = 2 + below(30);
		uint32_t	level = below((int) k);
		uint32_t	swap = below(2);
		int			bug = run % 4 == 3 ? 1 + (int) below(3) : 0;	/* nothing is put back; half of alpha; the total is another */
		double		epsilon = 0.1 + below(40) / 10.0;
		uint64_t	count[2][12];
		bool		is_level[12];
		int64_t		delta = 0;
		pegs_urn	urn[2];
		pegs_urn_witness w = {.other = &urn[1]};
		pegs_rng	rng = any_rng();

		for (uint32_t j = 0; j < k; j++)
		{
			count[0][j] = count[1][j] = (uint64_t) below(3) * below(20);
			is_level[j] = j == level || below(5) > 0;
		}
		count[1][level] += rows;
		CHECK(pegs_urn_price(1, n, k, rows, llround(epsilon * 1e9), &delta, &w.alpha) == PEGS_OK);
		for (int side = 0; side < 2; side++)
			pegs_urn_init(&env, &urn[side], k);
		for (int call = 0; call < 2; call++)
		{
			for (int side = 0; side < 2; side++)
				pegs_urn_fill(&env, &urn[side], count[(int) swap ^ side], bug == 2 ? w.alpha / 2 : w.alpha, is_level);
			pegs_urn_watch(&env, &urn[0], &w);
			urn[0].total -= bug == 3;
			for (uint32_t i = 0; i < n; i++)
			{
				uint32_t	drawn = pegs_urn_draw(&urn[0], &rng) % k;

				if (bug != 1)
					pegs_urn_put_back(&urn[0], drawn);
			}
			CHECK(bug > 0 || fabs(w.ratio) <= epsilon);
			worst = fmax(worst, bug > 0 ? 0 : fabs(w.ratio) / epsilon);
		}
		CHECK_INT(w.fault, bug > 0 ? PEGS_FAULT_URN : PEGS_SOUND);
		CHECK(bug > 0 || !pegs_too_likely(&w.level, 20));
		arena_free(&memory);
	}
	CHECK(worst > 0.3 && worst <= 1);
}

/* Broken visits: no reset, half of alpha, a level drawn that cannot be. */
static void
test_broken_visits(void)
{
	static const uint32_t levels[2] = {2, 3};
	static const uint32_t parent_start[3] = {0, 0, 1};
	static const uint16_t parents[1] = {0};
	uint16_t	row[1][MAX_COLUMNS] = {{0, 0}};
	int32_t		given[2] = {-1, -1};
	const pegs_fault expected[] = {PEGS_SOUND, PEGS_FAULT_RESET, PEGS_FAULT_VISIT};

	/* of the smaller table and of the larger one: the ratio is too small, or too large; the same with delta */
	for (int run_of = 0; run_of < 12; run_of++)
	{
		int			what = run_of % 3;
		int			larger = run_of / 3 % 2;
		bool		pure = run_of < 6;
		pegs_layout layout;
		uint64_t   *cells[2];
		pegs_gibbs	gibbs = {.layout = &layout, .block = 3, .given = given};
		pegs_visit_witness w = {.block = 3, .share = 0.5};
		pegs_rng	rng = any_rng();

		CHECK(pegs_layout_conditional(&env, 2, levels, parent_start, parents, 0, &layout, NULL) == PEGS_OK);
		for (int side = 0; side < 2; side++)
		{
			cells[side] = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
			for (int r = 0; r < 10; r++)
			{
				row[0][0] = row[0][1] = 0;
				count(&layout, cells[side], row, 1);
			}
		}
		row[0][0] = row[0][1] = 1;
		count(&layout, cells[1], row, 1);
		CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 2, 3, &gibbs.alpha) == PEGS_OK);
		if (!pure)
		{
			uint64_t	rho = pegs_rho(PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000);

			CHECK(pegs_alpha_of_rho(rho, 2, 1, 3, &gibbs.alpha) == PEGS_OK);
			w.range = sqrt(8 * (double) rho * 0x1p-50 / 2);
			w.share = 0;
		}
		if (what == 2)
			gibbs.alpha /= 2;
		gibbs.cells = cells[larger];
		w.neighbour = cells[!larger];
		gibbs.witness = &w;
		pegs_gibbs_init(&env, &gibbs);
		pegs_visits_init(&env, &gibbs, &w);
		for (int run = 0; run < 20; run++)
		{
			pegs_gibbs_new_block(&gibbs);
			pegs_visits_begin(&gibbs, &w);
			CHECK(pegs_gibbs_seed(&gibbs, &rng, 1));
			for (int r = 0; r < 3; r++)
			{
				pegs_gibbs_next(&gibbs, &rng);
				if (what == 1)
					memset(gibbs.visited, 0, sizeof(uint32_t) * gibbs.nvisited);
			}
		}
		CHECK_INT(w.fault, expected[what]);
		arena_free(&memory);
	}
}

/* The review's bugs, and their kin below the price: fault, or draws that cannot be. */
static void
test_seeded(void)
{
	const struct
	{
		const char *name;
		bug			seeded;
		double		factor;
		bool		pure;
		pegs_fault	fault;		/* PEGS_SOUND: seen by the draws alone */
	}			seed[] = {
		{"none", NONE, 1, false, PEGS_SOUND},
		{"none, pure", NONE, 1, true, PEGS_SOUND},
		{"variance of pairs / 4", PAIR_NOISE, 4, false, PEGS_FAULT_COST},
		{"/ 16", PAIR_NOISE, 16, false, PEGS_FAULT_COST},
		{"/ 100", PAIR_NOISE, 100, false, PEGS_FAULT_COST},
		{"/ 1.01", PAIR_NOISE, 1.01, false, PEGS_FAULT_COST},
		{"choice 1000 x too sharp", CHOICE, 1000, false, PEGS_FAULT_COST},
		{"pure choice 100 x too sharp", CHOICE, 100, true, PEGS_FAULT_COST},
		{"variance of pairs / 4 as drawn", PAIR_DRAWS, 4, false, PEGS_SOUND},
		{"pure, pairs / 4 in scale as drawn", PAIR_DRAWS, 4, true, PEGS_SOUND},
		{"choice 1000 x too sharp as drawn", CHOICE_DRAWS, 1000, false, PEGS_SOUND},
		{"pure choice 100 x too sharp as drawn", CHOICE_DRAWS, 100, true, PEGS_SOUND},
		{"one draw for all cells", SHARED, 1, false, PEGS_SOUND},
		{"one draw for all cells, pure", SHARED, 1, true, PEGS_SOUND},
		{"a count beside the door", BESIDE, 1, false, PEGS_FAULT_BESIDE},
		{"a count beside the door, pure", BESIDE, 1, true, PEGS_FAULT_BESIDE},
		{"a choice by a count", CHOICE_BESIDE, 1, false, PEGS_FAULT_BESIDE},
		{"a choice by a count, pure", CHOICE_BESIDE, 1, true, PEGS_FAULT_BESIDE}
	};

	for (size_t i = 0; i < sizeof(seed) / sizeof(seed[0]); i++)
	{
		pegs_witness w = {0};
		pegs_accountant accountant;
		bool		drawn;
		bool		echoes = false;

		seeded = seed[i].seeded;
		factor = seed[i].factor;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, seed[i].pure ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		for (int run = 0; run < 60; run++)
		{
			pair		p = review_pair(&env);

			watch(&env, &w, &accountant, &p, run % 2, false);
			arena_free(&memory);
			if (w.fault != PEGS_SOUND)
				break;
		}
		drawn = pegs_too_likely(&w.noise, log(1e9)) || pegs_too_likely(&w.choice, log(1e9));
		for (int j = 0; j < PEGS_ECHOES; j++)
			echoes |= pegs_too_likely(&w.echo[j], log(1e9));
		if (!CHECK(w.fault == seed[i].fault && (echoes == (seeded == SHARED) || seeded == PAIR_DRAWS)
				   && (w.fault != PEGS_SOUND || drawn == (seeded == PAIR_DRAWS || seeded == CHOICE_DRAWS))))
			printf("  %s: fault %d, draws %d\n", seed[i].name, w.fault, drawn);
	}
	seeded = NONE;
}

/* A look and a choice by hand, on a table and on one that is `table` and `score` further; what the door says of them. */
static pegs_fault
two_steps(bool pure, uint32_t k, const int64_t *table, const int64_t *score, pegs_witness *w, uint64_t *spent)
{
	pegs_rng	rng = any_rng();
	double		noisy[3];

	*w = (pegs_witness) {0};
	pegs_witness_begin(w, &env);
	for (int again = 0; again < 2; again++)
	{
		pegs_accountant accountant;
		int64_t		exact[3] = {50, 0, 9};
		int64_t		scores[2] = {7, 7};

		for (int i = 0; again && i < 3; i++)
			exact[i] += table[i];
		for (int i = 0; again && i < 2; i++)
			scores[i] += score[i];
		if (again)
			pegs_witness_again(w);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : PEGS_DELTA_UNIT / 1000000000, k);
		accountant.witness = w;
		CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, 0.6 * pegs_accountant_left(&accountant), exact, noisy, 3) > 0);
		(void) pegs_choose(&accountant, &rng, 0.5 * pegs_accountant_left(&accountant), scores, 2);
		*spent = accountant.spent;
	}
	arena_free(&memory);
	return w->fault;
}

/* What it may tell at most is what it costs, no more and no less; a row further is a fault, in either norm. */
static void
test_edges(void)
{
	for (int what = 0; what < 4; what++)
	{
		bool		pure = what % 2;
		int64_t		k = what / 2 ? 3 : 1;
		int64_t		edge[3] = {0, k, 0};
		int64_t		beyond[3] = {0, k + 1, 0};
		int64_t		far_apart[3] = {k, 0, -k};	/* k rows gone, and k others there */
		int64_t		sharp[2] = {k, -k};
		int64_t		sharper[2] = {k + 1, -k};
		int64_t		lower[2] = {k, -k - 1};
		int64_t		still[3] = {0, 0, 0};
		pegs_accountant accountant;
		pegs_witness w;
		uint64_t	spent;
		double		total;

		CHECK_INT(two_steps(pure, (uint32_t) k, edge, sharp, &w, &spent), PEGS_SOUND);
		CHECK(w.cost <= (double) spent * 0x1p-50 * (1 + 1e-9) && w.cost >= (double) spent * 0x1p-50 * (1 - 1e-6));
		CHECK_INT(two_steps(pure, (uint32_t) k, still, sharp, &w, &spent), PEGS_SOUND);
		CHECK(w.cost >= (double) spent * 0x1p-50 * 0.2499 && w.cost <= (double) spent * 0x1p-50 * 0.2501);
		CHECK_INT(two_steps(pure, (uint32_t) k, beyond, sharp, &w, &spent), PEGS_FAULT_TABLE);
		CHECK_INT(two_steps(pure, (uint32_t) k, far_apart, sharp, &w, &spent), PEGS_FAULT_TABLE);
		CHECK_INT(two_steps(pure, (uint32_t) k, edge, sharper, &w, &spent), PEGS_FAULT_SCORE);
		CHECK_INT(two_steps(pure, (uint32_t) k, edge, lower, &w, &spent), PEGS_FAULT_SCORE);
		if (k == 3)
		{
			int64_t		spread[3] = {2, 2, 0};	/* L1 above 3, L2 below */

			CHECK_INT(two_steps(pure, 3, spread, sharp, &w, &spent), PEGS_FAULT_TABLE);
		}

		/* and all of them together: a thousandth too much */
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : PEGS_DELTA_UNIT / 1000000000, (uint32_t) k);
		total = (double) accountant.total * 0x1p-50;
		w = (pegs_witness) {.cost = total * 1.001};
		pegs_witness_end(&w, &accountant, true);
		CHECK_INT(w.fault, PEGS_FAULT_TOTAL);
		for (int sign = -1; pure && sign <= 1; sign += 2)
		{
			w = (pegs_witness) {.cost = total, .ratio = sign * total * 1.001};
			pegs_witness_end(&w, &accountant, true);
			CHECK_INT(w.fault, PEGS_FAULT_RATIO);
		}
		w = (pegs_witness) {.cost = total, .ratio = -total};
		pegs_witness_end(&w, &accountant, true);
		CHECK_INT(w.fault, PEGS_SOUND);
	}
}

/* A look, a choice and a look, or draws from urns after a look: each by what comes next of one stream, and by anything else. */
static void
test_streams(void)
{
	enum {ONWARD, BACK, OTHER_STREAM, OTHER_KEY, WHATS};

	for (int run = 0; run < 3 * WHATS; run++)
	{
		int			what = run % WHATS;
		int			step = run / WHATS;		/* the one that is drawn by something else */
		pegs_witness w = {0};
		pegs_rng	rng = any_rng();
		pegs_rng	first = rng;
		pegs_accountant accountant;
		int64_t		exact[3] = {50, 0, 9};
		double		noisy[3];

		pegs_witness_begin(&w, &env);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		accountant.witness = &w;
		/* words that are left out are no fault */
		for (int i = run % 5 * 100; i > 0; i--)
			(void) pegs_rng_u64(&rng);
		for (int i = 0; i < 3; i++)
		{
			pegs_rng	other = what == OTHER_KEY ? any_rng() : first;
			pegs_rng   *by = i > 0 && i == step && what != ONWARD ? &other : &rng;

			if (what == OTHER_STREAM)
				pegs_rng_move(&other, 7);
			for (int n = 0; n < 600 && what >= OTHER_STREAM; n++)
				(void) pegs_rng_u64(&other);
			if (i == 1)
				(void) pegs_choose(&accountant, by, 0.1, exact, 3);
			else
				CHECK(pegs_measure(&accountant, by, PEGS_FOR_PAIR, 0.1, exact, noisy, 3) > 0);
		}
		CHECK_INT(w.fault, step == 0 || what == ONWARD ? PEGS_SOUND : PEGS_FAULT_NOISE);
		/* and of urns; a second run draws nothing that is seen */
		for (int again = 1; again >= 0 && what <= BACK; again--)
		{
			pegs_urn_look look = {.draws = 5, .tables = 1, .levels = (uint32_t[]) {3}};

			w.fault = PEGS_SOUND;
			w.again = again;
			accountant.spent = 0;
			if (again)
				pegs_witness_rng(&w, &first);
			else
				CHECK(pegs_draw_urns(&accountant, what == BACK ? &first : &rng, &env, &look, exact, noisy));
			CHECK_INT(w.fault, again || what == ONWARD ? PEGS_SOUND : PEGS_FAULT_NOISE);
		}
		arena_free(&memory);
	}
}

int
main(void)
{
	test_edges();
	test_streams();
	test_fits();
	test_covers();
	test_parents();
	test_visits();
	test_urns();
	test_whole_urns();
	test_broken_visits();
	test_seeded();
	return unit_done("witness_test");
}
