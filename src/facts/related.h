/*
 * related.h
 *	  Facts of several tables that hang by foreign keys on one root. A part of facts.h, which includes it.
 */
#ifndef PEGS_RELATED_H
#define PEGS_RELATED_H

/* ---- spec_related.c: of several tables ---- */

typedef enum PegsKeyKind
{
	PEGS_KEY_NUMBER,			/* a running number */
	PEGS_KEY_LINE,				/* a number among the rows of one parent */
	PEGS_KEY_PARENT				/* what a key of the parent's row is */
} PegsKeyKind;

/* A column of a table that no model holds, and whose values are made. */
typedef struct PegsMadeKey
{
	char	   *column;
	PegsKeyKind kind;
	int			of;				/* PEGS_KEY_PARENT: number of the key of the parent */
} PegsMadeKey;

/* Rows that rows of a table refer to, and that no model of it protects. */
typedef struct PegsReferred
{
	Oid			table;			/* whose rows they are */
	char	   *words;			/* as a certificate says it, and */
	char	   *by;				/* how that ends: by which columns */
} PegsReferred;

typedef struct PegsMember
{
	char	   *name;			/* of the table, without its schema: each once */
	char	   *table;			/* qualified, as it was called */
	int			parent;			/* an earlier one; -1: the root, the first */
	PegsSpec   *spec;			/* of its own columns */
	int			nclasses;		/* of the number of its rows that a parent has */
	uint32_t   *first;
	uint32_t	most;
	int			nkeys;
	PegsMadeKey *key;
	int			nbeside;		/* in words: rows of others that its rows refer to, which are not protected */
	char	  **beside;
	List	   *referred;		/* of PegsReferred *: the same, as the catalog has it; NIL: of a spec that was read */
	int			nrepeat;		/* in words: combinations of columns that may repeat, though the original has them once */
	char	  **repeat;
	int			ndistinct;		/* names of columns by which a key tells rows of one parent apart, and that are drawn so: distinct.c */
	char	  **distinct;
} PegsMember;

typedef struct PegsRelated
{
	int			n;
	PegsMember *member;
	bool		siblings;		/* rows of one parent are looked at beside each other */
	pegs_relations relations;
} PegsRelated;

extern PegsSpec *pegs_spec_of_related(PegsRelated *related, pegs_status *status);	/* but for its text */
extern int	pegs_related_find(const PegsRelated *related, const char *name);
extern int	pegs_made_key(const PegsMember *member, const char *column);
extern char *pegs_related_names(const PegsRelated *related);
extern char *pegs_related_unit(const PegsRelated *related, bool counted);
extern void pegs_put_related(StringInfo out, const PegsRelated *related);

/* ---- related.c: tables that are bound to one root, as they are now ---- */

typedef struct PegsRelatives
{
	PegsRelated *related;
	PegsSource **source;		/* [n] of each table, locked */
	const PegsForeignKey **key; /* [n] to its parent; of the root NULL */
} PegsRelatives;

/* Of this root, those named (in_order: as they are named) or all; columns of each by an object, or those that have a domain. Public facts, or an error. */
extern PegsRelatives *pegs_relatives(PegsSource *root, List *tables, bool in_order, Jsonb *columns, bool fitted);	/* fitted: they were, and are read alone; references that no fit would have now are no error */
extern char *pegs_another_name(Oid table);	/* for a hint: a statement */
extern char *pegs_key_to_the_whole(Oid table, const PegsForeignKey *key);	/* likewise */

/* ---- made.c: keys that are made anew ---- */

extern struct Bitmapset *pegs_referred_columns(const PegsRelatives *relatives, int t);	/* attnums: what the tables below refer to */
extern void pegs_make_keys(PegsRelatives *relatives, int t);	/* those of its parent are there; or an error */
extern void pegs_say_what_is_numbered(const PegsRelatives *relatives);
extern char *pegs_made_problem(Oid table, Oid root, char **remedy);	/* in words; NULL: none */

/* ---- own_key.c: the foreign key by which a table is bound ---- */

