/*
 * engine_test.c
 *	  Does a fit see the counts through its two doors only, and pay for both?
 *
 * The heart is test_doors: the engine is compiled into this file with its two
 * calls into the account replaced. The first run of a fit records what was
 * shown to them; a second run, on a neighbouring table, is answered as the
 * first one was. Then everything the two runs do must be equal to the bit, and
 * what they show must differ by the sensitivity that was paid for: a measured
 * table in one cell by one, a score by at most one; or, where neighbours differ
 * by k rows, by k. Through the 1-ways, the
 * forest, the rounds and what is left over. Claims P6 and P7.
 *
 * Beside it: the account adds up, degenerate tables give a distribution, and
 * large tables are recovered.
 */
#include "watched.h"
#undef pegs_engine_fit

#include "core/graph/draw.h"
#define STREAM_SALT [3] = 3
#include "fixture.h"
#include "unit.h"

/* The true ones, as the headers declare them. */
extern void pegs_engine_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant,
							const pegs_layout *layout, const uint64_t *cells, pegs_fitted *model);
extern double pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
						   const int64_t *exact, double *noisy, size_t n);
extern size_t pegs_choose(pegs_accountant *accountant, pegs_rng *rng, double cost,
						  const int64_t *score, size_t n);

static const pegs_zeros no_rules;

/* ---------- tables ---------- */

typedef struct counted
{
	pegs_layout layout;
	uint64_t   *cells;
	uint32_t	rows;
} counted;

static counted
empty(uint32_t ncols, const uint32_t *levels)
{
	counted		t = {.rows = 0};

	CHECK(pegs_layout_pairs(&env, ncols, levels, &t.layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &t.layout);
	t.cells = env.alloc(env.context, sizeof(uint64_t) * t.layout.ncells);
	return t;
}

static void
add(counted *t, const uint16_t *row)
{
	uint16_t	code[64];
	uint16_t   *codes[64];

	for (uint32_t i = 0; i < t->layout.ncols; i++)
	{
		code[i] = row[i];
		codes[i] = &code[i];
	}
	pegs_count_chunk(&t->layout, t->cells, codes, 1);
	t->rows++;
}

/* Columns that follow one another: each is the last one's level, or any. */
static void
any_row(const pegs_layout *layout, uint16_t *row)
{
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t	skewed = pegs_rng_below(&rng, layout->levels[i]);

		skewed = pegs_rng_below(&rng, skewed + 1);
		row[i] = (uint16_t) (i > 0 && pegs_rng_below(&rng, 3) > 0 ? row[i - 1] % layout->levels[i] : skewed);
	}
}

static counted
table(uint32_t ncols, const uint32_t *levels, uint32_t rows)
{
	counted		t = empty(ncols, levels);
	uint16_t	row[64];

	while (t.rows < rows)
	{
		any_row(&t.layout, row);
		add(&t, row);
	}
	return t;
}

static counted
copy_of(const counted *t)
{
	counted		c = *t;

	c.cells = env.alloc(env.context, sizeof(uint64_t) * t->layout.ncells);
	memcpy(c.cells, t->cells, sizeof(uint64_t) * t->layout.ncells);
	return c;
}

/* ---------- the two doors ---------- */

#define MAX_CALLS 20000

typedef struct call
{
	pegs_purpose purpose;		/* PEGS_FOR_CHOICE: a choice */
	double		cost;
	size_t		n;
	int64_t    *shown;			/* exact table or scores */
} call;

static call calls[MAX_CALLS];
static uint32_t ncalls;			/* of the first run */
static uint32_t at;				/* of the current run */
static bool recording;
static bool same_path;			/* did the second run ask for the same, call by call? */
static uint32_t rows_apart;		/* by which the tables of the two runs differ */
static bool sensitivity_held;
static uint32_t moved;			/* tables and scores that the row has changed */

/* Record what is shown, or hold it against the record; returns what to answer from. */
static const int64_t *
show(pegs_purpose purpose, double cost, const int64_t *shown, size_t n)
{
	call	   *c = &calls[at++];
	uint64_t	distance = 0;
	uint64_t	largest = 0;

	if (at > MAX_CALLS)
	{
		CHECK(!"more calls than expected");
		exit(1);
	}
	if (recording)
	{
		*c = (call) {purpose, cost, n, env.alloc(env.context, sizeof(int64_t) * n)};
		memcpy(c->shown, shown, sizeof(int64_t) * n);
		ncalls = at;
		return c->shown;
	}
	if (at > ncalls || c->purpose != purpose || c->cost != cost || c->n != n)
	{
		same_path = false;
		return shown;
	}
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	d = (uint64_t) llabs(shown[i] - c->shown[i]);

		distance += d;
		largest = d > largest ? d : largest;
	}
	moved += distance > 0;
	if (purpose == PEGS_FOR_CHOICE)
		sensitivity_held = sensitivity_held && largest <= rows_apart;
	else
		sensitivity_held = sensitivity_held && distance == rows_apart;	/* every table has every row */
	return c->shown;
}

double
watched_measure(pegs_accountant *accountant, pegs_rng *r, pegs_purpose purpose, double cost,
				const int64_t *exact, double *noisy, size_t n)
{
	return pegs_measure(accountant, r, purpose, cost, show(purpose, cost, exact, n), noisy, n);
}

size_t
watched_choose(pegs_accountant *accountant, pegs_rng *r, double cost, const int64_t *score, size_t n)
{
	return pegs_choose(accountant, r, cost, show(PEGS_FOR_CHOICE, cost, score, n), n);
}

