/*
 * engine.c
 *	  How close the engine's rows are to tables that are made here, of known kinds.
 *
 * Usage: engine FITS EPSILON... : a line for each table and epsilon, the means over FITS fits, fields with a space between: table,
 * epsilon, mean total variation of all pairs, of 300 triples, CPU seconds of a fit, of its rows, as many as the table has; total
 * variation of the worst pair, ratio of pMSE to what is expected of it, median relative error of the coefficients of a logistic
 * regression of the target, mean total variation of the pairs with the target, standard errors of the pMSE ratio, of the worst pair and of the coefficients. nan: not measured. Delta is 1e-9.
 * PURE=1: delta is 0. PAIRS_ONLY=1: no triple is counted. FUNCTIONS=1: what follows from another column is left out of the fit, and
 * computed; GROUPED=1: levels of that other one that have one value are a group. SEED=N: other tables of the same kinds. TARGET=1: the fit is told the target, which is the last column of two levels. TABLES=narrow,... makes some
 * of them only; CSV=file adds a table of codes from 0, with a line of names.
 *
 *	narrow		14 columns of 2 levels, four of 3, two of 4; three traits, and each goes with the one before; 30,000 rows
 *	binary		16 columns of 2 levels, each of up to three others, two by two; 20,000 rows
 *	mixed		the same of 24: 20 of 2 levels, two of 3, one each of 4 and 5; 25,000 rows
 *	classes		30 columns of 2 to 16 levels, nine latent classes; 8,000 rows
 *	wide		12 columns, one of 240 levels and functions of it among them; 25,000 rows
 *	functions	12 columns of 2 to 60 levels, of which five follow from others; 20,000 rows
 *	network		16 columns of 2 to 40 levels, each of up to three others, two by two; 20,000 rows
 *	few			the same, 5,000 rows
 *	large		12 columns of 2 to 10 levels, as network; 300,000 rows
 *	million		the same, 1,000,000 rows
 *	many		150 columns of 2 to 4 levels, as network; 50,000 rows. Not made where none is named
 */
#include "engine.h"
#include "memory.h"

#include "core/method.h"
#include "core/rng.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- a fit, and its rows ---- */

