/*
 * grouped.h
 *	  Classes of levels that are in declared groups: for the tests that fit by
 *	  them.
 */
#ifndef PEGS_TEST_GROUPED_H
#define PEGS_TEST_GROUPED_H

#include <stdbool.h>
#include <stdint.h>

/* A class with levels of two groups or more has at most one that is not whole. */
static inline bool
groups_are_whole(const uint16_t *class_of, const uint16_t *group, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	parts = 0;
		uint32_t	j = i;

		if (i > 0 && class_of[i] == class_of[i - 1])
			continue;
		while (j + 1 < n && class_of[j + 1] == class_of[i])
			j++;
		parts += i > 0 && group[i - 1] == group[i];
		parts += j + 1 < n && group[j + 1] == group[j];
		if (group[i] != group[j] && parts > 1)
			return false;
	}
	return true;
}

#endif							/* PEGS_TEST_GROUPED_H */
