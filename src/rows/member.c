/*
 * member.c
 *	  Rows of one table of a model of several, with keys by which they belong to
 *	  those of the others.
 *
 * Every table of a sample is read out of the same blocks (core/schema/blocks.c),
 * a function of the model, n, what is given and the key alone: so tables agree, in whatever
 * order they are read, though none is stored. Keys are made: running numbers,
 * never those of the rows. All of it is post-processing: claim P36.
 */
#include "rows/rows.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

typedef struct PegsMemberRows
{
	const PegsRelated *related;
	int			table;
	pegs_blocks *blocks;
	MemoryContext batch;		/* of the block at hand */
	pegs_env	env;			/* likewise */
	pegs_rng   *rng;
	uint64		block;			/* that comes next */
	uint64		first;			/* that is asked for */
	uint64		end;
	pegs_block	made;
	bool		any;			/* a block is at hand */
	uint32		row;			/* of it, that comes next */
	int64	   *before;			/* [tables] rows of the blocks before it */
	int64	   *keys;			/* of the row at hand */
	uint32_t   *chosen;			/* likewise, of columns by which a key tells rows apart; NULL: there is none */
} PegsMemberRows;

/* The table whose row type a call names; the root, if it names none of these. */
static int
table_of_type(FunctionCallInfo fcinfo, const PegsRelated *related)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	char	   *named = OidIsValid(type) ? pegs_relation_words(get_typ_typrelid(type)) : NULL;

	for (int t = 0; named && t < related->n; t++)
		if (strcmp(related->member[t].table, named) == 0)
			return t;
	return 0;
}

/* The call asks for no table. */
static void
require_table(FunctionCallInfo fcinfo, const PegsRequest *request, bool by_type)
{
	const PegsModel *model = request->model;
	const PegsRelated *related = model->spec->related;
	const PegsMember *member = &related->member[by_type ? table_of_type(fcinfo, related) : 0];
	const char *what = request->release ? request->release : model->name;

	if (request->table)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s \"%s\" is of several tables: %s", request->release ? "release" : "model", what, pegs_related_names(related)),
			 errdetail("Rows are of one of them."),
			 request->release ? errhint("SELECT * FROM pegs_rows_as(NULL::%s, %s, %s);", member->table, quote_literal_cstr(what), quote_literal_cstr(member->name))
			 : errhint("SELECT * FROM pegs_sample_as(NULL::%s, %s%s, options => %s);", member->table, quote_literal_cstr(what),
					   request->n == pegs_model_rows(model) ? "" : psprintf(", " INT64_FORMAT, request->n), pegs_object_example("table", pegs_text_example(member->name)))));
}

/* The table that the caller asks for; or an error. */
static int
table_asked(const PegsRequest *request)
{
	const PegsModel *model = request->model;
	int			table = request->table ? pegs_related_find(model->spec->related, request->table) : -1;

	if (request->table && table < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("%s \"%s\" has no table \"%s\"", request->release ? "release" : "model", request->release ? request->release : model->name,
						pegs_clipped(request->table)),
				 errhint("Its tables are: %s.", pegs_related_names(model->spec->related))));
	if (table < 0)
		pegs_refuse_related(model);
	if (request->fresh || request->independent || request->numbered)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("rows of several tables take no options but \"table\", \"part\" and \"parts\""),
				 errdetail("Rows of one table belong to those of the others, which are drawn by the same call."),
				 errhint("options => %s", pegs_object_example("table", pegs_text_example(request->table)))));
	return table;
}

static pegs_blocks *
open_blocks(const pegs_env *env, const PegsRequest *request)
{
	const PegsModel *model = request->model;
	pegs_blocks *blocks;
	pegs_wire	wire;

	if (!pegs_model_tables(env, model, &wire))
		elog(ERROR, "the body of a model is missing");
	switch (pegs_blocks_open(env, &model->spec->related->relations, wire.model, (uint64) request->n, request->given, &blocks))
	{
		case PEGS_OK:
			break;
		case PEGS_ERR_RANGE:
			pegs_refuse_given(request);
			break;
		default:
			elog(ERROR, "the tables of a model do not fit its facts");
	}
	return blocks;
}

