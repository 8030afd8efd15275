/*
 * stop_test.c
 *	  Does every long loop of the core ask whether to stop, and may it be left there?
 *
 * Each scene calls one function on an input that makes its loops turn, and says
 * how often it must ask at least, counted by hand from the sizes: one asking
 * line less, and the number is missed. Then the scene is left by longjmp at its
 * first ask, its second, and so on: its memory is the arena's and is freed,
 * ASan sees whatever else it took, and the next run gives the same bytes.
 */
#include "watched.h"
#undef pegs_engine_fit

#include <setjmp.h>

#include "core/crc.h"
#include "core/graph/draw.h"
#include "core/graph/smooth.h"
#include "core/pegs/diverse.h"
#include "core/pegs/gibbs.h"
#include "core/pegs/parents.h"
#include "core/pegs/verify.h"
#include "core/simplex.h"
#include "core/sort.h"
#include "core/wire.h"
#define STREAM_SALT [3] = 38
#include "begun.h"
#include "fitted.h"
#include "unit.h"

/* The true ones, as the headers declare them. */
extern double pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
						   const int64_t *exact, double *noisy, size_t n);
extern size_t pegs_choose(pegs_accountant *accountant, pegs_rng *rng, double cost,
						  const int64_t *score, size_t n);

static uint64_t asked;
static uint64_t leave_at;		/* 0: never */
static jmp_buf away;
static uint64_t seen;			/* of all bytes that the scene put out */

static void
ask(void *context)
{
	(void) context;
	if (++asked == leave_at)
		longjmp(away, 1);
}

static void
put(const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		seen = (seen ^ ((const uint8_t *) bytes)[i]) * UINT64_C(0x100000001b3);
}

/* The statement asks at least so often. */
#define ASKS(least, statement) \
	do { \
		uint64_t	before = asked; \
		statement; \
		if (!CHECK(asked - before >= (uint64_t) (least))) \
			printf("  asked %" PRIu64 " times, expected %" PRIu64 "\n", asked - before, (uint64_t) (least)); \
	} while (0)

static void *
some(size_t n, size_t size)
{
	return env.alloc(env.context, n * size);
}

static uint64_t
parts(uint64_t n, uint64_t size)
{
	return (n + size - 1) / size;
}

/* ---------- counting ---------- */

/* n rows of ncols columns, all codes below `levels`. */
static uint16_t **
rows(uint32_t ncols, uint32_t levels, uint32_t n)
{
	uint16_t  **codes = some(ncols, sizeof(uint16_t *));

	for (uint32_t i = 0; i < ncols; i++)
	{
		codes[i] = some(n, sizeof(uint16_t));
		for (uint32_t r = 0; r < n; r++)
			codes[i][r] = (uint16_t) (i > 0 && r % 3 ? codes[i - 1][r] : pegs_rng_below(&rng, levels));
	}
	return codes;
}

static uint32_t *
equal_levels(uint32_t ncols, uint32_t levels)
{
	uint32_t   *all = some(ncols, sizeof(uint32_t));

	for (uint32_t i = 0; i < ncols; i++)
		all[i] = levels;
	return all;
}

static pegs_layout
pairs(uint32_t ncols, uint32_t levels)
{
	pegs_layout layout;

	CHECK(pegs_layout_pairs(&env, ncols, equal_levels(ncols, levels), &layout, NULL) == PEGS_OK);
	return layout;
}

/* Each column but the first has the one before it as its parent. */
static pegs_layout
chain(uint32_t ncols, uint32_t levels)
{
	pegs_layout layout;
	uint32_t   *parent_start = some(ncols + 1, sizeof(uint32_t));
	uint16_t   *parents = some(ncols, sizeof(uint16_t));

	for (uint32_t i = 1; i < ncols; i++)
	{
		parents[i - 1] = (uint16_t) (i - 1);
		parent_start[i + 1] = i;
	}
	ASKS(ncols, CHECK(pegs_layout_conditional(&env, ncols, equal_levels(ncols, levels), parent_start, parents, 0, &layout, NULL) == PEGS_OK));
	return layout;
}

