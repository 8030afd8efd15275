/*
 * models.h
 *	  Models and releases as objects: made, kept, named, granted, dropped, described.
 */
#ifndef PEGS_MODELS_H
#define PEGS_MODELS_H

#include "server/server.h"
#include "codes/column.h"
#include "source/source.h"
#include "facts/facts.h"
#include "datatype/timestamp.h"

#include "core/accountant.h"
#include "core/core.h"
#include "core/counts.h"
#include "core/graph/draw.h"
#include "core/rng.h"
#include "core/wire.h"

/* ---- uncharged.c: what a fit computes before it is charged is seen by nobody; likewise what is learnt ---- */

typedef struct PegsUncharged PegsUncharged;

/* How the work is spoken of. */
typedef struct PegsWork
{
	const char *title;			/* before its name */
	const char *while_words;
	const char *failed;
	const char *remedy;
} PegsWork;

extern const PegsWork pegs_work_fit;

extern PegsUncharged *pegs_uncharged(const PegsWork *work, const char *name);
extern MemoryContext pegs_uncharged_context(const PegsUncharged *uncharged);
extern pegs_env pegs_uncharged_env(PegsUncharged *uncharged);	/* zeroed before it is given back; speaks of long steps */
extern void pegs_uncharged_computed(PegsUncharged *uncharged);	/* what follows has memory: call it before charge and bookkeeping */
extern void pegs_hide_uncharged(const PegsWork *work, bool reading);	/* in PG_CATCH: throws on, without what may depend on noisy answers */
extern void pegs_uncharged_done(PegsUncharged *uncharged);

/* ---- slice.c: a model of a slice of a table: rows whose time lies between two edges, or that have one value ---- */

typedef struct PegsSlice
{
	int64		grid;			/* of pegs_internal.grid: what it was paid for by */
	int64		used;			/* the grid's mark, with this slice */
	char	   *column;
	Oid			type;			/* InvalidOid: an enum that was dropped */
	int32		typmod;
	char	   *value;			/* of a list: canonical, and the next three are NULL; NULL: by the clock */
	char	   *width;			/* in words */
	char	   *lower;			/* canonical; the first moment */
	char	   *upper;			/* behind the last one */
} PegsSlice;

/* ---- catalog.c: models and releases ---- */

typedef struct PegsModel
{
	int64		id;				/* of this fit of it: releases are of a fit */
	int64		object;			/* of the model in all its fits: what it is granted by (pegs_refit) */
	int			fit;			/* the how many-th */
	TimestampTz created;
	char	   *name;			/* NULL: dropped or fitted anew, kept for its releases */
	Oid			source;
	Oid			account;
	const pegs_method *method;	/* how its rows are paid for follows from it: pegs_is_sealed, pegs_is_private */
	const char *unknown_method; /* that it is of another, which is not here; NULL: it is not */
	bool		method_is_false;	/* what else is stored is of another */
	PegsSpec   *spec;
	int64		epsilon;
	int64		delta;
	int			rows_per_unit;
	int			rows_each;		/* persons weigh equally (PegsSource); 0: rows do */
	bool		has_unit;		/* a person, not a row */
	char	   *unit_column;	/* by which persons are told apart; NULL: a row, or not known (a file) */
	bool		made_here;		/* in this transaction */
	PegsSlice  *slice;			/* that it was fitted to; NULL: to the whole source */
	char	   *counted_by;		/* whose word the counts are */
	List	   *lookups;		/* of char *: tables whose rows were taken as public, as they were called; NIL: none, or it is not known (of an old file) */
	List	   *beside;			/* of char *: of one table: rows that it does not protect, in words */
	bool		beside_known;	/* false: of a version that did not say */
	List	   *beside_of;		/* of Oid: whose rows those are, of several tables those of its spec; NIL: not known, or they have other numbers here */
	char	   *read;			/* how the rows were counted; NULL: not known, or they were not read here */
	int64		structure_epsilon;	/* charged for the parents of a sealed model */
	PegsLearntCost domain_cost; /* charged before, for what was learnt of its domain; of a file: not known */
	double		l_diversity;	/* sealed: the papers' l-diverse mode, without a guarantee; 0: not */
	uint8_t		key[PEGS_KEY_BYTES];	/* perturbed: of the rows that everyone gets */
	int64		grant;			/* capped grant by which the caller uses it, or 0 */
	struct PegsKept *kept;		/* what the session keeps of it (kept.c); NULL: made up, not in the catalog */
} PegsModel;

