/*
 * keyed_mend.c
 *	  What is wrong with a lookup table by which a column of keys is modelled
 *	  (keyed.c), and statements that mend it: pasted, they make the problem go.
 *
 * A list of levels is no remedy here: there may be 70,000 keys. By the catalog
 * alone: law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* ---- declared again ---- */

/* By another table, another key, fewer columns, no weight. via NIL: each key is a level. */
static char *
declaration(const PegsColumn *column, Oid where, const char *lookup, const char *key, const List *via, const char *weight)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT pegs_set_lookup(%s, %s, %s, %s", pegs_relation_literal(where), quote_literal_cstr(column->name), lookup, quote_literal_cstr(key));
	if (column->drop)
		appendStringInfoString(&sql, ", undeclared => 'drop'");
	if (via != NIL)
		appendStringInfo(&sql, ", via => %s", pegs_array_literal(via));
	if (via != NIL && weight)
		appendStringInfo(&sql, ", weight => %s", quote_literal_cstr(weight));
	appendStringInfoString(&sql, ");");
	return sql.data;
}

static List *
all_of(const PegsKeyedBy *by)
{
	List	   *via = NIL;

	for (int i = 0; i < by->n; i++)
		via = lappend(via, by->via[i]);
	return via;
}

/* ---- weights ---- */

/* Of the rows of such a level: no other of what is said alike has a weight. */
static char *
same_level(char *const *via, int n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < n; i++)
		appendStringInfo(&sql, " AND o.%s::text COLLATE \"C\" IS NOT DISTINCT FROM s.%s::text", pstrdup(quote_identifier(via[i])), quote_identifier(via[i]));
	return sql.data;
}

/* "UPDATE ...;" of the lookup table: no weight for what is none, and the same one for each key of a level that has none. */
static char *
update_of(const PegsKeyedBy *by, int bad)
{
	const char *table = pegs_relation_words(by->lookup);
	const char *w = pstrdup(quote_identifier(by->weight));
	char	   *odd = psprintf("UPDATE %s SET %s = 0 WHERE %s IS NULL OR NOT (%s >= 0 AND %s < 1e308);", table, w, w, w, w);
	char	   *none = psprintf("UPDATE %s AS s SET %s = 1 WHERE NOT EXISTS (SELECT FROM %s AS o WHERE o.%s > 0 AND o.%s IS NOT NULL%s);", table, w, table, w,
								quote_identifier(by->key), same_level(by->via, by->n));

	if ((bad & PEGS_WEIGHTS_NONE) == 0)
		return odd;
	return bad & PEGS_WEIGHTS_ODD ? psprintf("%s %s", odd, none) : none;
}

/* Whose code statements that read and write these columns, and cast them, would run; NULL: nobody else's (law L9). */
static const char *
runs_code_of(Oid table, const List *names)
{
	Relation	rel = table_open(table, AccessShareLock);
	const char *whose = rel->rd_rel->relowner == GetUserId() ? NULL : psprintf("role \"%s\"", GetUserNameFromId(rel->rd_rel->relowner, true));
	const ListCell *cell;

	foreach(cell, names)
	{
		Oid			type = get_atttype(table, get_attnum(table, lfirst(cell)));

		whose = whose ? whose : pegs_owned_by_others(type);
		whose = whose ? whose : pegs_type_of_others(type);
	}
	table_close(rel, NoLock);
	return whose;
}

/*
 * The same declaration without weights mends it, too. It is a comment where the lookup table, which is public, is the caller's
 * own, and its types: to write another's would run that one's code as him (law L9).
 */
char *
pegs_mend_weights(const PegsColumn *column, const PegsKeyedBy *by, int bad)
{
	char	   *without = declaration(column, by->where, pegs_relation_literal(by->lookup), by->key, all_of(by), NULL);

	if (bad & PEGS_WEIGHTS_GONE)
		return psprintf("%s %s", without, pegs_comment("each key of a level is as likely then; or name a column of numbers: weight => '...'"));
	if (runs_code_of(by->lookup, lappend(all_of(by), pstrdup(by->weight))))
		return psprintf("%s %s", without, pegs_comment("each key of a level is as likely then"));
	return psprintf("%s %s", update_of(by, bad), pegs_comment("or, each key of a level as likely: %s", without));
}

/* ---- keys ---- */

static bool
has_column(Oid table, const char *name)
{
	AttrNumber	attnum = get_attnum(table, name);

	return attnum > 0 && pegs_type_supported(getBaseType(get_atttype(table, attnum)));
}

/* The column of keys as it was declared, or what is the primary key now; NULL: it cannot be told. */
static const char *
key_now(const PegsKeyedBy *by)
{
	Relation	rel;
	Bitmapset  *primary;
	const char *name = NULL;

	if (has_column(by->lookup, by->key))
		return by->key;
	rel = table_open(by->lookup, AccessShareLock);
	primary = pegs_primary_columns(rel);
	if (bms_num_members(primary) == 1)
		name = get_attname(by->lookup, (AttrNumber) bms_singleton_member(primary), false);
	table_close(rel, NoLock);
	return name && has_column(by->lookup, name) ? name : NULL;
}

