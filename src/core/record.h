/*
 * record.h
 *	  What a fit was drawn for, as bytes and as words: of every model that is
 *	  paid for when it is fitted.
 */
#ifndef PEGS_RECORD_H
#define PEGS_RECORD_H

#include "core/method.h"

/*
 * f64 rows  u32 pure  u32 own  u64 total  u64 spent  u64 epsilon  u64 delta  u32 rows a unit
 * u32 rows each (0: rows weigh equally, as in all files of 0.2.0; 1: so they do, one of each person)
 * n x (u32 purpose  u32 uses  u64 cost)
 *
 * purpose[n]: what a fit of this method spends on, rising; `own`: a number of the method's.
 */
extern void pegs_record_walk(pegs_cursor *c, pegs_accountant *accountant, double *rows, uint32_t *own, const pegs_purpose *purpose,
							 uint32_t n);

/*
 * Does the account of a fit agree with itself: is its total what its epsilon and delta buy, is what was spent
 * the sum of the costs, and is something charged for whatever was used? A fit's always does. `of_a_model`: of
 * what was made of a model, which has spent nothing, and no total where draws from urns have none (method.h).
 */
extern bool pegs_accountant_agrees(const pegs_accountant *accountant, bool of_a_model);

/* The same as members of pegs_describe's object: rows, accounting, budget, spent, and the record as a list. */
extern void pegs_record_words(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose,
							  uint32_t n);

/* Where a method looks at something else for that purpose than others do: what it is called. */
extern void pegs_record_words_of(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose,
								 uint32_t n, pegs_purpose other, const char *called);

#endif							/* PEGS_RECORD_H */