/* Are exact counts its body, so that rows are drawn for the caller alone? */
static inline bool
pegs_is_sealed(const PegsModel *model)
{
	return model->method->payment != PEGS_PAID_AT_FIT;
}

/* Why a model that has none has no guarantee: for the ledger. */
static inline const char *
pegs_why_uncovered(double l_diversity)
{
	return l_diversity > 0 ? "l-diversity: no guarantee" : "no guarantee";
}

/* Has it a guarantee? */
static inline bool
pegs_is_private(const PegsModel *model)
{
	return model->method->payment != PEGS_NOT_PRIVATE;
}

typedef struct PegsRelease
{
	int64		id;
	char	   *name;
	int64		model;
	Oid			account;
	int64		n;
	int64		epsilon;		/* sealed: what it was charged */
	int64		delta;			/* sealed: likewise */
	int64		sweeps;			/* sealed, drawn from urns: of each row; 0: in blocks */
	int64		block;
	bool		independent;
	bool		numbered;		/* keys are running numbers */
	List	   *keys;			/* of char *: those that the model's source had */
	Jsonb	   *given;
	uint8_t		key[PEGS_KEY_BYTES];	/* perturbed: of its rows */
	uint8_t		value_key[PEGS_KEY_BYTES];	/* of the values inside bins */
} PegsRelease;

extern void pegs_refuse_other_kind(const char *name, bool release);	/* where the name is of a release (of a model) that the caller may use */
extern void pegs_hold_store(void);	/* before a charge: whoever is in the way of a store ends the fit here */

/* `before`: the fit that it takes the place of, and which has lost its name; NULL: it is the first. slice NULL: of the whole source. */
extern int64 pegs_store_facts(const char *name, const PegsModel *before, const PegsSource *source, const PegsSpec *spec, const pegs_method *method,
							  int64 epsilon, int64 delta, int64 structure_epsilon, double l_diversity, const char *counted_by, const char *read, const PegsSlice *slice);
extern void pegs_store_words(int64 id, const List *lookups, const List *beside);	/* of a file's */
extern void pegs_store_body(int64 id, const pegs_method *method, bytea *body);
extern PegsModel *pegs_model(const char *name); /* checks the caller's right to use it */
extern PegsRelease *pegs_find_release(const char *name);	/* NULL: there is none, or it is not granted */

extern PegsModel *pegs_model_or_release(const char *name, PegsRelease **release);	/* by the name of either; the caller must have a right to it */

#define PEGS_READ_BY_FIT "read by pegs_fit"	/* whose word the counts are; pegs_refit says the same */
#define PEGS_READ_BY_FIT_SCHEMA "read by pegs_fit_schema"

/* ---- choice.c: what a choice by pegs_best tells ---- */

extern void pegs_note_made_of(int64 score, const PegsModel *model, int64 told);	/* told: choices of that model that the score has already */
extern int64 pegs_choice_epsilon(const PegsModel *model, const PegsRelease *release, int *among, bool *other_unit);	/* units of 1e-9; release may be NULL */
extern List *pegs_add_compared(List *ids, const PegsRelease *release, const PegsModel *model);	/* that, or the model and its scores: int64 as Datum */
extern Datum pegs_ids_array(const List *ids);	/* the same as int8[] */

/* ---- original.c: the table of a model, whose curator the caller is; an imported model has none here ---- */

extern void pegs_refuse_slice(const PegsModel *model, const char *name);	/* where all rows of the table would be its original */
extern void pegs_refuse_related(const PegsModel *model);	/* where rows must be of one table */
extern PegsSource *pegs_curated_original(const PegsModel *model, const char *action);
extern List *pegs_columns_named(const PegsDomain *domain);	/* the columns of a model as somebody would name them */
extern char *pegs_columns_argument(const List *names);	/* of a statement that fits them: with a comma before it; "" for none */
extern PegsRelatives *pegs_relatives_as_fitted(const PegsModel *model, const char *action, bool anew);	/* of several tables: all of them, likewise; anew: and what is said beside them */
extern char *pegs_fit_with_guarantee(const PegsModel *model);	/* the statement: of the same columns, by its method where that has a form with one */
extern PegsSource *pegs_original_as_fitted(const PegsModel *model, const char *action);	/* with the columns that were read for it, or an error */

/* ---- fit_schema.c: what is counted of several tables; empty, or it is too large ---- */

extern void pegs_tally_of(const pegs_env *env, const PegsRelated *related, pegs_tally *tally);

