/*
 * paths.c
 *	  From the coded rows of one unit to its path rows.
 *
 * There are PEGS_PATHS of them, of a unit of one row and of one of a million,
 * and they are a function of the unit's rows alone: the order in which rows
 * come says nothing, nor does any other unit. Claim P35. Which rows of a parent
 * are met is what their hashes say, seeded with the root's row, so that no
 * level comes first in all units.
 *
 * Memory: PEGS_PATHS rows of each parent that is kept, which tables below each
 * other multiply; PEGS_MOST_KEPT in all.
 */
#include "core/schema/schema.h"

#include <string.h>

/* Rows of one table that hang on one row. */
typedef struct brood
{
	uint64_t	number;			/* all of them */
	uint32_t	kept;
	uint32_t	room;
	uint32_t	last;			/* place of the one that comes last, once PEGS_PATHS are kept */
	uint32_t   *row;			/* [kept] numbers */
} brood;

typedef struct row
{
	uint64_t	hash;
	uint64_t	below;			/* of what hangs on it, whatever the order */
} row;

typedef struct rows
{
	uint32_t	n;
	uint32_t	room;
	row		   *row;
	uint16_t   *codes;			/* [room][ncols] */
	brood	   *brood;			/* [room][child tables] */
	uint32_t	nchildren;		/* tables whose rows hang on its */
} rows;

struct pegs_paths
{
	const pegs_env *env;
	const pegs_relations *relations;
	rows	   *table;			/* [ntables] */
	uint32_t   *place;			/* [ntables] among the child tables of its parent */
	uint32_t	kept;			/* rows of this unit, of all tables */
	uint64_t	seed;			/* of the root's row */
	uint64_t	sum;			/* of all rows' hashes */
	bool		sorted;
	uint32_t   *at;				/* [ntables] row of a path row, or PEGS_NOT_KEPT */
	uint32_t   *other;			/* [ntables] another of its parent's */
};

/* Odd numbers, one a table: positions of two tables form a lattice. */
static const uint32_t STEP[8] = {1, 29, 35, 9, 39, 49, 11, 51};

/* All bits of a number depend on all of another's: any bijection that does so will do. */
static uint64_t
mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

static uint64_t
hash_row(uint64_t seed, uint32_t table, uint32_t n, const uint16_t *codes, uint64_t tie)
{
	uint64_t	h = mix(seed + table + 1);

	for (uint32_t i = 0; i < n; i++)
		h = mix(h * 3 + codes[i] + 1);
	return mix(h ^ mix(tie + 1));
}

pegs_paths *
pegs_paths_new(const pegs_env *env, const pegs_relations *relations)
{
	pegs_paths *p = env->alloc(env->context, sizeof(pegs_paths));

	p->env = env;
	p->relations = relations;
	p->table = env->alloc(env->context, sizeof(rows) * relations->ntables);
	p->place = env->alloc(env->context, sizeof(uint32_t) * relations->ntables);
	for (uint32_t t = 1; t < relations->ntables; t++)
		p->place[t] = p->table[relations->table[t].parent].nchildren++;
	p->at = env->alloc(env->context, sizeof(uint32_t) * relations->ntables);
	p->other = env->alloc(env->context, sizeof(uint32_t) * relations->ntables);
	return p;
}

static void *
grow(const pegs_env *env, void *old, size_t had, size_t want)
{
	void	   *new = env->alloc(env->context, want);

	if (had > 0)
		memcpy(new, old, had);
	if (old)
		pegs_env_free(env, old);
	return new;
}

