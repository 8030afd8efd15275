/*
 * signal_test.c
 *	  What is kept of many estimates: less error than by each alone, none of what
 *	  stands out lost, nothing of noise.
 */
#include "core/graph/state.h"

#include <math.h>

#define STREAM_SALT [4] = 67
#include "fixture.h"
#include "unit.h"

#define MANY 400

typedef struct scene
{
	pegs_estimate e[MANY];
	double		truth[MANY][4];
	double		seen[MANY][4];
} scene;

/* Every `each`th is of this size, others of `rest`; in one to four numbers, with noise of one of two variances; a third of all are `wide` times the variance of the others, as is usual. */
static void
make(scene *s, uint32_t each, double size, double rest, double wide)
{
	for (uint32_t i = 0; i < MANY; i++)
	{
		uint32_t	free = 1 + i % 4;

		s->e[i] = (pegs_estimate) {.free = free, .variance = i % 2 ? 1 : 4, .scale = i % 3 ? 1 : wide};
		for (uint32_t j = 0; j < free; j++)
		{
			s->truth[i][j] = any_normal() * (i % each == 0 ? size : rest) * sqrt(s->e[i].scale);
			s->seen[i][j] = s->truth[i][j] + any_normal() * sqrt(s->e[i].variance);
			s->e[i].squares += s->seen[i][j] * s->seen[i][j];
		}
	}
}

/* Mean square error of the part kept, and in alone[] of all, and of what James and Stein keep of each alone. */
static double
error(const scene *s, double *alone)
{
	double		sum = 0;

	alone[0] = alone[1] = 0;
	for (uint32_t i = 0; i < MANY; i++)
	{
		double		keep = fmax(0, 1 - s->e[i].free * s->e[i].variance / s->e[i].squares);

		for (uint32_t j = 0; j < s->e[i].free; j++)
		{
			sum += pow(s->e[i].keep * s->seen[i][j] - s->truth[i][j], 2);
			alone[0] += pow(s->seen[i][j] - s->truth[i][j], 2);
			alone[1] += pow(keep * s->seen[i][j] - s->truth[i][j], 2);
		}
	}
	return sum;
}

static void
test_together(void)
{
	static scene s;
	double		alone[2];
	double		worst = 0;

	/* noise alone */
	make(&s, 1, 0, 0, 1);
	pegs_keep_signal(&env, MANY, s.e);
	CHECK(error(&s, alone) < 0.02 * alone[0]);
	/* all alike: the best there is, of signal and noise as large as each other, is a half, and a fifth where noise is four times that; of what is nine times as large, more */
	make(&s, 1, 1, 1, 9);
	pegs_keep_signal(&env, MANY, s.e);
	for (uint32_t i = 0; i < MANY; i++)
		worst = fmax(worst, fabs(s.e[i].keep - s.e[i].scale / (s.e[i].scale + s.e[i].variance)));
	CHECK(worst < 0.2);
	CHECK(error(&s, alone) < 0.46 * alone[0] && error(&s, alone) < 0.9 * alone[1]);	/* 0.42: v scale / (v + scale), of all */
	/* few that stand out stay, and the others go */
	make(&s, 50, 30, 0, 1);
	s.truth[0][0] = s.seen[0][0] = 100;
	s.e[0].squares = 10000;
	pegs_keep_signal(&env, MANY, s.e);
	CHECK(s.e[0].keep > 0.99);
	CHECK(error(&s, alone) < 0.1 * alone[0] && error(&s, alone) < 0.4 * alone[1]);
	/* nothing is taken from what is far above its noise */
	make(&s, 1, 100, 100, 1);
	pegs_keep_signal(&env, MANY, s.e);
	CHECK(error(&s, alone) < 1.01 * alone[0]);
	arena_free(&memory);
}

/* Of none, of one, of nothing, of noise without end: numbers between 0 and 1. */
static void
test_odd(void)
{
	pegs_estimate e[3] = {{.free = 1, .variance = 1e30, .scale = 1}, {.free = 1e6, .variance = 1e-12, .scale = 1e9, .squares = 1e20}, {.free = 1, .variance = 1e-12, .scale = 1e-9}};

	pegs_keep_signal(&env, 0, e);
	e[0].free = 0;				/* of a column of one level: says nothing, and spoils nothing */
	e[0].scale = INFINITY;
	pegs_keep_signal(&env, 3, e);
	for (int i = 0; i < 3; i++)
		CHECK(e[i].keep >= 0 && e[i].keep <= 1);
	CHECK(e[1].keep > 0.99 && e[0].keep == 0);
	e[0] = (pegs_estimate) {.free = 6, .variance = 1000, .scale = 7, .squares = 96};
	pegs_keep_signal(&env, 1, e);
	CHECK(e[0].keep >= 0 && e[0].keep < 0.02);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_together();
	test_odd();
	return unit_done("signal_test");
}
