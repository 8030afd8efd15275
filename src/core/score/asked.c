/*
 * asked.c
 *	  What any score is asked for: a target, and which of its levels are positive.
 *
 * Public facts alone.
 */
#include "core/score/asked.h"

pegs_refusal
pegs_refuse_score(const pegs_layout *layout)
{
	const pegs_setting *positive = layout->settings;
	uint32_t	targets = 0;
	uint64_t	levels = 0;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		targets += positive && positive->columns && positive->columns[i];
		levels += layout->levels[i];
	}
	if (targets != 1)
		return (pegs_refusal) {
			.why = "it must be told which levels of one column are positive",
			.hint = "Make it with pegs_score_fit: target => 'income', positive => ARRAY['>50K'].",
			.wrong = targets == 0 ? PEGS_WRONG_MISSING : PEGS_WRONG_VALUE
		};
	if (layout->ncols < 2)
		return (pegs_refusal) {
			.why = "there is no feature beside the target",
			.hint = "Name at least one column besides the target: features => ARRAY[...]."
		};
	if (levels > PEGS_SCORE_MOST_LEVELS)
		return (pegs_refusal) {
			.why = "its features have more than 2^20 levels together",
			.hint = "Name fewer features, or declare fewer levels.",
			.wrong = PEGS_WRONG_SIZE
		};
	return PEGS_NOT_REFUSED;
}

uint32_t
pegs_asked_target(const pegs_layout *layout)
{
	uint32_t	target = 0;

	while (!layout->settings->columns[target])
		target++;
	return target;
}

const bool *
pegs_asked_positive(const pegs_layout *layout)
{
	return layout->settings->levels[pegs_asked_target(layout)];
}

bool
pegs_is_asked_score(const pegs_layout *layout, uint32_t target, uint32_t npositive, const uint16_t *positive)
{
	const bool *asked = pegs_asked_positive(layout);
	uint32_t	n = 0;

	if (target != pegs_asked_target(layout))
		return false;
	for (uint32_t l = 0; l < layout->levels[target]; l++)
	{
		if (!asked[l])
			continue;
		if (n >= npositive || positive[n] != l)
			return false;
		n++;
	}
	return n == npositive;
}

bool
pegs_score_keeps_rows(const pegs_layout *layout)
{
	(void) layout;
	return true;
}
