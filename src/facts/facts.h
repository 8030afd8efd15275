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

/* ---- facts.c, checks.c, domain.c: the declared domain ---- */

extern PegsDomain *pegs_domain_of(const PegsSource *source);
extern void pegs_load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source);
extern char *pegs_column_list(const PegsDomain *domain);	/* show.c */
extern PegsDomain *pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names);

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
extern void pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout);

#endif							/* PEGS_FACTS_H */
