/*
 * level.c
 *	  A level in words.
 */
#include "codes/codes.h"

/* A level in words: a bin as "[a, b)", the last one closed; a point as itself; NULL for NULL. */
char *
pegs_level_text(const PegsColumn *column, int code)
{
	if (column->nullable && code == pegs_column_levels(column) - 1)
		return NULL;
	if (column->nedges > 0 && code >= column->nedges - 1)
		return column->points[code - (column->nedges - 1)];
	if (column->nedges > 0)
		return psprintf("[%s, %s%c", column->edges[code], column->edges[code + 1], code == column->nedges - 2 ? ']' : ')');
	return column->labels[code];
}
