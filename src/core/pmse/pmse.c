/*
 * pmse.c
 *	  A law of a few parameters, chosen privately by how alike its tables are:
 *	  counts to a model, and that as bytes.
 *
 * The mechanism of Snoke and Slavkovic (2018), with what it lacks: in each of a
 * public number of rounds one of a few laws is chosen by the exponential
 * mechanism, exactly, and by a score that one row moves by 0 or 1. It must
 * never make a candidate of anything but public numbers and of what was chosen
 * before. Claims P19 and P27.
 */
#include "core/pmse/pmse.h"

#include <math.h>
#include <string.h>

#include "core/choice.h"
#include "core/record.h"
#include "core/shares.h"

static const double ROWS_SHARE = 0.05;	/* of epsilon, where their number is not said */
static const uint64_t IN_A_TABLE = UINT64_C(1) << 32;	/* what the expected counts of a candidate sum to */

/* A step: at first half a scale, and from round to round less. */
static const double FIRST_STEP = 0.5;
static const double LAST_STEP = 0.01;

const pegs_option pegs_pmse_options[PEGS_PMSE_OPTIONS + 1] = {
	{.name = "rounds", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = 1000, .standard = 20, .example = "20"},
	{.name = "candidates", .kind = PEGS_OPTION_WHOLE, .least = 2, .most = 10000, .standard = 64, .example = "64"},
	{.name = "parts", .kind = PEGS_OPTION_WHOLE, .least = 2, .most = PEGS_MAX_LEVELS, .standard = PEGS_MAX_LEVELS, .example = "8"},
	{.name = "rows", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = 0x1p46, .standard = 0, .example = "5000"},
	{.name = NULL}
};

double
pegs_pmse_setting(const pegs_layout *layout, pegs_pmse_option option)
{
	return layout->settings && layout->settings[option].given ? layout->settings[option].number : pegs_pmse_options[option].standard;
}

/* ---- the tables that are compared ---- */

typedef struct fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;	/* that was counted */
	pegs_pmse  *model;
	uint64_t	as_rows;		/* the candidates are weighed as so many */

	pegs_layout parts;			/* the same pairs, each column cut into parts of neighbouring levels; of one column, that and one of one level */
	uint16_t   *part[PEGS_LAW_COLUMNS];	/* [levels] of each, as they come on the scale */
	uint64_t   *exact;			/* [parts.ncells] private */

	/* of a candidate */
	double	   *share;			/* [most levels] */
	double	   *given;			/* [most levels] */
	double	   *sum;			/* [most parts of a pair] */
	uint64_t   *expected;		/* [parts.ncells] */
} fitting;

/* Levels but NULL in so many parts, of as many levels each as can be; NULL is one by itself. */
static uint32_t
cut_column(fitting *f, uint32_t column, uint32_t most)
{
	const pegs_law *law = &f->model->law;
	uint32_t	places = law->levels[column] - law->nullable[column];
	uint32_t	parts = places < most ? places : most;

	f->part[column] = f->env->alloc(f->env->context, sizeof(uint16_t) * law->levels[column]);
	for (uint32_t i = 0; i < law->levels[column]; i++)
		f->part[column][i] = (uint16_t) (i < places ? (uint64_t) i * parts / places : parts);
	return parts + law->nullable[column];
}

static uint64_t
pair_at(const pegs_layout *layout, uint32_t x, uint32_t y)
{
	return layout->pair_offset[x * layout->ncols + y];
}

/* The counts of two columns, by parts. */
static void
count_pair(fitting *f, const uint64_t *cells, uint32_t x, uint32_t y)
{
	const pegs_layout *layout = f->layout;
	uint16_t  **order = f->model->order;
	uint64_t   *exact = f->exact + pair_at(&f->parts, x, y);

	for (uint32_t a = 0; a < layout->levels[x]; a++)
	{
		const uint64_t *from = cells + pair_at(layout, x, y) + (uint64_t) order[x][a] * layout->levels[y];

		f->env->check(f->env->context);
		for (uint32_t b = 0; b < layout->levels[y]; b++)
			exact[f->part[x][a] * f->parts.levels[y] + f->part[y][b]] += from[order[y][b]];
	}
}

