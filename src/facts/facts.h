/*
 * facts.h
 *	  Public facts about a source: domain, zeros, unit, and all of them as text.
 */
#ifndef PEGS_FACTS_H
#define PEGS_FACTS_H

#include "server/server.h"
#include "codes/column.h"
#include "source/source.h"
#include "facts/computed/computed.h"
#include "facts/foreign.h"

#include "catalog/pg_attribute.h"
#include "nodes/primnodes.h"

#include "core/core.h"
#include "core/counts.h"
#include "core/rng.h"
#include "core/schema/schema.h"

/* ---- keys.c: columns that hold no values of their own ---- */

typedef struct PegsReference
{
	Oid			relid;			/* InvalidOid: none */
	char	   *column;
} PegsReference;

extern bool pegs_is_referring(Oid relid, AttrNumber attnum);	/* a column of a foreign key */
extern bool pegs_is_key(Relation rel, Form_pg_attribute att);	/* of an open table: unique by itself, or its numbers run */

extern char *pegs_is_no_value(Oid relid, AttrNumber attnum, PegsReference *reference);	/* "a key", ...; or NULL */

/* ---- parent.c: a table is bound to its parent ---- */

typedef struct PegsBinding
{
	List	   *columns;		/* of char *: of the foreign key; NIL: the only one */
	int		   *children;		/* [nchildren] where classes of the number of rows begin */
	int			nchildren;
	int			at_most;		/* 0: not said */
} PegsBinding;

#define PEGS_CHILDREN "children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model."

extern void pegs_declare_parent(const PegsSource *source, Oid parent, const PegsBinding *binding);
extern void pegs_check_children(Oid child, const int *children, int n, int at_most, const PegsForeignKey *key);
extern char *pegs_classes_missing(Oid child, const PegsForeignKey *key, const int *children, int n, int at_most, char **remedy);

/* ---- key_meant.c: the foreign key that says whose rows they are ---- */

extern const PegsForeignKey *pegs_key_meant(const PegsBinding *binding, const PegsSource *source, Oid parent);	/* or an error */

/* ---- classes.c: how many rows, as arguments of pegs_set_parent ---- */

extern char *pegs_which_key(Oid child, const PegsForeignKey *key);
extern char *pegs_classes_words(const int *children, int n, int at_most);
extern char *pegs_classes_statement(Oid child, const PegsForeignKey *key, const int *children, int n, int at_most);

/* ---- load.c: what was declared of a column ---- */

/* On the source, else on the table or ancestor it reads; false: nothing. */
extern bool pegs_load_declared(Oid relid, AttrNumber attnum, PegsColumn *column, const PegsSource *source);

/* A name may be given to another column: of that one nothing was declared. Older versions knew the name alone, and so does a restored dump. */
#define PEGS_OF_COLUMN " AND (attnum IS NULL OR relation IS NULL OR relation <> source::pg_catalog.oid OR attnum = $3)"

extern void pegs_forget_other_column(const PegsSource *source, const char *name);	/* had its name when it was declared */

/* ---- learnt.c: what it cost to learn a domain ---- */

typedef struct PegsLearntCost
{
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	bool		other_unit;		/* some of it protects another unit than the model */
} PegsLearntCost;

extern PegsLearntCost pegs_learnt_cost(const PegsDomain *domain, const PegsSource *source);
extern char *pegs_learnt_words(const PegsLearntCost *cost);	/* "epsilon 0.5 and delta 0.000000001"; NULL: nothing was learnt */

/* ---- remedy.c: why a column cannot be used, and what to do ---- */

extern char *pegs_by_what_is_public(const char *table, const char *name);	/* both literals, as below */
extern char *pegs_without_private(const char *table, const char *name, const char *why);
extern void pegs_describe_problem(PegsColumn *column, const PegsSource *source, Oid declared_type);

/* ---- domain.c: the declared domain ---- */

extern PegsDomain *pegs_domain_of(const PegsSource *source);	/* every column, or why it has no domain */

/* The columns of a model: those named, else all that have a domain, but for keys and the privacy unit. */
extern PegsDomain *pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names);
extern void pegs_add_charges_of(PegsDomain *chosen, const PegsDomain *all, const char *name);	/* and that one column was learnt, which is none of its own */
extern void pegs_add_left_out(PegsDomain *chosen, const PegsDomain *all);	/* what it was charged that columns are left out */

