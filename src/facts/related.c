/*
 * related.c
 *	  Tables that are bound to one root, as a model of all of them needs them:
 *	  each locked, the caller its curator, with its foreign key, its columns, the
 *	  classes of how many rows a parent has, and keys to be made anew.
 *
 * By declarations and the catalog alone: law L1. What cannot be is an error,
 * before a row is read.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#define MAX_TABLES 64

/* ---- which tables ---- */

/* A table with rows of its own, and nobody's but its owner's: keys are read of it. */
static void
require_plain(const PegsSource *source, const char *what)
{
	if (source->relid == source->account && source->relid == source->rows)
	{
		/* no key of it tells rows of those apart */
		if (get_rel_relkind(source->relid) == RELKIND_RELATION && find_inheritance_children(source->relid, AccessShareLock) != NIL)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("other tables inherit from %s: their rows have no keys that hold here", source->name),
					 errhint("Use a partitioned table.")));
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 get_rel_relispartition(source->relid) ? errmsg("%s is a part of another table: %s must be all of it", source->name, what)
			 : errmsg("%s is a view: %s must be a table", source->name, what),
			 get_rel_relispartition(source->relid) ? errhint("Name the whole: %s.", pegs_relation_words(source->account))
			 : errhint("Name the table, and the columns that are wanted: columns => %s", pegs_object_example(get_rel_name(source->account), "[...]"))));
}

static void
require_root(PegsSource *source)
{
	AttrNumber	attnum;
	Oid			root = pegs_payer(source->account);

	require_plain(source, "the root");
	if (pegs_is_bound(source->account))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("table \"%s\" is bound to another: it is not the root", get_rel_name(source->account)),
				 OidIsValid(root) ? errhint("The root is %s.", pegs_relation_words(root)) : errhint("SELECT * FROM pegs_schema(%s);", pegs_relation_literal(source->relid))));
	if (pegs_children_of(source->account) == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("no table is bound to %s", source->name),
				 errhint("Say whose rows are whose: SELECT pegs_set_parent('...', %s, children => '{0, 1, 2, ...}', at_most => '...'); " PEGS_CHILDREN, pegs_relation_literal(source->relid))));
	if (pegs_has_unit(source->account, &attnum))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has a privacy unit itself: its rows belong to persons", get_rel_name(source->account)),
				 errdetail("The unit of related tables is a row of the topmost one."),
				 errhint("Use the table of persons as root. Or: SELECT pegs_set_unit(%s, NULL);", pegs_relation_literal(source->relid))));
}

typedef struct Walk
{
	List	   *names;			/* that are wanted; NIL: all */
	bool		in_order;		/* as these are: a model has them so, and a restored dump gives them other numbers */
	List	   *found;			/* of char *: those of them that there are */
	PegsRelatives *relatives;
} Walk;

static void
refuse_names(const Walk *walk, const char *root)
{
	ListCell   *cell;

	foreach(cell, walk->names)
		if (!pegs_has_name(walk->found, lfirst(cell)))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("no table \"%s\" is bound to %s, or to one that is named", pegs_clipped(lfirst(cell)), root),
					 errhint("SELECT source, parent FROM pegs_schema(%s); A table comes with its parent.", quote_literal_cstr(root))));
}

/* The foreign key by which a table is bound, if the catalog still has it. */
static const PegsForeignKey *
key_of(const PegsSource *source, const PegsBound *bound, Oid parent)
{
	List	   *keys = pegs_foreign_keys(source->account);
	const PegsForeignKey *key = NULL;

	/* or by another since it was found below this one */
	if (bound->is && bound->parent == parent)
		key = pegs_key_with(keys, parent, bound->n, bound->attnum);
	if (key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is bound by a foreign key that is gone", get_rel_name(source->account)),
				 errhint("SELECT source, problem, remedy FROM pegs_schema(%s);", pegs_relation_literal(source->account))));
	pegs_refuse_key_beside(source->account, keys, key);
	/* unique in a part is not unique in the whole: a row could belong to two */
	if (key->refers_to != key->parent)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is bound by a foreign key to a part of \"%s\"", get_rel_name(source->account), get_rel_name(key->parent)),
				 errdetail("What is unique in the part \"%s\" may be there again in another.", get_rel_name(key->refers_to)),
				 errhint("%s", pegs_key_to_the_whole(source->account, key))));
	pegs_require_plain_comparison(source->account, key);
	return key;
}

/* What renames a table that has the name of another one. */
char *
pegs_another_name(Oid table)
{
	Oid			schema = get_rel_namespace(table);

	return psprintf("ALTER TABLE %s RENAME TO %s;", pegs_relation_words(table),
					quote_identifier(pegs_free_name(get_rel_name(table), psprintf("of_%s", get_namespace_name(schema)), schema)));
}

