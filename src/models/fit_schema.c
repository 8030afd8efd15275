/*
 * fit_schema.c
 *	  A model of several tables: pegs_fit_schema; or one anew, for pegs_refit.
 *
 * The unit is a row of the root with every row that refers to it, however many.
 * Order, charge and what is hidden are those of any fit (fit.c): rights on all
 * tables, public facts, budget, one scan of all of them, noise in memory, one
 * charge of the root's account, store. Laws L2, L3, L9; claims P35 to P37.
 */
#include "models/fit.h"
#include "budget/budget.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

static void
refuse_size(double cells)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the declared domains of the tables are too large to count together"),
			 errdetail("All single columns and pairs of all tables, and of rows of one parent, have %s cells; at most " UINT64_FORMAT " are kept.",
					   psprintf(cells < 1e18 ? "%.0f" : "%.3g", cells), PEGS_MAX_CELLS),
			 errhint("Declare fewer levels or wider bins, or name fewer columns: columns => '{\"...\": [\"...\"]}'")));
}

/* What is counted and fitted, of all tables; as text, once the spec of each is that of a model. */
PegsSpec *
pegs_spec_of_relatives(const PegsRelatives *relatives, const pegs_method *method)
{
	PegsRelated *related = relatives->related;
	PegsSpec   *spec;
	pegs_status status;

	for (int t = 0; t < related->n; t++)
		pegs_spec_slope(related->member[t].spec, method);
	spec = pegs_spec_of_related(related, &status);
	if (status == PEGS_ERR_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the tables have too many columns, or too many rows could hang on one row of \"%s\"", related->member[0].name),
				 errdetail("At most %d columns, those that count rows among them; and at_most of all tables on a way down, multiplied, may be %.0f.",
						   PEGS_MAX_COLUMNS, PEGS_MOST_BELOW),
				 errhint("Name fewer columns, or declare a smaller at_most: pegs_set_parent.")));
	if (spec == NULL)
		elog(ERROR, "related tables are none");
	for (int t = 0; t < related->n; t++)
		for (int i = 0; i < related->member[t].spec->domain->nlearnt; i++)
			spec->domain->nlearnt++;
	spec->domain->learnt = palloc(sizeof(PegsLearntCharge) * (spec->domain->nlearnt + 1));
	for (int t = 0, n = 0; t < related->n; t++)
		for (int i = 0; i < related->member[t].spec->domain->nlearnt; i++)
			spec->domain->learnt[n++] = related->member[t].spec->domain->learnt[i];
	spec->text = pegs_spec_text(spec);
	return spec;
}

/* The groups of a column's levels, for path rows: absent, where it can be, is one of its own, the last. NULL: it has none. */
static const uint16_t *
groups_of(const pegs_env *env, const PegsColumn *own, const pegs_path_column *path)
{
	uint32_t	levels = (uint32_t) pegs_column_levels(own);
	uint16_t   *group;

	if (own->group == NULL)
		return NULL;
	group = env->alloc(env->context, sizeof(uint16_t) * path->levels);
	memcpy(group, own->group, sizeof(uint16_t) * levels);
	if (path->absent >= 0)
		group[path->absent] = (uint16_t) (group[levels - 1] + 1);
	return group;
}

/* Tables of what is counted, still empty; with what is declared of columns, as the layout of one table has it. */
void
pegs_tally_of(const pegs_env *env, const PegsRelated *related, pegs_tally *tally)
{
	const uint16_t **groups;
	uint32_t   *bins;
	double		cells;

	if (pegs_tally_init(env, &related->relations, tally, &cells) != PEGS_OK)
		refuse_size(cells);
	bins = env->alloc(env->context, sizeof(uint32_t) * related->relations.ncols);
	groups = env->alloc(env->context, sizeof(uint16_t *) * related->relations.ncols);
	for (uint32_t i = 0; i < related->relations.ncols; i++)
	{
		const pegs_path_column *path = &related->relations.column[i];
		const PegsColumn *own = path->own >= 0 ? &related->member[path->table].spec->domain->column[path->own] : NULL;

		if (own == NULL)
			continue;
		bins[i] = (uint32_t) Max(own->nedges - 1, 0);
		groups[i] = groups_of(env, own, path);
	}
	tally->layout.bins = bins;
	tally->layout.groups = groups;
}

/* What the caller may not have meant. */
static void
say_what_it_means(const PegsFit *fit)
{
	pegs_say_what_is_plain(fit->relatives);
	pegs_say_what_is_numbered(fit->relatives);
	pegs_say_delta(fit);
}

static void
require_epsilon(const PegsFit *fit)
{
	if (fit->args->epsilon > 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("epsilon must be given: a model of several tables is perturbed"),
			 errdetail("A sealed one would charge every sample, and tables of two samples do not belong together."),
			 errhint("epsilon => 1")));
}

/* Counted, charged, stored: from declarations that were read. */
void
pegs_fit_relatives(PegsFit *fit, PegsRelatives *relatives)
{
	PegsSource *root = relatives->source[0];
	pegs_env	env;

	fit->source = root;
	fit->relatives = relatives;
	root->rows_per_unit = root->rows_each = PEGS_PATHS;
	fit->spec = pegs_spec_of_relatives(relatives, fit->args->method);
	fit->domain = fit->spec->domain;
	pegs_check_before_scan(fit);
	fit->uncharged = pegs_uncharged(&pegs_work_fit, fit->name);
	env = pegs_uncharged_env(fit->uncharged);
	pegs_tally_of(&env, relatives->related, &fit->tally);
	pegs_require_body_fits(fit->spec, fit->args->method, &fit->tally.layout);	/* its text has the levels of each table twice */
	if (fit->before == NULL)
		say_what_it_means(fit);
	pegs_run_fit(fit, true);
}

/*
 * pegs_fit_schema(model text, root regclass, tables name[] DEFAULT NULL, columns jsonb DEFAULT NULL,
 *				   epsilon float8 DEFAULT NULL, delta float8 DEFAULT 0, siblings boolean DEFAULT true) → void
 */
PG_FUNCTION_INFO_V1(pegs_fit_schema);
Datum
pegs_fit_schema(PG_FUNCTION_ARGS)
{
	PegsFitArguments args = {.method = pegs_method_of_old(false, 0)};
	PegsFit		fit = {.name = pegs_arg_text(fcinfo, 0, "model"), .counted_by = PEGS_READ_BY_FIT_SCHEMA, .args = &args};
	PegsSource *root = pegs_curated_source(pegs_arg_oid(fcinfo, 1, "root"), "fit a model to it");
	List	   *tables = pegs_arg_names(fcinfo, 2, "tables");
	Jsonb	   *columns = pegs_arg_object(fcinfo, 3, "columns");
	PegsRelatives *relatives;

	args.epsilon = pegs_arg_epsilon(fcinfo, 4, "epsilon");
	args.delta = pegs_arg_delta(fcinfo, 5, "delta");
	fit.source = root;
	require_epsilon(&fit);
	pegs_check_fit_price(args.epsilon, args.delta);
	args.delta = pegs_delta_of_call(root->account, args.delta);
	relatives = pegs_relatives(root, tables, false, columns, false);
	relatives->related->siblings = PG_ARGISNULL(6) || PG_GETARG_BOOL(6);
	pegs_fit_relatives(&fit, relatives);
	PG_RETURN_VOID();
}
