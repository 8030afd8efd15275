/*
 * measures.h
 *	  What curators see of a synthetic table, and of a mechanism.
 */
#ifndef PEGS_MEASURES_H
#define PEGS_MEASURES_H

#include "server/server.h"
#include "codes/column.h"
#include "models/models.h"
#include "rows/rows.h"

#include "datatype/timestamp.h"

#include "core/compare/coded.h"
#include "core/core.h"
#include "core/counts.h"
#include "core/wire.h"
#include "core/witness.h"

struct ReturnSetInfo;

/* ---- drawn.c: rows of a model or release as a coded table ---- */

extern pegs_coded *pegs_coded_object(const char *name, const PegsDomain *domain, const bool *numbers);
extern pegs_coded *pegs_coded_stream(PegsStream *stream, const PegsDomain *domain, const bool *numbers, int64 n,
									 const uint8_t *key);

/* ---- counted.c: rows of a model or release, counted ---- */

extern void pegs_count_object(PegsModel *model, const PegsRelease *release, int64 rows, const int *column, const pegs_layout *layout, uint64_t *cells);

/* ---- compared.c: what is measured of a synthetic table, also of the trials of pegs_ru_map ---- */

typedef struct PegsTrial
{
	const char *method;
	double		epsilon;		/* NaN: of a method without a guarantee */
	int			replicate;
	bool		distances;		/* of tables, and nothing else is measured */
} PegsTrial;

typedef struct PegsUtility
{
	struct ReturnSetInfo *result;
	const PegsDomain *domain;
	const pegs_coded *original;
	const pegs_coded *synthetic;
	pegs_env	env;
	int			ways;
	const PegsTrial *trial;		/* of pegs_ru_map; NULL: pegs_utility */
} PegsUtility;

extern void pegs_compare_groups(PegsUtility *u, char **groups, int ngroups);	/* as pegs_utility's argument has them */
extern void pegs_compare_tables(struct ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain,
								const pegs_coded *original, const pegs_coded *synthetic);

/* ---- put.c: one row of the answer, a measure of these columns ---- */

extern void pegs_put_comparison(struct ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain,
								const char *measure, const uint32 *columns, int n, double value);
extern void pegs_put_compared(const PegsUtility *u, const char *measure, const uint32 *columns, int n, double value);

/* ---- trial.c: a method, as a trial of pegs_ru_map runs it ---- */

typedef struct PegsTried
{
	const char *name;			/* as it was asked for */
	const pegs_method *method;
	int64		block;			/* of a sample that pays */
	int64		delta;			/* that is offered */
	PegsModel	model;			/* made up: a domain, no name in the catalog */
	pegs_layout layout;
	uint64_t   *cells;
	pegs_wire	wire;			/* of what is not paid at the fit: for all trials */
} PegsTried;

extern PegsTried pegs_tried(const char *name, int64 block, int64 delta);	/* or an error */
extern void pegs_prepare_tried(PegsTried *tried, const PegsSource *source, PegsSpec *spec);	/* before a row is read; or an error */
extern void pegs_read_tried(PegsTried *all, int n, const PegsSource *source, const pegs_coded *original);
extern const char *pegs_tried_why_not(PegsTried *tried, int64 n, double epsilon);	/* it has no rows at that epsilon; NULL: it has */
extern pegs_coded *pegs_tried_rows(PegsTried *tried, int64 n, double epsilon, const bool *numbers);

/* ---- utility.c: also for disclosure.c ---- */

extern void pegs_require_columns_of(Oid relid, const PegsDomain *domain);	/* of a synthetic relation */

/* ---- numeric.c: numeric columns ---- */

/* Whose numbers those groups need; NULL: of no column. */
extern const bool *pegs_numbers_wanted(const PegsDomain *domain, char **groups, int ngroups);
extern void pegs_compare_columns(const PegsUtility *u);

/* ---- disclosure.c: also for anonymity.c ---- */

extern void pegs_put_value(struct ReturnSetInfo *result, const char *measure, double value);

/* Columns by name, in the order given; `what` is the argument that names them. */
extern uint32_t *pegs_numbers_of(const PegsDomain *domain, List *names, const char *what, uint32_t *n);

/* ---- audit.c: what pegs_audit and pegs_verify look at ---- */

extern PegsModel *pegs_audited_model(const char *name, const char *action);	/* of a curator; with a guarantee */
extern void pegs_audited_tables(const PegsModel *model, pegs_wire *wire);	/* of a sealed model */

/* ---- attack.c, neighbour.c: what audit.c uses ---- */

#define PEGS_AUDIT_CONFIDENCE 0.95	/* of the bounds that are shown */
#define PEGS_AUDIT_MISS 1e-7	/* holds: each of its bounds is wrong by chance with at most this probability */
#define PEGS_AUDIT_LEAST_RUNS 100

/* A table, its neighbour by one unit more, and what the runs on both have shown. */
typedef struct PegsAudit
{
	const PegsModel *model;
	const pegs_layout *layout;
	uint64_t   *cells[3];		/* the second has the row, or the rows of a person, more; of fits the third is an empty table */
	const pegs_kept *kept[3];		/* the same as rows, where the method keeps them */
	uint16_t   *target;			/* that row */
	const PegsRelated *related;	/* of several tables; NULL: of one */
	pegs_tally	tally[3];		/* units of those: the second has one more; the third is empty */
	int64		epsilon;		/* that was charged, or would be */
	int64		delta;
	int			runs;			/* of each table; fewer if a fault was found */
	double	   *seen[2];		/* [runs] ln P(answers | with the row) - ln P(answers | without), of runs on each */
	double		exact;			/* what a run cost these two tables, at most: |ln ratio|, or with delta rho */
	pegs_fault	fault;
	TimestampTz began;
	int64		said;			/* seconds after which the caller was told how far it is; 0: not yet */
} PegsAudit;

/* Fills in the tables, the same with `rows` times one row more, of the rarest cells; and that row. */
extern void pegs_make_neighbour(PegsAudit *audit, const pegs_layout *layout, uint64_t *cells, const int32 *given, int rows);
extern void pegs_attack_fits(PegsAudit *audit);
extern void pegs_attack_samples(PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire);
extern void pegs_attack_urns(PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire);	/* of a method of urns */
extern void pegs_attack_regressions(PegsAudit *audit, const PegsRequest *request);
extern pegs_fault pegs_weigh_structure(const PegsModel *model);	/* the private choice of a sealed model's parents */
extern bool pegs_told_apart_too_well(const PegsAudit *audit);	/* with delta: better than rho-zCDP allows */

#endif							/* PEGS_MEASURES_H */
