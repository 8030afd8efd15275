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
extern const PegsForeignKey *pegs_key_with(List *keys, Oid parent, int n, const AttrNumber *attnums);	/* these columns, in any order; or NULL */
extern const PegsForeignKey *pegs_key_beside(List *keys, const PegsForeignKey *key);	/* one with the same columns that names other rows; or NULL */
extern void pegs_refuse_key_beside(Oid child, List *keys, const PegsForeignKey *key);
extern char *pegs_key_columns(Oid relid, int n, const AttrNumber *attnums);	/* "a, b" */
extern struct Bitmapset *pegs_primary_columns(struct RelationData *rel);	/* attnums */
extern char *pegs_referred_words(Oid parent, List *names);	/* for a hint: the parent, as a foreign key of columns of these names (of char *) would refer to it */

/* ---- compared.c ---- */

/* Of its column and of the parent. */
#define PEGS_TOLD_APART_OTHERWISE "Column \"%s\" tells values apart in another way than the column of \"%s\" that it refers to: by another type or collation, or there by an index of another."

extern AttrNumber pegs_told_apart_otherwise(Oid relid, const PegsForeignKey *key);	/* its column whose values are not those of the parent's rows one by one; or InvalidAttrNumber */
extern char *pegs_tell_apart_alike(Oid relid, const PegsForeignKey *key, AttrNumber attnum);	/* what mends that, to be pasted */
extern void pegs_require_plain_comparison(Oid relid, const PegsForeignKey *key);	/* as a join of the two tables compares */

#endif							/* PEGS_FOREIGN_H */
