/*
 * families.c
 *	  How close related tables are to their original, across the keys: pegs_utility_schema_of.
 *
 * Not private: every number is computed from the confidential rows, without
 * noise. Curators only; nothing is charged and nothing is stored. Beside each
 * stands what units of the original would show that are drawn again: another
 * sample of as many, without any privacy.
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/compare/families.h"

static const char *const kinship_name[PEGS_KINSHIPS] = {
	[PEGS_TV1] = "tv1", [PEGS_TV2] = "tv2", [PEGS_CHILDREN_TV] = "children_tv", [PEGS_COUNT_CHILD_TV2] = "count_child_tv2",
	[PEGS_CROSS_TV2] = "cross_tv2", [PEGS_BELOW_TV2] = "below_tv2", [PEGS_BRANCH_TV2] = "branch_tv2", [PEGS_SIBLING_TV2] = "sibling_tv2",
	[PEGS_SIBLING_AGREEMENT] = "sibling_agreement", [PEGS_SIBLING_AGREEMENT_REAL] = "sibling_agreement_real",
	[PEGS_ROWS_ORIGINAL] = "rows_original", [PEGS_ROWS_SYNTHETIC] = "rows_synthetic"
};

/* ---- rows ---- */

static uint32
add_row(pegs_families *families, uint32 table, uint32 parent, const uint16_t *codes)
{
	uint32		number = pegs_families_add(families, table, parent, codes);

	if (number == PEGS_NO_FAMILY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the tables have too many rows to be measured"),
				 errhint("Make a release of fewer rows, and compare tables of it with a part of the rows: pegs_utility(original, synthetic).")));
	return number;
}

typedef struct Original
{
	pegs_families *families;
	uint32	   *before;			/* [tables] rows of units before this one */
} Original;

static void
begin_unit(void *arg, const uint16_t *codes, uint64 tie)
{
	Original   *original = arg;

	(void) tie;
	for (uint32 t = 0; t < original->families->relations->ntables; t++)
		original->before[t] = original->families->table[t].n;
	(void) add_row(original->families, 0, 0, codes);
}

static uint32
add_original(void *arg, int table, uint32 parent, const uint16_t *codes, uint64 tie)
{
	Original   *original = arg;
	const pegs_relations *relations = original->families->relations;

	(void) tie;
	return add_row(original->families, (uint32) table, original->before[relations->table[table].parent] + parent, codes) - original->before[table];
}

static void
end_unit(void *arg)
{
	(void) arg;
}

static pegs_families *
families_of_original(const PegsRelatives *relatives, const pegs_env *env)
{
	const PegsRelated *related = relatives->related;
	Original	original = {pegs_families_new(env, &related->relations), palloc0(sizeof(uint32) * related->n)};
	PegsUnits	to = {&original, begin_unit, add_original, end_unit, true};

	for (int t = 0; t < related->n; t++)
		for (int c = 0; c < related->member[t].spec->domain->ncols; c++)
			(void) pegs_checked_levels(&related->member[t].spec->domain->column[c]);
	pegs_read_units(relatives, env, &to, NULL);
	pegs_families_end(original.families);
	return original.families;
}

static void
put_block(void *arg, const pegs_relations *relations, const pegs_block *block)
{
	pegs_families *families = arg;
	uint32	   *before = palloc(sizeof(uint32) * relations->ntables);
	uint16_t   *codes = palloc0(sizeof(uint16_t) * (relations->ncols + 1));

	for (uint32 t = 0; t < relations->ntables; t++)
	{
		const pegs_block_table *table = &block->table[t];

		before[t] = families->table[t].n;
		for (uint32 i = 0; i < table->n; i++)
		{
			for (uint32 c = 0; c < relations->table[t].ncols; c++)
				codes[c] = table->codes[c][i];
			(void) add_row(families, t, t == 0 ? 0 : before[relations->table[t].parent] + table->parent[i], codes);
		}
		CHECK_FOR_INTERRUPTS();
	}
	pfree(before);
	pfree(codes);
}

/* Those that everybody gets who reads it. */
static pegs_families *
families_made(PegsModel *model, const PegsRelease *release, const pegs_env *env)
{
	pegs_families *families = pegs_families_new(env, &model->spec->related->relations);

	if (release)
		pegs_release_blocks(release, model, put_block, families);
	else
		pegs_member_blocks(&(PegsRequest) {.model = model, .n = pegs_model_rows(model)}, model->key, put_block, families);
	pegs_families_end(families);
	return families;
}

/* As many units as there are, each drawn among all: how often each. */
static const uint32 *
drawn_again(uint32 n)
{
	uint32	   *drawn = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;

	pegs_new_key(key);
	rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	explicit_bzero(key, sizeof(key));
	for (uint32 i = 0; i < n; i++)
		drawn[pegs_rng_below(rng, n)]++;
	return drawn;
}

/* ---- the answer ---- */

typedef struct Answer
{
	ReturnSetInfo *result;
	const PegsRelated *related;
} Answer;

static Datum
name_datum(const char *name)
{
	return DirectFunctionCall1(namein, CStringGetDatum(name));
}

/* "stay.ward, number of done"; NULL: of no columns */
static char *
columns_of(const PegsRelated *related, const pegs_farthest *farthest)
{
	char	   *words = NULL;

	for (int i = 0; i < 2 && farthest->table[i] >= 0; i++)
	{
		const PegsMember *member = &related->member[farthest->table[i]];
		char	   *one = farthest->column[i] < 0 ? psprintf("number of %s", member->name)
			: psprintf("%s.%s", member->name, member->spec->domain->column[farthest->column[i]].name);

		words = words ? psprintf("%s, %s", words, one) : one;
	}
	return words;
}

static void
put_kinship(void *arg, pegs_kinship kinship, int table, int column, double value, double resample, const pegs_farthest *farthest)
{
	const Answer *answer = arg;
	char	   *columns = columns_of(answer->related, farthest);
	Datum		values[7] = {0};
	bool		nulls[7] = {table < 0, false, column < 0, isnan(value), isnan(resample), columns == NULL, false};

	if (table >= 0)
		values[0] = name_datum(answer->related->member[table].name);
	values[1] = CStringGetTextDatum(kinship_name[kinship]);
	if (column >= 0)
		values[2] = name_datum(answer->related->member[table].spec->domain->column[column].name);
	values[3] = Float8GetDatum(value);
	values[4] = Float8GetDatum(resample);
	if (columns)
		values[5] = CStringGetTextDatum(columns);
	values[6] = CStringGetTextDatum("none");
	tuplestore_putvalues(answer->result->setResult, answer->result->setDesc, values, nulls);
}

/*
 * pegs_utility_schema_of(name text) → (table_name, measure, column_name, value, resample, farthest, guarantee): of a release or model of several
 * tables
 */
PG_FUNCTION_INFO_V1(pegs_utility_schema_of);
Datum
pegs_utility_schema_of(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsRelatives *relatives;
	pegs_families *original;
	pegs_families *made;
	Answer		answer;

	pegs_require_curator(model->account, "compare it with synthetic tables");
	if (model->spec->related == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is of one table", name),
				 errhint("SELECT * FROM pegs_utility_of(%s);", quote_literal_cstr(name))));
	relatives = pegs_relatives_as_fitted(model, "compare it with synthetic tables", false);
	answer = (Answer) {pegs_materialize(fcinfo, false), model->spec->related};
	original = families_of_original(relatives, &env);
	made = families_made(model, release, &env);
	pegs_compare_families(original, made, drawn_again(original->table[0].n), put_kinship, &answer);
	PG_RETURN_NULL();
}
