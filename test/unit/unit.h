/*
 * unit.h
 *	  The harness of the core's unit tests: count, report, go on.
 *
 * A failed check prints where it stands and what it saw; the test goes on, so
 * that one run shows everything. It must never print on success more than its
 * last line, "NAME: N passed, N failed", which the Makefile adds up.
 */
#ifndef PEGS_UNIT_H
#define PEGS_UNIT_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static unsigned long unit_passed;
static unsigned long unit_failed;

/* Count one check; true if it held, so that a caller can say more when not. */
static inline bool
unit_check(bool held, const char *what, const char *file, int line)
{
	if (held)
		unit_passed++;
	else
	{
		unit_failed++;
		printf("%s:%d: failed: %s\n", file, line, what);
	}
	return held;
}

#define CHECK(condition) \
	unit_check((condition), #condition, __FILE__, __LINE__)

/* Two integers of at most 64 bits, signed or unsigned, and their values if they differ. */
#define CHECK_INT(actual, expected) \
	do { \
		int64_t		unit_a = (int64_t) (actual); \
		int64_t		unit_e = (int64_t) (expected); \
		if (!unit_check(unit_a == unit_e, #actual " == " #expected, __FILE__, __LINE__)) \
			printf("  saw %" PRId64 ", expected %" PRId64 "\n", unit_a, unit_e); \
	} while (0)

/* Two doubles, equal to within a part `relative` of the expected one. */
#define CHECK_NEAR(actual, expected, relative) \
	do { \
		double		unit_a = (actual); \
		double		unit_e = (expected); \
		if (!unit_check(fabs(unit_a - unit_e) <= (relative) * fabs(unit_e), \
						#actual " ~ " #expected, __FILE__, __LINE__)) \
			printf("  saw %.17g, expected %.17g\n", unit_a, unit_e); \
	} while (0)

/* The last statement of main. */
static inline int
unit_done(const char *name)
{
	printf("%s: %lu passed, %lu failed\n", name, unit_passed, unit_failed);
	return unit_failed == 0 ? 0 : 1;
}

#endif							/* PEGS_UNIT_H */