static uint64_t *
counted(const pegs_layout *layout, uint32_t n)
{
	uint64_t   *cells = some(layout->ncells, sizeof(uint64_t));

	pegs_count_chunk(layout, cells, rows(layout->ncols, layout->levels[0], n), n);
	return cells;
}

static void
scene_counts(void)
{
	for (int kind = 0; kind < 2; kind++)
	{
		pegs_layout layout = kind ? chain(7, 4) : pairs(7, 4);
		uint64_t   *cells = some(layout.ncells, sizeof(uint64_t));
		uint16_t  **codes = rows(7, 4, 100);

		ASKS(7, pegs_count_weighted(&env, &layout, cells, codes, NULL, 100));
		put(cells, sizeof(uint64_t) * layout.ncells);
	}
}

static void
scene_crc(void)
{
	size_t		n = 3 << 20;
	uint8_t    *bytes = some(n, 1);
	uint32_t	crc;

	memset(bytes, 7, n);
	ASKS(3, crc = pegs_crc32c(&env, bytes, n));
	put(&crc, sizeof(crc));
}

static void
scene_sort(void)
{
	size_t		n = 3 * 65536;
	double	   *values = some(n, sizeof(double));

	for (size_t i = 0; i < n; i++)
		values[i] = pegs_rng_double(&rng);
	/* three parts; then 14 passes, as many as double 16 to n, of three parts each */
	ASKS(3 + 14 * 3, pegs_sort(&env, values, n, some(n, sizeof(double))));
	put(values, sizeof(double) * n);
}

static void
scene_simplex(void)
{
	double		y[3] = {5, -1, 2};

	/* too few to sort: between its passes */
	ASKS(2, pegs_project_simplex(&env, y, 3, 10));
	put(y, sizeof(y));
}

/* ---------- sealed models ---------- */

static void
scene_diverse(void)
{
	pegs_layout layout = chain(2, 200);
	uint64_t   *cells = counted(&layout, 1000);
	uint64_t   *alpha;

	/* 201 keys of 200 levels: asked after each 21 of them, which are more than 4,096 */
	ASKS(201 / 21, CHECK(pegs_alphas_diverse(&env, &layout, cells, 3, &alpha) == PEGS_OK));
	put(alpha, sizeof(uint64_t) * 201);
}

static void
scene_parents(void)
{
	pegs_layout layout = pairs(5, 70);
	uint64_t   *cells = counted(&layout, 300);
	pegs_accountant accountant;
	uint32_t	start[6];
	uint16_t	parent[5];

	pegs_accountant_init(&accountant, INT64_C(1000000000), 0, PEGS_PARENT_SENSITIVITY);
	/* four candidates for each of five columns, two parts of 64 levels each */
	ASKS(5 * 4 * 2, pegs_choose_parents(&env, &rng, &accountant, &layout, cells, 1, 1000, start, parent));
	put(start, sizeof(start));
	put(parent, sizeof(uint16_t) * start[5]);
}

static pegs_gibbs
sampler(const pegs_layout *layout, const uint64_t *cells)
{
	int32_t    *given = some(layout->ncols, sizeof(int32_t));
	pegs_gibbs	gibbs = {.layout = layout, .cells = cells, .alpha = 65536, .block = 1, .given = given};

	for (uint32_t i = 0; i < layout->ncols; i++)
		given[i] = -1;
	pegs_gibbs_init(&env, &gibbs);
	CHECK(pegs_gibbs_seed(&gibbs, &rng, 1));
	return gibbs;
}

static void
scene_gibbs(void)
{
	pegs_layout layout = chain(1, 60000);
	pegs_gibbs	gibbs = sampler(&layout, counted(&layout, 100));

	for (int row = 0; row < 5; row++)
	{
		ASKS(1, pegs_gibbs_next(&gibbs, &rng); pegs_gibbs_next(&gibbs, &rng));
		put(gibbs.row, sizeof(uint16_t));
	}
}

