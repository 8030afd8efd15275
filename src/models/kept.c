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
#include "models/models.h"
#include "read/read.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/ilist.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#define MAX_MODELS 16
#define MAX_BYTES ((Size) 64 * 1024 * 1024)

struct PegsKept
{
	dlist_node	node;			/* of the list below: last used first */
	bool		listed;
	int			pins;
	MemoryContext context;		/* all of it */
	uint64		types;			/* types_changed when it was read */
	bool		has_enums;
	PegsVersion		row;			/* of pegs_internal.model */
	PegsVersion		body;			/* of pegs_internal.body */
	PegsModel	model;			/* its facts, and no user's grant */
	pegs_wire  *wire;			/* perturbed: its tables, when they were asked for */
	void	   *prepared;		/* and what its method has prepared to draw from */
};

static dlist_head kept_models = DLIST_STATIC_INIT(kept_models);
static uint64 types_changed = 0;	/* how often a type or an enum's label may have been altered */

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
find_kept(int64 id, const PegsVersion *row, const PegsVersion *body)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &kept_models)
	{
		PegsKept   *kept = dlist_container(PegsKept, node, iter.cur);

		if (kept->model.id != id)
			continue;
		if (pegs_same_version(&kept->row, row) && pegs_same_version(&kept->body, body)
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

/* May a type be dropped, or its labels renamed? One that was dropped may be whatever has its number now. */
static bool
may_change(Oid type)
{
	return !OidIsValid(type) || get_typtype(type) == TYPTYPE_ENUM;
}

/* A model that is not kept yet; it is, if it may be. */
static PegsKept *
read_model(const PegsLookup *lookup, const PegsVersion *row, const PegsVersion *body)
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
	pegs_read_facts(lookup, &kept->model);
	kept->model.spec = pegs_read_spec(lookup, &by_name);
	kept->model.method_is_false |= !pegs_settle_stored_options(kept->model.spec, kept->model.method);
	kept->model.kept = kept;
	domain = kept->model.spec->domain;
	domain->kept = palloc0(sizeof(PegsKeptColumn) * domain->ncols);
	domain->context = context;
	for (int i = 0; i < domain->ncols; i++)
		kept->has_enums |= may_change(domain->column[i].type);
	for (int t = 0; kept->model.spec->related && t < kept->model.spec->related->n; t++)
	{
		const PegsDomain *own = kept->model.spec->related->member[t].spec->domain;

		for (int i = 0; i < own->ncols; i++)
			kept->has_enums |= may_change(own->column[i].type);
	}
	kept->has_enums |= kept->model.slice && may_change(kept->model.slice->type);
	MemoryContextSwitchTo(old);
	/* what was found by name belongs to this caller's rights */
	if (!by_name && pegs_is_settled(row) && pegs_is_settled(body))
		keep(kept);
	return kept;
}

/* The model whose `column` is `key`: a copy that is the caller's own, of facts that are not. NULL: there is none. */
static PegsModel *
find_model(const char *column, RegProcedure equal, Datum key)
{
	PegsLookup		lookup;
	PegsLookup		body_lookup;
	PegsVersion		row;
	PegsVersion		body;
	int64		id;
	PegsKept   *kept;
	PegsModel  *model;

	pegs_look_up(&lookup, "model", column, equal, key);
	if (lookup.tuple == NULL)
	{
		pegs_look_up_end(&lookup);
		return NULL;
	}
	row = pegs_version_of(&lookup);
	id = DatumGetInt64(pegs_needed_column(&lookup, "id"));
	pegs_look_up(&body_lookup, "body", "model", F_INT8EQ, Int64GetDatum(id));
	body = pegs_version_of(&body_lookup);
	pegs_look_up_end(&body_lookup);
	kept = find_kept(id, &row, &body);
	if (kept == NULL)
		kept = read_model(&lookup, &row, &body);
	pegs_look_up_end(&lookup);
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
read_body(int64 id, PegsVersion *version)
{
	PegsLookup		lookup;
	bytea	   *body = NULL;

	pegs_look_up(&lookup, "body", "model", F_INT8EQ, Int64GetDatum(id));
	if (lookup.tuple)
	{
		body = pegs_needed_bytes(&lookup, "body");
		pegs_unmask(body);
	}
	*version = pegs_version_of(&lookup);
	pegs_look_up_end(&lookup);
	return body;
}

bytea *
pegs_model_body(int64 id)
{
	PegsVersion		version;

	return read_body(id, &version);
}

/* Are they of the model's own kind, of its own cost, and counted by its own facts? */
bool
pegs_are_tables_of(const PegsModel *model, const pegs_wire *wire)
{
	const char *text = pegs_text_into_bytes(model->spec->text);

	if (wire->method && wire->method->accountant)
	{
		const pegs_accountant *cost = wire->method->accountant(wire->model);

		if (cost->epsilon != model->epsilon || cost->delta != model->delta || cost->rows_per_unit != (uint32_t) model->rows_per_unit)
			return false;
	}
	return wire->kind == (model->method->walk ? model->method->kind : (uint32_t) model->spec->tables)
		&& wire->spec_len == strlen(text) && memcmp(wire->spec, text, wire->spec_len) == 0;
}

static void
read_tables(const pegs_env *env, const PegsModel *model, const bytea *body, pegs_wire *wire)
{
	const char *name = model->name ? model->name : "(dropped)";

	pegs_read_bytes(env, body, wire);
	if (!pegs_are_tables_of(model, wire))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the tables of model \"%s\" are not its own", name),
				 errdetail("They were made for other facts: pegs_internal.body was changed."),
				 errhint("Restore a backup, or drop the model and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(name))));
	wire->spec = pegs_text_into_bytes(model->spec->text);
}

/* The tables of a model. False if it has none: whoever needs them calls pegs_require_tables. */
bool
pegs_model_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire)
{
	PegsKept   *kept = model->kept;
	MemoryContext context;
	MemoryContext old;
	pegs_env	own;
	pegs_wire  *read;
	PegsVersion		version;
	bytea	   *body;

	if (kept->wire)
	{
		*wire = *kept->wire;
		return true;
	}
	body = read_body(model->id, &version);
	if (body == NULL)
		return false;
	if (pegs_is_sealed(model) || !pegs_same_version(&version, &kept->body))
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
	if (model->spec->sloped)
		pegs_tell_shares(model->spec->domain, model->method, read->model);
	MemoryContextSwitchTo(old);
	pfree(body);
	MemoryContextSetParent(context, kept->context);
	kept->wire = read;
	*wire = *read;
	return true;
}

static bool
knows_shares(const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].nedges > 0 && domain->column[i].shares == NULL)
			return false;
	return true;
}