static bool
same_doubles(const double *a, const double *b, size_t n)
{
	return memcmp(a, b, sizeof(double) * n) == 0;
}

static bool
same_classes(const uint16_t *a, const uint16_t *b, size_t n)
{
	return memcmp(a, b, sizeof(uint16_t) * n) == 0;
}

static bool
same_tree(const pegs_jtree *a, const pegs_jtree *b)
{
	bool		same = a->ncols == b->ncols && a->nclique == b->nclique
		&& memcmp(a->classes, b->classes, sizeof(uint32_t) * a->ncols) == 0;

	for (uint32_t i = 0; same && i < a->nclique; i++)
	{
		const pegs_clique *x = &a->clique[i];
		const pegs_clique *y = &b->clique[i];

		same = x->n == y->n && x->cells == y->cells && x->parent == y->parent && x->nsep == y->nsep
			&& x->sep_cells == y->sep_cells && memcmp(x->column, y->column, sizeof(uint32_t) * x->n) == 0
			&& same_doubles(x->mu, y->mu, x->cells)
			&& (x->sep_cells == 0 || same_doubles(x->sep_mu, y->sep_mu, x->sep_cells));
	}
	return same;
}

/* To the bit, with every measurement. */
static bool
same_fitted(const pegs_fitted *a, const pegs_fitted *b)
{
	bool		same = a->ncols == b->ncols && a->npairs == b->npairs && a->rows == b->rows
		&& memcmp(&a->accountant, &b->accountant, sizeof(pegs_accountant)) == 0 && same_tree(&a->tree, &b->tree);

	for (uint32_t i = 0; same && i < a->ncols; i++)
		same = same_doubles(a->share[i], b->share[i], a->levels[i])
			&& same_classes(a->class_of[i], b->class_of[i], a->levels[i]);
	for (uint32_t p = 0; same && p < a->npairs; p++)
	{
		const pegs_pair *x = &a->pair[p];
		const pegs_pair *y = &b->pair[p];

		same = x->outside == y->outside && x->n == y->n && x->variance == y->variance
			&& memcmp(x->column, y->column, sizeof(x->column)) == 0 && memcmp(x->k, y->k, sizeof(x->k)) == 0
			&& same_doubles(x->share, y->share, (size_t) x->k[0] * x->k[1]);
		for (int s = 0; same && s < 2; s++)
			same = same_classes(x->class_of[s], y->class_of[s], a->levels[x->column[s]]);
		for (uint32_t i = 0; same && i < x->n; i++)
		{
			const pegs_measured *v = &x->measured[i];
			const pegs_measured *w = &y->measured[i];

			same = v->variance == w->variance && memcmp(v->k, w->k, sizeof(v->k)) == 0
				&& same_classes(v->class_of[0], w->class_of[0], a->levels[x->column[0]])
				&& same_classes(v->class_of[1], w->class_of[1], a->levels[x->column[1]])
				&& same_doubles(v->noisy, w->noisy, (size_t) v->k[0] * v->k[1]);
		}
	}
	same = same && a->ntriples == b->ntriples;
	for (uint32_t t = 0; same && t < a->ntriples; t++)
	{
		const pegs_triple *x = &a->triple[t];
		const pegs_triple *y = &b->triple[t];
		size_t		cells = 1;

		for (int i = 0; i < 3; i++)
			cells *= a->levels[x->column[i]];
		same = x->outside == y->outside && x->n == y->n && x->variance == y->variance
			&& memcmp(x->column, y->column, sizeof(x->column)) == 0 && same_doubles(x->noisy, y->noisy, cells)
			&& same_doubles(x->share, y->share, cells);
	}
	return same;
}

static void
run(const counted *t, const pegs_accountant *accountant, uint8_t key, bool first, pegs_fitted *model)
{
	pegs_rng	before = rng;

	start(key);
	recording = first;
	at = 0;
	watched_fit(&env, &rng, accountant, &t->layout, t->cells, model);
	rng = before;
}

static uint32_t seen_outside;	/* pairs that did not fit the tree */
static uint32_t seen_wide;		/* cliques of three columns or more */
static uint32_t seen_twice;		/* pairs measured more than once */
static uint32_t seen_grids;		/* on different grids */
static uint32_t seen_covered;	/* fits that measured all pairs before they chose */
static uint32_t seen_triples;	/* fits with a table of three columns */
static uint32_t seen_chosen;	/* fits that chose */

