/*
 * width.c
 *	  What a fit of many columns costs: CPU seconds of counting and of the fit,
 *	  and the most memory. Needs the core alone (bench/width).
 *
 *	  width COLUMNS ROWS [LEVELS [EPSILON [DELTA [later|counted]]]]
 *
 * later: pairs are counted when they are looked at, as they are where they are
 * too many. The fit is the same. counted: that is all, without a fit, of pairs alone.
 *
 * Columns hang together in groups of ten: six rows in ten follow a common value,
 * as in wide.sql. Prints a checksum of what was fitted, too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/crc.h"
#include "core/graph/engine.h"
#include "core/kept.h"
#include "world.h"

/* Blocks are given back when they are freed, as the server does it. */
static void *
take(void *context, size_t bytes)
{
	(void) context;
	return calloc(1, bytes > 0 ? bytes : 1);
}

static void
give_back(void *context, void *block)
{
	(void) context;
	free(block);
}

static void
ask(void *context)
{
	(void) context;
}

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static long
peak_mb(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_maxrss / 1024;
}

static uint32_t
checksum(const pegs_fitted *model)
{
	uint32_t	crc = 1;

	for (uint32_t i = 0; i < model->ncols; i++)
		crc = crc * 31 + pegs_crc32c(NULL, (const uint8_t *) model->share[i], sizeof(double) * model->levels[i]);
	for (uint32_t p = 0; p < model->npairs; p++)
		crc = crc * 31 + pegs_crc32c(NULL, (const uint8_t *) model->pair[p].share, sizeof(double) * model->pair[p].k[0] * model->pair[p].k[1]);
	return crc;
}

int
main(int argc, char **argv)
{
	const pegs_env env = {.alloc = take, .free = give_back, .check = ask};
	uint32_t	m = argc > 1 ? (uint32_t) atoi(argv[1]) : 400;
	uint32_t	n = argc > 2 ? (uint32_t) atoi(argv[2]) : 20000;
	uint32_t	k = argc > 3 ? (uint32_t) atoi(argv[3]) : 10;
	double		epsilon = argc > 4 ? atof(argv[4]) : 1;
	double		delta = argc > 5 ? atof(argv[5]) : 1e-9;
	uint32_t   *levels = malloc(sizeof(uint32_t) * m);
	uint16_t  **codes = malloc(sizeof(uint16_t *) * m);
	uint16_t  **at = malloc(sizeof(uint16_t *) * m);
	uint16_t   *common = malloc(sizeof(uint16_t) * n * (m / 10 + 1));
	uint8_t		key[PEGS_KEY_BYTES] = {1};
	pegs_rng	rng;
	pegs_layout layout;
	pegs_accountant accountant;
	pegs_fitted model;
	uint64_t   *cells;
	double		before;
	bool		later = argc > 6 && strcmp(argv[6], "later") == 0;
	pegs_kept  *kept = NULL;

	begin_tables(1);
	for (uint32_t i = 0; i < n * (m / 10 + 1); i++)
		common[i] = (uint16_t) (uniform() * k);
	for (uint32_t c = 0; c < m; c++)
	{
		levels[c] = k;
		codes[c] = malloc(sizeof(uint16_t) * n);
		for (uint32_t r = 0; r < n; r++)
			codes[c][r] = uniform() < 0.6 ? (uint16_t) ((common[(size_t) (c / 10) * n + r] + c) % k) : (uint16_t) (uniform() * k);
	}
	printf("%u columns of %u levels, %u rows: %ld MB before\n", m, k, n, peak_mb());
	before = cpu();
	if (later || pegs_layout_pairs(&env, m, levels, &layout, NULL) != PEGS_OK)
	{
		pegs_layout_later(&env, m, levels, &layout);
		layout.kept = kept = pegs_kept_new(&env, m, levels);
	}
	if (argc <= 6 || later)
		pegs_layout_add_triples(&env, &layout);
	cells = take(NULL, sizeof(uint64_t) * layout.ncells);
	for (uint32_t r = 0; r < n; r += PEGS_CHUNK)
	{
		for (uint32_t c = 0; c < m; c++)
			at[c] = codes[c] + r;
		pegs_count_chunk(&layout, cells, at, n - r < PEGS_CHUNK ? n - r : PEGS_CHUNK);
		if (kept)
			pegs_kept_add(kept, at, NULL, n - r < PEGS_CHUNK ? n - r : PEGS_CHUNK);
	}
	printf("counted: %.2f CPU s, %ld MB\n", cpu() - before, peak_mb());
	if (argc > 6 && !later)
		return 0;
	before = cpu();
	pegs_rng_init(&rng, key, 1);
	pegs_accountant_init(&accountant, (int64_t) llround(epsilon * PEGS_EPSILON_UNIT), (int64_t) llround(delta * (double) PEGS_DELTA_UNIT), 1);
	pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &model);
	printf("fitted: %.2f CPU s, %ld MB; %u pairs, checksum %08x\n", cpu() - before, peak_mb(), model.npairs, checksum(&model));
	return 0;
}
