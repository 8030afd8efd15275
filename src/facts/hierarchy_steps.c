/*
 * hierarchy_steps.c
 *	  The steps of a hierarchy: for each level of a column, the group that it is
 *	  of at each step.
 *
 * Every step says of each declared level which label it has. Levels of one label
 * are one group, and those of one group stay together at all later steps: a step
 * is a function of the one before. Of declared facts alone, never of rows: Law L1.
 */
#include "facts/facts.h"
#include "facts/hierarchy_steps.h"
#include "codes/codes.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#define EVERYTHING "*"

static const char *
said(const char *label)
{
	return label ? psprintf("\"%s\"", pegs_clipped(label)) : "NULL";
}

/* A step that tears a group of the one before apart: named by two of its levels, which are public. */
static void
require_function(const PegsMaking *m, const PegsStep *step)
{
	int		   *seen = palloc0(sizeof(int) * (m->before->ngroups + 1));

	for (int i = 0; i < m->n; i++)
	{
		int			g = m->before->group[i];
		int			first = seen[g] - 1;

		if (first < 0)
			seen[g] = i + 1;
		else if (step->group[first] != step->group[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("step %d of the hierarchy of column \"%s\" is not a function of the one before", m->number, m->column->name),
					 errdetail("Levels %s and %s are both %s before, and then %s and %s.", said(m->level[first]), said(m->level[i]),
							   said(m->before->labels[g]), said(step->labels[step->group[first]]), said(step->labels[step->group[i]])),
					 errhint("Let each step be coarser than the one before, or put them in another order.")));
	}
	pfree(seen);
}

/* ---- members of a step ---- */

static JsonbValue *
member_of(JsonbContainer *step, const char *name)
{
	JsonbValue *value = palloc(sizeof(JsonbValue));

	return getKeyJsonValueFromContainer(step, name, strlen(name), value);
}

static char *
text_of(JsonbContainer *step, const char *name)
{
	JsonbValue *value = member_of(step, name);

	return value == NULL || value->type == jbvBinary ? NULL : pegs_json_scalar(value);
}

/* ---- keep: the first characters ---- */

static char **
keep_step(const PegsMaking *m, const JsonbValue *value, int *keep)
{
	char	   *text = value->type == jbvNumeric ? pegs_json_scalar(value) : "";
	char	  **label = palloc(sizeof(char *) * (m->n + 1));

	if (!pegs_is_text(m->column->type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("keep is for texts, and column \"%s\" is of another type", m->column->name),
				 errhint("Numbers and dates are joined by edges: {\"edges\": [\"0\", \"20\", \"40\"]}")));
	if (*text == '\0' || strlen(text) > 6 || strspn(text, "0123456789") != strlen(text) || atoi(text) < 1)
		pegs_refuse_step(m, "must keep a whole number of characters, 1 or more", "{\"keep\": 3}");
	*keep = atoi(text);
	for (int i = 0; i < m->n; i++)
	{
		int			length = m->level[i] ? strlen(m->level[i]) : 0;
		int			kept = m->level[i] ? pg_mbcharcliplen(m->level[i], length, *keep) : 0;
		int			cut = pg_mbstrlen_with_len(m->level[i] ? m->level[i] + kept : "", length - kept);

		CHECK_FOR_INTERRUPTS();
		if (cut == 0)
		{
			label[i] = m->level[i];
			continue;
		}
		label[i] = palloc(kept + cut + 1);
		memcpy(label[i], m->level[i], kept);
		memset(label[i] + kept, '*', cut);
		label[i][kept + cut] = '\0';
	}
	return label;
}

/* ---- groups and lookups: a list of levels and their labels ---- */

typedef struct Pair
{
	char	   *from;			/* NULL: NULL */
	char	   *to;
} Pair;

static int
by_from(const void *a, const void *b)
{
	return pegs_compare_labels(((const Pair *) a)->from, ((const Pair *) b)->from);
}

static Pair *
pair_of(Pair *pairs, int n, char *from)
{
	Pair		key = {from, NULL};

	return bsearch(&key, pairs, n, sizeof(Pair), by_from);
}

/* A level's own pair, else that of its label before; NULL has none but its own. */
static char **
labels_of_pairs(const PegsMaking *m, Pair *pairs, int n, char *others, bool of_labels)
{
	char	  **label = palloc(sizeof(char *) * (m->n + 1));

	for (int i = 0; i < m->n; i++)
	{
		Pair	   *found = pair_of(pairs, n, m->level[i]);

		CHECK_FOR_INTERRUPTS();
		if (found == NULL && of_labels)
			found = pair_of(pairs, n, m->before->labels[m->before->group[i]]);
		label[i] = found ? found->to : m->level[i] ? others : NULL;
		if (label[i] == NULL && m->level[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level \"%s\" of column \"%s\" is in no group of step %d of its hierarchy", pegs_clipped(m->level[i]), m->column->name, m->number),
					 errhint("Say of which group all others are: \"others\": \"elsewhere\"")));
	}
	return label;
}

