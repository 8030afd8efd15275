/*
 * regression_method.h
 *	  The weights that a sealed model of regressions is drawn by, for those who
 *	  look at all of them.
 */
#ifndef PEGS_REGRESSION_METHOD_H
#define PEGS_REGRESSION_METHOD_H

#include "core/method.h"
#include "core/ratio.h"

/* Is it the one whose draws have a floor? */
extern bool pegs_is_regression(const pegs_method *method);

/*
 * Of `rows` rows of a model without forbidden combinations, nothing given: for each row of the declared domain
 * that a draw may find, are its weights not below the floor, and is their sum what it must be? Whole numbers. The
 * verdict has a path for each draw, and no neighbours: the claim (P26, docs/privacy.md) is of any two tables.
 * PEGS_ERR_TOO_LARGE: more than PEGS_MOST_PATHS.
 */
extern pegs_status pegs_verify_floor(pegs_draws *draws, uint32_t rows, pegs_verdict *verdict);

struct pegs_floor_witness;

/*
 * A new call, whose draws are all weighed from here on (witness.h). How many share epsilon: where hidden sweeps cost
 * nothing a row is one sweep, so that all that is weighed is of rows that come out. Allocates the first time.
 */
extern uint64_t pegs_watch_floor(const pegs_env *env, pegs_draws *draws, struct pegs_floor_witness *witness);

#endif							/* PEGS_REGRESSION_METHOD_H */
