/*
 * use.h
 *	  What pegs does with a state or model that its reader took: writing it
 *	  back, merging, drawing rows with and without something given, structural
 *	  zeros. Every row is checked, and the memory that it took.
 *
 * A model of any method is asked what every method must do, through its own
 * open, start and next; a state, as the model of each method that has no other.
 * Of the graph's models and of PeGS more is known, and asked.
 */
#ifndef PEGS_FUZZ_USE_H
#define PEGS_FUZZ_USE_H

#include "core/graph/draw.h"
#include "core/pegs/gibbs.h"
#include "model.h"

#define TRIES 60

/* Bytes of their own. */
static inline uint8_t *
written(const pegs_env *env, const pegs_wire *wire, size_t *length)
{
	uint8_t    *bytes;

	*length = pegs_wire_size(wire);
	bytes = new(env, *length);
	pegs_wire_write(NULL, wire, bytes);
	return bytes;
}

/* ---- is it what the format promises? said apart from the reader ---- */

static inline void
check_distribution(const double *p, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		MUST(p[i] >= 0);
		sum += p[i];
	}
	MUST(sum > 0.99999 && sum < 1.00001);
}

static inline void
check_cut(const uint16_t *class_of, uint32_t levels, uint32_t k)
{
	MUST(class_of[0] == 0 && class_of[levels - 1] == k - 1);
	for (uint32_t i = 1; i < levels; i++)
		MUST(class_of[i] == class_of[i - 1] || class_of[i] == class_of[i - 1] + 1);
}

static inline bool
holds(const pegs_clique *c, uint32_t column)
{
	for (uint32_t x = 0; x < c->n; x++)
		if (c->column[x] == column)
			return true;
	return false;
}

/* A tree of cliques: what a clique shares with any before it, it shares with its parent. */
static inline void
check_tree(const pegs_jtree *tree)
{
	for (uint32_t column = 0; column < tree->ncols; column++)
	{
		bool		seen = false;

		for (uint32_t i = 0; i < tree->nclique; i++)
		{
			const pegs_clique *c = &tree->clique[i];

			if (!holds(c, column))
				continue;
			MUST(!seen || holds(&tree->clique[c->parent], column));
			seen = true;
		}
		MUST(seen);
	}
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		size_t		cells = 1;

		for (uint32_t x = 0; x < tree->clique[i].n; x++)
			cells *= tree->classes[tree->clique[i].column[x]];
		MUST(cells == tree->clique[i].cells);
		check_distribution(tree->clique[i].mu, cells);
	}
}

static inline void
check_model(const pegs_fitted *model)
{
	MUST(model->rows >= 1 && model->accountant.spent <= model->accountant.total && model->accountant.rows_per_unit >= 1);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		check_distribution(model->share[i], model->levels[i]);
		check_cut(model->class_of[i], model->levels[i], model->tree.classes[i]);
	}
	check_tree(&model->tree);
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];

		MUST(pair->column[0] < pair->column[1] && pair->column[1] < model->ncols && pair->variance > 0);
		for (int x = 0; x < 2; x++)
			check_cut(pair->class_of[x], model->levels[pair->column[x]], pair->k[x]);
		check_distribution(pair->share, (size_t) pair->k[0] * pair->k[1]);
	}
}

/* Each table holds every row once. */
static inline void
check_state(const pegs_wire *wire)
{
	const pegs_layout *layout = &wire->layout;
	uint64_t	at = 0;

	if (layout->tables == PEGS_JOINT)
	{
		pegs_u128	sum = 0;

		while (at < layout->ncells)
			sum += wire->cells[at++];
		MUST(sum == wire->rows);
	}
	for (uint32_t a = 0; layout->tables != PEGS_JOINT && a < wire->ncols; a++)
	{
		uint64_t	n = layout->tables == PEGS_CONDITIONAL ? layout->keys[a] * layout->levels[a] : layout->levels[a];
		pegs_u128	sum = 0;

		while (n-- > 0)
			sum += wire->cells[at++];
		MUST(sum == wire->rows);
	}
	for (uint32_t a = 0; layout->tables == PEGS_PAIRS && a < wire->ncols; a++)
		for (uint32_t b = a + 1; b < wire->ncols; b++)
		{
			pegs_u128	sum = 0;

			for (uint64_t n = (uint64_t) layout->levels[a] * layout->levels[b]; n > 0; n--)
				sum += wire->cells[at++];
			MUST(sum == wire->rows);
		}
	MUST(at == layout->ncells && wire->rows <= PEGS_MAX_ROWS);
}

/* ---- rows ---- */

