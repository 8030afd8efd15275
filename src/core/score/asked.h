/*
 * asked.h
 *	  What any score is asked for: a target, and which of its levels are positive.
 */
#ifndef PEGS_SCORE_ASKED_H
#define PEGS_SCORE_ASKED_H

#include "core/method.h"

/* The option of all methods of scores, their first. */
#define PEGS_POSITIVE_OPTION {.name = PEGS_SCORE_POSITIVE, .kind = PEGS_OPTION_LEVELS, .example = "{\"income\": [\">50K\"]}"}

extern pegs_refusal pegs_refuse_score(const pegs_layout *layout);	/* as `refuse` of a method */

/* Of a layout that was not refused. */
extern uint32_t pegs_asked_target(const pegs_layout *layout);
extern const bool *pegs_asked_positive(const pegs_layout *layout);	/* [levels of the target] */

/* Is a score with this target, of which these levels are positive (they rise), what was asked for? */
extern bool pegs_is_asked_score(const pegs_layout *layout, uint32_t target, uint32_t npositive, const uint16_t *positive);

extern bool pegs_score_keeps_rows(const pegs_layout *layout);	/* all of them do */

#endif							/* PEGS_SCORE_ASKED_H */
