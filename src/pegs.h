/*
 * pegs.h
 *	  What the files of the extension share: the glue between PostgreSQL and
 *	  the pure core.
 *
 * Walk: source.c says whose table it is, domain.c what is public about it,
 * encode.c turns Datums into codes, counter.c counts them, fit.c makes a model,
 * catalog.c keeps it, ledger.c charges, sample.c and release.c give rows.
 */
#ifndef PEGS_H
#define PEGS_H

#include "postgres.h"

#include "access/attnum.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "tcop/dest.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/relcache.h"

struct PegsModel;
struct PegsStream;
struct ReturnSetInfo;

#include "core/counts.h"
#include "core/draw.h"
#include "core/epsilon.h"
#include "core/engine.h"
#include "core/zeros.h"
#include "core/gibbs.h"
#include "core/rng.h"
#include "core/wire.h"
#include "compare/coded.h"

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
extern pegs_env pegs_env_in(MemoryContext context);

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

extern void pegs_begin_as(PegsAs *saved, Oid role);
extern void pegs_begin_as_extension(PegsAs *saved);
extern void pegs_end_as(PegsAs *saved);
extern Oid	pegs_extension_owner(void);
extern Oid	pegs_internal_schema(void);
extern Oid	pegs_internal_relation(const char *name);
extern char *pegs_internal_name(Oid relid);	/* qualified, quoted */

/*
 * Is there this relation in pegs_internal, with this column (NULL: any)? Not what is newer than the SQL that is installed,
 * before ALTER EXTENSION UPDATE; nothing, where DROP EXTENSION has taken it away.
 */
extern bool pegs_keeps(const char *relation, const char *column);
extern void pegs_require_kept(const char *relation, const char *column);	/* or an error */

extern void pegs_watch_schema(void);	/* once, when the library is loaded */
extern char *pegs_system_identifier(void);
extern int64 pegs_next_id(void);	/* as the extension's owner */
extern void pegs_insert_secret(const char *relation, int natts, Datum *values);

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

extern char *pegs_arg_text(FunctionCallInfo fcinfo, int n, const char *name);
extern Oid	pegs_arg_oid(FunctionCallInfo fcinfo, int n, const char *name);
extern int64 pegs_arg_count(FunctionCallInfo fcinfo, int n, const char *name);
extern int64 pegs_arg_epsilon(FunctionCallInfo fcinfo, int n, const char *name);	/* 0 if NULL */
extern int64 pegs_arg_remaining(FunctionCallInfo fcinfo, int n, const char *name, int digits);	/* rounded down */
extern void pegs_say_large_delta(int64 delta);
extern int64 pegs_arg_delta(FunctionCallInfo fcinfo, int n, const char *name);
extern int	pegs_arg_tail_bits(FunctionCallInfo fcinfo, int n);
extern Jsonb *pegs_arg_object(FunctionCallInfo fcinfo, int n, const char *name);	/* NULL if NULL */
extern List *pegs_arg_names(FunctionCallInfo fcinfo, int n, const char *name);	/* NIL if NULL */
extern char **pegs_arg_texts(FunctionCallInfo fcinfo, int n, const char *name, int *count);
extern char *pegs_units_text(int64 units, int digits);	/* 100000000, 9 -> "0.1" */
extern Datum pegs_units_numeric(int64 units, int digits);
extern char *pegs_json_key(const JsonbValue *key);
extern char *pegs_json_scalar(const JsonbValue *value);	/* text of a scalar; NULL for null */

/* ---- source.c: which table a source reads, and whose it is ---- */

typedef struct PegsSource
{
	Oid			relid;			/* as named */
	Oid			account;		/* the base table whose budget pays */
	Oid			rows;			/* relid, or what the views end at: whose owner the rows belong to */
	List	   *chain;			/* of Oid: relid, the views below it, rows; all locked */
	char	   *name;			/* qualified, quoted: for messages (reading.c names it anew for a query) */
	char	   *unit_column;	/* whose row it is, or NULL: the unit is a row (pegs_load_unit) */
	int			rows_per_unit;	/* by which one person changes what is counted, at most */
	int			rows_each;		/* persons weigh equally: each gives so many rows; 0: rows weigh equally */
} PegsSource;