static void
scene_gibbs_rules(void)
{
	pegs_layout layout = chain(1, 640);
	pegs_gibbs	gibbs = sampler(&layout, counted(&layout, 100));
	pegs_zero  *zero = some(2000, sizeof(pegs_zero));

	for (uint32_t i = 0; i < 2000; i++)
	{
		zero[i].n = 1;
		zero[i].level[0] = some(640, sizeof(bool));
	}
	gibbs.zeros = (pegs_zeros) {2000, zero};
	ASKS(11, pegs_gibbs_next(&gibbs, &rng));
	put(gibbs.row, sizeof(uint16_t));
}

static void
scene_verify(void)
{
	pegs_layout layout = chain(2, 3);
	uint64_t   *cells = counted(&layout, 60);
	pegs_verdict v;

	/* 18 neighbours and 9 seeds of 9^2 outputs: 13,122 */
	ASKS(3, CHECK(pegs_verify_block(&env, &layout, cells, 65536, 2, pegs_gibbs_visit, &v) == PEGS_OK));
	CHECK(v.paths >= 3 * 4096);
	put(&v.worst, sizeof(v.worst));
}

/* ---------- the tree ---------- */

static double *
uniform(size_t n)
{
	double	   *p = some(n, sizeof(double));

	for (size_t i = 0; i < n; i++)
		p[i] = 1.0 / (double) n;
	return p;
}

static uint16_t *
each_its_own(uint32_t levels)
{
	uint16_t   *class_of = some(levels, sizeof(uint16_t));

	for (uint32_t i = 0; i < levels; i++)
		class_of[i] = (uint16_t) i;
	return class_of;
}

/* A model of columns that follow one another, each pair measured, nothing merged. */
static void
model_chain(pegs_fitted *model, uint32_t m, uint32_t levels)
{
	pegs_graph	graph;
	double	  **one = some(m, sizeof(double *));
	pegs_target *target = some(m, sizeof(pegs_target));
	uint32_t	edges = m - 1;

	*model = (pegs_fitted) {.ncols = m, .levels = equal_levels(m, levels), .rows = 1000, .npairs = edges};
	model->share = some(m, sizeof(double *));
	model->class_of = some(m, sizeof(uint16_t *));
	model->pair = some(edges, sizeof(pegs_pair));
	pegs_accountant_init(&model->accountant, INT64_C(1000000000), 0, 1);
	pegs_graph_init(&env, &graph, m);
	for (uint32_t i = 0; i < m; i++)
	{
		one[i] = model->share[i] = uniform(levels);
		model->class_of[i] = each_its_own(levels);
	}
	for (uint32_t i = 0; i < edges; i++)
	{
		pegs_pair  *pair = &model->pair[i];
		size_t		cells = (size_t) levels * levels;
		double	   *share = some(cells, sizeof(double));
		double		sum = 0;

		for (size_t j = 0; j < cells; j++)
			sum += share[j] = 1 + pegs_rng_double(&rng);
		for (size_t j = 0; j < cells; j++)
			share[j] /= sum;
		*pair = (pegs_pair) {.column = {i, i + 1}, .k = {levels, levels}, .variance = 1, .share = share};
		for (int x = 0; x < 2; x++)
			pair->class_of[x] = each_its_own(levels);
		pegs_graph_join(&graph, i, i + 1);
		target[i] = (pegs_target) {.n = 2, .column = {i, i + 1}, .k = {levels, levels}, .share = share};
	}
	/* a step for each column, then each clique, then each edge and the separator of its two sides */
	ASKS(m + edges + (edges - 1) * (1 + 2), pegs_jtree_build(&env, &model->tree, &graph, model->levels, one));
	CHECK_INT(model->tree.nclique, edges);
	/* where each table goes, and its two columns; three walks, and a root if there is more than that; each clique's sum */
	ASKS(edges * (1 + 2) + 3 * edges + (edges > 1) + edges, pegs_jtree_fit(&env, &model->tree, target, edges, 3));
}

