/*
 * spec.c
 *	  Fuzz target: the text of a spec, which anybody may hand to pegs_agg.
 *
 * The input's choices make a text like those of pegs_spec, or one of related
 * tables, with something wrong here and there; or its bytes are the text. What
 * is accepted must read its own canonical text back to the same text, and be
 * safe to count by: a layout, encoders, a few values.
 */
#include "server.h"

#include "codes/codes.h"
#include "facts/facts.h"

static const char *const names[] = {"a", "b", "c", "sex", "A", "", "\xc3\xa9", "0123456789012345678901234567890123456789012345678901234567890123"};
static const char *const types[] = {
	"text", "integer", "bigint", "numeric", "numeric(6,2)", "double precision", "real", "date", "timestamp(0) with time zone",
	"timestamp without time zone", "boolean", "character varying(3)", "character(2)", "public.fuzz_mood", "json", "int[]", "setof int",
	"nothing", "fuzz_short", "public.fuzz_facts", "numeric(3,-2)", "\"char\"", "name"
};
static const char *const levels[] = {
	"a", "b", "ab", "", "1", "2", "1.5", "0", "-1", "10", "100.25", "1e3", "NaN", "infinity", "2024-01-01", "2024-01-02", "2025-01-01",
	"2024-01-01 00:00:00+00", "t", "f", "sad", "ok", "null", "2147483648", "1e400", "\xc3\xa9"
};
static const char *const steps[] = {"1", "0.5", "7", "0.25", "1000", "60000000 us", "86400000000 us", "0", "-1", "0.50", "1e3", "us", ""};
static const char *const keys[] = {
	"pegs", "tables", "columns", "name", "type", "levels", "edges", "points", "step", "inside", "null", "other", "parents", "forbidden", "tail_bits", "a", "b"
};
static const char *const key_kinds[] = {"number", "line", "parent", "row"};
static const words all = {keys, lengthof(keys), levels, lengthof(levels)};

static void
start(void)
{
}

static void
put_texts(StringInfo out, input *in, const char *const *from, uint32_t nfrom, uint32_t most)
{
	uint32_t	n = take_byte(in) % (most + 1);
	uint32_t	at = take_byte(in);

	appendStringInfoChar(out, '[');
	for (uint32_t i = 0; i < n; i++)
	{
		uint8_t		byte = take_byte(in);

		appendStringInfoString(out, i > 0 ? ", " : "");
		if (byte == 255)
			fuzz_json_value(out, in, &all);
		else
			fuzz_json_string(out, from[(at + i + byte % 8) % nfrom]);
	}
	appendStringInfoChar(out, ']');
}

/* ", "key": " and its value; a wrong one, or none, now and then */
static bool
member(StringInfo out, input *in, const char *key)
{
	uint8_t		byte = take_byte(in);

	if (byte == 255)
		return false;
	appendStringInfo(out, ", \"%s\": ", byte == 254 ? keys[take_byte(in) % lengthof(keys)] : key);
	if (byte != 253)
		return true;
	fuzz_json_value(out, in, &all);
	return false;
}

