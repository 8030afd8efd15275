/*
 * guard.c
 *	  A row stays in the slice that it was inserted into.
 *
 * A row that moves to another slice when its own has been fitted would be
 * counted twice, and its person would pay twice. So the column of the slices
 * must not be updated, by anybody: a trigger that the owner of the table makes
 * (pegs makes none) refuses it, on the table and on each of its parts. It
 * fires always, also where rows are replicated, and nothing comes after it that
 * could still change the row. Whether it is there is asked before and after
 * each fit. That it was there all the time is the owner's word. Claim P21.
 */
#include "slices/slices.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "catalog/dependency.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "source/source.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define GUARD "pegs_keep_slices"

/* Single rows are protected, and no persons. */
void
pegs_require_rows(PegsSource *source)
{
	pegs_load_unit(source);
	if (source->unit_column)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s has a privacy unit: a person may have rows in many slices", source->name),
				 errdetail("Slices protect single rows. Nothing was charged or used up."),
				 pegs_is_bound(source->account) ? errhint("To protect rows of the table that it is bound to: pegs_refit, for a charge each time.")
				 : errhint("SELECT pegs_set_unit(%s, NULL); protects single rows. To protect persons: pegs_refit, for a charge each time.", quote_literal_cstr(source->name))));
}

static bool
is_before_update(const Trigger *trigger)
{
	return trigger->tgenabled != TRIGGER_DISABLED && TRIGGER_FOR_ROW(trigger->tgtype) && TRIGGER_FOR_BEFORE(trigger->tgtype) && TRIGGER_FOR_UPDATE(trigger->tgtype);
}

/* Ours, whatever its name, for this column, always and of every row. */
static bool
is_guard(const Trigger *trigger, const char *column)
{
	char	   *function = get_func_name(trigger->tgfoid);

	return is_before_update(trigger) && trigger->tgenabled == TRIGGER_FIRES_ALWAYS && trigger->tgnattr == 0 && trigger->tgqual == NULL
		&& trigger->tgnargs == 1 && strcmp(trigger->tgargs[0], column) == 0
		&& function && strcmp(function, GUARD) == 0
		&& getExtensionOfObject(ProcedureRelationId, trigger->tgfoid) == get_extension_oid("pegs", false);
}

/* Triggers fire in the order of their names, which is how they are listed here. */
static bool
is_guarded(Relation rel, const char *column, char **later)
{
	bool		guarded = false;

	*later = NULL;
	for (int i = 0; rel->trigdesc && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (is_guard(trigger, column))
			guarded = true;
		else if (guarded && is_before_update(trigger))
			*later = trigger->tgname;
	}
	return guarded && *later == NULL;
}

/* ---- what comes behind the trigger ---- */

/* Can an UPDATE that leaves this column as it is move a row from part to part? By the catalog's row: in the relation cache expressions of the key are folded, so functions of the table's owner would run. */
static bool
moves_rows(Relation rel, AttrNumber attnum)
{
	HeapTuple	tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(RelationGetRelid(rel)));
	Form_pg_partitioned_table form;
	Bitmapset  *used = NULL;
	Datum		expressions;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_partitioned_table) GETSTRUCT(tuple);
	for (int i = 0; i < form->partnatts; i++)
		if (form->partattrs.values[i] != 0)
			used = bms_add_member(used, form->partattrs.values[i] - FirstLowInvalidHeapAttributeNumber);
	expressions = SysCacheGetAttr(PARTRELID, tuple, Anum_pg_partitioned_table_partexprs, &isnull);
	if (!isnull)
		pull_varattnos(stringToNode(TextDatumGetCString(expressions)), 1, &used);
	ReleaseSysCache(tuple);
	return !bms_is_subset(used, bms_make_singleton(attnum - FirstLowInvalidHeapAttributeNumber));
}

/* A row that is moved is inserted again, and triggers may change it then. */
static void
refuse_insert_triggers(Relation rel, const char *column)
{
	char	   *name = pegs_relation_name(rel);

	for (int i = 0; rel->trigdesc && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgenabled != TRIGGER_DISABLED && TRIGGER_FOR_ROW(trigger->tgtype) && TRIGGER_FOR_BEFORE(trigger->tgtype)
			&& TRIGGER_FOR_INSERT(trigger->tgtype))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("rows of %s could move from slice to slice: trigger \"%s\" could change column \"%s\"", name, trigger->tgname, column),
					 errdetail("An UPDATE that moves a row to another part inserts it again, and the trigger is asked again. Nothing was charged or used up."),
					 errhint("DROP TRIGGER %s ON %s; a DEFAULT of the column is not computed again.", quote_identifier(trigger->tgname), name)));
	}
}

/* That of a child may be, where that of its parent is not. It is computed when all triggers have been asked. */
static void
refuse_generated(Relation rel, AttrNumber attnum)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);

	if (att->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": it is generated in %s", NameStr(att->attname), pegs_relation_name(rel)),
				 errdetail("It changes with the columns that it is computed from. Nothing was charged or used up."),
				 errhint("As a table by itself: ALTER TABLE %s NO INHERIT ...; ALTER TABLE %s ALTER COLUMN %s DROP EXPRESSION; and INHERIT again.",
						 pegs_relation_name(rel), pegs_relation_name(rel), quote_identifier(NameStr(att->attname)))));
}