/* ---- slice.c again ---- */

/* What all slices of a model tell of a row together. */
typedef struct PegsSlicesCost
{
	int			charges;		/* of which each has made slices: a row may be in one of each */
	int64		epsilon;		/* their sums */
	int64		delta;
	pegs_u128	rho;			/* 0: one of them has no delta; or more than there may be of one fit */
} PegsSlicesCost;

extern Jsonb *pegs_slice_json(const PegsSlice *slice);	/* as it is stored, and shown */
extern char *pegs_slice_words(const PegsSlice *slice);	/* which rows they are, for people */
extern PegsSlice *pegs_read_slice(const PegsLookup *lookup);	/* NULL: it is of none */
extern PegsSlicesCost pegs_slices_cost(const PegsModel *model);	/* that is of slices */
extern const PegsDomain *pegs_sliced_domain(const PegsModel *model, const PegsDomain *domain);	/* and the column of the slices, behind the others */

/* ---- method.c: of which method a stored model is ---- */

extern const pegs_method *pegs_method_of_old(bool sealed, double l_diversity);	/* before a model's method was written down */
extern const char *pegs_kept_words(const pegs_method *method);	/* of one whose models are as secret as the rows */
extern bool pegs_is_read_here(const PegsModel *model);	/* its counts, by pegs_fit or pegs_fit_schema */
extern char *pegs_rows_of_model(const PegsModel *model);	/* whose word the counts are of a score that is made of it */
extern const char *pegs_method_called(const pegs_method *method);	/* by pegs_fit, by its family if it has one */
extern const pegs_method *pegs_perturbed_instead(const pegs_method *method);
extern char *pegs_option_meant(const pegs_method *method, const char *name);	/* "Did you mean ...? "; "": no option is called nearly so */
extern char *pegs_method_argument(const pegs_method *method);	/* of a statement in a hint: ", method => ..."; "": of the default */
extern char *pegs_methods_that(bool (*takes)(const pegs_method *method));	/* for a hint: what a caller may say, each once: "'graph', 'table'" */
extern void pegs_read_method(const PegsLookup *lookup, PegsModel *model);	/* l_diversity is known */
extern const char *pegs_kind_of(const pegs_method *method);	/* "perturbed", "sealed" or "score" */
extern void pegs_require_no_score(const PegsModel *model);	/* an error if it is a score */
extern void pegs_require_method(const PegsModel *model);	/* an error if the stored one cannot be used; after the right */

/* ---- row.c: a model as its row has it ---- */

extern PegsSpec *pegs_read_spec(const PegsLookup *lookup, bool *by_name);	/* by_name: its types, with the caller's rights */
extern void pegs_read_facts(const PegsLookup *lookup, PegsModel *model);

/* ---- kept.c: models as they are stored, and those that this session keeps ---- */

typedef struct PegsKept PegsKept;

/* Neither checks a right. What a model points to is shared and lasts as long as CurrentMemoryContext. */
extern PegsModel *pegs_find_model(const char *name);	/* NULL: there is none */
extern PegsModel *pegs_model_by_id(int64 id);
extern bool pegs_are_tables_of(const PegsModel *model, const pegs_wire *wire);
extern int64 pegs_model_rows(const PegsModel *model);	/* that a perturbed model stands for, to a whole row: released */
extern bytea *pegs_model_body(int64 id);	/* NULL: left out of a dump */
extern bool pegs_model_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire);	/* false: likewise */
extern void pegs_require_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire);	/* an error: likewise */
extern const void *pegs_model_prepared(const PegsModel *model);	/* what its method prepares, nothing given; or NULL */
extern const PegsDomain *pegs_drawn_domain(const PegsModel *model);	/* its domain, as its values are drawn */

/* ---- structure.c: what a fit draws for ---- */

extern void pegs_fit_accountant(pegs_accountant *accountant, int64 epsilon, int64 delta,
								uint32 rows_per_unit, uint32 rows_each);
extern void pegs_structure_accountant(pegs_accountant *accountant, int64 structure_epsilon, uint32 rows_per_unit);

/* Parents, privately, from all pairs: so few that the tables can be counted whatever is chosen. */
extern void pegs_choose_structure(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant,
								  const pegs_layout *pairs, const uint64_t *cells, int max_parents, int tail_bits,
								  uint32_t *parent_start, uint16_t *parents);

/* ---- sloped.c: values inside bins by released shares ---- */

