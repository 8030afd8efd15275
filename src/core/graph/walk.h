/*
 * walk.h
 *	  A fitted model as bytes: measured, written and read in one walk.
 */
#ifndef PEGS_WALK_H
#define PEGS_WALK_H

#include "core/cursor.h"
#include "core/graph/engine.h"

/* What a fit spends on. */
#define PEGS_GRAPH_PURPOSES 3
extern const pegs_purpose pegs_graph_purposes[PEGS_GRAPH_PURPOSES];

/* Columns and levels are known; on reading everything else is checked and allocated. */
extern void pegs_graph_walk(pegs_cursor *c, pegs_fitted *model);

#endif							/* PEGS_WALK_H */