static void
take_parts(fitting *f, const uint64_t *cells)
{
	const pegs_layout *layout = f->layout;
	uint32_t	most = (uint32_t) pegs_pmse_setting(layout, PEGS_PMSE_PARTS);
	uint32_t	parts[PEGS_LAW_COLUMNS] = {1, 1};
	uint32_t	widest = 1;
	uint32_t	most_parts = 1;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		parts[i] = cut_column(f, i, most);
		widest = layout->levels[i] > widest ? layout->levels[i] : widest;
		most_parts = parts[i] > most_parts ? parts[i] : most_parts;
	}
	/* no more cells than were counted, or twice as many */
	(void) pegs_layout_pairs(f->env, layout->ncols > 1 ? layout->ncols : 2, parts, &f->parts, NULL);
	f->exact = f->env->alloc(f->env->context, sizeof(uint64_t) * f->parts.ncells);
	f->expected = f->env->alloc(f->env->context, sizeof(uint64_t) * f->parts.ncells);
	f->share = f->env->alloc(f->env->context, sizeof(double) * widest);
	f->given = f->env->alloc(f->env->context, sizeof(double) * widest);
	f->sum = f->env->alloc(f->env->context, sizeof(double) * most_parts * most_parts);
	for (uint32_t x = 0; x < layout->ncols; x++)
		for (uint32_t y = x + 1; y < layout->ncols; y++)
			count_pair(f, cells, x, y);
	for (uint32_t a = 0; layout->ncols == 1 && a < layout->levels[0]; a++)
		f->exact[pair_at(&f->parts, 0, 1) + f->part[0][a]] += cells[layout->offset[0] + f->model->order[0][a]];
}

/* What the law expects in the parts of two columns; of one column, where there is no other. */
static void
expect_pair(fitting *f, const pegs_law *law, const pegs_moments *moments, uint32_t x, uint32_t y)
{
	uint32_t	cells = f->parts.levels[x] * f->parts.levels[y];
	uint64_t   *expected = f->expected + pair_at(&f->parts, x, y);

	memset(f->sum, 0, sizeof(double) * cells);
	pegs_law_share(law, moments, x, f->share);
	for (uint32_t a = 0; a < law->levels[x]; a++)
	{
		double	   *sum = f->sum + f->part[x][a] * f->parts.levels[y];

		if (y == law->ncols)
		{
			*sum += f->share[a];
			continue;
		}
		pegs_law_given(law, moments, x, a, y, f->given);
		for (uint32_t b = 0; b < law->levels[y]; b++)
			sum[f->part[y][b]] += f->share[a] * f->given[b];
	}
	for (uint32_t i = 0; i < cells; i++)
		expected[i] = (uint64_t) (f->sum[i] * (double) IN_A_TABLE);
}

/* How alike its tables and the counts are: a row more of those moves it by 0 or 1, whatever the law is. Claim P19. */
static int64_t
score(fitting *f, const pegs_law *law)
{
	pegs_synthetic synthetic = {f->expected, IN_A_TABLE, f->as_rows};
	pegs_moments moments;

	pegs_law_moments(law, &moments);
	for (uint32_t x = 0; x < f->parts.ncols; x++)
		for (uint32_t y = x + 1; y < f->parts.ncols; y++)
		{
			f->env->check(f->env->context);
			expect_pair(f, law, &moments, x, y);
		}
	return pegs_likeness(f->env, &f->parts, f->exact, &synthetic, 0);
}

/* ---- candidates: of public numbers and of what was chosen before ---- */

/* About a normal deviate, the same on every machine. */
static double
deviate(pegs_rng *public)
{
	double		sum = -6;

	for (int i = 0; i < 12; i++)
		sum += pegs_rng_double(public);
	return sum;
}

/* One parameter, moved or not. */
static int32_t
moved(pegs_rng *public, double often, double step, int32_t from, int32_t least, int32_t most)
{
	bool		moves = pegs_rng_double(public) < often;
	double		to = from + rint(step * PEGS_LAW_GRID * deviate(public));

	if (!moves)
		return from;
	return to < least ? least : to > most ? most : (int32_t) to;
}

/* A law beside another: about three of its parameters differ. */
static void
propose(pegs_rng *public, const pegs_law *from, double step, pegs_law *law)
{
	uint32_t	n = from->ncols;
	double		often = fmin(0.6, 3.0 / (2 * n + n * (n - 1) / 2.0));

	*law = *from;
	for (uint32_t i = 0; i < n; i++)
	{
		pegs_regressed *of = &law->of[i];

		of->mean = moved(public, often, step, of->mean, 0, PEGS_LAW_GRID);
		of->sd = moved(public, often, step / 2, of->sd, 1, PEGS_LAW_GRID);
		if (from->nullable[i])
			of->null = moved(public, often, step / 2, of->null, 0, PEGS_LAW_GRID - 1);
		for (uint32_t j = 0; j < i; j++)
			of->slope[j] = moved(public, often, 2 * step, of->slope[j], -2 * PEGS_LAW_GRID, 2 * PEGS_LAW_GRID);
	}
}

