/*
 * beside.c
 *	  Is what a model does not protect still what it was: tables that its rows
 *	  refer to, for a fit anew.
 *
 * A certificate has them in words, by their names of the fit. They are known
 * by their numbers: a table may be given another name, or another one its
 * name. A dump that is restored gives tables other numbers, that of the
 * account's among them: then names are compared, as of a model of a version
 * that kept no numbers. By the catalog alone: law L1.
 */
#include "models/beside.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"

/* ---- kept ---- */

/* Of a model of these columns: PegsReferred *, of all its tables in their order. */
List *
pegs_beside_of(const PegsSource *source, const PegsSpec *spec)
{
	List	   *all = NIL;

	if (!OidIsValid(source->account))
		return NIL;
	if (spec->related == NULL)
		return pegs_references_beside(source, spec->domain);
	for (int t = 0; t < spec->related->n; t++)
		all = list_concat(all, spec->related->member[t].referred);
	return all;
}

/* As it is stored: behind the account's own number. */
PegsArg
pegs_beside_argument(Oid account, const List *beside)
{
	Datum	   *oids = palloc(sizeof(Datum) * (list_length(beside) + 1));
	int			n = 0;
	ListCell   *cell;

	oids[n++] = ObjectIdGetDatum(account);
	foreach(cell, beside)
		oids[n++] = ObjectIdGetDatum(((PegsReferred *) lfirst(cell))->table);
	return (PegsArg) {OIDARRAYOID, PointerGetDatum(construct_array(oids, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT)), !OidIsValid(account)};
}

List *
pegs_read_beside_of(const PegsLookup *lookup, Oid account)
{
	List	   *tables = NIL;
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, "beside_of", &isnull);
	Datum	   *items;
	bool	   *nulls;
	int			n;

	if (isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(value), OIDOID, sizeof(Oid), true, TYPALIGN_INT, &items, &nulls, &n);
	if (n == 0 || nulls[0] || DatumGetObjectId(items[0]) != account)
		return NIL;
	for (int i = 1; i < n; i++)
		tables = lappend_oid(tables, nulls[i] ? InvalidOid : DatumGetObjectId(items[i]));
	return tables;
}

/* ---- compared ---- */

/* One that was, in words; table InvalidOid: its number is not known here. */
typedef struct Was
{
	const char *words;
	Oid			table;
} Was;

static bool
ends_with(const char *text, const char *end)
{
	size_t		length = strlen(text);
	size_t		n = strlen(end);

	return length >= n && strcmp(text + length - n, end) == 0;
}

/* The same table, by the same columns. */
static bool
is_same(const Was *was, const PegsReferred *now)
{
	return OidIsValid(was->table) ? was->table == now->table && ends_with(was->words, now->by) : strcmp(was->words, now->words) == 0;
}

/* Another table that has the name of the old one is said once. */
static List *
with_words(List *list, const char *words)
{
	return pegs_has_name(list, words) ? list : lappend(list, pstrdup(words));
}

static char *
joined(const List *words)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, words)
		appendStringInfo(&text, "%s%s", text.len > 0 ? "; " : "", (char *) lfirst(cell));
	return text.data;
}

/* Of one table: `changed`, and what came and what went. */
static List *
with_changes(List *changed, const Was *was, int n, const List *now)
{
	bool	   *stays = palloc0(sizeof(bool) * (n + 1));
	ListCell   *cell;

	foreach(cell, now)
	{
		const PegsReferred *referred = lfirst(cell);
		bool		new = true;

		for (int i = 0; i < n; i++)
			if (is_same(&was[i], referred))
			{
				stays[i] = true;
				new = false;
			}
		if (new)
			changed = with_words(changed, referred->words);
	}
	for (int i = 0; i < n; i++)
		if (!stays[i])
			changed = with_words(changed, was[i].words);
	return changed;
}

/* Its numbers, if there is one for each of so many words; else none is known. */
static Oid
number_of(const PegsModel *model, int place, int n)
{
	return list_length(model->beside_of) == n ? list_nth_oid(model->beside_of, place) : InvalidOid;
}

/* What came and what went, in words; "": nothing. */
char *
pegs_beside_changed(const PegsModel *model, const List *now)
{
	int			n = list_length(model->beside);
	Was		   *was = palloc(sizeof(Was) * (n + 1));

	for (int i = 0; i < n; i++)
		was[i] = (Was) {list_nth(model->beside, i), number_of(model, i, n)};
	return joined(model->beside_known ? with_changes(NIL, was, n, now) : NIL);
}

/* Of several tables: of each. */
char *
pegs_related_beside_changed(const PegsModel *model, const PegsRelated *now)
{
	const PegsRelated *related = model->spec->related;
	List	   *changed = NIL;
	int			n = 0;
	int			place = 0;

	for (int t = 0; t < related->n; t++)
		n += related->member[t].nbeside;
	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];
		int			there = t == 0 ? 0 : pegs_related_find(now, member->name);
		Was		   *was = palloc(sizeof(Was) * (member->nbeside + 1));

		for (int i = 0; i < member->nbeside; i++)
			was[i] = (Was) {member->beside[i], number_of(model, place++, n)};
		changed = with_changes(changed, was, member->nbeside, there >= 0 ? now->member[there].referred : NIL);
	}
	return joined(changed);
}