/* A place for a row that is new. What broods have allocated stays with them. */
static uint32_t
new_row(pegs_paths *p, uint32_t table)
{
	rows	   *t = &p->table[table];
	uint32_t	m = p->relations->table[table].ncols;
	size_t		size = sizeof(brood) * t->nchildren;

	if (t->n == t->room)
	{
		uint32_t	room = t->room > 0 ? 2 * t->room : 1;

		t->row = grow(p->env, t->row, sizeof(row) * t->room, sizeof(row) * room);
		t->codes = grow(p->env, t->codes, sizeof(uint16_t) * t->room * m, sizeof(uint16_t) * room * m + 1);
		t->brood = grow(p->env, t->brood, size * t->room, size * room + 1);
		t->room = room;
	}
	p->kept++;
	return t->n++;
}

static brood *
brood_of(const pegs_paths *p, uint32_t parent_table, uint32_t parent, uint32_t table)
{
	return &p->table[parent_table].brood[(size_t) parent * p->table[parent_table].nchildren + p->place[table]];
}

static void
put_row(pegs_paths *p, uint32_t table, uint32_t number, const uint16_t *codes, uint64_t hash)
{
	rows	   *t = &p->table[table];
	uint32_t	m = p->relations->table[table].ncols;

	t->row[number] = (row) {.hash = hash};
	if (m > 0)
		memcpy(t->codes + (size_t) number * m, codes, sizeof(uint16_t) * m);
	for (uint32_t k = 0; k < t->nchildren; k++)
	{
		brood	   *b = &t->brood[(size_t) number * t->nchildren + k];

		b->number = b->kept = 0;
	}
}

void
pegs_paths_begin(pegs_paths *p, const uint16_t *codes, uint64_t tie)
{
	for (uint32_t t = 0; t < p->relations->ntables; t++)
		p->table[t].n = 0;
	p->kept = 0;
	p->seed = hash_row(0, 0, p->relations->table[0].ncols, codes, tie);
	p->sum = p->seed;
	p->sorted = false;
	put_row(p, 0, new_row(p, 0), codes, p->seed);
}

/*
 * Does a row come before another of its table? Rows of one hash and the same codes have the same tie: the hash is a bijection
 * of it. Once all rows are there, those that agree in what hangs on them, too, are one as another.
 */
static bool
before(const pegs_paths *p, uint32_t table, const row *a, const uint16_t *a_codes, const row *b, const uint16_t *b_codes)
{
	if (a->hash != b->hash)
		return a->hash < b->hash;
	for (uint32_t i = 0; i < p->relations->table[table].ncols; i++)
		if (a_codes[i] != b_codes[i])
			return a_codes[i] < b_codes[i];
	return a->below < b->below;
}

static bool
row_before(const pegs_paths *p, uint32_t table, uint32_t a, uint32_t b)
{
	const rows *t = &p->table[table];
	uint32_t	m = p->relations->table[table].ncols;

	return before(p, table, &t->row[a], t->codes + (size_t) a * m, &t->row[b], t->codes + (size_t) b * m);
}

static void
find_last(const pegs_paths *p, uint32_t table, brood *b)
{
	b->last = 0;
	for (uint32_t i = 1; i < b->kept; i++)
		if (row_before(p, table, b->row[b->last], b->row[i]))
			b->last = i;
}

uint32_t
pegs_paths_add(pegs_paths *p, uint32_t table, uint32_t parent, const uint16_t *codes, uint64_t tie)
{
	uint32_t	m = p->relations->table[table].ncols;
	brood	   *b = brood_of(p, (uint32_t) p->relations->table[table].parent, parent, table);
	row			new = {.hash = hash_row(p->seed, table, m, codes, tie)};
	uint32_t	number;

	p->sum += new.hash;
	b->number++;
	if (b->kept == PEGS_PATHS)
	{
		number = b->row[b->last];
		if (!before(p, table, &new, codes, &p->table[table].row[number], p->table[table].codes + (size_t) number * m))
			return PEGS_NOT_KEPT;
		put_row(p, table, number, codes, new.hash);
		find_last(p, table, b);
		return number;
	}
	if (p->kept == PEGS_MOST_KEPT)
		return PEGS_TOO_MANY;
	if (b->kept == b->room)
	{
		uint32_t	room = b->room > 0 ? 2 * b->room : 2;

		b->row = grow(p->env, b->row, sizeof(uint32_t) * b->room, sizeof(uint32_t) * room);
		b->room = room;
	}
	number = new_row(p, table);
	put_row(p, table, number, codes, new.hash);
	b->row[b->kept++] = number;
	if (b->kept == PEGS_PATHS)
		find_last(p, table, b);
	return number;
}