extern PegsSource *pegs_source(Oid relid);
extern char *pegs_relation_name(Relation rel);
extern char *pegs_relation_literal(Oid relid);
extern bool pegs_function_is_foreign(Oid funcid, void *context);	/* for check_functions_in_node */
extern bool pegs_expression_problem(Node *node, const char **problem);	/* a walker: foreign functions and their like */
extern Oid	pegs_source_parent(Oid relid);	/* partition or inheritance parent, or InvalidOid */
extern bool pegs_base_column(const PegsSource *source, AttrNumber attnum, AttrNumber *base_attnum);	/* of the account */
extern bool pegs_source_column(Oid relid, AttrNumber attnum, Oid *base, AttrNumber *base_attnum);

/* ---- origin.c: which table an account belongs to ---- */

extern bool pegs_is_dead(Oid account, Oid *owner);	/* its table was dropped */
extern bool pegs_was_another(Oid account, Oid *owner);	/* this transaction's snapshot shows a dropped table under its number */
extern void pegs_note_origin(Oid account);
extern void pegs_insert_origin(Oid relation, TransactionId made, Oid owner, bool dropped);
extern void (*pegs_settle_first) (Oid account);
extern void pegs_settle(Oid account);

/* ---- rights.c: who may do what ---- */

extern bool pegs_is_curator(Oid account);
extern void pegs_require_curator(Oid account, const char *action);
extern PegsSource *pegs_curated_source(Oid relid, const char *action);

/* ---- facts.c, checks.c, domain.c: the declared domain ---- */

typedef struct PegsColumn
{
	char	   *name;
	Oid			type;			/* base type, domains stripped; of a model also InvalidOid: it was dropped */
	int32		typmod;
	bool		nullable;		/* NULL is the last level */
	int			nlabels;		/* levels in declared order, canonical text */
	char	  **labels;
	int			other;			/* label that takes what is not declared, or -1 */
	bool		drop;			/* a row whose value is not declared is left out; else it is an error */
	int			nedges;			/* bins [edge, edge); the last one closed */
	char	  **edges;
	Datum	   *edge_value;		/* [nedges], where they were needed already; or NULL */
	const char *origin;			/* where the domain is declared; NULL: nowhere */
	char	   *problem;		/* why the column cannot be used; NULL: it can */
	char	   *remedy;
	bool		is_key;			/* unique, identity, serial or uuid: left out unless named */
	bool		is_unit;		/* whose row it is: likewise */
} PegsColumn;

/* What the session keeps of a column of a model. */
typedef struct PegsKeptColumn
{
	struct PegsEncoder *encoder;
	struct PegsDecoder *decoder;
} PegsKeptColumn;

typedef struct PegsDomain
{
	int			ncols;
	PegsColumn *column;
	PegsKeptColumn *kept;		/* [ncols] in `context`; or NULL (kept.c) */
	MemoryContext context;
	int			nzeros;			/* structural zeros (zeros.c) */
	pegs_zero  *zeros;
} PegsDomain;

static inline int
pegs_column_levels(const PegsColumn *column)
{
	return (column->nedges > 0 ? column->nedges - 1 : column->nlabels) + column->nullable;
}

extern PegsDomain *pegs_domain_of(const PegsSource *source);
extern void pegs_load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source);
extern char *pegs_column_list(const PegsDomain *domain);	/* show.c */
extern PegsDomain *pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names);

static inline int
pegs_domain_find(const PegsDomain *domain, const char *name)	/* -1: none */
{
	for (int i = 0; i < domain->ncols; i++)
		if (strcmp(domain->column[i].name, name) == 0)
			return i;
	return -1;
}

extern List *pegs_check_levels(Oid relid, AttrNumber attnum);	/* of char *, or NIL */
extern List *pegs_domain_check_levels(Oid domaintype);

/* ---- zeros.c: structural zeros ---- */

#define PEGS_MAX_TRIES 100000	/* rows drawn to find one that is not forbidden */
#define PEGS_TRIES_AT_ONCE 100	/* a row may have 1,600 columns, and a zero for each */

extern void pegs_load_zeros(PegsDomain *domain, const PegsSource *source);
extern void pegs_require_possible_row(const char *model, const PegsDomain *domain);
extern bool pegs_uniform_possible(const PegsDomain *domain, const int32 *given, pegs_rng *rng, uint16_t *row);
extern void pegs_nothing_possible(const char *name) __attribute__((noreturn));

