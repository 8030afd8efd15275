/*
 * rows.h
 *	  Rows of a model or release: what a caller asks, where codes come from, typed rows.
 */
#ifndef PEGS_ROWS_H
#define PEGS_ROWS_H

#include "server/server.h"
#include "codes/column.h"
#include "codes/allowed.h"
#include "budget/budget.h"
#include "models/models.h"

#include "access/tupdesc.h"

#include "core/pegs/gibbs.h"
#include "core/wire.h"

/* ---- request.c, request_options.c: what a caller asks of a model ---- */

typedef struct PegsRequest
{
	PegsModel  *model;
	int64		n;
	int64		epsilon;
	int64		delta;			/* of a sealed model, once it is priced: what is charged, all that was offered or nothing */
	int64		block;
	Jsonb	   *given_json;
	bool		given_is_kept;	/* by a release: in our notation, not in the session's */
	int32	   *given;			/* [columns] code or -1; of several tables, of path rows */
	bool		fresh;
	bool		independent;	/* perturbed: rows drawn one by one, not apportioned */
	bool		numbered;		/* keys are running numbers */
	int64		part;			/* of the table: of `parts`, from 1 on; 0: all of it */
	int64		parts;
	bool		each;			/* sealed: n rows of each combination, until given and n are known */
	char	   *table;			/* of a model of several tables: which; NULL: not said */
	const char *release;		/* whose rows these are; NULL: a sample's. Read by member.c alone */
	bool		urns;			/* sealed: drawn from urns */
	int64		sweeps;			/* of urns, for one row; 0: no urns */
	uint64_t	alpha;			/* sealed */
} PegsRequest;

/* (model, n, epsilon, block, delta, given, options), from argument `first` on. */
extern void pegs_request(PegsRequest *request, FunctionCallInfo fcinfo, int first);
extern void pegs_request_options(PegsRequest *request, Jsonb *options);	/* request_options.c; block and delta are read before */
extern int64 pegs_default_rows(const PegsModel *model);	/* n is left out; or an error */
extern void pegs_request_given(PegsRequest *request);	/* given_json to codes */
extern Jsonb *pegs_request_kept(const PegsRequest *request);	/* what is given, for a release; or NULL */
extern pegs_ask pegs_request_ask(const PegsRequest *request);
extern bool pegs_request_priced(PegsRequest *request);	/* false: too little for so many rows */
extern void pegs_request_price(PegsRequest *request);	/* alpha and delta, from public facts only */
extern void pegs_refuse_delta(const PegsRequest *request);
extern void pegs_refuse_part(const PegsModel *model);	/* of a sealed model, before it is charged */
extern void pegs_request_bill(const PegsRequest *request, const char *action, const char *object, PegsBill *bill);

/* ---- stream.c: where codes come from; all that can fail is in pegs_stream, before the charge ---- */

typedef struct PegsStream PegsStream;

/* Where rows go as codes, one after the other. */
typedef void (*PegsPutRow) (void *arg, const uint16_t *codes);

/* The rows that come are of this batch, with so many before it; of a stream for all batches 0. What goes with them has streams likewise. */
typedef void (*PegsTurn) (void *arg, uint64_t batch, int64 before);

extern PegsStream *pegs_stream(const PegsRequest *request);
extern void pegs_refuse_given(const PegsRequest *request) __attribute__((noreturn));	/* what is given cannot be */
extern PegsStream *pegs_stream_over(const PegsRequest *request, const pegs_wire *wire);	/* tables that are at hand */
extern void pegs_stream_part(PegsStream *stream, int64 part, int64 parts);	/* of its batches, from 1 on; or an error */
extern void pegs_stream_start(PegsStream *stream, const uint8_t *key);
extern void pegs_stream_next(PegsStream *stream, uint16_t *row);
extern void pegs_stream_rows(PegsStream *stream, PegsTurn turn, PegsPutRow put, void *arg);	/* all that are asked for; turn may be NULL */
extern bool pegs_stream_pull(PegsStream *stream, PegsTurn turn, void *arg, uint16_t *row);	/* one of them; false: no more */
extern uint16_t *pegs_stream_room(const PegsStream *stream);	/* for one */
extern pegs_draws *pegs_stream_draws(PegsStream *stream);	/* for who looks into a method: pegs_audit, pegs_verify, pegs_trace */

/* All of a request at once. Perturbed: by a key that is kept. */
extern void pegs_draw_rows(PegsRequest *request, const uint8_t *key, PegsTurn turn, PegsPutRow put, void *arg);

/* ---- keys.c: running numbers for keys, which no model holds ---- */

/* What is numbered: n rows of a model; or of a release, which knows the keys that its model's source had. */
typedef struct PegsKeys
{
	int64		n;
	const PegsModel *model;		/* NULL: of a release */
	List	   *names;			/* of the release: of char * */
	const PegsMember *member;	/* of a table of several: its keys, of which none is a running number by itself; NULL: of another model */
	const int64 *made;			/* those of the row at hand */
	const int64 *largest;		/* and the largest of each that is known before; 0: rows tell */
	const uint32_t *chosen;		/* [columns] of the row at hand, which value of its level it has; PEGS_ANY_NUMBER: any. NULL: of all */
	uint32		stream;			/* its columns' values come from streams behind so many others */
} PegsKeys;

