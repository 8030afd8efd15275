/*
 * wire.c
 *	  States and models as bytes.
 *
 * One walk serves size, write and read: every part of the format appears once,
 * in order, in walk(). It must never trust a length, a count or an offset that
 * it reads: a bad one makes the walk bad and every later part a no-op.
 */
#include "core/wire.h"
#include "core/crc.h"

#include <math.h>
#include <string.h>

typedef enum pass
{
	SIZE, WRITE, READ
} pass;

typedef struct cursor
{
	pass		pass;
	const pegs_env *env;		/* READ; WRITE: or NULL */
	uint8_t    *out;			/* WRITE */
	const uint8_t *in;			/* READ */
	size_t		at;
	size_t		length;			/* READ: of what comes before the CRC */
	pegs_status status;
} cursor;

static bool
bad(cursor *c, pegs_status status)
{
	if (c->status == PEGS_OK)
		c->status = status;
	return false;
}

/* Are n items of `size` bytes there? */
static bool
has_bytes(cursor *c, uint64_t n, size_t size)
{
	if (c->status != PEGS_OK)
		return false;
	if (c->pass == READ && n > (c->length - c->at) / size)
		return bad(c, PEGS_ERR_FORMAT);
	return true;
}

/* The low `size` bytes of *value, little-endian. */
static void
number(cursor *c, uint64_t *value, size_t size)
{
	if (!has_bytes(c, 1, size))
		return;
	if (c->pass == READ)
		*value = 0;
	for (size_t i = 0; i < size; i++)
	{
		if (c->pass == WRITE)
			c->out[c->at + i] = (uint8_t) (*value >> (8 * i));
		else if (c->pass == READ)
			*value |= (uint64_t) c->in[c->at + i] << (8 * i);
	}
	c->at += size;
}

static void
u32(cursor *c, uint32_t *value)
{
	uint64_t	v = *value;

	number(c, &v, 4);
	*value = (uint32_t) v;
}

static void
f64(cursor *c, double *value)
{
	uint64_t	bits;

	memcpy(&bits, value, 8);
	number(c, &bits, 8);
	memcpy(value, &bits, 8);
	if (!isfinite(*value))
		bad(c, PEGS_ERR_FORMAT);
}

static void
pad(cursor *c)
{
	while (c->status == PEGS_OK && c->at % 8 != 0)
	{
		uint64_t	zero = 0;

		number(c, &zero, 1);
		if (zero != 0)
			bad(c, PEGS_ERR_FORMAT);
	}
}

/* ---- arrays: allocated on READ once the bytes are known to be there ---- */

/* Bytes of an array between two questions whether to stop. */
#define STEP (UINT64_C(1) << 16)

