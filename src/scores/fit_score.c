/*
 * fit_score.c
 *	  Making scores: a fit like any other, in words of its own; and one out of a
 *	  perturbed model, for free.
 */
#include "scores/scores.h"
#include "budget/budget.h"
#include "read/read.h"
#include "rows/rows.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

extern Datum pegs_fit(PG_FUNCTION_ARGS);

#define ROWS_OF_MODEL 131072	/* drawn for a score that is made of a model */

/* {"positive": {"target": ["level", ...]}} */
static Jsonb *
positive_option(FunctionCallInfo fcinfo, int n, const char *target)
{
	StringInfoData object;
	Datum	   *level;
	bool	   *isnull;
	int			nlevels;

	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("positive must not be null"),
				 errhint("Levels of the target that count as positive: positive => ARRAY['true']")));
	pegs_require_flat(PG_GETARG_ARRAYTYPE_P(n), "positive");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), TEXTOID, -1, false, TYPALIGN_INT, &level, &isnull, &nlevels);
	initStringInfo(&object);
	appendStringInfoString(&object, "{\"positive\": {");
	escape_json(&object, target);
	appendStringInfoString(&object, ": [");
	for (int i = 0; i < nlevels; i++)
	{
		appendStringInfoString(&object, i > 0 ? ", " : "");
		if (isnull[i])
			appendStringInfoString(&object, "null");
		else
			escape_json(&object, TextDatumGetCString(level[i]));
	}
	appendStringInfoString(&object, "]}}");
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(object.data)));
}

static const JsonbValue *
member_of(Jsonb *object, const char *name)
{
	JsonbValue	key = {.type = jbvString, .val.string = {.len = (int) strlen(name), .val = unconstify(char *, name)}};

	return object ? findJsonbValueFromContainer(&object->root, JB_FOBJECT, &key) : NULL;
}

/*
 * The options, as pegs_fit takes them: "published" is the form of trees that has no guarantee, which there is called as
 * of other methods. What is positive is said by an argument of its own.
 */
static Jsonb *
options_of_score(Jsonb *options, const char *method, bool paid)
{
	const JsonbValue *published = member_of(options, "published");

	if (member_of(options, PEGS_SCORE_POSITIVE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is an argument, and no option", PEGS_SCORE_POSITIVE),
				 errhint("Leave it out of options: target => 'income', positive => ARRAY['>50K'].")));
	if (published == NULL)
		return options;
	if (published->type != jbvBool || !published->val.boolean)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"published\" must be true"),
				 errhint("options => '{\"published\": true}', for trees as they were published, without a guarantee; or leave it out.")));
	if (strcmp(method, "tree") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" has no form that was published without a guarantee", method),
				 errhint("method => 'tree', options => '{\"published\": true}'")));
	if (paid)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"published\" cannot be given with epsilon"),
				 errdetail("Trees as they were published have no guarantee."),
				 errhint("Leave one of the two out.")));
	options = DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options), CStringGetTextDatum("published")));
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(options), DirectFunctionCall1(jsonb_in, CStringGetDatum("{\"guarantee\": \"none\"}"))));
}

/* The features and the target; NIL: all that there are. */
static List *
columns_of(FunctionCallInfo fcinfo, int n, char *target)
{
	List	   *features = pegs_arg_names(fcinfo, n, "features");

	if (pegs_has_name(features, target))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is the target, and cannot be a feature", target),
				 errhint("Leave it out of features.")));
	return features == NIL ? NIL : lappend(features, target);
}

static Datum
name_array(List *names)
{
	Datum	   *name = palloc(sizeof(Datum) * list_length(names));

	for (int i = 0; i < list_length(names); i++)
		name[i] = DirectFunctionCall1(namein, CStringGetDatum((char *) list_nth(names, i)));
	return PointerGetDatum(construct_array(name, list_length(names), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

static bool
makes_scores(const pegs_method *method)
{
	return method->scorer && !method->of_a_model;
}

static const pegs_method *
score_method(const char *name)
{
	const pegs_method *method = pegs_method_named(name);

	if (method && makes_scores(method))
		return method;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no method of scores \"%s\"", name),
			 errhint("method is one of %s.", pegs_methods_that(makes_scores))));
}

