/*
 * model.h
 *	  Small states and models made of an input's choices: any shape that the
 *	  format allows, with tables that no fit would give; and models of every
 *	  method that has a fit, so that none is forgotten here.
 *
 * The cliques of a model that is made by hand need not agree where they meet,
 * its shares may be zero or nearly: a file that somebody wrote can be like that.
 */
#ifndef PEGS_FUZZ_MODEL_H
#define PEGS_FUZZ_MODEL_H

#include "core/prior.h"
#include "core/urn_fit.h"
#include "core/zeros.h"
#include "input.h"
#include "memory.h"
#include "core/wire.h"
#include "../unit/fitted.h"

#define MAX_COLUMNS 6

static const char *const specs[4] = {"", "facts", "{\"a\": [1, 2]}", "0123456"};

static inline void *
new(const pegs_env *env, size_t bytes)
{
	return env->alloc(env->context, bytes);
}

static inline double *
make_distribution(const pegs_env *env, input *in, size_t n)
{
	double	   *p = new(env, sizeof(double) * n);
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i] = take_weight(in);
	for (size_t i = 0; i < n; i++)
		p[i] = sum > 1e-9 ? p[i] / sum : i == 0;
	return p;
}

static inline uint16_t *
make_cut(const pegs_env *env, input *in, uint32_t levels, uint32_t *k)
{
	uint16_t   *class_of = new(env, sizeof(uint16_t) * levels);

	for (uint32_t i = 1; i < levels; i++)
		class_of[i] = class_of[i - 1] + (take_byte(in) % 3 != 0);
	*k = class_of[levels - 1] + 1u;
	return class_of;
}

static inline uint32_t *
make_levels(const pegs_env *env, input *in, uint32_t ncols)
{
	uint32_t   *levels = new(env, sizeof(uint32_t) * ncols);

	for (uint32_t i = 0; i < ncols; i++)
		levels[i] = 1 + below(in, 7);
	return levels;
}

/* A clique shares columns with one before it and brings at least one of its own. */
static inline void
make_tree(const pegs_env *env, input *in, pegs_jtree *tree)
{
	uint32_t	placed = 0;

	tree->clique = new(env, sizeof(pegs_clique) * tree->ncols);
	while (placed < tree->ncols)
	{
		uint32_t	number = tree->nclique++;
		pegs_clique *c = &tree->clique[number];
		size_t		cells = 1;

		c->column = new(env, sizeof(uint32_t) * tree->ncols);
		c->parent = number == 0 ? -1 : (int32_t) below(in, number);
		for (uint32_t x = 0; number > 0 && x < tree->clique[c->parent].n && c->n < 2; x++)
			if (take_byte(in) % 2)
				c->column[c->n++] = tree->clique[c->parent].column[x];
		for (uint32_t fresh = 1 + below(in, 2); fresh > 0 && placed < tree->ncols; fresh--)
			c->column[c->n++] = placed++;
		for (uint32_t x = 0; x < c->n; x++)
			cells *= tree->classes[c->column[x]];
		c->cells = cells;
		c->mu = make_distribution(env, in, cells);
	}
}

static inline void
make_pair(const pegs_env *env, input *in, const pegs_fitted *model, pegs_pair *pair)
{
	pair->column[0] = below(in, model->ncols - 1);
	pair->column[1] = pair->column[0] + 1 + below(in, model->ncols - 1 - pair->column[0]);
	pair->outside = take_byte(in) % 2;
	pair->n = 1 + below(in, 3);
	pair->variance = 1e-3 + take_weight(in);
	for (int x = 0; x < 2; x++)
		pair->class_of[x] = make_cut(env, in, model->levels[pair->column[x]], &pair->k[x]);
	pair->share = make_distribution(env, in, (size_t) pair->k[0] * pair->k[1]);
}