/* ---- unit.c: whose row it is ---- */

extern void pegs_load_unit(PegsSource *source);
extern char *pegs_unit_column(const PegsSource *source);
extern const char *pegs_charged_unit(bool person, const char *column);
extern const char *pegs_unit_words(int rows_per_unit, int rows_each);
extern void pegs_say_weighting(const PegsSource *source);
extern void pegs_unit_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation);

/* ---- reading.c: rows of a relation, by somebody's right to them ---- */

typedef struct PegsReading
{
	Oid			relid;			/* locked */
	Oid			owner;			/* of relid: as whom its name is looked up */
	Oid			role;			/* as whom the query is planned and run */
	char	   *name;			/* qualified, quoted: for FROM */
	List	   *chain;			/* all that a source's query may read; NIL: a relation that is no source */
	bool		guest;			/* the caller has no more than SELECT */
} PegsReading;

extern List *pegs_column_names(const PegsDomain *domain);
extern PegsReading *pegs_reading_source(const PegsSource *source, const PegsDomain *domain);
extern PegsReading *pegs_reading_relation(Oid relid, List *columns);
extern bool pegs_may_use_schema(Oid schema, Oid role);
extern void pegs_read(const PegsReading *reading, const char *query, const PegsDomain *domain, DestReceiver *receiver);

/* ---- spec.c: the domain and the tables as canonical text ---- */

typedef struct PegsSpec
{
	PegsDomain *domain;
	pegs_tables tables;
	uint32_t   *parent_start;	/* conditional */
	uint16_t   *parents;
	uint32_t	tail_bits;
	char	   *text;			/* canonical */
} PegsSpec;

extern PegsSpec *pegs_spec_make(PegsDomain *domain, Jsonb *parents, int tail_bits);	/* parents NULL: pairs */
extern PegsSpec *pegs_spec_conditional(PegsDomain *domain, uint32_t *parent_start, uint16_t *parents, int tail_bits);
extern void pegs_refuse_parents(const char *child);
extern void pegs_add_parents(PegsSpec *spec, int i, JsonbContainer *list);
extern char *pegs_spec_text(const PegsSpec *spec);
extern PegsSpec *pegs_spec_parse(const char *text);	/* types by name, with the caller's rights */
extern PegsSpec *pegs_spec_given(text *given, int ncols);	/* the same of a text that anybody may give */
extern PegsSpec *pegs_spec_stored(char *text, int ntypes, const Oid *types);
extern void pegs_type_is_gone(const char *column, const char *hint) __attribute__((noreturn));
extern void pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout);

/* ---- types.c, encode.c, decode.c: Datums to codes and back ---- */

typedef struct PegsEncoder PegsEncoder;
typedef struct PegsDecoder PegsDecoder;

extern bool pegs_type_supported(Oid base);
extern bool pegs_type_has_bins(Oid base);
extern char *pegs_canonical(Oid base, int32 typmod, const char *text);	/* session's notation to ours */
extern char *pegs_try_canonical(Oid base, int32 typmod, const char *text);	/* NULL: no value of the type */
extern int	pegs_compare(Oid base, int32 typmod, const char *a, const char *b);	/* canonical texts */
extern PegsEncoder *pegs_encoder(const PegsColumn *column);
extern int	pegs_encode_strict(const PegsEncoder *encoder, Datum value, bool isnull);	/* -1: not declared */
extern int	pegs_encode_other(const PegsEncoder *encoder);	/* or an error that names the column */
extern PegsDecoder *pegs_decoder(const PegsColumn *column);
extern Datum pegs_decode(const PegsDecoder *decoder, uint16 code, pegs_rng *values, bool *isnull);
extern char *pegs_level_text(const PegsColumn *column, int code);	/* NULL for NULL */
extern int	pegs_code_of(const PegsColumn *column, const PegsEncoder *encoder, const JsonbValue *value);	/* -1: not declared; encoder NULL: made for it */
extern PegsEncoder *pegs_domain_encoder(const PegsDomain *domain, int column);
extern PegsDecoder *pegs_domain_decoder(const PegsDomain *domain, int column);

#define PEGS_LEFT_OUT (-1)		/* the row is, by this value alone */

