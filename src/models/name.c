/*
 * name.c
 *	  Names of models and releases: one namespace, and nobody waits for it.
 *
 * A name is a row of pegs_internal.name. Whoever takes one looks first, for a
 * moment alone, at what others have written and not committed: a name that is
 * being taken or dropped is an error at once. So an open transaction of a
 * grantee can keep its name from others, and make nobody wait. A prepared one
 * would keep it for ever: only a curator may prepare a release. Laws L5, L9.
 */
#include "models/models.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define MAX_BYTES (NAMEDATALEN - 1)	/* as of any other name */

/* ---- a moment alone ---- */

static void
moment_tag(LOCKTAG *tag)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, pegs_internal_relation("name"), InvalidOid, 0);
}

void
pegs_lock_moment(void)
{
	LOCKTAG		tag;

	moment_tag(&tag);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

void
pegs_unlock_moment(void)
{
	LOCKTAG		tag;

	moment_tag(&tag);
	LockRelease(&tag, ExclusiveLock, false);
}

/* ---- prepared transactions ---- */

static bool prepare_refused = false;

void
pegs_refuse_prepare(void)
{
	prepare_refused = true;
}

static void
before_prepare(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_PREPARE && prepare_refused)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a transaction in which a grantee made or dropped a release cannot be prepared"),
				 errdetail("Nobody could take the release's name until the prepared transaction ends."),
				 errhint("It is rolled back. Do it again and end it by COMMIT, or make or drop the release in a transaction of its own.")));
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
		prepare_refused = false;
}

void
pegs_guard_prepare(void)
{
	RegisterXactCallback(before_prepare, NULL);
}

/* ---- names ---- */

/* Would it break the line in which it is printed, or turn the reading around? */
static bool
is_control(pg_wchar c, bool unicode)
{
	if (c < 0x20 || c == 0x7f)
		return true;
	return unicode && ((c >= 0x80 && c < 0xa0)
					   || c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
}

static void
check_name(const char *name)
{
	size_t		bytes = strlen(name);
	/* a database of SQL_ASCII passes on what clients send, and they read it as UTF-8 */
	int			encoding = GetDatabaseEncoding() == PG_SQL_ASCII ? PG_UTF8 : GetDatabaseEncoding();
	pg_wchar   *wide;
	int			n;

	if (bytes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("a name must not be empty"),
				 errhint("Name the model or release: 'discharge_2026'")));
	if (bytes > MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("a name has at most %d bytes, this one has %zu", MAX_BYTES, bytes),
				 errhint("Choose a shorter name.")));
	wide = palloc(sizeof(pg_wchar) * (bytes + 1));
	n = pg_encoding_mb2wchar_with_len(encoding, name, wide, (int) bytes);
	for (int i = 0; i < n; i++)
		if (is_control(wide[i], encoding == PG_UTF8))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_NAME),
					 errmsg("a name must not hold control characters"),
					 errdetail("Character %d is one: a line of a certificate could be forged with it.", i + 1),
					 errhint("Use letters, digits, spaces and signs.")));
	pfree(wide);
}

typedef enum NameState
{
	NAME_FREE,
	NAME_TAKEN,
	NAME_IN_FLUX				/* another session has taken or dropped it, and not committed yet */
} NameState;

/* Of committed, own and others' uncommitted rows. */
static NameState
state_of_name(const char *name)
{
	Relation	rel = table_open(pegs_internal_relation("name"), AccessShareLock);
	Oid			index = pegs_internal_relation("name_pkey");
	Relation	by = index_open(index, AccessShareLock);
	SnapshotData dirty;
	ScanKeyData key;
	SysScanDesc scan;
	NameState	state = NAME_FREE;

	InitDirtySnapshot(dirty);
	ScanKeyEntryInitialize(&key, 0, 1, BTEqualStrategyNumber, InvalidOid, by->rd_indcollation[0], F_TEXTEQ,
						   CStringGetTextDatum(name));
	scan = systable_beginscan(rel, index, true, &dirty, 1, &key);
	while (state != NAME_IN_FLUX && HeapTupleIsValid(systable_getnext(scan)))
		state = TransactionIdIsValid(dirty.xmin) || TransactionIdIsValid(dirty.xmax) ? NAME_IN_FLUX : NAME_TAKEN;
	systable_endscan(scan);
	index_close(by, AccessShareLock);
	table_close(rel, AccessShareLock);
	return state;
}

/* What it tells is no more than the caller's views do. */
static void
refuse_taken(const char *name)
{
	PegsObject	object;

	if (pegs_find_object(name, &object) && pegs_usable_grant(object.id, object.account) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("model or release \"%s\" already exists", name),
				 errhint("Choose another name, or SELECT pegs_drop(%s); first.", quote_literal_cstr(name))));
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("name \"%s\" cannot be taken", name),
			 errhint("Choose another name.")));
}

void
pegs_refuse_read_only(void)
{
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a model or release cannot be made in a read-only transaction"),
				 errhint("Make it on the primary, in a read-write transaction; pegs_sample of a perturbed model and pegs_rows work here.")));
}

/* Takes the name with this transaction, or fails: it never waits for another one. */
void
pegs_take_name(const char *name)
{
	NameState	state;
	Datum		value;

	pegs_refuse_read_only();
	check_name(name);
	value = CStringGetTextDatum(name);
	pegs_lock_moment();
	state = state_of_name(name);
	if (state == NAME_FREE)
		pegs_insert_secret("name", 1, &value);
	pegs_unlock_moment();
	if (state == NAME_TAKEN)
		refuse_taken(name);
	if (state == NAME_IN_FLUX)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("name \"%s\" cannot be taken now", name),
				 errdetail("Another session is making or dropping an object of that name."),
				 errhint("Choose another name, or try again when that transaction has ended.")));
}
