/*
 * together.c
 *	  Where the rows of a person are together: parts of a table, each of which
 *	  can count persons by itself.
 *
 *	a foreign table				all rows are on one server
 *	partitions by the person	a part each, as deep as its column alone says where a row belongs
 *	anything else				the rows of a person may be anywhere
 *
 * PostgreSQL sees to it that a row of this server is in the partition of its
 * person. Nobody does for a foreign one: each of its rows is asked
 * (PegsTogether.here). By public facts alone. Claim P10.
 */
#include "read/read.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Of compute_partition_hash_value: HASH_PARTITION_SEED; what hash_combine64(0, hash) adds to a hash, and 2^64, so that it is positive. */
#define HASH_SEED "8816678312871386365"
#define HASH_OFFSET "23752253665144318179"
#define TWO_TO_64 "18446744073709551616"

/* Types whose values are written in one way, so that persons are the same where their texts are: on whatever server. */
bool
pegs_tells_persons(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == OIDOID || type == UUIDOID || type == TEXTOID || type == VARCHAROID;
}

static Oid
collation_of(Oid relid, AttrNumber attnum)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relid, attnum, &type, &typmod, &collation);
	return collation;
}

static bool
is_deterministic(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* Are partitions told by the value of this column alone, equal values being of one? The relation is locked. */
static bool
is_by_person(Relation rel, AttrNumber person)
{
	PartitionKey key = RelationGetPartitionKey(rel);
	Oid			type = getBaseType(TupleDescAttr(RelationGetDescr(rel), person - 1)->atttypid);
	Oid			standard = GetDefaultOpClass(type, key->strategy == PARTITION_STRATEGY_HASH ? HASH_AM_OID : BTREE_AM_OID);

	if (key->partnatts != 1 || key->partattrs[0] != person || !OidIsValid(standard) || key->partopfamily[0] != get_opclass_family(standard))
		return false;
	/* an order of texts changes with the system's libraries, and then the part of new rows, not of those that are there */
	if (key->strategy == PARTITION_STRATEGY_RANGE && OidIsValid(key->partcollation[0]))
		return key->partcollation[0] == C_COLLATION_OID;
	return is_deterministic(key->partcollation[0]);
}

/* Modulus and remainder of a partition by hash. */
static PartitionBoundSpec *
bound_of(Oid partition)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(partition));
	bool		isnull = true;
	Datum		bound = 0;
	PartitionBoundSpec *spec;

	if (HeapTupleIsValid(tuple))
		bound = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relpartbound, &isnull);
	if (isnull)
		elog(ERROR, "a partition has no bound");
	spec = castNode(PartitionBoundSpec, stringToNode(TextDatumGetCString(bound)));
	ReleaseSysCache(tuple);
	return spec;
}

/* As PostgreSQL computes it of one column, in numbers that a bigint does not hold. */
static char *
hash_condition(Oid leg, PartitionKey key, const char *column)
{
	PartitionBoundSpec *bound = bound_of(leg);

	return psprintf("pg_catalog.mod(pg_catalog.mod(pg_catalog.%s(%s, " HASH_SEED ")::pg_catalog.numeric + " HASH_OFFSET ", " TWO_TO_64 "), %d) = %d",
					quote_identifier(get_func_name(key->partsupfunc[0].fn_oid)), column, bound->modulus, bound->remainder);
}

static bool
is_by_hash(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	bool		hash = rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE && RelationGetPartitionKey(rel)->strategy == PARTITION_STRATEGY_HASH;

	table_close(rel, NoLock);
	return hash;
}

/* As the catalog has it, with that of the parts above; a part that is alone has none. */
static char *
bounds_in_words(Oid leg)
{
	LOCAL_FCINFO(call, 1);
	Datum		words;

	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum) {ObjectIdGetDatum(leg), false};
	words = pg_get_partition_constraintdef(call);
	return call->isnull ? "true" : text_to_cstring(DatumGetTextPP(words));
}

/*
 * In SQL, whether a row of the foreign partition is of it. NULL: that cannot be
 * asked of another server, which knows no table of here.
 */
static char *
condition_of(Oid leg, Oid root, const char *column)
{
	Oid			parent = get_partition_parent(leg, false);
	Relation	rel = table_open(parent, NoLock);
	char	   *condition = NULL;
	Oid			above = parent;

	while (above != root && !is_by_hash(above))
		above = pegs_source_parent(above);
	if (!is_by_hash(above))
		condition = bounds_in_words(leg);
	else if (parent == root)
		condition = hash_condition(leg, RelationGetPartitionKey(rel), column);
	table_close(rel, NoLock);
	return condition;
}