static inline uint16_t
load16(const uint8_t *p)
{
	return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
load32(const uint8_t *p)
{
	return p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

static inline uint64_t
load64(const uint8_t *p)
{
	return (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16 | (uint64_t) p[3] << 24
		| (uint64_t) p[4] << 32 | (uint64_t) p[5] << 40 | (uint64_t) p[6] << 48 | (uint64_t) p[7] << 56;
}

static inline double
load_double(const uint8_t *p)
{
	uint64_t	bits = load64(p);
	double		value;

	memcpy(&value, &bits, 8);
	return value;
}

static inline void
store(uint8_t *p, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		p[i] = (uint8_t) (value >> (8 * i));
}

static inline void
store_double(uint8_t *p, double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, 8);
	store(p, bits, 8);
}

#define ARRAY(name, type, size, load, put) \
static void \
name(cursor *c, type **array, uint64_t n) \
{ \
	if (!has_bytes(c, n, size)) \
		return; \
	if (c->pass == READ) \
		*array = c->env->alloc(c->env->context, sizeof(type) * (n + 1)); \
	for (uint64_t i = 0; c->pass != SIZE && i < n;) \
	{ \
		uint64_t	end = n - i > STEP ? i + STEP : n; \
\
		if (c->env) \
			c->env->check(c->env->context); \
		if (c->pass == READ) \
			for (const uint8_t *p = c->in + c->at + i * (size); i < end; i++, p += (size)) \
				(*array)[i] = load(p); \
		else \
			for (uint8_t *p = c->out + c->at + i * (size); i < end; i++, p += (size)) \
				put; \
	} \
	c->at += n * (size); \
	pad(c); \
}

ARRAY(u16s, uint16_t, 2, load16, store(p, (*array)[i], 2))
ARRAY(u32s, uint32_t, 4, load32, store(p, (*array)[i], 4))
ARRAY(u64s, uint64_t, 8, load64, store(p, (*array)[i], 8))
ARRAY(f64s, double, 8, load_double, store_double(p, (*array)[i]))

/* A cut of levels into k contiguous classes. */
static void
cut(cursor *c, uint16_t **class_of, uint32_t levels, uint32_t k)
{
	u16s(c, class_of, levels);
	if (c->pass != READ || c->status != PEGS_OK)
		return;
	for (uint32_t i = 0; i < levels; i++)
		if ((*class_of)[i] != (i == 0 ? 0 : (*class_of)[i - 1])
			&& (i == 0 || (*class_of)[i] != (*class_of)[i - 1] + 1))
			bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK && (uint32_t) (*class_of)[levels - 1] + 1 != k)
		bad(c, PEGS_ERR_FORMAT);
}

/* A distribution: non-negative, sums to one. */
static void
distribution(cursor *c, double **p, uint64_t n)
{
	double		sum = 0;

	f64s(c, p, n);
	if (c->pass != READ || c->status != PEGS_OK)
		return;
	for (uint64_t i = 0; i < n; i++)
	{
		if (i % STEP == STEP - 1)
			c->env->check(c->env->context);
		/* not a number fails, too */
		if (!((*p)[i] >= 0 && (*p)[i] <= 1.001))
			bad(c, PEGS_ERR_FORMAT);
		sum += (*p)[i];
	}
	if (!(fabs(sum - 1) < 1e-6))
		bad(c, PEGS_ERR_FORMAT);
}

/* u32 a b ka kb  u32 outside  u32 times measured  f64 variance  u16 class_a[] class_b[]  f64 share[] */
static void
walk_pair(cursor *c, const pegs_fitted *model, pegs_pair *pair)
{
	uint32_t	outside = pair->outside;

	for (int x = 0; x < 2; x++)
		u32(c, &pair->column[x]);
	for (int x = 0; x < 2; x++)
		u32(c, &pair->k[x]);
	u32(c, &outside);
	u32(c, &pair->n);
	f64(c, &pair->variance);
	if (c->status != PEGS_OK)
		return;
	if (pair->column[0] >= pair->column[1] || pair->column[1] >= model->ncols || pair->k[0] < 1 || pair->k[1] < 1
		|| pair->k[0] > model->levels[pair->column[0]] || pair->k[1] > model->levels[pair->column[1]]
		|| outside > 1 || !(pair->variance > 0))
	{
		bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pair->outside = outside == 1;
	for (int x = 0; x < 2; x++)
		cut(c, &pair->class_of[x], model->levels[pair->column[x]], pair->k[x]);
	distribution(c, &pair->share, (uint64_t) pair->k[0] * pair->k[1]);
}

/* u32 columns  u32 parent + 1  u32 column[]  f64 mu[]; cliques before it are known. */
static void
walk_clique(cursor *c, const pegs_jtree *tree, uint32_t number)
{
	pegs_clique *clique = &tree->clique[number];
	uint32_t	parent = (uint32_t) (clique->parent + 1);
	double		cells = 1;

	u32(c, &clique->n);
	u32(c, &parent);
	if (c->status == PEGS_OK && (clique->n < 1 || clique->n > tree->ncols || (parent == 0) != (number == 0) || parent > number))
		bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	clique->parent = (int32_t) parent - 1;
	u32s(c, &clique->column, clique->n);
	for (uint32_t x = 0; c->status == PEGS_OK && x < clique->n; x++)
	{
		uint32_t	q = clique->column[x];
		bool		before = false;
		bool		in_parent = false;

		/* 1,600 cliques of 1,600 columns of one class are a file of 10 MB */
		if (c->pass == READ)
			c->env->check(c->env->context);
		if (q >= tree->ncols || (x > 0 && q <= clique->column[x - 1]))
		{
			bad(c, PEGS_ERR_FORMAT);
			return;
		}
		cells *= tree->classes[q];
		/* running intersection: what an earlier clique holds, the parent holds */
		for (uint32_t i = 0; c->pass == READ && i < number; i++)
			for (uint32_t y = 0; y < tree->clique[i].n; y++)
				if (tree->clique[i].column[y] == q)
				{
					before = true;
					in_parent |= (int32_t) i == clique->parent;
				}
		if (before && !in_parent)
			bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status == PEGS_OK && cells > (double) PEGS_MAX_CELLS)
		bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	clique->cells = (size_t) cells;
	distribution(c, &clique->mu, clique->cells);
}

/*
 * f64 rows  u32 pure  u32 pairs  u64 total  u64 spent  u64 epsilon  u64 delta  u32 rows a unit
 * u32 rows each (0: rows weigh equally, as in all files of older versions; 1: so they do, one of each person)
 * 3 x (u32 purpose  u32 uses  u64 cost)
 */
static void
walk_accountant(cursor *c, pegs_fitted *model)
{
	pegs_accountant *accountant = &model->accountant;
	uint32_t	pure = accountant->pure;
	uint64_t	epsilon = (uint64_t) accountant->epsilon;
	uint64_t	delta = (uint64_t) accountant->delta;

	f64(c, &model->rows);
	u32(c, &pure);
	u32(c, &model->npairs);
	number(c, &accountant->total, 8);
	number(c, &accountant->spent, 8);
	number(c, &epsilon, 8);
	number(c, &delta, 8);
	u32(c, &accountant->rows_per_unit);
	u32(c, &accountant->rows_each);
	for (int i = 0; i < 3; i++)
	{
		u32(c, &accountant->record[i].purpose);
		u32(c, &accountant->record[i].uses);
		number(c, &accountant->record[i].cost, 8);
		if (c->status == PEGS_OK && accountant->record[i].purpose != (uint32_t) i + 1)
			bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status != PEGS_OK)
		return;
	if (!(model->rows >= 1) || pure > 1 || model->npairs > model->ncols * (model->ncols - 1) / 2
		|| accountant->spent > accountant->total || accountant->rows_per_unit < 1
		|| (accountant->rows_each != 0 && accountant->rows_each != accountant->rows_per_unit)
		|| epsilon < 1 || epsilon > INT64_MAX || delta >= (uint64_t) PEGS_DELTA_UNIT || pure != (delta == 0))
	{
		bad(c, PEGS_ERR_FORMAT);
		return;
	}
	accountant->pure = pure == 1;
	accountant->epsilon = (int64_t) epsilon;
	accountant->delta = (int64_t) delta;
}

/* per column: f64 share[levels]  u32 classes  u32 0  u16 class_of[levels] */
static void
walk_columns(cursor *c, pegs_fitted *model)
{
	uint32_t	zero = 0;

	if (c->pass == READ)
	{
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
		model->class_of = c->env->alloc(c->env->context, sizeof(uint16_t *) * model->ncols);
		model->tree.ncols = model->ncols;
		model->tree.classes = c->env->alloc(c->env->context, sizeof(uint32_t) * model->ncols);
	}
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
	{
		distribution(c, &model->share[i], model->levels[i]);
		u32(c, &model->tree.classes[i]);
		u32(c, &zero);
		if (c->status == PEGS_OK && (model->tree.classes[i] < 1 || model->tree.classes[i] > model->levels[i] || zero != 0))
			bad(c, PEGS_ERR_FORMAT);
		if (c->status == PEGS_OK)
			cut(c, &model->class_of[i], model->levels[i], model->tree.classes[i]);
	}
}

/* u32 cliques  u32 0  the cliques */
static void
walk_tree(cursor *c, pegs_jtree *tree)
{
	uint32_t	zero = 0;

	u32(c, &tree->nclique);
	u32(c, &zero);
	if (c->status == PEGS_OK && (tree->nclique < 1 || tree->nclique > tree->ncols || zero != 0))
		bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	if (c->pass == READ)
		tree->clique = c->env->alloc(c->env->context, sizeof(pegs_clique) * tree->nclique);
	for (uint32_t i = 0; i < tree->nclique && c->status == PEGS_OK; i++)
		walk_clique(c, tree, i);
}

/* Every column has a clique, and the tree that was read is not too large to be connected. */
static void
connect_tree(cursor *c, pegs_jtree *tree)
{
	uint64_t	maps = 0;

	for (uint32_t i = 0; i < tree->ncols; i++)
	{
		c->env->check(c->env->context);
		if (pegs_jtree_home(tree, 1, &i) < 0)
			bad(c, PEGS_ERR_FORMAT);
	}
	/* connecting the tree takes memory: an index for every cell on both sides of an edge */
	for (uint32_t i = 1; i < tree->nclique && c->status == PEGS_OK; i++)
		maps += tree->clique[i].cells + tree->clique[tree->clique[i].parent].cells;
	if (maps > PEGS_MAX_CELLS)
		bad(c, PEGS_ERR_TOO_LARGE);
	if (c->status == PEGS_OK)
		pegs_jtree_connect(c->env, tree);
}

/* the accountant  the columns  the tree  the pairs */
static void
walk_model(cursor *c, pegs_fitted *model)
{
	walk_accountant(c, model);
	if (c->status == PEGS_OK)
		walk_columns(c, model);
	if (c->status == PEGS_OK)
		walk_tree(c, &model->tree);
	if (!has_bytes(c, model->npairs, 32))
		return;
	if (c->pass == READ)
		model->pair = c->env->alloc(c->env->context, sizeof(pegs_pair) * (model->npairs + 1));
	for (uint32_t p = 0; p < model->npairs && c->status == PEGS_OK; p++)
		walk_pair(c, model, &model->pair[p]);
	if (c->pass == READ && c->status == PEGS_OK)
		connect_tree(c, &model->tree);
}

/* The tables' shape; on READ this is what bounds every allocation below. */
static void
walk_layout(cursor *c, pegs_wire *wire, uint32_t *levels, uint32_t tail_bits)
{
	pegs_layout *layout = &wire->layout;
	uint32_t   *parent_start = layout->parent_start;
	uint16_t   *parents = layout->parents;

	if (wire->kind == PEGS_CONDITIONAL)
	{
		u32s(c, &parent_start, (uint64_t) wire->ncols + 1);
		if (c->status == PEGS_OK && parent_start[wire->ncols] > wire->ncols * (wire->ncols - 1))
			bad(c, PEGS_ERR_FORMAT);
		if (c->status == PEGS_OK)
			u16s(c, &parents, parent_start[wire->ncols]);
	}
	if (c->pass != READ || c->status != PEGS_OK)
		return;
	for (uint32_t i = 0; wire->kind == PEGS_CONDITIONAL && i < wire->ncols; i++)
		if (parent_start[i] > parent_start[i + 1])
		{
			bad(c, PEGS_ERR_FORMAT);
			return;
		}
	c->status = wire->kind == PEGS_PAIRS
		? pegs_layout_pairs(c->env, wire->ncols, levels, layout, NULL)
		: pegs_layout_conditional(c->env, wire->ncols, levels, parent_start, parents, tail_bits, layout, NULL);
	if (c->status == PEGS_ERR_ARGUMENT)
		c->status = PEGS_ERR_FORMAT;
}

static void
walk(cursor *c, pegs_wire *wire)
{
	uint64_t	magic = UINT64_C(0x53474550);	/* "PEGS" */
	uint64_t	version = PEGS_WIRE_VERSION;
	uint64_t	kind = wire->kind;
	uint32_t	flags = 0;
	bool		fitted = wire->kind == PEGS_WIRE_MODEL;
	uint32_t	tail_bits = fitted ? 0 : wire->layout.tail_bits;
	uint32_t   *levels = fitted ? wire->fitted.levels : wire->layout.levels;

	number(c, &magic, 4);
	if (magic != UINT64_C(0x53474550))
		bad(c, PEGS_ERR_FORMAT);
	number(c, &version, 2);
	if (c->status == PEGS_OK && version != PEGS_WIRE_VERSION)
		bad(c, version > PEGS_WIRE_VERSION ? PEGS_ERR_VERSION : PEGS_ERR_FORMAT);
	number(c, &kind, 2);
	wire->kind = (uint32_t) kind;
	u32(c, &flags);
	u32(c, &wire->ncols);
	u32(c, &tail_bits);
	u32(c, &wire->spec_len);
	number(c, &wire->rows, 8);
	if (c->status != PEGS_OK)
		return;
	fitted = kind == PEGS_WIRE_MODEL;
	if (kind < PEGS_PAIRS || kind > PEGS_WIRE_MODEL || flags != 0
		|| tail_bits > (kind == PEGS_CONDITIONAL) || wire->rows > PEGS_MAX_ROWS
		|| wire->ncols < 1 || wire->ncols > PEGS_MAX_COLUMNS)
	{
		bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pad(c);
	u32s(c, &levels, wire->ncols);
	for (uint32_t i = 0; c->status == PEGS_OK && i < wire->ncols; i++)
		if (levels[i] < 1 || levels[i] > PEGS_MAX_LEVELS)
			bad(c, PEGS_ERR_FORMAT);
	if (!fitted)
		walk_layout(c, wire, levels, tail_bits);
	if (!has_bytes(c, wire->spec_len, 1))
		return;
	if (c->pass == WRITE)
		memcpy(c->out + c->at, wire->spec, wire->spec_len);
	else if (c->pass == READ)
		wire->spec = (const char *) c->in + c->at;
	c->at += wire->spec_len;
	pad(c);
	if (fitted)
	{
		if (c->pass == READ)
		{
			wire->fitted.ncols = wire->ncols;
			wire->fitted.levels = levels;
		}
		walk_model(c, &wire->fitted);
	}
	else
		u64s(c, &wire->cells, wire->layout.ncells);
	if (c->pass == READ && c->status == PEGS_OK && c->at != c->length)
		bad(c, PEGS_ERR_FORMAT);
}

size_t
pegs_wire_size(const pegs_wire *wire)
{
	cursor		c = {.pass = SIZE};
	pegs_wire	copy = *wire;

	walk(&c, &copy);
	return c.at + 4;
}

void
pegs_wire_write(const pegs_env *env, const pegs_wire *wire, uint8_t *bytes)
{
	cursor		c = {.pass = WRITE, .env = env, .out = bytes};
	pegs_wire	copy = *wire;
	uint32_t	crc;

	walk(&c, &copy);
	crc = pegs_crc32c(env, bytes, c.at);
	for (int i = 0; i < 4; i++)
		bytes[c.at + i] = (uint8_t) (crc >> (8 * i));
}

/* Do these n cells sum to the number of rows? */
static bool
holds_rows(const pegs_env *env, const pegs_wire *wire, uint64_t first, uint64_t n)
{
	uint64_t	left = wire->rows;

	for (uint64_t i = 0; i < n; i++)
	{
		if (i % STEP == 0)
			env->check(env->context);
		if (wire->cells[first + i] > left)
			return false;
		left -= wire->cells[first + i];
	}
	return left == 0;
}

pegs_status
pegs_wire_read(const pegs_env *env, const uint8_t *bytes, size_t length, pegs_wire *wire)
{
	cursor		c = {.pass = READ, .env = env, .in = bytes};
	uint32_t	crc = 0;

	memset(wire, 0, sizeof(*wire));
	if (length < 4)
		return PEGS_ERR_FORMAT;
	c.length = length - 4;
	for (int i = 0; i < 4; i++)
		crc |= (uint32_t) bytes[c.length + i] << (8 * i);
	/* a later version may end otherwise: look at its number before the CRC */
	if (length >= 8 && memcmp(bytes, "PEGS", 4) == 0 && (bytes[4] | bytes[5] << 8) > PEGS_WIRE_VERSION)
		return PEGS_ERR_VERSION;
	if (crc != pegs_crc32c(env, bytes, c.length))
		return PEGS_ERR_FORMAT;
	walk(&c, wire);
	if (c.status == PEGS_OK && wire->kind != PEGS_WIRE_MODEL)
	{
		/* what every table must hold: the rows, once */
		const pegs_layout *layout = &wire->layout;

		for (uint32_t i = 0; i < wire->ncols; i++)
		{
			if (!holds_rows(env, wire, layout->offset[i],
							layout->levels[i] * (layout->tables == PEGS_CONDITIONAL ? layout->keys[i] : 1)))
				return PEGS_ERR_FORMAT;
			for (uint32_t j = i + 1; layout->tables == PEGS_PAIRS && j < wire->ncols; j++)
				if (!holds_rows(env, wire, layout->pair_offset[i * wire->ncols + j],
								(uint64_t) layout->levels[i] * layout->levels[j]))
					return PEGS_ERR_FORMAT;
		}
	}
	return c.status;
}

static bool
same_layout(const pegs_layout *a, const pegs_layout *b)
{
	if (a->tables != b->tables || a->ncols != b->ncols || a->tail_bits != b->tail_bits
		|| memcmp(a->levels, b->levels, sizeof(uint32_t) * a->ncols) != 0)
		return false;
	return a->tables == PEGS_PAIRS
		|| (memcmp(a->parent_start, b->parent_start, sizeof(uint32_t) * (a->ncols + 1)) == 0
			&& memcmp(a->parents, b->parents, sizeof(uint16_t) * a->parent_start[a->ncols]) == 0);
}

pegs_status
pegs_wire_merge(const pegs_env *env, pegs_wire *into, const pegs_wire *from)
{
	if (into->kind != from->kind || into->kind == PEGS_WIRE_MODEL
		|| !same_layout(&into->layout, &from->layout)
		|| into->spec_len != from->spec_len || memcmp(into->spec, from->spec, into->spec_len) != 0)
		return PEGS_ERR_MISMATCH;
	if (into->rows + from->rows > PEGS_MAX_ROWS)
		return PEGS_ERR_RANGE;
	into->rows += from->rows;
	for (uint64_t i = 0; i < into->layout.ncells; i++)
	{
		if (env && i % STEP == 0)
			env->check(env->context);
		into->cells[i] += from->cells[i];
	}
	return PEGS_OK;
}
