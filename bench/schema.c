/*
 * schema.c
 *	  Several tables of one unit (core/schema): what is lost, and how fast it is.
 *
 *	schema utility SEEDS EPSILON...		accounts with orders, holders, cards, loans, of a known world: for each epsilon
 *										the mean total variation of tables of synthetic rows to the truth, beside that
 *										of units drawn again from the table (resample: no privacy)
 *	schema speed ROOTS					one child table of six columns, about ten rows a root: CPU seconds of counting,
 *										fitting, and of rows with siblings and without; a million numbers sorted, to
 *										compare by; memory; the longest time between two questions whether to stop
 */
#include "core/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLES 5
#define COLUMNS 6
#define LEVELS 64

static pegs_rng rng;

/* ---- memory that goes when it is told to ---- */

typedef struct pool
{
	void	  **block;
	size_t		n;
	size_t		room;
	size_t		bytes;
	size_t		most;
} pool;

static void *
pool_alloc(void *context, size_t bytes)
{
	pool	   *p = context;

	if (p->n == p->room)
		p->block = realloc(p->block, sizeof(void *) * (p->room = p->room ? 2 * p->room : 64));
	p->bytes += bytes;
	if (p->bytes > p->most)
		p->most = p->bytes;
	return p->block[p->n++] = calloc(1, bytes > 0 ? bytes : 1);
}

static double cpu(void);

static double asked;			/* whether to stop: when last */
static double longest;			/* between two questions */

static void
pool_check(void *context)
{
	double		now = cpu();

	(void) context;
	if (now - asked > longest)
		longest = now - asked;
	asked = now;
}

static void
ask_anew(void)
{
	asked = cpu();
	longest = 0;
}

static void
pool_empty(pool *p)
{
	while (p->n > 0)
		free(p->block[--p->n]);
	p->bytes = 0;
}

static pegs_env
pool_env(pool *p)
{
	return (pegs_env) {.alloc = pool_alloc, .check = pool_check, .context = p};
}

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- tables ---- */

typedef struct rows
{
	uint32_t	n;
	uint32_t	room;
	uint32_t   *parent;
	uint16_t   *codes;			/* [n][COLUMNS] */
	uint32_t   *number;			/* [rows of the parent table + 1] first row of each parent */
} rows;

typedef struct database
{
	const pegs_relations *r;
	rows		table[TABLES];
} database;

static uint32_t
put(database *d, uint32_t table, uint32_t parent, const uint16_t *codes)
{
	rows	   *t = &d->table[table];

	if (t->n == t->room)
	{
		t->room = t->room ? 2 * t->room : 1024;
		t->parent = realloc(t->parent, sizeof(uint32_t) * t->room);
		t->codes = realloc(t->codes, sizeof(uint16_t) * COLUMNS * t->room);
	}
	t->parent[t->n] = parent;
	memcpy(t->codes + (size_t) t->n * COLUMNS, codes, sizeof(uint16_t) * COLUMNS);
	return t->n++;
}

/* Rows stand by parent: where each parent's begin. */
static void
find_numbers(database *d)
{
	for (uint32_t t = 1; t < d->r->ntables; t++)
	{
		uint32_t	parents = d->table[d->r->table[t].parent].n;
		uint32_t   *first = d->table[t].number = calloc(parents + 2, sizeof(uint32_t));

		for (uint32_t i = 0; i < d->table[t].n; i++)
			first[d->table[t].parent[i] + 1]++;
		for (uint32_t p = 0; p < parents; p++)
			first[p + 1] += first[p];
	}
}

static void
forget(database *d)
{
	for (uint32_t t = 0; t < d->r->ntables; t++)
	{
		free(d->table[t].parent);
		free(d->table[t].codes);
		free(d->table[t].number);
		d->table[t] = (rows) {0};
	}
}

static uint32_t
below(uint32_t n)
{
	return (uint32_t) pegs_rng_below(&rng, n);
}

static uint16_t
near(uint32_t at, uint32_t levels, uint32_t noise)
{
	return (uint16_t) (below(100) < noise ? below(levels) : at % levels);
}

