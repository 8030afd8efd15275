/*
 * kept.c
 *	  Models as they are stored, and those that this session keeps.
 *
 * To read a model is most of the work of a small sample: its text is parsed,
 * its body checked, its tree made ready. A session keeps what it has read of
 * its last models, for as long as their rows in pegs_internal are the very
 * same versions (xmin, ctid): both are looked up at each use, and the caller's
 * right is asked at each use, too (catalog.c). What can be kept by that rule
 * is immutable.
 *
 * It must never keep a count of a sealed model: of those the facts alone are
 * kept. A model made or changed in this transaction is not kept, because its
 * versions could come again after a rollback. What is being made hangs on the
 * caller's memory until it is whole, so an error leaves nothing half made.
 * Whoever uses a kept model pins it by a callback of his own memory context:
 * if it is thrown out meanwhile it goes with its last user.
 */
#include "pegs.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "lib/ilist.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define MAX_MODELS 16
#define MAX_BYTES ((Size) 64 * 1024 * 1024)

/* Which version of which row. */
typedef struct Version
{
	Oid			relid;
	TransactionId xmin;			/* InvalidTransactionId: there is no row */
	ItemPointerData ctid;
} Version;

struct PegsKept
{
	dlist_node	node;			/* of the list below: last used first */
	bool		listed;
	int			pins;
	MemoryContext context;		/* all of it */
	uint64		types;			/* types_changed when it was read */
	bool		has_enums;
	Version		row;			/* of pegs_internal.model */
	Version		body;			/* of pegs_internal.body */
	PegsModel	model;			/* its facts, and no user's grant */
	pegs_wire  *wire;			/* perturbed: its tables, when they were asked for */
	pegs_draw  *draw;			/* and its tree, ready to draw from */
};

static dlist_head kept_models = DLIST_STATIC_INIT(kept_models);
static uint64 types_changed = 0;	/* how often a type or an enum's label may have been altered */

/* ---- rows ---- */

/* The index of a table of ours that begins with this column. */
static Oid
index_on(Relation rel, AttrNumber attnum)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			found = InvalidOid;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index;

		if (!HeapTupleIsValid(tuple))
			continue;
		index = (Form_pg_index) GETSTRUCT(tuple);
		if (index->indisvalid && index->indkey.values[0] == attnum)
			found = lfirst_oid(cell);
		ReleaseSysCache(tuple);
	}
	list_free(indexes);
	return found;
}

typedef struct Lookup
{
	Relation	rel;
	Relation	index;
	Snapshot	snapshot;
	SysScanDesc scan;
	HeapTuple	tuple;			/* NULL: no such row */
} Lookup;

/* The row of pegs_internal.`table` whose `column` is `key`, by its index, as a statement of this moment would see it. */
static void
look_up(Lookup *lookup, const char *table, const char *column, RegProcedure equal, Datum key)
{
	AttrNumber	attnum;
	ScanKeyData scankey;

	lookup->rel = table_open(pegs_internal_relation(table), AccessShareLock);
	attnum = get_attnum(RelationGetRelid(lookup->rel), column);
	lookup->index = index_open(index_on(lookup->rel, attnum), AccessShareLock);
	lookup->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	/* the index is searched by its own collation */
	ScanKeyEntryInitialize(&scankey, 0, attnum, BTEqualStrategyNumber, InvalidOid, lookup->index->rd_indcollation[0], equal, key);
	lookup->scan = systable_beginscan(lookup->rel, RelationGetRelid(lookup->index), true, lookup->snapshot, 1, &scankey);
	lookup->tuple = systable_getnext(lookup->scan);
}

static void
look_up_end(Lookup *lookup)
{
	systable_endscan(lookup->scan);
	UnregisterSnapshot(lookup->snapshot);
	index_close(lookup->index, AccessShareLock);
	table_close(lookup->rel, AccessShareLock);
}

static Version
version_of(const Lookup *lookup)
{
	Version		version = {RelationGetRelid(lookup->rel), InvalidTransactionId, {{0, 0}, 0}};

	if (lookup->tuple)
	{
		version.xmin = HeapTupleHeaderGetRawXmin(lookup->tuple->t_data);
		version.ctid = lookup->tuple->t_self;
	}
	return version;
}