/* A fit of `t`, and of `t` with each of some rows added: one, or as many as a unit may have, alike or not. */
static void
check_doors(const counted *t, const pegs_accountant *accountant, uint8_t key, uint32_t neighbours)
{
	pegs_fitted one;
	pegs_fitted true_one;
	uint32_t	domain = 1;

	for (uint32_t i = 0; i < t->layout.ncols; i++)
		domain = domain > 1000 ? domain : domain * t->layout.levels[i];
	run(t, accountant, key, true, &one);

	/* watching has changed nothing: the linked engine finds the same */
	{
		pegs_rng	before = rng;

		start(key);
		pegs_engine_fit(&env, &rng, accountant, &t->layout, t->cells, &true_one);
		CHECK(same_fitted(&one, &true_one));
		rng = before;
	}
	for (uint32_t p = 0; p < one.npairs; p++)
	{
		const pegs_pair *pair = &one.pair[p];
		bool		other_grid = false;

		for (uint32_t i = 1; i < pair->n; i++)
			other_grid |= memcmp(pair->measured[i].k, pair->measured[0].k, sizeof(pair->k)) != 0;
		seen_outside += pair->outside;
		seen_twice += pair->n > 1;
		seen_grids += other_grid;
	}
	seen_chosen += one.accountant.record[PEGS_FOR_CHOICE - 1].uses > 0;
	seen_covered += one.npairs > 0 && pegs_can_cover(&one.accountant, one.ncols, one.levels, one.share, one.rows * pegs_accountant_scale(&one.accountant));
	seen_triples += one.ntriples > 0;
	for (uint32_t i = 0; i < one.tree.nclique; i++)
		seen_wide += one.tree.clique[i].n > 2;
	for (uint32_t k = 0; k < neighbours && (domain > 1000 || k < domain); k++)
	{
		counted		more = copy_of(t);
		uint16_t	row[64];
		uint32_t	cell = k;
		pegs_fitted two;

		any_row(&t->layout, row);
		for (uint32_t i = t->layout.ncols; i-- > 0 && domain <= 1000;)
		{
			row[i] = (uint16_t) (cell % t->layout.levels[i]);
			cell /= t->layout.levels[i];
		}
		rows_apart = accountant->rows_per_unit;
		for (uint32_t i = 0; i < rows_apart; i++)
		{
			add(&more, row);
			if (k % 2 == 1)
				any_row(&t->layout, row);
		}
		same_path = sensitivity_held = true;
		moved = 0;
		run(&more, accountant, key, false, &two);
		CHECK(same_path && at == ncalls);
		CHECK(sensitivity_held);
		CHECK(moved >= t->layout.ncols);
		CHECK(same_fitted(&one, &two));
	}
}

static const int64_t epsilons[] = {100000, PEGS_EPSILON_UNIT / 10, PEGS_EPSILON_UNIT, 10 * PEGS_EPSILON_UNIT, 100 * PEGS_EPSILON_UNIT, 1000 * PEGS_EPSILON_UNIT};
static const int64_t deltas[] = {0, INT64_C(1000000000)};

