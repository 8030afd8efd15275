/*
 * facts.h
 *	  Public facts about a source: domain, zeros, unit, and all of them as text.
 */
#ifndef PEGS_FACTS_H
#define PEGS_FACTS_H

#include "server/server.h"
#include "codes/column.h"
#include "source/source.h"

#include "core/core.h"
#include "core/counts.h"
#include "core/rng.h"

/* ---- domain.c: the declared domain ---- */

extern PegsDomain *pegs_domain_of(const PegsSource *source);	/* every column, or why it has no domain */

/* The columns of a model: those named, else all that have a domain, but for keys and the privacy unit. */
extern PegsDomain *pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names);

/* ---- checks.c: levels that a CHECK constraint states ---- */

extern List *pegs_check_levels(Oid relid, AttrNumber attnum);	/* of char *, or NIL */
extern List *pegs_domain_check_levels(Oid domaintype);

/* ---- lookup.c: the levels of a public lookup table, by the rights that the caller has now ---- */

extern void pegs_load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source);

/* ---- show.c: a domain for a person to read ---- */

extern char *pegs_column_list(const PegsDomain *domain);	/* "name type, ..." for AS t(...) */

/* ---- zeros.c: structural zeros ---- */

extern void pegs_load_zeros(PegsDomain *domain, const PegsSource *source);	/* those whose columns are all in the domain */

/* Before a fit is charged: is there a row that no zero forbids? An error if none was found. */
extern void pegs_require_possible_row(const char *model, const PegsDomain *domain);

extern void pegs_nothing_possible(const char *name) __attribute__((noreturn));

/* ---- unit.c: whose row it is ---- */

extern void pegs_load_unit(PegsSource *source);	/* fills in unit_column, rows_per_unit and rows_each */
extern char *pegs_unit_column(const PegsSource *source);	/* or NULL; not a word about one that does not fit */
extern const char *pegs_charged_unit(bool person, const char *column);	/* as the ledger tells units apart */
extern const char *pegs_unit_words(int rows_per_unit, int rows_each);	/* as certificates say it */
extern void pegs_say_weighting(const PegsSource *source);	/* a NOTICE where persons weigh the same in the models */

/* All rows of each person, in the order in which they are asked to count: their place is the last column. */
extern void pegs_unit_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation);

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
extern char *pegs_spec_text(const PegsSpec *spec);
extern void pegs_add_parents(PegsSpec *spec, int i, JsonbContainer *list);	/* of column i, in the order given */
extern void pegs_refuse_parents(const char *child);	/* an error: they are no list of columns */
extern void pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout);

/* ---- spec_read.c: out of that text again ---- */

extern PegsSpec *pegs_spec_parse(const char *text);	/* types by name, with the caller's rights */
extern PegsSpec *pegs_spec_given(text *given, int ncols);	/* the same of a text that anybody may give */
extern PegsSpec *pegs_spec_stored(char *text, int ntypes, const Oid *types);	/* of a model; types NULL: by name */

#endif							/* PEGS_FACTS_H */