/* ---- a fit ---- */

/* The number of rows, if it is not said. */
static void
find_rows(fitting *f, const uint64_t *cells)
{
	pegs_accountant *accountant = &f->model->accountant;
	double		scale = pegs_accountant_scale(accountant);
	double		counted = pegs_pmse_setting(f->layout, PEGS_PMSE_ROWS) * scale;
	int64_t		exact = 0;

	if (counted == 0)
	{
		for (uint32_t code = 0; code < f->layout->levels[0]; code++)
			exact += (int64_t) cells[f->layout->offset[0] + code];
		if (pegs_measure(accountant, f->rng, PEGS_FOR_ROWS, ROWS_SHARE * pegs_accountant_left(accountant), &exact, &counted, 1) < 0)
			counted = scale;	/* nothing could be bought */
	}
	counted = fmin(fmax(counted, scale), (double) PEGS_MAX_ROWS);
	f->model->rows = counted / scale;
	f->as_rows = (uint64_t) counted;
}

bool
pegs_pmse_is_of(const pegs_pmse *model, const pegs_layout *layout)
{
	const pegs_cost_record *record = model->accountant.record;
	double		scale = pegs_accountant_scale(&model->accountant);
	double		told = pegs_pmse_setting(layout, PEGS_PMSE_ROWS);

	return model->rounds == pegs_pmse_setting(layout, PEGS_PMSE_ROUNDS) && record[PEGS_FOR_CHOICE - 1].uses <= model->rounds
		&& (told > 0 ? record[PEGS_FOR_ROWS - 1].uses == 0 && model->rows == fmin(told * scale, (double) PEGS_MAX_ROWS) / scale
			: record[PEGS_FOR_ROWS - 1].uses == 1 || (record[PEGS_FOR_ROWS - 1].uses == 0 && model->rows == 1));	/* nothing could be bought */
}

/* Claim P27: each round chooses once, monotonely, for its part of what is left; the last one spends all of it. */
static void
run_rounds(fitting *f)
{
	uint32_t	rounds = (uint32_t) pegs_pmse_setting(f->layout, PEGS_PMSE_ROUNDS);
	uint32_t	n = (uint32_t) pegs_pmse_setting(f->layout, PEGS_PMSE_CANDIDATES);
	pegs_law *law = f->env->alloc(f->env->context, sizeof(pegs_law) * n);
	int64_t    *scores = f->env->alloc(f->env->context, sizeof(int64_t) * n);
	pegs_rng   *public = f->env->alloc(f->env->context, sizeof(pegs_rng));
	uint8_t		key[PEGS_KEY_BYTES] = {0};

	pegs_rng_init(public, key, 0);
	f->model->rounds = rounds;
	for (uint32_t r = 0; r < rounds; r++)
	{
		double		step = fmax(FIRST_STEP * pow(LAST_STEP / FIRST_STEP, (double) r / rounds), 1.0 / PEGS_LAW_GRID);
		double		cost = pegs_accountant_left(&f->model->accountant) / (rounds - r);

		pegs_env_step(f->env, PEGS_STEP_CHOICES);
		law[0] = f->model->law;
		for (uint32_t i = 0; i < n; i++)
		{
			if (i > 0)
				propose(public, &f->model->law, step, &law[i]);
			scores[i] = score(f, &law[i]);
		}
		f->model->law = law[pegs_choose_monotone(&f->model->accountant, f->rng, cost, scores, n)];
	}
	pegs_env_free(f->env, public);
	pegs_env_free(f->env, scores);
	pegs_env_free(f->env, law);
}

/* Codes as they come on the scale. */
static uint16_t *
order_of(const fitting *f, uint32_t column)
{
	const pegs_layout *layout = f->layout;
	uint32_t	levels = layout->levels[column];
	const uint16_t *scale = layout->scale ? layout->scale[column] : NULL;
	uint32_t	null = f->model->law.nullable[column] ? (uint32_t) layout->nulls[column] : levels;
	uint16_t   *order = f->env->alloc(f->env->context, sizeof(uint16_t) * levels);

	for (uint32_t code = 0; code < levels; code++)
		order[code == null ? levels - 1 : scale ? scale[code] : code - (code > null)] = (uint16_t) code;
	return order;
}

/* Of public facts alone. */
static void
begin_model(const fitting *f)
{
	const pegs_env *env = f->env;
	const pegs_layout *layout = f->layout;
	pegs_pmse  *model = f->model;

	model->law.ncols = layout->ncols;
	model->law.levels = layout->levels;
	model->order = env->alloc(env->context, sizeof(uint16_t *) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		model->law.nullable[i] = layout->nulls && layout->nulls[i] >= 0;
		model->order[i] = order_of(f, i);
	}
	pegs_law_begin(&model->law);
}