static inline void
check_row(const uint16_t *row, uint32_t ncols, const uint32_t *levels, const int32_t *given)
{
	for (uint32_t i = 0; i < ncols; i++)
	{
		MUST(row[i] < levels[i]);
		MUST(given == NULL || given[i] < 0 || row[i] == given[i]);
	}
}

/* A level that the model gives no share comes up only where its whole class has none. */
static inline void
check_possible(const pegs_fitted *model, const uint16_t *row, const int32_t *given)
{
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		double		of_class = 0;

		if (model->share[i][row[i]] > 0 || (given && given[i] >= 0))
			continue;
		for (uint32_t l = 0; l < model->levels[i]; l++)
			if (model->class_of[i][l] == model->class_of[i][row[i]])
				of_class += model->share[i][l];
		MUST(!(of_class > 0));
	}
}

/* What drawing may take: a few numbers a cell for every column of it. */
static inline size_t
draw_bytes(const pegs_fitted *model)
{
	size_t		widest = 1;
	size_t		bytes = 4096 + 1024 * (size_t) model->ncols;

	for (uint32_t i = 0; i < model->tree.nclique; i++)
		if (model->tree.clique[i].cells > widest)
			widest = model->tree.clique[i].cells;
	for (uint32_t i = 0; i < model->ncols; i++)
		bytes += 64 * (widest + model->levels[i]);
	return bytes + 8 * widest * model->tree.nclique;
}

/*
 * What smoothing n rows may take: 48 bytes for each of 2^21 cells of pairs at most, some MB for messages of the tree and for lines
 * of levels, lines of classes of the measured tables, the tree's cells once a column.
 */
static inline size_t
smooth_bytes(const pegs_fitted *model, uint32_t n)
{
	size_t		widest = 1;
	size_t		bytes = ((size_t) 48 << 21) + ((size_t) 16 << 20) + 64 * (size_t) n;

	for (uint32_t i = 0; i < model->tree.nclique; i++)
		if (model->tree.clique[i].cells > widest)
			widest = model->tree.clique[i].cells;
	for (uint32_t i = 0; i < model->ncols; i++)
		bytes += 1024 + 64 * (size_t) model->levels[i] + 128 * (size_t) model->ncols + 4 * widest;
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];

		for (int x = 0; x < 2; x++)
			bytes += 64 + 8 * (size_t) pair->k[x] * (model->levels[pair->column[1 - x]] + 8);
	}
	return bytes;
}

/* What adjusting n rows may take: a number a cell, a line a table and column, the order of the rows. */
static inline size_t
adjust_bytes(const pegs_fitted *model, uint32_t n)
{
	size_t		widest = 1;
	size_t		bytes = 64 + 4 * (size_t) n;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		bytes += 8 * (size_t) model->levels[i] + 48;
		if (model->levels[i] > widest)
			widest = model->levels[i];
	}
	for (uint32_t p = 0; p < model->npairs; p++)
		bytes += 8 * (size_t) model->pair[p].k[0] * model->pair[p].k[1] + 2 * 64;
	return bytes + 8 * widest;
}

/* An allowed row instead of a forbidden one, as sample.c finds it; false if there seems to be none. */
static inline bool
allow(const pegs_draw *draw, const pegs_zeros *zeros, const uint32_t *levels, const int32_t *given, pegs_rng *rng, uint16_t *row)
{
	if (pegs_draw_possible(draw, zeros, rng, TRIES, row))
	{
		MUST(!breaks(zeros, row));
		return true;
	}
	for (int tries = 0; tries < TRIES; tries++)
	{
		for (uint32_t i = 0; i < draw->ncols; i++)
			row[i] = (uint16_t) (given && given[i] >= 0 ? (uint64_t) given[i] : pegs_rng_below(rng, levels[i]));
		if (!breaks(zeros, row))
			return true;
	}
	return false;
}

static inline void
use_one_by_one(const pegs_env *env, const pegs_fitted *model, const int32_t *given, const pegs_zeros *zeros, pegs_rng *rng)
{
	memory	   *m = env->context;
	size_t		before = m->bytes;
	uint16_t   *row = new(env, sizeof(uint16_t) * model->ncols);
	pegs_draw	draw;
	pegs_status status = pegs_draw_init(env, model, given, &draw);

	MUST(status == PEGS_OK || (status == PEGS_ERR_RANGE && given));
	MUST(m->bytes - before <= draw_bytes(model));
	for (int r = 0; status == PEGS_OK && r < 12; r++)
	{
		pegs_draw_row(&draw, rng, row);
		check_row(row, model->ncols, model->levels, given);
		check_possible(model, row, given);
		if (!allow(&draw, zeros, model->levels, given, rng, row))
			break;
		check_row(row, model->ncols, model->levels, given);
	}
}

