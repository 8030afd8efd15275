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

/* At the end of a word, behind any other. */
static const char *const told_by_end[] = {"address", "comment", "comments", "description", "email", "name", "password", "phone", NULL};

/* Who or what is numbered, where nothing parts the two words of a name. */
static const char *const somebody[] = {
	"account", "admission", "applicant", "card", "case", "citizen", "client", "contact", "contract", "customer", "device", "donor", "emp", "employee",
	"encounter", "invoice", "loan", "member", "order", "participant", "passenger", "patient", "payment", "person", "policy", "product", "record",
	"respondent", "row", "session", "staff", "student", "subject", "transaction", "user", "visit", NULL
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

static bool
ends_in(const char *word, const char *end)
{
	size_t		word_length = strlen(word);
	size_t		length = strlen(end);

	return word_length > length && strcmp(word + word_length - length, end) == 0;
}

/* "employeeid", as "EmployeeId" reads that nobody put in quotes: the one word behind a noun of these. By its end alone "valid" would be one. */
static bool
is_noun_and(const char *word, const char *end)
{
	size_t		length = strlen(word);

	if (!ends_in(word, end))
		return false;
	for (int i = 0; somebody[i]; i++)
		if (strlen(somebody[i]) + strlen(end) == length && strncmp(word, somebody[i], strlen(somebody[i])) == 0)
			return true;
	return false;
}

/* Its name is in lower case where nobody quoted it: then words that were told apart by capitals are one. */
static bool
is_told_by_end(const PegsColumn *column, const char *last)
{
	if (ends_in(last, "number") || ends_in(last, "uuid") || is_noun_and(last, "id"))
		return true;
	for (int i = 0; numbers_by_name[i]; i++)
		if (is_noun_and(last, numbers_by_name[i]))
			return true;
	for (int i = 0; pegs_is_text(column->type) && told_by_end[i]; i++)
		if (ends_in(last, told_by_end[i]))
			return true;
	return false;
}

bool
pegs_is_told_by_name(const PegsColumn *column)
{
	char	   *words = pegs_words_of(column->name);
	char	   *last;

	if (pegs_has_word(words, "id") || pegs_has_word(words, "uuid"))
		return true;
	for (int i = 0; pegs_is_text(column->type) && told_by_name[i]; i++)
		if (pegs_has_word(words, told_by_name[i]))
			return true;
	words[strlen(words) - 1] = '\0';
	last = strrchr(words, ' ') + 1;
	for (int i = 0; last > words + 1 && numbers_by_name[i]; i++)
		if (strcmp(last, numbers_by_name[i]) == 0)
			return true;
	return is_told_by_end(column, last);
}