/* Before the features are looked at: a word that is wrong is told of itself. Catalogs alone, which everybody may read. */
static void
require_target(Oid source, const char *target)
{
	char	   *name = pegs_relation_literal(source);

	if (name && get_attnum(source, target) == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("target \"%s\" is not a column of %s", target, pegs_relation_words(source)),
				 errhint("SELECT column_name FROM pegs_domain(%s);", name)));
}

static const pegs_method *
published_form(const pegs_method *method)
{
	for (int i = 0; pegs_methods[i]; i++)
		if (pegs_methods[i]->payment == PEGS_NOT_PRIVATE && pegs_methods[i]->family && strcmp(pegs_methods[i]->family, method->name) == 0)
			return pegs_methods[i];
	return method;
}

/* What pegs_fit would refuse with a hint that names "positive", which is an argument here. */
static void
require_known(Jsonb *options, const pegs_method *method)
{
	PegsMembers members;
	StringInfoData known;

	if (options == NULL)
		return;
	if (member_of(options, "guarantee"))
		method = published_form(method);
	initStringInfo(&known);
	for (const pegs_option *option = method->options; option && option->name; option++)
		if (strcmp(option->name, PEGS_SCORE_POSITIVE) != 0)
			appendStringInfo(&known, "%s%s", known.len > 0 ? ", " : "", option->name);
	if (published_form(method) != method)
		appendStringInfoString(&known, ", published");
	members = pegs_members(&options->root);
	while (pegs_next_member(&members))
	{
		const pegs_option *option = method->options;

		while (option && option->name && strcmp(option->name, members.name) != 0)
			option++;
		if ((option == NULL || option->name == NULL) && strcmp(members.name, "guarantee") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown option \"%s\"", pegs_clipped(members.name)),
					 known.len > 0 ? errhint("Method \"%s\" knows: %s.", method->name, known.data)
					 : errhint("Method \"%s\" knows none: leave it out.", method->name)));
	}
}

/*
 * pegs_score_fit(model text, source regclass, target name, positive text[], features name[], epsilon float8,
 *				  delta float8, method text, options jsonb) → void
 */
PG_FUNCTION_INFO_V1(pegs_score_fit);
Datum
pegs_score_fit(PG_FUNCTION_ARGS)
{
	char	   *target = pegs_arg_column(fcinfo, 2, "target", "income");
	char	   *name = PG_ARGISNULL(7) ? "additive" : pegs_arg_choice(fcinfo, 7, "method");
	const pegs_method *method = score_method(name);
	List	   *columns = columns_of(fcinfo, 4, target);
	Jsonb	   *options = options_of_score(pegs_arg_object(fcinfo, 8, "options"), name, !PG_ARGISNULL(5));
	Jsonb	   *positive = positive_option(fcinfo, 3, target);
	LOCAL_FCINFO(fit, 11);

	if (!PG_ARGISNULL(1))
		require_target(PG_GETARG_OID(1), target);
	require_known(options, method);
	if (PG_ARGISNULL(5) && method->payment == PEGS_PAID_AT_FIT && member_of(options, "guarantee") == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null: a score is paid for when it is made"),
				 errhint("epsilon => 1; or make it of a perturbed model, for free: pegs_score_fit_of.")));
	if (options)
		positive = DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(options), JsonbPGetDatum(positive)));
	InitFunctionCallInfoData(*fit, fcinfo->flinfo, 11, fcinfo->fncollation, fcinfo->context, NULL);
	fit->args[0] = fcinfo->args[0];
	fit->args[1] = fcinfo->args[1];
	fit->args[2] = (NullableDatum) {columns == NIL ? (Datum) 0 : name_array(columns), columns == NIL};
	fit->args[3] = fcinfo->args[5];
	fit->args[4] = fcinfo->args[6];
	fit->args[5] = (NullableDatum) {0, true};
	fit->args[6] = (NullableDatum) {Int32GetDatum(2), false};
	fit->args[7] = (NullableDatum) {Float8GetDatum(0.1), false};
	fit->args[8] = (NullableDatum) {Int32GetDatum(0), false};
	fit->args[9] = (NullableDatum) {JsonbPGetDatum(positive), false};
	fit->args[10] = (NullableDatum) {CStringGetTextDatum(name), false};
	return pegs_fit(fit);
}