static void
put_tree(const pegs_jtree *tree)
{
	for (uint32_t i = 0; i < tree->nclique; i++)
		put(tree->clique[i].mu, sizeof(double) * tree->clique[i].cells);
}

static void
scene_tree(void)
{
	pegs_fitted model;
	double	  **pair = some(6 * 6, sizeof(double *));
	uint64_t   *out = some(6 * 2, sizeof(uint64_t));
	pegs_graph	graph;
	double		cells;

	model_chain(&model, 6, 3);
	put_tree(&model.tree);
	/* two columns of the first clique */
	ASKS(2, pegs_jtree_index(&env, &model.tree, &model.tree.clique[0], 2, model.tree.clique[0].column));
	/*
	 * each column, and where it is; the two of the first clique with each other; from each clique to all later ones, the first time
	 * for two columns, and what is there
	 */
	ASKS(6 * 2 + 1 + (4 + 3 + 2 + 1) + 1 + (4 + 3 + 2 + 1), pegs_jtree_pairs(&env, &model.tree, pair));
	put(pair[5], sizeof(double) * 9);
	pegs_graph_init(&env, &graph, 6);
	ASKS(6, put(out, sizeof(uint64_t) * pegs_graph_eliminate(&env, &graph, model.levels, out, &cells, NULL)));
	/* no edge: no separator asks in place of the edges themselves */
	ASKS(6 + 6 + 5, pegs_jtree_build(&env, &model.tree, &graph, model.levels, model.share));
}

static void
scene_merge(void)
{
	pegs_merge	merge;
	double	   *mass = some(50, sizeof(double));

	for (uint32_t i = 0; i < 50; i++)
		mass[i] = pegs_rng_double(&rng);
	ASKS(50, pegs_merge_build(&env, &merge, 50, mass, NULL));
	put(merge.gone, sizeof(uint32_t) * 50);
}

static void
scene_least_squares(void)
{
	static const uint16_t halves[] = {0, 0, 1, 1};
	double		y[4] = {3, 1, 4, 1};
	double		value[2] = {5, 6};
	pegs_class_sums sums[3];

	for (int i = 0; i < 3; i++)
		sums[i] = (pegs_class_sums) {.k = 2, .class_of = halves, .value = value, .variance = 1};
	ASKS(3, pegs_nested_least_squares(&env, y, 4, 1, sums, 3));
	put(y, sizeof(y));
}

/* ---------- drawing ---------- */

static void
scene_draw(void)
{
	pegs_fitted model;
	pegs_draw	draw = {0};
	uint16_t  **codes = rows(6, 3, 500);
	int32_t		given[6] = {-1, -1, 1, -1, -1, 2};
	const pegs_zeros no_rules = {0};
	uint16_t	row[6];

	model_chain(&model, 6, 3);
	/* five cliques copied, two given columns and their classes, five edges but one twice; then steps, their columns, levels */
	ASKS(5 + 2 * 2 + 2 * 4 + (6 + 1 + 5 * 2) + 6, CHECK(pegs_draw_init(&env, &model, given, &draw) == PEGS_OK));
	for (int r = 0; r < 100; r++)
	{
		pegs_draw_row(&draw, &rng, row);
		put(row, sizeof(row));
	}
	ASKS(6 * 6, pegs_draw_batch(&env, &draw, &rng, 500, codes));
	/* few rows: set up and nothing else, the columns and the pairs */
	ASKS(6 + 5, pegs_adjust_batch(&env, &model, &no_rules, &rng, 10, codes));
	for (int i = 0; i < 6; i++)
		put(codes[i], sizeof(uint16_t) * 500);
}