const PegsDomain *
pegs_drawn_domain(const PegsModel *model)
{
	const PegsDomain *domain = model->spec->domain;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	/* its tables are not read for nothing; a model without them: whoever draws says so */
	if (!model->spec->sloped || knows_shares(domain) || !pegs_model_tables(&env, model, &wire) || knows_shares(domain))
		return domain;
	return pegs_told_shares(domain, model->method, wire.model);
}

const void *
pegs_model_prepared(const PegsModel *model)
{
	PegsKept   *kept = model->kept;
	MemoryContext context;
	MemoryContext old;
	pegs_env	env;
	void	   *prepared;

	if (kept == NULL || kept->wire == NULL || model->method->prepare == NULL)
		return NULL;
	if (kept->prepared)
		return kept->prepared;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs prepared", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	env = pegs_env_in(context);
	prepared = model->method->prepare(&env, kept->wire->model);
	if (prepared == NULL)
		elog(ERROR, "a model has no rows to draw");
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, kept->context);
	return kept->prepared = prepared;
}

void
pegs_require_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire)
{
	if (!pegs_model_tables(env, model, wire))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no tables", model->name),
				 errdetail("Sealed models are left out of dumps: this one held %s.", pegs_kept_words(model->method)),
				 errhint("Drop it and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(model->name))));
}

int64
pegs_model_rows(const PegsModel *model)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;
	double		rows;

	pegs_require_tables(&env, model, &wire);
	rows = rint(model->method->rows(wire.model));
	/* of a file it may be any number */
	return rows < 9e18 ? (int64) rows : PG_INT64_MAX;
}