static void
test_doors(void)
{
	static const struct
	{
		uint32_t	ncols;
		uint32_t	levels[6];
		uint32_t	rows;
		uint32_t	neighbours;
	}			line[] = {
		{1, {3}, 5, 3},
		{2, {2, 2}, 0, 4},
		{2, {2, 3}, 4, 6},
		{3, {2, 3, 2}, 7, 12},
		{3, {4, 1, 5}, 50, 20},
		{4, {3, 12, 5, 2}, 3000, 20},
		{5, {14, 7, 2, 11, 3}, 20000, 4},
		{3, {60, 60, 60}, 30000, 2}
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (size_t e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			for (size_t d = 0; d < 2; d++)
			{
				counted		t;
				pegs_accountant accountant;

				if (line[i].rows >= 30000 && epsilons[e] < 100 * PEGS_EPSILON_UNIT)
					continue;	/* slow, and here for what does not fit the tree */
				start((uint8_t) (i * 16 + e));
				t = table(line[i].ncols, line[i].levels, line[i].rows);
				pegs_accountant_init(&accountant, epsilons[e], deltas[d], 1);
				check_doors(&t, &accountant, (uint8_t) (i * 16 + e), line[i].neighbours);
				/* the same for a person with up to three rows */
				pegs_accountant_init(&accountant, epsilons[e], deltas[d], 3);
				check_doors(&t, &accountant, (uint8_t) (i * 16 + e), line[i].neighbours < 4 ? line[i].neighbours : 4);
				/* and for one that is counted eight times, whatever the number of rows */
				pegs_accountant_init(&accountant, epsilons[e], deltas[d], 8);
				accountant.rows_each = 8;
				check_doors(&t, &accountant, (uint8_t) (i * 16 + e), line[i].neighbours < 4 ? line[i].neighbours : 4);
				arena_free(&memory);
			}
	CHECK(seen_outside > 2 && seen_wide > 10 && seen_twice > 10 && seen_grids > 2 && seen_covered > 10 && seen_chosen > 10 && seen_triples > 10);

	/* It can fail: the model of other data, answered by its own counts, is another one. */
	{
		counted		t;
		pegs_accountant accountant;
		pegs_fitted one;
		pegs_fitted two;
		uint16_t	row[64];

		start(7);
		t = table(line[5].ncols, line[5].levels, 3000);
		pegs_accountant_init(&accountant, 10 * PEGS_EPSILON_UNIT, 0, 1);
		rows_apart = 1;
		run(&t, &accountant, 7, true, &one);
		for (int r = 0; r < 3; r++)
		{
			any_row(&t.layout, row);
			add(&t, row);
		}
		same_path = sensitivity_held = true;
		run(&t, &accountant, 7, false, &two);
		CHECK(!sensitivity_held);
		run(&t, &accountant, 7, true, &two);
		CHECK(!same_fitted(&one, &two));
		arena_free(&memory);
	}
}

/* ---------- sensitivity of a score, by enumeration ---------- */

#define MAX_LEVELS 3

/* A distribution of n cells, some of them empty. */
static double *
some_shares(size_t n)
{
	double	   *p = env.alloc(env.context, sizeof(double) * n);
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i] = pegs_rng_below(&rng, 4) == 0 ? 0 : pegs_rng_double(&rng) + 1e-9;
	for (size_t i = 0; i < n; i++)
		p[i] = sum > 0 ? p[i] / sum : 1.0 / (double) n;
	return p;
}

/* Every table of a few rows, every row added, every grid; against 1-ways, a tree, and a pair's own table. */
static void
check_score(pegs_graph_fit *f, counted *t, double *const *tree_pairs, const uint16_t *row)
{
	counted		more = copy_of(t);
	uint32_t	m = t->layout.ncols;

	add(&more, row);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
			for (uint32_t ka = 1; ka <= t->layout.levels[a]; ka++)
				for (uint32_t kb = 1; kb <= t->layout.levels[b]; kb++)
				{
					pegs_candidate c = {.n = 2, .column = {a, b}, .k = {ka, kb}};
					uint16_t   *class_of[2];
					int64_t    *x;
					int64_t    *y;
					int64_t		change;
					uint32_t	cells = 0;
					uint32_t	hit;

					f->cells = t->cells;
					change = pegs_score(f, &c, tree_pairs, 3.3);
					pegs_cut_pair(f, c.column, c.k, class_of);
					x = exact_table(f, c.column, c.k, class_of);
					f->cells = more.cells;
					change -= pegs_score(f, &c, tree_pairs, 3.3);
					y = exact_table(f, c.column, c.k, class_of);
					CHECK(llabs(change) <= 1);
					for (uint32_t i = 0; i < ka * kb; i++)
						cells += x[i] != y[i];
					CHECK(cells == 1);
					hit = class_of[0][row[a]] * kb + class_of[1][row[b]];
					CHECK(y[hit] == x[hit] + 1);
				}
	if (pegs_triple_at(&t->layout, 0, 1, 2) > 0)
	{
		const pegs_candidate c = {.n = 3, .column = {0, 1, 2}};
		size_t		cells = pegs_triple_cells(f, c.column);
		int64_t		change;
		int64_t    *x;
		int64_t    *y;
		int64_t		moved = 0;

		f->cells = t->cells;
		change = pegs_score_triple(f, &c, pegs_expected_triple(f, c.column, tree_pairs), 3.3);
		x = exact_triple(f, c.column, cells);
		f->cells = more.cells;
		change -= pegs_score_triple(f, &c, pegs_expected_triple(f, c.column, tree_pairs), 3.3);
		y = exact_triple(f, c.column, cells);
		CHECK(llabs(change) <= 1);
		for (size_t i = 0; i < cells; i++)
			moved += llabs(y[i] - x[i]);
		CHECK(moved == 1);
	}
}

static void
enumerate_tables(pegs_graph_fit *f, counted *t, double *const *tree_pairs, uint32_t from, uint32_t rows)
{
	const uint32_t *levels = t->layout.levels;
	uint32_t	domain = levels[0] * levels[1] * levels[2];

	for (uint32_t cell = 0; cell < domain; cell++)
	{
		uint16_t	row[3] = {(uint16_t) (cell / (levels[1] * levels[2])), (uint16_t) (cell / levels[2] % levels[1]),
		(uint16_t) (cell % levels[2])};
		counted		more;

		if (rows == 0)
		{
			check_score(f, t, tree_pairs, row);
			continue;
		}
		if (cell < from)
			continue;
		more = copy_of(t);
		add(&more, row);
		enumerate_tables(f, &more, tree_pairs, cell, rows - 1);
	}
}

/* Numbers of rows and shares that fit the table or do not at all. */
static void
test_score_sensitivity(void)
{
	static const uint32_t levels[3] = {2, MAX_LEVELS, 2};
	static const double rows[] = {1, 2.5, 3, 1e6, 1e15};
	double		shares[2][3][MAX_LEVELS] = {{{0.5, 0.5}, {0.25, 0.5, 0.25}, {1, 0}}, {{0.31, 0.69}, {1e-9, 0.4, 0.6 - 1e-9}, {0.123, 0.877}}};

	start(40);
	for (int s = 0; s < 2; s++)
		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
			for (uint32_t n = 0; n <= (r == 1 && s == 1 ? 2 : 1); n++)
				for (int door = 0; door < 3; door++)
				{
					double	   *share[3] = {shares[s][0], shares[s][1], shares[s][2]};
					pegs_pair	pair[3] = {{.column = {0, 1}}, {.column = {0, 2}}, {.column = {1, 2}}};
					pegs_fitted model = {.ncols = 3, .rows = rows[r], .share = share, .npairs = 3, .pair = pair};
					counted		t = empty(3, levels);
					pegs_merge	merge[3];
					int32_t		pair_of[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
					uint16_t   *class_of[3];
					uint32_t	classes[3] = {2, (uint32_t) (s + 2), (uint32_t) (2 - s)};
					double	   *tree_pairs[9] = {0};
					pegs_graph_fit	f = {.env = &env, .layout = &t.layout, .model = &model, .merge = merge, .pair_of = pair_of};

					for (uint32_t i = 0; i < 3; i++)
					{
						pegs_merge_build(&env, &merge[i], levels[i], share[i], NULL);
						class_of[i] = env.alloc(env.context, sizeof(uint16_t) * levels[i]);
						pegs_merge_cut(&merge[i], classes[i], class_of[i]);
					}
					model.class_of = class_of;
					model.tree.ncols = 3;
					model.tree.classes = classes;
					for (int p = 0; p < 3; p++)
					{
						uint32_t	a = pair[p].column[0];
						uint32_t	b = pair[p].column[1];

						tree_pairs[3 * a + b] = some_shares((size_t) classes[a] * classes[b]);
						pair[p].outside = true;
						pair[p].k[0] = 2;
						pair[p].k[1] = p == 2 ? 1 : levels[b];
						pegs_cut_pair(&f, pair[p].column, pair[p].k, pair[p].class_of);
						pair[p].share = some_shares((size_t) pair[p].k[0] * pair[p].k[1]);
						if (door == 2)
							pair_of[3 * a + b] = p;
					}
					enumerate_tables(&f, &t, door == 0 ? NULL : tree_pairs, 0, n);
					arena_free(&memory);
				}
}

/* ---------- the account ---------- */

static void
check_account(const pegs_accountant *a, bool whole)
{
	uint64_t	sum = 0;
	/* a unit for each measurement, and what a double of the total cannot say */
	uint64_t	lost = 100 + (a->total >> 50);

	for (uint32_t i = 0; i < 3; i++)
	{
		CHECK_INT(a->record[i].purpose, i + 1);
		CHECK((a->record[i].uses == 0) == (a->record[i].cost == 0));
		sum += a->record[i].cost;
	}
	CHECK(sum == a->spent);
	CHECK(a->spent <= a->total);
	if (whole && !CHECK(a->total - a->spent <= lost))
		printf("  spent %" PRIu64 " of %" PRIu64 "\n", a->spent, a->total);
}

/* A pair and its two columns agree: its margins are their class sums. */
static double
margins_differ(const pegs_fitted *f, uint32_t column, const uint16_t *class_of, uint32_t k, const double *margin)
{
	double	   *sum = env.alloc(env.context, sizeof(double) * k);
	double		error = 0;

	for (uint32_t j = 0; j < f->levels[column]; j++)
		sum[class_of[j]] += f->share[column][j];
	for (uint32_t x = 0; x < k; x++)
		error += fabs(margin[x] - sum[x]);
	return error;
}

static void
check_margins(const pegs_fitted *f, const pegs_pair *pair, double limit)
{
	double	   *margin[2];
	double		error;

	for (int s = 0; s < 2; s++)
		margin[s] = env.alloc(env.context, sizeof(double) * pair->k[s]);
	for (uint32_t x = 0; x < pair->k[0]; x++)
		for (uint32_t y = 0; y < pair->k[1]; y++)
		{
			margin[0][x] += pair->share[(size_t) x * pair->k[1] + y];
			margin[1][y] += pair->share[(size_t) x * pair->k[1] + y];
		}
	error = margins_differ(f, pair->column[0], pair->class_of[0], pair->k[0], margin[0])
		+ margins_differ(f, pair->column[1], pair->class_of[1], pair->k[1], margin[1]);
	if (!CHECK(error < limit))
		printf("  pair %u, %u on %u x %u: margins differ by %g\n", pair->column[0], pair->column[1],
			   pair->k[0], pair->k[1], error);
}

static bool
is_cut(const uint16_t *class_of, uint32_t levels, uint32_t k)
{
	bool		sound = class_of[0] == 0 && class_of[levels - 1] + 1u == k;

	for (uint32_t i = 1; i < levels; i++)
		sound = sound && (class_of[i] == class_of[i - 1] || class_of[i] == class_of[i - 1] + 1);
	return sound;
}

static bool
is_distribution(const double *p, size_t n)
{
	double		sum = 0;
	bool		sound = true;

	for (size_t i = 0; i < n; i++)
	{
		sound = sound && p[i] >= 0 && p[i] <= 1 + 1e-9;
		sum += p[i];
	}
	return sound && fabs(sum - 1) < 1e-9;
}

/* Tables of the tree: distributions of which a column's margin is its 1-way; every pair inside has a home. */
static void
check_tree(const pegs_fitted *f, double limit)
{
	const pegs_jtree *tree = &f->tree;
	bool		sound = tree->ncols == f->ncols && tree->nclique >= 1 && tree->nclique <= f->ncols;
	double		cells = 0;

	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		sound = sound && is_distribution(tree->clique[i].mu, tree->clique[i].cells);
		cells += (double) tree->clique[i].cells;
	}
	CHECK(sound);
	/* the bound of the rounds; the forest may pass it, by what its pairs may have */
	CHECK(cells <= 100000 || f->npairs < f->ncols);
	for (uint32_t q = 0; q < f->ncols; q++)
	{
		int32_t		home = pegs_jtree_home(tree, 1, &q);
		uint32_t   *index;
		double	   *margin;
		double		error;

		CHECK(is_cut(f->class_of[q], f->levels[q], tree->classes[q]));
		if (!CHECK(home >= 0))
			continue;
		index = pegs_jtree_index(&env, tree, &tree->clique[home], 1, &q);
		margin = env.alloc(env.context, sizeof(double) * tree->classes[q]);
		for (size_t i = 0; i < tree->clique[home].cells; i++)
			margin[index[i]] += tree->clique[home].mu[i];
		error = margins_differ(f, q, f->class_of[q], tree->classes[q], margin);
		if (!CHECK(error < limit))
			printf("  column %u of the tree: margins differ by %g\n", q, error);
	}
	for (uint32_t p = 0; p < f->npairs; p++)
		CHECK(f->pair[p].outside || pegs_jtree_home(tree, 2, f->pair[p].column) >= 0);
}

/* A model that can be used: shares that are shares, numbers that are numbers. */
static void
check_fitted(const pegs_fitted *f)
{
	bool		sound = isfinite(f->rows) && f->rows >= 1 && f->npairs <= f->ncols * (f->ncols - 1) / 2;
	pegs_draw	draw;
	uint16_t	row[64];
	uint16_t   *codes[64];

	for (uint32_t i = 0; i < f->ncols; i++)
		sound = sound && is_distribution(f->share[i], f->levels[i]);
	CHECK(sound);
	for (uint32_t p = 0; p < f->npairs; p++)
	{
		const pegs_pair *pair = &f->pair[p];
		size_t		cells = (size_t) pair->k[0] * pair->k[1];

		sound = pair->column[0] < pair->column[1] && pair->column[1] < f->ncols && pair->k[0] > 1 && pair->k[1] > 1
			&& pair->variance > 0 && isfinite(pair->variance) && (pair->n >= 1 || f->ntriples > 0) && is_distribution(pair->share, cells);
		for (int s = 0; s < 2; s++)
			sound = sound && is_cut(pair->class_of[s], f->levels[pair->column[s]], pair->k[s]);
		for (uint32_t q = 0; q < p; q++)
			sound = sound && memcmp(pair->column, f->pair[q].column, sizeof(pair->column)) != 0;
		for (uint32_t i = 0; i < pair->n; i++)
			for (size_t c = 0; c < (size_t) pair->measured[i].k[0] * pair->measured[i].k[1]; c++)
				sound = sound && isfinite(pair->measured[i].noisy[c]);
		CHECK(sound);
		check_margins(f, pair, 0.05);
	}
	/* on a handful of rows the projected tables contradict each other: no tree agrees with all of them */
	for (uint32_t t = 0; t < f->ntriples; t++)
	{
		const pegs_triple *triple = &f->triple[t];
		size_t		cells = 1;

		for (int x = 0; x < 3; x++)
			cells *= f->levels[triple->column[x]];
		CHECK(triple->column[0] < triple->column[1] && triple->column[1] < triple->column[2] && triple->column[2] < f->ncols && cells <= 36
			  && triple->n >= 1 && triple->variance > 0 && isfinite(triple->variance) && is_distribution(triple->share, cells));
		CHECK(triple->outside || pegs_jtree_home(&f->tree, 3, triple->column) >= 0);
	}
	check_tree(f, f->rows < 10 ? 0.2 : f->ntriples > 0 ? 0.07 : 0.05);
	CHECK(pegs_draw_init(&env, f, NULL, &draw) == PEGS_OK);
	sound = true;
	for (int r = 0; r < 100; r++)
	{
		pegs_draw_row(&draw, &rng, row);
		for (uint32_t i = 0; i < f->ncols; i++)
			sound = sound && row[i] < f->levels[i];
	}
	for (uint32_t i = 0; i < f->ncols; i++)
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * 300);
	pegs_draw_batch(&env, &draw, &rng, 300, codes);
	pegs_adjust_batch(&env, f, &no_rules, &rng, 300, codes);
	for (int r = 0; r < 300; r++)
		for (uint32_t i = 0; i < f->ncols; i++)
			sound = sound && codes[i][r] < f->levels[i];
	CHECK(sound);
}

