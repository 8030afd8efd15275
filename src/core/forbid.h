/*
 * forbid.h
 *	  Structural zeros: combinations of levels that no row may have.
 *
 * Public facts. A rule names up to three columns and, for each, the levels
 * that may not come together. Small and inline: it is asked for every level of
 * every cell that is visited.
 */
#ifndef PEGS_FORBID_H
#define PEGS_FORBID_H

#include "core.h"

#define PEGS_RULE_COLUMNS 3

typedef struct pegs_rule
{
	uint32_t	n;				/* columns, 1..3 */
	uint32_t	column[PEGS_RULE_COLUMNS];
	bool	   *level[PEGS_RULE_COLUMNS];	/* [levels of the column] */
} pegs_rule;

typedef struct pegs_rules
{
	uint32_t	n;
	const pegs_rule *rule;
} pegs_rules;

/* Does the row break a rule? */
static inline bool
pegs_forbidden(const pegs_rules *rules, const uint16_t *row)
{
	for (uint32_t r = 0; r < rules->n; r++)
	{
		const pegs_rule *rule = &rules->rule[r];
		uint32_t	hit = 0;

		while (hit < rule->n && rule->level[hit][row[rule->column[hit]]])
			hit++;
		if (hit == rule->n)
			return true;
	}
	return false;
}

/* Would it, with this level in this column? Rules without the column are not looked at. */
static inline bool
pegs_would_be_forbidden(const pegs_rules *rules, const uint16_t *row, uint32_t column, uint32_t level)
{
	for (uint32_t r = 0; r < rules->n; r++)
	{
		const pegs_rule *rule = &rules->rule[r];
		uint32_t	hit = 0;
		bool		mentioned = false;

		while (hit < rule->n)
		{
			bool		own = rule->column[hit] == column;

			mentioned |= own;
			if (!rule->level[hit][own ? level : row[rule->column[hit]]])
				break;
			hit++;
		}
		if (hit == rule->n && mentioned)
			return true;
	}
	return false;
}

#endif							/* PEGS_FORBID_H */
