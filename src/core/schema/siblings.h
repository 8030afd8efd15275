/*
 * siblings.h
 *	  What rows of one parent have to do with each other: chosen and measured.
 */
#ifndef PEGS_SCHEMA_SIBLINGS_H
#define PEGS_SCHEMA_SIBLINGS_H

#include "core/schema/schema.h"

/* The part of the account that siblings get, by the noise that all of it would buy: public. */
extern double pegs_siblings_part(const pegs_accountant *accountant, double rows);

/*
 * Spends at most `budget` of the account. so_far: the model that there is, its
 * rows roots; its siblings are set, for so_far's like. key: of rows of it,
 * which are looked at; drawn before any look, so that an audit can have the
 * same rows again. Claim P37.
 */
extern pegs_pair *pegs_siblings_fit(const pegs_env *env, pegs_rng *rng, const uint8_t *key, pegs_accountant *accountant, double budget,
									const pegs_tally *tally, const pegs_fitted *so_far, uint32_t *n);

#endif							/* PEGS_SCHEMA_SIBLINGS_H */
