/*
 * links.c
 *	  Tables whose own key has a reference to another row than their parent's:
 *	  (person, film) of ratings.
 *
 * Keys are made anew as running numbers, and a number in place of a reference
 * would be some other row. So such a reference is modelled, if the other table
 * is public, and rows of one parent differ in it (distinct.c); or the table is
 * refused. By the catalog and the declarations alone: laws L1, L10.
 */
#include "facts/facts.h"

#include "access/genam.h"
#include "access/table.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/* A foreign key to another row, of one of these columns that the table's own key does not hold; NULL: there is none. */
static const PegsForeignKey *
link_of(Oid table, const Bitmapset *columns, AttrNumber *attnum)
{
	const PegsForeignKey *own = pegs_own_key(table);
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);

		for (int i = 0; !pegs_is_same_row(table, key) && i < key->n; i++)
			if (bms_is_member(key->attnum[i], columns) && pegs_key_place(own, key->attnum[i]) < 0)
			{
				*attnum = key->attnum[i];
				return key;
			}
	}
	return NULL;
}

static bool
may_be_public(const PegsForeignKey *key, Oid root)
{
	return key->n == 1 && !pegs_is_private_table(key->parent, root);
}

/* The first of those that is no declared list of public values, or that tables below refer to; *columns: without those before it. */
static const PegsForeignKey *
first_private_link(Oid table, Oid root, Bitmapset **columns, const Bitmapset *referred, AttrNumber *attnum)
{
	const PegsForeignKey *key;

	while ((key = link_of(table, *columns, attnum)) != NULL)
	{
		if (bms_is_member(*attnum, referred) || !may_be_public(key, root) || !pegs_has_declaration(table, *attnum))
			break;
		*columns = bms_del_member(*columns, *attnum);
	}
	return key;
}

static char *
lookup_statement(Oid table, const PegsForeignKey *key)
{
	return psprintf("SELECT pegs_set_lookup(%s, %s, %s, %s);", pegs_relation_literal(table), quote_literal_cstr(get_attname(table, key->attnum[0], false)),
					pegs_relation_literal(key->refers_to), quote_literal_cstr(get_attname(key->refers_to, key->referred[0], false)));
}

/* Of the columns that identify its rows, those that get numbers: a number in place of a reference would be another row. */
Bitmapset *
pegs_without_links(Oid table, Oid root, Bitmapset *columns, const Bitmapset *referred)
{
	AttrNumber	attnum;
	const PegsForeignKey *key = first_private_link(table, root, &columns, referred, &attnum);

	if (key)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of table \"%s\" is a part of its key, and a reference to table \"%s\"", get_attname(table, attnum, false),
						get_rel_name(table), get_rel_name(key->refers_to)),
				 errdetail(bms_is_member(attnum, referred) ? "Tables below refer to it. Keys are made anew as running numbers, and a number there would be another row."
						   : "Keys are made anew as running numbers, and a number there would be another row."),
				 may_be_public(key, root) && !bms_is_member(attnum, referred)
				 ? errhint("If that table is public: %s Rows of one parent have different ones of it then.", lookup_statement(table, key))
				 : errhint("Leave it out: name the other tables, tables => '{...}'. Or give \"%s\" a primary key of its own, which refers to nothing, in place of this one.",
						   get_rel_name(table))));
	return columns;
}

/* The same for pegs_schema; NULL: none stands in the way. */
char *
pegs_link_problem(Oid table, Oid root, char **remedy)
{
	Relation	rel = table_open(table, AccessShareLock);
	Bitmapset  *columns = pegs_primary_columns(rel);
	AttrNumber	attnum;
	const PegsForeignKey *key = first_private_link(table, root, &columns, NULL, &attnum);

	table_close(rel, NoLock);
	if (key == NULL)
		return NULL;
	if (!may_be_public(key, root))
		return psprintf("its key refers to \"%s\" by \"%s\": tables that link two private rows are not modelled", get_rel_name(key->refers_to),
						get_attname(table, attnum, false));
	*remedy = lookup_statement(table, key);
	return psprintf("its key refers to \"%s\" by \"%s\", which is no declared lookup", get_rel_name(key->refers_to), get_attname(table, attnum, false));
}

/* {"rating": ["movie", "stars"]}: the columns that are modelled, and this one */
static char *
columns_with(const PegsMember *member, const char *name)
{
	const PegsDomain *domain = member->spec->domain;
	StringInfoData list;

	initStringInfo(&list);
	appendStringInfoChar(&list, '[');
	escape_json(&list, name);
	for (int i = 0; i < domain->ncols; i++)
	{
		appendStringInfoString(&list, ", ");
		escape_json(&list, domain->column[i].part ? domain->column[i].part->column : domain->column[i].name);
	}
	appendStringInfoChar(&list, ']');
	return pegs_object_example(member->name, list.data);
}

/* The declaration of its parent, with so many rows at most. */
static char *
fewer_rows(Oid table, const PegsMember *member, int most)
{
	int		   *first = palloc(sizeof(int) * (member->nclasses + 1));
	int			n = 0;

	for (; n < member->nclasses && member->first[n] <= (uint32_t) most; n++)
		first[n] = (int) member->first[n];
	return pegs_classes_statement(table, pegs_own_key(table), first, n, most);
}

/* Why rows could agree in the key that has this reference, in words; and what to do. */
static char *
why_they_agree(const PegsMember *member, Oid table, const PegsForeignKey *key, AttrNumber attnum, char **hint)
{
	char	   *name = get_attname(table, attnum, false);
	int			i = pegs_modelled_by(member->spec->domain, name);
	uint32_t   *room = i >= 0 ? pegs_room_of(&member->spec->domain->column[i]) : NULL;

	if (i < 0)
	{
		*hint = psprintf("Name it among the columns of \"%s\": columns => %s", member->name, columns_with(member, name));
		return psprintf("\"%s\" is not in the model.", name);
	}
	if (room && pegs_sum_of_room(&member->spec->domain->column[i], room) < member->most)
	{
		double		sum = pegs_sum_of_room(&member->spec->domain->column[i], room);

		*hint = fewer_rows(table, member, (int) sum);
		return psprintf("A parent may have %u rows, and \"%s\" has %.0f values.", member->most, name, sum);
	}
	*hint = psprintf("Its levels must be values of an integer, a text, a date or an enum: %s", lookup_statement(table, key));
	return psprintf("Values of a level of \"%s\" are not told apart one by one, or the key has more columns that are modelled.", name);
}

static bool
primary_may_repeat(const PegsMember *member, Relation rel)
{
	Relation	index = index_open(RelationGetPrimaryKeyIndex(rel), AccessShareLock);
	bool		repeats = pegs_may_repeat(member, rel, index->rd_index);

	index_close(index, AccessShareLock);
	return repeats;
}

/* An error, if rows of the model could agree in its primary key, of which a reference is modelled. */
void
pegs_require_distinct(const PegsMember *member, Oid table)
{
	Relation	rel = table_open(table, AccessShareLock);
	AttrNumber	attnum;
	const PegsForeignKey *key = link_of(table, pegs_primary_columns(rel), &attnum);
	char	   *hint;

	if (key && primary_may_repeat(member, rel))
	{
		char	   *why = why_they_agree(member, table, key, attnum, &hint);

		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of one parent could agree in the key of table \"%s\"", member->name),
				 errdetail("%s", why),
				 errhint("%s", hint)));
	}
	table_close(rel, NoLock);
}