static bool
same_version(const Version *a, const Version *b)
{
	return a->relid == b->relid && a->xmin == b->xmin
		&& ItemPointerEquals((ItemPointer) &a->ctid, (ItemPointer) &b->ctid);
}

/* A version that no other row will ever have: its transaction has ended. */
static bool
is_settled(const Version *version)
{
	return !TransactionIdIsValid(version->xmin) || !TransactionIdIsCurrentTransactionId(version->xmin);
}

/* A column by its name; a column that this version of the SQL does not have is null. */
static Datum
column_of(const Lookup *lookup, const char *name, bool *isnull)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(lookup->rel), name);

	*isnull = true;
	return attnum == InvalidAttrNumber ? (Datum) 0 : heap_getattr(lookup->tuple, attnum, RelationGetDescr(lookup->rel), isnull);
}

static Datum
needed(const Lookup *lookup, const char *name)
{
	bool		isnull;
	Datum		value = column_of(lookup, name, &isnull);

	if (isnull)
		elog(ERROR, "unexpected null in pegs_internal");
	return value;
}

/* ---- what is kept ---- */

static Size
bytes_of(const PegsKept *kept)
{
	return MemoryContextMemAllocated(kept->context, true);
}

static void
forget(PegsKept *kept)
{
	if (kept->listed)
		dlist_delete(&kept->node);
	kept->listed = false;
	if (kept->pins > 0)
		return;					/* goes with its last user */
	explicit_bzero(kept->model.key, sizeof(kept->model.key));
	MemoryContextDelete(kept->context);
}

/* Throws out what was not used for longest until the rest is within bounds. */
static void
keep_within_bounds(void)
{
	dlist_mutable_iter iter;
	int			models = 0;
	Size		bytes = 0;

	dlist_foreach_modify(iter, &kept_models)
	{
		PegsKept   *kept = dlist_container(PegsKept, node, iter.cur);
		Size		own = bytes_of(kept);

		models++;
		bytes += own;
		if (kept->pins > 0 || (models <= MAX_MODELS && bytes <= MAX_BYTES))
			continue;
		models--;
		bytes -= own;
		forget(kept);
	}
}

/* A callback of the memory context that used it: at the end of the call, or of the transaction that failed. */
static void
unpin(void *arg)
{
	PegsKept   *kept = arg;

	if (--kept->pins > 0)
		return;
	if (!kept->listed)
		forget(kept);
	keep_within_bounds();
}

static void
pin(PegsKept *kept)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	callback->func = unpin;
	callback->arg = kept;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	kept->pins++;
}

static void
type_was_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	types_changed++;
}

/* From the caller's memory to the session's. */
static void
keep(PegsKept *kept)
{
	static bool watching = false;

	if (!watching)
	{
		CacheRegisterSyscacheCallback(TYPEOID, type_was_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(ENUMOID, type_was_changed, (Datum) 0);
		watching = true;
	}
	pin(kept);
	MemoryContextSetParent(kept->context, TopMemoryContext);
	dlist_push_head(&kept_models, &kept->node);
	kept->listed = true;
}

/* What is kept of this model, if that is what the tables say now. */
static PegsKept *
find_kept(int64 id, const Version *row, const Version *body)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &kept_models)
	{
		PegsKept   *kept = dlist_container(PegsKept, node, iter.cur);

		if (kept->model.id != id)
			continue;
		if (same_version(&kept->row, row) && same_version(&kept->body, body)
			&& (kept->types == types_changed || !kept->has_enums))
		{
			pin(kept);
			dlist_move_head(&kept_models, &kept->node);
			return kept;
		}
		forget(kept);
	}
	return NULL;
}

/* ---- reading ---- */

