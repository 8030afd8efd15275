/*
 * audit.h
 *	  What pegs_audit (audit.c) and its attacks (attack.c) share.
 */
#ifndef PEGS_AUDIT_H
#define PEGS_AUDIT_H

#include "pegs.h"

#include "datatype/timestamp.h"

#include "compare/bound.h"
#include "core/witness.h"

#define CONFIDENCE 0.95			/* of the bounds that are shown */
#define MISS 1e-7				/* holds: each of its bounds is wrong by chance with at most this probability */
#define LEAST_RUNS 100
#define MAX_RUNS 10000000
#define LONG_SECONDS 5			/* from then on, and whenever it has taken twice as long, it says how far it is */

/* A table, its neighbour by one unit more, and what the runs on both have shown. */
typedef struct PegsAudit
{
	const PegsModel *model;
	const pegs_layout *layout;
	uint64_t   *cells[2];		/* the second has the row, or the rows of a person, more */
	uint16_t   *target;			/* that row */
	int			runs;			/* of each table; fewer if a fault was found */
	double	   *seen[2];		/* [runs] ln P(answers | with the row) - ln P(answers | without), of runs on each */
	double		exact;			/* what a run cost these two tables, at most: |ln ratio|, or with delta rho */
	pegs_fault	fault;
	TimestampTz began;
	int64		said;			/* seconds after which the caller was told how far it is; 0: not yet */
} PegsAudit;

extern void pegs_make_neighbour(PegsAudit *audit, const pegs_layout *layout, uint64_t *cells, const int32 *given, int rows);
extern void pegs_attack_fits(PegsAudit *audit);
extern bool pegs_told_apart_too_well(const PegsAudit *audit);
extern void pegs_attack_samples(PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire);
extern pegs_fault pegs_weigh_structure(const PegsModel *model);

#endif							/* PEGS_AUDIT_H */
