/*
 * computed.h
 *	  Columns that are computed from others of their row: by an expression, from calendar parts, or by how much they are after another.
 *
 * A room of src/facts, on its floor: facts.h has it for everybody else.
 */
#ifndef PEGS_COMPUTED_H
#define PEGS_COMPUTED_H

#include "server/server.h"
#include "codes/column.h"
#include "source/source.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "nodes/primnodes.h"

struct PegsDeclaration;

/* ---- expression.c: an expression over columns of one row, by functions of pg_catalog ---- */

extern bool pegs_is_expression_type(Oid type);	/* of its parts, and of the column that it computes */
extern char *pegs_canonical_expression(Oid relid, const PegsDerived *derived, const char *text);	/* or an error */
extern char *pegs_generated_expression(Oid relid, AttrNumber attnum);	/* NULL: it is not generated, or by what is not allowed */
extern Node *pegs_raw_expression(const char *column, const char *text); /* parsed, not looked at: names are as they stand there */
extern Node *pegs_expression(const PegsDerived *derived, const PegsDomain *row);	/* checked again; for ExecPrepareExpr */
extern int	pegs_pin_expression(void);	/* while one is made ready or evaluated; undo: AtEOXact_GUC(false, level) */

/* ---- naming.c: the columns that an expression may name, for hints ---- */

extern char *pegs_names_of_row(const PegsDomain *row, const char *without);
extern const char *pegs_name_in_quotes(const PegsDomain *row, const char *without); /* one of them that has quotes there; NULL: none */

/* ---- bounded.c: how long the values of an expression may become ---- */

extern const char *pegs_length_problem(Node *node); /* NULL: none */
extern Node *pegs_bounded(Node *node, void *context);	/* a mutator: texts that become too long are errors */

/* ---- inputs.c: what a declared column is computed from ---- */

#define PEGS_INPUTS "CASE WHEN relation = source::pg_catalog.oid THEN inputs END, input_names"	/* two columns of pegs_internal.fact */

typedef struct PegsInputs
{
	int			n;				/* 0: it is computed from nothing, or its names are all that is known */
	char	  **names;			/* as they stand in the declaration */
	AttrNumber *numbers;
} PegsInputs;

extern bool pegs_has_name(List *names, const char *name);
extern List *pegs_expression_columns(const char *column, const char *text);	/* names, each once */
extern void pegs_inputs_arguments(const PegsSource *source, const PegsColumn *column, PegsArg *args);
extern PegsInputs pegs_inputs_in(HeapTuple row, TupleDesc desc, int first);
extern void pegs_inputs_now(PegsColumn *column, Oid relid, const PegsInputs *inputs);
extern void pegs_inputs_in_view(PegsColumn *column, Oid relid, Oid base);	/* declared of what the view reads */
extern void pegs_computed_arguments(const PegsSource *source, PegsArg *args);	/* for pegs_facts */

/* ---- derived.c: columns that are declared to be computed from others ---- */

extern bool pegs_is_in_zeros(const PegsSource *source, const char *column);	/* in a forbidden combination? */
extern void pegs_require_computable(const PegsSource *source, const PegsColumn *column, bool again);	/* can a column like this be computed? Or an error. again: what pegs_facts printed is declared as it is */
extern char *pegs_checked_expression(const PegsSource *source, const PegsColumn *column, const char *text, bool again);
#define PEGS_WHICH_IS_NOT_HERE "which is not here"	/* a column that a view lacks (remedy.c) */
#define PEGS_THAT_EVERY_SERVER_HAS "that every server has"	/* which types a problem is about (remedy.c) */
extern char *pegs_domain_type_problem(const PegsColumn *column, Oid relid);
extern void pegs_look_at_derived(PegsColumn *column, Oid relid);

/* ---- function.c: columns that are declared to be functions of another ---- */

extern void pegs_declare_function(const PegsSource *source, PegsColumn *column, const struct PegsDeclaration *declared);
extern PegsFunction *pegs_read_mapping(const PegsColumn *of, const PegsColumn *column, JsonbContainer *object, const char *what);	/* what: of what it is one, in an error */
extern Jsonb *pegs_function_kept(const PegsFunction *function);	/* as pegs_internal.fact has it, and pegs_facts prints it */
extern PegsFunction *pegs_kept_function(Jsonb *kept);	/* and back */
extern void pegs_function_in(PegsColumn *column, Jsonb *kept);	/* and back; its values are the levels of the column */
extern void pegs_look_at_functions(PegsDomain *domain, const PegsSource *source);

/* ---- modelled.c: the columns of a model, drawn and computed ---- */

extern PegsDomain *pegs_domain_model(const PegsDomain *all, const PegsSource *source, List *names);	/* pegs_domain_choose, and what is computed */
extern char *pegs_computed_itself(const PegsColumn *column, const PegsDomain *all);	/* what it is computed from, and is so itself; NULL: nothing */
extern char *pegs_remedy_for_chain(const PegsColumn *column, const char *of, const PegsDomain *all, const PegsSource *source);

/* ---- parts.c: columns that are modelled by hidden ones ---- */

extern void pegs_require_splittable(const PegsSource *source, const PegsColumn *column);	/* or an error */
extern void pegs_declare_parts(const PegsSource *source, PegsColumn *column, const struct PegsDeclaration *declared);
extern void pegs_check_hidden(const PegsSource *source, const PegsColumn *column);
extern List *pegs_hidden_columns(const PegsColumn *column, bool nullable);	/* of PegsColumn */
extern char *pegs_quoted_name(const char *name);
extern char *pegs_hidden_name(const PegsColumn *column, PegsPartKind kind);
extern const char *pegs_hidden_name_problem(Oid relid, const char *name);	/* NULL: there can be one */

/* ---- split.c: the domain with its hidden columns ---- */

extern void pegs_domain_split(PegsDomain *domain, const PegsSource *source);	/* hidden columns, after those that are computed from them */

/* ---- order.c: two columns in order ---- */

extern PegsColumn pegs_difference_of(const PegsSource *source, const PegsColumn *column, const char *earlier);	/* without bins; or an error */
extern void pegs_declare_order(const PegsSource *source, PegsColumn *column, const struct PegsDeclaration *declared);

/* ---- longest.c: how long the one can be after the other ---- */

extern char *pegs_order_statement(const PegsDomain *domain, const char *table, const char *earlier, const PegsColumn *later);	/* with longest => '...' where nothing says it */

#endif							/* PEGS_COMPUTED_H */