static PegsSpec *
read_spec(const Lookup *lookup, bool *by_name)
{
	char	   *words = TextDatumGetCString(needed(lookup, "spec"));
	bool		isnull;
	Datum		value = column_of(lookup, "types", &isnull);
	Datum	   *items;
	bool	   *nulls;
	Oid		   *types;
	int			n;

	*by_name = isnull;
	if (isnull)
		return pegs_spec_stored(words, 0, NULL);
	deconstruct_array(DatumGetArrayTypeP(value), REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT, &items, &nulls, &n);
	types = palloc(sizeof(Oid) * (n + 1));
	for (int i = 0; i < n; i++)
		types[i] = nulls[i] ? InvalidOid : DatumGetObjectId(items[i]);
	return pegs_spec_stored(words, n, types);
}

static void
read_facts(const Lookup *lookup, PegsModel *model)
{
	bool		isnull;
	Datum		value;

	model->id = DatumGetInt64(needed(lookup, "id"));
	value = column_of(lookup, "name", &isnull);
	model->name = isnull ? NULL : TextDatumGetCString(value);
	model->source = DatumGetObjectId(needed(lookup, "source"));
	model->account = DatumGetObjectId(needed(lookup, "account"));
	model->sealed = DatumGetBool(needed(lookup, "sealed"));
	model->epsilon = DatumGetInt64(needed(lookup, "epsilon"));
	model->delta = DatumGetInt64(needed(lookup, "delta"));
	model->counted_by = TextDatumGetCString(needed(lookup, "counts"));
	value = column_of(lookup, "key", &isnull);
	if (!isnull)
		memcpy(model->key, VARDATA_ANY(DatumGetByteaPP(value)), PEGS_KEY_BYTES);
	model->rows_per_unit = DatumGetInt32(needed(lookup, "rows_per_unit"));
	value = column_of(lookup, "unit_column", &isnull);
	model->unit_column = isnull ? NULL : TextDatumGetCString(value);
	model->has_unit = model->rows_per_unit > 1 || !isnull;
	value = column_of(lookup, "rows_each", &isnull);
	model->rows_each = isnull ? 0 : DatumGetInt32(value);
	if (model->rows_each == 1)
	{
		/* of a file that says: a person, of whom one row is read. Which column told persons apart it does not say. */
		model->has_unit = true;
		model->rows_each = 0;
	}
	model->structure_epsilon = DatumGetInt64(needed(lookup, "structure_epsilon"));
	value = column_of(lookup, "l_diversity", &isnull);
	model->l_diversity = isnull ? 0 : DatumGetFloat8(value);
	model->made_here = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(lookup->tuple->t_data));
}

/* A model that is not kept yet; it is, if it may be. */
static PegsKept *
read_model(const Lookup *lookup, const Version *row, const Version *body)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs model", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsKept   *kept = palloc0(sizeof(PegsKept));
	PegsDomain *domain;
	bool		by_name;

	kept->context = context;
	kept->row = *row;
	kept->body = *body;
	kept->types = types_changed;
	read_facts(lookup, &kept->model);
	kept->model.spec = read_spec(lookup, &by_name);
	kept->model.kept = kept;
	domain = kept->model.spec->domain;
	domain->kept = palloc0(sizeof(PegsKeptColumn) * domain->ncols);
	domain->context = context;
	for (int i = 0; i < domain->ncols; i++)
		kept->has_enums |= !OidIsValid(domain->column[i].type) || get_typtype(domain->column[i].type) == TYPTYPE_ENUM;
	MemoryContextSwitchTo(old);
	/* what was found by name belongs to this caller's rights */
	if (!by_name && is_settled(row) && is_settled(body))
		keep(kept);
	return kept;
}

/* The model whose `column` is `key`: a copy that is the caller's own, of facts that are not. NULL: there is none. */
static PegsModel *
find_model(const char *column, RegProcedure equal, Datum key)
{
	Lookup		lookup;
	Lookup		body_lookup;
	Version		row;
	Version		body;
	int64		id;
	PegsKept   *kept;
	PegsModel  *model;

	look_up(&lookup, "model", column, equal, key);
	if (lookup.tuple == NULL)
	{
		look_up_end(&lookup);
		return NULL;
	}
	row = version_of(&lookup);
	id = DatumGetInt64(needed(&lookup, "id"));
	look_up(&body_lookup, "body", "model", F_INT8EQ, Int64GetDatum(id));
	body = version_of(&body_lookup);
	look_up_end(&body_lookup);
	kept = find_kept(id, &row, &body);
	if (kept == NULL)
		kept = read_model(&lookup, &row, &body);
	look_up_end(&lookup);
	model = palloc(sizeof(PegsModel));
	*model = kept->model;
	return model;
}