/* One pair of 300 levels each: 90,000 cells are asked for in two parts. */
static void
scene_wide_draw(void)
{
	pegs_fitted model;
	pegs_draw	draw = {0};
	uint16_t  **codes = rows(2, 300, 300);
	const pegs_zeros no_rules = {0};

	model_chain(&model, 2, 300);
	ASKS(2 + (1 + 2) + 1 + 2, CHECK(pegs_draw_init(&env, &model, NULL, &draw) == PEGS_OK));
	pegs_draw_batch(&env, &draw, &rng, 300, codes);
	/* a pass at least: 300 rows of two columns, 600 levels each */
	ASKS(2 + 1 + 300 * 2 * 600 / (65536 + 600), pegs_adjust_batch(&env, &model, &no_rules, &rng, 300, codes));
	for (int i = 0; i < 2; i++)
		put(codes[i], sizeof(uint16_t) * 300);
}

/* A row of 100 rules and two levels weighs little: what asks is the rules. */
static void
scene_adjust_rules(void)
{
	pegs_fitted model;
	uint16_t  **codes = rows(2, 2, 400);
	pegs_zero  *zero = some(1000, sizeof(pegs_zero));

	model_chain(&model, 2, 2);
	for (uint32_t i = 0; i < 1000; i++)
	{
		zero[i].n = 1;
		zero[i].level[0] = some(2, sizeof(bool));
	}
	ASKS(2 + 1 + 400 * 2 * 1000 / (65536 + 1004), pegs_adjust_batch(&env, &model, &(pegs_zeros) {1000, zero}, &rng, 400, codes));
	for (int i = 0; i < 2; i++)
		put(codes[i], sizeof(uint16_t) * 400);
}

/* Smooth rows: two passes after the tables, and rules once a value. */
static void
scene_smooth(void)
{
	pegs_fitted model;
	uint16_t  **codes = rows(6, 3, 500);
	pegs_zero  *zero = some(200, sizeof(pegs_zero));

	model_chain(&model, 6, 3);
	for (uint32_t i = 0; i < 200; i++)
	{
		zero[i].n = 1;
		zero[i].level[0] = some(3, sizeof(bool));
	}
	/*
	 * each column, its 1-way and what is inside its classes, its lines, its three levels; five tables, and once more where they are
	 * merged; the tree's pairs; what is expected of fifteen
	 */
	ASKS(6 * (1 + 1 + 1 + 1 + 3) + 5 + 5 + 34 + 15 + 2 * (500 * 6 * 200 / (65536 + 250)),
		 pegs_smooth_batch(&env, &model, NULL, &(pegs_zeros) {200, zero}, &rng, 500, codes));
	for (int i = 0; i < 6; i++)
		put(codes[i], sizeof(uint16_t) * 500);
}

/* ---------- bytes ---------- */

#define AT_ONCE (UINT64_C(1) << 16)

static void
scene_wire(void)
{
	pegs_layout layout = pairs(2, 400);
	pegs_wire	wire = {.kind = PEGS_PAIRS, .ncols = 2, .spec = "", .rows = 500, .layout = layout, .cells = counted(&layout, 500)};
	size_t		size = pegs_wire_size(&wire);
	uint8_t    *bytes = some(size, 1);
	pegs_wire	back;
	uint64_t	crc = parts(size, 1 << 20);
	uint64_t	arrays = 1 + parts(layout.ncells, AT_ONCE);

	ASKS(arrays + crc, pegs_wire_write(&env, &wire, bytes));
	put(bytes, size);
	ASKS(arrays + crc + 2 + parts(400 * 400, AT_ONCE), CHECK(pegs_wire_read(&env, bytes, size, &back) == PEGS_OK));
	ASKS(parts(layout.ncells, AT_ONCE), CHECK(pegs_wire_merge(&env, &back, &wire) == PEGS_OK));
	put(back.cells, sizeof(uint64_t) * layout.ncells);
}