/* Accounts: orders 0-5, holders 1-2 of whom one is the owner, cards of owners, loans. */
static void
make_bank(database *d, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint16_t	root[COLUMNS] = {(uint16_t) (below(10) < 8 ? 0 : 1 + below(2)), (uint16_t) below(8), (uint16_t) below(5)};
		uint32_t	a = put(d, 0, 0, root);
		uint32_t	orders = below(100) < 20 ? 0 : 1 + below(root[0] + 2) + below(2);
		uint32_t	holders = below(100) < 19u + 4u * root[2] ? 2 : 1;
		uint32_t	sex = below(2);
		uint32_t	age = below(6);
		uint32_t	what = below(4);
		bool		loan = below(100) < 10u + 3u * root[2];

		for (uint32_t o = 0; o < orders && o < 5; o++)
		{
			uint16_t	code[COLUMNS] = {near(what + o, 4, 20), near(2 * what + root[0] + below(3), 8, 10), near(root[1], 6, 60)};

			(void) put(d, 1, a, code);
		}
		for (uint32_t h = 0; h < holders; h++)
		{
			uint16_t	code[COLUMNS] = {(uint16_t) h, (uint16_t) ((sex + h) % 2), near(age, 6, 40)};
			uint32_t	at = put(d, 2, a, code);

			if (h == 0 && below(100) < 25)
			{
				uint16_t	card[COLUMNS] = {(uint16_t) (code[2] < 2 ? 0 : 1 + below(2)), (uint16_t) below(4)};

				(void) put(d, 3, at, card);
			}
		}
		if (loan)
		{
			uint16_t	code[COLUMNS] = {near(root[2], 4, 50), (uint16_t) below(5), near(root[1] / 2 + root[0], 5, 30)};

			(void) put(d, 4, a, code);
		}
	}
	find_numbers(d);
}

static pegs_status
bank(const pegs_env *env, pegs_relations *r)
{
	static uint32_t one[2] = {0, 1};
	static uint32_t two[3] = {0, 1, 2};
	static uint32_t five[6] = {0, 1, 2, 3, 4, 5};
	pegs_relation table[TABLES] = {
		{.parent = -1, .ncols = 3, .levels = (uint32_t[]) {3, 8, 5}},
		{.parent = 0, .ncols = 3, .levels = (uint32_t[]) {4, 8, 6}, .nclasses = 6, .first = five, .most = 5},
		{.parent = 0, .ncols = 3, .levels = (uint32_t[]) {2, 2, 6}, .nclasses = 3, .first = two, .most = 2},
		{.parent = 2, .ncols = 2, .levels = (uint32_t[]) {3, 4}, .nclasses = 2, .first = one, .most = 1},
		{.parent = 0, .ncols = 3, .levels = (uint32_t[]) {4, 5, 5}, .nclasses = 2, .first = one, .most = 1}};

	return pegs_relations_init(env, TABLES, table, r);
}

/* As many units as there are, drawn again. */
static void
resample(const database *d, database *to)
{
	for (uint32_t i = 0; i < d->table[0].n; i++)
	{
		uint32_t	at[TABLES][2] = {{below(d->table[0].n)}};
		uint32_t   *made[TABLES] = {0};

		made[0] = malloc(sizeof(uint32_t));
		made[0][0] = put(to, 0, 0, d->table[0].codes + (size_t) at[0][0] * COLUMNS);
		at[0][1] = at[0][0] + 1;
		for (uint32_t t = 1; t < d->r->ntables; t++)
		{
			uint32_t	up = (uint32_t) d->r->table[t].parent;

			at[t][0] = d->table[t].number[at[up][0]];
			at[t][1] = d->table[t].number[at[up][1]];
			made[t] = malloc(sizeof(uint32_t) * (at[t][1] - at[t][0] + 1));
			for (uint32_t k = at[t][0]; k < at[t][1]; k++)
				made[t][k - at[t][0]] = put(to, t, made[up][d->table[t].parent[k] - at[up][0]], d->table[t].codes + (size_t) k * COLUMNS);
		}
		for (uint32_t t = 0; t < d->r->ntables; t++)
			free(made[t]);
	}
	find_numbers(to);
}

/* ---- the core ---- */

