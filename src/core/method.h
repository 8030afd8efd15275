/*
 * method.h
 *	  What a synthesizer is: from counts to a model, from a model to rows.
 *
 * A method is its folder and a line of methods.h. Rights, grants, exports and
 * lines of the ledger follow from how it is paid for, never from its name. A
 * member that is NULL is not needed by this method.
 */
#ifndef PEGS_METHOD_H
#define PEGS_METHOD_H

#include "core/accountant.h"
#include "core/counts.h"
#include "core/cursor.h"
#include "core/kept.h"
#include "core/rng.h"
#include "core/scorer.h"
#include "core/zeros.h"

struct pegs_wire;

typedef enum pegs_payment
{
	PEGS_PAID_AT_FIT,			/* (epsilon, delta), once: the model is released numbers, its rows are free for ever */
	PEGS_PAID_BY_SAMPLE,		/* the model is exact counts, as secret as the rows: every call pays */
	PEGS_NOT_PRIVATE			/* no guarantee: exact counts, for the owner alone, and the account is marked */
} pegs_payment;

/* What a caller asks of a model's rows: checked, and public. */
typedef struct pegs_ask
{
	const int32_t *given;		/* [columns] code of a fixed column, or -1; NULL: none is */
	pegs_zeros	zeros;
	uint64_t	n;				/* rows of the call */
	bool		one_by_one;		/* independent rows: not as close to the model, all together, as they can be */

	/* of a method that is not paid at the fit */
	uint64_t	alpha;			/* units of 2^-16: what `price` gave */
	uint64_t	block;			/* rows that share a charge */
	uint64_t	sweeps;			/* cells are urns, and a row is so many sweeps; 0: blocks */
	double		l_diversity;	/* of PeGS that is not private; else 0 */
	const pegs_setting *settings;	/* of the fit; NULL: the method has no options */
	uint32_t	times;			/* what counts once in the table is so much in its counts: persons that weigh equally; else 1 */

	/* memory of one batch: `forget` gives all of it back */
	pegs_env	batch;
	void		(*forget) (void *context);
} pegs_ask;

#define PEGS_ROWS_PER_BATCH 131072	/* of a method that makes rows together: more are several batches, as equal as can be */

static inline uint64_t
pegs_batches(uint64_t n)
{
	return n > 0 ? (n - 1) / PEGS_ROWS_PER_BATCH + 1 : 0;
}

/* Of a batch, from 0 on, of n >= 1; the first are the larger ones. */
static inline uint32_t
pegs_batch_rows(uint64_t n, uint64_t batch)
{
	uint64_t	batches = (n - 1) / PEGS_ROWS_PER_BATCH + 1;

	return (uint32_t) ((n - batch - 1) / batches + 1);
}

/* Rows before it. */
static inline uint64_t
pegs_batch_starts(uint64_t n, uint64_t batch)
{
	uint64_t	batches = (n - 1) / PEGS_ROWS_PER_BATCH + 1;
	uint64_t	larger = n % batches;

	return n / batches * batch + (batch < larger ? batch : larger);
}

/*
 * Where part 1 of `parts` begins if part is 0, and where a part ends, of so many batches: each part has as many as another, or
 * one more. floor(part * of / parts), as if nothing had an end.
 */
static inline uint64_t
pegs_part_ends(uint64_t of, uint64_t part, uint64_t parts)
{
	return (uint64_t) ((pegs_u128) part * of / parts);
}

/*
 * Where a batch has a stream of its own: the number of that which all together
 * would begin with. The first 2^32 batches have the high half of it; of the low
 * one streams need 18 bits, and the others have the 14 that are left: rows are
 * counted in 63 bits, so there are no more than 2^46 batches.
 */
static inline uint64_t
pegs_stream_of_batch(uint64_t stream, uint64_t batch)
{
	return stream + (batch << 32) + (batch >> 32 << 18);
}

/* Where words about a model go. */
typedef struct pegs_writer
{
	void	   *to;
	void		(*words) (void *to, const char *words);
	void		(*column) (void *to, uint32_t column);	/* its name, quoted */
} pegs_writer;

#define PEGS_FORECAST_CLOSE 0.05	/* total variation of a column: what pegs_report calls close */

/*
 * What a fit will be good for, from public facts and a stated number of rows.
 * Standard deviations of shares of all rows. NaN: a single column has no pair.
 */
typedef struct pegs_forecast
{
	double	   *column;			/* [columns] of the share of a level */
	uint32_t   *levels;			/* [columns] that it may have so that all together are off by PEGS_FORECAST_CLOSE; 1: not even two */
	double		oneway;			/* root mean square of them */
	double		pair;			/* of a cell in the table of a pair that is chosen first */
	double		least;			/* the smallest difference between two halves of the rows, in the share of something, that is
								 * likely to be seen; above 1: none is */
	double		aimed;			/* the same of two columns of which one is the target, where there is one (counts.h) */
} pegs_forecast;