/* All rows are there: what hangs on each of them, from the leaves up, and their order. */
static void
sort(pegs_paths *p)
{
	const pegs_relations *r = p->relations;

	for (uint32_t table = r->ntables; table-- > 1;)
	{
		uint32_t	up = (uint32_t) r->table[table].parent;

		for (uint32_t parent = 0; parent < p->table[up].n; parent++)
		{
			brood	   *b = brood_of(p, up, parent, table);

			for (uint32_t i = 0; i < b->kept; i++)
			{
				uint32_t	number = b->row[i];
				uint32_t	at = i;

				p->table[up].row[parent].below += mix(p->table[table].row[number].hash + mix(p->table[table].row[number].below));
				for (; at > 0 && row_before(p, table, number, b->row[at - 1]); at--)
					b->row[at] = b->row[at - 1];
				b->row[at] = number;
			}
			p->table[up].row[parent].below += mix(b->number + table);
		}
	}
	p->sorted = true;
}

/* Position j of the lattice: floor(n x), x in the middle of one of PEGS_PATHS equal parts. */
static uint32_t
place(const pegs_paths *p, uint32_t j, uint32_t step, uint32_t table, uint32_t n)
{
	uint64_t	x = ((uint64_t) j * step + mix(p->sum + table)) % PEGS_PATHS;

	return (uint32_t) (n * (2 * x + 1) / (2 * PEGS_PATHS));
}

/* Whose rows path row j has. */
static void
choose(pegs_paths *p, uint32_t j)
{
	const pegs_relations *r = p->relations;

	p->at[0] = 0;
	p->other[0] = PEGS_NOT_KEPT;
	for (uint32_t t = 1; t < r->ntables; t++)
	{
		uint32_t	up = (uint32_t) r->table[t].parent;
		const brood *b;
		uint32_t	one;
		uint32_t	two;

		p->at[t] = p->other[t] = PEGS_NOT_KEPT;
		if (p->at[up] == PEGS_NOT_KEPT)
			continue;
		b = brood_of(p, up, p->at[up], t);
		if (b->kept == 0)
			continue;
		one = place(p, j, STEP[(t - 1) % 8], t, b->kept);
		p->at[t] = b->row[one];
		if (b->kept == 1)
			continue;
		two = place(p, j, STEP[(t + 3) % 8], t + r->ntables, b->kept - 1);
		p->other[t] = b->row[two + (two >= one)];
	}
}

static uint16_t
code(const pegs_paths *p, const pegs_path_column *c, const uint32_t *at)
{
	uint32_t	number = at[c->table];

	if (number == PEGS_NOT_KEPT)
		return (uint16_t) (c->absent >= 0 ? c->absent : 0);
	if (c->own >= 0)
		return p->table[c->table].codes[(size_t) number * p->relations->table[c->table].ncols + (uint32_t) c->own];
	return (uint16_t) pegs_class_of_number(&p->relations->table[c->counts], brood_of(p, c->table, number, c->counts)->number);
}

void
pegs_paths_rows(pegs_paths *p, uint16_t *const *codes, uint16_t *const *second)
{
	const pegs_relations *r = p->relations;

	if (!p->sorted)
		sort(p);
	for (uint32_t j = 0; j < PEGS_PATHS; j++)
	{
		choose(p, j);
		for (uint32_t i = 0; i < r->ncols; i++)
		{
			codes[i][j] = code(p, &r->column[i], p->at);
			if (second && r->column[i].own >= 0)
				second[i][j] = code(p, &r->column[i], p->other);
		}
	}
}