/* What a hidden column is: of the types that it may be of, and others. */
static void
put_part(StringInfo out, input *in)
{
	static const char *const kinds[] = {"date", "week", "weekday", "hour", "difference", "minute"};
	static const char *const zones[] = {"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "<+02>-02", "Middle/Earth", "../../etc/passwd"};
	static const char *const of[] = {"timestamp without time zone", "timestamp with time zone", "date", "numeric", "bigint", "real", "text", "nothing"};

	appendStringInfoString(out, "{\"x\": 0");
	if (member(out, in, "kind"))
		fuzz_json_string(out, kinds[take_byte(in) % lengthof(kinds)]);
	if (member(out, in, "column"))
		fuzz_json_string(out, names[take_byte(in) % 5]);
	if (take_byte(in) % 3 == 1 && member(out, in, "earlier"))
		fuzz_json_string(out, names[take_byte(in) % 5]);
	if (member(out, in, "type"))
		fuzz_json_string(out, of[take_byte(in) % lengthof(of)]);
	if (take_byte(in) % 3 == 1 && member(out, in, "zone"))
		fuzz_json_string(out, zones[take_byte(in) % lengthof(zones)]);
	appendStringInfoChar(out, '}');
}

static void
put_column(StringInfo out, input *in, int number, bool hidden)
{
	appendStringInfoString(out, "{\"x\": 0");
	if (member(out, in, "name"))
		fuzz_json_string(out, names[(number + take_byte(in) % 4 / 3) % lengthof(names)]);
	if (member(out, in, "type"))
		fuzz_json_string(out, types[take_byte(in) % lengthof(types)]);
	if (take_byte(in) % 4)
	{
		if (member(out, in, "levels"))
			put_texts(out, in, levels, lengthof(levels), 6);
	}
	else
	{
		if (member(out, in, "edges"))
			put_texts(out, in, levels, lengthof(levels), 6);
		if (take_byte(in) % 2 && member(out, in, "points"))
			put_texts(out, in, levels, lengthof(levels), 3);
		if (take_byte(in) % 2 && member(out, in, "step"))
			fuzz_json_string(out, steps[take_byte(in) % lengthof(steps)]);
	}
	if (member(out, in, "null"))
		appendStringInfoString(out, take_byte(in) % 2 ? "true" : "false");
	if (take_byte(in) % 8 == 1 && member(out, in, "other"))
		fuzz_json_string(out, levels[take_byte(in) % lengthof(levels)]);
	if (member(out, in, "parents"))
		put_texts(out, in, names, 5, 2);
	if (hidden && take_byte(in) % 4 && member(out, in, "part"))
		put_part(out, in);
	appendStringInfoChar(out, '}');
}

static void
put_zeros(StringInfo out, input *in)
{
	appendStringInfoChar(out, '[');
	for (int r = take_byte(in) % 3; r >= 0; r--)
	{
		appendStringInfoChar(out, '[');
		for (int x = take_byte(in) % 4; x >= 0; x--)
		{
			appendStringInfoChar(out, '[');
			fuzz_json_string(out, names[take_byte(in) % 5]);
			for (int l = take_byte(in) % 4; l > 0; l--)
			{
				appendStringInfoString(out, ", ");
				if (take_byte(in) % 32 == 31)
					fuzz_json_value(out, in, &all);
				else
					appendStringInfo(out, "%u", below(in, 5));
			}
			appendStringInfoString(out, x > 0 ? "], " : "]");
		}
		appendStringInfoString(out, r > 0 ? "], " : "]");
	}
	appendStringInfoChar(out, ']');
}

static char *
some_spec(input *in)
{
	StringInfoData out;
	uint8_t		byte = take_byte(in);
	int			ncols = 1 + byte % 4;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"pegs\": 1");
	if (member(&out, in, "tables"))
		appendStringInfoString(&out, take_byte(in) % 2 ? "\"conditional\"" : "\"pairs\"");
	if (member(&out, in, "tail_bits"))
		appendStringInfo(&out, "%u", take_byte(in) % 16 ? take_byte(in) % 2 : take_byte(in));
	if (member(&out, in, "columns"))
	{
		appendStringInfoChar(&out, '[');
		for (int i = 0; i < ncols; i++)
		{
			appendStringInfoString(&out, i > 0 ? ", " : "");
			put_column(&out, in, i, byte >= 128);
		}
		appendStringInfoChar(&out, ']');
	}
	if (take_byte(in) % 2 && member(&out, in, "forbidden"))
		put_zeros(&out, in);
	if (take_byte(in) % 4 == 1 && member(&out, in, "inside"))
		appendStringInfoString(&out, "\"sloped\"");
	if (take_byte(in) % 4 == 1 && member(&out, in, "target"))
		put_texts(&out, in, names, 5, 2);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* A table of several: what hangs on what, how many rows, which keys; and a spec like those above. */
static void
put_related(StringInfo out, input *in, int number)
{
	appendStringInfoString(out, "{\"x\": 0");
	if (member(out, in, "name"))
		fuzz_json_string(out, names[(number + take_byte(in) % 8 / 7) % lengthof(names)]);
	if (member(out, in, "table"))
		fuzz_json_string(out, names[take_byte(in) % lengthof(names)]);
	if (number > 0 && member(out, in, "parent"))
		appendStringInfo(out, "%d", (int) (take_byte(in) % (number + 1)) - (take_byte(in) == 255));
	if (number > 0 && member(out, in, "children"))
	{
		uint32_t	first = 0;

		appendStringInfoString(out, "[0");
		for (int n = take_byte(in) % 4; n > 0; n--)
			appendStringInfo(out, ", %u", first += 1 + take_byte(in) % 32 / 31 * take_byte(in));
		appendStringInfoChar(out, ']');
	}
	if (number > 0 && member(out, in, "at_most"))
		appendStringInfo(out, "%u", take_byte(in) % 16 ? 8u : below(in, 1u << 31));
	if (member(out, in, "keys"))
	{
		int			n = take_byte(in) % 3;

		appendStringInfoChar(out, '[');
		for (int k = 0; k < n; k++)
		{
			appendStringInfoString(out, k > 0 ? ", {\"column\": \"key " : "{\"column\": \"key ");
			appendStringInfo(out, "%d\", \"is\": \"%s\", \"of\": %d}", k - take_byte(in) / 255, key_kinds[number > 0 ? take_byte(in) % 4 : take_byte(in) / 64],
							 take_byte(in) % 3 - take_byte(in) / 255);
		}
		appendStringInfoChar(out, ']');
	}
	if (take_byte(in) % 4 == 1 && member(out, in, "beside"))
		put_texts(out, in, names, lengthof(names), 2);
	if (member(out, in, "spec"))
		appendStringInfoString(out, some_spec(in));
	appendStringInfoChar(out, '}');
}

static char *
some_related(input *in)
{
	StringInfoData out;
	int			ntables = 1 + take_byte(in) % 3;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"pegs\": 1, \"related\": [");
	for (int t = 0; t < ntables; t++)
	{
		appendStringInfoString(&out, t > 0 ? ", " : "");
		put_related(&out, in, t);
	}
	appendStringInfoString(&out, "]}");
	return out.data;
}