/* What is wrong with what a fit refuses: the server's codes follow from it. */
typedef enum pegs_wrong
{
	PEGS_WRONG_VALUE,			/* settings, by themselves or together, or beside what is counted */
	PEGS_WRONG_MISSING,			/* one that it cannot be without */
	PEGS_WRONG_SIZE				/* columns and levels are more than it takes */
} pegs_wrong;

/* Why a fit is refused: a clause, and what would help. Without `why` it is not. */
typedef struct pegs_refusal
{
	const char *why;
	const char *hint;
	pegs_wrong	wrong;
} pegs_refusal;

#define PEGS_NOT_REFUSED ((pegs_refusal) {.why = NULL})

/* Rows of a model that are being drawn: each method's own. */
typedef struct pegs_draws pegs_draws;

typedef enum pegs_parenthood
{
	PEGS_CHOSEN_PARENTS,		/* declared, or chosen privately where they are not */
	PEGS_DECLARED_OR_ALL,		/* declared; without, all others, and pairs are counted */
	PEGS_NO_PARENTS				/* tables of single columns */
} pegs_parenthood;

typedef struct pegs_method
{
	const char *name;			/* in models: never used again for another */
	const char *family;			/* what a fit may call it, among those that are paid in the same way; NULL: by its name alone */
	const char *mechanism;		/* a sentence of the certificate */
	const char *title;			/* in a few words, for people: of all forms of a family the same (pegs_report, docs/methods.md) */
	pegs_payment payment;
	const char *no_guarantee;	/* of one that is not private: why, a clause ("l-diversity is not differential privacy") */
	pegs_tables tables;			/* what is counted */
	pegs_parenthood parents;	/* of conditional tables: whose they are */
	bool		triples;		/* and tables of three columns, too, where rows are read; a fit from a state does without */
	bool		later;			/* pairs that are too many are counted when it looks at them (later.h), of rows that are then kept */
	bool		one_table;		/* a fit measures one table: delta makes its noise larger, where epsilons are added up */
	bool		numbers;		/* it takes levels for the numbers that they are (counts.h) */
	uint32_t	kind;			/* in the bytes of a model (wire.h); never used again for another */
	bool		aims;			/* its fit prefers pairs with a target (counts.h) */
	bool		scales;			/* it takes the levels of a column for places on a scale (counts.h) */
	bool		independent;	/* rows are independent, and cannot be apportioned */
	bool		urns;			/* paid by the sample: cells are urns, and its draws begin with a pegs_urns (urn.h) */
	bool		late_zeros;		/* structural zeros are left out of its rows alone: what it fits is a model of all combinations */
	const char *keeps;			/* what a model is that is as secret as the rows, in words; NULL: exact counts */
	uint32_t	most_given;		/* columns that may be given to its rows; 0: all but one */
	const pegs_option *options;	/* of a fit, ended by one without a name; NULL: none */

	/*
	 * How large the noise of a fit is, in a measure of its own, to compare
	 * accounts by: of one that has spent nothing, and of public facts. NULL:
	 * with delta it is smaller. Where it is paid at the fit.
	 */
	double		(*noise) (const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout);

	/* Why what is counted cannot be fitted with these settings: by public facts, and before anything is charged. Optional. */
	pegs_refusal (*refuse) (const pegs_layout *layout);

	/*
	 * The bytes that its tables may have at most, beside 10 for each level: of
	 * a method that is paid at the fit, by public facts. NULL: few, or nobody
	 * knows before the fit.
	 */
	double		(*most_bytes) (const pegs_layout *layout);

	/*
	 * Does a fit with these settings go over the rows more than once? They are
	 * then in layout->kept (kept.h), beside what is counted. Public facts.
	 * NULL: never.
	 */
	bool		(*keeps_rows) (const pegs_layout *layout);

	/*
	 * Is its fit, with these settings, draws from urns? Then it takes delta even
	 * of one table; but not of persons of several rows, nor where charges are
	 * added up in rho. Claim P32. Optional.
	 */
	bool		(*draws_urns) (const pegs_setting *settings);

	/* Its sentence of the certificate with these settings, where `mechanism` does not say it; NULL: it does. Optional. */
	const char *(*mechanism_with) (const pegs_setting *settings);

	/* Does it take the order of this column's levels for a scale, with these settings? NULL: of all, where `scales` is. */
	bool		(*takes_order) (const pegs_layout *layout, uint32_t column);

	/* For how many rows at least it is meant, by what is counted: told before the fit. Optional. */
	double		(*rows_wanted) (const pegs_layout *layout, double epsilon);

	/*
	 * Counts to a model. Where it is paid at the fit, to released numbers:
	 * every look goes through the accountant, which is spent whole and is
	 * never copied, and the rng is for the looks alone; a method that is paid
	 * otherwise gets no accountant. NULL: the counts are the model.
	 */
	void	   *(*fit) (const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						const uint64_t *cells);

	/*
	 * Those numbers as bytes; on reading all of it is checked and allocated. Of
	 * a model that is not paid at the fit the length is a public fact: of the
	 * layout alone.
	 */
	void		(*walk) (pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model);

	/*
	 * Would a fit with the settings of this layout have made a model like this, as far as it tells? Of what
	 * was read from a file, whose account agrees and whose settings `refuse` takes. Public facts. NULL: it tells nothing.
	 */
	bool		(*is_of)(const pegs_env *env, const void *model, const pegs_layout *layout);

	/* What a fit was drawn for, and the rows that the model stands for: where it is paid at the fit. */
	pegs_accountant *(*accountant) (void *model);
	double		(*rows) (const void *model);

	/*
	 * Released shares of a column's levels, >= 0: values inside bins are sloped
	 * by them (slope.h). Optional; a method that has it once has it for ever.
	 */
	const double *(*shares) (const void *model, uint32_t column);

	/* What a session may keep of a model that is paid at the fit so that `open` has less to do, where nothing is given. Optional. */
	void	   *(*prepare) (const pegs_env *env, const void *model);

	/*
	 * What that will be good for, of an accountant that has spent nothing.
	 * `rows` are rows of the model. Optional, where it is paid at the fit.
	 */
	void		(*forecast) (const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows,
							 pegs_forecast *forecast);

	/*
	 * What epsilon and delta buy for the n rows, the block and what is given:
	 * alpha, from public facts alone. Of a method that is paid by the sample.
	 * At least one column is not given. delta is made 0 where epsilon alone
	 * buys no less: what is left of it is to be charged. PEGS_ERR_RANGE: too
	 * little for so many rows.
	 */
	pegs_status (*price) (const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, uint32_t rows_per_unit, int64_t epsilon,
						  int64_t *delta, uint64_t *alpha);

	/*
	 * From how many combinations of columns that are not given rows come, one
	 * after the other, with these settings: so "each" may have as many. 0: they come otherwise.
	 * Public facts. Optional, where it is paid by the sample.
	 */
	uint32_t	(*combinations) (const pegs_ask *ask, uint32_t ncols, const uint32_t *levels);

	/*
	 * All that can fail, and no randomness. PEGS_ERR_RANGE: what is given has
	 * probability zero. PEGS_ERR_NOTHING: no row is possible. It comes before
	 * the charge: what is paid by the sample answers by public facts alone, and
	 * never PEGS_ERR_RANGE.
	 */
	pegs_status (*open) (const pegs_env *env, const struct pegs_wire *wire, const void *prepared, const pegs_ask *ask,
						 pegs_draws **draws);

	/* From here on rows are a function of the rng, which is kept. */
	void		(*start) (pegs_draws *draws, pegs_rng *rng);

	/*
	 * After `start`, on a stream that is this batch's own: its rows come now.
	 * Of a method whose rows of one batch know of the others; optional.
	 */
	void		(*seek) (pegs_draws *draws, uint64_t batch);

	/* Are all batches of its rows of one stream, as an older version drew them? Then none can be had alone. NULL: no. */
	bool		(*one_stream) (const void *model);

	/* The next row. PEGS_ERR_NOTHING: none was found; a method that is paid by the sample has found one in `open`. */
	pegs_status (*next) (pegs_draws *draws, uint16_t *row);

	/* A score: it has no rows, and none of `open`, `start`, `next` and `shares`. NULL: it has rows. */
	const pegs_scorer *scorer;
	bool		of_a_model;		/* it is made of rows of a perturbed model, for nothing, and never fitted to a table: `fit` gets the account
								 * of that model, which it repeats, and no rng */

	/* Members of pegs_describe's object, each with a comma before it, of a model that is paid at the fit. Optional. */
	void		(*describe) (const void *model, const pegs_writer *writer);
} pegs_method;

