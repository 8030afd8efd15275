/*
 * server.h
 *	  What every file of the extension needs of the server: the core's environment,
 *	  the extension's own tables, arguments, answers.
 */
#ifndef PEGS_SERVER_H
#define PEGS_SERVER_H

#include "postgres.h"

#include "access/attnum.h"
#include "access/genam.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "storage/itemptr.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "core/core.h"
#include "core/rng.h"

struct ReturnSetInfo;

/* Before 16 the macro does not export the function it declares. */
#if PG_VERSION_NUM < 160000
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(funcname) \
extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS); \
extern PGDLLEXPORT const Pg_finfo_record * CppConcat(pg_finfo_,funcname)(void); \
const Pg_finfo_record * \
CppConcat(pg_finfo_,funcname) (void) \
{ \
	static const Pg_finfo_record my_finfo = { 1 }; \
	return &my_finfo; \
} \
extern int no_such_variable
#endif


/* ---- env.c: what the core asks of the server ---- */

/* Core allocations are made in `context`; core loops check for interrupts. */
#define PEGS_ZEROED_AT_ONCE ((size_t) 16 * 1024 * 1024)
extern void pegs_in_large_pages(void *memory, size_t bytes);
extern void pegs_clear(void *memory, size_t bytes);	/* half a gigabyte takes long: of more than that a cancel is looked for between its parts */
extern pegs_env pegs_env_in(MemoryContext context);
extern pegs_env pegs_wiped_env_in(MemoryContext context);	/* all of it is wiped when it goes with the context, after an error, too; none goes before */

/* After each row: what it left behind is let go of when it is much, and every so many rows anyway. */
extern void pegs_let_go(MemoryContext scratch);

/* A key from the server's entropy, and a stream of it that is wiped with `context`. */
extern void pegs_new_key(uint8_t *key);
extern pegs_rng *pegs_rng_in(MemoryContext context, const uint8_t *key, uint64_t stream);

/* ---- state.c: the extension's own schema, and working as its owner ---- */

/* SPI as another role, search_path pinned, no session state to be changed. */
typedef struct PegsAs
{
	Oid			userid;
	int			sec_context;
	int			guc_level;
} PegsAs;

extern int pegs_pin_search_path(void);	/* of a new level, which AtEOXact_GUC ends */
extern void pegs_begin_as(PegsAs *saved, Oid role);
extern void pegs_begin_as_extension(PegsAs *saved);
extern void pegs_end_as(PegsAs *saved);
extern Oid	pegs_extension_owner(void);
extern Oid	pegs_extension_namespace(void);
extern const char *pegs_extension_schema(void);
extern Oid	pegs_internal_schema(void);
extern Oid	pegs_internal_relation(const char *name);
extern char *pegs_internal_name(Oid relid);	/* qualified, quoted */

/*
 * Is there this relation in pegs_internal, with this column (NULL: any)? Not what is newer than the SQL that is installed,
 * before ALTER EXTENSION UPDATE; nothing, where DROP EXTENSION has taken it away.
 */
extern bool pegs_keeps(const char *relation, const char *column);
extern void pegs_require_kept(const char *relation, const char *column);	/* or an error */

extern LocalTransactionId pegs_transaction(void);	/* the one that runs, by the number that it has in this session: it need not write */
extern void pegs_watch_schema(void);	/* once, when the library is loaded */
extern char *pegs_system_identifier(void);
extern int64 pegs_next_id(void);	/* as the extension's owner */
extern void pegs_insert_secret(const char *relation, int natts, Datum *values);	/* to the heap, without SQL */

/* ---- statement.c: statements on the tables of pegs_internal ---- */

/* As SPI_execute_with_args, and must give `expected`; args are (type, datum) pairs. No error shows the statement. */
typedef struct PegsArg
{
	Oid			type;
	Datum		value;
	bool		isnull;
} PegsArg;

extern void pegs_spi(const char *query, int expected, int nargs, const PegsArg *args);
extern void pegs_spi_now(const char *query, int expected, int nargs, const PegsArg *args);	/* whatever the transaction's snapshot */
extern void pegs_no_position(void *arg);	/* an error context callback: an error has no place in our text */

/* ---- args.c: arguments, checked in the order of the signature ---- */

