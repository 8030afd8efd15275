/*
 * names.c
 *	  What the name of a column says of it: whose row it is, or that it is
 *	  written by hand. For proposals alone: a name is no guarantee of anything.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"

/* Words in a column's name that say: this tells who somebody is, or is written by hand. */
static const char *const told_by_name[] = {
	"address", "comment", "comments", "description", "email", "firstname", "iban", "lastname", "mail", "name", "note", "notes", "password",
	"phone", "remark", "remarks", "street", "surname", "telephone", "text", "title", "token", "url", "username", NULL
};

/* At the end of a name that has another word before: it numbers rows, or somebody. */
static const char *const numbers_by_name[] = {"key", "no", "nr", "number", NULL};

bool
pegs_has_word(const char *words, const char *word)
{
	return strstr(words, psprintf(" %s ", word)) != NULL;
}

/* Its words in lower case, with a blank around each: "EmployeeNumber" and "employee_number" have two. */
char *
pegs_words_of(const char *name)
{
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoChar(&words, ' ');
	for (const char *p = name; *p; p++)
	{
		bool		begins = p > name && *p >= 'A' && *p <= 'Z'
			&& ((p[-1] >= 'a' && p[-1] <= 'z') || (p[-1] >= 'A' && p[-1] <= 'Z' && p[1] >= 'a' && p[1] <= 'z'));

		if (begins)
			appendStringInfoChar(&words, ' ');
		appendStringInfoChar(&words, *p == '_' || *p == '-' || *p == '.' ? ' ' : pg_ascii_tolower((unsigned char) *p));
	}
	appendStringInfoChar(&words, ' ');
	return words.data;
}

bool
pegs_is_told_by_name(const PegsColumn *column)
{
	char	   *words = pegs_words_of(column->name);
	const char *last = words + strlen(words) - 1;

	if (pegs_has_word(words, "id") || pegs_has_word(words, "uuid"))
		return true;
	while (last > words && last[-1] != ' ')
		last--;
	for (int i = 0; last > words + 1 && numbers_by_name[i]; i++)
		if (strcmp(last, psprintf("%s ", numbers_by_name[i])) == 0)
			return true;
	for (int i = 0; pegs_is_text(column->type) && told_by_name[i]; i++)
		if (pegs_has_word(words, told_by_name[i]))
			return true;
	return false;
}
