/*
 * generalize.c
 *	  Generalisation: the exact optimum and Mondrian, how good and how fast.
 *
 * Usage: generalize made ROWS [FILE], or generalize arx DIRECTORY [FILE]: for each k and share that may be suppressed a line "global k
 * suppress loss suppressed steps looked-at CPU", then "local k loss classes CPU"; before them "rows tuples nodes CPU", of joining equal
 * rows. CPU in seconds. FILE: the same table for other programs: rows and keys; for each key its name, levels and steps, then the group of each level at
 * each step; then the rows. The directory has adult.csv and adult_hierarchy_*.csv as the ARX project has them.
 */
#include "memory.h"

#include "core/compare/boxes.h"
#include "core/compare/lattice.h"
#include "core/compare/mondrian.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define KEYS 9
#define MOST_STEPS 8
#define MOST_LEVELS 256
#define LINE 4096

static const char *const name[KEYS] = {"sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"};

static block *list;
static pegs_env env = {.context = &list, .alloc = alloc, .check = check};
static uint32_t levels[KEYS];
static pegs_key key[KEYS];
static pegs_key_step step[KEYS][MOST_STEPS];
static uint16_t group[KEYS][MOST_STEPS][MOST_LEVELS];
static uint32_t size[KEYS][MOST_STEPS][MOST_LEVELS];
static uint16_t *code[KEYS];
static pegs_coded table = {.ncols = KEYS, .levels = levels, .code = code};

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void
end_key(uint32_t j, uint32_t nsteps, bool ranged)
{
	for (uint32_t s = 0; s < nsteps; s++)
	{
		uint32_t	ngroups = 0;

		for (uint32_t v = 0; v < levels[j]; v++)
		{
			ngroups = group[j][s][v] + 1u > ngroups ? group[j][s][v] + 1u : ngroups;
			size[j][s][group[j][s][v]]++;
		}
		step[j][s] = (pegs_key_step) {ngroups, group[j][s], size[j][s]};
	}
	key[j] = (pegs_key) {.levels = levels[j], .nsteps = nsteps, .step = step[j], .last = nsteps - 1, .weight = 1, .ranged = ranged};
}

/* ---- made: levels and steps as Adult has them; columns that hang together; few combinations are frequent */

static void
make(uint64_t rows)
{
	static const uint32_t of[KEYS] = {2, 72, 5, 7, 16, 41, 8, 14, 2};
	static const uint32_t steps[KEYS][MOST_STEPS] = {{2, 1}, {72, 15, 8, 4, 1}, {5, 1}, {7, 3, 1}, {16, 6, 3, 1}, {41, 4, 1}, {8, 3, 1}, {14, 3, 1}, {2, 1}};
	uint64_t	state = UINT64_C(0x9e3779b97f4a7c15);

	table.nrows = rows;
	for (uint32_t j = 0; j < KEYS; j++)
	{
		uint32_t	nsteps = 0;

		levels[j] = of[j];
		for (; nsteps < MOST_STEPS && steps[j][nsteps] > 0; nsteps++)
			for (uint32_t v = 0; v < levels[j]; v++)
				group[j][nsteps][v] = (uint16_t) ((nsteps > 0 ? group[j][nsteps - 1][v] : v) * steps[j][nsteps] / (nsteps > 0 ? steps[j][nsteps - 1] : levels[j]));
		end_key(j, nsteps, j == 1);
		code[j] = calloc(rows, sizeof(uint16_t));
	}
	for (uint64_t i = 0; i < rows; i++)
	{
		double		latent = 0;

		for (uint32_t j = 0; j < KEYS; j++)
		{
			double		u;

			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			u = (double) (state >> 11) / 9007199254740992.0;
			if (j == 0)
				latent = u;
			u = j == 1 ? u * u * (0.4 + 0.6 * latent) : pow(u, j == 0 ? 2 : 12) * (0.5 + 0.5 * latent);
			code[j][i] = (uint16_t) (u * levels[j]);
		}
	}
}

/* ---- ARX's files */

static char labels[KEYS][MOST_STEPS][MOST_LEVELS][64];

static void
bad(const char *what, const char *where)
{
	fprintf(stderr, "%s: %s\n", where, what);
	exit(1);
}

/* The next part of a line; the line's end is cut. */
static char *
part(char **rest)
{
	char	   *from = strsep(rest, ";");

	if (from)
		from[strcspn(from, "\r\n")] = '\0';
	return from;
}

static void
read_hierarchy(const char *directory, uint32_t j)
{
	char		path[LINE];
	char		line[LINE];
	uint32_t	nsteps = 0;
	FILE	   *in;

	snprintf(path, sizeof(path), "%s/adult_hierarchy_%s.csv", directory, name[j]);
	in = fopen(path, "r");
	if (in == NULL)
		bad("cannot be read", path);
	levels[j] = 0;
	while (fgets(line, sizeof(line), in))
	{
		char	   *rest = line;
		uint32_t	s = 0;
		char	   *label;

		if (levels[j] == MOST_LEVELS)
			bad("too many levels", path);
		for (; (label = part(&rest)) != NULL && s < MOST_STEPS; s++)
		{
			uint32_t	v = 0;
			uint16_t	next = 0;

			snprintf(labels[j][s][levels[j]], sizeof(labels[j][s][0]), "%s", label);
			for (; v < levels[j] && strcmp(labels[j][s][v], labels[j][s][levels[j]]) != 0; v++)
				next = group[j][s][v] >= next ? (uint16_t) (group[j][s][v] + 1) : next;
			group[j][s][levels[j]] = v < levels[j] ? group[j][s][v] : next;
		}
		nsteps = s;
		levels[j]++;
	}
	fclose(in);
	end_key(j, nsteps, strcmp(name[j], "age") == 0);
}

