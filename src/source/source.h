/*
 * source.h
 *	  A table as somebody may see it: whose it is, who may do what, how its rows are read.
 */
#ifndef PEGS_SOURCE_H
#define PEGS_SOURCE_H

#include "server/server.h"
#include "codes/column.h"

#include "foreign/foreign.h"
#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "tcop/dest.h"
#include "utils/resowner.h"

/* ---- source.c: which table a source reads, and whose it is ---- */

typedef struct PegsSource
{
	Oid			relid;			/* as named */
	Oid			account;		/* the base table whose budget pays */
	Oid			rows;			/* relid, or what the views end at: whose owner the rows belong to */
	List	   *chain;			/* of Oid: relid, the views below it, rows; all locked */
	List	   *parts;			/* of Oid: rows, its partitions and children, as they were locked and looked at: no others are read */
	List	   *stored_by;		/* of Oid, while it is looked at: whose rights a materialized view was made with; NIL: there is none above */
	List	   *stored;			/* of Oid: the materialized views on the way, from above */
	Oid			stores;			/* whose rights the lowest of these was made with; InvalidOid: there is none */
	Oid			asks;			/* as whom other servers are asked for rows; InvalidOid, while it is looked at: as the owner of the table */
	bool		unread;			/* its rows are neither read nor charged for: that each is there once was not asked */
	char	   *name;			/* qualified, quoted: for messages (reading.c names it anew for a query) */
	char	   *unit_column;	/* whose row it is, or NULL: the unit is a row (pegs_load_unit) */
	int			rows_per_unit;	/* by which one person changes what is counted, at most */
	const char *range;			/* which rows alone, a condition in SQL of public facts; NULL: all */
	const char *chosen_by;		/* the argument that chooses its columns, for a hint; "": there is none; NULL: columns */
	const char *apart;			/* a column that another argument names; or NULL */
	int			rows_each;		/* persons weigh equally: each gives so many rows; 0: rows weigh equally */
	List	   *counted;		/* of PegsBound: by which bindings its rows are counted, and those of tables read with it; for a bill */
} PegsSource;

extern PegsSource *pegs_source(Oid relid);	/* locks it and all that it reads */
extern PegsSource *pegs_source_unread(Oid relid);	/* to print what is declared of it, or to forget it */
extern char *pegs_relation_name(Relation rel);	/* as it is called now: qualified, quoted */
extern char *pegs_relation_words(Oid relid);	/* for a hint: qualified, quoted; NULL: the relation is gone */
extern char *pegs_relation_literal(Oid relid);	/* as regclass reads it back; NULL: the relation is gone */
extern Oid	pegs_source_parent(Oid relid);	/* partition or inheritance parent, or InvalidOid */
extern Oid	pegs_topmost(Oid relid);	/* the whole of which it is a part; or itself */
extern bool pegs_base_column(const PegsSource *source, AttrNumber attnum, AttrNumber *base_attnum);	/* of the account */
extern bool pegs_source_column(Oid relid, AttrNumber attnum, Oid *base, AttrNumber *base_attnum);	/* one view down */

/* ---- expressions.c: what an expression may be made of ---- */

extern bool pegs_calls_by_type(Oid funcid);	/* what it calls is said by the type of what it is given */
extern bool pegs_function_is_foreign(Oid funcid, void *context);	/* not the server's own, or the former; for check_functions_in_node */
extern bool pegs_expression_problem(Node *node, const char **problem);	/* a walker: foreign functions and their like */
extern const char *pegs_mutable_problem(Node *node);	/* what is not immutable in it; or NULL */

/* ---- named.c: a relation that an option names; a column ---- */

extern Oid	pegs_relation_named(const char *name, const char *what, const char *example);	/* what: "\"prior\" names a table" */
extern char *pegs_name_of_column(Oid relid, AttrNumber attnum);	/* as it is named now; NULL: it was dropped */

/* ---- origin.c: which table an account belongs to ---- */

extern bool pegs_is_dead(Oid account, Oid *owner);	/* its table was dropped */
extern bool pegs_was_another(Oid account, Oid *owner);	/* this transaction's snapshot shows a dropped table under its number */
extern void pegs_note_origin(Oid account);	/* keeps what the table is known by, and whose it is */
extern void pegs_insert_origin(Oid relation, TransactionId made, Oid owner, bool dropped);

/* Called before a table is used. Of models, which are above: pegs.c sets it when the library is loaded. */
extern void (*pegs_settle_first) (Oid account);

/* ---- owner.c: whose a relation is ---- */

extern Oid	pegs_owner_of(Oid relid);	/* InvalidOid: it is gone */
extern bool pegs_is_invoker(Relation view);	/* it is no owner's: below it is read as who runs the query */

/* ---- rights.c: who may do what ---- */

