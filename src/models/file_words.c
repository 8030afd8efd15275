/*
 * file_words.c
 *	  What a certificate says of a model beside its facts, as words in its file:
 *	  lookup tables whose rows it took as public, and rows that its rows refer
 *	  to and that it does not protect (of a bound table alone; of several tables
 *	  their facts say it).
 *
 * They end the spec of a file, and are in no other: "lookups": ["public.codes"], "beside": ["a row of ..."]. A file
 * without them is one of an older version, or there is nothing to say. Law L6.
 */
#include "models/file.h"
#include "facts/spec_read.h"
#include "read/read.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

/* A spec with them, behind all else that it has. */
char *
pegs_spec_with_words(const char *text, const PegsFileWords *words)
{
	StringInfoData out;

	initStringInfo(&out);
	appendBinaryStringInfo(&out, text, (int) strlen(text) - 1);
	pegs_describe_words(&out, "lookups", words->lookups);
	pegs_describe_words(&out, "beside", words->beside);
	appendStringInfoChar(&out, '}');
	return out.data;
}

static List *
read_words(Jsonb *json, const char *name)
{
	int			n;
	char	  **texts = pegs_member_texts(&json->root, name, &n);
	List	   *words = NIL;

	for (int i = 0; i < n; i++)
	{
		if (texts[i][0] == '\0' || pegs_has_name(words, texts[i]))
			pegs_bad_spec(psprintf("\"%s\" says nothing, or twice the same", name));
		words = lappend(words, texts[i]);
	}
	return words;
}

/* Those of a file's spec, which has been parsed. */
void
pegs_read_file_words(const char *text, const PegsSpec *spec, PegsFileWords *words)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));

	words->lookups = read_words(json, "lookups");
	words->beside = read_words(json, "beside");
	if (spec->related && words->beside != NIL)
		pegs_bad_spec("\"beside\" is of one table, and it is of several");
}