static inline void
make_fitted(const pegs_env *env, input *in, uint32_t ncols, pegs_fitted *model)
{
	model->ncols = ncols;
	model->levels = make_levels(env, in, ncols);
	model->rows = 1 + take_weight(in);
	model->accountant.pure = take_byte(in) % 2;
	model->accountant.epsilon = 1 + (int64_t) take(in, 5);
	model->accountant.delta = model->accountant.pure ? 0 : 1 + (int64_t) take(in, 3);
	model->accountant.total = take(in, 4);
	model->accountant.spent = model->accountant.total / (1 + below(in, 3));
	model->accountant.rows_per_unit = 1 + below(in, 4);
	for (uint32_t i = 0; i < 3; i++)
		model->accountant.record[i] = (pegs_cost_record) {.purpose = i + 1, .uses = take_byte(in), .cost = take(in, 2)};
	model->share = new(env, sizeof(double *) * ncols);
	model->class_of = new(env, sizeof(uint16_t *) * ncols);
	model->tree.ncols = ncols;
	model->tree.classes = new(env, sizeof(uint32_t) * ncols);
	for (uint32_t i = 0; i < ncols; i++)
	{
		model->share[i] = make_distribution(env, in, model->levels[i]);
		model->class_of[i] = make_cut(env, in, model->levels[i], &model->tree.classes[i]);
	}
	make_tree(env, in, &model->tree);
	model->npairs = ncols > 1 ? below(in, 4) % (ncols * (ncols - 1) / 2 + 1) : 0;
	model->pair = new(env, sizeof(pegs_pair) * (model->npairs + 1));
	for (uint32_t p = 0; p < model->npairs; p++)
		make_pair(env, in, model, &model->pair[p]);
	model->smooth = below(in, 2) == 1;
}

static inline void
make_layout(const pegs_env *env, input *in, uint32_t kind, uint32_t ncols, pegs_layout *layout)
{
	uint32_t   *levels = make_levels(env, in, ncols);
	uint32_t   *start = new(env, sizeof(uint32_t) * (ncols + 1));
	uint16_t   *parents = new(env, sizeof(uint16_t) * ncols * 2);

	if (kind != PEGS_CONDITIONAL)
	{
		MUST(pegs_layout_plain(env, kind, ncols, levels, layout, NULL) == PEGS_OK);
		return;
	}
	for (uint32_t i = 0; i < ncols; i++)
	{
		uint32_t	n = below(in, 3) % ncols;

		start[i + 1] = start[i];
		for (uint32_t p = 0; p < n; p++)
		{
			uint16_t	parent = (uint16_t) ((i + 1 + below(in, ncols - 1)) % ncols);

			if (p == 0 || parents[start[i]] != parent)
				parents[start[i + 1]++] = parent;
		}
	}
	MUST(pegs_layout_conditional(env, ncols, levels, start, parents, take_byte(in) % 2, layout, NULL) == PEGS_OK);
}

static inline void
make_rows(const pegs_env *env, input *in, pegs_wire *wire, pegs_kept *kept)
{
	uint16_t   *codes[MAX_COLUMNS];
	uint16_t	code[MAX_COLUMNS];
	int			times = take_byte(in) % 4 == 3 ? below(in, 41) : 0;	/* all counts 2^times as large */

	wire->cells = new(env, sizeof(uint64_t) * wire->layout.ncells);
	for (uint32_t i = 0; i < wire->ncols; i++)
		codes[i] = &code[i];
	for (wire->rows = 0; wire->rows < 40 && in->left > 0 && take_byte(in) % 16; wire->rows++)
	{
		for (uint32_t i = 0; i < wire->ncols; i++)
			code[i] = (uint16_t) below(in, wire->layout.levels[i]);
		pegs_count_chunk(&wire->layout, wire->cells, codes, 1);
		if (kept)
			pegs_kept_add(kept, codes, NULL, 1);
	}
	wire->rows <<= times;
	for (uint64_t i = 0; i < wire->layout.ncells; i++)
		wire->cells[i] <<= times;
}

/* The n-th of the methods that have a fit, round and round; NULL: there is none. */
static inline const pegs_method *
fitting_method(uint32_t n)
{
	uint32_t	fitting = 0;

	for (int i = 0; pegs_methods[i]; i++)
		fitting += pegs_methods[i]->fit != NULL;
	for (int i = 0; fitting > 0; i++)
		if (pegs_methods[i]->fit && n-- % fitting == 0)
			return pegs_methods[i];
	return NULL;
}

/* A stream whose first numbers are the input's, extremes among them. */
static inline void
make_rng(input *in, pegs_rng *rng)
{
	static const uint64_t extreme[4] = {UINT64_MAX, 0, UINT32_MAX, UINT64_MAX << 32};
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	uint32_t	n = take_byte(in) % 2 ? 1 + below(in, PEGS_RNG_BLOCKS * 8) : 0;

	key[0] = take_byte(in);
	pegs_rng_init(rng, key, 0);
	(void) pegs_rng_u64(rng);
	for (uint32_t i = 0; i < n; i++)
	{
		uint8_t		byte = take_byte(in);

		if (byte < 16)
			rng->buffer[i] = extreme[byte % 4];
	}
	rng->next = 0;
}

