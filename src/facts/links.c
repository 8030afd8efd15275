/*
 * links.c
 *	  Tables whose own key has a reference to another row than their parent's:
 *	  (person, film) of ratings.
 *
 * Keys are made anew as running numbers, and a number in place of a reference
 * would be some other row. So such a reference is modelled, if the other table
 * is public, and rows of one parent differ in it (distinct.c); or the table is
 * refused. By the catalog, the declarations and public lookup tables alone: laws L1, L10.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"

#include "access/genam.h"
#include "access/table.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/* What a foreign key is to a table's own key. */
typedef struct Link
{
	const PegsForeignKey *key;	/* NULL: there is none */
	AttrNumber	attnum;
} Link;

/* Is it to another row than the parent's, by this column, which the own key does not hold? Not by one that refers to itself, as a tenant's does in (org, up) of a tree of rows (org, id): any number is one of those. */
static bool
is_link(Oid table, const PegsForeignKey *own, const PegsForeignKey *key, AttrNumber attnum)
{
	int			i = pegs_key_place(key, attnum);

	return i >= 0 && !(key->refers_to == table && key->referred[i] == attnum) && pegs_key_place(own, attnum) < 0 && !pegs_is_same_row(table, key);
}

/* And not a part of a key to its own rows below: the latest visit of a person. */
static bool
leads_to_others(Oid table, const PegsForeignKey *own, const PegsForeignKey *key, AttrNumber attnum)
{
	return is_link(table, own, key, attnum) && !pegs_is_handed_back(table, attnum, key);
}

/* The first of these columns that is one. */
static Link
first_link(Oid table, const Bitmapset *columns)
{
	const PegsForeignKey *own = pegs_own_key(table);
	List	   *keys = pegs_foreign_keys(table);
	int			attnum = -1;
	ListCell   *cell;

	while ((attnum = bms_next_member(columns, attnum)) >= 0)
		foreach(cell, keys)
			if (leads_to_others(table, own, lfirst(cell), (AttrNumber) attnum))
				return (Link) {lfirst(cell), (AttrNumber) attnum};
	return (Link) {NULL, InvalidAttrNumber};
}

/* A list of public values was declared for the one column of it. */
static bool
is_declared(Oid table, Oid root, const PegsForeignKey *key)
{
	return key->n == 1 && !pegs_is_private_table(key->parent, root) && pegs_has_levels(table, key->attnum[0]);
}

/* The first that no model can have: it refers to what is not declared public, or tables below refer to it, or it is the root's. *columns: without the others. */
static Link
first_refused(Oid table, Oid root, Bitmapset **columns, const Bitmapset *referred)
{
	const PegsForeignKey *own = pegs_own_key(table);
	Bitmapset  *left = bms_copy(*columns);
	List	   *keys = pegs_foreign_keys(table);
	int			attnum = -1;
	ListCell   *cell;

	while ((attnum = bms_next_member(*columns, attnum)) >= 0)
		foreach(cell, keys)
			if (leads_to_others(table, own, lfirst(cell), (AttrNumber) attnum))
			{
				if (own == NULL || bms_is_member(attnum, referred) || !is_declared(table, root, lfirst(cell)))
					return (Link) {lfirst(cell), (AttrNumber) attnum};
				left = bms_del_member(left, attnum);
			}
	*columns = left;
	return (Link) {NULL, InvalidAttrNumber};
}

/* Is it of one column, with single values? */
static bool
tells_apart(Oid table, const PegsForeignKey *key)
{
	return key->n == 1 && pegs_is_told_apart(getBaseType(get_atttype(table, key->attnum[0])));
}

/* Could it be declared? Of the catalog alone; whether its content is public a person knows. */
static bool
may_be_public(Oid table, Oid root, const PegsForeignKey *key)
{
	return pegs_own_key(table) && tells_apart(table, key) && !pegs_is_about_persons(key->refers_to, root);
}

static char *
lookup_statement(Oid table, const PegsForeignKey *key)
{
	return psprintf("SELECT pegs_set_lookup(%s, %s, %s, %s);", pegs_relation_literal(table), quote_literal_cstr(get_attname(table, key->attnum[0], false)),
					pegs_relation_literal(key->refers_to), quote_literal_cstr(get_attname(key->refers_to, key->referred[0], false)));
}

/* What else there is to do with such a table. */
static char *
key_of_its_own(Oid table)
{
	const char *own = psprintf("ive \"%s\" a primary key of its own, which refers to nothing, in place of this one.", get_rel_name(table));

	return pegs_own_key(table) ? psprintf("Leave it out: name the other tables, tables => %s. Or g%s", pegs_tables_without(table), own) : psprintf("G%s", own);
}