/* ---- let_be_null.c: after which a column may be NULL ---- */

extern char *pegs_let_be_null(Oid table, AttrNumber attnum);	/* a statement, which may end in a comment */

/* ---- column.c: a column by its name ---- */

extern Oid pegs_declared_where(Oid relid, const char *name, char **column);	/* of which that is, and what it is called there */
extern char *pegs_name_when_declared(const PegsSource *source, const char *name, Oid *where);	/* it has another one now; NULL: nothing was declared of it */
extern bool pegs_is_not_null(Form_pg_attribute att);	/* or a domain that is */
extern char *pegs_column_of_one_value(Oid table);	/* a statement: what a table of keys alone has to be modelled by */
extern bool pegs_may_be_null(Oid relid, AttrNumber attnum);	/* down a view to the table it reads */
/* What is declared of a column of a relation itself. */
typedef struct PegsDeclared
{
	bool		is;				/* anything */
	bool		listed;			/* levels, bins, or a lookup table */
	bool		single;			/* each level of one value, or of keys of a lookup table */
	bool		out;			/* it is left out, or computed from others */
} PegsDeclared;

extern PegsDeclared pegs_declared(Oid relid, AttrNumber attnum);
extern bool pegs_has_levels(Oid relid, AttrNumber attnum);	/* declared, or bins; of that relation itself */
extern void pegs_find_column(const PegsSource *source, const char *name, bool of_any_type, PegsColumn *column);	/* or an error */
extern const char *pegs_twice(char *const *texts, int n);	/* one that is there twice; NULL: none */
extern void pegs_refuse_twice(const PegsColumn *column, char *const *texts, int n, const char *what);

/* ---- declare.c: a declaration of a column's domain ---- */

/* What is declared, in the session's notation: levels, a lookup table, edges, or low and high; nothing of these: not_null alone. */
typedef struct PegsDeclaration
{
	char	  **levels;
	int			nlevels;
	char	   *other;			/* level that takes what is not declared; or NULL */
	Oid			lookup;
	char	   *lookup_column;
	List	   *via;			/* of char *: its columns by which a key is modelled; NIL: by itself */
	char	   *weight;			/* its column that says how likely each of their keys is drawn; NULL: all alike */
	char	  **edges;
	int			nedges;
	char	   *low;			/* bins of equal width, so many, up to high */
	char	   *high;
	int			bins;
	char	  **points;			/* besides edges */
	int			npoints;
	char	   *step;
	bool		drop;			/* a row whose value is not declared is left out */
	bool		nearest;		/* of bins: it counts in the first or the last */
	bool		not_null;		/* whatever the catalog says */
	bool		left_out;		/* of models that do not name it */
	char	   *derived;		/* an expression over other columns */
	char	   *of;				/* it is a function of this column, */
	JsonbContainer *values;		/* an object: which of its levels has which value, */
	char	   *null_value;		/* and which NULL has */
	JsonbContainer *groups;		/* an object: the group of each level; or NULL */
	char	  **parts;			/* of bins of times: modelled by these calendar parts */
	int			nparts;
	char	   *zone;			/* with parts, of a timestamptz; NULL: the session's */
	char	   *earlier;		/* it is never before this column: bins are of the difference */
	Jsonb	   *hierarchy;		/* a list of steps, kept beside it (hierarchy.c); NULL, and has_hierarchy: it is forgotten */
	bool		has_hierarchy;
	const PegsLearntCharge *learnt; /* learnt, and charged; NULL: declared by a person */
} PegsDeclaration;

extern void pegs_declare_column(const PegsSource *source, const char *name, const PegsDeclaration *declared);
extern void pegs_say_generated(const PegsSource *source, const char *name); /* a NOTICE, if levels or bins are of little use to it */

/* Of what is learnt: all that a declaration can be refused for; its row is ours from now on. */
extern void pegs_check_declaration(const PegsSource *source, const char *name, const PegsDeclaration *declared);
extern bool pegs_hold_declaration(const PegsSource *source, const char *name);	/* true: there was none */
extern bool pegs_undeclare_column(const PegsSource *source, const char *column);	/* false: nothing was declared */
extern void pegs_add_learnt(const PegsSource *source, const char *name, const PegsLearntCharge *charge);	/* and nothing found */

