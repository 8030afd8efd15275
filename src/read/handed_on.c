/*
 * handed_on.c
 *	  What a fit hands on to the processes of this server that count for it.
 *
 * Public facts alone: types by their numbers, and the text of a spec. It is not
 * believed to be a spec: whoever may call the aggregate can write such bytes.
 */
#include "read/read.h"

/* Types by their numbers, then the text of a spec. */
bytea *
pegs_handed_on(const PegsSpec *spec)
{
	uint32		n = (uint32) spec->domain->ncols;
	size_t		text = strlen(spec->text);
	size_t		size = VARHDRSZ + sizeof(uint32) + sizeof(Oid) * n + text;
	bytea	   *what = palloc(size);
	char	   *p = VARDATA(what);

	SET_VARSIZE(what, size);
	memcpy(p, &n, sizeof(uint32));
	p += sizeof(uint32);
	for (uint32 i = 0; i < n; i++, p += sizeof(Oid))
		memcpy(p, &spec->domain->column[i].type, sizeof(Oid));
	memcpy(p, spec->text, text);
	return what;
}

PegsSpec *
pegs_spec_of_handed_on(const bytea *what)
{
	size_t		size = VARSIZE_ANY_EXHDR(what);
	const char *p = VARDATA_ANY(what);
	uint32		n = 0;
	Oid		   *types;

	if (size >= sizeof(uint32))
		memcpy(&n, p, sizeof(uint32));
	if (n < 1 || n > PEGS_MAX_COLUMNS || size < sizeof(uint32) + sizeof(Oid) * n)
		elog(ERROR, "what is to be counted is not of pegs_fit");
	types = palloc(sizeof(Oid) * n);
	memcpy(types, p + sizeof(uint32), sizeof(Oid) * n);
	p += sizeof(uint32) + sizeof(Oid) * n;
	return pegs_spec_handed_on(pnstrdup(p, size - sizeof(uint32) - sizeof(Oid) * n), (int) n, types);
}
