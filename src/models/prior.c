/*
 * prior.c
 *	  A public table as an option of a fit: what cells weigh besides their rows
 *	  and alpha (core/prior.h).
 *
 * Public it must be: never the source, nor what its rows are in, nor a table
 * with a budget of its own. Law L1. It is read once, when a model is fitted,
 * with the rights that the caller has then; what was counted stands in the
 * model's options from then on, beside its name: rows of a model and a fit
 * anew read no table. That form is pegs' own: a caller names a table, and
 * nothing else. No value of it is ever said.
 */
#include "models/models.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "read/read.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "core/prior.h"

#define UNIT 65536.0			/* of weights: 2^-16 */
#define ROWS_AT_ONCE 65536		/* between two questions whether to stop */

/* ---- which table ---- */

/* As it was named. */
typedef struct Named
{
	char	   *table;
	char	   *weight;			/* a column of it; NULL: each row counts once */
} Named;

static JsonbValue *
member_of(JsonbContainer *object, const char *name)
{
	JsonbValue	key = {.type = jbvString, .val.string = {.len = (int) strlen(name), .val = unconstify(char *, name)}};

	return findJsonbValueFromContainer(object, JB_FOBJECT, &key);
}

static JsonbContainer *
object_in(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data) ? value->val.binary.data : NULL;
}

/* Names in an object, of which it has so many other members; or false. */
static bool
names_in(JsonbContainer *object, uint32 others, Named *named)
{
	JsonbValue *table = member_of(object, "table");
	JsonbValue *weight = member_of(object, "weight");

	if (table == NULL || table->type != jbvString || (weight && weight->type != jbvString) || JsonContainerSize(object) != others + (weight ? 2 : 1))
		return false;
	named->table = pegs_json_scalar(table);
	named->weight = weight ? pegs_json_scalar(weight) : NULL;
	return true;
}

/* False: it is counted already, or is none. */
static bool
read_named(const JsonbValue *value, Named *named)
{
	*named = (Named) {0};
	if (value->type == jbvString)
		named->table = pegs_json_scalar(value);
	return named->table || (object_in(value) && names_in(object_in(value), 0, named));
}

bool
pegs_names_prior(const JsonbValue *value)
{
	Named		named;

	return read_named(value, &named);
}

static void
refuse_private(const char *name, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s cannot be a prior: %s", name, why),
			 errdetail("A prior is public: what is in it is not protected."),
			 errhint("Name a table of figures that everybody may know, made without the rows of the source.")));
}

/* Neither the source nor beside it: what it is a part of is asked what it is asked itself. */
static void
require_public(Oid relid, const PegsSource *source)
{
	PegsSource *prior;

	if (relid < FirstNormalObjectId)
		refuse_private(get_rel_name(relid), "it is a system table");
	prior = pegs_source(relid);
	if (prior->account == source->account)
		refuse_private(prior->name, "it is the source, or a part of it");
	for (Oid above = relid; OidIsValid(above); above = pegs_source_parent(above))
		if (pegs_has_account(above, relid) || pegs_is_bound(above) || pegs_children_of(above) != NIL)
			refuse_private(prior->name, "it has a privacy budget: its rows are private");
	if (OidIsValid(pegs_leads_to_persons(relid, source->account)))
		refuse_private(prior->name, "by foreign keys its rows refer to private rows");
}

/* It and its parts, each of them locked from here on, and each asked: no other is read. */
static List *
public_table(const Named *named, List *columns, const PegsSource *source)
{
	Oid			relid = pegs_relation_named(named->table, "\"prior\" names a table", "{\"prior\": \"my_schema.\\\"Last Census\\\"\"}");
	List	   *parts;
	ListCell   *cell;

	pegs_require_select(relid, columns);
	LockRelationOid(relid, AccessShareLock);
	parts = find_all_inheritors(relid, AccessShareLock, NULL);
	foreach(cell, parts)
	{
		Oid			part = lfirst_oid(cell);
		char		relkind = get_rel_relkind(part);

		if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" cannot be a prior: %s", named->table,
							part == relid ? "it is not a table" : psprintf("its part \"%s\" is not a table", get_rel_name(part))),
					 errdetail("What a view or a foreign table reads could be anything, the source as well."),
					 errhint("Copy what is public in it into a table: CREATE TABLE my_prior AS SELECT ...;")));
		require_public(part, source);
	}
	return parts;
}

/* Of a column of weights; the table is locked. */
static void
require_numbers(Oid relid, const char *column)
{
	AttrNumber	attnum = get_attnum(relid, column);
	Oid			type = attnum == InvalidAttrNumber ? INT4OID : getBaseType(get_atttype(relid, attnum));	/* that it is not there is said when it is read */

	if (attnum < 0 || (type != INT2OID && type != INT4OID && type != INT8OID && type != FLOAT4OID && type != FLOAT8OID && type != NUMERICOID))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of a prior is of type %s: weights are numbers", column, format_type_be(type)),
				 errhint("Name another column in \"weight\", or leave it out: then each row counts once.")));
}