/* Everything that can fail. */
static PegsMemberRows *
member_rows(const PegsRequest *request)
{
	PegsMemberRows *m = palloc0(sizeof(PegsMemberRows));
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	m->related = request->model->spec->related;
	m->table = table_asked(request);
	m->blocks = open_blocks(&env, request);
	m->batch = AllocSetContextCreate(CurrentMemoryContext, "pegs block", ALLOCSET_DEFAULT_SIZES);
	m->env = pegs_env_in(m->batch);
	m->end = pegs_blocks_number(m->blocks);
	if (request->parts > 0)
	{
		m->first = pegs_part_ends(m->end, (uint64) request->part - 1, (uint64) request->parts);
		m->end = pegs_part_ends(m->end, (uint64) request->part, (uint64) request->parts);
	}
	m->before = palloc0(sizeof(int64) * m->related->n);
	m->keys = palloc0(sizeof(int64) * (m->related->member[m->table].nkeys + 1));
	if (m->related->member[m->table].ndistinct > 0)
		m->chosen = palloc0(sizeof(uint32_t) * (m->related->member[m->table].spec->domain->ncols + 1));
	return m;
}

/* The columns of the table as they are drawn. */
static const PegsDomain *
member_domain(const PegsRequest *request, const PegsMemberRows *m)
{
	const PegsModel *model = request->model;
	const PegsSpec *spec = m->related->member[m->table].spec;
	PegsDomain *own = palloc(sizeof(PegsDomain));
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	*own = *spec->domain;
	own->column = palloc(sizeof(PegsColumn) * (own->ncols + 1));
	memcpy(own->column, spec->domain->column, sizeof(PegsColumn) * own->ncols);
	own->kept = NULL;
	if (spec->sloped && pegs_model_tables(&env, model, &wire))
		for (int i = 0; i < own->ncols; i++)
			if (own->column[i].nedges > 0)
				own->column[i].shares = model->method->shares(wire.model, m->related->relations.start[m->table] + (uint32_t) i);
	return own;
}

static PegsKeys
member_keys(const PegsRequest *request, const PegsMemberRows *m)
{
	int64	   *largest = palloc(sizeof(int64) * (m->related->member[m->table].nkeys + 1));

	for (int k = 0; k < m->related->member[m->table].nkeys; k++)
		largest[k] = pegs_largest_made(m->related, m->table, k, request->n);
	return (PegsKeys) {.n = request->n, .model = request->model, .member = &m->related->member[m->table], .made = m->keys,
		.largest = largest, .chosen = m->chosen, .stream = m->related->relations.start[m->table]};
}

/* What a release of all tables could be refused for. */
void
pegs_require_members(const PegsRequest *request)
{
	PegsRequest first = *request;

	if (request->table)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a release has all tables of its model, not one"),
				 errhint("Leave option \"table\" out: pegs_rows is told which.")));
	first.table = request->model->spec->related->member[0].name;
	first.fresh = false;
	pegs_require_made(request->model, request->n);
	(void) member_rows(&first);
}

/* What a key of a row of this block is. */
static int64
key_value(const PegsMemberRows *m, int table, uint32 row, int number)
{
	const PegsMember *member = &m->related->member[table];
	const PegsMadeKey *key = &member->key[number];
	const uint32_t *parent = m->made.table[table].parent;
	uint32		first = 0;
	uint32		end = row;

	switch (key->kind)
	{
		case PEGS_KEY_NUMBER:
			return m->before[table] + row + 1;
		case PEGS_KEY_PARENT:
			return key_value(m, member->parent, parent[row], key->of);
		case PEGS_KEY_LINE:
			/* the first row of the same parent: they rise */
			while (first < end)
			{
				uint32		middle = first + (end - first) / 2;

				if (parent[middle] < parent[row])
					first = middle + 1;
				else
					end = middle;
			}
			return (int64) (row - first) + 1;
	}
	return 0;
}