static inline void
use_batch(const pegs_env *env, const pegs_fitted *model, const pegs_zeros *zeros, pegs_rng *rng, uint32_t n)
{
	memory	   *m = env->context;
	uint16_t  **codes = new(env, sizeof(uint16_t *) * model->ncols);
	uint16_t   *row = new(env, sizeof(uint16_t) * model->ncols);
	pegs_draw	draw;
	bool		allowed = true;
	size_t		before;

	MUST(pegs_draw_init(env, model, NULL, &draw) == PEGS_OK);
	for (uint32_t i = 0; i < model->ncols; i++)
		codes[i] = new(env, sizeof(uint16_t) * n);
	pegs_draw_batch(env, &draw, rng, n, codes);
	for (uint32_t r = 0; allowed && r < n; r++)
	{
		for (uint32_t i = 0; i < model->ncols; i++)
			row[i] = codes[i][r];
		check_row(row, model->ncols, model->levels, NULL);
		check_possible(model, row, NULL);
		allowed = allow(&draw, zeros, model->levels, NULL, rng, row);
		for (uint32_t i = 0; i < model->ncols; i++)
			codes[i][r] = row[i];
	}
	if (!allowed)
		return;
	before = m->bytes;
	pegs_adjust_batch(env, model, zeros, rng, n, codes);
	MUST(m->bytes - before <= (model->smooth ? smooth_bytes(model, n) : adjust_bytes(model, n)));
	for (uint32_t r = 0; r < n; r++)
	{
		for (uint32_t i = 0; i < model->ncols; i++)
			row[i] = codes[i][r];
		check_row(row, model->ncols, model->levels, NULL);
		MUST(!breaks(zeros, row));
	}
}

static inline void
use_model(const pegs_env *env, input *in, const pegs_fitted *model)
{
	int32_t    *given = make_given(env, in, model->ncols, model->levels, model->ncols);
	pegs_zeros	zeros = make_rules(env, in, model->ncols, model->levels);
	uint32_t	n = 1 + below(in, 32);
	pegs_rng	rng;

	make_rng(in, &rng);
	use_one_by_one(env, model, NULL, &zeros, &rng);
	use_one_by_one(env, model, given, &zeros, &rng);
	use_batch(env, model, &zeros, &rng, n);
}

/* a + a: twice the rows and cells, and again what the reader takes */
static inline void
use_merge(const pegs_env *env, const pegs_wire *wire)
{
	size_t		length;
	size_t		length_again;
	uint8_t    *bytes = written(env, wire, &length);
	uint8_t    *merged;
	pegs_wire	into;
	pegs_wire	again;
	pegs_status status;

	MUST(pegs_wire_read(env, bytes, length, &into) == PEGS_OK);
	status = pegs_wire_merge(NULL, &into, wire);
	if (wire->rows > PEGS_MAX_ROWS / 2)
	{
		MUST(status == PEGS_ERR_RANGE);
		return;
	}
	MUST(status == PEGS_OK && into.rows == 2 * wire->rows);
	for (uint64_t i = 0; i < wire->layout.ncells; i++)
		MUST(into.cells[i] == 2 * wire->cells[i]);
	merged = written(env, &into, &length_again);
	MUST(length_again == length);
	MUST(pegs_wire_read(env, merged, length, &again) == PEGS_OK);
}

static inline void
use_gibbs(const pegs_env *env, input *in, const pegs_wire *wire)
{
	pegs_gibbs	gibbs = {.layout = &wire->layout, .cells = wire->cells};
	const uint32_t *levels = wire->layout.levels;
	uint32_t	widest = 1;
	pegs_rng	rng;

	for (uint32_t i = 0; i < wire->ncols; i++)
		if (levels[i] > widest)
			widest = levels[i];
	gibbs.given = make_given(env, in, wire->ncols, levels, wire->ncols);
	gibbs.zeros = make_rules(env, in, wire->ncols, levels);
	gibbs.block = 1 + below(in, 4);
	make_rng(in, &rng);
	if (pegs_alpha(1 + (int64_t) take(in, 5), 1 + take(in, 3), widest, &gibbs.alpha) != PEGS_OK)
		return;
	pegs_gibbs_init(env, &gibbs);
	if (!pegs_gibbs_seed(&gibbs, &rng, TRIES))
		return;
	for (int r = 0; r < 12; r++)
	{
		pegs_gibbs_next(&gibbs, &rng);
		check_row(gibbs.row, wire->ncols, levels, gibbs.given);
		MUST(!breaks(&gibbs.zeros, gibbs.row));
	}
}

