/*
 * links.h
 *	  Keys of related tables that hold in rows of a model, beside those that are made.
 */
#ifndef PEGS_LINKS_H
#define PEGS_LINKS_H

#include "facts/facts.h"

/* Of a Form_pg_index: two rows with NULL agree. */
#if PG_VERSION_NUM >= 150000
#define PEGS_NULLS_AGREE(index) ((index)->indnullsnotdistinct)
#else
#define PEGS_NULLS_AGREE(index) false
#endif

/* ---- room.c: rows of one parent that a level is enough for ---- */

extern int	pegs_modelled_by(const PegsDomain *domain, const char *column);	/* of the column of the model that it is modelled by; -1: none */
extern uint32_t *pegs_room_of(const PegsColumn *column);	/* [levels]; NULL: its levels are no single values */
extern double pegs_sum_of_room(const PegsColumn *column, const uint32_t *room);
extern void pegs_member_room(const PegsMember *member, pegs_relation *relation);	/* and by what keys are drawn; an error: its spec is not valid */

/* ---- distinct.c: columns by which a key tells rows of one parent apart ---- */

extern bool pegs_is_told_apart(Oid type);	/* its values by their texts */
extern bool pegs_is_distinct(const PegsMember *member, struct RelationData *rel, Oid index);
extern AttrNumber pegs_told_apart_in_primary(struct RelationData *rel, const PegsForeignKey *own);	/* of a bound table; 0: by no column alone */
extern void pegs_note_distinct(PegsMember *member, const PegsSource *source);	/* after its columns are chosen */

/* ---- key_values.c: columns of a primary key that hold values ---- */

typedef enum PegsValues
{
	PEGS_VALUES_NONE,
	PEGS_VALUES_RANGES,			/* declared, several to a level */
	PEGS_VALUES_SINGLE,			/* declared, each a level, or a key of a lookup table */
	PEGS_VALUES_CATALOG			/* likewise, by the catalog */
} PegsValues;

extern struct Bitmapset *pegs_referred_by(const PegsForeignKey *key);	/* attnums of the table above; key NULL: none */
extern struct Bitmapset *pegs_referred_by_children(Oid table);	/* attnums: its columns that tables bound to it refer to */
extern PegsValues pegs_values_of(Oid table, AttrNumber attnum);
extern AttrNumber pegs_value_of_key(struct RelationData *rel, const PegsForeignKey *own);	/* by which alone rows of one parent are told apart; 0: none */
extern struct Bitmapset *pegs_without_values(struct RelationData *rel, const PegsForeignKey *own, struct Bitmapset *columns, const struct Bitmapset *referred);	/* that get numbers */
extern bool pegs_is_value_in_key(Oid table, AttrNumber attnum);

/* ---- links.c: a reference in a table's own key ---- */

extern struct Bitmapset *pegs_without_links(Oid table, Oid root, struct Bitmapset *columns, const struct Bitmapset *referred);	/* that get numbers; or an error */
extern void pegs_require_distinct(const PegsRelated *related, int t, Oid table);	/* likewise, after its columns are chosen */
extern char *pegs_link_problem(Oid table, Oid root, char **remedy);	/* in words; NULL: none */

/* ---- as_text.c: keys whose type takes no running number ---- */

extern char *pegs_as_text(Oid table, AttrNumber attnum);	/* statements, and a comment that they are for good; or why none is safe, as a comment */

/* ---- readable.c: rows that a fit could not read ---- */

extern char *pegs_unread_problem(Oid table, Oid root, char **remedy);	/* in words; NULL: it can */

#endif							/* PEGS_LINKS_H */