static double
cpu(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

/* Of an engine that knows of targets. */
static void
tell_target(const table *t, pegs_layout *layout, bool *target)
{
#ifndef WITHOUT_TARGET
	if (getenv("TARGET") && t->target < t->m)
	{
		target[t->target] = true;
		layout->target = target;
	}
#endif
	(void) target;
}

/* What is fitted of a table; at[i]: which column of that a column is, m: none. */
static table
fitted(const table *t, uint32_t *at, const uint16_t **groups)
{
	table		f = {.n = t->n};

	for (uint32_t i = 0; i < t->m; i++)
	{
		at[i] = t->m;
		if (t->value[i] && getenv("FUNCTIONS"))
			continue;
		at[i] = f.m;
		f.levels[f.m] = t->levels[i];
		f.code[f.m++] = t->code[i];
	}
	for (uint32_t i = 0; i < t->m; i++)
		if (t->value[i] && getenv("GROUPED"))
			groups[at[t->of[i]]] = t->value[i];
	f.target = t->target < t->m && at[t->target] < t->m ? at[t->target] : f.m;
	return f;
}

static void
count(const pegs_env *env, const table *t, pegs_layout *layout, uint64_t **cells)
{
	if (pegs_layout_pairs(env, t->m, t->levels, layout, NULL) != PEGS_OK)
		exit(1);
#ifdef PEGS_TRIPLE_CELLS
	if (!getenv("PAIRS_ONLY"))
		pegs_layout_add_triples(env, layout);
#endif
	*cells = alloc(env->context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];

		for (uint32_t i = 0; i < t->m; i++)
			at[i] = t->code[i] + r;
		pegs_count_chunk(layout, *cells, at, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
	}
}

static void
draw(const pegs_env *env, const pegs_wire *wire, pegs_rng *rng, const table *t, const uint32_t *column, uint16_t **made)
{
	block	   *batch = NULL;
	pegs_ask	ask = {.n = t->n, .batch = {.alloc = alloc, .check = check, .context = &batch}, .forget = forget};
	pegs_draws *draws;

	if (wire->method->open(env, wire, NULL, &ask, &draws) != PEGS_OK)
		exit(1);
	wire->method->start(draws, rng);
	for (uint32_t r = 0; r < t->n; r++)
	{
		uint16_t	row[COLUMNS];

		if (wire->method->next(draws, row) != PEGS_OK)
			exit(1);
		for (uint32_t i = 0; i < t->m; i++)
			made[i][r] = column[i] < t->m ? row[column[i]] : t->value[i][row[column[t->of[i]]]];
	}
	forget(&batch);
}

/* Of single fits: how far their mean may be off; 0: there is one. */
static double
error_of_mean(double sum, double squares, int fits)
{
	return fits > 1 ? sqrt(fmax(squares - sum * sum / fits, 0) / fits / (fits - 1.0)) : 0;
}

static void
measure(const char *name, const table *t, double epsilon, int fits)
{
	const pegs_method *method = pegs_method_named("graph");
	measures	sum = {0};
	double		fitting = 0;
	double		drawing = 0;
	measures	squares = {0};
	uint16_t   *made[COLUMNS];
	uint32_t	at[COLUMNS];
	const uint16_t *groups[COLUMNS] = {NULL};
	table		f = fitted(t, at, groups);

	for (uint32_t i = 0; i < t->m; i++)
		made[i] = malloc(sizeof(uint16_t) * t->n);
	for (int fit = 0; fit < fits; fit++)
	{
		block	   *memory = NULL;
		pegs_env	env = {.alloc = alloc, .check = check, .context = &memory};
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 77};
		bool		target[COLUMNS] = {false};
		pegs_layout layout;
		uint64_t   *cells;
		pegs_accountant accountant;
		pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = f.m, .spec = ""};
		pegs_rng	rng;
		double		began;
		measures	before = sum;

		count(&env, &f, &layout, &cells);
#ifdef WITH_GROUPS
		layout.groups = groups;
#endif
		tell_target(&f, &layout, target);
		pegs_accountant_init(&accountant, llround(epsilon * 1e9), getenv("PURE") ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		pegs_rng_init(&rng, key, 1);
		began = cpu();
		wire.levels = layout.levels;
		wire.model = method->fit(&env, &rng, &accountant, &layout, cells);
		fitting += cpu() - began;
		began = cpu();
		draw(&env, &wire, &rng, t, at, made);
		drawing += cpu() - began;
		measure_rows(&env, t, made, &sum);
		squares.pairs += pow(sum.pairs - before.pairs, 2);
		squares.triples += pow(sum.triples - before.triples, 2);
		squares.worst += pow(sum.worst - before.worst, 2);
		squares.propensity += pow(sum.propensity - before.propensity, 2);
		squares.coefficients += pow(sum.coefficients - before.coefficients, 2);
		forget(&memory);
	}
	for (uint32_t i = 0; i < t->m; i++)
		free(made[i]);
	printf("%s %g %.5f %.5f %.2f %.2f %.4f %.3f %.4f %.5f %.3f %.4f %.4f %.6f %.6f\n", name, epsilon, sum.pairs / fits, sum.triples / fits, fitting / fits, drawing / fits,
		   sum.worst / fits, sum.propensity / fits, sum.coefficients / fits, t->target < t->m ? sum.with_target / fits : NAN,
		   error_of_mean(sum.propensity, squares.propensity, fits), error_of_mean(sum.worst, squares.worst, fits),
		   error_of_mean(sum.coefficients, squares.coefficients, fits), error_of_mean(sum.pairs, squares.pairs, fits), error_of_mean(sum.triples, squares.triples, fits));
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("TABLES");
	const char *csv = getenv("CSV") && *getenv("CSV") ? getenv("CSV") : NULL;
	char	   *names = strdup(wanted ? wanted : "narrow,binary,mixed,classes,wide,functions,network,few,large,million");
	static table t;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
	{
		if (!make_table(&t, name))
		{
			fprintf(stderr, "no table \"%s\"\n", name);
			return 1;
		}
		find_target(&t);
		for (int e = 2; e < argc; e++)
			measure(name, &t, atof(argv[e]), atoi(argv[1]));
		for (uint32_t i = 0; i < t.m; i++)
			free(t.code[i]);
	}
	if (csv)
	{
		read_table(&t, csv);
		find_target(&t);
		for (int e = 2; e < argc; e++)
			measure("csv", &t, atof(argv[e]), atoi(argv[1]));
	}
	free(names);
	return 0;
}