static inline int
pegs_encode(const PegsEncoder *encoder, Datum value, bool isnull)
{
	int			code = pegs_encode_strict(encoder, value, isnull);

	return code >= 0 ? code : pegs_encode_other(encoder);
}

/* ---- uncharged.c: what a fit computes before it is charged is seen by nobody ---- */

typedef struct PegsUncharged PegsUncharged;

extern PegsUncharged *pegs_uncharged(const char *model);
extern MemoryContext pegs_uncharged_context(const PegsUncharged *uncharged);
extern pegs_env pegs_uncharged_env(PegsUncharged *uncharged);	/* zeroed before it is given back; speaks of long steps */
extern void pegs_hide_uncharged(void);	/* in PG_CATCH: throws on, without what may depend on noisy answers */
extern void pegs_uncharged_done(PegsUncharged *uncharged);

/* ---- counter.c: rows into tables ---- */

typedef struct PegsCounter
{
	const PegsSpec *spec;
	PegsEncoder **encoder;
	pegs_layout layout;
	uint64_t   *cells;			/* exact counts: secret */
	uint64_t	rows;
	uint32_t	fill;
	uint16_t  **codes;			/* [columns][PEGS_CHUNK] */
	const pegs_env *progress;	/* is told that rows are read; or NULL */
	uint32_t   *times;			/* [PEGS_CHUNK] how often each row counts; NULL: once */
} PegsCounter;

extern PegsCounter *pegs_counter(const PegsSpec *spec, MemoryContext context, bool with_encoders);
extern void pegs_counter_flush(PegsCounter *counter);
extern pegs_wire pegs_counter_wire(PegsCounter *counter);
extern pegs_wire pegs_fitted_wire(const PegsSpec *spec, const pegs_fitted *fitted);
extern bytea *pegs_counter_bytes(PegsCounter *counter);
extern void pegs_counter_scan(PegsCounter *counter, const PegsSource *source);

/* ---- coded.c: whole tables as codes, for the measures ---- */

extern bool pegs_is_number(Oid base);
extern double pegs_number_of(Oid type, Datum value, bool isnull);
extern uint32 pegs_checked_levels(const PegsColumn *column);
extern pegs_coded *pegs_coded_original(const PegsSource *source, const PegsDomain *domain, const bool *numbers,
									   bool drop);	/* leave out what a fit leaves out? */
extern pegs_coded *pegs_coded_relation(Oid relid, const PegsDomain *domain, const bool *numbers);
extern pegs_coded *pegs_coded_object(const char *name, const PegsDomain *domain, const bool *numbers);
extern pegs_coded *pegs_coded_stream(struct PegsStream *stream, const PegsDomain *domain, const bool *numbers, int64 n,
									 const uint8_t *key);

extern uint64_t *pegs_count_coded(const pegs_layout *layout, const pegs_coded *table);

/* ---- utility.c: what is measured of a synthetic table, also of the trials of pegs_ru_map ---- */

typedef struct PegsTrial
{
	const char *method;
	double		epsilon;
	int			replicate;
} PegsTrial;

extern void pegs_put_comparison(struct ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain,
							 const char *measure, const uint32 *columns, int n, double value);
typedef struct PegsUtility
{
	struct ReturnSetInfo *result;
	const PegsDomain *domain;
	const pegs_coded *original;
	const pegs_coded *synthetic;
	pegs_env	env;
	int			ways;
	const PegsTrial *trial;		/* of pegs_ru_map; NULL: pegs_utility */
} PegsUtility;

extern void pegs_compare_groups(PegsUtility *u, char **groups, int ngroups);
extern void pegs_compare_tables(struct ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain,
								const pegs_coded *original, const pegs_coded *synthetic);

/* ---- bytes.c ---- */

extern void pegs_not_ours(void) __attribute__((noreturn));
extern void pegs_read_bytes(const pegs_env *env, const bytea *bytes, pegs_wire *wire);
extern bytea *pegs_wire_bytes(const pegs_env *env, const pegs_wire *wire);

/* ---- ledger.c: the one place where budgets are spent ---- */

