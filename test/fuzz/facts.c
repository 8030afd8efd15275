/*
 * facts.c
 *	  Fuzz target: declared levels and bins, as text, and what becomes of them.
 *
 * pegs_set_levels and pegs_set_bins themselves are called, on real columns and
 * in several notations of the session; only the row that they would store is
 * taken from them. What is accepted must read back as the same value, encode to
 * its own place and decode to itself; values drawn inside a bin must encode to
 * that bin and be of the column's type; the spec must read back to its own text.
 */
#include "server.h"

#include "codes/codes.h"
#include "facts/facts.h"

static void take_fact(const PegsArg *args);

#define pegs_begin_as_extension(saved) ((void) (saved))
#define pegs_end_as(saved) ((void) (saved))
#define pegs_spi_now(query, expected, nargs, args) take_fact(args)
#define pegs_keeps(relation, column) false	/* pegs is not installed: there are no accounts either */
#define pegs_curated_source(relid, action) pegs_source(relid)
#include "../../src/facts/declare.c"
/* names that both have */
#define text_argument set_text_argument
#define declare_bins set_declare_bins
#include "../../src/facts/set.c"
#undef text_argument
#undef declare_bins
#undef pegs_keeps
#undef pegs_curated_source
#undef pegs_begin_as_extension
#undef pegs_end_as
#define pegs_begin_as_extension(saved) elog(ERROR, "not here")
#define pegs_end_as(saved) elog(ERROR, "not here")
#include "../../src/facts/load.c"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "utils/guc.h"

#define MAX_TEXTS 8

static Relation table;			/* fuzz_facts: made by test/fuzz/run */
static PegsColumn fact;

static const char *const texts[] = {
	"a", "b", "ab", "abc", "abcd", "A", "", " ", "a ", "a  ", "\xc3\xa9", "12345678", "123456789012345678", "t", "f", "yes", "0", "1",
	"2", "10", "-1", "-0", "+1", "01", "1.0", "1.50", "1.5", "0.001", "0.0001", "1e3", "1E-3", "1e10", "1e18", "1e19", "1e22", "1e131071",
	"1e-16000", "32767", "32768", "-32768", "2147483647", "-2147483648", "9223372036854775807", "-9223372036854775808", "0.1", "0.2",
	"1e308", "1e-308", "5e-324", "3.4e38", "1e-45", "16777216", "16777217", "NaN", "nan", "Infinity", "-inf", "99.99", "99.995", "-99.99",
	"2024-01-01", "2024-01-02", "2024-12-31", "01/02/2024", "31.12.2024", "4713-01-01 BC", "5874897-12-31", "infinity", "-infinity",
	"2024-01-01 10:00", "2024-01-01 10:00:00.5", "2024-01-01 10:00:00.123456", "2024-01-01 10:00+05", "2024-03-31 02:30",
	"2024-10-27 02:30", "294276-12-31 23:59:59.999999", "epoch", "2024-06-01 12:00 PST", "J2451187", "20240101", "sad", "ok", "happy"
};

static const char *const steps[] = {"1", "0.5", "7", "0.25", "1000", "1 minute", "1 day", "0.1"};

static void
start(void)
{
	table = relation_open(RelnameGetRelid("fuzz_facts"), AccessShareLock);
}

/* The row of pegs_internal.fact, read as load_declared reads it. */
static void
take_fact(const PegsArg *args)
{
	char	   *other = args[3].isnull ? NULL : TextDatumGetCString(args[3].value);

	if (!args[2].isnull)
		fact.labels = texts_of(args[2].value, &fact.nlabels);
	if (!args[6].isnull)
		fact.edges = texts_of(args[6].value, &fact.nedges);
	if (!args[8].isnull)
		fact.points = texts_of(args[8].value, &fact.npoints);
	fact.step = args[9].isnull ? NULL : TextDatumGetCString(args[9].value);
	place_other(&fact, other);
}

