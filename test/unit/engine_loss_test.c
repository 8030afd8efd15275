/*
 * engine_loss_test.c
 *	  The privacy loss of whole fits, computed: how much more likely is what
 *	  was released with this table than with its neighbour?
 *
 * engine_attack_test.c sees outputs only. Here the engine is compiled in with its two
 * calls into the account replaced: a fit of one table is answered by the true
 * mechanism, a second run on the neighbour gets the same answers, and so every
 * call is known with both tables. The logarithms of the ratios, by the
 * closed formulas of the three mechanisms, add up to the loss of this output.
 *
 * The laws: with a pure account no loss passes epsilon, in any run; else the
 * mean of max(0, 1 - exp(epsilon - loss)) stays below delta, and the mean loss
 * below rho. And the judge is judged: noise that is halved, scores that count
 * eightfold, an account with more than was paid must all be found.
 */
#include "watched.h"

#include "fixture.h"
#include "unit.h"

/* The true ones, as account.h declares them. */
extern double pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
						   const int64_t *exact, double *noisy, size_t n);
extern size_t pegs_choose(pegs_accountant *accountant, pegs_rng *rng, double cost,
						  const int64_t *score, size_t n);

/* What is wrong on purpose. */
typedef enum lie
{
	NONE, HALVED_NOISE, EIGHTFOLD_SCORES
} lie;

static lie told;

/* ---------- the two runs ---------- */

#define MAX_CALLS 400

typedef struct call
{
	uint64_t	units;
	size_t		n;
	int64_t    *shown;
} call;

static call calls[MAX_CALLS];
static uint32_t ncalls;
static uint32_t at;
static bool first;				/* of the two runs */
static bool same_path;
static double loss;
static uint32_t losses[4];		/* calls by purpose that told the two apart */

static const int64_t *
remember(const int64_t *shown, size_t n)
{
	call	   *c = &calls[at];

	if (at >= MAX_CALLS)
	{
		CHECK(!"more calls than expected");
		exit(1);
	}
	if (first)
	{
		*c = (call) {.n = n, .shown = env.alloc(env.context, sizeof(int64_t) * n)};
		memcpy(c->shown, shown, sizeof(int64_t) * n);
		ncalls = at + 1;
	}
	else if (at >= ncalls || c->n != n)
		same_path = false;
	at++;
	return same_path ? c->shown : shown;
}

double
watched_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
				const int64_t *exact, double *noisy, size_t n)
{
	const int64_t *answer = remember(exact, n);
	uint64_t	before = accountant->spent;
	double		variance = pegs_measure(accountant, rng, purpose, cost, answer, noisy, n);
	uint64_t	units = accountant->spent - before;

	if (variance < 0 || !same_path)
		return variance;
	if (told == HALVED_NOISE)
		for (size_t i = 0; i < n; i++)
			noisy[i] = (double) answer[i] + trunc((noisy[i] - (double) answer[i]) / 2);
	for (size_t i = 0; !first && i < n; i++)
	{
		double		a = noisy[i] - (double) answer[i];
		double		b = noisy[i] - (double) exact[i];

		/* half a difference stands for two or three values of the noise: not exact at zero, but near enough here */
		if (told == HALVED_NOISE)
		{
			a *= 2;
			b *= 2;
		}
		losses[purpose] += a != b;
		loss += accountant->pure ? (fabs(b) - fabs(a)) * (double) (units / accountant->rows_per_unit) * 0x1p-50
			: (b * b - a * a) / (2 * variance);
	}
	return variance;
}

/* log P(pick) of the exponential mechanism. */
static double
log_chance(const int64_t *score, size_t n, size_t pick, double factor)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += exp((double) (score[i] - score[pick]) * factor);
	return -log(sum);
}

size_t
watched_choose(pegs_accountant *accountant, pegs_rng *rng, double cost, const int64_t *score, size_t n)
{
	int64_t    *counted = env.alloc(env.context, sizeof(int64_t) * n);
	const int64_t *answer;
	uint64_t	before = accountant->spent;
	uint64_t	units;
	size_t		pick;

	for (size_t i = 0; i < n; i++)
		counted[i] = score[i] * (told == EIGHTFOLD_SCORES ? 8 : 1);
	answer = remember(counted, n);
	pick = pegs_choose(accountant, rng, cost, answer, n);
	units = accountant->spent - before;
	if (!first && same_path && units > 0)
	{
		double		paid = (double) units * 0x1p-50;
		double		factor = (accountant->pure ? paid / 2 : sqrt(2 * paid)) / accountant->rows_per_unit;
		double		l = log_chance(answer, n, pick, factor) - log_chance(counted, n, pick, factor);

		losses[PEGS_FOR_CHOICE] += fabs(l) > 1e-12;
		loss += l;
	}
	return pick;
}

/* ---------- tables ---------- */