/* Its key refers to a part of the parent: to the whole instead, if that is told apart by the same columns. */
char *
pegs_key_to_the_whole(Oid table, const PegsForeignKey *key)
{
	Relation	whole = table_open(key->parent, AccessShareLock);
	AttrNumber	attnums[INDEX_MAX_KEYS];
	Bitmapset  *columns = NULL;
	bool		same;

	for (int i = 0; i < key->n; i++)
	{
		attnums[i] = pegs_referred_above(key, i);
		columns = bms_add_member(columns, attnums[i]);
	}
	same = bms_equal(columns, pegs_primary_columns(whole));
	table_close(whole, NoLock);
	if (!same)
		return psprintf("Give %s a foreign key to all of %s, by columns that are a PRIMARY KEY or UNIQUE there, and bind it by that: pegs_set_parent.",
						pegs_relation_words(table), pegs_relation_words(key->parent));
	return psprintf("ALTER TABLE %s DROP CONSTRAINT %s, ADD FOREIGN KEY (%s) REFERENCES %s (%s)%s;", pegs_relation_words(table), quote_identifier(key->name),
					pegs_key_columns(table, key->n, key->attnum), pegs_relation_words(key->parent), pegs_key_columns(key->parent, key->n, attnums), pegs_unchecked(table));
}

static void
add_table(Walk *walk, PegsSource *source, const PegsForeignKey *key, int parent)
{
	PegsRelatives *r = walk->relatives;
	int			t = r->related->n;
	PegsMember *member = &r->related->member[t];

	if (t == MAX_TABLES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d related tables", MAX_TABLES),
				 errhint("Name those that are wanted: tables => '{...}'")));
	pegs_citus_refuse_related(source->account);
	member->name = get_rel_name(source->account);
	if (pegs_related_find(r->related, member->name) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("two related tables are called \"%s\"", member->name),
				 errdetail("By their names they are told apart, and left out."),
				 errhint("Rename one: %s", pegs_another_name(source->account))));
	member->table = pstrdup(source->name);
	member->parent = parent;
	r->source[t] = source;
	r->key[t] = key;
	r->related->n++;
}

/* That are bound to this one. */
static List *
children_of(const Walk *walk, Oid above)
{
	List	   *children = pegs_children_of(above);
	List	   *ordered = NIL;
	ListCell   *name;
	ListCell   *cell;

	list_sort(children, list_oid_cmp);
	if (!walk->in_order)
		return children;
	foreach(name, walk->names)
		foreach(cell, children)
			if (get_rel_name(lfirst_oid(cell)) && strcmp(get_rel_name(lfirst_oid(cell)), lfirst(name)) == 0)
				ordered = lappend_oid(ordered, lfirst_oid(cell));
	return ordered;
}

/* Tables below one, each followed by what is below it. */
static void
add_below(Walk *walk, int parent)
{
	PegsSource *root = walk->relatives->source[0];
	Oid			above = walk->relatives->source[parent]->account;
	ListCell   *cell;

	foreach(cell, children_of(walk, above))
	{
		Oid			child = lfirst_oid(cell);
		char	   *name = get_rel_name(child);
		PegsSource *source;

		if (name == NULL || (walk->names && !pegs_has_name(walk->names, name)))
			continue;
		walk->found = lappend(walk->found, name);
		source = pegs_curated_source(child, "fit a model to it");
		require_plain(source, "a related table");
		root->counted = pegs_note_counted(root->counted, child);
		add_table(walk, source, key_of(source, llast(root->counted), above), parent);
		add_below(walk, walk->relatives->related->n - 1);
	}
}

/* ---- how many rows a parent has ---- */

static void
read_numbers(PegsMember *member, const PegsSource *source, const PegsForeignKey *key)
{
	int			n;
	int			most;
	int		   *children = pegs_read_classes(source->account, &n, &most);
	char	   *remedy;
	char	   *problem = pegs_classes_missing(source->account, key, children, n, most, &remedy);

	if (key->unique)
	{
		children = palloc(sizeof(int) * 2);
		children[0] = 0;
		children[1] = n = most = 1;
		n = 2;
	}
	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s", problem),
				 errdetail("Their number is modelled in classes, which are public."),
				 errhint("%s", remedy)));
	member->nclasses = n;
	member->first = palloc(sizeof(uint32_t) * n);
	for (int k = 0; k < n; k++)
		member->first[k] = (uint32_t) children[k];
	member->most = (uint32_t) most;
}

/* ---- columns ---- */

static void
refuse_columns(const char *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("columns of table \"%s\" must be a list of names", pegs_clipped(table)),
			 errhint("columns => %s", pegs_object_example(pegs_clipped(table), "[\"...\", \"...\"]"))));
}

