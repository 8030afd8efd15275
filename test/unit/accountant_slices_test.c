/*
 * accountant_slices_test.c
 *	  Slices that are fitted once each cost what one of them costs.
 *
 * All tables of at most two rows over three slices, every row more, every
 * answer: the likelihood ratios of a released noisy count for each slice, in
 * exact integers. Rows come in while slices are fitted, late ones too, and as
 * many as the answers so far say. What would break it must: a row that moves to
 * another slice when its own was fitted, a slice that is fitted twice, edges that
 * overlap by one moment, a slice that is fitted where there are rows. Likewise
 * by a list, where a moment is a value: what would break it are two names of one
 * value, in the list or since another one was fitted. Claim P21.
 */
#include "core/accountant.h"

#include "fixture.h"
#include "unit.h"

#define SLICES 3
#define WIDTH 2					/* moments of a slice */
#define MOMENTS (SLICES * WIDTH)
#define MOST 4					/* answers are 0 to MOST */
#define TIMES (MOMENTS * (SLICES + 1))	/* a row: its moment, and before which fit it comes */

typedef enum Bug
{
	SOUND,
	MOVES,						/* a row of a fitted slice goes to the next one */
	TWICE,						/* the first slice is fitted again: its fit was rolled back */
	OVERLAP,					/* an upper edge belongs to its slice, too */
	WHERE_ROWS_ARE,				/* a slice without rows has no model */
	SAME_VALUE					/* of a list: the last one is the first by another name */
} Bug;

/* By a list: a value of each slice, and some are in none. */
static bool by_list;
static const int value[SLICES] = {4, 0, 3};

typedef struct Row
{
	int			at;
	int			comes;			/* before the fit of this slice */
} Row;

/* P(answer | count) for epsilon = ln 2, in units of 1/(3 · 2^(MOST-1)): the geometric mechanism, cut off at both ends. */
static uint64_t
likely(int answer, int count)
{
	int			c = count > MOST ? MOST : count;
	int			far = answer > c ? answer - c : c - answer;

	if (answer == 0 || answer == MOST)
		return (UINT64_C(1) << MOST) >> far;
	return (UINT64_C(1) << (MOST - 1)) >> far;
}

static bool
is_in(int at, int slice, Bug bug)
{
	if (by_list)
		return at == value[bug == SAME_VALUE && slice == SLICES - 1 ? 0 : slice];
	return at >= slice * WIDTH && (at < (slice + 1) * WIDTH || (bug == OVERLAP && at == (slice + 1) * WIDTH));
}

/* Rows of a slice that a fit sees, when slice `now` is fitted. */
static int
counted(const Row *row, int n, int slice, int now, int last_answer, Bug bug)
{
	int			count = now > 0 && last_answer > 1;	/* somebody who has read the last answer adds a row */

	for (int i = 0; i < n; i++)
	{
		bool		moved = bug == MOVES && now > 0 && is_in(row[i].at, now - 1, bug) && row[i].comes < now;
		int			at = !moved ? row[i].at : by_list ? value[now] : row[i].at + WIDTH;

		count += row[i].comes <= now && is_in(at, slice, bug);
	}
	return count;
}

/* The probability of all answers, in the units of each to their number; answer[SLICES] is that of a second fit. */
static uint64_t
of_all(const Row *row, int n, const int *answer, Bug bug)
{
	uint64_t	p = 1;

	for (int s = 0; s < SLICES; s++)
	{
		int			count = counted(row, n, s, s, s > 0 ? answer[s - 1] : 0, bug);

		/* no rows, no model: an answer that says so */
		if (bug == WHERE_ROWS_ARE && count == 0)
			p *= answer[s] == 0 ? 3 << (MOST - 1) : 0;
		else
			p *= likely(answer[s], count);
	}
	if (bug == TWICE)
		p *= likely(answer[SLICES], counted(row, n, 0, 0, 0, bug));
	return p;
}

/* The largest ratio of a row more, either way round: at most `most`? */
static bool
holds(Bug bug, uint64_t most)
{
	int			answers = bug == TWICE ? SLICES + 1 : SLICES;
	int			all = 1;

	for (int i = 0; i < answers; i++)
		all *= MOST + 1;
	for (int table = 0; table < TIMES * TIMES; table++)
		for (int more = 0; more < TIMES; more++)
		{
			Row			row[3] = {
				{table % TIMES % MOMENTS, table % TIMES / MOMENTS},
				{table / TIMES % MOMENTS, table / TIMES / MOMENTS},
				{more % MOMENTS, more / MOMENTS}
			};

			for (int code = 0; code < all; code++)
			{
				int			answer[SLICES + 1];
				int			rest = code;
				uint64_t	without;
				uint64_t	with;

				for (int i = 0; i < answers; i++, rest /= MOST + 1)
					answer[i] = rest % (MOST + 1);
				without = of_all(row, 2, answer, bug);
				with = of_all(row, 3, answer, bug);
				if (with > most * without || without > most * with)
					return false;
			}
		}
	return true;
}

int
main(void)
{
	uint64_t	sum;

	for (int count = 0; count <= MOST; count++)
	{
		sum = 0;
		for (int answer = 0; answer <= MOST; answer++)
			sum += likely(answer, count);
		CHECK_INT(sum, 3 << (MOST - 1));
	}
	CHECK(holds(SOUND, 2));
	CHECK(!holds(SOUND, 1));
	CHECK(!holds(MOVES, 2) && holds(MOVES, 4));
	CHECK(!holds(TWICE, 2) && holds(TWICE, 4));
	CHECK(!holds(OVERLAP, 2));
	CHECK(!holds(WHERE_ROWS_ARE, 2));
	by_list = true;
	CHECK(holds(SOUND, 2));
	CHECK(!holds(SOUND, 1));
	CHECK(!holds(MOVES, 2) && holds(MOVES, 4));
	CHECK(!holds(TWICE, 2) && holds(TWICE, 4));
	CHECK(!holds(SAME_VALUE, 2) && holds(SAME_VALUE, 4));
	CHECK(!holds(WHERE_ROWS_ARE, 2));
	return unit_done("accountant_slices_test");
}