extern char *pegs_arg_text(FunctionCallInfo fcinfo, int n, const char *name);	/* never empty */
extern char *pegs_arg_choice(FunctionCallInfo fcinfo, int n, const char *name);	/* one of a few words: who knows them refuses all others */
extern Oid	pegs_arg_oid(FunctionCallInfo fcinfo, int n, const char *name);
extern char *pegs_arg_column(FunctionCallInfo fcinfo, int n, const char *name, const char *example);
extern int64 pegs_arg_count(FunctionCallInfo fcinfo, int n, const char *name);	/* at least 1 */
extern int64 pegs_arg_epsilon(FunctionCallInfo fcinfo, int n, const char *name);	/* 0 if NULL */
extern int64 pegs_arg_delta(FunctionCallInfo fcinfo, int n, const char *name);
extern void pegs_say_large_delta(int64 delta);	/* a NOTICE, if it is no small print any more */
extern int64 pegs_arg_remaining(FunctionCallInfo fcinfo, int n, const char *name, int digits);	/* rounded down */
extern int	pegs_arg_tail_bits(FunctionCallInfo fcinfo, int n);
extern Jsonb *pegs_arg_object(FunctionCallInfo fcinfo, int n, const char *name);	/* NULL if NULL */
extern void pegs_require_flat(const ArrayType *array, const char *name);	/* an error, if it has two dimensions */
extern List *pegs_arg_names(FunctionCallInfo fcinfo, int n, const char *name);	/* NIL if NULL */
extern char **pegs_arg_literals(FunctionCallInfo fcinfo, int n, const char *name, int *count);	/* an array of any type, or its literal */
extern char *pegs_arg_literal(FunctionCallInfo fcinfo, int n, const char *name);	/* one value of any type, as text */
extern char **pegs_arg_texts(FunctionCallInfo fcinfo, int n, const char *name, int *count);
extern char *pegs_units_text(int64 units, int digits);	/* 100000000, 9 -> "0.1" */
extern Datum pegs_units_numeric(int64 units, int digits);
extern const char *pegs_clipped(const char *text);	/* for a message: cut, if it is long */

/* ---- json.c: what stands in an argument of JSON ---- */

extern char *pegs_json_key(const JsonbValue *key);	/* cut, if it is too long for any name */
extern char *pegs_json_scalar(const JsonbValue *value);	/* text of a scalar; NULL for null */

/* The members of a JSON object, one after the other: while (pegs_next_member(&members)) ... */
typedef struct PegsMembers
{
	JsonbIterator *it;
	char	   *name;			/* as pegs_json_key gives it */
	JsonbValue	value;
} PegsMembers;

extern PegsMembers pegs_members(JsonbContainer *object);
extern bool pegs_next_member(PegsMembers *members);

/* ---- comment.c: words beside statements that are printed ---- */

/* "-- words", in one line: a name may hold a line's end. No other literal begins a comment. */
extern char *pegs_comment(const char *format,...) pg_attribute_printf(1, 2);
extern const char *pegs_behind(const char *words);	/* a blank, or a line's end where they end in a comment */

/* ---- words.c: names, types and lists in statements that are printed ---- */

extern char *pegs_array_literal(const List *names);	/* of char *: "'{a, b}'" */
extern char *pegs_type_words(Oid type, int32 typmod);	/* with its schema, unless that is pg_catalog */
extern char *pegs_collate_words(Oid collation, Oid type);	/* " COLLATE a.b"; "": it is the type's */

/* ---- names_of_others.c: who may put something else under a name before a statement runs, in words; or NULL ---- */

extern bool pegs_is_others(Oid owner);
extern bool pegs_is_in_schema_of_others(Oid namespace);
extern const char *pegs_replaced_by_others(const char *what, Oid owner, Oid namespace);
extern const char *pegs_added_to_by_others(Oid namespace);

/* ---- of_others.c: code of others, which no statement that is printed may make run: its name and owner, in words; or NULL ---- */

extern const char *pegs_code_of_others(struct Node *expression, bool by_others);	/* by_others: it is of a table of somebody else */
extern const char *pegs_type_of_others(Oid type);	/* where a value is read, written or checked */
extern const char *pegs_owned_by_others(Oid type);	/* where it is cast, too */
extern const char *pegs_type_named_of_others(Oid type);	/* or by another of that name, when a statement runs that was printed now */
extern const char *pegs_generated_by_others(struct RelationData *rel, struct FormData_pg_attribute *att);

/* ---- result.c: a set of rows for the caller ---- */

/* A tuplestore and a row type for a set-returning function; in FROM only, if asked: what charges, charges once. */
extern struct ReturnSetInfo *pegs_materialize(FunctionCallInfo fcinfo, bool in_from);

/* Its two halves, for a row type that the caller gives: is the caller one that takes a set; the store. */
extern void pegs_require_set(FunctionCallInfo fcinfo, int mode);
extern struct ReturnSetInfo *pegs_begin_set(FunctionCallInfo fcinfo, TupleDesc desc);

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

/* The row whose `column` is `key`, by its index, as a statement of this moment would see it. */
extern void pegs_look_up(PegsLookup *lookup, const char *table, const char *column, RegProcedure equal, Datum key);
extern void pegs_look_up_end(PegsLookup *lookup);
extern PegsVersion pegs_version_of(const PegsLookup *lookup);
extern bool pegs_same_version(const PegsVersion *a, const PegsVersion *b);
extern bool pegs_is_settled(const PegsVersion *version);	/* its transaction has ended: no other row will have it */

/* A column that the installed SQL does not have yet is null; the second one must not be null. */
extern Datum pegs_stored_column(const PegsLookup *lookup, const char *name, bool *isnull);
extern Datum pegs_needed_column(const PegsLookup *lookup, const char *name);
extern bytea *pegs_needed_bytes(const PegsLookup *lookup, const char *name);

#endif							/* PEGS_SERVER_H */
