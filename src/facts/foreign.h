/*
 * foreign.h
 *	  Foreign keys, by the catalog, and how they compare.
 */
#ifndef PEGS_FOREIGN_H
#define PEGS_FOREIGN_H

#include "postgres.h"
#include "access/attnum.h"
#include "nodes/pg_list.h"

/* ---- foreign.c ---- */

typedef struct PegsForeignKey
{
	Oid			refers_to;		/* the table that it names */
	Oid			parent;			/* and the whole of which that is a part, if it is one */
	char	   *name;
	int			n;
	AttrNumber	attnum[INDEX_MAX_KEYS];	/* of its own table, and */
	AttrNumber	referred[INDEX_MAX_KEYS];	/* of the other */
	bool		unique;			/* a row of the parent has one row here at most */
} PegsForeignKey;

extern List *pegs_foreign_keys(Oid relid);	/* of PegsForeignKey */
extern int	pegs_key_place(const PegsForeignKey *key, AttrNumber attnum);	/* of this column in it; -1: it has it not, or is NULL */
extern AttrNumber pegs_referred_above(const PegsForeignKey *key, int i);	/* of the parent: referred[i] is of the part that it names, which numbers its columns in its own order */
extern const PegsForeignKey *pegs_key_with(List *keys, Oid parent, int n, const AttrNumber *attnums);	/* these columns, in any order; or NULL */
extern const PegsForeignKey *pegs_key_beside(List *keys, const PegsForeignKey *key);	/* one with the same columns that names other rows; or NULL */
extern void pegs_refuse_key_beside(Oid child, List *keys, const PegsForeignKey *key);
extern char *pegs_key_columns(Oid relid, int n, const AttrNumber *attnums);	/* "a, b" */
extern char *pegs_key_literal(Oid relid, int n, const AttrNumber *attnums);	/* "'{a, b}'" */
extern struct Bitmapset *pegs_primary_columns(struct RelationData *rel);	/* attnums */
extern char *pegs_statement_of_key(Oid child, Oid parent, List *names);	/* for a remedy: makes a foreign key of columns of these names (of char *) */
extern const char *pegs_unchecked(Oid table);	/* " NOT VALID", or "" where no key of that table can be */
extern AttrNumber pegs_first_not_null(struct RelationData *rel, const PegsForeignKey *key);	/* 0: one of its columns may be NULL, and then it refers to nothing */

/* ---- remedy.c ---- */

#define PEGS_LEAVE_IT_OUT "Leave the column out: "	/* in a remedy, before why there is no statement for a reference */

/* ---- second.c ---- */

extern char *pegs_tables_without(Oid table);	/* as an argument: "ARRAY['a', 'b']" */

/* ---- compared.c ---- */

/* Of its column and of the parent. */
#define PEGS_TOLD_APART_OTHERWISE "Column \"%s\" tells values apart in another way than the column of \"%s\" that it refers to: by another type or collation, or there by an index of another."

extern AttrNumber pegs_told_apart_otherwise(Oid relid, const PegsForeignKey *key);	/* its column whose values are not those of the parent's rows one by one; or InvalidAttrNumber */
extern char *pegs_tell_apart_alike(Oid relid, const PegsForeignKey *key, AttrNumber attnum);	/* what mends that, to be pasted */
extern void pegs_require_plain_comparison(Oid relid, const PegsForeignKey *key);	/* as a join of the two tables compares */

#endif							/* PEGS_FOREIGN_H */