/* Shares of single columns, of released numbers. */
static void
make_shares(fitting *f)
{
	pegs_pmse  *model = f->model;
	pegs_moments moments;

	pegs_law_moments(&model->law, &moments);
	model->share = f->env->alloc(f->env->context, sizeof(double *) * model->law.ncols);
	for (uint32_t i = 0; i < model->law.ncols; i++)
	{
		model->share[i] = f->env->alloc(f->env->context, sizeof(double) * model->law.levels[i]);
		pegs_law_share(&model->law, &moments, i, f->share);
		for (uint32_t place = 0; place < model->law.levels[i]; place++)
			model->share[i][model->order[i][place]] = f->share[place];
	}
}

/* Of one choice among as many as there are rounds: how many scores weigh as much as e. */
double
pegs_pmse_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout)
{
	double		budget = pegs_accountant_left(accountant) * (pegs_pmse_setting(layout, PEGS_PMSE_ROWS) > 0 ? 1 : 1 - ROWS_SHARE);

	(void) env;
	return 1 / pegs_choice_factor(accountant, budget / pegs_pmse_setting(layout, PEGS_PMSE_ROUNDS));
}

void
pegs_pmse_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
			  pegs_pmse *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .model = model};

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	begin_model(&f);
	find_rows(&f, cells);
	take_parts(&f, cells);
	run_rounds(&f);
	pegs_env_step(env, PEGS_STEP_LAST);
	make_shares(&f);
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- bytes ---- */

/* A parameter, from `least` on. */
static void
walk_number(pegs_cursor *c, int32_t *value, int32_t least, int32_t most)
{
	uint32_t	above = (uint32_t) (*value - least);

	pegs_u32(c, &above);
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	if (above > (uint32_t) (most - least))
		pegs_bad(c, PEGS_ERR_FORMAT);
	else
		*value = least + (int32_t) above;
}

/* Each code once. */
static void
walk_order(pegs_cursor *c, uint16_t **order, uint32_t n)
{
	bool	   *seen;

	pegs_u16s(c, order, n);
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	seen = c->env->alloc(c->env->context, sizeof(bool) * n);
	for (uint32_t i = 0; i < n && c->status == PEGS_OK; i++)
		if ((*order)[i] >= n || seen[(*order)[i]])
			pegs_bad(c, PEGS_ERR_FORMAT);
		else
			seen[(*order)[i]] = true;
	pegs_env_free(c->env, seen);
}

static void
walk_column(pegs_cursor *c, pegs_pmse *model, uint32_t column)
{
	pegs_regressed *of = &model->law.of[column];
	int32_t		nullable = model->law.nullable[column];

	walk_number(c, &nullable, 0, 1);
	model->law.nullable[column] = nullable;
	walk_number(c, &of->mean, 0, PEGS_LAW_GRID);
	walk_number(c, &of->sd, 1, PEGS_LAW_GRID);
	walk_number(c, &of->null, 0, nullable ? PEGS_LAW_GRID - 1 : 0);
	for (uint32_t j = 0; j < column; j++)
		walk_number(c, &of->slope[j], -2 * PEGS_LAW_GRID, 2 * PEGS_LAW_GRID);
	pegs_pad(c);
	walk_order(c, &model->order[column], model->law.levels[column]);
	pegs_shares_walk(c, &model->share[column], model->law.levels[column], false);
}

static const pegs_purpose purposes[] = {PEGS_FOR_CHOICE, PEGS_FOR_ROWS};

/* the record, with the number of rounds  per column: u32 nullable, mean, sd, null, slopes  u16 order[levels]  f64 share[levels] */
void
pegs_pmse_walk(pegs_cursor *c, pegs_pmse *model)
{
	pegs_law *law = &model->law;

	if (law->ncols > PEGS_LAW_COLUMNS || pegs_law_cells(law->ncols, law->levels) > PEGS_LAW_CELLS)
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pegs_record_walk(c, &model->accountant, &model->rows, &model->rounds, purposes, 2);
	if (c->status != PEGS_OK)
		return;
	if (c->pass == PEGS_READ)
	{
		model->order = c->env->alloc(c->env->context, sizeof(uint16_t *) * law->ncols);
		model->share = c->env->alloc(c->env->context, sizeof(double *) * law->ncols);
	}
	for (uint32_t i = 0; i < law->ncols && c->status == PEGS_OK; i++)
		walk_column(c, model, i);
}