/* The part of which a leaf is, that has all rows of each of its persons; InvalidOid: there is none. */
static Oid
whole_part(Oid leaf, Oid root, const char *column)
{
	List	   *down = NIL;		/* from the root's child on */
	Oid			part = InvalidOid;
	Oid			above = root;
	ListCell   *cell;

	for (Oid relid = leaf; relid != root; relid = pegs_source_parent(relid))
	{
		if (!OidIsValid(relid))
			return InvalidOid;
		down = lcons_oid(relid, down);
	}
	foreach(cell, down)
	{
		Relation	rel = table_open(above, NoLock);
		bool		by_person = rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE && is_by_person(rel, get_attnum(above, column));

		table_close(rel, NoLock);
		if (!by_person)
			break;
		above = part = lfirst_oid(cell);
	}
	return part;
}

static PegsTogether *
part_of(Oid relid, const char *here)
{
	PegsTogether *part = palloc(sizeof(PegsTogether));

	part->relid = relid;
	part->here = here;
	return part;
}

static bool
is_listed(const List *parts, Oid relid)
{
	ListCell   *cell;

	foreach(cell, parts)
		if (((PegsTogether *) lfirst(cell))->relid == relid)
			return true;
	return false;
}

/* A foreign leaf that is not counted on its server; NULL: it is. part: of which it is. */
static const char *
why_not_foreign(Oid leaf, Oid part, const PegsSource *source, const PegsDomain *physical)
{
	const char *column = source->unit_column;
	const char *name = get_rel_name(leaf);
	const char *why = pegs_why_not_there(leaf, physical, column);
	Oid			type;
	int32		length;
	Oid			collation;

	if (part != leaf)
		return psprintf("\"%s\" is on another server, and holds not all rows of its persons", name);
	if (why)
		return psprintf("rows of \"%s\" come here: %s", name, why);
	get_atttypetypmodcoll(leaf, get_attnum(leaf, column), &type, &length, &collation);
	/* a value that is longer there would be cut, and be another's */
	if (length >= 0)
		return psprintf("column \"%s\" of \"%s\" has a length, which its server may not know", column, name);
	if (part != source->rows && type_is_collatable(type))
		return psprintf("column \"%s\" is a text, which the server of \"%s\" may compare or hash otherwise", column, name);
	/* what is said of its bounds would be of other columns, too */
	if (part != source->rows && get_rel_relispartition(source->rows))
		return "its table is a part of another, and has parts on other servers";
	return NULL;
}

/* Rows of different persons may be in one part, and those of one person in several. */
static const char *
why_not_apart(const PegsSource *source)
{
	if (list_length(source->parts) == 1)
		return "its table is one part";
	return psprintf("its table is not partitioned by \"%s\" alone", source->unit_column);
}

/* The parts in which persons are counted, of PegsTogether; NIL: there are none, and why. */
List *
pegs_together(const PegsSource *source, const PegsDomain *physical, const char **why)
{
	const char *column = source->unit_column;
	AttrNumber	attnum = get_attnum(source->relid, column);
	List	   *parts = NIL;
	ListCell   *cell;

	if (source->relid != source->rows)
		*why = "a view stands between";
	else if (!pegs_tells_persons(getBaseType(get_atttype(source->rows, attnum))))
		*why = psprintf("column \"%s\" is of type %s, not of one whose values are written in one way (a whole number, a uuid, a text)", column,
						format_type_be(get_atttype(source->rows, attnum)));
	else if (!is_deterministic(collation_of(source->rows, attnum)))
		*why = psprintf("texts of column \"%s\" may be equal that are not the same", column);
	if (*why)
		return NIL;
	foreach(cell, source->parts)
	{
		Oid			leaf = lfirst_oid(cell);
		Oid			part = leaf == source->rows ? leaf : whole_part(leaf, source->rows, column);
		bool		foreign = get_rel_relkind(leaf) == RELKIND_FOREIGN_TABLE;
		const char *here = "true";

		if (get_rel_relkind(leaf) == RELKIND_PARTITIONED_TABLE)
			continue;
		if (!OidIsValid(part) || (part == source->rows && (!foreign || list_length(source->parts) > 1)))
			*why = why_not_apart(source);
		else if (foreign)
			*why = why_not_foreign(leaf, part, source, physical);
		if (*why == NULL && foreign && part != source->rows && (here = condition_of(part, source->rows, quote_identifier(column))) == NULL)
			*why = psprintf("whether a row of \"%s\" belongs there cannot be asked on its server", get_rel_name(leaf));
		if (*why)
			return NIL;
		if (!is_listed(parts, part))
			parts = lappend(parts, part_of(part, here));
	}
	if (parts == NIL)
		*why = "its table has no part that has rows";
	/* what was attached since has the rows that were looked at then, not those of the snapshot */
	else if (list_length(parts) > 1 && IsolationUsesXactSnapshot())
		*why = "the transaction's snapshot may be older than its parts (REPEATABLE READ or SERIALIZABLE)";
	return *why ? NIL : parts;
}