/* ---- what every method must do ---- */

static inline void
forget_batch(void *context)
{
	memory_forget(context);
}

/* n rows; fewer if none was found that is possible. Returns how many; -1: it is said that there are none. */
static inline int
use_draws(const pegs_env *env, const pegs_method *method, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_rng rng, uint16_t *rows)
{
	static memory batch;
	const uint32_t *levels = wire->method ? wire->levels : wire->layout.levels;
	pegs_ask	own = *ask;
	pegs_draws *draws;
	pegs_status status;
	int			made = 0;

	batch.limit = SIZE_MAX;
	own.batch = memory_env(&batch);
	own.forget = forget_batch;
	status = method->open(env, wire, prepared, &own, &draws);
	MUST(status == PEGS_OK || (status == PEGS_ERR_RANGE && ask->given) || (status == PEGS_ERR_NOTHING && ask->zeros.n > 0));
	if (status != PEGS_OK)
		return -1;
	method->start(draws, &rng);
	while (made < (int) ask->n)
	{
		uint16_t   *row = rows + made * wire->ncols;

		status = method->next(draws, row);
		MUST(status == PEGS_OK || (status == PEGS_ERR_NOTHING && ask->zeros.n > 0 && method->payment != PEGS_PAID_BY_SAMPLE));
		if (status != PEGS_OK)
			break;
		check_row(row, wire->ncols, levels, ask->given);
		MUST(!breaks(&ask->zeros, row));
		made++;
	}
	memory_forget(&batch);
	return made;
}

/* Is some row possible? To find that there is none takes long: it is mostly left out. */
static inline bool
worth_asking(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, pegs_rng rng)
{
	uint16_t   *row = malloc(sizeof(uint16_t) * ncols);
	bool		possible = ask->zeros.n == 0;

	for (int tries = 0; !possible && tries < TRIES; tries++)
	{
		for (uint32_t i = 0; i < ncols; i++)
			row[i] = (uint16_t) (ask->given && ask->given[i] >= 0 ? (uint64_t) ask->given[i] : pegs_rng_below(&rng, levels[i]));
		possible = !breaks(&ask->zeros, row);
	}
	free(row);
	return possible || pegs_rng_below(&rng, 512) == 0;
}

/* What a call may ask of this method; false if nothing was asked. */
static inline bool
make_ask(const pegs_env *env, input *in, const pegs_method *method, uint32_t ncols, const uint32_t *levels, pegs_ask *ask)
{
	uint8_t		how = take_byte(in);
	uint32_t	widest = 1;
	uint32_t	narrowest = UINT32_MAX;

	for (uint32_t i = 0; i < ncols; i++)
	{
		widest = levels[i] > widest ? levels[i] : widest;
		narrowest = levels[i] < narrowest ? levels[i] : narrowest;
	}
	*ask = (pegs_ask) {.n = 1 + below(in, 16), .one_by_one = how % 4 < 2};
	if (how % 2 == 0)
		ask->given = make_given(env, in, ncols, levels, method->most_given > 0 ? method->most_given : ncols);
	ask->one_by_one |= ask->given != NULL;
	if (method->payment != PEGS_PAID_AT_FIT)
	{
		ask->block = 1 + below(in, 4);
		if (pegs_alpha(1 + (int64_t) take(in, 5), 1 + take(in, 3), widest, &ask->alpha) != PEGS_OK)
			return false;
	}
	/* l-diverse, or without forbidden rows: both are never asked together */
	if (method->payment == PEGS_NOT_PRIVATE && narrowest > 1 && how & 4)
		ask->l_diversity = 1 + (narrowest - 1) * (1 + take_byte(in)) / 256.0;
	else if (how & 8)
		ask->zeros = make_rules(env, in, ncols, levels);
	return true;
}

static inline void
count_brackets(void *to, const char *words)
{
	int		   *open = to;

	for (; *words; words++)
		*open += (*words == '[' || *words == '{') - (*words == ']' || *words == '}');
}

static inline void
put_no_name(void *to, uint32_t column)
{
	(void) to;
	(void) column;
}

/* What everybody may be told of a model that is paid for. */
static inline void
use_words(const pegs_method *method, void *model)
{
	int			open = 0;
	pegs_writer writer = {&open, count_brackets, put_no_name};
	const pegs_accountant *accountant = method->accountant(model);

	MUST(method->rows(model) >= 1 && accountant->spent <= accountant->total && accountant->rows_per_unit >= 1);
	if (method->describe)
		method->describe(model, &writer);
	MUST(open == 0);
}