/*
 * Whoever may make triggers on a table can change rows behind the guard, and
 * drop what did it before a fit asks: together with the function that it calls.
 */
static void
refuse_trigger_makers(Relation rel)
{
	char	   *others = pegs_others_with(RelationGetRelid(rel), ACL_TRIGGER);

	if (others[0] != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of %s could move from slice to slice: others than its owner may make triggers on it", pegs_relation_name(rel)),
				 errdetail("A trigger that comes after the one that refuses it could change the row, and be gone at the next fit. Nothing was charged or used up."),
				 errhint("REVOKE TRIGGER ON %s FROM %s CASCADE;", pegs_relation_name(rel), others)));
}

/* The owner of a part alone may make triggers on it, and is not the one whose word counts. */
static void
refuse_other_owner(Relation rel, Oid owner)
{
	char	   *name = pegs_relation_name(rel);

	if (rel->rd_rel->relowner != owner)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of %s could move from slice to slice: it has another owner", name),
				 errdetail("Who owns a part may make triggers that change its rows. Nothing was charged or used up."),
				 errhint("ALTER TABLE %s OWNER TO %s;", name, quote_identifier(GetUserNameFromId(owner, false)))));
}

void
pegs_require_guard(Oid relid, const char *column)
{
	bool		moves = false;
	Oid			owner = InvalidOid;
	const char *schema = pegs_extension_schema();
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		Relation	rel = table_open(lfirst_oid(cell), NoLock);
		char	   *name = pegs_relation_name(rel);
		AttrNumber	attnum = get_attnum(RelationGetRelid(rel), column);
		char	   *later;

		if (rel->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("slices cannot be of %s: it is a foreign table", name),
					 errdetail("Whether its rows are updated is not known here."),
					 errhint("Copy the rows into a table of this server.")));
		if (!is_guarded(rel, column, &later))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("rows of %s could move from slice to slice: column \"%s\" can be updated", name, column),
					 later ? errdetail("Trigger \"%s\" comes after the one that refuses it, and could change the row. Nothing was charged or used up.", later)
					 : errdetail("A row that is counted in two slices pays twice. Nothing was charged or used up."),
					 later ? errhint("Give it a name that comes before in the alphabet: ALTER TRIGGER ... RENAME TO ...;")
					 : errhint("CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s." GUARD "(%s); ALTER TABLE %s ENABLE ALWAYS TRIGGER zz_keep_slices;",
							   name, schema, quote_literal_cstr(column), name)));
		if (RelationGetRelid(rel) == relid)	/* the first of them */
			owner = rel->rd_rel->relowner;
		refuse_trigger_makers(rel);
		refuse_generated(rel, attnum);
		moves |= moves_rows(rel, attnum);	/* parts come after the table that they are of */
		if (moves)
			refuse_insert_triggers(rel, column);
		refuse_other_owner(rel, owner);
		table_close(rel, NoLock);
	}
}

/* pegs_keep_slices() → trigger: BEFORE UPDATE, FOR EACH ROW, of one column: its argument */
PG_FUNCTION_INFO_V1(pegs_keep_slices);
Datum
pegs_keep_slices(PG_FUNCTION_ARGS)
{
	TriggerData *fired = (TriggerData *) fcinfo->context;
	TupleDesc	desc;
	int			attnum;
	bool		null_before;
	bool		null_now;
	Datum		before;
	Datum		now;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(fired->tg_event) || !TRIGGER_FIRED_FOR_ROW(fired->tg_event)
		|| !TRIGGER_FIRED_BY_UPDATE(fired->tg_event) || fired->tg_trigger->tgnargs != 1)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg(GUARD " is for a trigger BEFORE UPDATE, FOR EACH ROW, with the name of a column"),
				 errhint("CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON my_table FOR EACH ROW EXECUTE FUNCTION " GUARD "('at');")));
	desc = RelationGetDescr(fired->tg_relation);
	attnum = SPI_fnumber(desc, fired->tg_trigger->tgargs[0]);
	if (attnum <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table \"%s\" has no column \"%s\", which must not be updated", RelationGetRelationName(fired->tg_relation), fired->tg_trigger->tgargs[0]),
				 errhint("DROP TRIGGER %s ON %s; and make it again for the column as it is called now.", quote_identifier(fired->tg_trigger->tgname),
						 pegs_relation_name(fired->tg_relation))));
	/* the same bytes, however they are stored: laxer than no equality of a type */
	before = heap_getattr(fired->tg_trigtuple, attnum, desc, &null_before);
	now = heap_getattr(fired->tg_newtuple, attnum, desc, &null_now);
	if (null_before != null_now
		|| (!null_now && !datum_image_eq(before, now, TupleDescAttr(desc, attnum - 1)->attbyval, TupleDescAttr(desc, attnum - 1)->attlen)))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" of table \"%s\" cannot be updated", fired->tg_trigger->tgargs[0], RelationGetRelationName(fired->tg_relation)),
				 errdetail("It says which slice a row belongs to, and each slice is fitted once."),
				 errhint("Delete the row and insert another: for what is guaranteed, that is another row.")));
	return PointerGetDatum(fired->tg_newtuple);
}