#define COLUMNS 3

/* Of few rows: with few levels all pairs are had unless epsilon is small; with more some are chosen. */
static const uint32_t narrow[COLUMNS] = {2, 3, 2};
static const uint32_t wide[COLUMNS] = {8, 8, 8};

typedef struct tables
{
	pegs_layout layout;
	uint64_t   *cells[2];
} tables;

/* `rows` rows, and the same with `more` alike. */
static tables
neighbours(uint32_t ncols, const uint32_t *levels, uint32_t rows, uint32_t more)
{
	tables		t;

	CHECK(pegs_layout_pairs(&env, ncols, levels, &t.layout, NULL) == PEGS_OK);
	for (int side = 0; side < 2; side++)
	{
		t.cells[side] = env.alloc(env.context, sizeof(uint64_t) * t.layout.ncells);
		for (uint32_t r = 0; r < rows + (side ? more : 0); r++)
		{
			/* columns that are equal; the rows that are more are not so */
			uint16_t	code[COLUMNS];
			uint16_t   *codes[COLUMNS];

			for (uint32_t i = 0; i < ncols; i++)
			{
				code[i] = (uint16_t) (r < rows ? r % 2 : i % 2);
				codes[i] = &code[i];
			}
			pegs_count_chunk(&t.layout, t.cells[side], codes, 1);
		}
	}
	return t;
}

/* ---------- many losses ---------- */

typedef struct verdict
{
	double		most;			/* of the absolute losses */
	double		mean;
	double		mean_error;		/* standard error */
	double		delta;			/* mean of max(0, 1 - exp(epsilon - loss)) */
	double		delta_error;
} verdict;

static verdict
judge(uint32_t ncols, const uint32_t *levels, uint32_t rows, const pegs_accountant *accountant, double epsilon, lie what, bool removed,
	  uint32_t runs)
{
	verdict		v = {0};
	double		squares = 0;
	double		delta_squares = 0;

	told = what;
	memset(losses, 0, sizeof(losses));
	for (uint32_t run = 0; run < runs; run++)
	{
		tables		t = neighbours(ncols, levels, rows, accountant->rows_per_unit);
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) ncols, (uint8_t) rows, (uint8_t) what, accountant->pure};
		double		d;

		loss = 0;
		same_path = true;
		for (int side = 0; side < 2; side++)
		{
			pegs_fitted fitted;

			first = side == 0;
			at = 0;
			pegs_rng_init(&rng, key, run);
			watched_fit(&env, &rng, accountant, &t.layout, t.cells[side ^ removed], &fitted);
		}
		if (!CHECK(same_path && at == ncalls))
			break;
		d = fmax(0, -expm1(epsilon - loss));
		v.most = fmax(v.most, fabs(loss));
		v.mean += loss / runs;
		squares += loss * loss / runs;
		v.delta += d / runs;
		delta_squares += d * d / runs;
		arena_free(&memory);
	}
	v.mean_error = sqrt(fmax(0, squares - v.mean * v.mean) / runs);
	v.delta_error = sqrt(fmax(0, delta_squares - v.delta * v.delta) / runs);
	return v;
}

/* No output at all passes the claim; and the claim is nearly reached: nothing is paid twice. */
static void
judge_pure(uint32_t ncols, const uint32_t *levels, uint32_t rows, int64_t epsilon_units, uint32_t k, bool removed)
{
	double		epsilon = (double) epsilon_units / PEGS_EPSILON_UNIT;
	pegs_accountant accountant;
	verdict		v;

	pegs_accountant_init(&accountant, epsilon_units, 0, k);
	v = judge(ncols, levels, rows, &accountant, epsilon, NONE, removed, 300);
	if (!CHECK(v.most <= epsilon * (1 + 1e-9)) || !CHECK(v.most > 0.9 * epsilon))
		printf("  %u columns of %u levels, epsilon %g, %u rows a unit: loss %g\n", ncols, levels[0], epsilon, k, v.most);
	CHECK(losses[PEGS_FOR_ONEWAY] > 0);
}

static void
test_pure(void)
{
	static const int64_t epsilons[] = {PEGS_EPSILON_UNIT / 10, PEGS_EPSILON_UNIT, 4 * PEGS_EPSILON_UNIT};

	for (size_t e = 0; e < 3; e++)
		for (uint32_t k = 1; k <= 2; k++)
			for (uint32_t ncols = 1; ncols <= COLUMNS; ncols++)
				for (int removed = 0; removed < 2; removed++)
				{
					judge_pure(ncols, narrow, e == 0 ? 200 : 12, epsilons[e], k, removed);
					CHECK(e < 2 || ncols == 1 || losses[PEGS_FOR_PAIR] > 0);
					/* where all pairs are had nothing is chosen; here nothing is had that is not */
					judge_pure(ncols, wide, 24, epsilons[e], k, removed);
					CHECK(e < 2 || ncols == 1 || (losses[PEGS_FOR_CHOICE] > 0 && losses[PEGS_FOR_PAIR] > 0));
				}
}

