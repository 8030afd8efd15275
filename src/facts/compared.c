/*
 * compared.c
 *	  How a foreign key compares: whether its column tells rows apart as the
 *	  rows that it refers to are told apart.
 *
 * The key itself says little: text refers to char(n), date to timestamptz, and
 * many values of the one are one value of the other. Claims P10, P35.
 */
#include "facts/facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* A column of the key, or what it refers to. */
typedef struct End
{
	Oid			type;
	int32		typmod;
	Oid			collation;
} End;

static End
own_end(Oid relid, const PegsForeignKey *key, int i)
{
	End			end;

	get_atttypetypmodcoll(relid, key->attnum[i], &end.type, &end.typmod, &end.collation);
	return end;
}

static End
other_end(const PegsForeignKey *key, int i)
{
	End			end;

	get_atttypetypmodcoll(key->refers_to, key->referred[i], &end.type, &end.typmod, &end.collation);
	return end;
}

/* The constraint's row, to be released. */
static HeapTuple
constraint_of(Oid relid, const PegsForeignKey *key)
{
	HeapTuple	tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(get_relation_constraint_oid(relid, key->name, false)));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "foreign key \"%s\" is gone", key->name);
	return tuple;
}

static Oid
nth_oid(HeapTuple constraint, int column, int i)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(CONSTROID, constraint, column, &isnull);

	return isnull ? InvalidOid : ((Oid *) ARR_DATA_PTR(DatumGetArrayTypeP(value)))[i];
}

/* ---- the same values ---- */

static bool
is_whole(Oid type)
{
	Oid			base = getBaseType(type);

	return base == INT2OID || base == INT4OID || base == INT8OID;
}

/*
 * Whole numbers of all lengths are the same numbers; of all other types, one and
 * the same = must tell values apart. One = of all rows, arrays or ranges is by
 * what those are made of.
 */
static bool
are_same_values(const End *a, const End *b)
{
	Oid			equal = lookup_type_cache(a->type, TYPECACHE_EQ_OPR)->eq_opr;
	Oid			left;
	Oid			right;

	if (is_whole(a->type) && is_whole(b->type))
		return true;
	if (!OidIsValid(equal) || equal != lookup_type_cache(b->type, TYPECACHE_EQ_OPR)->eq_opr)
		return false;
	op_input_types(equal, &left, &right);
	return get_typtype(left) != TYPTYPE_PSEUDO || getBaseType(a->type) == getBaseType(b->type);
}

/* Is a comparison of two columns that of each, whichever of their collations it is by? */
static bool
collate_alike(Oid a, Oid b, bool by_query)
{
	if (a == b)
		return true;
	return OidIsValid(a) && OidIsValid(b) && get_collation_isdeterministic(a) && get_collation_isdeterministic(b)
		&& (!by_query || a == DEFAULT_COLLATION_OID || b == DEFAULT_COLLATION_OID);
}

/* Does the index of the key that is referred to take those columns for equal that a query takes for equal? */
static bool
index_compares_alike(Oid index, const PegsForeignKey *key, int i)
{
	Relation	rel = index_open(index, AccessShareLock);
	End			end = other_end(key, i);
	bool		alike = false;

	for (int c = 0; c < rel->rd_index->indnkeyatts; c++)
		if (rel->rd_index->indkey.values[c] == key->referred[i])
		{
			Oid			input = rel->rd_opcintype[c];
			TypeCacheEntry *cache = lookup_type_cache(end.type, TYPECACHE_EQ_OPR);

			alike = get_opfamily_member(rel->rd_opfamily[c], input, input, BTEqualStrategyNumber) == cache->eq_opr
				&& collate_alike(rel->rd_indcollation[c], end.collation, false);
		}
	index_close(rel, AccessShareLock);
	return alike;
}

static bool
is_told_apart_alike(Oid relid, const PegsForeignKey *key, Oid index, int i)
{
	End			own = own_end(relid, key, i);
	End			other = other_end(key, i);

	return are_same_values(&own, &other) && collate_alike(own.collation, other.collation, false) && index_compares_alike(index, key, i);
}

/*
 * Rows of one row of the parent, and of no other, are those with one value of
 * the key, as PARTITION BY tells values apart: by = of its type and the
 * collation of the column.
 */
AttrNumber
pegs_told_apart_otherwise(Oid relid, const PegsForeignKey *key)
{
	HeapTuple	tuple = constraint_of(relid, key);
	AttrNumber	otherwise = InvalidAttrNumber;

	for (int i = 0; i < key->n && otherwise == InvalidAttrNumber; i++)
		if (!is_told_apart_alike(relid, key, ((Form_pg_constraint) GETSTRUCT(tuple))->conindid, i))
			otherwise = key->attnum[i];
	ReleaseSysCache(tuple);
	return otherwise;
}

/* Of all values that are there: the CHECK of its domain, or a cast between the two, may be of another role. */
static char *
alter_type(Oid relid, AttrNumber attnum, const End *own, const End *other)
{
	const char *whose = pegs_owned_by_others(own->type);
	char	   *alter = psprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s%s;", pegs_relation_words(relid), quote_identifier(get_attname(relid, attnum, false)),
								 pegs_type_words(other->type, other->typmod), pegs_collate_words(other->collation, other->type));

	whose = whose ? whose : pegs_owned_by_others(other->type);
	whose = whose ? whose : pegs_type_of_others(other->type);
	return whose ? pegs_comment("it may run code of %s, as whoever runs it: %s", whose, alter) : alter;
}

char *
pegs_tell_apart_alike(Oid relid, const PegsForeignKey *key, AttrNumber attnum)
{
	for (int i = 0; i < key->n; i++)
	{
		End			own = own_end(relid, key, i);
		End			other = other_end(key, i);

		if (key->attnum[i] == attnum && !(are_same_values(&own, &other) && collate_alike(own.collation, other.collation, false)))
			return alter_type(relid, attnum, &own, &other);
	}
	return psprintf("Give %s a unique index that compares as its column does, and a foreign key to that.", pegs_relation_words(key->refers_to));
}

/* ---- a join ---- */

/*
 * Rows are joined by = of pg_catalog (read/units_query.c), and come in the order
 * of the root's key. The foreign key and the index beneath it must mean the
 * same: else rows lose their parents, or have two.
 */
void
pegs_require_plain_comparison(Oid relid, const PegsForeignKey *key)
{
	HeapTuple	tuple = constraint_of(relid, key);

	for (int i = 0; i < key->n; i++)
	{
		End			own = own_end(relid, key, i);
		End			other = other_end(key, i);
		Operator	plain = oper(NULL, list_make2(makeString("pg_catalog"), makeString("=")), other.type, own.type, true, -1);

		if (plain == NULL || oprid(plain) != nth_oid(tuple, Anum_pg_constraint_conpfeqop, i) || !collate_alike(own.collation, other.collation, true)
			|| !is_told_apart_alike(relid, key, ((Form_pg_constraint) GETSTRUCT(tuple))->conindid, i))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("foreign key \"%s\" of table \"%s\" compares column \"%s\" in a way of its own", key->name, get_rel_name(relid),
							get_attname(relid, key->attnum[i], false)),
					 errdetail("Rows are joined by = of pg_catalog, by the collation of their columns: others would belong together."),
					 errhint("Give it and what it refers to one type that compares as PostgreSQL does, such as text, and one collation, that of the key's index, too. "
							 "Or name the other tables: tables => %s", pegs_tables_without(relid))));
		ReleaseSysCache(plain);
	}
	ReleaseSysCache(tuple);
}
