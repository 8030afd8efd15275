/*
 * groups.c
 *	  Levels that belong together: codes of one chapter, towns of one county.
 *
 * Where noise is too much for single levels, the engine puts neighbours together
 * (core/graph/merge.c): of one group first. So levels of a group are put beside
 * each other here, where the first of them stands. A group is public, and no more
 * than a hint: a model draws the same levels without. Never is it made of rows.
 * Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- declaring ---- */

PegsFunction *
pegs_read_groups(const PegsColumn *column, JsonbContainer *groups)
{
	PegsColumn	group = {.name = "group", .type = TEXTOID, .typmod = -1, .other = -1};

	return pegs_read_mapping(column, &group, groups, psprintf("groups of column \"%s\"", column->name));
}

static bool
is_label(const PegsColumn *column, const char *text)
{
	for (int i = 0; i < column->nlabels; i++)
		if (strcmp(column->labels[i], text) == 0)
			return true;
	return false;
}

/* Groups are of the levels that there are: of a view, where these are declared. */
static void
require_levels(const PegsSource *source, const PegsColumn *column, const PegsFunction *groups)
{
	if (column->nlabels == 0 || column->nedges > 0 || column->part)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" has no levels to put into groups", column->name),
				 errhint("Levels first: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	for (int i = 0; i < groups->n; i++)
		if (!is_label(column, groups->from[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is not a level of column \"%s\"", pegs_clipped(groups->from[i]), column->name),
					 errhint("SELECT pegs_levels(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
}

/* Beside what is declared of the column; where that is the catalog's, in a row of its own. */
static void
store(const PegsSource *source, const char *name, const PegsFunction *groups)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[4] = {
		{REGCLASSOID, ObjectIdGetDatum(source->relid), false},
		{NAMEOID, NameGetDatum(&column), false},
		{JSONBOID, groups ? JsonbPGetDatum(pegs_function_kept(groups)) : 0, groups == NULL},
		{INT2OID, Int16GetDatum(get_attnum(source->relid, name)), false}
	};
	bool		found;

	namestrcpy(&column, name);
	pegs_require_kept("fact", "groups");
	pegs_forget_other_column(source, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("UPDATE pegs_internal.fact SET groups = $3 WHERE source = $1 AND column_name = $2", SPI_OK_UPDATE, 3, args);
	found = SPI_processed > 0;
	if (groups == NULL)
		pegs_spi_now("DELETE FROM pegs_internal.fact WHERE source = $1 AND column_name = $2"
					 " AND num_nonnulls(levels, other, lookup, edges, not_null, left_out, derived, earlier, learnt_charge) = 0", SPI_OK_DELETE, 2, args);
	if (!found && groups && source->relid == source->account)
	{
		pegs_spi_now("INSERT INTO pegs_internal.fact (source, column_name, groups, attnum, relation) VALUES ($1, $2, $3, $4, $1::pg_catalog.oid)",
					 SPI_OK_INSERT, 4, args);
		found = true;
	}
	pegs_end_as(&saved);
	if (!found && groups)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the levels of column \"%s\" are not declared of %s", name, source->name),
				 errdetail("Groups are declared where the levels are."),
				 errhint("SELECT pegs_set_groups(%s, ...); or declare the levels of %s, too.", pegs_relation_literal(source->account), source->name)));
}

/* pegs_set_groups(source regclass, column_name name, groups jsonb): NULL forgets them */
PG_FUNCTION_INFO_V1(pegs_set_groups);
Datum
pegs_set_groups(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	const char *name = pegs_arg_column(fcinfo, 1, "column_name", "code");
	Jsonb	   *object = pegs_arg_object(fcinfo, 2, "groups");
	PegsColumn	column;
	PegsFunction *groups = NULL;

	pegs_find_column(source, name, false, &column);
	if (object)
	{
		PegsDomain *domain = pegs_domain_of(source);

		groups = pegs_read_groups(&column, &object->root);
		require_levels(source, &domain->column[pegs_domain_find(domain, column.name)], groups);
	}
	store(source, column.name, groups);
	PG_RETURN_VOID();
}

/* ---- the levels of a column in groups ---- */

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(char **const *) a)[0], (*(char **const *) b)[0]);
}

/* The group that a level is declared to be of; NULL: none. pair: sorted by level. */
static char *
group_of(char ***pair, int n, char *label)
{
	char	  **key = &label;
	char	 ***found = bsearch(&key, pair, n, sizeof(char **), by_name);

	return found ? (*found)[1] : NULL;
}

typedef struct Known
{
	const char *group;
	int			level;			/* its first */
} Known;

/* Which level is the first of its group, for each; a level without one is alone. */
static int *
firsts(const PegsColumn *column)
{
	const PegsFunction *grouped = column->grouped;
	char	 ***pair = palloc(sizeof(char **) * (grouped->n + 1));
	Known	   *first = palloc(sizeof(Known) * (column->nlabels + 1));
	int		   *place = palloc(sizeof(int) * (column->nlabels + 1));
	int			n = 0;

	for (int i = 0; i < grouped->n; i++)
	{
		pair[i] = palloc(sizeof(char *) * 2);
		pair[i][0] = grouped->from[i];
		pair[i][1] = grouped->to[i];
	}
	qsort(pair, grouped->n, sizeof(char **), by_name);
	for (int i = 0; i < column->nlabels; i++)
	{
		char	   *group = group_of(pair, grouped->n, column->labels[i]);
		int			known = 0;

		CHECK_FOR_INTERRUPTS();
		place[i] = i;
		while (group && known < n && strcmp(first[known].group, group) != 0)
			known++;
		if (group && known < n)
			place[i] = first[known].level;
		else if (group)
			first[n++] = (Known) {group, i};
	}
	return place;
}

typedef struct Placed
{
	int			first;			/* level of its group, as declared */
	int			level;
} Placed;

static int
by_place(const void *a, const void *b)
{
	const Placed *x = a;
	const Placed *y = b;

	return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->level > y->level) - (x->level < y->level);
}

/* In the order of the groups' first levels, and in each as declared. NULL is a group of its own, the last. */
void
pegs_group_levels(PegsColumn *column)
{
	int		   *first;
	Placed	   *placed;
	char	  **labels;
	int			other = column->other;
	int			group = 0;

	if (column->grouped == NULL || column->nlabels == 0 || column->nedges > 0)
		return;
	first = firsts(column);
	placed = palloc(sizeof(Placed) * (column->nlabels + 1));
	labels = palloc(sizeof(char *) * (column->nlabels + 1));
	column->group = palloc(sizeof(uint16) * (column->nlabels + 1));
	for (int i = 0; i < column->nlabels; i++)
		placed[i] = (Placed) {first[i], i};
	qsort(placed, column->nlabels, sizeof(Placed), by_place);
	for (int i = 0; i < column->nlabels; i++)
	{
		group += i > 0 && placed[i].first != placed[i - 1].first;
		column->group[i] = (uint16) group;
		labels[i] = column->labels[placed[i].level];
		if (placed[i].level == other)
			column->other = i;
	}
	column->group[column->nlabels] = (uint16) (group + 1);
	column->labels = labels;
	column->origin = psprintf("%s, in %d groups", column->origin, group + 1);
}