/* What hangs on what is a tree, and each key is there. */
static void
use_related(const PegsRelated *related)
{
	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];

		MUST(member->parent < t && (member->parent >= 0) == (t > 0));
		for (int k = 0; k < member->nkeys; k++)
			MUST(member->key[k].kind == PEGS_KEY_NUMBER
				 || (t > 0 && (member->key[k].kind == PEGS_KEY_LINE || (member->key[k].of >= 0 && member->key[k].of < related->member[member->parent].nkeys))));
		MUST(pegs_related_find(related, member->name) == t);
	}
	MUST(related->relations.ntables == (uint32_t) related->n);
}

/* A level that the column's own encoder and decoder agree on, or an error: also where it is sloped. */
static void
use_column(PegsColumn *column, pegs_rng *rng)
{
	static const double shares[16] = {0.1, 0, 0.3, 1e-17, 0.5, 1};
	PegsEncoder *encoder = pegs_encoder(column);
	PegsDecoder *decoder;

	if (column->nedges > 1 && column->nedges < 16 && pegs_rng_below(rng, 2))
		column->shares = shares;
	decoder = pegs_decoder(column);
	for (int i = 0; i < pegs_column_levels(column); i++)
	{
		bool		isnull;
		Datum		value = pegs_decode(decoder, i, rng, &isnull);
		int			code = pegs_encode_strict(encoder, value, isnull);

		MUST(code >= -1 && code < pegs_column_levels(column));
		/* edges may be infinite, or not as the type writes them: pegs_set_bins refuses those */
		MUST(column->npoints == 0 || code == i || i < column->nedges - 1);
	}
}

/* A row of the table with values from the ends of their types: no part of it is an error, and each has a code or none. */
static void
use_parts(const PegsDomain *domain, pegs_rng *rng)
{
	static const char *const times[] = {"infinity", "-infinity", "2024-03-31 01:30:00", "1999-12-31 23:59:59.999999"};
	static const char *const numbers[] = {"NaN", "Infinity", "-Infinity", "9e131071", "-9e131071", "0.5"};
	const PegsDomain *physical = pegs_physical(domain);
	PegsParts  *parts = pegs_parts(domain);
	Datum	   *values = palloc0(sizeof(Datum) * physical->ncols);
	bool	   *nulls = palloc0(sizeof(bool) * physical->ncols);

	if (parts == NULL)
		return;
	for (int i = 0; i < physical->ncols; i++)
	{
		const PegsColumn *column = &physical->column[i];

		nulls[i] = pegs_rng_below(rng, 8) == 0 || !(pegs_type_has_bins(column->type));
		if (nulls[i])
			continue;
		if (column->type == NUMERICOID)
			values[i] = pegs_from_canonical(NUMERICOID, -1, numbers[pegs_rng_below(rng, lengthof(numbers))]);
		else if (column->type == DATEOID || column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID)
			values[i] = pegs_from_canonical(column->type, -1, times[pegs_rng_below(rng, lengthof(times))]);
		else
			values[i] = (Datum) pegs_rng_u64(rng);
	}
	pegs_take_parts(parts, &values, &nulls);
	for (int i = 0; i < domain->ncols; i++)
		MUST(pegs_encode_strict(pegs_encoder(&domain->column[i]), values[i], nulls[i]) < pegs_column_levels(&domain->column[i]));
}

static void
one(input *in)
{
	uint8_t		how = take_byte(in) % 8;
	char	   *text = how == 7 ? fuzz_text(in) : how == 6 ? some_related(in) : some_spec(in);
	PegsSpec   *spec = pegs_spec_parse(text);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	pegs_layout layout;

	fuzz_reached();
	MUST(strcmp(pegs_spec_parse(spec->text)->text, spec->text) == 0);
	if (spec->related)
		use_related(spec->related);
	for (int i = 0; i < spec->domain->ncols; i++)
		MUST(spec->domain->column[i].other < spec->domain->column[i].nlabels);
	for (int r = 0; r < spec->domain->nzeros; r++)
	{
		const pegs_zero *zero = &spec->domain->zeros[r];

		MUST(zero->n >= 1 && zero->n <= PEGS_ZERO_COLUMNS);
		for (uint32_t x = 0; x < zero->n; x++)
			MUST(zero->column[x] < (uint32_t) spec->domain->ncols);
	}
	pegs_spec_layout(spec, &env, &layout);
	MUST(layout.ncols == (uint32_t) spec->domain->ncols && layout.ncells > 0);
	for (int i = 0; i < spec->domain->ncols; i++)
		use_column(&spec->domain->column[i], rng);
	use_parts(spec->domain, rng);
}

const target spec_target = {"spec", start, one, NULL};
