/*
 * publish.h
 *	  What the statements that publish rows of one table and of several share.
 */
#ifndef PEGS_PUBLISH_H
#define PEGS_PUBLISH_H

#include "models/models.h"

/* ---- statements.c: statements, one a row; what stands beside the rows ---- */

typedef struct PegsStatements
{
	ReturnSetInfo *result;		/* a row each; NULL: all of them in one text */
	StringInfoData text;
} PegsStatements;

extern void pegs_begin_statements(PegsStatements *statements, FunctionCallInfo fcinfo, bool one_text);
extern void pegs_put_statement(PegsStatements *statements, char *statement);

/* Whose rows are published, and for whom. */
typedef struct PegsPublished
{
	const PegsModel *model;
	const PegsRelease *release; /* or NULL */
	const char *name;			/* of the one or the other, as its caller wrote it */
	const char *functions;		/* schema of ours, as it is written in SQL */
	const char *role;			/* NULL: everybody */
	bool		materialized;
	bool		copied;			/* into tables, not seen by views */
} PegsPublished;

extern char *pegs_published_comment(const PegsPublished *what);	/* what stands beside the rows wherever they are looked at, as a literal */
extern bool pegs_is_published(Oid relid);	/* made by such statements: what may be dropped for those of now */

/* ---- publish_keys.c: keys of a copy ---- */

extern char *pegs_placed(const char *schema, const PegsMember *member); /* its name there, as SQL writes it */
extern void pegs_put_unique(PegsStatements *statements, const char *copy, const PegsRelated *related, int t, struct RelationData *rel);
extern void pegs_put_sequences(PegsStatements *statements, const char *copy, const PegsMember *member, struct RelationData *rel);
extern void pegs_put_references(PegsStatements *statements, const char *name, const PegsRelated *related, const char *schema, const Oid *originals, int t);

/* ---- publish_columns.c: columns of a copy ---- */

extern void pegs_require_copied(const PegsPublished *what, const PegsMember *member, struct RelationData *rel);	/* it can hold the rows; or an error */
extern void pegs_put_create(PegsStatements *statements, const char *copy, const PegsMember *member, struct RelationData *rel);
extern void pegs_put_generated(PegsStatements *statements, const char *copy, const PegsMember *member, struct RelationData *rel);
extern void pegs_put_insert(PegsStatements *statements, const char *copy, const PegsMember *member, struct RelationData *rel, const char *call);
extern void pegs_put_defaults(PegsStatements *statements, const char *copy, const PegsMember *member, struct RelationData *rel);

/* ---- publish_texts.c: what is text, or left out, for code of another role ---- */

extern const PegsDomain *pegs_printed_domain(const PegsDomain *domain, const char *view);	/* as the list of a view names it */
extern void pegs_say_left_out(const PegsMember *member, const char *what, const char *whose, const char *instead);

/* ---- publish_checks.c: what is said before a copy ---- */

/* CHECKs that no made key passes: in words, and what leaves their statements out. */
typedef struct PegsRefusing
{
	StringInfoData names;		/* data NULL: there are none */
	StringInfoData filter;
} PegsRefusing;

#define PEGS_COPY_BEGINS "BEGIN ISOLATION LEVEL REPEATABLE READ;"	/* the first statement of a copy */

extern char *pegs_check_of_copy(const char *copy, const char *name);	/* how the statement of a CHECK begins */
extern void pegs_note_refusing(const char *copy, const PegsMember *member, struct RelationData *rel, PegsRefusing *refusing);
extern void pegs_say_before_copy(const PegsPublished *what, const char *schema, const PegsRefusing *refusing);

/* ---- original.c: which table one of several is now ---- */

extern Oid	pegs_member_now(const PegsModel *model, int t);	/* InvalidOid: it was dropped, renamed or let go */

/* ---- publish_several.c: of several tables ---- */

extern char *pegs_table_row_type(const PegsModel *model, const char *name, const char *table);

extern void pegs_publish_several(PegsStatements *statements, const PegsPublished *what, const char *schema);	/* a view of each table */

#endif							/* PEGS_PUBLISH_H */
