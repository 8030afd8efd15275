/*
 * constants.h
 *	  Comparisons of a column with constants, in CHECK constraints.
 */
#ifndef PEGS_CONSTANTS_H
#define PEGS_CONSTANTS_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/primnodes.h"

/* Without the casts around the column that lose nothing. */
extern Node *pegs_without_casts(Node *node);

/* Is this the column, with such casts or without (attnum 0: a domain's VALUE)? */
extern bool pegs_is_column(Node *node, AttrNumber attnum);

/* The expression with a value, as canonical text, in the column's place. */
extern Node *pegs_with_value(Node *node, const char *text);

#endif							/* PEGS_CONSTANTS_H */
