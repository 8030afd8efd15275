/*
 * marginals_exact_test.c
 *	  Tables of single columns as urns, and as the bootstrap of each: what
 *	  methods_test.c asks of every method and is not all that these promise.
 */
#include "core/method.h"

#include <math.h>
#include <string.h>

#include "chisquare.h"
#include "core/epsilon.h"
#include "core/urn.h"
#include "core/wire.h"
#include "fixture.h"
#include "unit.h"

static const uint32_t levels[2] = {2, 3};

static pegs_wire
made(const pegs_method *method, const uint64_t *count)
{
	static const uint32_t none[3] = {0};
	pegs_wire	wire = {.kind = method->kind, .ncols = 2, .spec = ""};

	CHECK(pegs_layout_conditional(&env, 2, levels, none, NULL, 0, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * 5);
	for (int i = 0; count && i < 5; i++)
		wire.cells[i] = count[i];
	wire.rows = wire.cells[0] + wire.cells[1];
	return wire;
}

static bool
begin(const pegs_method *method, const pegs_wire *wire, const pegs_ask *ask, pegs_draws **draws)
{
	if (!CHECK(method->open(&env, wire, NULL, ask, draws) == PEGS_OK))
		return false;
	method->start(*draws, &rng);
	return true;
}

static uint32_t
next_cell(const pegs_method *method, pegs_draws *draws)
{
	uint16_t	row[2] = {9, 9};

	CHECK(method->next(draws, row) == PEGS_OK);
	return (uint32_t) pegs_joint_cell(2, levels, row);
}

/* The first two rows of so many calls: how often the cells of both together come, of which p is wanted. */
static void
check_two_rows(const pegs_method *method, const uint64_t *counts, const pegs_ask *ask, const double *p, int calls)
{
	uint64_t	seen[36] = {0};

	for (int call = 0; call < calls; call++)
	{
		pegs_wire	wire = made(method, counts);
		pegs_draws *draws;
		uint32_t	a;

		if (!begin(method, &wire, ask, &draws))
			return;
		a = next_cell(method, draws);
		seen[6 * a + next_cell(method, draws)]++;
		arena_free(&memory);
	}
	CHECK(chisquare_p(seen, p, 36, calls) > CHISQUARE_P);
}

/* Two rows of many calls: each column by an urn of its own; what is given is drawn from none. */
static void
test_urns(void)
{
	const pegs_method *method = &pegs_method_marginals_sealed;
	static const uint64_t few[5] = {3, 1, 0, 2, 2};
	int32_t		given[2] = {1, -1};

	for (int of = 0; of < 2; of++)
	{
		pegs_ask	ask = {.n = 2, .alpha = PEGS_URN_ONE / 2, .given = of == 1 ? given : NULL};
		double		p[36];

		for (int i = 0; i < 36; i++)
		{
			int			a[2] = {i / 6 / 3, i / 6 % 3};
			int			b[2] = {i % 6 / 3, i % 6 % 3};

			p[i] = ((double) few[2 + a[1]] + 0.5) / 5.5 * ((double) few[2 + b[1]] + 0.5 + (a[1] == b[1])) / 6.5;
			if (of == 0)
				p[i] *= ((double) few[a[0]] + 0.5) / 5 * ((double) few[b[0]] + 0.5 + (a[0] == b[0])) / 6;
			else
				p[i] *= a[0] == 1 && b[0] == 1;
		}
		start((uint8_t) of);
		check_two_rows(method, few, &ask, p, 100000);
	}
}

/*
 * A public prior is there besides, in each column by its own levels: two rows
 * of many calls; of persons that weigh twice it weighs twice. The bootstrap has none.
 */
static void
test_prior(void)
{
	static const uint64_t few[5] = {3, 1, 0, 2, 2};
	static const uint32_t cells[3] = {1, 2, 4};
	static const uint64_t units[3] = {5 * PEGS_URN_ONE, 3 * PEGS_URN_ONE, PEGS_URN_ONE / 2};
	static const double prior[5] = {0, 5, 3, 0, 0.5};
	pegs_setting setting = {.given = true, .nweights = 3, .cells = cells, .weights = units};

	for (uint32_t times = 0; times <= 2; times++)
	{
		const pegs_method *method = times == 0 ? &pegs_method_marginals_published : &pegs_method_marginals_sealed;
		pegs_ask	ask = {.n = 2, .alpha = times == 0 ? 0 : 3 * PEGS_URN_ONE / 2, .settings = &setting, .times = times > 0 ? times : 1};
		bool		urn = times > 0;
		double		p[36];
		double		total = 0;

		for (int i = 0; i < 36; i++)
		{
			p[i] = 1;
			for (int column = 0; column < 2; column++)
			{
				int			a = column == 0 ? i / 6 / 3 : 2 + i / 6 % 3;
				int			b = column == 0 ? i % 6 / 3 : 2 + i % 6 % 3;

				p[i] *= ((double) few[a] + urn * 1.5 + times * prior[a]) * ((double) few[b] + urn * 1.5 + times * prior[b] + (urn && a == b));
			}
			total += p[i];
		}
		for (int i = 0; i < 36; i++)
			p[i] /= total;
		start((uint8_t) (10 + times));
		check_two_rows(method, few, &ask, p, 60000);
	}
}

/* Each column that is drawn costs; zeros are refused, at a fit and, should they have come since, before a row. */
static void
test_price(void)
{
	const pegs_method *method = &pegs_method_marginals_sealed;
	int32_t		given[2] = {-1, 2};
	bool		one[2] = {true, false};
	pegs_zero	zero = {.n = 1, .column = {0}, .level = {one}};
	pegs_wire	wire = made(method, NULL);
	pegs_ask	ask = {.n = 1000};
	uint64_t	alpha;
	int64_t		delta = 0;
	pegs_draws *draws;

	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha / 65536, 1000 / expm1(0.5), 1e-6);
	CHECK(method->price(&ask, 2, levels, 3, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha / 65536, 1000 / expm1(1.0 / 6), 1e-6);
	ask.given = given;
	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha / 65536, 1000 / expm1(1), 1e-6);
	CHECK(method->refuse(&wire.layout).why == NULL);
	wire.layout.zeros = (pegs_zeros) {1, &zero};
	CHECK(method->refuse(&wire.layout).why != NULL && method->refuse(&wire.layout).hint != NULL);
	ask = (pegs_ask) {.n = 10, .alpha = 1, .zeros = {1, &zero}};
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* A million rows have the values of the columns, each by itself; of an empty table any. */
static void
test_bootstrap(void)
{
	const pegs_method *method = &pegs_method_marginals_published;
	static const uint64_t counts[5] = {30, 70, 50, 0, 50};

	for (int empty = 0; empty < 2; empty++)
	{
		pegs_wire	wire = made(method, empty ? NULL : counts);
		pegs_ask	ask = {.n = 1000000};
		uint64_t	seen[6] = {0};
		double		p[6];
		pegs_draws *draws;

		for (int i = 0; i < 6; i++)
			p[i] = empty ? 1.0 / 6 : (double) (counts[i / 3] * counts[2 + i % 3]) / 10000;
		start(4);
		if (!begin(method, &wire, &ask, &draws))
			continue;
		for (uint64_t i = 0; i < ask.n; i++)
			seen[next_cell(method, draws)]++;
		CHECK(chisquare_p(seen, p, 6, ask.n) > CHISQUARE_P);
		arena_free(&memory);
	}
}

/* A forbidden row is drawn again; where the columns give no other, any possible one. */
static void
test_bootstrap_zeros(void)
{
	const pegs_method *method = &pegs_method_marginals_published;
	static const uint64_t counts[5] = {30, 70, 50, 0, 50};
	bool		one[2] = {true, false};
	bool		some[3] = {true, false, false};
	bool		both[3] = {true, false, true};
	pegs_zero	zero[2] = {{.n = 2, .column = {0, 1}, .level = {one, some}}, {.n = 1, .column = {1}, .level = {both}}};
	const double p[6] = {0, 0, 15 / 85.0, 35 / 85.0, 0, 35 / 85.0};
	pegs_wire	wire = made(method, counts);
	pegs_ask	ask = {.n = 100000, .zeros = {1, zero}};
	uint64_t	seen[6] = {0};
	pegs_draws *draws;

	start(5);
	if (begin(method, &wire, &ask, &draws))
		for (uint64_t i = 0; i < ask.n; i++)
			seen[next_cell(method, draws)]++;
	CHECK(chisquare_p(seen, p, 6, ask.n) > CHISQUARE_P);
	ask = (pegs_ask) {.n = 100, .zeros = {1, &zero[1]}};
	if (begin(method, &wire, &ask, &draws))
		for (uint64_t i = 0; i < ask.n; i++)
			CHECK_INT(next_cell(method, draws) % 3, 1);
	arena_free(&memory);
}

int
main(void)
{
	test_urns();
	test_prior();
	test_price();
	test_bootstrap();
	test_bootstrap_zeros();
	return unit_done("marginals_exact_test");
}
