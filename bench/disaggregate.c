/*
 * disaggregate.c
 *	  How far guesses from averages are off: Park's simulation, generated hospital charges; and how long they take.
 *
 * Usage: disaggregate REPETITIONS ROWS: a line of Markdown for each setting; then CPU of er, calibrate and ludia over that of the mean, of ROWS x 10.
 */
#include "core/disaggregate/cudia.h"
#include "core/disaggregate/er.h"
#include "core/disaggregate/ludia.h"
#include "core/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 501

static pegs_rng rng;

static void *
alloc(void *context, size_t bytes)
{
	return calloc(1, bytes > 0 ? bytes : 1);
}

static void
check(void *context)
{
}

static void
give_back(void *context, void *memory)
{
	free(memory);
}

static const pegs_env env = {.alloc = alloc, .check = check, .free = give_back};

static double
normal(void)
{
	return sqrt(-2 * log(1 - pegs_rng_double(&rng))) * cos(2 * M_PI * pegs_rng_double(&rng));
}

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

typedef struct world
{
	uint64_t	n;
	uint32_t	m, p;
	double	   *x, *y, *guess;
	uint32_t   *of;
	pegs_averages level;
	pegs_individuals all;
} world;

static world
new_world(uint64_t n, uint32_t m, uint32_t p)
{
	world		w = {.n = n, .m = m, .p = p};

	w.x = calloc(n * m, sizeof(double));
	w.y = calloc(n, sizeof(double));
	w.guess = calloc(n, sizeof(double));
	w.of = calloc(n, sizeof(uint32_t));
	return w;
}

/* Groups without anybody go. */
static void
prepare(world *w)
{
	uint32_t   *number = calloc(w->p, sizeof(uint32_t));
	double	   *sum = calloc(w->p, sizeof(double));
	double	   *size = calloc(w->p, sizeof(double));
	uint32_t	p = 0;

	for (uint64_t i = 0; i < w->n; i++)
	{
		if (number[w->of[i]] == 0)
			number[w->of[i]] = ++p;
		w->of[i] = number[w->of[i]] - 1;
		sum[w->of[i]] += w->y[i];
		size[w->of[i]]++;
	}
	for (uint32_t g = 0; g < p; g++)
		sum[g] /= size[g];
	w->level = (pegs_averages) {.n = p, .of = w->of, .average = sum};
	w->all = (pegs_individuals) {.rows = w->n, .m = w->m, .x = w->x, .nlevels = 1, .level = &w->level};
	if (pegs_individuals_prepare(&env, &w->all) != PEGS_OK)
		exit(2);
}

static double
error_of(const world *w)
{
	double		sum = 0;

	for (uint64_t i = 0; i < w->n; i++)
		sum += fabs(w->guess[i] - w->y[i]);
	return sum / (double) w->n;
}

enum {MEAN, ER, RAW, LUDIA, CUDIA, WAYS};

static double
guess(world *w, int way)
{
	pegs_ridge	ridge = {.lambda = way == RAW ? 0 : NAN};
	pegs_ludia	ludia = {.tolerance = 1e-8};
	pegs_status status = PEGS_OK;

	if (way == MEAN)
		(void) pegs_spread_average(&env, &w->all, w->guess);
	else if (way == LUDIA)
		status = pegs_spread_ludia(&env, &w->all, &ludia, w->guess);
	else if (way == CUDIA)
		status = pegs_spread_cudia(&env, &w->all, 3, w->guess);
	else
		status = pegs_spread_er(&env, &w->all, way == ER, &ridge, w->guess);
	if (status != PEGS_OK)
		exit(2);
	if (way != RAW)
		(void) pegs_calibrate(&env, &w->all, w->guess);
	return error_of(w);
}

static void
forget(world *w)
{
	free(w->x);
	free(w->y);
	free(w->guess);
	free(w->of);
}