/* ---- what is in it ---- */

/* What cells weigh: of those that weigh something. */
typedef struct Weights
{
	uint32		n;
	uint32	   *cell;			/* [n] rising */
	double	   *weight;			/* [n] in whole units */
} Weights;

static void
require_declared(const char *table, const PegsDomain *domain, const pegs_coded *coded)
{
	for (uint32 c = 0; c < coded->ncols; c++)
		for (uint64 r = 0; r < coded->nrows; r++)
		{
			if (r % ROWS_AT_ONCE == 0)
				CHECK_FOR_INTERRUPTS();
			if (coded->code[c][r] >= coded->levels[c])
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("%s has a value in column \"%s\" that is not declared", table, pegs_said_name(&domain->column[c])),
						 errhint("A prior has levels of the model alone: leave such rows out of it. Which levels there are: pegs_domain.")));
		}
}

static void
require_weights(const char *table, const Named *named, const double *weights, uint64 n)
{
	double		sum = 0;

	for (uint64 r = 0; r < n; r++)
	{
		if (r % ROWS_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		if (weights && !(weights[r] >= 0 && weights[r] <= (double) PEGS_PRIOR_ROWS))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of %s has a weight that is not a number from 0 to " UINT64_FORMAT, named->weight, table, PEGS_PRIOR_ROWS),
					 errhint("A prior may add to a cell, and never take away: weights are numbers of rows, or parts of one.")));
		sum += weights ? weights[r] : 1;
	}
	if (sum > (double) PEGS_PRIOR_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s weighs more than " UINT64_FORMAT " rows", table, PEGS_PRIOR_ROWS),
				 errhint("Divide its weights: a prior is to say what is likely, beside the rows of the source.")));
}

/* What each of all cells weighs: of a row one, or one for each of its columns. As large as what the cells of the source are counted in, however many rows there are. */
static double *
weights_of(const pegs_coded *coded, const double *weights, bool joint, uint32 cells)
{
	double	   *sum = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(double) * cells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint16_t   *row = palloc(sizeof(uint16_t) * coded->ncols);

	for (uint64 r = 0; r < coded->nrows; r++)
	{
		double		weight = weights ? weights[r] : 1;
		uint32		first = 0;

		if (r % ROWS_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32_t c = 0; c < coded->ncols; first += coded->levels[c++])
		{
			row[c] = coded->code[c][r];
			if (!joint)
				sum[first + row[c]] += weight;
		}
		if (joint)
			sum[pegs_joint_cell(coded->ncols, coded->levels, row)] += weight;
	}
	return sum;
}

/* What weighs nothing goes. In whole units of weight. */
static Weights
kept_weights(const double *sum, uint32 cells, const char *table)
{
	Weights		kept = {0, palloc(sizeof(uint32) * PEGS_PRIOR_CELLS), palloc(sizeof(double) * PEGS_PRIOR_CELLS)};

	for (uint32 i = 0; i < cells; i++)
	{
		double		weight = floor(sum[i] * UNIT) / UNIT;

		if (i % ROWS_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		if (!(weight > 0))
			continue;
		if (kept.n == PEGS_PRIOR_CELLS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("%s has too many different rows for a prior", table),
					 errdetail("A model keeps what they weigh, of at most %d.", PEGS_PRIOR_CELLS),
					 errhint("Leave out rows that weigh little, or fit fewer columns.")));
		kept.cell[kept.n] = i;
		kept.weight[kept.n++] = weight;
	}
	return kept;
}

/* As it may be named; without the closing brace. */
static StringInfoData
name_in_json(const Named *named)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoString(&json, "{\"table\": ");
	escape_json(&json, named->table);
	if (named->weight)
	{
		appendStringInfoString(&json, ", \"weight\": ");
		escape_json(&json, named->weight);
	}
	return json;
}

/* As a model keeps it. */
static char *
counted(const Named *named, const Weights *all)
{
	StringInfoData json = name_in_json(named);

	appendStringInfoString(&json, ", \"cells\": [");
	for (uint32 i = 0; i < all->n; i++)
		appendStringInfo(&json, "%s%u", i > 0 ? ", " : "", all->cell[i]);
	appendStringInfoString(&json, "], \"weights\": [");
	for (uint32 i = 0; i < all->n; i++)
		appendStringInfo(&json, "%s%.17g", i > 0 ? ", " : "", all->weight[i]);
	appendStringInfoString(&json, "]}");
	return json.data;
}

/* How many cells a prior of these columns may have; infinite: more than are ever counted. */
static double
cells_there_are(const PegsDomain *domain, bool joint)
{
	double		cells = joint ? 1 : 0;

	for (int i = 0; i < domain->ncols; i++)
		cells = joint ? cells * pegs_column_levels(&domain->column[i]) : cells + pegs_column_levels(&domain->column[i]);
	return cells <= (double) PEGS_MAX_CELLS ? cells : INFINITY;
}