static char *
some_text(input *in)
{
	uint8_t		byte = take_byte(in);
	char	   *text = pstrdup(texts[take_byte(in) % lengthof(texts)]);
	uint32_t	n;

	switch (byte % 8)
	{
		case 0:					/* the input's own characters */
			n = take_byte(in) % 14;
			text = palloc0(n + 1);
			for (uint32_t i = 0; i < n; i++)
				text[i] = (char) (1 + take_byte(in) % 127);
			return text;
		case 1:
			return psprintf("%s%c", text, 1 + take_byte(in) % 127);
		case 2:
			return psprintf("%d", (int) take(in, 2) - 1000);
		case 3:
			return psprintf("%u.%u", below(in, 100), (unsigned) take(in, 2));
		default:
			return text;
	}
}

/* The notation of the session: what is declared means the same in each. */
static void
choose_notation(uint8_t how)
{
	static const char *const styles[] = {"ISO, YMD", "SQL, DMY", "Postgres, MDY", "German, DMY"};
	static const char *const zones[] = {"UTC", "Europe/Berlin", "America/St_Johns", "-17:59"};
	static const char *const digits[] = {"1", "0", "-15", "3"};

	(void) set_config_option("datestyle", styles[how % 4], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("timezone", zones[how / 4 % 4], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", digits[how / 16 % 4], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

static char *
again(const char *text)
{
	int			level = pegs_pin_notation();
	char	   *canonical = pegs_canonical(fact.type, fact.typmod, text);

	AtEOXact_GUC(false, level);
	return canonical;
}

static char *
text_of(Datum value)
{
	int			level = pegs_pin_notation();
	Oid			function;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(fact.type, &function, &varlena);
	text = OidOutputFunctionCall(function, value);
	AtEOXact_GUC(false, level);
	return text;
}

static void
check_levels(pegs_rng *rng)
{
	PegsEncoder *encoder = pegs_encoder(&fact);
	PegsDecoder *decoder = pegs_decoder(&fact);

	for (int i = 0; i < fact.nlabels; i++)
	{
		bool		isnull;
		Datum		value = pegs_decode(decoder, i, rng, &isnull);

		MUST(strcmp(again(fact.labels[i]), fact.labels[i]) == 0);
		/* NaN is no level, but other may be it: then it is met as what is not declared */
		if (i == fact.other && strcmp(fact.labels[i], "NaN") == 0)
			continue;
		MUST(!isnull && pegs_encode_strict(encoder, value, false) == i);
		MUST(pegs_encode_strict(encoder, pegs_from_canonical(fact.type, fact.typmod, fact.labels[i]), false) == i);
	}
	/* any value: its level, or none */
	for (size_t i = 0; i < lengthof(texts); i += 7)
	{
		char	   *text = pegs_try_canonical(fact.type, fact.typmod, texts[i]);
		int			code;

		if (text == NULL)
			continue;
		code = pegs_encode_strict(encoder, pegs_from_canonical(fact.type, fact.typmod, text), false);
		for (int l = 0; l < fact.nlabels; l++)
			MUST((code == l) == (strcmp(text, fact.labels[l]) == 0 && strcmp(text, "NaN") != 0));
		MUST(code < fact.nlabels);
	}
}

static void
check_bins(pegs_rng *rng)
{
	PegsEncoder *encoder = pegs_encoder(&fact);
	PegsDecoder *decoder = pegs_decoder(&fact);

	for (int i = 0; i < fact.nedges; i++)
	{
		MUST(strcmp(again(fact.edges[i]), fact.edges[i]) == 0);
		MUST(pegs_encode_strict(encoder, pegs_from_canonical(fact.type, fact.typmod, fact.edges[i]), false) == Min(i, fact.nedges - 2) || fact.npoints > 0);
	}
	for (int i = 0; i < fact.npoints; i++)
	{
		bool		isnull;
		Datum		value = pegs_decode(decoder, fact.nedges - 1 + i, rng, &isnull);

		MUST(strcmp(again(fact.points[i]), fact.points[i]) == 0);
		MUST(!isnull && pegs_encode_strict(encoder, value, false) == fact.nedges - 1 + i);
	}
	for (int i = 0; i + 1 < fact.nedges; i++)
		for (int r = 0; r < 3; r++)
		{
			bool		isnull;
			Datum		value = pegs_decode(decoder, i, rng, &isnull);
			char	   *text;

			MUST(!isnull && pegs_encode_strict(encoder, value, false) == i);
			/* of the column's own type: going through its input again changes nothing */
			text = text_of(value);
			MUST(pegs_compare(fact.type, fact.typmod, again(text), text) == 0);
			MUST(pegs_encode_strict(encoder, pegs_from_canonical(fact.type, fact.typmod, text), false) == i);
		}
}

static void
one(input *in)
{
	LOCAL_FCINFO(fcinfo, 7);
	Datum		points[2];
	int			npoints = 0;
	uint8_t		how = take_byte(in);
	int			c = take_byte(in) % RelationGetDescr(table)->natts;
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(table), c);
	bool		bins = how % 2;
	int			n = take_byte(in) % (MAX_TEXTS + 1);
	uint8_t		key[PEGS_KEY_BYTES] = {take_byte(in)};
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	Datum		items[MAX_TEXTS];
	PegsDomain	domain = {.ncols = 1, .column = &fact};
	PegsSpec   *spec;

	choose_notation(how / 4);
	memset(&fact, 0, sizeof(fact));
	fact.name = pstrdup(NameStr(att->attname));
	fact.typmod = att->atttypmod;
	fact.type = getBaseTypeAndTypmod(att->atttypid, &fact.typmod);
	fact.other = -1;
	fact.nullable = take_byte(in) % 2;
	for (int i = 0; i < n; i++)
		items[i] = CStringGetTextDatum(some_text(in));
	if (bins && how & 4)
		for (; npoints < 2; npoints++)
			points[npoints] = CStringGetTextDatum(some_text(in));
	InitFunctionCallInfoData(*fcinfo, NULL, bins ? 7 : 4, InvalidOid, NULL, NULL);
	fcinfo->args[0] = (NullableDatum) {ObjectIdGetDatum(RelationGetRelid(table)), false};
	fcinfo->args[1] = (NullableDatum) {NameGetDatum(&att->attname), false};
	fcinfo->args[2] = (NullableDatum) {PointerGetDatum(construct_array(items, n, TEXTOID, -1, false, 'i')), false};
	fcinfo->args[3] = (NullableDatum) {0, true};
	if (bins)
	{
		fcinfo->args[3] = (NullableDatum) {CStringGetTextDatum(how & 2 ? "drop" : "error"), false};
		fcinfo->args[4] = (NullableDatum) {PointerGetDatum(construct_array(points, npoints, TEXTOID, -1, false, 'i')), npoints == 0};
		fcinfo->args[5] = (NullableDatum) {CStringGetTextDatum(steps[how / 16 % lengthof(steps)]), how % 16 < 8};
		fcinfo->args[6] = (NullableDatum) {0, true};
	}
	else if (how & 2)
		fcinfo->args[3] = (NullableDatum) {CStringGetTextDatum(some_text(in)), false};
	if (bins)
		(void) pegs_set_bins(fcinfo);
	else
		(void) pegs_set_levels(fcinfo);
	fuzz_accepted();
	spec = pegs_spec_make(&domain, NULL, 0);
	MUST(strcmp(pegs_spec_parse(spec->text)->text, spec->text) == 0);
	if (bins)
		check_bins(rng);
	else
		check_levels(rng);
	MUST(pegs_encode_strict(pegs_encoder(&fact), 0, true) == (fact.nullable ? pegs_column_levels(&fact) - 1 : -1));
}

static void
describe(void)
{
	fprintf(stderr, "column %s, other %d:", fact.name, fact.other);
	for (int i = 0; i < Max(fact.nlabels, fact.nedges); i++)
		fprintf(stderr, " '%.100s'", fact.nedges > 0 ? fact.edges[i] : fact.labels[i]);
	fprintf(stderr, "\n");
}

const target facts_target = {"facts", start, one, describe};