static void
next_block(PegsMemberRows *m)
{
	for (int t = 0; m->any && t < m->related->n; t++)
		m->before[t] += m->made.table[t].n;
	MemoryContextReset(m->batch);
	CHECK_FOR_INTERRUPTS();
	pegs_blocks_make(m->blocks, &m->env, m->rng, 1, m->block, &m->made);
	m->any = true;
	m->row = 0;
	m->block++;
}

/* The next row with its turn; false: no more. Blocks before a part are made for the numbers of their rows alone. */
static bool
pull(void *from, PegsRows *rows, uint16_t *codes)
{
	PegsMemberRows *m = from;
	const PegsMember *member = &m->related->member[m->table];
	const pegs_block_table *table;

	while (!m->any || m->block <= m->first || m->row == m->made.table[m->table].n)
	{
		if (m->block >= m->end)
			return false;
		next_block(m);
		pegs_rows_turn(rows, m->block - 1, m->before[m->table]);
	}
	table = &m->made.table[m->table];
	for (int i = 0; i < member->spec->domain->ncols; i++)
		codes[i] = table->codes[i][m->row];
	for (int i = 0; m->chosen && i < member->spec->domain->ncols; i++)
		m->chosen[i] = table->place && table->place[i] ? table->place[i][m->row] : PEGS_ANY_NUMBER;
	for (int k = 0; k < member->nkeys; k++)
		m->keys[k] = key_value(m, m->table, m->row, k);
	m->row++;
	return true;
}

/* All rows of the table, as the answer of a call: by these keys of the rows and of the values inside bins. */
void
pegs_member_table(FunctionCallInfo fcinfo, const PegsRequest *request, const uint8_t *key, const uint8_t *value_key, bool by_type)
{
	PegsMemberRows *m;
	PegsKeys	keys;
	const PegsDomain *domain;
	PegsRows   *rows;
	uint16_t   *codes;

	require_table(fcinfo, request, by_type);
	m = member_rows(request);
	keys = member_keys(request, m);
	domain = member_domain(request, m);
	rows = pegs_rows_begin(fcinfo, domain, request->release ? request->release : request->model->name, by_type, &keys);
	codes = palloc0(sizeof(uint16_t) * (domain->ncols + 1));
	m->rng = pegs_rng_in(CurrentMemoryContext, key, 1);
	pegs_rows_start(rows, value_key);
	while (pull(m, rows, codes))
		pegs_rows_put(rows, codes);
	pegs_rows_end(rows);
}

/* The same in the select list, at its first call: streamed.c. All of it lasts as long as the call. */
void
pegs_member_streamed(FunctionCallInfo fcinfo, const PegsRequest *request, const uint8_t *key, const uint8_t *value_key)
{
	PegsKeys   *keys = palloc(sizeof(PegsKeys));
	PegsMemberRows *m;
	const PegsDomain *domain;
	PegsRows   *rows;

	require_table(fcinfo, request, true);
	m = member_rows(request);
	domain = member_domain(request, m);
	*keys = member_keys(request, m);
	rows = pegs_rows_begin_few(fcinfo, domain, request->release ? request->release : request->model->name, keys);
	m->rng = pegs_rng_in(CurrentMemoryContext, key, 1);
	pegs_rows_start(rows, value_key);
	pegs_rows_end(rows);
	pegs_streamed(fcinfo, rows, pull, m, palloc0(sizeof(uint16_t) * (domain->ncols + 1)));
}

/* All tables of n roots, block by block, for who measures them. */
void
pegs_member_blocks(const PegsRequest *request, const uint8_t *key, PegsPutBlock put, void *arg)
{
	const PegsRelated *related = request->model->spec->related;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	MemoryContext batch = AllocSetContextCreate(CurrentMemoryContext, "pegs block", ALLOCSET_DEFAULT_SIZES);
	pegs_env	of_batch = pegs_env_in(batch);
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, 1);
	pegs_blocks *blocks = open_blocks(&env, request);
	pegs_block	made;

	for (uint64 b = 0; b < pegs_blocks_number(blocks); b++)
	{
		CHECK_FOR_INTERRUPTS();
		pegs_blocks_make(blocks, &of_batch, rng, 1, b, &made);
		put(arg, &related->relations, &made);
		MemoryContextReset(batch);
	}
	MemoryContextDelete(batch);
}
