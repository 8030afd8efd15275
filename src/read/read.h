/*
 * read.h
 *	  Rows of a source into tables of counts, and tables as bytes.
 */
#ifndef PEGS_READ_H
#define PEGS_READ_H

#include "server/server.h"
#include "codes/column.h"
#include "codes/codes.h"
#include "source/source.h"
#include "facts/facts.h"

#include "core/compare/coded.h"
#include "core/core.h"
#include "core/counts.h"
#include "core/graph/engine.h"
#include "core/turns.h"
#include "core/wire.h"

/* ---- agree.c: rows of the table, and columns that are declared to be functions of others ---- */

typedef struct PegsAgree PegsAgree;

extern const PegsDomain *pegs_agreeing(const PegsDomain *domain, const PegsDomain *counted);	/* the columns to read: also those that must agree */
extern PegsAgree *pegs_agree(const PegsDomain *domain, const PegsDomain *read, const PegsSource *source);
extern void pegs_require_agreement(const PegsAgree *agree, const Datum *values, const bool *nulls);	/* or an error that names the columns */

/* ---- counter.c: rows into tables ---- */

typedef struct PegsCounter
{
	const PegsSpec *spec;
	const text *given;			/* by pegs_agg's first row, where another row may give another; else NULL */
	PegsEncoder **encoder;
	pegs_layout layout;
	uint64_t   *cells;			/* exact counts: secret */
	pegs_kept  *kept;			/* the rows: secret; NULL: they are counted, and that is all */
	uint64_t	rows;
	uint32_t	fill;
	PegsParts  *parts;			/* hidden columns of a row; or NULL */
	PegsAgree  *agree;			/* what rows must be like besides; or NULL */
	uint16_t  **codes;			/* [columns][PEGS_CHUNK] */
	const pegs_env *progress;	/* is told that rows are read; or NULL */
	uint32_t   *times;			/* [PEGS_CHUNK] how often each row counts; NULL: once */
	const char *by_row;			/* why rows are read one by one, whatever the source is; NULL: they need not be */
	char	   *way;			/* how they were read, in words, of public facts */
} PegsCounter;

extern PegsCounter *pegs_counter(const PegsSpec *spec, MemoryContext context, bool with_encoders);
extern void pegs_counter_forget(PegsCounter *counter);	/* its counts, wiped: before it goes itself */
/* What a method's fit counts, of rows that are read now. */
extern PegsCounter *pegs_counter_of_method(const PegsSpec *spec, const pegs_method *method, MemoryContext context);
extern bool pegs_counter_encode(PegsCounter *counter, Datum *values, bool *nulls);	/* a row, behind those that are held back; false: it is left out */
extern void pegs_counter_flush(PegsCounter *counter);	/* counts the rows that are held back */
extern void pegs_too_many_rows(void) __attribute__((noreturn));

/* What is counted, or fitted, as the wire format sees it; shares the tables. */
extern pegs_wire pegs_counter_wire(PegsCounter *counter);
extern pegs_wire pegs_model_wire(const PegsSpec *spec, const pegs_method *method, const pegs_layout *counted, void *model);
extern bytea *pegs_counter_bytes(const pegs_env *env, PegsCounter *counter);	/* the state; its size depends on the spec only */

/* ---- agg.c: what aggregates have in common ---- */

extern MemoryContext pegs_aggregate_context(FunctionCallInfo fcinfo);	/* or an error: it is called by itself */
extern void pegs_check_arguments(FunctionCallInfo fcinfo, const PegsSpec *spec, int first);	/* the columns are those from `first` on */

/* ---- persons.c: rows of persons, in any order, into a counter ---- */

typedef struct PegsPersons PegsPersons;

extern PegsPersons *pegs_persons(PegsCounter *counter, uint32 most, bool alike, Oid type, Oid collation, MemoryContext context);	/* most, alike: as in core/turns.h */
extern void pegs_persons_add(PegsPersons *persons, Datum person);	/* whose is the row that was encoded */
extern void pegs_persons_end(PegsPersons *persons);	/* they are counted */
extern void pegs_persons_close(PegsPersons *persons);	/* also where they are not */

/* ---- there.c: whether rows can be counted on another server ---- */

extern const char *pegs_why_not_there(Oid relid, const PegsDomain *physical, const char *person);	/* person: a column that is read, too; or NULL */

/* ---- together.c: where the rows of a person are together ---- */

typedef struct PegsTogether
{
	Oid			relid;			/* a table, with all that is below it */
	const char *here;			/* in SQL: is a row of this part? "true": PostgreSQL sees to it */
} PegsTogether;

extern bool pegs_tells_persons(Oid type);	/* by its text, on whatever server */
extern List *pegs_together(const PegsSource *source, const PegsDomain *physical, const char **why);

/* ---- one_by_one.c: all rows of a source, into a counter ---- */