static char *
canonical_level(const PegsMaking *m, char *text)
{
	char	   *canonical = m->column->nedges > 0 ? NULL : pegs_try_canonical(m->column->type, m->column->typmod, text);

	return canonical ? canonical : text;
}

static int
by_name(const void *a, const void *b)
{
	return pegs_compare_labels(*(char *const *) a, *(char *const *) b);
}

/* Levels, and labels of the step before, in order: a step may name as many as there are. */
static char **
known_names(const PegsMaking *m, int *n)
{
	char	  **known = palloc(sizeof(char *) * (m->n + m->before->ngroups + 1));

	*n = m->n + m->before->ngroups;
	memcpy(known, m->level, sizeof(char *) * m->n);
	memcpy(known + m->n, m->before->labels, sizeof(char *) * m->before->ngroups);
	qsort(known, *n, sizeof(char *), by_name);
	return known;
}

static char **
groups_step(const PegsMaking *m, const JsonbValue *value, char *others)
{
	const char *example = "{\"groups\": {\"north\": [\"a\", \"b\"]}, \"others\": \"elsewhere\"}";
	PegsMembers members;
	Pair	   *pairs = palloc(sizeof(Pair) * 64);
	int			room = 64;
	int			n = 0;
	char	  **known;
	int			nknown;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		pegs_refuse_step(m, "must have an object of groups, each a list of levels", example);
	members = pegs_members(value->val.binary.data);
	while (pegs_next_member(&members))
	{
		char	   *name = members.name;

		if (members.value.type != jbvBinary || !JsonContainerIsArray(members.value.val.binary.data))
			pegs_refuse_step(m, "must have a list of levels for each group", example);
		for (uint32 i = 0; i < JsonContainerSize(members.value.val.binary.data); i++)
		{
			JsonbValue *item = getIthJsonbValueFromContainer(members.value.val.binary.data, i);
			char	   *text;

			CHECK_FOR_INTERRUPTS();
			if (item->type == jbvBinary)
				pegs_refuse_step(m, "must have a list of levels for each group", example);
			text = pegs_json_scalar(item);
			if (n == room)
				pairs = repalloc_huge(pairs, sizeof(Pair) * (room *= 2));
			pairs[n++] = (Pair) {text ? canonical_level(m, text) : NULL, name};
		}
	}
	qsort(pairs, n, sizeof(Pair), by_from);
	known = known_names(m, &nknown);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (bsearch(&pairs[i].from, known, nknown, sizeof(char *), by_name) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s in step %d of the hierarchy of column \"%s\" is no level of it, and no group of the step before", said(pairs[i].from), m->number,
							m->column->name),
					 errhint("SELECT pegs_levels(%s, %s);", quote_literal_cstr(m->source->name), quote_literal_cstr(m->column->name))));
		if (i > 0 && by_from(&pairs[i - 1], &pairs[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s is in two groups of step %d of the hierarchy of column \"%s\"", said(pairs[i].from), m->number, m->column->name),
					 errhint("Name every level once.")));
	}
	return labels_of_pairs(m, pairs, n, others, true);
}

static char **
lookup_step(const PegsMaking *m, JsonbContainer *step, Oid lookup, char *others)
{
	char	   *key = text_of(step, "key");
	char	   *value = text_of(step, "value");
	char	  **from;
	char	  **to;
	Pair	   *pairs;
	int			n;
	int			kept = 0;

	if (key == NULL || value == NULL)
		pegs_refuse_step(m, "must name two columns of its lookup table, key and value", "{\"lookup\": \"zips\", \"key\": \"zip\", \"value\": \"city\"}");
	n = pegs_load_mapping(m->column, lookup, key, value, m->source, &from, &to);
	pairs = palloc_extended(sizeof(Pair) * (n + 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
		pairs[i] = (Pair) {canonical_level(m, from[i]), to[i]};
	qsort(pairs, n, sizeof(Pair), by_from);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (kept > 0 && by_from(&pairs[kept - 1], &pairs[i]) == 0 && strcmp(pairs[kept - 1].to, pairs[i].to) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the lookup table of step %d of the hierarchy of column \"%s\" has two values for %s", m->number, m->column->name, said(pairs[i].from)),
					 errhint("Make a lookup table with one value for each key.")));
		if (kept == 0 || by_from(&pairs[kept - 1], &pairs[i]) != 0)
			pairs[kept++] = pairs[i];
	}
	return labels_of_pairs(m, pairs, kept, others, false);
}

/* ---- a hierarchy ---- */

static bool
has_member(const JsonbValue *name, const char *const *known)
{
	for (; *known; known++)
		if ((int) strlen(*known) == name->val.string.len && memcmp(*known, name->val.string.val, name->val.string.len) == 0)
			return true;
	return false;
}