extern bool pegs_is_curator(Oid account);
extern void pegs_require_curator(Oid account, const char *action);
extern PegsSource *pegs_curated_source(Oid relid, const char *action);
extern PegsSource *pegs_curated_unread(Oid relid, const char *action);	/* as pegs_source_unread */
extern bool pegs_may_use_schema(Oid schema, Oid role);
extern void pegs_require_views(const PegsSource *source);	/* that ask another server, each as its owner */
extern void pegs_require_named_columns(Oid relid, Oid caller, const Bitmapset *columns);	/* SELECT on each; offset as selectedCols has them */

/* What a query's entry for a relation says of rights. */
#if PG_VERSION_NUM >= 160000
#define PEGS_RIGHTS_IN(query, rte) getRTEPermissionInfo((query)->rteperminfos, rte)
#else
#define PEGS_RIGHTS_IN(query, rte) (rte)
#endif

/* ---- reading.c: by what right the rows of a relation are read ---- */

typedef struct PegsReading
{
	Oid			relid;			/* locked */
	Oid			owner;			/* of relid: as whom its name is looked up */
	Oid			role;			/* as whom the query is planned and run */
	Oid			caller;			/* who has it read */
	char	   *name;			/* qualified, quoted: for FROM */
	List	   *chain;			/* all that a source's query may read; NIL: a relation that is no source */
	List	   *parts;			/* of Oid: the parts of relid, each read by a query of its own, locked; NIL: relid itself */
	List	   *part_names;		/* of char *: for FROM */
	List	   *named;			/* of Oid: of a query of several tables, what its legs name, in their order; NIL: relid, or its parts */
	List	   *only;			/* of Oid: locked and looked at: the only ones that are read; NIL: whatever is below relid, a view or read as its caller */
	Oid			once;			/* the table whose rows are charged for, and each counted once; InvalidOid: it is no source */
	Oid			asks;			/* of a source, as PegsSource has it */
	bool		guest;			/* the caller has no more than SELECT */
	bool		as_caller;		/* as a SELECT of his own: row security filters what he sees */
} PegsReading;

extern List *pegs_column_names(const PegsDomain *domain);
extern PegsReading *pegs_reading_source(const PegsSource *source, const PegsDomain *domain);	/* of the caller's own */
extern bool pegs_reading_parts(PegsReading *reading, const PegsSource *source);	/* each by itself, where some are elsewhere */
extern bool pegs_reading_these(PegsReading *reading, const PegsSource *source, List *parts);	/* each by itself, with all below it: false, not all may be */
extern void pegs_require_select(Oid relid, List *columns);	/* of any other: before anything is said of it */
#define PEGS_UNREADABLE "its lookup table cannot be read: "	/* before what that says */
extern char *pegs_unreadable(Oid relid, const List *parts, List *columns, char **remedy);	/* why that would be refused; NULL: it would not */
extern PegsReading *pegs_reading_relation(Oid relid, List *columns);	/* of any other: these columns */
extern PegsReading *pegs_reading_as_caller(Oid relid, List *columns);	/* as in a query of his own */
extern void pegs_require_listed(const PegsReading *reading, const List *relations);	/* of a plan */
extern void pegs_require_once(Oid relid, const List *parts, const List *stored, Oid asks);	/* no row is of two of them, as far as the catalog tells */
extern char *pegs_columns_it_has(Oid relid);	/* for a hint; it is locked */

/* ---- strangers.c: whose functions a query of ours calls ---- */

extern void pegs_require_no_strangers(const PegsReading *r, Query *query);	/* nobody's but of who owns the rows */

/* ---- citus.c: what is assumed of Citus ---- */

extern bool pegs_citus_distributes(Oid relid);
extern void pegs_citus_refuse_related(Oid relid);	/* as one of a model of several tables */
extern const char *pegs_citus_why_whole(Oid relid, const List *parts, Oid role);	/* it is not read shard by shard; or NULL */
extern int	pegs_citus_shards(Oid relid, int64 **number);
extern char *pegs_citus_query(Oid relid, const char *what, int nshards);	/* for pegs_read: what of each shard */
extern void pegs_citus_require_coordinator(Oid account);	/* before its account is made, pays or is marked */

/* ---- same_rows.c: foreign tables that stand for the same rows ---- */

extern bool pegs_has_foreign(const List *parts);
extern List *pegs_rows_at(const List *parts, Oid asks);	/* where the rows of the foreign ones are; by whose user mapping: InvalidOid, the owner's of each */
extern bool pegs_rows_meet(const List *these, const List *those);	/* the same, of another part */
extern bool pegs_same_rows(const List *parts, Oid asks, Oid *one, Oid *other);	/* of a table that is read as a whole, locked */

/* ---- back.c: where other servers are ---- */

extern const char *pegs_option_of(const List *options, const char *name, const char *otherwise);
extern Oid	pegs_leads_back(Oid relid, Oid asks);	/* a foreign table; to what relation of this database: InvalidOid: none is known */
extern void pegs_require_few_hosts(const List *parts);	/* of a server that is one of too many it is not known which */
extern List *pegs_places_there(Oid relid, Oid asks);	/* of char *: where the rows of a foreign table may be; NIL: not of postgres_fdw */

/* ---- legs.c: rows counted where they are, by aggregates ---- */