/* ---- set.c: arguments that declarations share ---- */

extern void pegs_read_undeclared(PegsDeclaration *declared, const char *undeclared);	/* 'error', 'drop' or 'nearest', or an error */

/* ---- bins.c: of equal width; steps ---- */

extern void pegs_declare_bins(PegsColumn *column, const PegsDeclaration *declared);	/* checked, into the column */
extern Datum pegs_edge_number(const PegsColumn *column, const char *text);	/* a numeric: itself, days or microseconds */
extern int64 pegs_whole_edge(const char *text);	/* of a column of integers */
extern char *pegs_edge_text(const PegsColumn *column, Datum number, int scale);	/* and back, rounded to what the type can hold */

extern char **pegs_equal_edges(const PegsColumn *column, const char *low, const char *high, int bins, int *nedges);
extern char *pegs_canonical_step(const PegsColumn *column, const char *step);
extern void pegs_domain_of_range(PegsColumn *column, char *low, char *high);
extern bool pegs_bins_hold(const PegsColumn *column);	/* points and step, if the type was altered since */
extern const char *pegs_bins_problem(PegsColumn *column);	/* of a text that somebody gave; NULL: none */

/* ---- names.c: what the name of a column says ---- */

extern char *pegs_words_of(const char *name);	/* in lower case, with a blank around each */
extern bool pegs_has_word(const char *words, const char *word);
extern bool pegs_is_told_by_name(const PegsColumn *column);	/* whose row it is, or it is written by hand */

/* ---- propose.c: a statement for each column ---- */

extern bool pegs_is_unknown(const PegsColumn *column);	/* nobody has said what values it has */
extern List *pegs_undecided_keys(Oid table);	/* of PegsForeignKey: its rows may belong to rows of another, and nobody has said whether */
extern void pegs_refuse_without_delta(const char *function, const PegsSource *source, int64 epsilon) __attribute__((noreturn));	/* of levels to be learnt */

/* ---- constants.c: comparisons with constants (the rest of it: constants.h) ---- */

/* What an expression without a column comes to, by built-in immutable functions alone; NULL if it does not. */
extern Const *pegs_constant_of(Node *node);

/* ---- checks.c: what CHECK constraints state ---- */

extern List *pegs_check_levels(Oid relid, AttrNumber attnum);	/* of char *, or NIL */
extern List *pegs_check_levels_anywhere(Oid relid, AttrNumber attnum);	/* likewise, down views to the table */
extern List *pegs_domain_check_levels(Oid domaintype);

/* Both ends of the range of a column that is of `type`, as it was declared; canonical. */
extern bool pegs_check_range(Oid relid, AttrNumber attnum, Oid type, const PegsColumn *column, char **low, char **high);

/* ---- lookup.c: a public lookup table, by the rights that the caller has now ---- */

extern Oid	pegs_lookup_named(const char *name);	/* as SQL names a table; or an error */
extern char *pegs_lookups_problem(Oid table, Oid root, char **remedy);	/* in words; NULL: none */
#define PEGS_LOOKUP_IS_GONE "its lookup table or column is gone"	/* a problem */
#define PEGS_LOOKUP_HAS_NO_LEVELS "its lookup table's column has an unsupported type"	/* likewise */
#define PEGS_LOOKUP_IS_ITSELF "its lookup table has become a part of the table itself"	/* likewise */
#define PEGS_LOOKUP_IS_PRIVATE "its lookup table has a privacy budget: its rows are private"	/* likewise */
#define PEGS_LOOKUP_OF_PERSONS "rows of its lookup table are about persons: by foreign keys they refer to private rows"	/* a problem */
extern char *pegs_referred_instead(Oid table, AttrNumber attnum, Oid lookup, const char *name);
extern void pegs_refuse_another_key(const PegsSource *source, const char *column, const PegsDeclaration *declared);	/* than the one that its foreign key refers to */
extern void pegs_check_lookup(const PegsSource *source, const char *column, Oid lookup, char *name, const char *argument);	/* public, with such a column; or an error. column: for a hint; NULL: of a hierarchy */
extern const char *pegs_lookup_problem(Oid lookup, const char *column, Oid account, Oid *type, List **parts);	/* NULL: it can be read, and is locked */
extern bool pegs_may_read_lookup(PegsColumn *column, Oid lookup, const List *parts, List *names);	/* else the column's problem and remedy say why not */
extern void pegs_load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source);

