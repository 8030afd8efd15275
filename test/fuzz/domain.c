/*
 * domain.c
 *	  A small domain with a column of every kind, a few rows of it, and models.
 */
#include "domain.h"

#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct declared
{
	const char *name;
	const char *type;
	bool		bins;
	bool		nullable;
	const char *texts[6];
	const char *points[3];
} declared;

static const declared columns[] = {
	{"sex", "text", false, true, {"F", "M", ""}},
	{"code", "character varying(3)", false, false, {"a", "ab", "abc", "other"}},
	{"flag", "boolean", false, true, {"f", "t"}},
	{"padded", "character(4)", false, false, {"x", "xy", "null"}},
	{"size", "integer", false, false, {"-1", "0", "3", "2147483647"}},
	{"charge", "numeric(6,2)", true, true, {"0.00", "10.00", "10.50", "99.99"}, {"0.00", "10.20"}},
	{"amount", "numeric", false, false, {"1", "1.5", "10000000000000000000000"}},
	{"share", "double precision", true, false, {"-1", "0", "1e-300", "1"}, {"0", "7"}},
	{"admitted", "date", true, true, {"2024-01-01", "2024-02-01", "2025-01-01"}},
	{"at", "timestamp(0) with time zone", false, false, {"2024-01-01 00:00:00+00", "infinity"}},
	{"mood", "fuzz_mood", false, false, {"sad", "ok", "null"}}
};

static const char *const keys[] = {
	"sex", "code", "flag", "padded", "size", "charge", "amount", "share", "admitted", "at", "mood",
	"nothing", "", "SEX", "fresh", "draw", "keys", "number", "sweeps", "each", "part", "parts"
};

static const char *const values[] = {
	"F", "M", "", "a", "ab", "abc", "f", "t", "true", "x", "xy ", "null", "-1", "0", "3", "2147483647", "2147483648",
	"0.00", "10", "10.5", "99.99", "100", "1", "1.5", "1.50", "1e22", "NaN", "-0", "1e-300", "0.999999",
	"2024-01-01", "2024-01-31", "2025-01-01", "2024-01-01 00:00:00+00", "2024-01-01 01:00:00+01", "infinity",
	"sad", "ok", "happy", "independent", "apportioned"
};

const words *
fuzz_domain_words(void)
{
	static const words all = {keys, lengthof(keys), values, lengthof(values)};

	return &all;
}

PegsDomain *
fuzz_domain(void)
{
	static PegsDomain *domain;

	if (domain)
		return domain;
	domain = palloc0(sizeof(PegsDomain));
	domain->ncols = lengthof(columns);
	domain->column = palloc0(sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		PegsColumn *column = &domain->column[i];
		char	  **texts = palloc(sizeof(char *) * lengthof(columns[i].texts));
		int			n = 0;

		column->name = pstrdup(columns[i].name);
		parseTypeString(columns[i].type, &column->type, &column->typmod, false);
		for (; n < (int) lengthof(columns[i].texts) && columns[i].texts[n]; n++)
			if (columns[i].bins)
				texts[n] = pegs_canonical(column->type, column->typmod, columns[i].texts[n]);
			else if ((texts[n] = pegs_try_canonical(column->type, column->typmod, columns[i].texts[n])) == NULL)
				break;
		column->nullable = columns[i].nullable;
		column->other = -1;
		column->origin = "declared";
		if (columns[i].bins)
		{
			column->edges = texts;
			column->nedges = n;
			column->points = palloc0(sizeof(columns[i].points));
			for (; column->npoints < (int) lengthof(columns[i].points) && columns[i].points[column->npoints]; column->npoints++)
				column->points[column->npoints] = pstrdup(columns[i].points[column->npoints]);
		}
		else
		{
			column->labels = texts;
			column->nlabels = n;
		}
	}
	domain->column[1].other = 0;
	return domain;
}

PegsSpec *
fuzz_spec(bool sealed)
{
	static PegsSpec *spec[2];

	if (spec[sealed] == NULL)
		spec[sealed] = pegs_spec_make(fuzz_domain(), sealed ? DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{\"code\": [\"sex\", \"flag\"], \"mood\": [\"size\"], \"charge\": [\"sex\"]}"))) : NULL, 0);
	return spec[sealed];
}

PegsCounter *
fuzz_counts(bool sealed)
{
	static PegsCounter *counter[2];
	uint64		x = 1;

	if (counter[sealed])
		return counter[sealed];
	counter[sealed] = pegs_counter(fuzz_spec(sealed), TopMemoryContext, false);
	for (int r = 0; r < 300; r++)
	{
		uint16_t	code[lengthof(columns)];
		uint16_t   *codes[lengthof(columns)];

		for (size_t i = 0; i < lengthof(columns); i++)
		{
			x = x * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
			code[i] = (uint16_t) ((x >> 40) % 3 ? (x >> 50) % pegs_column_levels(&fuzz_domain()->column[i]) : 0);
			codes[i] = &code[i];
		}
		pegs_count_chunk(&counter[sealed]->layout, counter[sealed]->cells, codes, 1);
		counter[sealed]->rows++;
	}
	return counter[sealed];
}

const pegs_fitted *
fuzz_fitted(void)
{
	static pegs_fitted *fitted;
	pegs_env	env = pegs_env_in(TopMemoryContext);
	uint8_t		key[PEGS_KEY_BYTES] = {1};
	pegs_accountant accountant;
	PegsCounter *counter;

	if (fitted)
		return fitted;
	counter = fuzz_counts(false);
	fitted = palloc0(sizeof(pegs_fitted));
	pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, 0, 1);
	pegs_engine_fit(&env, pegs_rng_in(TopMemoryContext, key, 0), &accountant, &counter->layout, counter->cells, fitted);
	return fitted;
}

bool
fuzz_means(const PegsColumn *column, const JsonbValue *value, int code)
{
	int			n = column->nedges > 0 ? column->nedges - 1 : column->nlabels;
	char	   *text;

	if (value->type == jbvNull)
		return code == n + column->npoints;
	if (code < 0 || code >= n + column->npoints)
		return false;
	text = pegs_canonical(column->type, column->typmod, pegs_json_scalar(value));
	for (int i = 0; i < column->npoints; i++)
		if (code == n + i || strcmp(text, column->points[i]) == 0)
			return code == n + i && strcmp(text, column->points[i]) == 0;
	if (column->nedges == 0)
		return strcmp(text, column->labels[code]) == 0;
	if (pegs_compare(column->type, column->typmod, column->edges[code], text) > 0)
		return false;
	return pegs_compare(column->type, column->typmod, text, column->edges[code + 1]) < (code == n - 1);
}