/* Which columns of a row type get a number: those outside the model (pegs_row_column: -1) that are parts of a key. Or an error. */
extern void pegs_find_keys(const PegsKeys *keys, TupleDesc desc, const int *column, bool by_type, bool *number);
extern Datum pegs_key_names(const PegsModel *model, int64 n);	/* for a release: a name[] */
extern int64 pegs_largest_made(const PegsRelated *related, int table, int key, int64 n);
extern void pegs_require_made(const PegsModel *model, int64 n);	/* likewise, of several tables */

/* ---- filler.c: a plain value where a row type's table wants one and the model has none ---- */

extern void pegs_fill(TupleDesc desc, const PegsDomain *domain, const int *column, const bool *number, Datum *values, bool *nulls);
extern void pegs_refuse_other_type(const PegsKeys *keys, TupleDesc desc);

/* ---- typed.c: where typed rows go, the caller's column list, matched by name and type ---- */

typedef struct PegsRows PegsRows;

extern PegsRows *pegs_rows_begin(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type,
								 const PegsKeys *keys);	/* keys NULL: what the model lacks is NULL */
extern PegsRows *pegs_rows_more(const PegsRows *before, FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, bool by_type);
extern void pegs_rows_start(PegsRows *rows, const uint8_t *key);	/* of the values inside bins */
extern void pegs_rows_turn(void *rows, uint64_t batch, int64 before);	/* a PegsTurn */
extern void pegs_rows_put(void *rows, const uint16_t *codes);	/* a PegsPutRow */
extern void pegs_rows_end(PegsRows *rows);

/* By type, and not more than PEGS_CHUNK before they are taken by pegs_rows_few: put, end, take; go on. */
extern PegsRows *pegs_rows_begin_few(FunctionCallInfo fcinfo, const PegsDomain *domain, const char *object, const PegsKeys *keys);
extern HeapTupleHeader *pegs_rows_few(PegsRows *rows, int *n);
extern void pegs_rows_go_on(PegsRows *rows);

/* ---- streamed.c: rows in the select list, which are never all there at once ---- */

/* Its codes, and its turn; false: no more. */
typedef bool (*PegsNextRow) (void *from, PegsRows *rows, uint16_t *row);

extern bool pegs_in_select_list(FunctionCallInfo fcinfo);
extern void pegs_streamed(FunctionCallInfo fcinfo, PegsRows *rows, PegsNextRow next, void *from, uint16_t *room);
extern Datum pegs_streamed_row(FunctionCallInfo fcinfo);

/* ---- member.c: rows of one table of several ---- */

extern void pegs_require_members(const PegsRequest *request);	/* what a release of all of them could be refused for */
extern void pegs_member_table(FunctionCallInfo fcinfo, const PegsRequest *request, const uint8_t *key, const uint8_t *value_key, bool by_type);
extern void pegs_member_streamed(FunctionCallInfo fcinfo, const PegsRequest *request, const uint8_t *key, const uint8_t *value_key);

typedef void (*PegsPutBlock) (void *arg, const pegs_relations *relations, const pegs_block *block);

extern void pegs_member_blocks(const PegsRequest *request, const uint8_t *key, PegsPutBlock put, void *arg);	/* all tables of n roots */

/* ---- computed.c: columns that are computed from those that are drawn; all that can fail is in pegs_computed ---- */

typedef struct PegsRow PegsRow;
typedef struct PegsComputed PegsComputed;

extern int	pegs_row_column(const PegsDomain *domain, Form_pg_attribute att);	/* of the model; its ncols: it is computed; -1: neither */

extern PegsRow *pegs_row(const PegsDomain *domain);
extern Datum *pegs_row_values(PegsRow *row, bool **nulls);	/* [columns of the model]: to be filled before pegs_compute */
extern PegsComputed *pegs_computed(PegsRow *row, const PegsDerived *derived);
extern bool pegs_computed_reads(const PegsComputed *computed, int column);
extern Datum pegs_compute(PegsComputed *computed, MemoryContext memory, bool *isnull);

/* ---- released.c: rows that stay the same for ever, read; how release.c stores them ---- */

extern void pegs_release_blocks(const PegsRelease *release, PegsModel *model, PegsPutBlock put, void *arg);	/* of a release of several */
extern int64 pegs_rows_of_chunk(int ncols);	/* of every chunk but the last */
extern int64 pegs_chunk_checksum(int64 release, int64 number, const bytea *chunk);
extern void pegs_release_rows(const PegsRelease *release, PegsModel *model, PegsTurn turn, PegsPutRow put, void *arg);

#endif							/* PEGS_ROWS_H */
