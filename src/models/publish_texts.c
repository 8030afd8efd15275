/*
 * publish_texts.c
 *	  What is published as text, or left out, because another role's code might
 *	  run in its place (server/of_others.c); and that this is said. Law L9.
 */
#include "models/publish.h"

/*
 * What a view's list names: a text for an enum in whose place another role may put a domain before the statements run. Its CHECK
 * would run as whoever reads the view.
 */
const PegsDomain *
pegs_printed_domain(const PegsDomain *domain, const char *view)
{
	PegsDomain *printed = palloc(sizeof(PegsDomain));

	*printed = *domain;
	printed->column = palloc(sizeof(PegsColumn) * (domain->ncols + 1));
	memcpy(printed->column, domain->column, sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		PegsColumn *column = &printed->column[i];
		const char *whose = OidIsValid(column->type) && column->part == NULL ? pegs_type_named_of_others(column->type) : NULL;

		if (whose == NULL)
			continue;
		ereport(NOTICE,
				(errmsg("column \"%s\" of view %s is of type text", column->name, view),
				 errdetail("It is of %s, before the statements run.", whose),
				 errhint("To have it let the type be yours, ALTER TYPE ... OWNER TO CURRENT_USER, and print the statements anew.")));
		column->type = TEXTOID;
		column->typmod = -1;
	}
	return printed;
}

void
pegs_say_left_out(const PegsMember *member, const char *what, const char *whose, const char *instead)
{
	ereport(NOTICE,
			(errmsg("the copy of table \"%s\" is without %s: it may run code of another role", member->name, what),
			 errdetail("It is %s, and would run as whoever runs the statements. %s", whose, instead),
			 errhint("Read it. To have it in the copy let it be yours, ALTER ... OWNER TO CURRENT_USER, and print the statements anew.")));
}
