/*
 * anonymity.c
 *	  How well rows hide among each other: k, and l and t of a sensitive column.
 */
#include "core/compare/anonymity.h"

#include <string.h>

#define BETWEEN (1 << 12)

void
pegs_level_shares(const pegs_tuples *tuples, const uint32_t *of, const bool *keep, double *share)
{
	uint64_t	rows = 0;

	memset(share, 0, sizeof(double) * tuples->nlevels);
	for (uint32_t i = 0; i < tuples->n; i++)
		if (!keep || keep[of[i]])
		{
			share[tuples->level[i]] += tuples->times[i];
			rows += tuples->times[i];
		}
	for (uint32_t v = 0; v < tuples->nlevels && rows > 0; v++)
		share[v] /= (double) rows;
}

void
pegs_class_rows(const pegs_tuples *tuples, const uint32_t *of, uint64_t *rows)
{
	for (uint32_t i = 0; i < tuples->n; i++)
		rows[of[i]] += tuples->times[i];
}

/* Tuples come level by level: where a class meets another level, the one before is whole. */
void
pegs_diversity_of(const pegs_env *env, const pegs_tuples *tuples, const uint32_t *of, uint32_t nclasses,
				  const uint64_t *rows, const double *share, pegs_level_at *scratch, pegs_diversity *diversity)
{
	for (uint32_t c = 0; c < nclasses; c++)
	{
		diversity[c] = PEGS_NO_DIVERSITY;
		scratch[c] = (pegs_level_at) {0, 0};
	}
	for (uint32_t i = 0; i < tuples->n; i++)
	{
		uint32_t	tuple = tuples->by_level[i];
		uint32_t	c = of[tuple];

		if (i % BETWEEN == 0)
			env->check(env->context);
		if (scratch[c].level != tuples->level[tuple])
		{
			if (scratch[c].rows > 0)
				pegs_add_level(&diversity[c], scratch[c].rows, rows[c], share[scratch[c].level]);
			scratch[c] = (pegs_level_at) {tuples->level[tuple], 0};
		}
		scratch[c].rows += tuples->times[tuple];
	}
	for (uint32_t c = 0; c < nclasses; c++)
		if (scratch[c].rows > 0)
			pegs_add_level(&diversity[c], scratch[c].rows, rows[c], share[scratch[c].level]);
}

/* All rows that are not kept, as one class among all rows. */
static bool
rest_meets(const pegs_env *env, const pegs_tuples *tuples, const uint32_t *of, const pegs_criteria *criteria,
		   const bool *keep, const double *share)
{
	pegs_diversity diversity = PEGS_NO_DIVERSITY;
	uint64_t	rows = 0;
	uint64_t   *level;

	for (uint32_t i = 0; i < tuples->n; i++)
		rows += keep[of[i]] ? 0 : tuples->times[i];
	if (rows < criteria->k || !pegs_asks_diversity(criteria))
		return rows >= criteria->k;
	level = env->alloc(env->context, sizeof(uint64_t) * (tuples->nlevels + 1));
	for (uint32_t i = 0; i < tuples->n; i++)
		level[tuples->level[i]] += keep[of[i]] ? 0 : tuples->times[i];
	for (uint32_t v = 0; v < tuples->nlevels; v++)
		if (level[v] > 0)
			pegs_add_level(&diversity, level[v], rows, share[v]);
	pegs_env_free(env, level);
	return pegs_is_diverse(criteria, &diversity);
}

/* Those that fail are kept no longer; true: there was one. */
static bool
drop_failing(uint32_t nclasses, const pegs_criteria *criteria, const uint64_t *rows, const pegs_diversity *diversity, bool *keep)
{
	bool		dropped = false;

	for (uint32_t c = 0; c < nclasses; c++)
		if (keep[c] && (rows[c] < criteria->k || (diversity && !pegs_is_diverse(criteria, &diversity[c]))))
		{
			keep[c] = false;
			dropped = true;
		}
	return dropped;
}

void
pegs_keep_classes(const pegs_env *env, const pegs_tuples *tuples, const uint32_t *of, uint32_t nclasses,
				  const pegs_criteria *criteria, bool *keep, bool *rest_too)
{
	bool		diverse = pegs_asks_diversity(criteria);
	uint64_t   *rows = env->alloc(env->context, sizeof(uint64_t) * (nclasses + 1));
	double	   *all = env->alloc(env->context, sizeof(double) * (tuples->nlevels + 1));
	double	   *kept = env->alloc(env->context, sizeof(double) * (tuples->nlevels + 1));
	pegs_level_at *scratch = env->alloc(env->context, sizeof(pegs_level_at) * (nclasses + 1));
	pegs_diversity *diversity = diverse ? env->alloc(env->context, sizeof(pegs_diversity) * (nclasses + 1)) : NULL;
	bool		again;

	pegs_class_rows(tuples, of, rows);
	memset(keep, true, nclasses);
	if (diverse)
	{
		pegs_level_shares(tuples, of, NULL, all);
		pegs_diversity_of(env, tuples, of, nclasses, rows, all, scratch, diversity);
	}
	(void) drop_failing(nclasses, criteria, rows, diversity, keep);
	do
	{
		env->check(env->context);
		again = false;
		*rest_too = rest_meets(env, tuples, of, criteria, keep, all);
		/* left out, they are no part of what the others are compared with */
		if (!*rest_too && diverse && criteria->t < 1)
		{
			pegs_level_shares(tuples, of, keep, kept);
			pegs_diversity_of(env, tuples, of, nclasses, rows, kept, scratch, diversity);
			again = drop_failing(nclasses, criteria, rows, diversity, keep);
		}
	} while (again);
	pegs_env_free(env, rows);
	pegs_env_free(env, all);
	pegs_env_free(env, kept);
	pegs_env_free(env, scratch);
	if (diverse)
		pegs_env_free(env, diversity);
}