/* Of the columns that identify its rows, those that get numbers: a number in place of a reference would be another row. */
Bitmapset *
pegs_without_links(Oid table, Oid root, Bitmapset *columns, const Bitmapset *referred)
{
	Link		link = first_refused(table, root, &columns, referred);
	bool		below = bms_is_member(link.attnum, referred);

	if (link.key)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of table \"%s\" is a part of its key, and a reference to table \"%s\"", get_attname(table, link.attnum, false),
						get_rel_name(table), get_rel_name(link.key->refers_to)),
				 errdetail("%sKeys are made anew as running numbers, and a number there would be another row.", below ? "Tables below refer to it. " : ""),
				 may_be_public(table, root, link.key) && !below
				 ? errhint("If that table is public: %s Rows of one parent have different ones of it then.", lookup_statement(table, link.key))
				 : errhint("%s", key_of_its_own(table))));
	return columns;
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
		const char *other = domain->column[i].part ? domain->column[i].part->column : domain->column[i].name;
		bool		twice = false;

		/* hidden columns stand for one, beside each other or not */
		for (int before = 0; before < i; before++)
			twice |= domain->column[before].part && strcmp(domain->column[before].part->column, other) == 0;
		if (twice)
			continue;
		appendStringInfoString(&list, ", ");
		escape_json(&list, other);
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

/* Of a value, not of a reference. */
static char *
have_it_numbered(Oid table, const char *name)
{
	return psprintf("SELECT pegs_leave_out(%s, %s);", pegs_relation_literal(table), quote_literal_cstr(name));
}

static char *
or_a_number(Oid table, const char *name)
{
	return psprintf(" Or have it numbered: %s", have_it_numbered(table, name));
}

/* Why rows could agree in the key that has this reference, or these values, in words; and what to do. */
static char *
why_they_agree(const PegsMember *member, Oid table, const PegsForeignKey *key, AttrNumber attnum, char **hint)
{
	char	   *name = get_attname(table, attnum, false);
	int			i = pegs_modelled_by(member->spec->domain, name);
	uint32_t   *room = i >= 0 ? pegs_room_of(&member->spec->domain->column[i]) : NULL;

	if (i < 0)
	{
		*hint = psprintf("Name it among the columns of \"%s\": columns => %s%s", member->name, columns_with(member, name),
						 key ? "" : or_a_number(table, name));
		return psprintf("\"%s\" is not in the model.", name);
	}
	if (room && pegs_sum_of_room(&member->spec->domain->column[i], room) < member->most)
	{
		double		sum = pegs_sum_of_room(&member->spec->domain->column[i], room);

		*hint = fewer_rows(table, member, (int) sum);
		if (key == NULL)
			*hint = psprintf("%s%s", *hint, or_a_number(table, name));
		return psprintf("A parent may have %u rows, and \"%s\" has %.0f value%s.", member->most, name, sum, sum == 1 ? "" : "s");
	}
	if (room)
	{
		*hint = key_of_its_own(table);
		return psprintf("The key has more columns that are modelled than \"%s\", or its type or collation takes several texts for one value.", name);
	}
	*hint = key ? psprintf("Its levels must be single values: %s", lookup_statement(table, key))
		: psprintf("Its levels must be single values: pegs_set_levels.%s", or_a_number(table, name));
	return psprintf("Levels of \"%s\" are not single values.", name);
}

/* Could rows of the model agree in the primary key? */
static bool
primary_may_repeat(const PegsRelated *related, int t, Relation rel)
{
	bool		repeats = false;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		repeats |= index->rd_index->indisprimary && pegs_may_repeat(related, t, rel, index->rd_index);
		index_close(index, AccessShareLock);
	}
	return repeats;
}

/* Of its columns, one that is modelled: a reference, or values by which rows of one parent are told apart. */
static Link
first_modelled(Oid table, Relation rel)
{
	Link		link = first_link(table, pegs_primary_columns(rel));

	if (link.key == NULL)
		link.attnum = pegs_value_of_key(rel, pegs_own_key(table));
	return link;
}

/* An error, if so, of one that has such a column. */
void
pegs_require_distinct(const PegsRelated *related, int t, Oid table)
{
	const PegsMember *member = &related->member[t];
	Relation	rel = table_open(table, AccessShareLock);
	Link		link = first_modelled(table, rel);
	char	   *hint;

	if (link.attnum && pegs_made_key(member, get_attname(table, link.attnum, false)) < 0 && primary_may_repeat(related, t, rel))
	{
		char	   *why = why_they_agree(member, table, link.key, link.attnum, &hint);

		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of one parent could agree in the key of table \"%s\"", member->name),
				 errdetail("%s", why),
				 errhint("%s", hint)));
	}
	table_close(rel, NoLock);
}

/* ---- for pegs_schema ---- */