extern void pegs_spec_slope(PegsSpec *spec, const pegs_method *method);	/* of a model that is being made */
extern void pegs_tell_shares(PegsDomain *domain, const pegs_method *method, const void *model);	/* while it lives */
extern PegsDomain *pegs_told_shares(const PegsDomain *domain, const pegs_method *method, const void *model);	/* a copy of it */

/* ---- body.c: how large a model may be ---- */

extern void pegs_require_choice_fits(PegsDomain *domain, int max_parents, const char *own);	/* its parents are to be chosen */
extern void pegs_require_body_fits(const PegsSpec *spec, const pegs_method *method, const pegs_layout *layout);	/* by public sizes, before the charge */
extern void pegs_require_body_of_a_size(const pegs_method *method, const bytea *body);	/* as it is stored */

/* ---- prior_types.c ---- */

extern void pegs_require_prior_types(Oid relid, const char *table, const char *weight, const PegsDomain *domain);	/* an error, if one could be rounded */

/* ---- object.c: a model or release by its name, and by what right somebody uses it ---- */

/* A model or release. */
typedef struct PegsObject
{
	int64		id;				/* of a model in all its fits */
	int64		row;			/* of a model: its last fit, the one with the name */
	Oid			account;
	bool		is_release;
	bool		sealed;			/* a model that charges for its rows */
} PegsObject;

/* By what right somebody uses an object. */
typedef struct PegsGrant
{
	bool		curator;		/* by none: the table is the caller's */
	int64		id;				/* of the row of pegs_internal.access */
	Oid			grantee;		/* InvalidOid: everybody */
	bool		capped;
	bool		has_max_rows;	/* stored by releases of the grantee */
	bool		has_max_releases;
	int64		max_rows;
	int64		max_releases;
} PegsGrant;

extern void pegs_no_such(const char *name) __attribute__((noreturn));	/* nor one that is granted */
extern void pegs_gone(const char *name) __attribute__((noreturn));	/* what was there a moment ago: dropped, or fitted anew */
extern const char *pegs_object_column(void);	/* PegsObject.id of a row of pegs_internal.model, in SQL */
extern bool pegs_find_object(const char *name, PegsObject *object);	/* whatever the transaction's snapshot */
extern bool pegs_find_grant(int64 object, Oid account, PegsGrant *grant);	/* by which the caller uses it */
extern int64 pegs_usable_grant(int64 object, Oid account);	/* its id if it is capped, else 0; -1: there is none */

/* The object stays until this transaction ends: curators of one table wait for each other. */
extern void pegs_hold_object(PegsObject *object, const char *name);

/* ---- meant.c: of a score, which is released; and the delta that a hint prints ---- */

extern bool pegs_is_flat(const pegs_env *env, const pegs_method *method, const void *model);	/* the same for every row; never, of what is no score */
extern void pegs_say_flat(const char *name);
extern char *pegs_hinted_delta(Oid account, int64 *delta);	/* what the account has, at most PEGS_HINTED_DELTA; NULL: nothing */

/* ---- name.c: one namespace, for which nobody waits ---- */

extern void pegs_take_name(const char *name);	/* with this transaction, or an error at once */
extern void pegs_refuse_read_only(void);	/* where nothing can be made */

/* A moment in which one session alone looks at what others have not committed yet and adds its own row. Never kept longer than that. */
extern void pegs_lock_moment(void);
extern void pegs_unlock_moment(void);

/* What this transaction holds by a grantee's will must end with it: it cannot be prepared. */
extern void pegs_refuse_prepare(void);
extern void pegs_guard_prepare(void);	/* once, when the library is loaded */

/* ---- maker.c: who made a release, and by what grant ---- */

extern void pegs_record_maker(int64 release, const PegsModel *model, int64 n);	/* before the charge; or an error */
extern bool pegs_is_maker(int64 release);
extern int64 pegs_count_open_releases(int64 model, const Oid *role);	/* not committed yet; role NULL: all */

/* A model or release of the caller's own table; or, if that is enough, a release that the caller made. */
extern PegsObject pegs_own_object(const char *name, const char *action, bool maker_may);

/* ---- drop.c: how they go; as the extension's owner ---- */

extern void pegs_drop_model(const PegsObject *model, const char *name);
extern void pegs_unname_model(int64 row);	/* of a fit that another takes the place of: its grants and name stay */
extern void pegs_drop_release(int64 release, const char *name);
extern void pegs_sweep_models(void);	/* rows of dropped models that no release needs any more */
extern uint64 pegs_delete_grants(const char *where, int nargs, const PegsArg *args);	/* gives how many */
extern void pegs_sweep_caps(void);	/* sequences of caps that were taken back, but for those in use */