static void
scene_wire_model(void)
{
	pegs_fitted model;
	pegs_wire	wire;
	size_t		size;
	uint8_t    *bytes;
	pegs_wire	back;

	model_chain(&model, 2, 300);
	model.accountant.record[0].purpose = 1;
	model.accountant.record[1].purpose = 2;
	model.accountant.record[2].purpose = 3;
	wire = wire_of("", &model);
	size = pegs_wire_size(&wire);
	bytes = some(size, 1);
	pegs_wire_write(&env, &wire, bytes);
	put(bytes, size);
	/*
	 * The levels; shares and classes of two columns; the clique's columns, each looked for in the others, its table and its
	 * sum; the pair's classes, table and sum; the home of each column; the checksum.
	 */
	ASKS(1 + 2 * 2 + (1 + 2 + 2 + 1) + (2 + 2 + 1) + 2 + parts(size, 1 << 20), CHECK(pegs_wire_read(&env, bytes, size, &back) == PEGS_OK));
	put_tree(&fitted_of(&back)->tree);
}

/* ---------- the engine ---------- */

static uint64_t chosen;			/* calls of watched_choose */
static uint64_t at_choice;		/* asked before the first of them */
static bool account_asks;		/* in all looks of the fit */
static uint64_t candidates;		/* of the first */

double
watched_measure(pegs_accountant *accountant, pegs_rng *r, pegs_purpose purpose, double cost,
				const int64_t *exact, double *noisy, size_t n)
{
	account_asks &= accountant->env == &env;
	return pegs_measure(accountant, r, purpose, cost, exact, noisy, n);
}

size_t
watched_choose(pegs_accountant *accountant, pegs_rng *r, double cost, const int64_t *score, size_t n)
{
	if (chosen++ == 0)
	{
		at_choice = asked;
		candidates = n - 1;
	}
	return pegs_choose(accountant, r, cost, score, n);
}

/* A fit that has had its step A. */
static pegs_graph_fit
begin_fit(const pegs_layout *layout, const uint64_t *cells, pegs_fitted *model)
{
	pegs_graph_fit f;

	pegs_accountant_init(&model->accountant, INT64_C(1000000000000), 0, 1);
	f = begun(layout, cells, model);
	watched_fit_oneways(&f);
	begun_classes(&f);
	return f;
}

static void
scene_steps(void)
{
	pegs_layout layout = pairs(5, 4);
	uint64_t   *cells = counted(&layout, 1000);
	pegs_fitted model;
	pegs_graph_fit f = begin_fit(&layout, cells, &model);
	double	  **tree_pairs = some(5 * 5, sizeof(double *));
	pegs_candidate won[2];
	uint64_t	before = asked;
	uint64_t	measured = 0;
	size_t		n;

	ASKS(10, watched_offer(&f, 1, &n));

	/* ten pairs are offered; each grid is scored, and its exact table summed; then each choice */
	chosen = 0;
	before = asked;
	fit_forest(&f);
	CHECK(chosen > 1 && candidates >= 10);
	CHECK(at_choice - before >= 10 + 2 * candidates + 1);
	/* after the first one: each choice, and the exact table of each pair that was won */
	CHECK(asked - at_choice >= chosen - 1 + model.npairs);

	for (uint32_t p = 0; p < model.npairs; p++)
		measured += model.pair[p].n;
	CHECK(measured > 0);
	/* both columns of each look: its sums, and its layer */
	ASKS(2 * 2 * measured, watched_estimate_oneways(&f));
	refit(&f, SWEEPS);
	pegs_jtree_pairs(&env, &model.tree, tree_pairs);

	chosen = 0;
	before = asked;
	choose_batch(&f, 2, pegs_accountant_left(f.accountant) / 10, pegs_accountant_left(f.accountant) / 100, tree_pairs, won);
	CHECK(chosen > 0);
	CHECK(at_choice - before >= 10 + 2 * candidates + 1);
	put_tree(&model.tree);
}