/* Options that are columns of the model, some of them, or one of some words; all others are left out. What is refused is not fitted. */
static inline void
make_settings(const pegs_env *env, input *in, const pegs_method *method, pegs_layout *layout)
{
	pegs_setting *settings;
	uint32_t	n = 0;
	bool		some = false;

	while (method->options && method->options[n].name)
		n++;
	settings = new(env, sizeof(pegs_setting) * (n + 1));
	for (uint32_t i = 0; i < n; i++)
	{
		uint8_t		which = method->options[i].kind == PEGS_OPTION_COLUMNS ? take_byte(in) : 0;
		bool	   *columns = new(env, sizeof(bool) * layout->ncols);

		settings[i].number = method->options[i].standard;
		/* what goes with a number of rows has a function of its own, below */
		if (method->options[i].kind == PEGS_OPTION_WORD && method->draws_urns == NULL && take_byte(in) % 4 == 0)
		{
			uint32_t	words = 0;

			while (method->options[i].words[words])
				words++;
			settings[i] = (pegs_setting) {.given = true, .number = below(in, words)};
			some = true;
		}
		for (uint32_t c = 0; c < layout->ncols; c++)
			columns[c] = which >> c & 1;
		for (uint32_t c = 0; c < layout->ncols; c++)
			if (columns[c])
			{
				settings[i].given = some = true;
				settings[i].columns = columns;
			}
	}
	layout->settings = some ? settings : NULL;
	if (some && method->refuse && method->refuse(layout).why)
		layout->settings = NULL;
}

/* What a score is asked for: a column with some of its levels. False: no column has two, or there is no other column. */
static inline bool
make_positive(const pegs_env *env, input *in, const pegs_method *method, pegs_layout *layout)
{
	pegs_setting *settings = new(env, sizeof(pegs_setting) * 8);
	bool	   *columns = new(env, sizeof(bool) * layout->ncols);
	bool	  **levels = new(env, sizeof(bool *) * layout->ncols);
	uint32_t	target = below(in, layout->ncols);

	for (uint32_t i = 0; method->options[i].name; i++)
		settings[i].number = method->options[i].standard;
	columns[target] = true;
	levels[target] = new(env, sizeof(bool) * layout->levels[target]);
	levels[target][below(in, layout->levels[target])] = true;
	settings[0] = (pegs_setting) {.given = true, .columns = columns, .levels = (const bool *const *) levels};
	layout->settings = settings;
	return layout->levels[target] > 1 && method->refuse(layout).why == NULL;
}

/* A public prior: of some cells something, from a unit to all that there may be. */
static inline void
make_prior(const pegs_env *env, input *in, bool joint, const pegs_layout *layout, pegs_setting *prior)
{
	uint64_t	cells = joint ? layout->ncells : 0;
	uint32_t   *cell;
	uint64_t   *weight;

	for (uint32_t i = 0; !joint && i < layout->ncols; i++)
		cells += layout->levels[i];
	cell = new(env, sizeof(uint32_t) * 8);
	weight = new(env, sizeof(uint64_t) * 8);
	*prior = (pegs_setting) {.given = true, .cells = cell, .weights = weight};
	for (uint64_t at = below(in, 3); at < cells && prior->nweights < 8; at += 1 + below(in, 5))
	{
		cell[prior->nweights] = (uint32_t) at;
		weight[prior->nweights++] = 1 + take(in, 6) % (PEGS_PRIOR_ROWS << 12);
	}
}

/* Draws from urns in place of added noise: few rows, or so many that nothing is bought by little. The other settings as they are. */
static inline void
make_urn_settings(const pegs_env *env, input *in, const pegs_method *method, pegs_layout *layout)
{
	pegs_setting *settings;
	uint32_t	n = 0;

	while (method->options[n].name)
		n++;
	settings = new(env, sizeof(pegs_setting) * n);
	for (uint32_t i = 0; i < n; i++)
		settings[i] = layout->settings ? layout->settings[i] : (pegs_setting) {.number = method->options[i].standard};
	settings[0] = (pegs_setting) {.given = true, .number = 1};
	settings[1] = (pegs_setting) {.given = true, .number = 1 + below(in, 3000)};
	if (take_byte(in) % 4 == 0)
		make_prior(env, in, method->options[PEGS_URN_PRIOR].joint, layout, &settings[PEGS_URN_PRIOR]);
	layout->settings = settings;
	if (method->refuse && method->refuse(layout).why)
		layout->settings = NULL;
}