static char *
count_table(const Named *named, const PegsDomain *domain, const PegsSource *source, bool joint)
{
	List	   *names = pegs_column_names(pegs_physical(domain));
	List	   *parts = public_table(named, named->weight ? lappend(names, pstrdup(named->weight)) : names, source);
	Oid			relid = linitial_oid(parts);
	char	   *table = pegs_relation_words(relid);
	uint32		cells = (uint32) cells_there_are(domain, joint);
	double	   *weights = NULL;
	double	   *sum;
	pegs_coded *coded;
	Weights		all;

	if (named->weight)
		require_numbers(relid, named->weight);
	pegs_require_prior_types(relid, table, named->weight, pegs_physical(domain));
	coded = pegs_coded_public(parts, domain, named->weight, &weights);
	require_declared(table, domain, coded);
	require_weights(table, named, weights, coded->nrows);
	sum = weights_of(coded, weights, joint, cells);
	all = kept_weights(sum, cells, table);
	pfree(sum);
	return counted(&(Named) {table, named->weight}, &all);
}

char *
pegs_counted_prior(const pegs_method *method, const PegsDomain *domain, const PegsSource *source, const char *own)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own)));

	for (const pegs_option *option = method->options; option && option->name; option++)
	{
		JsonbValue *value = option->kind == PEGS_OPTION_PRIOR ? member_of(&json->root, option->name) : NULL;
		Named		named;

		/* too many cells are refused when the source is to be counted */
		if (value && read_named(value, &named) && !isinf(cells_there_are(domain, option->joint)))
			return pegs_with_option(own, option->name, count_table(&named, domain, source, option->joint));
	}
	return pstrdup(own);
}

/* ---- as it is kept ---- */

static bool
read_whole(const JsonbValue *value, double least, double most, double *number)
{
	if (value->type != jbvNumeric)
		return false;
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	return *number >= least && *number <= most && *number == rint(*number);
}

static JsonbContainer *
list_of(JsonbContainer *object, const char *name)
{
	JsonbValue *value = member_of(object, name);

	return value && value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ? value->val.binary.data : NULL;
}

/* Believes nothing: a file has it, too. */
static bool
read_counted(JsonbContainer *object, double most, pegs_setting *setting)
{
	JsonbContainer *cells = list_of(object, "cells");
	JsonbContainer *weights = list_of(object, "weights");
	JsonbIterator *cell_at;
	JsonbIterator *weight_at;
	JsonbValue	cell;
	JsonbValue	weight;
	uint32	   *numbers;
	uint64	   *units;
	Named		named;
	double		sum = 0;
	uint32		n;

	if (cells == NULL || weights == NULL || !names_in(object, 2, &named)
		|| (n = JsonContainerSize(cells)) != JsonContainerSize(weights) || n > PEGS_PRIOR_CELLS)
		return false;
	numbers = palloc(sizeof(uint32) * (n + 1));
	units = palloc(sizeof(uint64) * (n + 1));
	cell_at = JsonbIteratorInit(cells);
	weight_at = JsonbIteratorInit(weights);
	JsonbIteratorNext(&cell_at, &cell, true);
	JsonbIteratorNext(&weight_at, &weight, true);
	for (uint32 i = 0; i < n; i++)
	{
		double		number;
		double		unit;

		JsonbIteratorNext(&cell_at, &cell, true);
		JsonbIteratorNext(&weight_at, &weight, true);
		if (weight.type != jbvNumeric || !read_whole(&cell, i > 0 ? numbers[i - 1] + 1.0 : 0, most - 1, &number))
			return false;
		unit = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(weight.val.numeric))) * UNIT;
		sum += unit;
		if (!(unit >= 1 && unit == rint(unit) && sum <= (double) PEGS_PRIOR_ROWS * UNIT))
			return false;
		numbers[i] = (uint32) number;
		units[i] = (uint64) unit;
	}
	setting->nweights = n;
	setting->cells = numbers;
	setting->weights = units;
	return true;
}

bool
pegs_prior_setting(const pegs_option *option, const PegsDomain *domain, const JsonbValue *value, bool told, pegs_setting *setting)
{
	double		most = cells_there_are(domain, option->joint);
	Named		named;

	/* a name alone is of what is planned, and not fitted; too many cells are refused when the source is to be counted */
	if (isinf(most) || read_named(value, &named))
		return told;
	return object_in(value) && read_counted(object_in(value), most, setting);
}

char *
pegs_named_prior(const char *own)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own)));
	PegsMembers members = pegs_members(&json->root);

	while (pegs_next_member(&members))
	{
		JsonbContainer *object = object_in(&members.value);
		StringInfoData name;
		Named		named;

		if (object == NULL || list_of(object, "weights") == NULL || !names_in(object, 2, &named))
			continue;
		name = name_in_json(&named);
		appendStringInfoChar(&name, '}');
		return pegs_with_option(own, members.name, name.data);
	}
	return pstrdup(own);
}