/* By those of its columns that are there still. */
static char *
by_what_is_there(const PegsColumn *column, const PegsKeyedBy *by, const char *leave)
{
	char		relkind = get_rel_relkind(by->lookup);
	const char *key = relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ? key_now(by) : NULL;
	List	   *via = NIL;
	char	   *sql;

	if (key == NULL)
		return psprintf("%s %s", leave, pegs_comment("or declare its levels, or another lookup table"));
	for (int i = 0; i < by->n; i++)
		if (has_column(by->lookup, by->via[i]) && strcmp(by->via[i], key) != 0)
			via = lappend(via, by->via[i]);
	sql = declaration(column, by->where, pegs_relation_literal(by->lookup), key, via,
					  by->weight && has_column(by->lookup, by->weight) && pegs_is_number(getBaseType(get_atttype(by->lookup, get_attnum(by->lookup, by->weight)))) ? by->weight : NULL);
	return via == NIL ? psprintf("%s%s", sql, pegs_keyed_words(by->lookup, key, column->type))
		: psprintf("%s %s", sql, pegs_comment("or name its columns as they are called now"));
}

/* "name_of" that fits, and that nothing in the schema has. */
char *
pegs_free_name(const char *name, const char *of, Oid schema)
{
	char	   *now = makeObjectName(name, of, NULL);

	for (int i = 2; OidIsValid(get_relname_relid(now, schema)); i++)
		now = makeObjectName(name, of, psprintf("%d", i));
	return now;
}

/* By a table with one row of each key: whoever may read them may have it. Of another's table a policy would run, and of a type its casts. */
static char *
by_each_once(const PegsColumn *column, const PegsKeyedBy *by, const char *leave)
{
	const char *whose = runs_code_of(by->lookup, list_make1(pstrdup(by->key)));
	Oid			schema = get_rel_namespace(by->where);
	char	   *name = psprintf("%s.%s", quote_identifier(get_namespace_name(schema)), quote_identifier(pegs_free_name(get_rel_name(by->lookup), "once", schema)));
	const char *key = psprintf("%s::%s", quote_identifier(by->key), pegs_type_words(column->type, column->typmod));

	whose = whose ? whose : pegs_owned_by_others(column->type);
	if (whose)
		return psprintf("%s %s", leave, pegs_comment("or have each key once in %s; what copies it may run code of %s", pegs_relation_words(by->lookup), whose));
	return psprintf("CREATE TABLE %s AS SELECT DISTINCT ON (%s) * FROM %s WHERE %s IS NOT NULL ORDER BY %s; %s %s", name, key, pegs_relation_words(by->lookup),
					quote_identifier(by->key), key, declaration(column, by->where, quote_literal_cstr(name), by->key, all_of(by), by->weight),
					pegs_comment("of a key that has several rows any one is kept, and later changes of %s are not seen", pegs_relation_words(by->lookup)));
}

/* By the column that its foreign key refers to, where another was declared; NULL: it is that, or there is no such key. */
static char *
by_what_is_referred_to(const PegsColumn *column, const PegsKeyedBy *by)
{
	char	   *key = pegs_referred_instead(by->where, get_attnum(by->where, column->name), by->lookup, by->key);
	List	   *via = NIL;

	if (key == NULL || !has_column(by->lookup, key))
		return NULL;
	for (int i = 0; i < by->n; i++)
		if (has_column(by->lookup, by->via[i]) && strcmp(by->via[i], key) != 0)
			via = lappend(via, by->via[i]);
	return psprintf("%s %s", declaration(column, by->where, pegs_relation_literal(by->lookup), key, via, by->weight && strcmp(by->weight, key) != 0 ? by->weight : NULL),
					pegs_comment("its foreign key refers to that column"));
}

char *
pegs_mend_keys(const PegsColumn *column, const PegsKeyedBy *by, PegsBadKeys bad)
{
	char	   *leave = psprintf("SELECT pegs_leave_out(%s, %s);", pegs_relation_literal(by->where), quote_literal_cstr(column->name));
	const char *table = pegs_relation_words(by->lookup);
	char	   *instead = by_what_is_referred_to(column, by);

	if (instead && bad != PEGS_KEYS_NO_VIA && bad != PEGS_KEYS_TOO_MANY && bad != PEGS_KEYS_TOO_MANY_LEVELS)
		return instead;
	switch (bad)
	{
		case PEGS_KEYS_GONE:
			return by_what_is_there(column, by, leave);
		case PEGS_KEYS_NO_VIA:
			return pegs_type_supported(column->type) ? declaration(column, by->where, pegs_relation_literal(by->lookup), by->key, NIL, NULL) : leave;
		case PEGS_KEYS_TOO_MANY:
			return leave;
		case PEGS_KEYS_TOO_MANY_LEVELS:
			return by->n == 1 ? psprintf("%s %s", leave, pegs_comment("or name another column of %s, of fewer values", table))
				: psprintf("%s %s", declaration(column, by->where, pegs_relation_literal(by->lookup), by->key, list_make1(by->via[0]), by->weight),
						   pegs_comment("or via another column of fewer values"));
		case PEGS_KEYS_NONE:
			return psprintf("%s %s", leave, pegs_comment("or fill %s", table));
		case PEGS_KEYS_ODD:
			return psprintf("%s %s", leave, pegs_comment("or correct %s: each key must be a value of type %s", table, format_type_with_typemod(column->type, column->typmod)));
		case PEGS_KEYS_TWICE:
			return by_each_once(column, by, leave);
	}
	return leave;
}
