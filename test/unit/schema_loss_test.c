/*
 * schema_loss_test.c
 *	  What the answers of a fit of several tables are worth, exactly: of tiny
 *	  schemas all units, beside nothing and beside every unit (claims P35 and P37).
 *
 * A run on a table is answered once, and the same answers are given to a run on
 * the table with one unit more, and to one on an empty table (core/witness.h).
 * Picks are gone through, not drawn: each of each choice, until none is left,
 * which is when what they are drawn with adds up to one. Where an account is so
 * large that the engine's are too many, those are by lot, each as likely, and
 * siblings' alone are gone through. Discrete Laplace noise is
 * none in all cells, or as much as a unit moves one: the answers that are worth
 * most, to the one side and to the other, so that no other tells more. Discrete
 * Gaussian noise is drawn: its answers have no most, and what they cost does not
 * depend on them.
 */
#include "core/graph/state.h"
#include "core/schema/siblings.h"

#include <math.h>
#include <string.h>

#include "core/witness.h"
#include "core/wire.h"
#define STREAM_SALT [5] = 43
#include "fixture.h"
#include "fitted.h"
#include "schemas.h"
#include "unit.h"

#define UNITS 64
#define COPIES 4
#define STEPS 512
#define TURNS 3				/* the table, the one with a unit more, and an empty one */

static const int64_t DELTA = INT64_C(1000000000);
static const uint8_t key[PEGS_KEY_BYTES] = {7};	/* of rows that are looked at */

/* ---- the doors ---- */

/* Noise of a cell: as drawn, none, or PEGS_PATHS. */
typedef enum noises
{
	DRAWN, NONE, MOST
} noises;

/* What a run showed the doors. */
typedef struct shown
{
	uint32_t	n;
	bool		choice[STEPS];
	size_t		cells[STEPS];
	int64_t    *value[STEPS];
	double		log_chance;		/* of all its picks that are gone through */
} shown;

static shown seen[TURNS];
static int	turn;
static noises noise;
static bool every;				/* the engine's picks, too, are gone through */
static bool in_siblings;		/* what is asked now is asked of them */

/* The picks of this output, and of how many. */
static size_t pick[STEPS];
static size_t picks_of[STEPS];
static bool all_of[STEPS];		/* else one by lot */
static uint32_t given;			/* picks that are said; behind them it is the first one, or one by lot */
static uint32_t at;				/* the next one */

extern double __real_pegs_measure(pegs_accountant *, pegs_rng *, pegs_purpose, double, const int64_t *, double *, size_t);
extern double __wrap_pegs_measure(pegs_accountant *, pegs_rng *, pegs_purpose, double, const int64_t *, double *, size_t);
extern size_t __real_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);
extern size_t __wrap_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);
extern int64_t __real_pegs_discrete_laplace(pegs_rng *, uint64_t, uint64_t);
extern int64_t __wrap_pegs_discrete_laplace(pegs_rng *, uint64_t, uint64_t);
extern size_t __wrap_pegs_exponential_mechanism(const pegs_env *, pegs_rng *, const int64_t *, size_t, uint64_t, uint64_t);

#define SIBLINGS_FIT const pegs_env *, pegs_rng *, const uint8_t *, pegs_accountant *, double, const pegs_tally *, const pegs_fitted *, uint32_t *
extern pegs_pair *__real_pegs_siblings_fit(SIBLINGS_FIT);
extern pegs_pair *__wrap_pegs_siblings_fit(SIBLINGS_FIT);

static void
keep(bool choice, const int64_t *value, size_t n)
{
	shown	   *s = &seen[turn];

	if (!CHECK(s->n < STEPS))
		return;
	s->choice[s->n] = choice;
	s->cells[s->n] = n;
	s->value[s->n] = memcpy(env.alloc(env.context, sizeof(int64_t) * n), value, sizeof(int64_t) * n);
	s->n++;
}

double
__wrap_pegs_measure(pegs_accountant *accountant, pegs_rng *r, pegs_purpose purpose, double cost, const int64_t *exact, double *noisy, size_t n)
{
	keep(false, exact, n);
	return __real_pegs_measure(accountant, r, purpose, cost, exact, noisy, n);
}

