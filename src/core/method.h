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
#include "core/rng.h"
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
	uint64_t	alpha;			/* units of 2^-16 */
	uint64_t	block;			/* rows that share a charge */
	double		l_diversity;	/* not private alone; else 0 */

	/* memory of one batch: `forget` gives all of it back */
	pegs_env	batch;
	void		(*forget) (void *context);
} pegs_ask;

/* Where words about a model go. */
typedef struct pegs_writer
{
	void	   *to;
	void		(*words) (void *to, const char *words);
	void		(*column) (void *to, uint32_t column);	/* its name, quoted */
} pegs_writer;

/* Rows of a model that are being drawn: each method's own. */
typedef struct pegs_draws pegs_draws;

typedef struct pegs_method
{
	const char *name;
	const char *mechanism;		/* a sentence of the certificate */
	pegs_payment payment;
	pegs_tables tables;			/* what is counted */
	uint32_t	kind;			/* in the bytes of a model (wire.h); never used again for another */

	/* Counts to released numbers; every look goes through the accountant, which is spent whole. NULL: the counts are the model. */
	void	   *(*fit) (const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						const uint64_t *cells);

	/* Those numbers as bytes; on reading all of it is checked and allocated. */
	void		(*walk) (pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model);

	/* What a fit was drawn for, and the rows that the model stands for. */
	pegs_accountant *(*accountant) (void *model);
	double		(*rows) (const void *model);

	/* What a session may keep of a model so that `open` has less to do, where nothing is given. Optional. */
	void	   *(*prepare) (const pegs_env *env, const void *model);

	/*
	 * All that can fail, and no randomness. PEGS_ERR_RANGE: what is given has
	 * probability zero. PEGS_ERR_NOTHING: no row is possible.
	 */
	pegs_status (*open) (const pegs_env *env, const struct pegs_wire *wire, const void *prepared, const pegs_ask *ask,
						 pegs_draws **draws);

	/* From here on rows are a function of the rng, which is kept. */
	void		(*start) (pegs_draws *draws, pegs_rng *rng);

	/* The next row. PEGS_ERR_NOTHING: none was found; a method that is paid by the sample has found one in `open`. */
	pegs_status (*next) (pegs_draws *draws, uint16_t *row);

	/* Members of pegs_describe's object, each with a comma before it. Optional. */
	void		(*describe) (const void *model, const pegs_writer *writer);
} pegs_method;

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
