/*
 * keys.c
 *	  Keys with their hierarchies, as the core takes them.
 */
#include "generalize/generalize.h"
#include "budget/budget.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/crc.h"

static pegs_key
key_of(const PegsHierarchy *hierarchy, const PegsColumn *column)
{
	pegs_key_step *step = palloc(sizeof(pegs_key_step) * hierarchy->nsteps);

	for (int s = 0; s < hierarchy->nsteps; s++)
	{
		const PegsStep *from = &hierarchy->steps[s];
		uint32	   *size = palloc(sizeof(uint32) * (from->ngroups + 1));

		for (int g = 0; g < from->ngroups; g++)
			size[g] = (uint32) from->size[g];
		step[s] = (pegs_key_step) {(uint32) from->ngroups, from->group, size};
	}
	return (pegs_key) {
		.levels = (uint32) pegs_column_levels(column),
		.nsteps = (uint32) hierarchy->nsteps,
		.step = step,
		.last = (uint32) hierarchy->nsteps - 1,
		.weight = 1,
		.ranged = column->nedges > 0 && column->npoints == 0,
		.null_last = column->nullable
	};
}

PegsGeneral *
pegs_general(PegsSource *source, List *keys, char *sensitive)
{
	PegsGeneral *general = palloc0(sizeof(PegsGeneral));
	List	   *names = list_copy(keys);

	general->source = source;
	general->sensitive = PEGS_NO_LEVEL;
	general->criteria = (pegs_criteria) {1, 1, 1};
	if (sensitive)
		names = lappend(names, sensitive);
	if (source->chosen_by == NULL)
		source->chosen_by = "keys";
	source->apart = sensitive;
	general->all = pegs_domain_of(source);
	general->domain = pegs_domain_choose(general->all, source, names);
	if (pegs_physical(general->domain) != general->domain)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("columns that are modelled by parts or by differences cannot be generalised"),
				 errhint("Name other columns: keys => %s", pegs_columns_example(general->all, 2))));
	general->nkeys = (uint32) list_length(keys);
	if (sensitive)
		general->sensitive = general->nkeys;
	general->hierarchy = palloc(sizeof(PegsHierarchy *) * (general->nkeys + 1));
	general->key = palloc0(sizeof(pegs_key) * (general->nkeys + 1));
	general->step = palloc0(sizeof(uint32) * (general->nkeys + 1));
	for (uint32 j = 0; j < general->nkeys; j++)
	{
		general->hierarchy[j] = pegs_hierarchy_of(source, &general->domain->column[j]);
		general->key[j] = key_of(general->hierarchy[j], &general->domain->column[j]);
	}
	return general;
}

/* No key, and not what models leave out because it tells people apart: a number of rows or persons, or what its owner has left out. */
bool
pegs_general_shows(const PegsGeneral *general, Form_pg_attribute att)
{
	int			key = pegs_domain_find(general->domain, NameStr(att->attname));
	int			at = pegs_domain_find(general->all, NameStr(att->attname));
	const PegsColumn *column = at >= 0 ? &general->all->column[at] : NULL;

	if (att->attisdropped || (key >= 0 && key < (int) general->nkeys))
		return false;
	return key >= 0 || column == NULL || column->left_out == NULL || column->origin != NULL || column->derived != NULL;
}

char *
pegs_general_label(const PegsGeneral *general, uint32 j, const pegs_side *side)
{
	const PegsColumn *column = &general->domain->column[j];
	const PegsStep *step;

	if (side->step == PEGS_RANGE)
		return psprintf("[%s, %s%c", column->edges[side->low], column->edges[side->high + 1],
						side->high + 2 == column->nedges ? ']' : ')');
	step = &general->hierarchy[j]->steps[side->step];
	return step->labels[step->group[side->low]];
}

uint32
pegs_general_mark(const PegsGeneral *general, uint32 j)
{
	const PegsHierarchy *hierarchy = general->hierarchy[j];
	StringInfoData all;
	uint32		mark;

	initStringInfo(&all);
	for (int s = 0; s < hierarchy->nsteps; s++)
		for (uint32 code = 0; code < general->key[j].levels; code++)
		{
			const char *label = hierarchy->steps[s].labels[hierarchy->steps[s].group[code]];

			if (label)
				appendStringInfoString(&all, label);
			appendStringInfoChar(&all, label ? '\0' : '\1');
			if (code % PEGS_CHUNK == 0)
				CHECK_FOR_INTERRUPTS();
		}
	mark = pegs_crc32c(NULL, (const uint8_t *) all.data, (size_t) all.len);
	pfree(all.data);
	return mark;
}

void
pegs_general_refuse_fault(pegs_status status)
{
	if (status == PEGS_ERR_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the table has too many rows to be generalised"),
				 errhint("Generalise a part of it: a view with a WHERE is a source, too.")));
	if (status != PEGS_OK)
		elog(ERROR, "keys cannot be generalised: %d", status);
}

pegs_tuples *
pegs_general_tuples(const PegsGeneral *general, const pegs_env *env, const pegs_coded *table)
{
	pegs_tuples *tuples = palloc(sizeof(pegs_tuples));
	uint32	   *columns = palloc(sizeof(uint32) * (general->nkeys + 1));

	for (uint32 j = 0; j < general->nkeys; j++)
		columns[j] = j;
	pegs_general_refuse_fault(pegs_tuples_of(env, table, columns, general->nkeys, general->sensitive, tuples));
	return tuples;
}

void
pegs_general_say_rows(const PegsSource *source)
{
	AttrNumber	unit;

	if (pegs_has_unit(source->account, &unit) || pegs_is_bound(source->account))
		ereport(NOTICE,
				(errmsg("classes of %s are counted in rows, and its privacy unit may have several", source->name),
				 errdetail("All k rows of a class may belong to one unit."),
				 errhint("To count them once each, name a table that has one row of each.")));
}