extern char *pegs_mapping_problem(Oid lookup, const char *key, const char *value, const PegsSource *source, List **parts, char **remedy);	/* NULL: it can be read; remedy: NULL, if not by a right */

/* Its rows as texts, without those where one is NULL; gives how many. An error, if it is not as it was declared. */
extern int	pegs_load_mapping(const PegsColumn *column, Oid lookup, const char *key, const char *value, const PegsSource *source, char ***from, char ***to);

/* ---- unread.c: what its owner cannot read ---- */

extern char *pegs_unread_by_owner(Oid table, bool selects, char **remedy);	/* why, in words; NULL: he can. selects: he has that right */

/* ---- keyed.c, keyed_set.c: a column of keys by what its lookup table says of them ---- */

/* Its labels are what is said, and it has its keys; where: on which relation it is declared. */
extern void pegs_load_keyed(PegsColumn *column, Oid lookup, const char *key, char *const *via, int n, const char *weight, Oid where, const PegsSource *source);

extern void pegs_declare_keyed(const PegsSource *source, const PegsColumn *column, const PegsDeclaration *declared);	/* checked, or an error */
extern char *pegs_keyed_words(Oid lookup, const char *key, Oid type);	/* in a proposal, behind the statement that has it without via; or "" */

/* ---- keyed_mend.c: what mends that table, or its declaration ---- */

typedef struct PegsKeyedBy
{
	Oid			lookup;
	const char *key;
	char	   *const *via;
	int			n;
	const char *weight;			/* NULL: none */
	Oid			where;			/* the relation of whose column it is declared */
} PegsKeyedBy;

/* What is wrong with its keys, or what it says of them. */
typedef enum PegsBadKeys
{
	PEGS_KEYS_GONE,				/* a column is not there, or of no supported type */
	PEGS_KEYS_NO_VIA,			/* the column's type is none of keys */
	PEGS_KEYS_TOO_MANY,
	PEGS_KEYS_TOO_MANY_LEVELS,
	PEGS_KEYS_NONE,
	PEGS_KEYS_ODD,				/* one is no value of the column's type */
	PEGS_KEYS_TWICE				/* two things are said of one */
} PegsBadKeys;

/* What is wrong with the weights of a lookup table. */
typedef enum PegsBadWeights
{
	PEGS_WEIGHTS_GONE = 1,		/* they are no column of numbers any more */
	PEGS_WEIGHTS_ODD = 2,		/* one is NULL, negative or not finite */
	PEGS_WEIGHTS_NONE = 4		/* a level has no key that has one */
} PegsBadWeights;

extern char *pegs_free_name(const char *name, const char *of, Oid schema);	/* for a new table */
extern char *pegs_mend_keys(const PegsColumn *column, const PegsKeyedBy *by, PegsBadKeys bad);	/* statements */
extern char *pegs_mend_weights(const PegsColumn *column, const PegsKeyedBy *by, int bad);	/* statements */

/* ---- show.c: a domain for a person to read ---- */

extern char *pegs_column_list(const PegsDomain *domain);	/* "name type, ..." for AS t(...) */

/* ---- zeros.c: structural zeros ---- */

extern void pegs_load_zeros(PegsDomain *domain, const PegsSource *source);	/* those whose columns are all in the domain */

extern List *pegs_zeros_of(const PegsSource *source, List *columns);	/* of Jsonb: those that these columns of it can tell */
extern void pegs_add_zero(const PegsSource *source, const PegsDomain *domain, Jsonb *combination);

/* Before a fit is charged: is there a row that no zero forbids? An error if none was found. */
extern void pegs_require_possible_row(const char *model, const PegsDomain *domain);

extern void pegs_nothing_possible(const char *name) __attribute__((noreturn));

/* ---- scale.c: levels as places on a scale ---- */

extern bool pegs_is_on_scale(const PegsColumn *column);	/* has its type an order? */
extern uint16 *pegs_places(const PegsColumn *column, const pegs_env *env);
extern double *pegs_level_numbers(const PegsColumn *column, const pegs_env *env);