static void
scene_wide_pair(void)
{
	pegs_layout layout = pairs(2, 300);
	uint64_t   *cells = counted(&layout, 1000);
	pegs_fitted model;
	pegs_graph_fit f = begin_fit(&layout, cells, &model);
	pegs_candidate fine = {.column = {0, 1}, .k = {300, 300}};
	double		little = pegs_accountant_left(f.accountant) / 100;
	pegs_pair  *pair;

	/* the exact table 64 levels at a time, its distance 65,536 cells at a time */
	ASKS(5 + 1, put(&(int64_t) {watched_score(&f, &fine, NULL, 1)}, sizeof(int64_t)));
	f.accountant->env = &env;
	/* of the noise, too: 4,096 cells at a time */
	pair = watched_get_or_add_pair(&f, 0, 1);
	ASKS(5 + parts(90000, 4096), watched_measure_pair(&f, pair, fine.k, little));
	ASKS(5 + 1, watched_measure_pair(&f, pair, (uint32_t[]) {10, 10}, little));
	ASKS(2, put(pool(&f, pair), sizeof(double) * 90000));
	ASKS(2 + 20, watched_estimate_pairs(&f));
	put(pair->share, sizeof(double) * 90000);
}

static void
scene_fit(void)
{
	pegs_layout layout = pairs(4, 5);
	uint64_t   *cells = counted(&layout, 1000);
	pegs_accountant accountant;
	pegs_fitted model;

	pegs_accountant_init(&accountant, INT64_C(1000000000), INT64_C(1000000000), 1);
	account_asks = true;
	watched_fit(&env, &rng, &accountant, &layout, cells, &model);
	CHECK(account_asks);		/* the noise, too, from the first look on */
	CHECK(model.accountant.env == NULL);
	put_tree(&model.tree);
	for (uint32_t i = 0; i < 4; i++)
		put(model.share[i], sizeof(double) * 5);
}

/* ---------- every scene, left at every ask ---------- */

#define MAX_LEAVES 16

static uint64_t
run(void (*scene) (void), uint64_t leave)
{
	volatile uint64_t result = 0;	/* of nothing, if it is left */

	env = arena_env_freeing(&memory);
	env.check = ask;
	asked = 0;
	leave_at = leave;
	seen = UINT64_C(0xcbf29ce484222325);
	start(38);
	if (setjmp(away) == 0)
	{
		scene();
		result = seen;
	}
	arena_free(&memory);
	return result;
}

static void
every_ask(const char *name, void (*scene) (void))
{
	uint64_t	whole = run(scene, 0);
	uint64_t	asks = asked;
	uint64_t	stride = parts(asks, MAX_LEAVES);
	bool		left = true;
	bool		same = true;

	if (!CHECK(asks > 0 && whole != 0))
		printf("  %s never asks\n", name);
	for (uint64_t at = 1; at <= asks; at += stride)
	{
		left &= run(scene, at) == 0 && asked == at;
		same &= run(scene, 0) == whole && asked == asks;
	}
	if (!CHECK(left) || !CHECK(same))
		printf("  %s\n", name);
}

#define EVERY_ASK(scene) every_ask(#scene, scene)

int
main(void)
{
	EVERY_ASK(scene_counts);
	EVERY_ASK(scene_crc);
	EVERY_ASK(scene_sort);
	EVERY_ASK(scene_simplex);
	EVERY_ASK(scene_diverse);
	EVERY_ASK(scene_parents);
	EVERY_ASK(scene_gibbs);
	EVERY_ASK(scene_gibbs_rules);
	EVERY_ASK(scene_verify);
	EVERY_ASK(scene_tree);
	EVERY_ASK(scene_merge);
	EVERY_ASK(scene_least_squares);
	EVERY_ASK(scene_draw);
	EVERY_ASK(scene_wide_draw);
	EVERY_ASK(scene_adjust_rules);
	EVERY_ASK(scene_smooth);
	EVERY_ASK(scene_wire);
	EVERY_ASK(scene_wire_model);
	EVERY_ASK(scene_steps);
	EVERY_ASK(scene_wide_pair);
	EVERY_ASK(scene_fit);
	return unit_done("stop_test");
}