int64_t
__wrap_pegs_discrete_laplace(pegs_rng *r, uint64_t num, uint64_t den)
{
	return noise == DRAWN ? __real_pegs_discrete_laplace(r, num, den) : noise == MOST ? PEGS_PATHS : 0;
}

/* ln of what pick i is drawn with. */
static double
log_chance(const int64_t *score, size_t n, double factor, size_t i)
{
	double		best = (double) score[0];
	double		sum = 0;

	for (size_t j = 0; j < n; j++)
		best = fmax(best, (double) score[j]);
	for (size_t j = 0; j < n; j++)
		sum += exp(factor * ((double) score[j] - best));
	return factor * ((double) score[i] - best) - log(sum);
}

size_t
__wrap_pegs_choose(pegs_accountant *accountant, pegs_rng *r, double cost, const int64_t *score, size_t n)
{
	double		factor = pegs_choice_factor(accountant, cost);
	size_t		picked;

	keep(true, score, n);
	picked = __real_pegs_choose(accountant, r, cost, score, n);
	if (in_siblings || every)
		seen[turn].log_chance += log_chance(score, n, factor, picked);
	return picked;
}

size_t
__wrap_pegs_exponential_mechanism(const pegs_env *asked, pegs_rng *r, const int64_t *score, size_t n, uint64_t num, uint64_t den)
{
	(void) asked;
	(void) r;
	(void) score;
	(void) num;
	(void) den;
	if (turn > 0)				/* the witness answers */
		return 0;
	if (!CHECK(at < STEPS))
		return 0;
	if (at == given)
	{
		all_of[given] = in_siblings || every;
		picks_of[given] = n;
		pick[given] = all_of[given] ? 0 : pegs_rng_below(&rng, n);
		given++;
	}
	return pick[at++];
}

pegs_pair *
__wrap_pegs_siblings_fit(const pegs_env *used, pegs_rng *r, const uint8_t *of, pegs_accountant *accountant, double budget,
						 const pegs_tally *tally, const pegs_fitted *so_far, uint32_t *n)
{
	pegs_pair  *pairs;

	in_siblings = true;
	pairs = __real_pegs_siblings_fit(used, r, of, accountant, budget, tally, so_far, n);
	in_siblings = false;
	return pairs;
}

/* The next output; false: there is none. */
static bool
another(void)
{
	while (given > 0 && (!all_of[given - 1] || pick[given - 1] + 1 == picks_of[given - 1]))
		given--;
	if (given == 0)
		return false;
	pick[given - 1]++;
	return true;
}

/* ---- units ---- */

static unit all[UNITS];
static uint32_t children[UNITS];	/* of each */
static uint32_t nall;

/* A root; children of some columns of two levels; below each of them a row or none. */
typedef struct world
{
	uint16_t	roots;			/* levels of the root, of two, that units have */
	uint32_t	columns;
	uint32_t	most;			/* children */
	bool		below;
} world;

static pegs_relations
tiny(const world *w)
{
	return made(w->below ? 3 : 2, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = w->columns, .levels = (uint32_t[]) {2, 2}, .nclasses = w->most + 1, .first = (uint32_t[]) {0, 1, 2, 3}, .most = w->most},
		{.parent = 1, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 2, .first = (uint32_t[]) {0, 1}, .most = 1}});
}

static void
put_child(const world *w, unit *u, uint32_t kind)
{
	uint32_t	kinds = w->columns == 1 ? 2 : 4;
	uint16_t	codes[2] = {(uint16_t) (kind % 2), (uint16_t) (kind / 2 % 2)};
	uint32_t	row = put_row(u, 1, 0, 0, codes, w->columns);

	if (kind / kinds > 0)
		(void) put_row(u, 2, row, 0, (uint16_t[]) {(uint16_t) (kind / kinds - 1)}, 1);
}

/* All of them: of each root each set of children. */
static void
list_units(const world *w)
{
	uint32_t	kinds = (w->columns == 1 ? 2 : 4) * (w->below ? 3 : 1);

	nall = 0;
	for (uint16_t root = 0; root < w->roots; root++)
		for (uint32_t a = 0; a <= kinds; a++)
			for (uint32_t b = 0; b <= a; b++)
				for (uint32_t c = 0; c <= (w->most > 2 ? b : 0); c++)
				{
					unit	   *u = &all[nall];
					uint32_t	kind[3] = {a, b, c};

					*u = (unit) {0};
					(void) put_row(u, 0, 0, 0, &root, 1);
					for (int i = 0; i < 3; i++)
						if (kind[i] > 0)
							put_child(w, u, kind[i] - 1);
					children[nall++] = (a > 0) + (b > 0) + (c > 0);
				}
}