static void
count(const pegs_env *env, const database *d, pegs_tally *tally)
{
	pegs_paths *paths = pegs_paths_new(env, d->r);
	uint32_t   *number[TABLES];
	double		cells;

	for (uint32_t t = 0; t < d->r->ntables; t++)
		number[t] = calloc(d->table[t].n + 1, sizeof(uint32_t));
	if (pegs_tally_init(env, d->r, tally, &cells) != PEGS_OK)
		exit(3);
	for (uint32_t i = 0; i < d->table[0].n; i++)
	{
		uint32_t	at[TABLES][2] = {{i, i + 1}};

		pegs_paths_begin(paths, d->table[0].codes + (size_t) i * COLUMNS, i);
		for (uint32_t t = 1; t < d->r->ntables; t++)
		{
			uint32_t	up = (uint32_t) d->r->table[t].parent;

			at[t][0] = d->table[t].number[at[up][0]];
			at[t][1] = d->table[t].number[at[up][1]];
			for (uint32_t k = at[t][0]; k < at[t][1]; k++)
				number[t][k] = pegs_paths_add(paths, t, up == 0 ? 0 : number[up][d->table[t].parent[k]], d->table[t].codes + (size_t) k * COLUMNS, k);
		}
		pegs_tally_unit(tally, paths);
	}
	pegs_tally_end(tally);
	for (uint32_t t = 0; t < d->r->ntables; t++)
		free(number[t]);
}

static void
fit(const pegs_env *env, const pegs_tally *tally, double epsilon, bool siblings, pegs_fitted *model)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, llround(epsilon * 1e9), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(env, &rng, &accountant, tally->relations, tally, siblings, model);
}

/* Blocks one after the other; to NULL: only made. Gives rows of all tables. */
static uint64_t
draw(const pegs_env *env, pool *batch, const pegs_relations *r, const pegs_fitted *model, uint64_t n, database *to)
{
	uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) below(256), (uint8_t) below(256)};
	pegs_env	of_batch = pool_env(batch);
	uint64_t	sum = 0;
	pegs_blocks *blocks;
	pegs_rng	own;

	pegs_rng_init(&own, key, 0);
	if (pegs_blocks_open(env, r, model, n, NULL, &blocks) != PEGS_OK)
		exit(4);
	for (uint64_t b = 0; b < pegs_blocks_number(blocks); b++)
	{
		uint32_t	before[TABLES];
		pegs_block	block;

		pegs_blocks_make(blocks, &of_batch, &own, 0, b, &block);
		for (uint32_t t = 0; t < r->ntables; t++)
		{
			sum += block.table[t].n;
			before[t] = to ? to->table[t].n : 0;
			for (uint32_t i = 0; to && i < block.table[t].n; i++)
			{
				uint16_t	code[COLUMNS] = {0};

				for (uint32_t c = 0; c < r->table[t].ncols; c++)
					code[c] = block.table[t].codes[c][i];
				(void) put(to, t, t == 0 ? 0 : before[r->table[t].parent] + block.table[t].parent[i], code);
			}
		}
		pool_empty(batch);
	}
	if (to)
		find_numbers(to);
	return sum;
}

/* ---- measures ---- */

typedef enum measure
{
	ROOT_PAIRS, COUNT, CHILD1, CHILD2, CROSS, BELOW, COUNT_CHILD, BRANCH, SIBLINGS, MEASURES
} measure;

static const char *const name[MEASURES] = {"root pairs", "count", "child 1", "child 2", "cross", "below", "count x child", "branch", "siblings"};

typedef struct table
{
	double		cell[LEVELS][LEVELS];
	double		sum;
} table;

static void
hit(table *t, uint32_t x, uint32_t y, double weight)
{
	t->cell[x][y] += weight;
	t->sum += weight;
}

static double
distance(const table *a, const table *b)
{
	double		sum = 0;

	for (int x = 0; x < LEVELS; x++)
		for (int y = 0; y < LEVELS; y++)
			sum += fabs(a->cell[x][y] / fmax(a->sum, 1e-9) - b->cell[x][y] / fmax(b->sum, 1e-9)) / 2;
	return sum;
}

static uint16_t
code(const database *d, uint32_t t, uint32_t row, uint32_t column)
{
	return d->table[t].codes[(size_t) row * COLUMNS + column];
}