/* Releases of a model, made by a grant to `role` (NULL: all): says which there are; drops them and gives how many. */
extern void pegs_tell_releases(const PegsObject *model, const char *name, const Oid *role);
extern uint64 pegs_take_releases(const PegsObject *model, const char *name, const Oid *role);

/* ---- remains.c: what becomes of what a dropped table left ---- */

extern void pegs_settle(Oid account);	/* before another table of its number is used: pegs_settle_first */

/* ---- fit_arguments.c: a fit's arguments, checked together ---- */

#define PEGS_HINTED_DELTA INT64CONST(1000000000) /* 1e-9: what hints print; less, where the budget has less */

/* A fit's arguments after model and source; `first` is the number of epsilon. */
typedef struct PegsFitArguments
{
	int64		epsilon;
	int64		delta;
	Jsonb	   *parents;
	int			tail_bits;
	int			max_parents;
	const pegs_method *method;	/* by what else was given */
	bool		method_named;	/* it was given itself */
	double		l_diversity;	/* sealed: the papers' l-diverse mode; 0: not */
	List	   *target;			/* names, as they were given; NIL: none */
	char	   *own;			/* options of the method itself, in JSON; NULL: none */
	int64		structure_epsilon;	/* sealed, parents not declared: what choosing them costs; else 0 */
} PegsFitArguments;

extern PegsFitArguments pegs_fit_arguments(FunctionCallInfo fcinfo, int first, const PegsSource *source, List *columns);	/* the last two for hints */
extern void pegs_check_fit_price(int64 epsilon, int64 delta);
extern void pegs_check_delta(const PegsFitArguments *args, const PegsSource *source);	/* would it be charged for nothing? its unit is loaded */
extern void pegs_require_room_for_urns(const PegsFitArguments *args, const pegs_layout *layout, const PegsSource *source);	/* for the alpha that their epsilon buys */
extern bool pegs_draws_with_delta(const PegsFitArguments *args);	/* from urns: it has no rho */
extern bool pegs_delta_is_unused(const PegsFitArguments *args, const pegs_layout *layout);	/* of few draws from urns */
extern void pegs_require_delta_used(const PegsFitArguments *args, const pegs_layout *layout);
extern void pegs_check_delta_of_urns(const PegsSource *source, int64 delta);	/* of a fit that draws from them */
extern PegsSpec *pegs_spec_of_method(PegsDomain *domain, const char *name, Jsonb *parents, int tail_bits);
extern PegsSpec *pegs_spec_to_fit(PegsDomain *domain, const PegsFitArguments *args, const PegsSource *source);
extern void pegs_check_measurement(int64 epsilon, int64 delta, int rows_per_unit, int rows_each);	/* can any noise be bought? */
extern void pegs_check_l_diversity(double l, const PegsDomain *domain, const PegsSource *source);
extern void pegs_require_fit_possible(const PegsFitArguments *args, const PegsSpec *spec);	/* by its size, and by its options together */

/* ---- target.c: columns that the rows of a model are for ---- */

extern List *pegs_target_option(const JsonbValue *value);	/* names, or an error */
extern void pegs_refuse_target(const pegs_method *method) __attribute__((noreturn));
extern bool *pegs_target_columns(const PegsDomain *domain, List *names);	/* [ncols]; names NIL: NULL; or an error */
extern void pegs_repeat_target(PegsSpec *spec, const PegsSpec *before);	/* as far as its columns are still there */
extern List *pegs_target_named(const PegsSpec *spec);	/* as somebody would name them */
extern char *pegs_target_json(const PegsSpec *spec, List *among);	/* a list: of these names; NIL: of all. NULL: there is none */

/* ---- settings_levels.c: options that name levels ---- */

extern char *pegs_target_of_score(const char *own);	/* of the options as they were given; NULL: they name none */
extern bool pegs_levels_setting(const char *what, const PegsDomain *domain, const JsonbValue *value, bool told, pegs_setting *setting);
extern char *pegs_with_option(const char *own, const char *name, const char *json);	/* with another value of it */
extern char *pegs_kept_options(const pegs_method *method, const PegsDomain *domain, const char *own);	/* levels in our notation */

/* ---- prior.c: a public table as an option ---- */

