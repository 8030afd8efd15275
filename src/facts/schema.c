/*
 * schema.c
 *	  pegs_schema: the tables that are bound to one root, and what is missing.
 *
 * By declarations, the catalog and declared lookup tables alone (law L1).
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/* Of references in its own key, of what else is in it, of lookup tables, and of other references. */
static char *
reference_problem(Oid table, Oid root, char **remedy)
{
	char	   *problem = pegs_link_problem(table, root, remedy);

	if (problem == NULL)
		problem = pegs_made_problem(table, root, remedy);
	if (problem == NULL)
		problem = pegs_lookups_problem(table, root, remedy);
	if (problem == NULL)
		problem = pegs_reference_problem(table, root, pegs_domain_of(pegs_source(table)), remedy);
	if (problem == NULL)
		problem = pegs_plain_reference_problem(table, root, remedy);
	return problem ? problem : pegs_no_column_problem(table, remedy);
}

/* What the number of its rows lacks, and what else a fit would say; each with its remedy. NULL: neither. */
static char *
both_problems(const PegsBound *bound, const PegsForeignKey *key, Oid root, char **remedy)
{
	int			n;
	int			at_most;
	int		   *children = pegs_read_classes(bound->child, &n, &at_most);
	char	   *of_number = NULL;
	char	   *number = pegs_classes_missing(bound->child, key, children, n, at_most, &of_number);
	char	   *reference = reference_problem(bound->child, root, remedy);

	if (number == NULL)
		return reference;
	of_number = psprintf("%s  %s", pegs_classes_statement(bound->child, key, children, n, 0), pegs_comment(PEGS_CHILDREN));
	*remedy = *remedy ? psprintf("%s\n%s", of_number, *remedy) : of_number;
	return reference ? psprintf("%s; %s", number, reference) : number;
}

/*
 * Of a new column that refers to this one: without its domain, whose CHECK, which may be of another role, would be tried on NULL (law L9).
 * *whose: in whose name a domain may stand by then, all the same.
 */
static char *
type_below(Oid parent, AttrNumber attnum, const char **whose)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(parent, attnum, &type, &typmod, &collation);
	type = getBaseTypeAndTypmod(type, &typmod);
	*whose = pegs_type_named_of_others(type);
	return psprintf("%s%s", pegs_type_words(type, typmod), pegs_collate_words(collation, type));
}

/* What a reader can run stays; other words are a comment. */
static char *
statement_or_comment(char *remedy)
{
	return remedy[strlen(remedy) - 1] == ';' || remedy[0] == '-' ? remedy : pegs_comment("%s", remedy);
}

/* Statements that bind a table anew whose key has lost a column: by another key of as many, else by a new column. */
static char *
bind_anew(const PegsBound *bound)
{
	const char *table = pegs_relation_literal(bound->child);
	const char *parent = pegs_relation_literal(bound->parent);
	Relation	rel = table_open(bound->parent, AccessShareLock);
	AttrNumber	attnum = InvalidAttrNumber;
	char	   *first = "";
	char	   *columns = NULL;		/* as an argument */
	const char *whose = NULL;
	char	   *statement;
	ListCell   *cell;

	if (bound->n == 1 && bms_num_members(pegs_primary_columns(rel)) == 1)
		attnum = (AttrNumber) bms_singleton_member(pegs_primary_columns(rel));
	table_close(rel, NoLock);
	foreach(cell, pegs_foreign_keys(bound->child))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent == bound->parent && key->n == bound->n && columns == NULL)
			columns = pegs_key_literal(bound->child, key->n, key->attnum);
	}
	if (columns == NULL && attnum != InvalidAttrNumber)
	{
		columns = pegs_array_literal(list_make1(bound->column[0]));
		first = psprintf("ALTER TABLE %s ADD COLUMN %s %s REFERENCES %s; ", pegs_relation_words(bound->child), quote_identifier(bound->column[0]),
						 type_below(bound->parent, attnum, &whose), pegs_relation_words(bound->parent));
	}
	if (columns == NULL)
		return psprintf("SELECT pegs_set_parent(%s, NULL);  %s", table, pegs_comment("lets it go, if nothing was spent since"));
	statement = psprintf("%sSELECT pegs_set_parent(%s, %s, %s%s);", first, table, parent, columns, pegs_classes_argument(bound->child));
	return whose ? pegs_comment("it may run code of %s, as whoever runs it: %s", whose, statement) : statement;
}