/* One table of a measure; false: there is no such one. */
static bool
fill(const database *d, measure m, uint32_t t, uint32_t u, uint32_t a, uint32_t b, table *out)
{
	const pegs_relations *r = d->r;
	uint32_t	up = t > 0 ? (uint32_t) r->table[t].parent : 0;
	const uint32_t *first = d->table[t].number;
	bool		one = m == COUNT || m == CHILD1 || m == COUNT_CHILD;
	uint32_t	of_a = m == CROSS || m == BELOW ? up : t;
	uint32_t	of_b = m == BRANCH ? u : t;

	memset(out, 0, sizeof(*out));
	if ((m == ROOT_PAIRS) != (t == 0) || (m != BRANCH && u > 0) || (one && b > 0) || (m == COUNT && a > 0)
		|| (m == CROSS && up != 0) || (m == BELOW && up == 0) || (m == BRANCH && (u <= t || up != 0 || r->table[u].parent != 0))
		|| a >= r->table[of_a].ncols || (!one && b >= r->table[of_b].ncols) || ((m == ROOT_PAIRS || m == CHILD2) && a >= b)
		|| (m == SIBLINGS && (a != b || r->table[t].most < 2)))
		return false;
	if (m == ROOT_PAIRS || m == CHILD1 || m == CHILD2)
		for (uint32_t i = 0; i < d->table[t].n; i++)
			hit(out, code(d, t, i, a), m == CHILD1 ? 0 : code(d, t, i, b), 1);
	else
		for (uint32_t p = 0; p < d->table[up].n; p++)
		{
			double		n = first[p + 1] - first[p];

			if (m == COUNT)
				hit(out, (uint32_t) n, 0, 1);
			for (uint32_t i = first[p]; m != COUNT && i < first[p + 1]; i++)
			{
				if (m == COUNT_CHILD)
					hit(out, (uint32_t) n, code(d, t, i, a), 1);
				if (m == CROSS || m == BELOW)
					hit(out, code(d, up, p, a), code(d, t, i, b), 1);
				for (uint32_t j = d->table[of_b].number[p]; m == BRANCH && j < d->table[u].number[p + 1]; j++)
					hit(out, code(d, t, i, a), code(d, u, j, b), 1 / (n * (d->table[u].number[p + 1] - d->table[u].number[p])));
				for (uint32_t j = first[p]; m == SIBLINGS && j < first[p + 1]; j++)
					if (i != j)
						hit(out, code(d, t, i, a), code(d, t, j, b), 1 / (n * (n - 1)));
			}
		}
	return true;
}

static void
measure_all(const database *a, const database *b, double *out)
{
	static table one;
	static table two;

	for (int m = 0; m < MEASURES; m++)
	{
		double		sum = 0;
		int			n = 0;

		for (uint32_t t = 0; t < a->r->ntables; t++)
			for (uint32_t u = 0; u < a->r->ntables; u++)
				for (uint32_t x = 0; x < COLUMNS; x++)
					for (uint32_t y = 0; y < COLUMNS; y++)
						if (fill(a, (measure) m, t, u, x, y, &one) && fill(b, (measure) m, t, u, x, y, &two))
						{
							sum += distance(&one, &two);
							n++;
						}
		out[m] += sum / n;
	}
}

/* How often two holders of one account are both owners, or neither. */
static double
two_owners(const database *d)
{
	static table t;

	(void) fill(d, SIBLINGS, 2, 0, 0, 0, &t);
	return (t.cell[0][0] + t.cell[1][1]) / fmax(t.sum, 1e-9);
}

static void
utility(int seeds, int n, char **epsilon)
{
	for (int e = -1; e < n; e++)
		for (int siblings = 0; siblings < (e < 0 ? 1 : 2); siblings++)
		{
			double		sum[MEASURES] = {0};
			double		owners = 0;

			for (int s = 0; s < seeds; s++)
			{
				uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) s, 18};
				pool		kept = {0};
				pool		batch = {0};
				pegs_env	env = pool_env(&kept);
				pegs_relations r;
				database	truth = {.r = &r};
				database	rows = {.r = &r};

				pegs_rng_init(&rng, key, 0);
				if (bank(&env, &r) != PEGS_OK)
					exit(5);
				make_bank(&truth, 4500);
				if (e < 0)
					resample(&truth, &rows);
				else
				{
					pegs_tally	tally;
					pegs_fitted model;

					count(&env, &truth, &tally);
					fit(&env, &tally, atof(epsilon[e]), siblings, &model);
					(void) draw(&env, &batch, &r, &model, (uint64_t) llround(model.rows), &rows);
				}
				measure_all(&truth, &rows, sum);
				owners += two_owners(&rows);
				forget(&truth);
				forget(&rows);
				pool_empty(&kept);
			}
			if (e < 0)
				printf("%-9s %-9s", "epsilon", "");
			for (int m = 0; e < 0 && m < MEASURES; m++)
				printf(" %13s", name[m]);
			printf(e < 0 ? " two owners\n%-9s %-9s" : "%-9s %-9s", e < 0 ? "resample" : epsilon[e], e < 0 ? "" : siblings ? "siblings" : "without");
			for (int m = 0; m < MEASURES; m++)
				printf(" %13.4f", sum[m] / seeds);
			printf(" %10.3f\n", owners / seeds);
		}
}