static void
test_zcdp(void)
{
	static const int64_t epsilons[] = {PEGS_EPSILON_UNIT, 2 * PEGS_EPSILON_UNIT, 8 * PEGS_EPSILON_UNIT};
	const int64_t delta = PEGS_DELTA_UNIT / 100;

	for (size_t e = 0; e < 3; e++)
		for (uint32_t k = 1; k <= 2; k++)
			for (int removed = 0; removed < 2; removed++)
			{
				double		epsilon = (double) epsilons[e] / PEGS_EPSILON_UNIT;
				pegs_accountant accountant;
				double		rho;
				verdict		v;

				pegs_accountant_init(&accountant, epsilons[e], delta, k);
				rho = (double) accountant.total * 0x1p-50;
				v = judge(2, narrow, 12, &accountant, epsilon, NONE, removed, 2000);
				if (!CHECK(v.delta - 4 * v.delta_error <= 0.01) || !CHECK(v.mean - 4 * v.mean_error <= rho))
					printf("  epsilon %g, %u rows a unit: mean loss %g (rho %g), delta %g\n", epsilon, k, v.mean, rho, v.delta);
				/* nearly all that is paid for is used */
				CHECK(v.mean + 4 * v.mean_error > 0.8 * rho);
			}
}

/*
 * Persons that weigh equally: the neighbour has one person more, that is W rows
 * more (all in one cell here: the worst), and a fit knows that it counts W times.
 */
static void
test_persons(void)
{
	const uint32_t W = 16;
	const int64_t delta = PEGS_DELTA_UNIT / 100;

	for (int removed = 0; removed < 2; removed++)
	{
		pegs_accountant accountant;
		double		rho;
		verdict		v;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, W);
		accountant.rows_each = W;
		v = judge(2, narrow, 12 * W, &accountant, 1, NONE, removed, 300);
		CHECK(v.most <= 1 + 1e-9 && v.most > 0.9);
		pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, delta, W);
		accountant.rows_each = W;
		rho = (double) accountant.total * 0x1p-50;
		v = judge(2, narrow, 12 * W, &accountant, 2, NONE, removed, 2000);
		CHECK(v.delta - 4 * v.delta_error <= 0.01);
		CHECK(v.mean - 4 * v.mean_error <= rho);
		CHECK(v.mean + 4 * v.mean_error > 0.8 * rho);
	}
}

/* Each must be found, or the tests above say nothing. */
static void
test_found(void)
{
	const int64_t delta = PEGS_DELTA_UNIT / 100;
	pegs_accountant accountant;
	verdict		v;

	for (uint32_t ncols = 1; ncols <= 2; ncols++)
	{
		/* twice the account */
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		accountant.total *= 2;
		CHECK(judge(ncols, narrow, 12, &accountant, 1, NONE, false, 300).most > 1.2);
		/* half the noise behind the account's back */
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		CHECK(judge(ncols, narrow, 12, &accountant, 1, HALVED_NOISE, false, 300).most > 1.2);
		/* four times rho: half the standard deviation */
		pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, delta, 1);
		accountant.total *= 4;
		v = judge(ncols, narrow, 12, &accountant, 2, NONE, false, 1000);
		CHECK(v.delta - 4 * v.delta_error > 0.01);
		CHECK(v.mean - 4 * v.mean_error > (double) accountant.total / 4 * 0x1p-50);
	}
	/* two rows, paid as one */
	{
		tables		t = neighbours(2, narrow, 12, 2);
		double		most = 0;

		told = NONE;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		for (uint32_t run = 0; run < 300; run++)
		{
			loss = 0;
			same_path = true;
			for (int side = 0; side < 2; side++)
			{
				pegs_fitted fitted;

				first = side == 0;
				at = 0;
				start_stream(99, run);
				watched_fit(&env, &rng, &accountant, &t.layout, t.cells[side], &fitted);
			}
			most = fmax(most, fabs(loss));
		}
		CHECK(most > 1.2);
		arena_free(&memory);
	}
	/* scores that a row moves by eight: only the choices are worse, a small part of the account; told rightly they pass */
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT / 10, 0, 1);
	CHECK(judge(3, narrow, 2000, &accountant, 0.1, EIGHTFOLD_SCORES, false, 600).most > 0.11);
	CHECK(judge(3, narrow, 2000, &accountant, 0.1, NONE, false, 600).most <= 0.1 * (1 + 1e-9));
	CHECK(losses[PEGS_FOR_CHOICE] > 0);
}

int
main(void)
{
	test_pure();
	test_zcdp();
	test_persons();
	test_found();
	return unit_done("engine_loss_test");
}