static void
test_account(void)
{
	pegs_accountant a;
	int64_t		exact[2] = {5, 6};
	double		noisy[2];
	int64_t		score[3] = {0, 100000, 0};

	for (size_t d = 0; d < 2; d++)
	{
		start(20);
		pegs_accountant_init(&a, PEGS_EPSILON_UNIT, deltas[d], 1);
		CHECK(a.pure == (deltas[d] == 0));
		CHECK(a.total == (a.pure ? pegs_pure_cost(PEGS_EPSILON_UNIT) : pegs_rho(PEGS_EPSILON_UNIT, deltas[d])));
		check_account(&a, false);
		/* nothing, less than nothing, less than a unit, no number: nothing is looked at */
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, 0, exact, noisy, 2) < 0);
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, -1, exact, noisy, 2) < 0);
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, 0x1p-51, exact, noisy, 2) < 0);
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, NAN, exact, noisy, 2) < 0);
		CHECK(a.spent == 0);
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, 0x1p-10, exact, noisy, 2) > 0);
		CHECK_INT(a.spent, UINT64_C(1) << 40);
		pegs_choose(&a, &rng, 0x1p-11, score, 3);
		CHECK_INT(a.record[1].cost, UINT64_C(1) << 39);
		check_account(&a, false);
		/* too much: what is left */
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_ONEWAY, 1e9, exact, noisy, 2) > 0);
		CHECK(a.spent == a.total);
		check_account(&a, true);
		CHECK(pegs_accountant_left(&a) == 0);
		/* and then nothing: a choice without a budget does not see the scores */
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_ONEWAY, 1, exact, noisy, 2) < 0);
		{
			uint32_t	first = 0;

			for (int i = 0; i < 3000; i++)
				first += pegs_choose(&a, &rng, 1, score, 3) == 1;
			CHECK(fabs(first - 1000.0) < 5 * sqrt(3000 * 2.0 / 9));
		}
		check_account(&a, true);

		/* the planned noise is the noise: sd, mean absolute value, and back; k rows a unit make it k times as wide */
		for (int i = 0; i < 4; i++)
		{
			static int64_t zeros[20000];
			static double drawn[20000];
			double		cost = i % 2 == 0 ? 0.01 : 0.2;
			uint32_t	k = i < 2 ? 1 : 3;
			double		variance;
			double		one_row;
			double		squares = 0;
			double		absolute = 0;

			pegs_accountant_init(&a, 1000 * PEGS_EPSILON_UNIT, deltas[d], 1);
			one_row = pegs_noise_sd(&a, cost);
			pegs_accountant_init(&a, 1000 * PEGS_EPSILON_UNIT, deltas[d], k);
			CHECK_NEAR(pegs_noise_sd(&a, cost), k * one_row, 1e-12);
			CHECK_NEAR(pegs_cost_of_sd(&a, pegs_noise_sd(&a, 0.37)), 0.37, 1e-12);
			variance = pegs_measure(&a, &rng, PEGS_FOR_PAIR, cost, zeros, drawn, 20000);

			for (int k = 0; k < 20000; k++)
			{
				squares += drawn[k] * drawn[k] / 20000;
				absolute += fabs(drawn[k]) / 20000;
			}
			CHECK_NEAR(squares, variance, 0.08);
			CHECK_NEAR(sqrt(variance), pegs_noise_sd(&a, cost), 0.02);
			CHECK_NEAR(absolute, pegs_noise_abs(&a, cost), 0.05);

			/* a score that is one better is chosen exp(factor) times as often, with k rows exp(factor / k) */
			{
				static const int64_t better[2] = {0, 1};
				double		odds = 0;
				const double choice = 0.5;

				pegs_accountant_init(&a, PEGS_EPSILON_UNIT, deltas[d], k);
				a.total = UINT64_C(1) << 62;	/* 8,000 choices of 1/2 */
				for (int n = 0; n < 8000; n++)
					odds += pegs_choose(&a, &rng, choice, better, 2) == 1;
				odds /= 8000 - odds;
				CHECK_NEAR(log(odds), (d == 0 ? choice / 2 : sqrt(2 * choice)) / k, d == 0 ? 0.8 : 0.25);
				CHECK_NEAR(pegs_choice_factor(&a, choice), (d == 0 ? choice / 2 : sqrt(2 * choice)) / k, 1e-12);
			}
		}

		/* a unit that is not enough for every row of three buys nothing, and is spent */
		pegs_accountant_init(&a, PEGS_EPSILON_UNIT, deltas[d], 3);
		CHECK(pegs_measure(&a, &rng, PEGS_FOR_PAIR, 0x1p-49, exact, noisy, 2) < 0);
		CHECK_INT(a.spent, 2);
		CHECK(!pegs_buys_noise(&a, 0x1p-49) && pegs_buys_noise(&a, 0x1p-40));
	}
}

