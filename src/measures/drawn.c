/*
 * drawn.c
 *	  Rows of a model or release as a coded table, for the measures.
 *
 * They are drawn or read as pegs_sample and pegs_rows would, by the same code and
 * without SQL.
 */
#include "measures/measures.h"
#include "read/read.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct Drawn
{
	pegs_coded *table;
	const PegsDomain *domain;
	PegsDecoder **decoder;		/* of a column whose numbers are wanted, or NULL */
	pegs_rng  **inside;			/* where its bins' values come from: as in pegs_rows_start */
} Drawn;

static void
put_coded(void *arg, const uint16_t *codes)
{
	Drawn	   *drawn = arg;
	pegs_coded *table = drawn->table;

	for (uint32 c = 0; c < table->ncols; c++)
	{
		table->code[c][table->nrows] = codes[c];
		if (drawn->decoder[c])
		{
			bool		isnull;
			Datum		value = pegs_decode(drawn->decoder[c], codes[c], drawn->inside[c], &isnull);

			table->number[c][table->nrows] = pegs_number_of(drawn->domain->column[c].type, value, isnull);
		}
	}
	if (++table->nrows % PEGS_CHUNK == 0)
		CHECK_FOR_INTERRUPTS();
}

static void
turn_coded(void *arg, uint64_t batch, int64 before)
{
	Drawn	   *drawn = arg;

	(void) before;
	for (uint32 c = 0; batch > 0 && c < drawn->table->ncols; c++)
		if (drawn->inside[c])
			pegs_rng_move(drawn->inside[c], pegs_stream_of_batch(2 + c, batch));
}

/* Room for n rows; the values inside bins come from `key`. */
static Drawn
drawn_begin(const PegsDomain *domain, const bool *numbers, int64 n, const uint8_t *key)
{
	pegs_coded *table = palloc0(sizeof(pegs_coded));
	uint32	   *levels = palloc(sizeof(uint32) * domain->ncols);
	Drawn		drawn = {.table = table, .domain = domain};

	table->ncols = domain->ncols;
	table->levels = levels;
	table->code = palloc0(sizeof(uint16 *) * domain->ncols);
	if (numbers)
		table->number = palloc0(sizeof(double *) * domain->ncols);
	drawn.decoder = palloc0(sizeof(PegsDecoder *) * domain->ncols);
	drawn.inside = palloc0(sizeof(pegs_rng *) * domain->ncols);
	for (int c = 0; c < domain->ncols; c++)
	{
		levels[c] = pegs_checked_levels(&domain->column[c]);
		table->code[c] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint16) * Max(n, 1));
		if (!numbers || !numbers[c])
			continue;
		table->number[c] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * Max(n, 1));
		drawn.decoder[c] = pegs_decoder(&domain->column[c]);
		drawn.inside[c] = pegs_rng_in(CurrentMemoryContext, key, 2 + c);
	}
	return drawn;
}

/* The next n rows of a stream. */
pegs_coded *
pegs_coded_stream(PegsStream *stream, const PegsDomain *domain, const bool *numbers, int64 n, const uint8_t *key)
{
	Drawn		drawn = drawn_begin(domain, numbers, n, key);

	pegs_stream_rows(stream, turn_coded, put_coded, &drawn);
	return drawn.table;
}

/* The rows of a release, or as many of a perturbed model as it stands for; `domain` is the model's own. */
pegs_coded *
pegs_coded_object(const char *name, const PegsDomain *domain, const bool *numbers)
{
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	Drawn		drawn;
	int64		n;

	if (!pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no guarantee: its rows are not measured by name", name),
				 errhint("Keep rows of it, and measure those: CREATE TABLE kept AS SELECT * FROM pegs_sample(%s, 1000) AS t(%s); SELECT * FROM pegs_utility(%s, 'kept', columns => %s);",
						 quote_literal_cstr(name), pegs_column_list(model->spec->domain),
						 pegs_relation_literal(model->source), pegs_columns_argument(pegs_columns_named(model->spec->domain)) + strlen(", "))));
	if (release == NULL && pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is sealed: its rows are paid for when they are drawn", name),
				 errhint("Keep rows of it in a release, which is charged, and measure that: SELECT pegs_release('kept', %s, 1000, epsilon => 1);", quote_literal_cstr(name))));
	n = release ? release->n : pegs_model_rows(model);
	if ((uint64) n > MaxAllocHugeSize / sizeof(double))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("\"%s\" has too many rows to be measured", name),
				 errhint("Make a release of fewer rows and measure that.")));
	drawn = drawn_begin(numbers ? pegs_drawn_domain(model) : domain, numbers, n, release ? release->value_key : model->key);
	if (release)
		pegs_release_rows(release, model, turn_coded, put_coded, &drawn);
	else
	{
		PegsRequest request = {.model = model, .n = n};

		pegs_draw_rows(&request, model->key, turn_coded, put_coded, &drawn);	/* those that everyone gets */
	}
	return drawn.table;
}
