/*
 * groups.c
 *	  Declaring which levels belong together: codes of one chapter, towns of one
 *	  county.
 *
 * A group is public, and no more than a hint: a model draws the same levels
 * without. Never is it made of rows. Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- declaring ---- */

PegsFunction *
pegs_read_groups(const PegsColumn *column, JsonbContainer *object)
{
	PegsColumn	group = {.name = "group", .type = TEXTOID, .typmod = -1, .other = -1};
	PegsFunction *groups = pegs_read_mapping(column, &group, object, psprintf("groups of column \"%s\"", column->name));

	for (int i = 0; i < groups->n; i++)
		if (groups->to[i])
			return groups;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("groups of column \"%s\" put no level into a group", column->name),
			 errhint("For example: '{\"a\": \"x\", \"b\": \"x\", \"c\": \"y\"}'. NULL in the place of the object forgets groups.")));
}

/* Groups are of the levels that there are: of a view, where these are declared. */
void
pegs_require_levels(const PegsSource *source, const PegsColumn *column, const PegsFunction *groups)
{
	const char *unknown;

	if (column->nedges > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" has bins, and groups are of levels", column->name),
				 errdetail("Bins are put together with their neighbours as they are."),
				 errhint("Leave groups out; or declare levels first: SELECT pegs_set_levels(%s, %s, ARRAY['...']);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
	if (column->nlabels == 0 || column->part || column->via)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" has no levels to put into groups", column->name),
				 column->remedy == NULL ? errhint("Levels first: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))
				 : pegs_type_has_bins(column->type) ? errhint("Levels first: SELECT pegs_set_levels(%s, %s, ARRAY['...']);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))
				 : errhint("Levels first: %s", column->remedy)));
	unknown = pegs_unknown_level(column, groups, false);
	if (unknown)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a level of column \"%s\"", pegs_clipped(unknown), column->name),
				 errhint("SELECT pegs_levels(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
}

/* Nothing was forgotten, and there are groups: those of what a view or a part reads. */
static void
refuse_inherited(const PegsSource *source, const char *name)
{
	PegsDomain *domain = pegs_domain_of(source);
	char	   *there;
	Oid			where = pegs_declared_where(source->relid, name, &there);

	if (where != source->relid && domain->column[pegs_domain_find(domain, name)].grouped)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the groups of column \"%s\" are not declared of %s", name, source->name),
				 errhint("SELECT pegs_set_groups(%s, %s, NULL);", pegs_relation_literal(where), quote_literal_cstr(there))));
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
		pegs_spi_now("INSERT INTO pegs_internal.fact (source, column_name, groups, attnum, relation) VALUES ($1, $2, $3, $4, $1::pg_catalog.oid)"
					 " ON CONFLICT (source, column_name) DO UPDATE SET groups = excluded.groups, attnum = excluded.attnum, relation = excluded.relation", SPI_OK_INSERT, 4, args);
		found = true;
	}
	pegs_end_as(&saved);
	if (!found && groups == NULL)
		refuse_inherited(source, name);
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
	PegsSource *source = (PG_ARGISNULL(2) ? pegs_curated_unread : pegs_curated_source) (pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	const char *name = pegs_arg_column(fcinfo, 1, "column_name", "code");
	Jsonb	   *object = pegs_arg_object(fcinfo, 2, "groups");
	PegsColumn	column;
	PegsFunction *groups = NULL;

	pegs_find_column(source, name, false, &column);
	if (object)
	{
		PegsDomain *domain = pegs_domain_of(source);

		groups = pegs_read_groups(&column, &object->root);
		pegs_require_levels(source, &domain->column[pegs_domain_find(domain, column.name)], groups);
	}
	store(source, column.name, groups);
	PG_RETURN_VOID();
}