static pegs_tally
tally_of(const pegs_relations *r, uint32_t n, const unit *const *u)
{
	pegs_paths *paths = pegs_paths_new(&env, r);
	uint32_t	first = n > 0 ? (uint32_t) pegs_rng_below(&rng, n) : 0;	/* none is always the last */
	pegs_tally	tally;
	double		cells;

	CHECK_INT(pegs_tally_init(&env, r, &tally, &cells), PEGS_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		feed(paths, r, u[(first + i) % n], true);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	return tally;
}

/* ---- what is asked of a pair of tables ---- */

typedef struct found
{
	double		most;			/* ln of how much likelier an answer is without the unit */
	double		least;
	double		cost;			/* the most that an answer cost */
	int64_t		table;			/* the most that a table moved by, in L1 */
	int64_t		score;			/* and a score */
	uint64_t	outputs;
	uint32_t	siblings;		/* the most that were measured */
	uint32_t	wrong;			/* what no check may count */
} found;

/* Steps side by side: all that a look or a choice saw. */
static void
compare(found *f, int64_t of_siblings)
{
	f->wrong += seen[0].n != seen[1].n;
	for (uint32_t s = 0; s < seen[0].n && s < seen[1].n; s++)
	{
		int64_t		moved = 0;

		f->wrong += seen[0].choice[s] != seen[1].choice[s] || seen[0].cells[s] != seen[1].cells[s];
		for (size_t i = 0; i < seen[0].cells[s] && i < seen[1].cells[s]; i++)
		{
			int64_t		d = seen[1].value[s][i] - seen[0].value[s][i];

			if (seen[0].choice[s])
				f->score = llabs(d) > f->score ? llabs(d) : f->score;
			else
			{
				f->wrong += d < 0;
				moved += llabs(d);
			}
		}
		if (seen[0].choice[s])
			continue;
		f->wrong += of_siblings >= 0 ? moved != of_siblings : moved != PEGS_PATHS && moved != 0;
		f->table = moved > f->table ? moved : f->table;
	}
}

/* A fit, or its siblings alone beside a model that is released. */
typedef struct asked
{
	const pegs_relations *r;
	pegs_accountant account;
	const pegs_fitted *so_far;	/* NULL: a whole fit */
	uint32_t	copies;			/* of the unit that is there */
} asked;

/* What comes of it, in bytes. */
static uint8_t *
outcome(const asked *a, const pegs_tally *tally, pegs_witness *witness, size_t *size, uint32_t *siblings)
{
	pegs_accountant account = a->account;
	pegs_fitted model;
	pegs_wire	wire;
	pegs_rng	own;
	uint8_t    *bytes;

	account.witness = witness;
	pegs_rng_init(&own, key, 1);
	if (a->so_far)
	{
		model = *a->so_far;
		model.accountant = account;
		model.sibling = pegs_siblings_fit(&env, &own, key, &model.accountant, pegs_accountant_left(&account), tally, a->so_far, &model.nsiblings);
	}
	else
		pegs_schema_fit(&env, &own, &account, a->r, tally, true, &model);
	wire = wire_of("", &model);
	*size = pegs_wire_size(&wire);
	bytes = env.alloc(env.context, *size);
	pegs_wire_write(NULL, &wire, bytes);
	*siblings = model.nsiblings;
	return bytes;
}

/* All outputs of a pair of tables, one after the other, and are they all? */
static void
go_through(const asked *a, const pegs_tally *const *tally, int64_t of_siblings, pegs_witness *witness, found *f)
{
	double		chance[2] = {0, 0};
	int			turns = TURNS;	/* an empty table has the same answers: of the first output */

	given = 0;
	do
	{
		uint8_t    *bytes[TURNS];
		size_t		size[TURNS];

		pegs_witness_begin(witness, &env);
		for (turn = 0; turn < turns; turn++)
		{
			uint32_t	siblings;

			seen[turn].n = 0;
			seen[turn].log_chance = 0;
			at = 0;
			if (turn == 1)
				pegs_witness_again(witness);
			else if (turn == 2)
				pegs_witness_replay(witness);
			bytes[turn] = outcome(a, tally[turn], witness, &size[turn], &siblings);
			f->siblings = siblings > f->siblings ? siblings : f->siblings;
			if (turn > 0)
				pegs_witness_end(witness, &a->account, size[turn] == size[0] && memcmp(bytes[turn], bytes[0], size[0]) == 0);
			if (turn < 2)
				chance[turn] += exp(seen[turn].log_chance);
		}
		compare(f, of_siblings);
		f->most = fmax(f->most, witness->ratio);
		f->least = fmin(f->least, witness->ratio);
		f->cost = fmax(f->cost, witness->cost);
		f->outputs++;
		turns = TURNS - 1;
	}
	while (another());
	f->wrong += fabs(chance[0] - 1) > 1e-9 || fabs(chance[1] - 1) > 1e-9;
}

/* Unit i comes to as many of unit j, or to nothing (j: nall). */
static void
try_pair(const asked *a, uint32_t i, uint32_t j, pegs_witness *witness, found *f)
{
	arena		own = {0};
	pegs_env	whole = env;
	pegs_tally	tally[TURNS];
	const unit *u[COPIES + 1] = {&all[i]};
	uint32_t	n = j < nall ? a->copies : 0;

	for (uint32_t c = 0; c < n; c++)
		u[c + 1] = &all[j];
	env = arena_env(&own);
	tally[0] = tally_of(a->r, n, u + 1);
	tally[1] = tally_of(a->r, n + 1, u);
	tally[2] = tally_of(a->r, 0, NULL);
	for (noise = a->account.pure ? NONE : DRAWN; noise <= (a->account.pure ? MOST : DRAWN); noise++)
		go_through(a, (const pegs_tally *[]) {&tally[0], &tally[1], &tally[2]}, !a->so_far ? -1 : children[i] > 1 ? PEGS_PATHS : 0, witness, f);
	noise = DRAWN;
	turn = 0;
	env = whole;
	arena_free(&own);
}

/* What every answer of such a fit keeps to, and some reach: at least so much of the account. */
static void
check_found(const asked *a, const pegs_witness *witness, const found *f, double reached)
{
	double		total = (double) a->account.total * 0x1p-50;
	bool		good = CHECK(witness->fault == PEGS_SOUND);

	good &= CHECK(f->wrong == 0 && (every || f->siblings > 0));
	good &= CHECK(f->table == PEGS_PATHS && (f->score == PEGS_PATHS || (every && f->score == 0)));
	good &= CHECK(f->cost <= total * (1 + 1e-9) && f->cost > reached * total);
	if (a->account.pure)
		good &= CHECK(fmax(f->most, -f->least) <= total * (1 + 1e-9) && fmin(f->most, -f->least) > reached * total);
	if (!good)
		printf("  %s, %s: %" PRIu64 " outputs, %g to %g, cost %g of %g, a table by %" PRId64 ", a score by %" PRId64 ", siblings %u, wrong %u\n", a->so_far ? "siblings" : "a fit",
			   a->account.pure ? "epsilon" : "rho", f->outputs, f->least, f->most, f->cost, total, f->table, f->score, f->siblings, f->wrong);
}

static asked
account_of(const pegs_relations *r, int64_t epsilon, int64_t delta)
{
	asked		a = {.r = r, .copies = 1};

	pegs_accountant_init(&a.account, epsilon, delta, PEGS_PATHS);
	a.account.rows_each = PEGS_PATHS;
	return a;
}

/* A model of some units, whatever they were: it is released. */
static void
fit_before(const pegs_relations *r, pegs_fitted *model)
{
	const unit *some[20];
	asked		a = account_of(r, 100 * PEGS_EPSILON_UNIT, DELTA);
	pegs_tally	tally;

	for (int i = 0; i < 20; i++)
		some[i] = &all[pegs_rng_below(&rng, nall)];
	tally = tally_of(r, 20, some);
	given = at = 0;
	pegs_schema_fit(&env, &rng, &a.account, r, &tally, false, model);
}

/*
 * Siblings: all outputs of each unit that comes to nothing, or to each unit.
 * One column and three children, or two columns, of which three pairs are, and two children.
 */
static void
test_siblings(void)
{
	static const world worlds[2] = {{.roots = 2, .columns = 1, .most = 3}, {.roots = 1, .columns = 2, .most = 2}};

	for (int w = 0; w < 2; w++)
	{
		pegs_relations r = tiny(&worlds[w]);
		pegs_fitted model;

		list_units(&worlds[w]);
		start(1);
		fit_before(&r, &model);
		for (int pure = 0; pure < 2; pure++)
		{
			pegs_witness witness = {0};
			asked		a = account_of(&r, 5 * PEGS_EPSILON_UNIT, pure ? 0 : DELTA);
			found		f = {0};

			a.so_far = &model;
			for (uint32_t i = 0; i < nall; i++)
				for (uint32_t j = 0; j <= nall; j++)
					try_pair(&a, i, j, &witness, &f);
			check_found(&a, &witness, &f, pure ? 0.87 : 0.90);
		}
		arena_free(&memory);
	}
}

/*
 * Whole fits, of an account that has a part for siblings: each unit comes to
 * nothing and to each unit; with a row below each child to nothing and to one
 * other.
 */
static void
test_fits(void)
{
	static const world worlds[2] = {{.roots = 2, .columns = 1, .most = 2}, {.roots = 2, .columns = 1, .most = 2, .below = true}};

	for (int w = 0; w < 2; w++)
		for (int pure = 0; pure < 2; pure++)
		{
			pegs_relations r = tiny(&worlds[w]);
			asked		a = account_of(&r, (pure ? 300 : 8000) * PEGS_EPSILON_UNIT, pure ? 0 : DELTA);
			pegs_witness witness = {0};
			found		f = {0};

			start((uint8_t) (2 + 2 * w + pure));
			list_units(&worlds[w]);
			a.copies = pure ? 1 : COPIES;
			for (uint32_t i = 0; i < nall; i++)
				for (uint32_t j = 0; j <= nall; j++)
					if (w == 0 || j == nall || j == (i + 1) % nall)
						try_pair(&a, i, j, &witness, &f);
			check_found(&a, &witness, &f, 0.95);
			arena_free(&memory);
		}
}

/*
 * Whole fits of small accounts, all outputs: of two units, or of one. Pairs of the
 * first schema are all there are; of the others each `apart`th unit comes to
 * nothing and to the next one.
 */
static void
test_every(void)
{
	static const struct
	{
		world		of;
		int			epsilon;
		int			delta;
		uint32_t	apart;
		bool		chooses;
	}			fits[] = {
		{{.roots = 2, .columns = 1, .most = 2}, .epsilon = 1}, {{.roots = 2, .columns = 1, .most = 2}, .epsilon = 64},
		{{.roots = 2, .columns = 1, .most = 2}, .epsilon = 64, .delta = 1, .chooses = true},
		{{.roots = 2, .columns = 2, .most = 2}, .epsilon = 16, .apart = 1, .chooses = true},
		{{.roots = 2, .columns = 1, .most = 2, .below = true}, .epsilon = 16, .apart = 3, .chooses = true}};

	every = true;
	for (size_t k = 0; k < sizeof(fits) / sizeof(fits[0]); k++)
	{
		pegs_relations r = tiny(&fits[k].of);
		asked		a = account_of(&r, fits[k].epsilon * PEGS_EPSILON_UNIT, fits[k].delta * DELTA);
		pegs_witness witness = {0};
		found		f = {0};

		start((uint8_t) (7 + k));
		list_units(&fits[k].of);
		for (uint32_t i = 0; i < nall; i += fits[k].apart > 0 ? fits[k].apart : 1)
			for (uint32_t j = 0; j <= nall; j++)
				if (fits[k].apart == 0 || j == nall || j == (i + 1) % nall)
					try_pair(&a, i, j, &witness, &f);
		check_found(&a, &witness, &f, 0.99);
		CHECK((f.score > 0) == fits[k].chooses);
		arena_free(&memory);
	}
	every = false;
}

int
main(void)
{
	test_siblings();
	test_fits();
	test_every();
	return unit_done("schema_loss_test");
}
