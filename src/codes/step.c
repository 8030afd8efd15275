/*
 * step.c
 *	  The step of a binned column, out of its canonical text.
 *
 * Of numbers a decimal number, of dates whole days, of timestamps "N us".
 */
#include "codes/inside.h"

bool
pegs_read_step(const PegsColumn *column, PegsStep *step)
{
	const char *text = column->step;
	const char *end = text + strspn(text, "0123456789");
	bool		fraction = column->type == NUMERICOID || pegs_is_float(column->type);

	step->digits = 0;
	if (end == text || strlen(text) > 21 || (text[0] == '0' && !(fraction && text[1] == '.')))
		return false;
	if (column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID)
	{
		step->units = end - text <= 18 ? strtoll(text, NULL, 10) : 0;
		return step->units > 0 && strcmp(end, " us") == 0;
	}
	if (fraction && *end == '.')
	{
		step->digits = strspn(end + 1, "0123456789");
		end += 1 + step->digits;
		if (step->digits == 0 || end[-1] == '0')
			return false;
	}
	if (*end != '\0' || end - text > 18)
		return false;
	step->units = 0;
	for (const char *p = text; *p; p++)
		if (*p != '.')
			step->units = step->units * 10 + (*p - '0');
	return step->units > 0;
}

bool
pegs_is_step(const PegsColumn *column)
{
	PegsStep	step;

	return pegs_read_step(column, &step);
}