/* ---- out of a perturbed model ---- */

typedef struct Drawn
{
	pegs_kept  *kept;
	const int  *from;			/* [ncols] column of the model */
	int			ncols;
	uint16_t  **codes;			/* [ncols][PEGS_CHUNK] */
	uint32_t	fill;
} Drawn;

static void
flush_drawn(Drawn *drawn)
{
	pegs_kept_add(drawn->kept, drawn->codes, NULL, drawn->fill);
	drawn->fill = 0;
	CHECK_FOR_INTERRUPTS();
}

static void
put_drawn(void *arg, const uint16_t *codes)
{
	Drawn	   *drawn = arg;

	for (int i = 0; i < drawn->ncols; i++)
		drawn->codes[i][drawn->fill] = codes[drawn->from[i]];
	if (++drawn->fill == PEGS_CHUNK)
		flush_drawn(drawn);
}

/*
 * What was charged besides the model's own fit: for its domain, whichever columns the score
 * has, for its rows are made on all of it; and for choosing the model among others, so far.
 */
static PegsLearntCharge *
charged_before(const PegsModel *model, int64 choice, bool other_unit)
{
	PegsLearntCharge *charge = palloc(sizeof(PegsLearntCharge));

	other_unit |= model->domain_cost.other_unit;
	*charge = (PegsLearntCharge) {
		.id = 1,
		.epsilon = model->domain_cost.epsilon > PG_INT64_MAX - choice ? PG_INT64_MAX : model->domain_cost.epsilon + choice,
		.delta = model->domain_cost.delta,
		.unit = other_unit ? "" : (char *) pegs_charged_unit(model->has_unit, model->unit_column)
	};
	return charge;
}

/* The model's account; of draws from urns with delta no rho is known, so the score has none to tell. */
static const pegs_accountant *
account_of(const PegsModel *model, const pegs_wire *wire)
{
	pegs_accountant *account = palloc(sizeof(pegs_accountant));

	*account = *model->method->accountant(wire->model);
	if (pegs_fit_draws_urns(model->method, model->spec->own))
		account->total = 0;
	return account;
}

static void
require_in_model(const PegsModel *model, const char *name, int code)
{
	if (pegs_domain_find(model->spec->domain, name) < 0)
		ereport(ERROR,
				(errcode(code),
				 errmsg("column \"%s\" is not in model \"%s\"", name, model->name),
				 errhint("Its columns are: %s.", pegs_column_list(model->spec->domain))));
}

/* Columns of the model, those of these names, or all; from[]: which. */
static PegsDomain *
part_of_domain(const PegsModel *model, List *names, PegsLearntCharge *charge, int *from)
{
	const PegsDomain *all = model->spec->domain;
	PegsDomain *domain = palloc0(sizeof(PegsDomain));

	domain->column = palloc(sizeof(PegsColumn) * all->ncols);
	domain->learnt = charge;
	domain->nlearnt = domain->learnt->epsilon > 0;
	for (int i = 0; i < list_length(names); i++)
		require_in_model(model, list_nth(names, i), ERRCODE_INVALID_PARAMETER_VALUE);
	for (int i = 0; i < all->ncols; i++)
		if (names == NIL || pegs_has_name(names, all->column[i].name))
		{
			if (!OidIsValid(all->column[i].type))
				pegs_type_is_gone(all->column[i].name, "The other columns can still be read: name them as features.");
			from[domain->ncols] = i;
			domain->column[domain->ncols++] = all->column[i];
		}
	return domain;
}