/* ---- groups.c: levels that belong together ---- */

extern void pegs_require_levels(const PegsSource *source, const PegsColumn *column, const PegsFunction *groups);	/* groups are of levels that it has */
extern PegsFunction *pegs_read_groups(const PegsColumn *column, JsonbContainer *groups);	/* checked by the type alone, or an error */

/* ---- grouped.c: levels of one group beside each other ---- */

extern void pegs_group_levels(PegsColumn *column);
extern const char *pegs_unknown_level(const PegsColumn *column, const PegsFunction *groups, bool in_a_group);	/* the first that these name and it has not; NULL: none */
extern char *pegs_groups_problem(const PegsColumn *column);	/* NULL: they are of its levels, or there are none */

/* An aggregate of SQL: an object. jsonb_object_agg takes a second for a column of 60,000 levels, and cannot be cancelled in it. */
#define PEGS_OBJECT(name, value) "('{' || string_agg(to_json(" name ")::text || ':' || " value "::text, ',') || '}')::jsonb"

/* ---- hierarchy.c: what becomes of levels, step by step, when they are generalised ---- */

typedef struct PegsStep
{
	int			ngroups;
	uint16	   *group;			/* [levels of the column] */
	char	  **labels;			/* [ngroups] no two are the same; NULL: NULL */
	int		   *size;			/* [ngroups] levels of it */
	int			keep;			/* it keeps so many characters of a text; 0: it is of another kind */
} PegsStep;

typedef struct PegsHierarchy
{
	int			nsteps;
	PegsStep   *steps;			/* the first one: the levels or bins themselves; the last: "*" */
} PegsHierarchy;

#define PEGS_MAX_STEPS 15		/* that are declared */

extern PegsHierarchy *pegs_hierarchy_of(const PegsSource *source, const PegsColumn *column);	/* declared, else of groups, else of bins, else itself and "*" */
extern void pegs_declare_hierarchy(const PegsSource *source, const char *name, Jsonb *steps);
extern Jsonb *pegs_facts_and_hierarchies(const PegsSource *source, Jsonb *facts);
extern char *pegs_hierarchy_problem(const PegsSource *source, const PegsColumn *column, char **remedy);	/* for who shows what is declared; NULL: none */

/* ---- hierarchy_kept.c: as it was declared ---- */

typedef struct PegsKeptHierarchy
{
	Jsonb	   *steps;			/* NULL: nothing is declared; lookup tables are numbers in ... */
	Oid		   *lookups;		/* ... in their order */
	Oid			relid;			/* of which column it is declared */
	AttrNumber	attnum;
} PegsKeptHierarchy;

extern PegsKeptHierarchy pegs_kept_hierarchy(Oid relid, AttrNumber attnum);
extern void pegs_keep_hierarchy(const PegsSource *source, const char *name, Jsonb *steps, const Oid *lookups, int nlookups);
extern bool pegs_forget_hierarchy(const PegsSource *source, const char *name);	/* false: there was none */
extern char *pegs_forget_hierarchy_call(const PegsSource *source, const char *name);	/* a statement, of where it is declared */

/* ---- hierarchy_steps.c: its steps as groups ---- */

extern PegsHierarchy *pegs_make_hierarchy(const PegsSource *source, const PegsColumn *column, Jsonb *steps, const Oid *lookups);

/* ---- unit.c: whose row it is ---- */

extern void pegs_declare_unit(PegsSource *source, const char *column, int max_rows, const char *weighting);
extern void pegs_load_unit(PegsSource *source);	/* fills in unit_column, rows_per_unit and rows_each */
extern bool pegs_has_unit(Oid account, AttrNumber *attnum);	/* declared; its column, 0: not known */
extern char *pegs_column_of_base(const PegsSource *source, AttrNumber attnum);	/* name of the source's column that is this one of its base table; or NULL */
extern char *pegs_unit_column(const PegsSource *source);	/* or NULL; not a word about one that does not fit */
extern const char *pegs_charged_unit(bool person, const char *column);	/* as the ledger tells units apart */
extern const char *pegs_unit_words(int rows_per_unit, int rows_each);	/* as certificates say it */
extern void pegs_say_weighting(const PegsSource *source);	/* a NOTICE where persons weigh the same in the models */

