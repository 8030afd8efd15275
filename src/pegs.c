/*
 * pegs.c
 *	  The library: its magic, and what is set up once, when it is loaded.
 */
#include "budget/account.h"
#include "models/models.h"

#include "utils/guc.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	pegs_define_after_promotion();
	pegs_watch_commits();
	pegs_watch_bindings();
	pegs_guard_prepare();
	pegs_watch_schema();
	pegs_settle_first = pegs_settle;
	/* no other setting, and none by our name: SET pegs.seed = 42 is an error */
#if PG_VERSION_NUM >= 150000
	MarkGUCPrefixReserved("pegs");
#else
	EmitWarningsOnPlaceholders("pegs");
#endif
}