pegs_kept *
pegs_rows_to_score(PegsModel *model, const int *from, const pegs_layout *layout)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsRequest request = {.model = model, .n = ROWS_OF_MODEL, .block = 1};
	Drawn		drawn = {.kept = pegs_kept_new(&env, layout->ncols, layout->levels), .from = from, .ncols = (int) layout->ncols};
	uint8_t		key[PEGS_KEY_BYTES];

	drawn.codes = palloc(sizeof(uint16_t *) * drawn.ncols);
	for (int i = 0; i < drawn.ncols; i++)
		drawn.codes[i] = palloc(sizeof(uint16_t) * PEGS_CHUNK);
	pegs_new_key(key);
	pegs_draw_rows(&request, key, NULL, put_drawn, &drawn);
	flush_drawn(&drawn);
	return drawn.kept;
}

/* The model, whose rows are released, and whose account may be spoken for by the caller. */
static PegsModel *
model_to_score(FunctionCallInfo fcinfo, int n)
{
	PegsModel  *model = pegs_model(pegs_arg_text(fcinfo, n, "from_model"));

	pegs_require_curator(model->account, "make a score of its models");
	pegs_require_no_score(model);
	if (pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is sealed: a score of it would have to be paid for", model->name),
				 errhint("Fit the score itself: pegs_score_fit(..., epsilon => 1); or a perturbed model: pegs_fit(..., epsilon => 1).")));
	if (model->slice)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is of slices: a score is made of a model of a whole table", model->name),
				 errhint("SELECT pegs_fit(...) for one of the whole table.")));
	return model;
}

/* Whose it is: that of the model. */
static PegsSource *
source_of(const PegsModel *model)
{
	PegsSource *source = palloc0(sizeof(PegsSource));

	source->relid = model->source;
	source->account = model->account;
	source->rows_per_unit = model->rows_per_unit;
	source->rows_each = model->rows_each;
	source->unit_column = model->unit_column;
	return source;
}

/*
 * pegs_score_fit_of(model text, from_model text, target name, positive text[], features name[]) → void
 *
 * Post-processing of released numbers: nothing is charged. Claim P29.
 */
PG_FUNCTION_INFO_V1(pegs_score_fit_of);
Datum
pegs_score_fit_of(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	PegsModel  *model = model_to_score(fcinfo, 1);
	char	   *target = pegs_arg_column(fcinfo, 2, "target", "income");
	Jsonb	   *own = positive_option(fcinfo, 3, target);
	const pegs_method *method = pegs_method_named(PEGS_SCORE_OF_MODEL);
	int		   *from = palloc(sizeof(int) * model->spec->domain->ncols);
	int			among;
	bool		other_unit;
	int64		choice = pegs_choice_epsilon(model, NULL, &among, &other_unit);
	PegsSpec   *spec = pegs_spec_without_parents(part_of_domain(model, columns_of(fcinfo, 4, target), charged_before(model, choice, other_unit), from), method->tables);
	int64		id;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_layout layout;
	pegs_wire	from_wire;
	pegs_wire	wire;
	void	   *score;
	PegsSource *source = source_of(model);

	require_in_model(model, target, ERRCODE_UNDEFINED_COLUMN);
	pegs_settle_options(spec, method, JsonbToCString(NULL, &own->root, -1), NULL);
	spec->text = pegs_spec_text(spec);
	pegs_spec_layout(spec, &env, &layout);
	pegs_require_fit_of(spec, method, &layout);
	pegs_take_name(name);
	pegs_require_tables(&env, model, &from_wire);
	layout.kept = pegs_rows_to_score(model, from, &layout);
	score = method->fit(&env, NULL, account_of(model, &from_wire), &layout, NULL);
	wire = pegs_model_wire(spec, method, &layout, score);
	id = pegs_store_facts(name, NULL, source, spec, method, model->epsilon, model->delta, 0, 0, pegs_rows_of_model(model), NULL, NULL);
	pegs_note_made_of(id, model, choice);
	pegs_store_body(id, method, pegs_wire_bytes(&env, &wire));
	if (pegs_is_flat(&env, method, score))
		pegs_say_flat(name);
	PG_RETURN_VOID();
}
