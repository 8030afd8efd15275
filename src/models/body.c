/*
 * body.c
 *	  How large a model may be.
 *
 * pg_dump writes a body as hexadecimal digits on one line, and PostgreSQL ends
 * at a gigabyte: one model that is larger would keep the whole database from
 * being dumped, after it was paid for. So a fit is refused before its charge, by
 * what its model could have at most: public sizes alone. Law L1. So is one whose
 * domain, as text, is more than could be read again, sealed or not, of one table
 * or of several; with parents that are still to be chosen, by the most that they
 * could add. Where a method has no number of bytes, and of files, what is stored
 * is looked at: fails closed. Sealed models are never dumped.
 */
#include "models/models.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

#define MAX_BYTES 536869888	/* 2^29 - 1024: two digits each, and what is beside them on the line */
#define MAX_TEXT 250000000		/* of declarations, which are read as jsonb: it takes 2^28 bytes of one array, and a comma or a brace stands for a length */
#define BYTES_OF_LEVEL 10		/* of each column: a share, and a class */

/* More: bytes that its text may have besides. */
static void
require_text_fits(const PegsSpec *spec, size_t more)
{
	size_t		bytes = strlen(spec->text) + more;

	if (bytes > MAX_TEXT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the domain of the model is too large"),
				 more > 0 ? errdetail("As text, with the parents that could be chosen, it could have %zu bytes; at most %d can be read again.", bytes, MAX_TEXT)
				 : errdetail("As text it has %zu bytes; at most %d can be read again.", bytes, MAX_TEXT),
				 errhint("Name fewer columns, or declare fewer or shorter levels.")));
}

/* A parent of that name, as text; with a comma. */
static size_t
bytes_of_parent(const char *name)
{
	StringInfoData out;

	initStringInfo(&out);
	escape_json(&out, name);
	return out.len + strlen(", ");
}

/* Of a model whose parents are to be chosen: by how many they can be, never by which they are. */
void
pegs_require_choice_fits(PegsDomain *domain, int max_parents, const char *own)
{
	size_t		longest = 0;
	size_t		all = 0;

	for (int i = 0; i < domain->ncols; i++)
	{
		size_t		bytes = bytes_of_parent(domain->column[i].name);

		longest = Max(longest, bytes);
		all += bytes;
	}
	require_text_fits(pegs_spec_without_parents(domain, PEGS_CONDITIONAL),
					  Min(all, longest * max_parents) * domain->ncols + strlen(", \"options\": ") + (own ? strlen(own) : 0));
}

void
pegs_require_body_fits(const PegsSpec *spec, const pegs_method *method, const pegs_layout *layout)
{
	double		bytes = (double) strlen(spec->text) + (spec->own ? strlen(spec->own) : 0);

	require_text_fits(spec, 0);
	if (method->payment != PEGS_PAID_AT_FIT)
		return;
	for (uint32_t i = 0; i < layout->ncols; i++)
		bytes += (double) BYTES_OF_LEVEL * layout->levels[i];
	if (method->most_bytes)
		bytes += method->most_bytes(layout);
	if (bytes > MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the model could be too large to be dumped"),
				 errdetail("It could have %.0f bytes; pg_dump can write at most %d.", bytes, MAX_BYTES),
				 spec->tried ? errhint("columns => %s, or methods without %s; or declare fewer levels or wider bins.", pegs_columns_example(spec->domain, 2),
									   quote_literal_cstr(spec->tried))
				 : spec->tables == PEGS_JOINT ? errhint("Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.")
				 : errhint("Name fewer columns, declare fewer levels or wider bins.")));
}

void
pegs_require_body_of_a_size(const pegs_method *method, const bytea *body)
{
	if (method->payment == PEGS_PAID_AT_FIT && VARSIZE_ANY_EXHDR(body) > MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the model is too large to be dumped"),
				 errdetail("pg_dump can write at most %d bytes.", MAX_BYTES),
				 errhint("Fit fewer columns, or columns with fewer levels.")));
}