extern char *pegs_counted_prior(const pegs_method *method, const PegsDomain *domain, const PegsSource *source, const char *own);	/* options that have what is in it, and not only its name */
extern bool pegs_names_prior(const JsonbValue *value);	/* a table by its name, as a caller may: what was counted is no caller's word */
extern char *pegs_named_prior(const char *own);	/* for a hint: options as a caller gives them, of which the prior is counted or not */
extern bool pegs_prior_setting(const pegs_option *option, const PegsDomain *domain, const JsonbValue *value, bool told, pegs_setting *setting);

/* ---- settings.c: options of a fit ---- */

typedef struct PegsFitOptions
{
	List	   *target;			/* names; NIL: none */
	double		l_diversity;	/* 0: not given */
	bool		unprotected;	/* the form of the method that has no guarantee */
	char	   *own;			/* what is left, in JSON: of the method itself; NULL: nothing */
} PegsFitOptions;

extern PegsFitOptions pegs_fit_options(Jsonb *options);
extern void pegs_refuse_at_fit(const pegs_method *method, const PegsFitOptions *options);	/* of a method that is paid at the fit: what goes with others */
extern void pegs_check_options(const pegs_method *method, const char *own);	/* has it those? their values are looked at once columns are known, but for a prior, which a caller may only name */
/* The spec has them from here on; or an error. A prior is counted for a fit of `source`; NULL: nothing is fitted, and it is not. */
extern void pegs_settle_options(PegsSpec *spec, const pegs_method *method, const char *own, const PegsSource *source);
extern bool pegs_settle_stored_options(PegsSpec *spec, const pegs_method *method);	/* of a stored spec; false: they are not the method's */
extern const char *pegs_mechanism_with(const pegs_method *method, const char *own);	/* the certificate's sentence, with those options */
extern bool pegs_fit_draws_urns(const pegs_method *method, const char *own);	/* from urns, with those options? columns need not be known */
extern void pegs_require_fit_of(const PegsSpec *spec, const pegs_method *method, const pegs_layout *layout);	/* can it fit that? */
extern void pegs_require_no_rows(const pegs_method *method, const pegs_layout *layout);	/* of what is fitted from a state */
extern char *pegs_options_argument(const PegsSpec *spec, List *among);	/* ", options => ..." for a hint, or ""; of a target these names alone */

/* ---- publish.c: names of what is to be made ---- */

extern char *pegs_new_identifier(const char *name);	/* of "name" or "schema.name", each part quoted where it must be */

/* ---- fit_slice.c: a slice, fitted as pegs_fit or pegs_refit would, and paid for before ---- */

typedef struct PegsSliceFit
{
	const char *name;
	PegsModel  *before;			/* the slice that was fitted last; NULL: this is the first */
	PegsSource *source;
	List	   *columns;		/* of the first; NIL: all that there are */
	PegsFitOptions options;		/* likewise */
	const pegs_method *method;
	int64		epsilon;
	int64		delta;
	PegsSlice	slice;
	const char *range;			/* its rows: a condition in SQL, of public facts alone */
	void	  (*use_up) (void *arg);	/* durably: called once, when the rows are read and before noise is drawn */
	void	   *arg;
	PegsDomain *domain;			/* of the first; found when it is needed */
	bool		said_zeros;		/* which of them are not kept */
} PegsSliceFit;

extern PegsModel *pegs_model_of_slices(const char *name);	/* to be fitted on by the caller, alone; NULL: there is none of this name */
extern const pegs_method *pegs_slice_method(const char *name);	/* NULL: the default; or an error */
extern void pegs_check_slice_columns(const PegsSliceFit *what);	/* named by the caller: those of the slices before, and not the column of the slices */
extern void pegs_require_same_method(const PegsSliceFit *what, const char *name);	/* of a model that has slices; NULL: none was named */
extern void pegs_check_slice_price(PegsSliceFit *what, bool tells);	/* with the epsilon and delta of each set in turn */
extern void pegs_try_slice(PegsSliceFit *what);	/* reads its rows, so that a value which is not declared is an error now */
extern void pegs_fit_slice(PegsSliceFit *what);

/* ---- describe_unit.c ---- */

extern void pegs_describe_words(StringInfo out, const char *name, const List *words);	/* of char * */
extern void pegs_describe_unit(StringInfo out, const PegsModel *model); /* what is protected, where anything is, and what is not; what its rows stand for */

#endif							/* PEGS_MODELS_H */