/* ---- speed ---- */

static int
by_size(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

static double
sort_seconds(void)
{
	uint64_t   *number = malloc(sizeof(uint64_t) * 1000000);
	double		begun;

	for (int i = 0; i < 1000000; i++)
		number[i] = pegs_rng_u64(&rng);
	begun = cpu();
	qsort(number, 1000000, sizeof(uint64_t), by_size);
	begun = cpu() - begun;
	free(number);
	return begun;
}

static void
speed(uint32_t roots)
{
	static uint32_t first[] = {0, 1, 2, 3, 5, 8, 13};
	uint32_t	levels[6] = {10, 5, 8, 2, 6, 4};
	pegs_relation table[2] = {{.parent = -1, .ncols = 6, .levels = levels},
		{.parent = 0, .ncols = 6, .levels = levels, .nclasses = 7, .first = first, .most = 19}};
	uint8_t		key[PEGS_KEY_BYTES] = {1};
	pool		kept = {0};
	pool		batch = {0};
	pegs_env	env = pool_env(&kept);
	pegs_relations r;
	database	d = {.r = &r};
	pegs_tally	tally;
	double		sort;

	pegs_rng_init(&rng, key, 0);
	if (pegs_relations_init(&env, 2, table, &r) != PEGS_OK)
		exit(5);
	for (uint32_t i = 0; i < roots; i++)
	{
		uint16_t	code[COLUMNS];
		uint32_t	a;
		uint32_t	n = below(20);
		uint32_t	what = below(10);

		for (int c = 0; c < COLUMNS; c++)
			code[c] = near(i * 7 + c, levels[c], 50);
		a = put(&d, 0, 0, code);
		for (uint32_t k = 0; k < n; k++)
		{
			uint16_t	child[COLUMNS];

			for (int c = 0; c < COLUMNS; c++)
				child[c] = near(c < 2 ? what : code[c] + n / 5, levels[c], 40);
			(void) put(&d, 1, a, child);
		}
	}
	find_numbers(&d);
	sort = sort_seconds();
	printf("a million numbers sorted %.3f s\n", sort);
	for (int siblings = 0; siblings < 2; siblings++)
	{
		pegs_fitted model;
		double		t0 = cpu();
		double		t1;
		double		t2;
		double		t3;
		double		gap[2];
		size_t		before = kept.bytes;
		uint64_t	n;

		ask_anew();
		count(&env, &d, &tally);
		t1 = cpu();
		fit(&env, &tally, 1, siblings, &model);
		t2 = cpu();
		gap[0] = longest;
		ask_anew();
		n = draw(&env, &batch, &r, &model, roots, NULL);
		t3 = cpu();
		gap[1] = longest;
		printf("%s: %u roots, %u children: counted %.2f s, fitted %.2f s (%u sibling tables), %lu rows %.2f s: %.0f rows/s; "
			   "in sorts: %.1f, %.1f, %.1f a million rows; a fit takes %.0f MB, a block %.0f MB; "
			   "asked whether to stop each %.0f ms of a fit, each %.0f ms of rows\n", siblings ? "siblings" : "without", roots, d.table[1].n,
			   t1 - t0, t2 - t1, model.nsiblings, (unsigned long) n, t3 - t2, (double) n / (t3 - t2), (t1 - t0) / sort, (t2 - t1) / sort,
			   (t3 - t2) / sort * 1e6 / (double) n, (double) (kept.bytes - before) / 1048576, (double) batch.most / 1048576, 1000 * gap[0], 1000 * gap[1]);
	}
	forget(&d);
	pool_empty(&kept);
}

int
main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "utility") == 0)
		utility(atoi(argv[2]), argc - 3, argv + 3);
	else if (argc == 3 && strcmp(argv[1], "speed") == 0)
		speed((uint32_t) atoi(argv[2]));
	else
		return 2;
	return 0;
}