/* A table as a fit would have it without being told columns, but for what rows of one parent could not agree in. */
static PegsMember *
member_alike(Oid table, Relation rel, const Bitmapset *numbered)
{
	const PegsForeignKey *own = pegs_own_key(table);
	const PegsSource *source = pegs_source(table);
	PegsMember *member = palloc0(sizeof(PegsMember));
	PegsSpec   *spec = member->spec = palloc0(sizeof(PegsSpec));
	PegsDomain *domain = spec->domain = pegs_domain_of(source);
	int			attnum = -1;
	int			n;
	int			most;
	int		   *first = pegs_read_classes(table, &n, &most);

	member->name = get_rel_name(table);
	member->first = palloc(sizeof(uint32_t) * (n + 1));
	for (int k = 0; k < n; k++)
		member->first[member->nclasses++] = (uint32_t) first[k];
	member->most = own->unique ? 1 : (uint32_t) most;
	member->key = palloc0(sizeof(PegsMadeKey) * (RelationGetDescr(rel)->natts + 1));
	while ((attnum = bms_next_member(numbered, attnum)) >= 0)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);
		/* a line is one of its parent alone, which changes nothing here: the key has the parent then */
		PegsKeyKind kind = pegs_key_place(own, att->attnum) >= 0 ? PEGS_KEY_PARENT : PEGS_KEY_NUMBER;

		member->key[member->nkeys++] = (PegsMadeKey) {.column = NameStr(att->attname), .kind = kind};
	}
	n = 0;
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].problem == NULL && (domain->column[i].left_out == NULL || domain->column[i].origin))
			domain->column[n++] = domain->column[i];
	domain->ncols = n;
	pegs_note_distinct(member, source);
	return member;
}

/* The hint's way out as statements that run, with its words as a comment: of two ways the one that keeps what the column says. */
static char *
remedy_of(const PegsMember *member, Oid table, const PegsForeignKey *key, const char *name, const uint32_t *room, char *hint)
{
	int			sum = room ? (int) Min(pegs_sum_of_room(&member->spec->domain->column[pegs_modelled_by(member->spec->domain, name)], room), member->most) : 0;
	char	   *number = have_it_numbered(table, name);

	if (key && room == NULL)
		return pegs_comment("if that table is public: %s", lookup_statement(table, key));
	/* classes that all begin above it: a person says which there are */
	if (room && sum > 0 && sum < (int) member->most && member->nclasses > 0 && member->first[0] <= (uint32_t) sum)
		return key ? fewer_rows(table, member, sum) : psprintf("%s  %s", fewer_rows(table, member, sum), pegs_comment("or have it numbered: %s", number));
	if (key == NULL && room == NULL)
		return psprintf("%s  %s", number, pegs_comment("it is numbered then; or have it modelled by levels that are single values: pegs_set_levels"));
	return pegs_comment("%s", hint);
}

/* Rows of one parent that could agree in the key: what pegs_require_distinct would say. NULL: they could not, or pegs_domain says why its column has no values. */
static char *
agree_problem(Oid table, Relation rel, const Bitmapset *numbered, char **remedy)
{
	Link		link = first_modelled(table, rel);
	PegsMadeKey number = {.kind = PEGS_KEY_NUMBER};
	PegsMember	alike[2];
	PegsMember *member;
	char	   *why;
	int			i;

	if (link.attnum == InvalidAttrNumber)
		return NULL;
	member = member_alike(table, rel, pegs_without_values(rel, pegs_own_key(table), bms_copy(numbered), pegs_referred_by_children(table)));
	i = pegs_modelled_by(member->spec->domain, get_attname(table, link.attnum, false));
	if (i < 0)
		return NULL;
	/* beside a parent that any column of the key tells */
	alike[0] = (PegsMember) {.parent = -1, .nkeys = 1, .key = &number};
	alike[1] = *member;
	if (!primary_may_repeat(&(PegsRelated) {.n = 2, .member = alike}, 1, rel))
		return NULL;
	why = why_they_agree(member, table, link.key, link.attnum, remedy);
	*remedy = remedy_of(member, table, link.key, get_attname(table, link.attnum, false), pegs_room_of(&member->spec->domain->column[i]), *remedy);
	why[0] = pg_tolower((unsigned char) why[0]);
	why[strlen(why) - 1] = '\0';
	return psprintf("rows of one parent could agree in its key: %s", why);
}

/* The same for pegs_schema; NULL: none stands in the way. */
char *
pegs_link_problem(Oid table, Oid root, char **remedy)
{
	Relation	rel = table_open(table, AccessShareLock);
	Bitmapset  *columns = pegs_primary_columns(rel);
	Bitmapset  *referred = pegs_referred_by_children(table);
	Link		link = first_refused(table, root, &columns, referred);
	char	   *words = NULL;

	if (link.key == NULL)
		words = agree_problem(table, rel, columns, remedy);
	table_close(rel, NoLock);
	if (link.key == NULL)
		return words;
	words = psprintf("its key refers to \"%s\" by \"%s\"", get_rel_name(link.key->refers_to), get_attname(table, link.attnum, false));
	if (pegs_is_private_table(link.key->parent, root))
		return psprintf("%s: tables that link two private rows are not modelled", words);
	if (bms_is_member(link.attnum, referred))
		return psprintf("%s, and tables below refer to it: no model has it", words);
	if (pegs_own_key(table) && !tells_apart(table, link.key))
		return psprintf("%s, of which no lookup can be: it has several columns, or a type whose values are not told apart one by one", words);
	if (!may_be_public(table, root, link.key))
		return psprintf("%s: no model has it", words);
	*remedy = pegs_comment("if that table is public: %s", lookup_statement(table, link.key));
	return psprintf("%s, which is no declared lookup", words);
}
