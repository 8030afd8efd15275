/*
 * lattice.h
 *	  Which step of each key loses least, so that all but a few rows are in
 *	  classes that meet the criteria.
 *
 * A node is one step for every key. Its loss is the weighted mean, over rows and
 * keys, of (g - 1)/(C - 1), where a value has become one of g of the C levels
 * that the column has (Iyengar 2002); of a suppressed row it is 1.
 */
#ifndef PEGS_LATTICE_H
#define PEGS_LATTICE_H

#include "core/compare/anonymity.h"

#define PEGS_MAX_NODES (UINT64_C(1) << 24)

typedef struct pegs_lattice
{
	const pegs_tuples *tuples;
	const pegs_key *keys;		/* [tuples->nkeys]; the weights are not all 0 */
	pegs_criteria criteria;
	double		suppress;		/* share of the rows that may be suppressed */
	bool		unpruned;		/* for tests: look at every node */
	void		(*progress) (void *context, uint64_t looked_at, uint64_t nodes);	/* every 1,000 nodes; or NULL */
	void	   *context;
} pegs_lattice;

typedef struct pegs_node
{
	bool		found;			/* false: no node meets the criteria */
	uint64_t	suppressed;		/* of the node; of none: at the last steps */
	double		loss;
	uint64_t	nodes;
	uint64_t	looked_at;
} pegs_node;

/* How many nodes there are; 0: more than PEGS_MAX_NODES. */
extern uint64_t pegs_lattice_nodes(const pegs_key *keys, uint32_t nkeys);

/*
 * step[nkeys] of the node with the least loss: the exact optimum. Equal loss:
 * less lost if nothing were suppressed, then fewer steps in all, then finer
 * steps of the first keys. PEGS_ERR_TOO_LARGE: too many nodes.
 */
extern pegs_status pegs_search(const pegs_env *env, const pegs_lattice *lattice, uint32_t *step, pegs_node *node);

/* The class of each tuple at these steps: of[tuples->n]; how many classes. */
extern uint32_t pegs_classes_at(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const uint32_t *step, uint32_t *of);

#endif							/* PEGS_LATTICE_H */