static void
read_arx(const char *directory)
{
	char		path[LINE];
	char		line[LINE];
	int			column[KEYS];
	char	   *rest = line;
	char	   *head;
	FILE	   *in;

	for (uint32_t j = 0; j < KEYS; j++)
	{
		read_hierarchy(directory, j);
		code[j] = calloc(100000, sizeof(uint16_t));
		column[j] = -1;
	}
	snprintf(path, sizeof(path), "%s/adult.csv", directory);
	in = fopen(path, "r");
	if (in == NULL || fgets(line, sizeof(line), in) == NULL)
		bad("cannot be read", path);
	for (int c = 0; (head = part(&rest)) != NULL; c++)
		for (uint32_t j = 0; j < KEYS; j++)
			if (strcmp(head, name[j]) == 0)
				column[j] = c;
	while (fgets(line, sizeof(line), in) && table.nrows < 100000)
	{
		char	   *value;

		rest = line;
		for (int c = 0; (value = part(&rest)) != NULL; c++)
			for (uint32_t j = 0; j < KEYS; j++)
				if (column[j] == c)
				{
					uint32_t	v = 0;

					while (v < levels[j] && strcmp(labels[j][0][v], value) != 0)
						v++;
					if (v == levels[j])
						bad("a value that is in no hierarchy", path);
					code[j][table.nrows] = (uint16_t) v;
				}
		table.nrows++;
	}
	fclose(in);
}

/* ---- for others */

static void
write_table(const char *path)
{
	FILE	   *out = fopen(path, "w");

	if (out == NULL)
		bad("cannot be written", path);
	fprintf(out, "%llu %d\n", (unsigned long long) table.nrows, KEYS);
	for (uint32_t j = 0; j < KEYS; j++)
	{
		fprintf(out, "%s %u %u\n", name[j], levels[j], key[j].nsteps);
		for (uint32_t s = 0; s < key[j].nsteps; s++)
			for (uint32_t v = 0; v < levels[j]; v++)
				fprintf(out, "%u%c", group[j][s][v], v + 1 < levels[j] ? ' ' : '\n');
	}
	for (uint64_t i = 0; i < table.nrows; i++)
		for (uint32_t j = 0; j < KEYS; j++)
			fprintf(out, "%u%c", code[j][i], j + 1 < KEYS ? ' ' : '\n');
	fclose(out);
}

/* ---- measured */

static void
global(const pegs_tuples *tuples, uint32_t k, double suppress)
{
	pegs_lattice lattice = {.tuples = tuples, .keys = key, .criteria = {k, 1, 1}, .suppress = suppress};
	pegs_node	node;
	uint32_t	at[KEYS];
	double		before = cpu();

	if (pegs_search(&env, &lattice, at, &node) != PEGS_OK || !node.found)
		bad("nothing was found", "generalize");
	printf("global %u %g %.6f %llu ", k, suppress, node.loss, (unsigned long long) node.suppressed);
	for (uint32_t j = 0; j < KEYS; j++)
		printf("%u%c", at[j], j + 1 < KEYS ? ',' : ' ');
	printf("%llu %.3f\n", (unsigned long long) node.looked_at, cpu() - before);
}

static void
local(const pegs_tuples *tuples, uint32_t k)
{
	pegs_criteria criteria = {k, 1, 1};
	pegs_boxes	boxes;
	pegs_loss	loss;
	double		by_key[KEYS];
	bool		found;
	bool	   *keep;
	double		spent = cpu();

	if (pegs_mondrian(&env, tuples, key, &criteria, &boxes, &found) != PEGS_OK || !found)
		bad("nothing was found", "generalize");
	spent = cpu() - spent;
	keep = alloc(&list, boxes.n);
	memset(keep, true, boxes.n);
	pegs_measure_loss(&env, tuples, key, &boxes, keep, by_key, &loss);
	printf("local %u %.6f %u %.3f\n", k, loss.loss, boxes.n, spent);
}

int
main(int argc, char **argv)
{
	static const uint32_t columns[KEYS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	bool		made = argc > 2 && strcmp(argv[1], "made") == 0;
	pegs_tuples tuples;
	double		before;

	if (argc < 3)
		bad("made ROWS [FILE], or arx DIRECTORY [FILE]", "generalize");
	if (made)
		make(strtoull(argv[2], NULL, 10));
	else
		read_arx(argv[2]);
	if (argc > 3)
		write_table(argv[3]);
	before = cpu();
	if (pegs_tuples_of(&env, &table, columns, KEYS, PEGS_NO_LEVEL, &tuples) != PEGS_OK)
		bad("too many rows", "generalize");
	printf("rows %llu tuples %u nodes %llu CPU %.3f\n", (unsigned long long) table.nrows, tuples.n, (unsigned long long) pegs_lattice_nodes(key, KEYS), cpu() - before);
	/* what many rows take is asked of one k */
	for (uint32_t k = made ? 5 : 2; k <= (made ? 5 : 100); k = k == 2 ? 5 : k == 5 ? 10 : k * 10)
		for (int s = 0; s < (made ? 3 : 4); s++)
			global(&tuples, k, (double[]) {0, 0.01, 0.05, 1}[s]);
	for (int i = 0; i < 4; i++)
		local(&tuples, (uint32_t[]) {2, 5, 10, 50}[i]);
	return 0;
}