PegsModel *
pegs_find_model(const char *name)
{
	return find_model("name", F_TEXTEQ, CStringGetTextDatum(name));
}

PegsModel *
pegs_model_by_id(int64 id)
{
	return find_model("id", F_INT8EQ, Int64GetDatum(id));
}

/* ---- tables ---- */

static bytea *
read_body(int64 id, Version *version)
{
	Lookup		lookup;
	bytea	   *body = NULL;

	look_up(&lookup, "body", "model", F_INT8EQ, Int64GetDatum(id));
	if (lookup.tuple)
	{
		body = DatumGetByteaPCopy(needed(&lookup, "body"));
		pegs_unmask(body);
	}
	*version = version_of(&lookup);
	look_up_end(&lookup);
	return body;
}

bytea *
pegs_model_body(int64 id)
{
	Version		version;

	return read_body(id, &version);
}

/* The tables must be of the model's own kind, and counted by its own facts. */
static void
read_tables(const pegs_env *env, const PegsModel *model, const bytea *body, pegs_wire *wire)
{
	const char *name = model->name ? model->name : "(dropped)";

	pegs_read_bytes(env, body, wire);
	if (wire->kind != (model->sealed ? (uint32_t) model->spec->tables : PEGS_WIRE_MODEL)
		|| wire->spec_len != strlen(model->spec->text) || memcmp(wire->spec, model->spec->text, wire->spec_len) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the tables of model \"%s\" are not its own", name),
				 errdetail("They were made for other facts: pegs_internal.body was changed."),
				 errhint("Restore a backup, or drop the model and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(name))));
	wire->spec = model->spec->text;
}

/* The tables of a model. False if it has none. */
bool
pegs_model_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire)
{
	PegsKept   *kept = model->kept;
	MemoryContext context;
	MemoryContext old;
	pegs_env	own;
	pegs_wire  *read;
	Version		version;
	bytea	   *body;

	if (kept->wire)
	{
		*wire = *kept->wire;
		return true;
	}
	body = read_body(model->id, &version);
	if (body == NULL)
		return false;
	if (model->sealed || !same_version(&version, &kept->body))
	{
		/* exact counts are never kept; nor is what was changed since the facts were read */
		read_tables(env, model, body, wire);
		pfree(body);
		return true;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs tables", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	own = pegs_env_in(context);
	read = palloc0(sizeof(pegs_wire));
	read_tables(&own, model, body, read);
	MemoryContextSwitchTo(old);
	pfree(body);
	MemoryContextSetParent(context, kept->context);
	kept->wire = read;
	*wire = *read;
	return true;
}

/* The tree of a model that nothing is given of, ready to draw from; NULL: it is not kept. */
const pegs_draw *
pegs_model_draw(const PegsModel *model)
{
	PegsKept   *kept = model->kept;
	MemoryContext context;
	MemoryContext old;
	pegs_env	env;
	pegs_draw  *draw;

	if (kept == NULL || kept->wire == NULL)
		return NULL;
	if (kept->draw)
		return kept->draw;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs tree", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	env = pegs_env_in(context);
	draw = palloc0(sizeof(pegs_draw));
	if (pegs_draw_init(&env, &kept->wire->fitted, NULL, draw) != PEGS_OK)
		elog(ERROR, "a model has no rows to draw");
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, kept->context);
	return kept->draw = draw;
}

double
pegs_model_rows(const PegsModel *model)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	if (!pegs_model_tables(&env, model, &wire))
		elog(ERROR, "the body of a model is missing");
	return wire.fitted.rows;
}
