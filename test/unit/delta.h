/*
 * delta.h
 *	  Does a tiny delta make the noise of a fit smaller? As a fit asks before it says so.
 */
#ifndef PEGS_TEST_DELTA_H
#define PEGS_TEST_DELTA_H

#include "core/method.h"
#include "fixture.h"
#include "unit.h"

#define DELTA_COLUMNS 40

static inline double
noise_at(const pegs_method *method, const pegs_layout *layout, double epsilon, int64_t delta)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, (int64_t) (epsilon * PEGS_EPSILON_UNIT), delta, 1);
	return method->noise(&env, &accountant, layout);
}

/* Of columns of five levels, at epsilon 1. Whatever is compared, twice epsilon is less noise. */
static inline bool
delta_helps(const pegs_method *method, uint32_t ncols, const pegs_setting *settings)
{
	uint32_t	levels[DELTA_COLUMNS];
	pegs_layout layout = {.ncols = ncols, .levels = levels, .settings = settings};

	for (uint32_t i = 0; i < ncols; i++)
		levels[i] = 5;
	CHECK(noise_at(method, &layout, 2, 0) < noise_at(method, &layout, 1, 0));
	CHECK(noise_at(method, &layout, 2, INT64_C(1000000000)) < noise_at(method, &layout, 1, INT64_C(1000000000)));
	return noise_at(method, &layout, 1, INT64_C(1000000000)) < noise_at(method, &layout, 1, 0);
}

#endif							/* PEGS_TEST_DELTA_H */
