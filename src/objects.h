/*
 * objects.h
 *	  What the files about models and releases as objects share: names
 *	  (name.c), who may use them (grant.c), how they go (drop.c).
 */
#ifndef PEGS_OBJECTS_H
#define PEGS_OBJECTS_H

#include "pegs.h"

#include "access/genam.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

/* A model or release. */
typedef struct PegsObject
{
	int64		id;
	Oid			account;
	bool		is_release;
	bool		sealed;			/* a model that charges for its rows */
} PegsObject;

/* By what right somebody uses an object. */
typedef struct PegsGrant
{
	bool		curator;		/* by none: the table is the caller's */
	int64		id;				/* of the row of pegs_internal.access */
	Oid			grantee;		/* InvalidOid: everybody */
	bool		capped;
	bool		has_max_rows;	/* stored by releases of the grantee */
	bool		has_max_releases;
	int64		max_rows;
	int64		max_releases;
} PegsGrant;

/* ---- stored.c: rows of pegs_internal without SQL ---- */

/* Which version of which row. */
typedef struct PegsVersion
{
	Oid			relid;
	TransactionId xmin;			/* InvalidTransactionId: there is no row */
	ItemPointerData ctid;
} PegsVersion;

typedef struct PegsLookup
{
	Relation	rel;
	Relation	index;
	Snapshot	snapshot;
	SysScanDesc scan;
	HeapTuple	tuple;			/* NULL: no such row */
} PegsLookup;

extern void pegs_look_up(PegsLookup *lookup, const char *table, const char *column, RegProcedure equal, Datum key);
extern void pegs_look_up_end(PegsLookup *lookup);
extern PegsVersion pegs_version_of(const PegsLookup *lookup);
extern bool pegs_same_version(const PegsVersion *a, const PegsVersion *b);
extern bool pegs_is_settled(const PegsVersion *version);
extern Datum pegs_stored_column(const PegsLookup *lookup, const char *name, bool *isnull);
extern Datum pegs_needed_column(const PegsLookup *lookup, const char *name);

/* ---- name.c ---- */

/*
 * A moment in which one session alone looks at what others have not committed
 * yet and adds its own row. Never kept longer than that.
 */
extern void pegs_lock_moment(void);
extern void pegs_unlock_moment(void);

/* What this transaction holds by a grantee's will must end with it: it cannot be prepared. */
extern void pegs_refuse_prepare(void);
extern void pegs_guard_prepare(void);	/* once, when the library is loaded */

/* ---- grant.c ---- */

extern bool pegs_find_object(const char *name, PegsObject *object);	/* whatever the transaction's snapshot */
extern bool pegs_find_grant(int64 object, Oid account, PegsGrant *grant);
extern PegsObject pegs_own_object(const char *name, const char *action, bool maker_may);
extern void pegs_hold_object(const PegsObject *object, const char *name);
extern uint64 pegs_delete_grants(const char *where, int nargs, const PegsArg *args);
extern void pegs_sweep_caps(void);

/* ---- maker.c: who made a release, and by what grant ---- */

extern void pegs_record_maker(int64 release, const PegsModel *model, int64 n);
extern bool pegs_is_maker(int64 release);
extern int64 pegs_count_open_releases(int64 model, const Oid *role);

/* ---- drop.c ---- */

extern void pegs_drop_model(int64 model, const char *name);
extern void pegs_drop_release(int64 release, const char *name);
extern void pegs_sweep_models(void);

/* Releases of a model, made by a grant to `role` (NULL: all): says which there are; drops them and gives how many. */
extern void pegs_tell_releases(const PegsObject *model, const char *name, const Oid *role);
extern uint64 pegs_take_releases(const PegsObject *model, const char *name, const Oid *role);

#endif							/* PEGS_OBJECTS_H */