/* A fit of a few rows and columns, as pegs_fit would ask for it: it takes long. */
static inline void
make_fit(const pegs_env *env, input *in, const pegs_method *method, pegs_wire *wire)
{
	pegs_wire	counts = {.kind = method->tables, .ncols = 1 + wire->ncols % 3};
	pegs_accountant accountant;
	pegs_kept  *kept = NULL;
	pegs_rng	rng;

	make_rng(in, &rng);
	pegs_accountant_init(&accountant, 1 + (int64_t) take(in, 5), take_byte(in) % 2 ? 0 : 1 + (int64_t) take(in, 7), 1 + below(in, 4));
	if (accountant.total == 0)
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	make_layout(env, in, counts.kind, counts.ncols, &counts.layout);
	if (method->triples)
		pegs_layout_add_triples(env, &counts.layout);
	/* as many tables, and no score */
	if (method->scorer && !make_positive(env, in, method, &counts.layout))
		method = pegs_method_named("marginals");
	if (method->scorer == NULL)
		make_settings(env, in, method, &counts.layout);
	if (pegs_keeps_rows(method, &counts.layout) || method->of_a_model)
		counts.layout.kept = kept = pegs_kept_new(env, counts.ncols, counts.layout.levels);
	make_rows(env, in, &counts, kept);
	if (method->draws_urns && take_byte(in) % 2)
		make_urn_settings(env, in, method, &counts.layout);
	wire->ncols = counts.ncols;
	wire->kind = method->kind;
	wire->method = method;
	wire->levels = counts.layout.levels;
	wire->model = method->fit(env, method->of_a_model ? NULL : &rng, method->payment == PEGS_PAID_AT_FIT ? &accountant : NULL, &counts.layout, counts.cells);
}

#define A_FIT 224				/* choices from here on: an eighth of them */

/* What a pegs could have written, of any kind. */
static inline void
make_wire(const pegs_env *env, input *in, pegs_wire *wire)
{
	uint8_t		choice = take_byte(in);
	const pegs_method *method = choice >= A_FIT ? fitting_method(choice - A_FIT) : NULL;

	memset(wire, 0, sizeof(*wire));
	wire->ncols = 1 + below(in, MAX_COLUMNS);
	wire->spec = specs[below(in, 4)];
	wire->spec_len = (uint32_t) strlen(wire->spec);
	if (method)
		make_fit(env, in, method, wire);
	else if (PEGS_PAIRS + choice % 4 == MODEL_KIND)
	{
		pegs_fitted *model = env->alloc(env->context, sizeof(pegs_fitted));

		make_fitted(env, in, wire->ncols, model);
		*wire = wire_of(wire->spec, model);
	}
	else
	{
		wire->kind = PEGS_PAIRS + choice % 4;
		make_layout(env, in, wire->kind, wire->ncols, &wire->layout);
		make_rows(env, in, wire, NULL);
	}
}

static inline int32_t *
make_given(const pegs_env *env, input *in, uint32_t ncols, const uint32_t *levels, uint32_t most)
{
	int32_t    *given = new(env, sizeof(int32_t) * ncols);

	for (uint32_t i = 0; i < ncols; i++)
	{
		given[i] = take_byte(in) % 3 || most == 0 ? -1 : (int32_t) below(in, levels[i]);
		most -= given[i] >= 0;
	}
	return given;
}

static inline pegs_zeros
make_rules(const pegs_env *env, input *in, uint32_t ncols, const uint32_t *levels)
{
	uint32_t	n = below(in, 4);
	pegs_zero  *zero = new(env, sizeof(pegs_zero) * (n + 1));

	for (uint32_t r = 0; r < n; r++)
	{
		zero[r].n = 1 + below(in, PEGS_ZERO_COLUMNS);
		for (uint32_t x = 0; x < zero[r].n; x++)
		{
			zero[r].column[x] = below(in, ncols);
			zero[r].level[x] = new(env, sizeof(bool) * levels[zero[r].column[x]]);
			for (uint32_t l = 0; l < levels[zero[r].column[x]]; l++)
				zero[r].level[x][l] = take_byte(in) % 3 == 0;
		}
	}
	return (pegs_zeros) {n, zero};
}

/* Does the row break a rule? Said again, apart from zeros.h. */
static inline bool
breaks(const pegs_zeros *zeros, const uint16_t *row)
{
	bool		any = false;

	for (uint32_t r = 0; r < zeros->n; r++)
	{
		bool		all = true;

		for (uint32_t x = 0; x < zeros->zero[r].n; x++)
			all &= zeros->zero[r].level[x][row[zeros->zero[r].column[x]]];
		any |= all;
	}
	return any;
}

#endif							/* PEGS_FUZZ_MODEL_H */