/* One of four kinds, and nothing that none has. */
static void
declared_step(PegsMaking *m, const JsonbValue *given, const Oid *lookups, int *nlookup, PegsStep *step)
{
	static const char *const known[] = {"edges", "keep", "groups", "lookup", "key", "value", "others", NULL};
	const char *example = "{\"edges\": [...]}, {\"keep\": 3}, {\"groups\": {...}, \"others\": \"elsewhere\"} or {\"lookup\": \"zips\", \"key\": \"zip\", \"value\": \"city\"}";
	JsonbContainer *object = given->type == jbvBinary ? given->val.binary.data : NULL;
	JsonbValue *edges;
	JsonbValue *keep;
	JsonbValue *groups;
	JsonbValue *lookup;
	char	   *others;
	char	  **label;
	int			kept = 0;
	JsonbIterator *it;
	JsonbValue	name;
	JsonbIteratorToken token;

	if (object == NULL || !JsonContainerIsObject(object))
		pegs_refuse_step(m, "must be an object", example);
	it = JsonbIteratorInit(object);
	while ((token = JsonbIteratorNext(&it, &name, true)) != WJB_DONE)
		if (token == WJB_KEY && !has_member(&name, known))
			pegs_refuse_step(m, psprintf("has a member that is not known, \"%s\"", pegs_json_key(&name)), example);
	edges = member_of(object, "edges");
	keep = member_of(object, "keep");
	groups = member_of(object, "groups");
	lookup = member_of(object, "lookup");
	others = text_of(object, "others");
	if ((edges != NULL) + (keep != NULL) + (groups != NULL) + (lookup != NULL) != 1)
		pegs_refuse_step(m, "must have one of edges, keep, groups and lookup", example);
	if (others == NULL && member_of(object, "others"))
		pegs_refuse_step(m, "must have a text for all others", "\"others\": \"elsewhere\"");
	if ((others && !groups && !lookup) || (!lookup && (member_of(object, "key") || member_of(object, "value"))))
		pegs_refuse_step(m, "has a member that is of another kind of step", example);
	label = edges ? pegs_edges_step(m, edges) : keep ? keep_step(m, keep, &kept)
		: groups ? groups_step(m, groups, others) : lookup_step(m, object, lookups[(*nlookup)++], others);
	pegs_put_labels(step, label, m->n);
	step->keep = kept;
	require_function(m, step);
}

/* The groups that are declared of levels; a level that is in none stays itself. */
static void
declared_groups(const PegsMaking *m, PegsHierarchy *hierarchy)
{
	const PegsFunction *grouped = m->column->grouped;
	char	  **label = palloc(sizeof(char *) * (m->n + 1));
	Pair	   *pairs = palloc(sizeof(Pair) * (grouped->n + 1));

	for (int i = 0; i < grouped->n; i++)
		pairs[i] = (Pair) {grouped->from[i], grouped->to[i]};
	qsort(pairs, grouped->n, sizeof(Pair), by_from);
	for (int i = 0; i < m->n; i++)
	{
		Pair	   *found = m->level[i] ? pair_of(pairs, grouped->n, m->level[i]) : NULL;

		label[i] = found && found->to ? found->to : m->level[i];
	}
	pegs_put_labels(&hierarchy->steps[hierarchy->nsteps++], label, m->n);
}

/* `steps`: as it was declared, a list; NULL: what the column has without one. lookups: of its steps, in their order. */
PegsHierarchy *
pegs_make_hierarchy(const PegsSource *source, const PegsColumn *column, Jsonb *steps, const Oid *lookups)
{
	PegsHierarchy *hierarchy = palloc0(sizeof(PegsHierarchy));
	PegsMaking	m = {.source = source, .column = column, .n = pegs_column_levels(column), .edges = column->nedges > 0 ? column->edges : NULL, .nedges = column->nedges};
	int			declared = steps ? JsonContainerSize(&steps->root) : 0;
	char	  **all = palloc(sizeof(char *) * (m.n + 1));
	int			nlookup = 0;

	m.level = palloc(sizeof(char *) * (m.n + 1));
	for (int i = 0; i < m.n; i++)
	{
		m.level[i] = pegs_level_text(column, i);
		all[i] = EVERYTHING;
	}
	hierarchy->steps = palloc0(sizeof(PegsStep) * (PEGS_MAX_STEPS + 20));
	pegs_put_labels(&hierarchy->steps[hierarchy->nsteps++], m.level, m.n);
	for (int i = 0; i < declared; i++)
	{
		m.number = i + 1;
		m.before = &hierarchy->steps[i];
		declared_step(&m, getIthJsonbValueFromContainer(&steps->root, i), lookups, &nlookup, &hierarchy->steps[i + 1]);
		hierarchy->nsteps++;
	}
	if (steps == NULL && column->nedges > 0)
		pegs_joined_bins(&m, hierarchy);
	else if (steps == NULL && column->grouped)
		declared_groups(&m, hierarchy);
	pegs_put_labels(&hierarchy->steps[hierarchy->nsteps++], all, m.n);
	return hierarchy;
}
