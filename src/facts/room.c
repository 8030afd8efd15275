/*
 * room.c
 *	  How many rows of one parent each level of a column is enough for, where a
 *	  key tells them apart by it (distinct.c): a label for one, what a lookup
 *	  table says of 40 keys for 40, but for those of weight 0.
 *
 * Public facts alone: law L1.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "facts/spec_read.h"
#include "codes/codes.h"

/* Its column in the model: itself, or what stands for its keys; -1: it is not modelled so. */
int
pegs_modelled_by(const PegsDomain *domain, const char *name)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsPart *part = domain->column[i].part;

		if (strcmp(part ? part->column : domain->column[i].name, name) == 0 && (part == NULL || part->kind == PEGS_VIA))
			return i;
	}
	return -1;
}

/* [levels] values that each is of; NULL: nobody knows, of a bin or of what is not declared. */
uint32_t *
pegs_room_of(const PegsColumn *column)
{
	uint32_t   *room = palloc0(sizeof(uint32_t) * pegs_column_levels(column));

	if (column->nedges > 0 || column->other >= 0)
		return NULL;
	for (int i = 0; column->part && i < column->part->via->n; i++)
		room[column->part->via->level[i]] += column->part->via->weight == NULL || column->part->via->weight[i] > 0;
	for (int l = 0; column->part == NULL && l < column->nlabels; l++)
		room[l] = 1;
	if (column->nullable)
		room[column->nlabels] = PEGS_ANY_NUMBER;
	return room;
}

double
pegs_sum_of_room(const PegsColumn *column, const uint32_t *room)
{
	double		sum = 0;

	for (int l = 0; l < pegs_column_levels(column); l++)
		sum += room[l];
	return sum;
}

/* By what keys of such columns are drawn, as the core has it; NULL: each is as likely. */
static pegs_weighing *
member_weighing(const PegsMember *member)
{
	const PegsDomain *domain = member->spec->domain;
	pegs_weighing *weighing = NULL;

	for (int d = 0; d < member->ndistinct; d++)
	{
		int			i = pegs_modelled_by(domain, member->distinct[d]);
		const PegsVia *via = i >= 0 && domain->column[i].part ? domain->column[i].part->via : NULL;
		int			levels = via ? pegs_column_levels(&domain->column[i]) : 0;

		if (via == NULL || via->weight == NULL)
			continue;
		if (weighing == NULL)
			weighing = palloc0(sizeof(pegs_weighing) * (domain->ncols + 1));
		weighing[i].weight = via->weight;
		weighing[i].first = palloc0(sizeof(uint32_t) * (levels + 1));
		for (int k = 0; k < via->n; k++)
			weighing[i].first[via->level[k] + 1] = (uint32_t) k + 1;
		/* NULL has none */
		weighing[i].first[levels] = (uint32_t) via->n;
	}
	return weighing;
}

/* As the core has it, of each column of the member; nothing: none tells rows apart. An error: a spec names one that cannot. */
void
pegs_member_room(const PegsMember *member, pegs_relation *relation)
{
	uint32_t  **room = member->ndistinct > 0 ? palloc0(sizeof(uint32_t *) * (member->spec->domain->ncols + 1)) : NULL;

	for (int d = 0; d < member->ndistinct; d++)
	{
		int			i = pegs_modelled_by(member->spec->domain, member->distinct[d]);

		if (i < 0 || room[i] || member->parent < 0 || (room[i] = pegs_room_of(&member->spec->domain->column[i])) == NULL)
			pegs_bad_spec("\"distinct\" names a column that tells no rows of one parent apart");
	}
	relation->room = room;
	relation->weighing = member_weighing(member);
}