/* Those that are named for this table; NIL: it is not named. */
static List *
columns_named(Jsonb *columns, const PegsMember *member)
{
	JsonbValue	value;
	List	   *names = NIL;

	if (columns == NULL || !getKeyJsonValueFromContainer(&columns->root, member->name, strlen(member->name), &value))
		return NIL;
	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data) || JsonContainerSize(value.val.binary.data) < 1)
		refuse_columns(member->name);
	for (uint32 i = 0; i < JsonContainerSize(value.val.binary.data); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(value.val.binary.data, i);

		if (item->type != jbvString)
			refuse_columns(member->name);
		names = lappend(names, pegs_json_key(item));
		if (pegs_made_key(member, llast(names)) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of table \"%s\" is a part of a key", (char *) llast(names), member->name),
					 errdetail("Its values are made anew, so that rows of the tables belong together; they are not modelled."),
					 errhint("Leave it out of columns.")));
	}
	return names;
}

static void
refuse_other_tables(Jsonb *columns, const PegsRelated *related)
{
	PegsMembers members;

	if (columns == NULL)
		return;
	members = pegs_members(&columns->root);
	while (pegs_next_member(&members))
		if (pegs_related_find(related, members.name) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("columns are given of \"%s\", which is none of the tables", members.name),
					 errhint("The tables are: %s.", pegs_related_names(related))));
}

/* What was learnt of a bound table was charged to the root, and protects its unit. */
static void
settle_charges(PegsLearntCharge **charges, int n)
{
	PegsLearntCharge *own = palloc(sizeof(PegsLearntCharge) * (n + 1));

	memcpy(own, *charges, sizeof(PegsLearntCharge) * n);
	for (int i = 0; i < n; i++)
		own[i].unit = pstrdup(pegs_charged_unit(false, NULL));
	*charges = own;
}

static void
choose_columns(PegsRelatives *r, int t, Jsonb *columns, bool fitted)
{
	PegsMember *member = &r->related->member[t];
	const PegsSource *source = r->source[t];
	PegsDomain *all = pegs_domain_of(source);
	List	   *names = columns_named(columns, member);
	PegsDomain *domain;
	int			n = 0;

	pegs_note_references(member, source, r->key[t], all, r->source[0]->account);
	for (int i = 0; i < all->ncols; i++)
		if (pegs_made_key(member, all->column[i].name) < 0 && (all->column[i].part == NULL || pegs_made_key(member, all->column[i].part->column) < 0))
			all->column[n++] = all->column[i];
	all->ncols = n;
	for (int i = 0; i < n; i++)
		all->column[i].table = member->table;
	domain = pegs_domain_model(all, source, names);
	for (int i = 0; member->parent >= 0 && i < domain->ncols; i++)
		if (domain->column[i].nlearnt > 0)
			settle_charges(&domain->column[i].learnt, domain->column[i].nlearnt);
	if (member->parent >= 0 && domain->nlearnt > 0)
		settle_charges(&domain->learnt, domain->nlearnt);
	for (int i = 0; i < domain->ncols; i++)
		domain->column[i].table = member->table;
	pegs_load_zeros(domain, source);
	if (domain->nzeros > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" has forbidden combinations, which a model of several tables does not keep", member->name),
				 errhint("Leave one of their columns out: columns => %s. Or forget them: SELECT pegs_forbid(%s, NULL);", pegs_object_example(member->name, "[...]"),
						 pegs_relation_literal(source->relid))));
	if (!fitted)
		pegs_require_references(member, source->account, domain);
	member->spec = pegs_spec_plain(domain, PEGS_PAIRS);
	pegs_note_distinct(member, source);
	pegs_require_distinct(r->related, t, source->account);
	pegs_note_repeats(r->related, t, source);
	pegs_note_copies(member, source->account);
}

PegsRelatives *
pegs_relatives(PegsSource *root, List *tables, bool in_order, Jsonb *columns, bool fitted)
{
	PegsRelatives *r = palloc0(sizeof(PegsRelatives));
	Walk		walk = {.names = tables, .in_order = in_order, .relatives = r};
	PegsRelated *related = r->related = palloc0(sizeof(PegsRelated));

	require_root(root);
	related->member = palloc0(sizeof(PegsMember) * MAX_TABLES);
	r->source = palloc0(sizeof(PegsSource *) * MAX_TABLES);
	r->key = palloc0(sizeof(PegsForeignKey *) * MAX_TABLES);
	walk.found = list_make1(get_rel_name(root->account));
	root->counted = pegs_note_counted(NIL, root->account);
	add_table(&walk, root, NULL, -1);
	add_below(&walk, 0);
	refuse_names(&walk, root->name);
	refuse_other_tables(columns, related);
	for (int t = 0; t < related->n; t++)
	{
		r->source[t]->chosen_by = "";
		if (t > 0)
			read_numbers(&related->member[t], r->source[t], r->key[t]);
		pegs_make_keys(r, t);
		choose_columns(r, t, columns, fitted);
	}
	return r;
}