extern const PegsForeignKey *pegs_own_key(Oid table);	/* by which it is bound; NULL: by none */
extern bool pegs_is_numbered(Oid relid, AttrNumber attnum);	/* of a bound table: anew in models */
extern bool pegs_is_handed_down(Oid table, AttrNumber attnum, Oid above, AttrNumber referred);	/* key by key, from this column of a table above */
extern bool pegs_is_handed_back(Oid table, AttrNumber attnum, const PegsForeignKey *key);	/* of a key to a table below: from here */
extern bool pegs_is_of_own_rows(Oid table, const PegsForeignKey *key);	/* of tables below */
extern bool pegs_is_same_row(Oid table, const PegsForeignKey *key);	/* it refers to the row that its rows belong to anyway */
extern bool pegs_is_own_row(Oid table, const PegsForeignKey *key);	/* likewise, with columns that are copies of what that row has */

/* ---- second.c: references beside that by which a table is bound ---- */

extern AttrNumber pegs_plain_column(Oid table, const PegsForeignKey *key);	/* that cannot be NULL, of a reference to another row; 0: none */
extern bool pegs_is_modelled(const PegsDomain *domain, const char *name);
extern void pegs_note_copies(PegsMember *member, Oid table);	/* for the certificate */
extern void pegs_require_references(const PegsMember *member, Oid table, const PegsDomain *domain);	/* before a charge */
extern void pegs_say_what_is_plain(const PegsRelatives *relatives);
extern bool pegs_is_private_table(Oid table, Oid root);	/* that root's account pays for it, or its own */
extern bool pegs_is_about_persons(Oid table, Oid root);	/* it is, or its rows refer to those of one, on whatever way */
extern char *pegs_reference_problem(Oid table, Oid root, const PegsDomain *domain, char **remedy);	/* in words; NULL: none */

/* ---- two_keys.c: what mends such a reference ---- */

extern char *pegs_comes_out_null(Oid table, AttrNumber attnum);	/* for a hint */
extern char *pegs_repair_of(Oid table, const PegsForeignKey *key, AttrNumber attnum, bool runs);	/* as a hint, or as statements and comments */
extern bool pegs_may_be_kept(Oid table, const PegsForeignKey *key);	/* by some of these */

/* ---- unbound.c: for pegs_schema, what a model would lack ---- */

extern char *pegs_plain_reference_problem(Oid table, Oid root, char **remedy);	/* NULL: none */
extern char *pegs_no_column_problem(Oid table, char **remedy);
extern void pegs_put_unbound(ReturnSetInfo *result, Oid root);
extern void pegs_warn_of_the_way_out(Oid account);	/* before a charge: references that could be mended until then */

/* ---- plain.c: a value that says nothing ---- */

extern Datum pegs_plain_value(struct RelationData *rel, Form_pg_attribute att, bool ask_domain);	/* for what is NOT NULL; an error: there is none, or a CHECK of its domain refuses it */

/* ---- beside.c: what a certificate says beside the unit; before and after its columns are chosen ---- */

extern void pegs_note_references(PegsMember *member, const PegsSource *source, const PegsForeignKey *own, const PegsDomain *all, Oid root);
extern List *pegs_references_beside(const PegsSource *source, const PegsDomain *domain);	/* of PegsReferred *: the same of one table, alone */
extern void pegs_note_repeats(const PegsRelated *related, int t, const PegsSource *source);
struct FormData_pg_index;
extern bool pegs_stays_generated(const PegsMember *member, struct RelationData *rel, Form_pg_attribute att);	/* in a copy */
extern bool pegs_identifies(const PegsRelated *related, int t, const struct Bitmapset *keys);	/* do these of its made keys, by their numbers, say which row it is? */
extern bool pegs_may_repeat(const PegsRelated *related, int t, struct RelationData *rel, const struct FormData_pg_index *index);

/* ---- classes.c: of how many rows a parent has, as they are declared ---- */

extern void pegs_declared_classes(Oid child, Datum *children, bool *no_children, Datum *at_most, bool *no_at_most);
extern int *pegs_read_classes(Oid child, int *n, int *at_most);	/* declared; NULL: nothing, and at_most 0 */
extern char *pegs_classes_argument(Oid table);	/* as further arguments of pegs_set_parent */
extern char *pegs_parent_proposal(Oid child, const PegsForeignKey *key);	/* a comment */

#endif							/* PEGS_RELATED_H */
