/*
 * urn_verify.h
 *	  Exact privacy of small urns over whole tables, by enumeration: all
 *	  neighbours, all outputs of so many rows.
 *
 * Weights are those of the trees that are drawn from, and what is put back
 * goes into them, so a sampler that is broken is seen to be. Claim P24, docs/privacy.md.
 */
#ifndef PEGS_URN_VERIFY_H
#define PEGS_URN_VERIFY_H

#include "core/ratio.h"
#include "core/urn.h"

/*
 * n rows from the urns as the sampler has filled them, of this alpha (units of 2^-16): one of the table of all columns, or one of
 * each column. `put_back`: pegs_urn_put_back; a test puts a broken one there. PEGS_ERR_TOO_LARGE: more than
 * PEGS_MOST_PATHS or PEGS_VERIFY_VISITS.
 */
extern pegs_status pegs_verify_urns(const pegs_env *env, const pegs_urns *urns, uint32_t ncols, const uint32_t *levels, uint64_t alpha,
									uint32_t n, void (*put_back) (pegs_urn *urn, uint32_t level), pegs_verdict *verdict);

#endif							/* PEGS_URN_VERIFY_H */
