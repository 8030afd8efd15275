/*
 * mondrian.h
 *	  Rows cut into boxes, each as small as the criteria allow (strict Mondrian,
 *	  LeFevre, DeWitt and Ramakrishnan 2006).
 */
#ifndef PEGS_MONDRIAN_H
#define PEGS_MONDRIAN_H

#include "core/compare/boxes.h"

/*
 * A box is cut across its widest key, span times weight, at the median, or at
 * the next code above it; if a side fails the criteria, across the next widest
 * key; if none is left it is a class. The same tuples give the same boxes.
 * *found false: all rows together do not meet the criteria; then they are one
 * box, unless there is no row.
 */
extern pegs_status pegs_mondrian(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const pegs_criteria *criteria,
								 pegs_boxes *boxes, bool *found);

#endif							/* PEGS_MONDRIAN_H */