/* ---------- degenerate tables ---------- */

static void
check_fit(uint32_t ncols, const uint32_t *levels, uint32_t rows, int64_t epsilon, int64_t delta)
{
	counted		t;
	pegs_accountant accountant;
	pegs_fitted f;
	unsigned long failed = unit_failed;

	start((uint8_t) (ncols + rows));
	t = table(ncols, levels, rows);
	pegs_accountant_init(&accountant, epsilon, delta, 1);
	pegs_engine_fit(&env, &rng, &accountant, &t.layout, t.cells, &f);
	check_account(&f.accountant, true);
	check_fitted(&f);
	/* one column at an epsilon that hides nothing: the table itself, but for what the garrote smooths */
	if (ncols == 1 && epsilon >= 100 * PEGS_EPSILON_UNIT && rows >= 100)
	{
		double		error = 0;

		for (uint32_t j = 0; j < levels[0]; j++)
			error += fabs(f.share[0][j] - (double) t.cells[j] / rows);
		CHECK(error < 0.2);
		CHECK_NEAR(f.rows, rows, 0.2);
	}
	if (unit_failed > failed)
		printf("  %u columns, %u rows, epsilon %g, delta %g\n", ncols, rows, epsilon * 1e-9, delta * 1e-18);
	arena_free(&memory);
}

