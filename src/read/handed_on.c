/*
 * handed_on.c
 *	  What a fit hands on to the processes of this server that count for it.
 *
 * Public facts alone: types by their numbers, the name of what is read, and the text of a spec. It is not
 * believed to be a spec: whoever may call the aggregate can write such bytes.
 */
#include "read/read.h"

/* Types by their numbers, what is read, ended by a zero, then the text of a spec. */
bytea *
pegs_handed_on(const PegsSpec *spec)
{
	uint32		n = (uint32) spec->domain->ncols;
	const char *source = spec->domain->column[0].source ? spec->domain->column[0].source : "";
	size_t		name = strlen(source) + 1;
	size_t		text = strlen(spec->text);
	size_t		size = VARHDRSZ + sizeof(uint32) + sizeof(Oid) * n + name + text;
	bytea	   *what = palloc(size);
	char	   *p = VARDATA(what);

	SET_VARSIZE(what, size);
	memcpy(p, &n, sizeof(uint32));
	p += sizeof(uint32);
	for (uint32 i = 0; i < n; i++, p += sizeof(Oid))
		memcpy(p, &spec->domain->column[i].type, sizeof(Oid));
	memcpy(p, source, name);
	memcpy(p + name, spec->text, text);
	return what;
}

PegsSpec *
pegs_spec_of_handed_on(const bytea *what)
{
	size_t		size = VARSIZE_ANY_EXHDR(what);
	const char *p = VARDATA_ANY(what);
	const char *end = p + size;
	uint32		n = 0;
	char	   *source;
	Oid		   *types;
	PegsSpec   *spec;

	if (size >= sizeof(uint32))
		memcpy(&n, p, sizeof(uint32));
	if (n < 1 || n > PEGS_MAX_COLUMNS || size < sizeof(uint32) + sizeof(Oid) * n)
		elog(ERROR, "what is to be counted is not of pegs_fit");
	types = palloc(sizeof(Oid) * n);
	memcpy(types, p + sizeof(uint32), sizeof(Oid) * n);
	p += sizeof(uint32) + sizeof(Oid) * n;
	source = pnstrdup(p, (Size) (end - p));
	p += Min((Size) (end - p), strlen(source) + 1);
	spec = pegs_spec_handed_on(pnstrdup(p, (Size) (end - p)), (int) n, types);
	for (int i = 0; *source && i < spec->domain->ncols; i++)
		spec->domain->column[i].source = source;
	return spec;
}