/* No such model is fitted. */
static inline bool
is_refused(const pegs_method *method, const pegs_layout *counted, const pegs_ask *ask)
{
	pegs_layout layout = *counted;

	layout.zeros = ask->zeros;
	return method->refuse && method->refuse(&layout).why != NULL;
}

/* Of each part of a card the first line that holds. */
typedef struct scoring
{
	const int32_t *codes;
	int64_t		points;
	uint32_t	part;			/* + 1 */
	bool		found;
} scoring;

static inline void
add_line(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	scoring    *s = to;
	bool		holds = true;

	MUST(part + 1 >= s->part && !(noise < 0));
	s->found = s->found && part + 1 == s->part;
	s->part = part + 1;
	for (uint32_t i = 0; i < n; i++)
		holds &= s->codes[condition[i].column] >= 0 && condition[i].levels[s->codes[condition[i].column]];
	if (holds && !s->found)
		s->points += points;
	s->found |= holds;
}

/* A score says of a row what its card says. */
static inline void
use_score(const pegs_env *env, input *in, const pegs_wire *wire, const pegs_method *method)
{
	int32_t    *codes = new(env, sizeof(int32_t) * wire->ncols);

	for (int row = 0; row < 3; row++)
	{
		scoring		s = {.codes = codes};
		pegs_card	card = {&s, add_line};
		double		p;

		for (uint32_t i = 0; i < wire->ncols; i++)
			codes[i] = (int32_t) below(in, wire->levels[i] + 1) - 1;
		if (method->scorer->exact)
		{
			double		delta;
			double		share = method->scorer->exact(wire->model, codes, &delta);

			MUST(share >= 0 && share <= 1 && delta >= 0 && delta <= 1);
			continue;
		}
		method->scorer->card(env, wire->model, &card);
		MUST(s.points == method->scorer->points(wire->model, codes));
		p = pegs_probability_of_points(s.points, method->scorer->voters ? method->scorer->voters(wire->model) : 1);
		MUST(p > 0 && p < 1);
	}
}

/* Rows are a function of the stream: the same from a model that was prepared. And they change no model. */
static inline void
use_method(const pegs_env *env, input *in, const pegs_wire *wire, const pegs_method *method)
{
	const uint32_t *levels = wire->method ? wire->levels : wire->layout.levels;
	const void *prepared = NULL;
	uint16_t   *rows[2];
	int			made[2];
	size_t		length[2];
	uint8_t    *bytes[2];
	pegs_ask	ask;
	pegs_rng	rng;

	if (method->payment == PEGS_PAID_AT_FIT)
		use_words(method, wire->model);
	if (method->scorer)
	{
		use_score(env, in, wire, method);
		return;
	}
	make_rng(in, &rng);
	if (!make_ask(env, in, method, wire->ncols, levels, &ask) || !worth_asking(&ask, wire->ncols, levels, rng))
		return;
	if (wire->method == NULL && is_refused(method, &wire->layout, &ask))
		return;
	bytes[0] = written(env, wire, &length[0]);
	if (method->payment == PEGS_PAID_AT_FIT && method->prepare && ask.given == NULL)
		MUST((prepared = method->prepare(env, wire->model)) != NULL);
	for (int i = 0; i < 2; i++)
	{
		rows[i] = new(env, sizeof(uint16_t) * wire->ncols * ask.n);
		made[i] = use_draws(env, method, wire, i == 0 ? NULL : prepared, &ask, rng, rows[i]);
	}
	MUST(made[0] == made[1] && memcmp(rows[0], rows[1], sizeof(uint16_t) * wire->ncols * (made[0] > 0 ? made[0] : 0)) == 0);
	bytes[1] = written(env, wire, &length[1]);
	MUST(length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0);
}

static inline void
use_wire(const pegs_env *env, input *in, const pegs_wire *wire)
{
	if (wire->kind == MODEL_KIND)
	{
		check_model(fitted_of(wire));
		use_model(env, in, fitted_of(wire));
	}
	if (wire->method)
	{
		use_method(env, in, wire, wire->method);
		return;
	}
	check_state(wire);
	use_merge(env, wire);
	if (wire->kind == PEGS_CONDITIONAL)
		use_gibbs(env, in, wire);
	for (int i = 0; pegs_methods[i]; i++)
		if (pegs_methods[i]->fit == NULL && (uint32_t) pegs_methods[i]->tables == wire->kind)
			use_method(env, in, wire, pegs_methods[i]);
}

#endif							/* PEGS_FUZZ_USE_H */
