/*
 * comment.c
 *	  Words beside statements that are printed for a person to run.
 *
 * Names are in them, which another role may have given: behind a line's end in
 * one of them a statement would begin. So each comment of SQL that we print is
 * made here, and no other literal begins one (test/house/comments).
 */
#include "server/server.h"

/* "-- words", in one line, whatever they hold */
char *
pegs_comment(const char *format,...)
{
	StringInfoData line;

	initStringInfo(&line);
	appendStringInfoString(&line, "-- ");
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&line, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&line, needed);
	}
	for (char *p = line.data; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return line.data;
}

/* What stands between words that may end in a comment and those that follow: in the same line they would be of it, and their names end it. */
const char *
pegs_behind(const char *words)
{
	const char *line = strrchr(words, '\n');

	return strstr(line ? line : words, "-- ") ? "\n" : " ";
}