static world
simulated(int kind, uint32_t per_group)
{
	uint32_t	n = 5 * per_group;
	world		w = new_world(n, kind == 0 ? 4 : 2, 5);
	double		v[5][2], b[2] = {normal(), normal()}, c = normal(), effect[5], slope[5][2];

	for (int g = 0; g < 5; g++)
	{
		effect[g] = normal() * 0.2;
		for (int j = 0; j < 2; j++)
		{
			v[g][j] = normal();
			slope[g][j] = normal() * 0.2;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		w.of[i] = i % 5;
	for (uint32_t i = n; i-- > 1;)
	{
		uint32_t	k = (uint32_t) pegs_rng_below(&rng, i + 1), t = w.of[i];

		w.of[i] = w.of[k];
		w.of[k] = t;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		double		u[2] = {normal(), normal()};

		if (kind == 0)
		{
			for (int j = 0; j < 4; j++)
				w.x[i * 4 + j] = u[0] * v[j][0] + u[1] * v[j][1] + 0.4 * normal();
			w.y[i] = u[0] * v[4][0] + u[1] * v[4][1] + 0.4 * normal();
			continue;
		}
		memcpy(w.x + 2 * i, u, sizeof(u));
		w.y[i] = c + u[0] * b[0] + u[1] * b[1] + 0.2 * normal();
		if (kind == 2)
			w.y[i] += effect[w.of[i]];
		if (kind == 3)
			w.y[i] += u[0] * slope[w.of[i]][0] + u[1] * slope[w.of[i]][1];
	}
	prepare(&w);
	return w;
}

static uint32_t
poisson(double mean)
{
	double		limit = exp(-mean), product = 1;
	uint32_t	k = 0;

	while ((product *= pegs_rng_double(&rng)) > limit)
		k++;
	return k;
}

/* 8,000 stays: 15 counties, 60 hospitals, 300 ZIPs */
static world
hospital(uint8_t seed, int by)
{
	uint8_t		key[PEGS_KEY_BYTES] = {seed, 7};
	static const double unit_rate[] = {.3, .1, .05}, race_rate[] = {.4, .2};
	world		w = new_world(8000, 6, by == 0 ? 15 : by == 1 ? 60 : 300);
	uint32_t	county_of[300];
	double		effect[60], unit[60][3], race[300][2], long_stay[15];

	pegs_rng_init(&rng, key, 0);
	for (int z = 0; z < 300; z++)
	{
		county_of[z] = (uint32_t) pegs_rng_below(&rng, 15);
		for (int j = 0; j < 2; j++)
			race[z][j] = race_rate[j] * fmin(exp(normal() * .7), 2);
	}
	for (int c = 0; c < 15; c++)
		long_stay[c] = normal() * .2;
	for (int h = 0; h < 60; h++)
	{
		effect[h] = normal() * .45;
		for (int j = 0; j < 3; j++)
			unit[h][j] = unit_rate[j] * fmin(exp(normal() * .6), 3);
	}
	for (uint32_t i = 0; i < 8000; i++)
	{
		double	   *x = w.x + 6 * i;
		uint32_t	zip = (uint32_t) pegs_rng_below(&rng, 300), county = county_of[zip];
		uint32_t	h = pegs_rng_double(&rng) < .8 ? county + 15 * (uint32_t) pegs_rng_below(&rng, 4) : (uint32_t) pegs_rng_below(&rng, 60);

		for (int j = 0; j < 3; j++)
			x[1 + j] = pegs_rng_double(&rng) < unit[h][j];
		for (int j = 0; j < 2; j++)
			x[4 + j] = pegs_rng_double(&rng) < race[zip][j];
		x[0] = log(1 + poisson(exp(.1 + .5 * x[1] + 1.5 * x[2] + long_stay[county])));
		w.y[i] = log(1500) + effect[h] + .8 * x[0] + .2 * x[1] + .8 * x[2] + 1.2 * x[3] + .25 * normal();
		w.of[i] = by == 0 ? county : by == 1 ? h : zip;
	}
	prepare(&w);
	return w;
}

static int
ascending(const void *a, const void *b)
{
	double		x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	static const char *const kinds[] = {"LR", "FE", "RE1", "RE2"}, *const by[] = {"county", "hospital", "ZIP"};
	static const uint32_t sizes[] = {20, 100, 500};
	int			repetitions = argc > 1 ? atoi(argv[1]) : 60;
	uint64_t	rows = argc > 2 ? (uint64_t) atoll(argv[2]) : 1000000;
	uint8_t		key[PEGS_KEY_BYTES] = {1};
	double		time[4], begin;
	world		w;

	if (repetitions < 1 || repetitions >= MOST)
		return 2;
	pegs_rng_init(&rng, key, 0);
	for (int kind = 0; kind < 4; kind++)
		for (int s = 0; s < 3; s++)
		{
			static double error[WAYS][MOST];

			for (int r = 0; r < repetitions; r++)
			{
				w = simulated(kind, sizes[s]);
				for (int way = 0; way <= LUDIA; way++)
					error[way][r] = guess(&w, way);
				forget(&w);
			}
			printf("%s %u", kinds[kind], sizes[s]);
			for (int way = 0; way <= LUDIA; way++)
			{
				qsort(error[way], (size_t) repetitions, sizeof(double), ascending);
				printf("\t%.2f", error[way][repetitions / 2]);
			}
			printf("\t\n");
		}
	for (int level = 0; level < 3; level++)
		for (uint8_t seed = 0; seed < 3; seed++)
		{
			w = hospital(seed, level);
			printf("%s, seed %d", by[level], seed);
			for (int way = 0; way < WAYS; way++)
				printf("\t%.2f", guess(&w, way));
			printf("\n");
			forget(&w);
		}
	w = new_world(rows, 10, 1000);
	for (uint64_t i = 0; i < rows; i++)
	{
		w.of[i] = (uint32_t) pegs_rng_below(&rng, 1000);
		for (int j = 0; j < 10; j++)
			w.y[i] += w.x[i * 10 + (uint64_t) j] = pegs_rng_double(&rng) + w.of[i] % 10;
	}
	prepare(&w);
	for (int way = 0; way < 4; way++)
	{
		static const int which[] = {MEAN, ER, LUDIA};

		begin = cpu();
		if (way < 3)
		{
			pegs_ridge	ridge = {.lambda = NAN};
			pegs_ludia	ludia = {.tolerance = 1e-8};

			if (which[way] == MEAN)
				(void) pegs_spread_average(&env, &w.all, w.guess);
			else if (which[way] == ER)
				(void) pegs_spread_er(&env, &w.all, true, &ridge, w.guess);
			else
				(void) pegs_spread_ludia(&env, &w.all, &ludia, w.guess);
		}
		else
			(void) pegs_calibrate(&env, &w.all, w.guess);
		time[way] = cpu() - begin;
	}
	fprintf(stderr, "%llu x 10, CPU seconds: mean %.3f, er %.3f, ludia %.3f, calibrate %.3f\n", (unsigned long long) rows, time[0], time[1], time[2], time[3]);
	printf("CPU over that of the mean: er, ludia, calibrate\t%.1f\t%.1f\t%.1f\n", time[1] / time[0], time[2] / time[0], time[3] / time[0]);
	return 0;
}
