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

/* What has such a number, before it in one word: an unquoted CREATE TABLE makes "employeeid" of EmployeeID, and "paid" has no number. */
static const char *const numbered[] = {
	"account", "admission", "applicant", "booking", "card", "case", "citizen", "client", "contact", "contract", "customer", "device", "donor", "driver", "emp",
	"employee", "encounter", "episode", "event", "guest", "household", "invoice", "loan", "member", "order", "owner", "participant", "passenger", "patient",
	"payment", "person", "policy", "record", "respondent", "row", "sample", "serial", "session", "staff", "student", "subject", "ticket", "transaction", "user",
	"visit", "worker", NULL
};

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

/* How many letters the word has before that ending; 0: it has not that ending, or nothing before. Words end with a blank. */
static size_t
before_ending(const char *word, const char *ending)
{
	size_t		length = strlen(word) - 1;
	size_t		n = strlen(ending);

	return length > n && strncmp(word + length - n, ending, n) == 0 ? length - n : 0;
}

/* "employeenumber", "patientid": a number of what is listed, in one word. */
static bool
is_number_of(const char *word, const char *ending)
{
	size_t		n = before_ending(word, ending);

	for (int i = 0; n > 0 && numbered[i]; i++)
		if (strlen(numbered[i]) == n && strncmp(word, numbered[i], n) == 0)
			return true;
	return false;
}

/* The last word is two, that were written as one. Where the second is the end of other words, too ("context"), it is not asked. */
static bool
is_told_by_ending(const char *word, bool text)
{
	bool		told = before_ending(word, "number") >= 3 || before_ending(word, "uuid") >= 3 || is_number_of(word, "id");

	for (int i = 0; numbers_by_name[i]; i++)
		told |= is_number_of(word, numbers_by_name[i]);
	for (int i = 0; text && told_by_name[i]; i++)
		told |= strcmp(told_by_name[i], "text") != 0 && before_ending(word, told_by_name[i]) >= 3;
	return told;
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
	if (is_told_by_ending(last, pegs_is_text(column->type)))
		return true;
	for (int i = 0; last > words + 1 && numbers_by_name[i]; i++)
		if (strcmp(last, psprintf("%s ", numbers_by_name[i])) == 0)
			return true;
	for (int i = 0; pegs_is_text(column->type) && told_by_name[i]; i++)
		if (pegs_has_word(words, told_by_name[i]))
			return true;
	return false;
}
