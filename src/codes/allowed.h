/*
 * allowed.h
 *	  Running numbers as values of a column's type; what a domain type allows.
 */
#ifndef PEGS_ALLOWED_H
#define PEGS_ALLOWED_H

#include "codes/column.h"

#include "catalog/pg_attribute.h"

/* ---- allowed.c: does a domain type take what will be given ---- */

extern void pegs_require_allowed(Oid type, const PegsColumn *column);	/* each value that a column's levels or edges are; or an error */
extern void pegs_domain_refuses(MemoryContext context, const char *message, const char *base) __attribute__((noreturn));	/* in PG_CATCH */

/* ---- running.c: a running number as a value of its column's type ---- */

typedef struct PegsRunning PegsRunning;

extern bool pegs_takes_numbers(Form_pg_attribute att, int64 n);
extern void pegs_require_running(Form_pg_attribute att, int64 n);	/* its base type alone; or an error */
extern PegsRunning *pegs_running(Form_pg_attribute att, int64 n);	/* from 1 to n; or an error */
extern void pegs_require_place(PegsRunning *number, Form_pg_attribute att, int64 place);	/* likewise, of a table of several */
extern Datum pegs_running_value(const PegsRunning *number, int64 place);

#endif							/* PEGS_ALLOWED_H */