/* What a fit asks of a table before it looks at its keys: whose it is, and that its rows are all there. NULL: nothing is wrong. */
static char *
rows_problem(Oid table, Oid root, char **remedy)
{
	List	   *heirs = get_rel_relkind(table) == RELKIND_RELATION ? find_inheritance_children(table, AccessShareLock) : NIL;
	StringInfoData statements;
	ListCell   *cell;

	if (!pegs_is_curator(table))
	{
		/* of the root's owner the caller is a member: it has another, and need not be told to give all of its rights */
		char	   *problem = pegs_unread_problem(table, root, remedy);

		*remedy = pegs_comment("a superuser, or a member of both: %s", *remedy);
		return problem;
	}
	if (get_rel_relispartition(table))
	{
		Oid			whole = get_partition_parent(table, true);

		*remedy = psprintf("ALTER TABLE %s DETACH PARTITION %s;", pegs_relation_words(whole), pegs_relation_words(table));
		return psprintf("it is a part of another table, \"%s\": a related table must be all of it", get_rel_name(whole));
	}
	if (heirs == NIL)
		return NULL;
	initStringInfo(&statements);
	foreach(cell, heirs)
		appendStringInfo(&statements, "%sALTER TABLE %s NO INHERIT %s;", statements.len > 0 ? " " : "", pegs_relation_words(lfirst_oid(cell)), pegs_relation_words(table));
	*remedy = statements.data;
	return pstrdup("other tables inherit from it: their rows have no keys that hold here");
}

/* The tables so far, in the order of a fit. */
typedef struct Tree
{
	Oid			root;
	List	   *names;			/* of char * */
} Tree;

/* A name that another of the tables has, which a fit calls by it; and what else stops it whatever the keys are. NULL: nothing. */
static char *
table_problem(Tree *tree, Oid table, char **remedy)
{
	char	   *name = get_rel_name(table);
	bool		twice = pegs_has_name(tree->names, name);
	AttrNumber	attnum;
	char	   *rows = rows_problem(table, tree->root, remedy);

	tree->names = lappend(tree->names, name);
	if (rows)
		return rows;
	if (table == tree->root && pegs_has_unit(table, &attnum))
	{
		*remedy = psprintf("SELECT pegs_set_unit(%s, NULL);", pegs_relation_literal(table));
		return pstrdup("it has a privacy unit itself: its rows belong to persons");
	}
	if (twice)
	{
		*remedy = pegs_another_name(table);
		return psprintf("two related tables are called \"%s\"", name);
	}
	return pegs_unread_problem(table, tree->root, remedy);
}

/* A table that is bound to it, but not by the catalog any more, or not by enough to be fitted; or NULL. */
static char *
problem_of(Tree *tree, const PegsBound *bound, char **remedy)
{
	Oid			table = bound->child;
	List	   *keys;
	const PegsForeignKey *key;
	const PegsForeignKey *other;
	AttrNumber	otherwise;
	char	   *rows;
	Oid			owner;

	if (pegs_is_dead(table, &owner))
		return pstrdup("it was dropped");
	rows = table_problem(tree, table, remedy);
	if (rows)
		return rows;
	for (int i = 0; i < bound->n; i++)
		if (bound->attnum[i] == InvalidAttrNumber)
		{
			*remedy = bind_anew(bound);
			return psprintf("the column \"%s\" of its foreign key is gone", bound->column[i]);
		}
	keys = pegs_foreign_keys(table);
	key = pegs_key_with(keys, bound->parent, bound->n, bound->attnum);
	if (key == NULL)
	{
		List	   *names = NIL;

		for (int i = 0; i < bound->n; i++)
			names = lappend(names, get_attname(table, bound->attnum[i], false));
		*remedy = statement_or_comment(pegs_statement_of_key(table, bound->parent, names));
		return pstrdup("its foreign key is gone");
	}
	other = pegs_key_beside(keys, key);
	if (other)
	{
		*remedy = psprintf("ALTER TABLE %s DROP CONSTRAINT %s;", pegs_relation_words(table), quote_identifier(other->name));
		return psprintf("two foreign keys, \"%s\" and \"%s\", have the same columns: by one a row belongs to another row than by the other", key->name, other->name);
	}
	otherwise = pegs_told_apart_otherwise(table, key);
	if (otherwise != InvalidAttrNumber)
	{
		*remedy = statement_or_comment(pegs_tell_apart_alike(table, key, otherwise));
		return psprintf("its column \"%s\" tells values apart in another way than \"%s\" does", get_attname(table, otherwise, false), get_rel_name(key->parent));
	}
	if (key->refers_to != key->parent)
	{
		*remedy = statement_or_comment(pegs_key_to_the_whole(table, key));
		return psprintf("it is bound by a foreign key to a part of \"%s\"", get_rel_name(key->parent));
	}
	return both_problems(bound, key, tree->root, remedy);
}