static void
test_degenerate(void)
{
	static const struct
	{
		uint32_t	ncols;
		uint32_t	levels[6];
	}			line[] = {
		{1, {1}}, {1, {2}}, {1, {50}}, {1, {1000}},
		{2, {1, 1}}, {2, {1, 7}}, {2, {2, 2}}, {2, {1000, 3}},
		{3, {1, 4, 1}}, {4, {2, 100, 1, 9}}, {6, {2, 2, 2, 2, 2, 2}}
	};
	static const uint32_t rows[] = {0, 1, 2, 100, 3000};
	static const int64_t extreme[] = {1, 100000, PEGS_EPSILON_UNIT, 100 * PEGS_EPSILON_UNIT, 600 * PEGS_EPSILON_UNIT};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
			for (size_t e = 0; e < sizeof(extreme) / sizeof(extreme[0]); e++)
				for (size_t d = 0; d < 2; d++)
					check_fit(line[i].ncols, line[i].levels, rows[r], extreme[e], deltas[d]);
	check_fit(2, (uint32_t[]) {1000, 1000}, 2000, PEGS_EPSILON_UNIT, 0);
	check_fit(2, (uint32_t[]) {1000, 1000}, 2000, 10 * PEGS_EPSILON_UNIT, deltas[1]);
	/* a delta so small that there is hardly a budget, and none at all */
	check_fit(3, (uint32_t[]) {2, 3, 4}, 100, 1, 1);
	check_fit(3, (uint32_t[]) {2, 3, 4}, 100, 1000, 1);
}

/* The largest epsilon that a fit takes, in the pure engine: exp(-epsilon) is no longer a number. */
static void
test_largest_epsilon(void)
{
	static const int64_t epsilon[] = {690, 709, 746, 1000, 4000};

	for (size_t e = 0; e < sizeof(epsilon) / sizeof(epsilon[0]); e++)
	{
		check_fit(1, (uint32_t[]) {5}, 3000, epsilon[e] * PEGS_EPSILON_UNIT, 0);
		check_fit(2, (uint32_t[]) {5, 3}, 3000, epsilon[e] * PEGS_EPSILON_UNIT, 0);
		check_fit(3, (uint32_t[]) {5, 3, 2}, 3000, epsilon[e] * PEGS_EPSILON_UNIT, deltas[1]);
	}
}

/* ---------- a large table is recovered ---------- */

static double
oneway_tv(const counted *t, const pegs_fitted *f, uint32_t i)
{
	double		tv = 0;

	for (uint32_t j = 0; j < f->levels[i]; j++)
		tv += fabs(f->share[i][j] - (double) t->cells[t->layout.offset[i] + j] / t->rows) / 2;
	return tv;
}

