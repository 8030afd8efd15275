/*
 * unit_bound.c
 *	  The unit of a table that is bound to a parent, or to which others are
 *	  bound: a row of the topmost one.
 *
 * Nothing is counted of a table whose rows cannot be told apart by the unit.
 * Laws L3, L9.
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "utils/lsyscache.h"

/* Why its rows cannot be counted by those of its root, and what mends that, if it can be said; NULL: they can. */
static const char *
why_not(const PegsSource *source, const PegsBound *bound, Oid root, char **remedy)
{
	const PegsForeignKey *key;

	*remedy = NULL;
	if (!OidIsValid(root))
		return "That table was dropped.";
	if (OidIsValid(pegs_source_parent(root)))
		return psprintf("\"%s\" became a part of \"%s\": its rows have two accounts.", get_rel_name(root), get_rel_name(pegs_source_parent(root)));
	if (bound->parent != root)
		return psprintf("A row says whose row of \"%s\" it is, and not whose of \"%s\".", get_rel_name(bound->parent), get_rel_name(root));
	if (bound->n > 1)
		return "The foreign key has several columns.";
	if (bound->attnum[0] == InvalidAttrNumber)
		return psprintf("The column of the foreign key, \"%s\", is gone.", bound->column[0]);
	key = pegs_key_with(pegs_foreign_keys(source->account), root, 1, bound->attnum);
	if (key == NULL)
		return "The foreign key is gone.";
	if (pegs_told_apart_otherwise(source->account, key) != InvalidAttrNumber)
	{
		*remedy = pegs_tell_apart_alike(source->account, key, bound->attnum[0]);
		return psprintf(PEGS_TOLD_APART_OTHERWISE, get_attname(source->account, bound->attnum[0], false), get_rel_name(root));
	}
	return NULL;
}

/* Why nothing is counted of it alone, as a sentence; NULL: it is. */
const char *
pegs_why_not_alone(const PegsSource *source)
{
	PegsBound	bound;
	char	   *remedy;

	return pegs_read_bound(source->account, &bound) && bound.is ? why_not(source, &bound, pegs_payer(source->account), &remedy) : NULL;
}

static void
refuse_bound(const PegsSource *source, Oid root, const char *detail, const char *remedy)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of %s belong to rows of another table: they cannot be counted by those", source->name),
			 errdetail("%s", detail),
			 remedy ? errhint("%s", remedy)
			 : OidIsValid(root)
			 ? errhint("SELECT * FROM pegs_schema(%s); says what is declared. One model of all of them counts its rows: SELECT pegs_fit_schema('...', %s, epsilon => 1, delta => 1e-9); Domains of its columns are declared, not learnt: SELECT * FROM pegs_propose(%s);",
					   pegs_relation_literal(source->account), pegs_relation_literal(root), pegs_relation_literal(source->account))
			 : errhint(PEGS_ROOT_IS_GONE)));
}

/* What is counted of it is counted by the rows of its root; who spends its root's budget must be that one's curator, too. */
void
pegs_check_bound(PegsSource *source, bool has_unit, AttrNumber attnum)
{
	PegsBound	bound;
	Oid			root;
	List	   *keys;
	const char *why;
	char	   *remedy;

	source->counted = pegs_note_counted(NIL, source->account);
	bound = *(PegsBound *) linitial(source->counted);
	if (!bound.is)
	{
		if (has_unit && pegs_children_of(source->account) != NIL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("%s has a privacy unit, and other tables are bound to it", source->name),
					 errdetail("Their rows are counted by its rows."),
					 errhint("SELECT pegs_set_unit(%s, NULL);", pegs_relation_literal(source->account))));
		return;
	}
	/* the parent alone is the unit: it must not be bound itself when this is charged */
	source->counted = pegs_note_counted(source->counted, bound.parent);
	root = pegs_payer(source->account);
	if (OidIsValid(root))
		pegs_require_curator(root, "spend its budget");
	why = why_not(source, &bound, root, &remedy);
	if (why)
		refuse_bound(source, root, why, remedy);
	keys = pegs_foreign_keys(source->account);
	pegs_refuse_key_beside(source->account, keys, pegs_key_with(keys, root, 1, bound.attnum));
	if (has_unit && attnum != bound.attnum[0])
		refuse_bound(source, root, "It has another privacy unit.", NULL);
}

/* Whose row it is can be said no other way. */
void
pegs_refuse_another_unit(const PegsSource *source, AttrNumber attnum)
{
	PegsBound	bound;
	bool		is_bound;

	if (attnum == InvalidAttrNumber)
		return;
	is_bound = pegs_read_bound(source->account, &bound) && bound.is;
	if (is_bound && OidIsValid(bound.parent) && pegs_is_bound(bound.parent))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of %s belong to rows of \"%s\", which belong to others: a unit would have no effect", source->name, get_rel_name(bound.parent)),
				 errdetail("Nothing is counted of it alone. The unit is a row of the topmost table."),
				 errhint("SELECT * FROM pegs_schema(%s); says which that is. Fit the model to that one: pegs_fit_schema.", pegs_relation_literal(source->account))));
	if (is_bound && (bound.n != 1 || bound.attnum[0] != attnum))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of %s belong to rows of \"%s\": that is the privacy unit", source->name,
						OidIsValid(bound.parent) ? get_rel_name(bound.parent) : "(dropped)"),
				 errhint("Name the column of the foreign key, or leave the unit out.")));
	if (!is_bound && pegs_children_of(source->account) != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("other tables are bound to %s: its unit is a row", source->name),
				 errdetail("Their rows are counted by its rows."),
				 errhint("Bind it to the table of persons: pegs_set_parent.")));
}