static void
put_table(ReturnSetInfo *result, Oid table, int depth, Tree *tree)
{
	Datum		values[8] = {0};
	bool		nulls[8] = {false};
	PegsBound	bound;
	char	   *problem = NULL;
	char	   *remedy = NULL;

	values[0] = ObjectIdGetDatum(table);
	values[1] = Int32GetDatum(depth);
	nulls[2] = nulls[3] = nulls[4] = nulls[5] = true;
	if (depth > 0 && pegs_read_bound(table, &bound) && bound.is)
	{
		Datum		names[INDEX_MAX_KEYS];

		for (int i = 0; i < bound.n; i++)
		{
			Name		name = palloc0(NAMEDATALEN);

			namestrcpy(name, bound.attnum[i] > 0 ? get_attname(table, bound.attnum[i], false) : bound.column[i]);
			names[i] = NameGetDatum(name);
		}
		values[2] = ObjectIdGetDatum(bound.parent);
		nulls[2] = false;
		values[3] = PointerGetDatum(construct_array(names, bound.n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
		nulls[3] = false;
		pegs_declared_classes(table, &values[4], &nulls[4], &values[5], &nulls[5]);
		problem = problem_of(tree, &bound, &remedy);
	}
	else if (depth == 0 && pegs_is_bound(table))
	{
		problem = pstrdup("a table that it was bound to, or one above that, was dropped: what was spent on its rows is not known any more");
		remedy = pegs_comment(PEGS_ROOT_IS_GONE);
	}
	else if (depth == 0)
	{
		problem = table_problem(tree, table, &remedy);
		if (problem == NULL)
			problem = reference_problem(table, table, &remedy);
	}
	nulls[6] = problem == NULL;
	values[6] = problem ? CStringGetTextDatum(problem) : 0;
	nulls[7] = remedy == NULL;
	values[7] = remedy ? CStringGetTextDatum(remedy) : 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Children one below the other, each with what is bound to it. */
static void
put_below(ReturnSetInfo *result, Oid table, int depth, Tree *tree)
{
	List	   *children = pegs_children_of(table);
	ListCell   *cell;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	put_table(result, table, depth, tree);
	list_sort(children, list_oid_cmp);
	if (depth < PEGS_MAX_GENERATIONS)
		foreach(cell, children)
			put_below(result, lfirst_oid(cell), depth + 1, tree);
}

/*
 * pegs_schema(root regclass) → (source regclass, depth int, parent regclass, columns name[], children int[], at_most int, problem text, remedy text)
 *
 * Of any table of it: the root and all that is bound to it.
 */
PG_FUNCTION_INFO_V1(pegs_schema);
Datum
pegs_schema(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "root"), "see what is bound to it");
	Oid			root = pegs_payer(source->account);
	ReturnSetInfo *result;

	if (!OidIsValid(root))
		root = source->account;
	pegs_require_curator(root, "see what is bound to it");
	result = pegs_materialize(fcinfo, false);
	put_below(result, root, 0, &(Tree) {.root = root});
	pegs_put_unbound(result, root);
	return (Datum) 0;
}