extern void pegs_counter_read(PegsCounter *counter, const PegsSource *source);

/* ---- way.c: what is said of how they were counted ---- */

/* legs: relations; pulled: one whose rows come here, and why. The second knows what the plan did. */
extern char *pegs_way_to_keep(const PegsCounted *counted, const List *legs, Oid pulled, const char *why_not);
extern char *pegs_way_of_plan(const PegsCounted *counted, const List *legs, Oid pulled, const char *why_not);

/* ---- states.c: what was counted elsewhere ---- */

extern DestReceiver *pegs_states(PegsCounter *counter, const PegsSpec *spec, const List *legs);	/* where those of legs go, of Oid */
extern void pegs_require_states(const DestReceiver *states);	/* of each leg one has come */
extern void pegs_add_state(PegsCounter *counter, const PegsSpec *spec, bytea *state, const char *whose, const char *where);	/* and wipes it */

/* ---- shards.c: rows that Citus distributes ---- */

extern const char *pegs_count_by_shard(PegsCounter *counter, const PegsSource *source, const PegsSpec *spec);	/* why not; NULL: they are counted */

/* ---- where.c: all rows of a source, counted where they are ---- */

extern void pegs_counter_scan(PegsCounter *counter, const PegsSource *source);	/* as a fit reads them */

/* ---- units.c: rows of related tables, unit by unit, as path rows ---- */

/* Where units go, each begun by the root's row. `add` gives a row's number, by which its children name it, or PEGS_NOT_KEPT. */
typedef struct PegsUnits
{
	void	   *arg;
	void	  (*begin) (void *arg, const uint16_t *codes, uint64 tie);	/* tie: of a hash of the row with its key */
	uint32	  (*add) (void *arg, int table, uint32 parent, const uint16_t *codes, uint64 tie);
	void	  (*end) (void *arg);
	bool		undeclared;		/* what is not declared is a level of its own, the last, and no error */
} PegsUnits;

extern void pegs_read_units(const PegsRelatives *relatives, const pegs_env *env, const PegsUnits *to, const PegsUnits *without);
extern void pegs_count_units(const PegsRelatives *relatives, const pegs_env *env, pegs_tally *tally, pegs_tally *without);

/* ---- units_query.c: the query that reads them ---- */

extern PegsReading *pegs_units_query(const PegsRelatives *relatives, const PegsDomain *const *read, int keys, StringInfo query);

/* ---- handed_on.c: to the processes that count for a fit ---- */

extern bytea *pegs_handed_on(const PegsSpec *spec);
extern PegsSpec *pegs_spec_of_handed_on(const bytea *what);

/* ---- coded.c: whole tables as codes, for the measures ---- */

extern bool pegs_is_date(Oid base);	/* or a timestamp */
extern double pegs_number_of(Oid type, Datum value, bool isnull);	/* NaN for NULL; a date in days since 1970 */
extern uint32 pegs_checked_levels(const PegsColumn *column);	/* one code more must fit: what is not declared */
extern pegs_coded *pegs_coded_original(const PegsSource *source, const PegsDomain *domain, const bool *numbers,
									   bool drop);	/* leave out what a fit leaves out? */
extern pegs_coded *pegs_coded_relation(Oid relid, const PegsDomain *domain, const bool *numbers);
extern pegs_coded *pegs_coded_public(List *parts, const PegsDomain *domain, const char *weight, double **weights);	/* of a table and its parts, locked; and a column of numbers, NaN for NULL */
extern uint64_t *pegs_count_coded(const pegs_layout *layout, const pegs_coded *table);	/* cells of all rows */

/* ---- values.c: the values of a column that occur ---- */

/* A value and its rows. The value lasts until it returns. */
typedef void (*PegsMeet) (void *to, Datum value, int64 rows);

/* All values of the one column of the domain but NULL, in their order, each once. */
extern void pegs_meet_values(const PegsSource *source, const PegsDomain *domain, PegsMeet meet, void *to);

/* ---- state.c: bytes that are a state ---- */

extern void pegs_read_state(const pegs_env *env, const bytea *bytes, pegs_wire *wire);	/* or an error */

/* ---- bytes.c: states, models and files as bytea ---- */

extern void pegs_not_ours(void) __attribute__((noreturn));
extern void pegs_read_bytes(const pegs_env *env, const bytea *bytes, pegs_wire *wire);	/* or an error */
extern const char *pegs_text_into_bytes(const char *text);	/* the text of a spec as UTF-8 */
extern char *pegs_text_of_bytes(const pegs_wire *wire);	/* and back */
extern bytea *pegs_wire_bytes(const pegs_env *env, const pegs_wire *wire);	/* in memory of env */

/* ---- mask.c: how a sealed model's body is stored ---- */

extern bytea *pegs_masked(const bytea *body);
extern void pegs_unmask(bytea *body);	/* in place; what is not masked stays */

#endif							/* PEGS_READ_H */