/* May a fit be told parents? */
static inline bool
pegs_has_parents(const pegs_method *method)
{
	return method->tables == PEGS_CONDITIONAL && method->parents != PEGS_NO_PARENTS;
}

/* May its models have counted these? */
static inline bool
pegs_counts_tables(const pegs_method *method, pegs_tables tables)
{
	return tables == method->tables || (tables == PEGS_PAIRS && method->parents == PEGS_DECLARED_OR_ALL);
}

/* Must its fit of this have the rows? */
static inline bool
pegs_keeps_rows(const pegs_method *method, const pegs_layout *layout)
{
	return method->keeps_rows && method->keeps_rows(layout);
}

/* Is a block of its rows something? Of exact counts that are no urns: a cell that was used is reset where a block ends. */
static inline bool
pegs_has_blocks(const pegs_method *method)
{
	return method->payment == PEGS_PAID_BY_SAMPLE && method->fit == NULL && !method->urns;
}

/* ---- methods.c: the table ---- */

#define PEGS_METHOD(name) extern const pegs_method pegs_method_##name;
#include "core/methods.h"
#undef PEGS_METHOD

/* All of them; NULL ends it. */
extern const pegs_method *const pegs_methods[];

/* NULL: there is none. Of a kind of bytes: only those with a walk of their own. */
extern const pegs_method *pegs_method_named(const char *name);
extern const pegs_method *pegs_method_of_kind(uint32_t kind);

#endif							/* PEGS_METHOD_H */