typedef struct PegsBill
{
	Oid			account;
	int64		grant;			/* id of a capped grant, or 0 */
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	const char *action;			/* 'fit', 'sample', 'release' */
	const char *object;
	const char *unit;			/* what it protects: pegs_charged_unit */

	/* pegs_charge's own */
	bool		charged;
	char	   *words;			/* what an error after the charge says */
	ErrorContextCallback context;
} PegsBill;

/*
 * Durable when it returns. Everything else that can fail must be done before.
 * From there to pegs_charge_done every error says what was charged: the bill
 * must live so long.
 */
extern void pegs_charge(PegsBill *bill);
extern void pegs_charge_done(PegsBill *bill);
extern bool pegs_has_delta(Oid account, int64 delta);	/* is so much left? */
extern bool pegs_note_unit(Oid account);
extern void pegs_note_uncovered(Oid account, const char *action, const char *object);
extern void pegs_check_budget(Oid account, int64 epsilon, int64 delta);
extern bool pegs_cap_left(Oid sequence, int64 cap, int64 *left);	/* false: revoked meanwhile */

/* ---- budget.c: setting budgets ---- */

extern void pegs_warn_of_parts(Oid source);
extern Oid	pegs_new_cap(int64 grant);

/* ---- name.c, grant.c: names in use, who may use what they name; the rest is in objects.h, with drop.c ---- */

extern void pegs_take_name(const char *name);
extern int64 pegs_usable_grant(int64 object, Oid account);

/* ---- catalog.c: models ---- */

typedef struct PegsModel
{
	int64		id;
	char	   *name;			/* NULL: dropped, kept for its releases */
	Oid			source;
	Oid			account;
	bool		sealed;
	PegsSpec   *spec;
	int64		epsilon;
	int64		delta;
	int			rows_per_unit;
	int			rows_each;		/* persons weigh equally (PegsSource); 0: rows do */
	bool		has_unit;		/* a person, not a row */
	char	   *unit_column;	/* by which persons are told apart; NULL: a row, or not known (a file) */
	bool		made_here;		/* in this transaction */
	char	   *counted_by;			/* whose word the counts are */
	int64		structure_epsilon;	/* charged for the parents of a sealed model */
	double		l_diversity;	/* sealed: the papers' l-diverse mode, without a guarantee; 0: not */
	uint8_t		key[PEGS_KEY_BYTES];	/* perturbed: of the rows that everyone gets */
	int64		grant;			/* capped grant by which the caller uses it, or 0 */
	struct PegsKept *kept;		/* what the session keeps of it (kept.c); NULL: made up, not in the catalog */
} PegsModel;

extern void pegs_no_such(const char *name) __attribute__((noreturn));	/* pg_attribute_noreturn() is gone in 18 */
extern void pegs_hold_store(void);
extern int64 pegs_store_facts(const char *name, const PegsSource *source, const PegsSpec *spec, bool sealed,
							  int64 epsilon, int64 delta, int64 structure_epsilon, double l_diversity, const char *counted_by);
extern void pegs_store_body(int64 id, bool sealed, bytea *body);
extern PegsModel *pegs_model(const char *name); /* checks the caller's right to use it */
extern PegsSource *pegs_curated_original(const PegsModel *model, const char *action);

/* ---- kept.c: models as they are stored, and those that this session keeps ---- */

typedef struct PegsKept PegsKept;

/* Neither checks a right. What a model points to is shared and lasts as long as CurrentMemoryContext. */
extern PegsModel *pegs_find_model(const char *name);	/* NULL: there is none */
extern PegsModel *pegs_model_by_id(int64 id);
extern double pegs_model_rows(const PegsModel *model);	/* that a perturbed model stands for: released */
extern bytea *pegs_model_body(int64 id);	/* NULL: left out of a dump */
extern bool pegs_model_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire);
extern const pegs_draw *pegs_model_draw(const PegsModel *model);

/* ---- mask.c: how a sealed model's body is stored ---- */

extern bytea *pegs_masked(const bytea *body);
extern void pegs_unmask(bytea *body);	/* in place; what is not masked stays */

/* ---- structure.c: what a fit draws for ---- */

extern void pegs_fit_accountant(pegs_accountant *accountant, int64 epsilon, int64 delta, uint32 rows_per_unit, uint32 rows_each);
extern void pegs_structure_accountant(pegs_accountant *accountant, int64 structure_epsilon, uint32 rows_per_unit);
extern void pegs_choose_structure(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *pairs, const uint64_t *cells,
								  int max_parents, int tail_bits, uint32_t *parent_start, uint16_t *parents);