#define PEGS_PERSON_ARGUMENTS 5	/* rows, alike, type, here, person: after what is counted, and before the columns */

/* Which aggregate counts what: on this server, and as another server is asked. A state each, and the number of the leg from 1 on. */
typedef struct PegsCounted
{
	bool		persons;		/* person by person: a leg's last columns are those arguments */
	Oid			local;			/* (bytea, ..., VARIADIC "any") */
	bytea	   *local_what;
	Oid			shipped;		/* (json, ..., VARIADIC "any") */
	text	   *shipped_what;
	List	   *shipped_legs;	/* of int, from 1 on: which may be counted on another server */
	int			before;			/* legs of queries before this one */
	bool		as_one;			/* by no aggregate for each partition of what is read as a whole: each would hold tables of its own */
	int			workers;		/* of this server: how many took part */
	List	   *pulled;			/* of Oid: foreign tables whose rows came here, by the plan */
} PegsCounted;

/* The name of a constraint that nobody violates: it marks an error whose words are our own, in a parallel worker, too. */
#define PEGS_OWN_WORDS "pegs: its own words"

extern List *pegs_legs(Query *query);
extern bool pegs_legs_name(Query *query, List *named);	/* relations, in this order? */
extern void pegs_count_legs(Query *query, PegsCounted *counted);
extern bool pegs_saw_legs(PlanState *state, void *counted);	/* a walker: what the plan does */

/* ---- quiet.c: nothing shows what was read ---- */

extern void pegs_set_quiet_option(const char *name, const char *value);	/* until the level ends */
extern void pegs_count_nothing(void);
extern void pegs_say_nothing(void);
extern void pegs_own_words(void *arg);	/* an ErrorContextCallback */
extern void pegs_lock_whole(List *relations, Snapshot snapshot);
extern void pegs_abort_shows_nothing(void);

/* While files of ours hold rows. */
typedef struct PegsQuiet
{
	int			guc_level;
	int64		read;			/* blocks of temporary files before */
	int64		written;
} PegsQuiet;

extern void pegs_begin_quiet(PegsQuiet *quiet);
extern void pegs_forget_files(const PegsQuiet *quiet);	/* also after an error */
extern void pegs_end_quiet(const PegsQuiet *quiet);

/* ---- reader.c: runs a reading ---- */

/* SELECT ... FROM reading->name, all rows; the columns have the domain's types, if there is one. */
extern void pegs_read(const PegsReading *reading, const char *query, const PegsDomain *domain, DestReceiver *receiver);

/* As pegs_read, but the receiver gets states: SELECT ... FROM a part, UNION ALL of them where there are several. Queries of char *, one after the other, of one snapshot. */
extern void pegs_read_states(const PegsReading *reading, List *queries, const PegsDomain *domain, PegsCounted *counted, DestReceiver *receiver);

/* ---- foreign.c: what the catalog says of a foreign table ---- */

extern bool pegs_foreign(Oid relid, ForeignServer **server, List **options);	/* false: it is no foreign table, or it is being dropped */
extern bool pegs_server_is_of(const ForeignServer *server, const char *handler);	/* by the handler of its wrapper, a function in C */
extern List *pegs_servers_of(const List *parts);	/* of Oid: of the foreign ones, each once */

/* ---- servers.c: other servers that take part ---- */

typedef struct PegsServers
{
	List	   *names;			/* of all that are asked */
	const char *at;				/* whose turn it is; NULL: this server's */
} PegsServers;

extern void pegs_add_servers(PegsServers *servers, const List *relations);
extern bool pegs_find_servers(Node *node, void *servers);	/* a walker: of what a query reads */
extern bool pegs_require_mappings(Node *node, void *reading);	/* a walker: each has a user mapping of the role that is asked for */
extern void pegs_watch_servers(PegsServers *servers, PlanState *plan);
extern void pegs_throw_of_servers(const char *name, const PegsServers *servers, const ErrorData *error) __attribute__((noreturn));	/* of a reading of that name */

/* ---- connections.c: where rows come from ---- */

extern void pegs_note_connections(PlanState *plan);	/* its scans have begun */
extern bool pegs_not_read_there(const List *servers, bool before);	/* of Oid: in this transaction, from somewhere else than one of them is now; before: and would be */
extern bool pegs_connections_are_unknown(void);	/* postgres_fdw is too old to say it */

/* ---- apart.c: rows of other servers are read in a subtransaction ---- */

typedef struct PegsApart
{
	bool		begun;
	ResourceOwner owner;		/* of before: what outlives the reading is its */
	MemoryContext memory;		/* of before */
} PegsApart;

extern void pegs_begin_apart(PegsApart *apart, bool needed);	/* false: nothing is begun */
extern void pegs_end_apart(PegsApart *apart);	/* rolls it back */
extern void pegs_note_asked(MemoryContext memory, const PegsReading *r, const PlannedStmt *plan, const PegsServers *servers);
extern void pegs_require_asked(void);	/* before a charge: the servers that this call has asked are still there; or an error */

#endif							/* PEGS_SOURCE_H */