/* ---- unit_bound.c: where tables are bound to another ---- */

extern void pegs_check_bound(PegsSource *source, bool has_unit, AttrNumber attnum);	/* before rows of it are counted; its declared unit */
extern const char *pegs_why_not_alone(const PegsSource *source);	/* bound, and nothing can be counted of it by itself; NULL: it can */
extern void pegs_refuse_another_unit(const PegsSource *source, AttrNumber attnum);	/* about to be declared */

/* ---- unit_query.c: the rows of persons ---- */

/* Rows of one column, c0, where none is left out, and how many times each counts, times. */
extern void pegs_unit_times_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation);

/* ---- example.c: for hints, of columns that there are ---- */

extern char *pegs_parents_example(const PegsDomain *domain, List *among);	/* as an argument; among NIL: all */
extern char *pegs_object_example(const char *name, const char *value);	/* '{"name": value}' */
extern char *pegs_text_example(const char *text);	/* a value of it */
extern char *pegs_columns_example(const PegsDomain *domain, int n);	/* the first n: ARRAY['...', '...'] */

/* ---- spec.c: the domain and the tables ---- */

typedef struct PegsSpec
{
	PegsDomain *domain;
	pegs_tables tables;
	uint32_t   *parent_start;	/* conditional */
	uint16_t   *parents;
	uint32_t	tail_bits;
	bool		triples;		/* of what is counted, never of a model: pairs, and small triples after them (counts.h) */
	bool		sloped;			/* of a model: values inside bins are (models/sloped.c); else they are uniform */
	bool	   *target;			/* [ncols] of a model: what its rows are for (models/target.c); NULL: nothing more than anything else */
	bool	   *grouped;		/* [ncols] of a model: whose groups of levels its fit knew; NULL: none */
	char	   *own;			/* of a model: options of its method, a JSON object (models/settings.c); NULL: none */
	const pegs_setting *settings;	/* those, read; NULL: of no model */
	bool		scales;			/* of a model: its method takes levels for places on a scale */
	bool		numbers;		/* likewise, for the numbers that they are */
	bool		later;			/* likewise, counts pairs later, where they are too many for memory */
	struct PegsRelated *related;	/* of a model of several tables: these; NULL: of one */
	const char *tried;			/* by a map of many methods: by which, as its caller says it; NULL: of a model, or of none */
	char	   *text;			/* canonical */
} PegsSpec;

extern PegsSpec *pegs_spec_plain(PegsDomain *domain, pegs_tables tables);	/* tables that have no parents */
extern PegsSpec *pegs_spec_without_parents(PegsDomain *domain, pegs_tables tables);	/* likewise, and conditional ones of single columns */
extern PegsSpec *pegs_spec_make(PegsDomain *domain, Jsonb *parents, int tail_bits);	/* parents NULL: pairs */
extern PegsSpec *pegs_spec_conditional(PegsDomain *domain, uint32_t *parent_start, uint16_t *parents, int tail_bits);
extern void pegs_add_parents(PegsSpec *spec, int i, JsonbContainer *list);	/* of column i, in the order given */
extern void pegs_refuse_parents(const PegsDomain *domain, const char *child);	/* an error: they are no list of columns */
extern void pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout);

#include "facts/related.h"

/* ---- spec_text.c: as canonical text ---- */

extern char *pegs_spec_text(const PegsSpec *spec);
extern char *pegs_spec_column_text(const PegsSpec *spec, int i);	/* what it says of one column */

/* ---- spec_read.c: out of that text again ---- */

#define PEGS_MAX_GIVEN_BYTES (8 * 1024 * 1024) /* of a text that anybody may give: the server reads JSON in one go */

extern PegsSpec *pegs_spec_parse(const char *text);	/* types by name, with the caller's rights */
extern PegsSpec *pegs_spec_given(text *given, int ncols);	/* the same of a text that anybody may give */
extern PegsSpec *pegs_spec_handed_on(char *text, int ntypes, const Oid *types);	/* of what is counted, within this server */
extern PegsSpec *pegs_spec_stored(char *text, int ntypes, const Oid *types);	/* of a model; types NULL: by name */

#endif							/* PEGS_FACTS_H */