/* ---- disclosure.c: also for anonymity.c ---- */

extern void pegs_put_value(struct ReturnSetInfo *result, const char *measure, double value);
extern uint32_t *pegs_numbers_of(const PegsDomain *domain, List *names, const char *what, uint32_t *n);

/* ---- audit.c: what pegs_audit and pegs_verify look at ---- */

extern PegsModel *pegs_audited_model(const char *name, const char *action);	/* of a curator; with a guarantee */
extern void pegs_audited_tables(const PegsModel *model, pegs_wire *wire);	/* of a sealed model */

/* ---- request.c, sample.c, rows.c: typed rows ---- */

typedef struct PegsRequest		/* what the caller asked of a model */
{
	PegsModel  *model;
	int64		n;
	int64		epsilon;
	int64		delta;
	int64		block;
	Jsonb	   *given_json;
	int32	   *given;			/* [columns] code or -1 */
	bool		fresh;
	bool		independent;	/* perturbed: rows drawn one by one, not apportioned */
	uint64_t	alpha;			/* sealed */
} PegsRequest;

extern void pegs_request(PegsRequest *request, FunctionCallInfo fcinfo, int first);
extern void pegs_request_given(PegsRequest *request);
extern void pegs_request_price(PegsRequest *request);
extern void pegs_refuse_part(const PegsModel *model);	/* of a sealed model, before it is charged */
extern void pegs_request_bill(const PegsRequest *request, const char *action, const char *object, PegsBill *bill);

/* Where rows go as codes, one after the other. */
typedef void (*PegsPutRow) (void *arg, const uint16_t *codes);

/* Where codes come from: all that can fail is in pegs_stream, before the charge. */
typedef struct PegsStream PegsStream;
extern PegsStream *pegs_stream(const PegsRequest *request);
extern PegsStream *pegs_stream_over(const PegsRequest *request, const pegs_wire *wire);
extern void pegs_stream_start(PegsStream *stream, const uint8_t *key);
extern void pegs_stream_next(PegsStream *stream, uint16_t *row);
extern void pegs_stream_rows(PegsStream *stream, int64 n, PegsPutRow put, void *arg);
extern void pegs_draw_rows(PegsRequest *request, const uint8_t *key, PegsPutRow put, void *arg);	/* perturbed: by a key that is kept */
extern pegs_gibbs *pegs_stream_gibbs(PegsStream *stream);	/* sealed: for pegs_audit and pegs_verify */
extern const uint16_t *pegs_stream_seed(const PegsStream *stream);	/* sealed: the row that the next one starts from */

/* A tuplestore and a row type for a set-returning function; in FROM only, if asked: what charges, charges once. */
extern struct ReturnSetInfo *pegs_materialize(FunctionCallInfo fcinfo, bool in_from);
extern struct ReturnSetInfo *pegs_begin_set(FunctionCallInfo fcinfo, TupleDesc desc);
extern void pegs_require_set(FunctionCallInfo fcinfo, int mode);

/* Where typed rows go: the caller's column list, matched by name and type. */
typedef struct PegsRows PegsRows;
extern PegsRows *pegs_rows_begin(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type);
extern void pegs_rows_key(PegsRows *rows, const uint8_t *key);
extern void pegs_rows_put(void *rows, const uint16_t *codes);	/* a PegsPutRow */

/* ---- release.c ---- */

typedef struct PegsRelease
{
	int64		id;
	char	   *name;
	int64		model;
	Oid			account;
	int64		n;
	int64		epsilon;		/* sealed: what it was charged */
	int64		block;
	bool		independent;
	Jsonb	   *given;
	uint8_t		key[PEGS_KEY_BYTES];	/* perturbed: of its rows */
	uint8_t		value_key[PEGS_KEY_BYTES];	/* of the values inside bins */
} PegsRelease;

extern PegsModel *pegs_model_or_release(const char *name, PegsRelease **release);	/* catalog.c */
extern PegsRelease *pegs_find_release(const char *name);	/* NULL: there is none, or it is not granted */
extern void pegs_release_rows(const PegsRelease *release, PegsModel *model, PegsPutRow put, void *arg);

#endif							/* PEGS_H */