static void
test_recovers(void)
{
	static const uint32_t levels[5] = {3, 5, 8, 4, 16};
	const uint32_t rows = 100000;
	const uint32_t draws = 400000;

	for (size_t d = 0; d < 2; d++)
	{
		counted		t;
		counted		drawn;
		pegs_accountant accountant;
		pegs_fitted f;
		pegs_fitted again;
		pegs_draw	draw;
		uint16_t	row[5];

		start(30);
		t = table(5, levels, rows);
		drawn = empty(5, levels);
		pegs_accountant_init(&accountant, 10 * PEGS_EPSILON_UNIT, deltas[d], 1);
		start(31);
		pegs_engine_fit(&env, &rng, &accountant, &t.layout, t.cells, &f);
		check_account(&f.accountant, true);
		check_fitted(&f);
		CHECK_NEAR(f.rows, rows, 0.001);
		/* so many rows: all pairs, and next to nothing for choosing more */
		CHECK_INT(f.npairs, 10);
		CHECK(f.accountant.record[PEGS_FOR_CHOICE - 1].cost < 0.01 * (double) f.accountant.total);
		CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
		while (drawn.rows < draws)
		{
			pegs_draw_row(&draw, &rng, row);
			add(&drawn, row);
		}
		for (uint32_t i = 0; i < 5; i++)
		{
			CHECK(oneway_tv(&t, &f, i) < 0.002);
			/* what is drawn is what was estimated, and each neighbour in the chain is a pair */
			CHECK(oneway_tv(&drawn, &f, i) < 0.005);
			if (i > 0)
			{
				uint64_t	begin = t.layout.pair_offset[(i - 1) * 5 + i];
				double		tv = 0;
				bool		found = false;

				for (uint32_t c = 0; c < levels[i - 1] * levels[i]; c++)
					tv += fabs((double) t.cells[begin + c] / rows - (double) drawn.cells[begin + c] / draws) / 2;
				if (!CHECK(tv < 0.02))
					printf("  pair %u, %u: %g\n", i - 1, i, tv);
				for (uint32_t p = 0; p < f.npairs; p++)
					found = found || (f.pair[p].column[0] == i - 1 && f.pair[p].column[1] == i);
				CHECK(found);
			}
		}
		for (uint32_t p = 0; p < f.npairs; p++)
			check_margins(&f, &f.pair[p], 1e-12);
		/* the same key, the same model */
		start(31);
		pegs_engine_fit(&env, &rng, &accountant, &t.layout, t.cells, &again);
		CHECK(same_fitted(&f, &again));
		arena_free(&memory);
	}
}

/* ---------- persons that weigh equally ---------- */

typedef struct mean
{
	double		sum;
	double		squares;
} mean;

static void
take(mean *m, double value)
{
	m->sum += value;
	m->squares += value * value;
}

/* Are two means of n values equal, as far as n values can say? */
static bool
means_agree(const mean *a, const mean *b, double n, const char *what)
{
	double		x = a->sum / n;
	double		y = b->sum / n;
	double		error = sqrt((a->squares / n - x * x + b->squares / n - y * y) / n);

	if (fabs(x - y) <= 4 * error + 1e-3 * fabs(x))
		return true;
	printf("  %s: %g and %g (standard error %g)\n", what, x, y, error);
	return false;
}

/*
 * Every count 64 times as large with noise for 64 rows: on the average the fit
 * of the table as it is. Each constant of the engine must be a ratio, not a
 * number of rows.
 */
static void
test_persons(void)
{
	static const uint32_t levels[5] = {3, 5, 8, 4, 16};
	static const uint32_t rows[] = {0, 3, 3000};
	enum {FITS = 60, W = 64, WHATS = 5};
	static const char *const what[WHATS] = {"distance of 1-ways", "rows", "pairs", "variance of pairs", "choices"};

	for (size_t r = 0; r < 3; r++)
		for (size_t d = 0; d < 2; d++)
		{
			mean		m[2][WHATS] = {{{0}}};

			for (uint8_t run = 0; run < FITS; run++)
				for (int persons = 0; persons < 2; persons++)
				{
					counted		t;
					pegs_accountant accountant;
					pegs_fitted f;
					double		tv = 0;
					double		variance = 0;

					start(40);
					t = table(5, levels, rows[r]);
					for (uint64_t c = 0; persons && c < t.layout.ncells; c++)
						t.cells[c] *= W;
					pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, deltas[d], persons ? W : 1);
					accountant.rows_each = persons ? W : 0;
					start((uint8_t) (60 + run));
					pegs_engine_fit(&env, &rng, &accountant, &t.layout, t.cells, &f);
					check_account(&f.accountant, true);
					check_fitted(&f);
					t.rows = t.rows > 0 ? t.rows * (persons ? W : 1) : 1;
					for (uint32_t i = 0; i < 5; i++)
						tv += oneway_tv(&t, &f, i);
					for (uint32_t p = 0; p < f.npairs; p++)
						variance += f.pair[p].variance / f.npairs;
					take(&m[persons][0], tv);
					take(&m[persons][1], f.rows);
					take(&m[persons][2], f.npairs);
					take(&m[persons][3], fmin(variance, 1e6));
					take(&m[persons][4], f.accountant.record[PEGS_FOR_CHOICE - 1].uses);
					arena_free(&memory);
				}
			for (int i = 0; i < WHATS; i++)
				if (!CHECK(means_agree(&m[0][i], &m[1][i], FITS, what[i])))
					printf("  %u rows, delta %d\n", rows[r], (int) d);
		}
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_account();
	test_score_sensitivity();
	test_doors();
	test_degenerate();
	test_recovers();
	test_largest_epsilon();
	test_persons();
	return unit_done("engine_test");
}
