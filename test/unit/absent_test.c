/*
 * absent_test.c
 *	  What is known without a look: a count and the columns that it speaks of
 *	  say the same, in shares and in the tree, however much noise there is.
 */
#include "core/schema/schema.h"

#include <string.h>

#define STREAM_SALT [5] = 39
#include "fixture.h"
#include "schemas.h"
#include "schema_world.h"
#include "unit.h"

static double
says_absent(const pegs_relations *r, const pegs_fitted *model, uint32_t column)
{
	const pegs_absence *a = &r->absence[column];
	double		sum = 0;

	for (uint32_t l = 0; l < r->levels[a->says]; l++)
		sum += l < 1 || l >= a->limit ? model->share[a->says][l] : 0;
	return sum;
}

/* The tree's tables of a count and a column of its rows: nothing where they contradict each other. */
static void
test_tree(void)
{
	pegs_relations r = world_relations();

	for (uint8_t turn = 0; turn < 6; turn++)
	{
		pegs_fitted model;
		double	  **pairs = env.alloc(env.context, sizeof(double *) * r.ncols * r.ncols);

		start(turn);
		model = world_model(&r, turn % 2 ? 60 : 2000, turn < 4 ? INT64_C(1000000000) : INT64_C(10000000), false);
		pegs_jtree_pairs(&env, &model.tree, pairs);
		for (uint32_t i = 0; i < r.ncols; i++)
		{
			const pegs_absence *a = &r.absence[i];
			uint32_t	says = a->says;
			double		wrong = 0;
			double		sum = 0;

			for (uint32_t l = 0; l < r.levels[i]; l++)
				sum += model.share[i][l];
			CHECK_NEAR(sum, 1, 1e-9);
			if (a->level < 0)
				continue;
			CHECK_NEAR(model.share[i][a->level], says_absent(&r, &model, i), 1e-6);
			/* a class is absent, or it is not */
			CHECK(model.class_of[i][a->level] != model.class_of[i][0]);
			for (uint32_t l = 0; l < r.levels[i]; l++)
				for (uint32_t k = 0; k < r.levels[says]; k++)
				{
					bool		contrary = ((int32_t) l == a->level) != (k < 1 || k >= a->limit);
					uint32_t	x = model.class_of[i][l];
					uint32_t	y = model.class_of[says][k];

					if (contrary)
						wrong = fmax(wrong, says < i ? pairs[says * r.ncols + i][y * model.tree.classes[i] + x]
									 : pairs[i * r.ncols + says][x * model.tree.classes[says] + y]);
				}
			CHECK(wrong < 1e-9);
		}
	}
	arena_free(&memory);
}

int
main(void)
{
	test_tree();
	return unit_done("absent_test");
}
