/*
 * parent.c
 *	  Whose rows they are, where that is said by a foreign key: a table is
 *	  bound to its parent.
 *
 * A unit is a row of the topmost table with every row that refers to it, or to
 * one that does, however many. Its account pays for all these tables
 * (budget/bound.c), and what is counted of a bound table is counted by unit
 * (unit.c). By the catalog alone: laws L1, L3.
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define MAX_CLASSES 100
#define MAX_CHILDREN 65536

/* ---- what is refused ---- */

static void
refuse_self(Oid child)
{
	List	   *keys = pegs_foreign_keys(child);
	const PegsForeignKey *own = NULL;
	int			i = 0;
	ListCell   *cell;

	foreach(cell, keys)
		if (((PegsForeignKey *) lfirst(cell))->parent == child)
			own = lfirst(cell);
	/* not the tenant, which refers to itself, as all rows of it do */
	while (own && i < own->n - 1 && own->attnum[i] == own->referred[i])
		i++;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("table \"%s\" refers to itself", get_rel_name(child)),
			 errdetail("A unit would hang on another."),
			 own ? errhint("Leave the column out of models: SELECT pegs_leave_out(%s, %s);", pegs_relation_literal(child),
						   quote_literal_cstr(get_attname(child, own->attnum[i], false)))
			 : errhint("Name the table that its rows belong to: parent => '...'")));
}

/* As a hint: what lets it go, or that nothing does. */
static char *
let_it_go(const PegsBound *bound, const char *before)
{
	if (pegs_may_let_go(bound->child))
		return psprintf("%sSELECT pegs_set_parent(%s, NULL); lets it go: nothing was spent since.", before, pegs_relation_literal(bound->child));
	if (pegs_children_of(bound->child) != NIL)
		return psprintf("%sSELECT pegs_set_parent(%s, NULL); lets it go, if nothing was spent since.", before, pegs_relation_literal(bound->child));
	return pstrdup("It stays bound: what was spent since protects its rows as they belong now.");
}

/* Bound to another table, or by another key of the same. */
static void
refuse_bound_to_another(const PegsBound *bound, Oid parent, const PegsForeignKey *key)
{
	bool		same = bound->parent == parent && bound->n == key->n;
	bool		known = true;

	if (bound->found && !bound->is && bound->changed_here)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" was let go in this transaction", get_rel_name(bound->child)),
				 errdetail("Whether anything was spent on it is asked when that is committed."),
				 errhint("COMMIT; and declare its parent in the next transaction.")));
	if (!bound->is)
		return;
	for (int i = 0; i < bound->n; i++)
		known &= bound->attnum[i] > 0;
	for (int i = 0; same && known && i < key->n; i++)
	{
		bool		found = false;

		for (int j = 0; j < bound->n; j++)
			found |= bound->attnum[j] == key->attnum[i];
		same = found;
	}
	if (same)
		return;
	if (bound->parent == parent)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of \"%s\" belong to rows of \"%s\" by another foreign key already", get_rel_name(bound->child), get_rel_name(parent)),
				 errhint("%s", let_it_go(bound, ""))));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("\"%s\" hangs on two private tables", get_rel_name(bound->child)),
			 errdetail("Its rows belong to rows of \"%s\" already.", OidIsValid(bound->parent) ? get_rel_name(bound->parent) : "(dropped)"),
			 errhint("%s", let_it_go(bound, "Leave one out. Or "))));
}

/* A model was made for a unit of its own: a sealed one pays when rows are drawn. */
static void
refuse_models(Oid child)
{
	PegsArg		arg = {OIDOID, ObjectIdGetDatum(child), false};
	MemoryContext context = CurrentMemoryContext;
	char	   *name = NULL;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT min(name::text) FROM pegs_internal.model WHERE account::pg_catalog.oid = $1 AND name IS NOT NULL", SPI_OK_SELECT, 1, &arg);
	if (SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))
		name = MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	pegs_end_as(&saved);
	if (name)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has a model of its own, \"%s\"", get_rel_name(child), name),
				 errdetail("What it protects is not a row of the parent with all that refers to it."),
				 errhint("SELECT pegs_drop(%s); and fit it anew afterwards.", quote_literal_cstr(name))));
}

/* Those of tables that are bound to it already, likewise: their root becomes another. */
static void
refuse_models_below(Oid table)
{
	ListCell   *cell;

	refuse_models(table);
	foreach(cell, pegs_children_of(table))
		refuse_models_below(lfirst_oid(cell));
}

static void
refuse_units(Oid child, Oid parent, const PegsForeignKey *key)
{
	AttrNumber	attnum;

	if (!pegs_is_bound(parent) && pegs_has_unit(parent, &attnum))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has a privacy unit itself: its rows belong to persons", get_rel_name(parent)),
				 errdetail("The unit of related tables is a row of the topmost one."),
				 errhint("Use the table of persons as root. Or: SELECT pegs_set_unit(%s, NULL);", pegs_relation_literal(parent))));
	if (pegs_has_unit(child, &attnum) && (key->n != 1 || attnum != key->attnum[0]))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has another privacy unit", get_rel_name(child)),
				 errhint("SELECT pegs_set_unit(%s, NULL);", pegs_relation_literal(child))));
}

/* ---- classes of the number of children ---- */

static int *
read_children(FunctionCallInfo fcinfo, int n, int *count)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(n);
	Datum	   *values;
	bool	   *nulls;
	int		   *children;

	pegs_require_flat(array, "children");
	deconstruct_array(array, INT4OID, sizeof(int32), true, TYPALIGN_INT, &values, &nulls, count);
	children = palloc(sizeof(int) * (*count + 1));
	for (int i = 0; i < *count; i++)
		children[i] = nulls[i] ? -1 : DatumGetInt32(values[i]);
	return children;
}

/* Why the number of rows that a row of the parent has is not known, and what says it; NULL: it is. */
char *
pegs_classes_missing(Oid child, const PegsForeignKey *key, const int *children, int n, int at_most, char **remedy)
{
	if (key->unique || (n > 0 && at_most > 0))
		return NULL;
	*remedy = psprintf("%s " PEGS_CHILDREN, pegs_classes_statement(child, key, children, n, 0));
	return n == 0 ? psprintf("it is not declared how many rows of \"%s\" a row of its parent has", get_rel_name(child))
		: psprintf("it is not declared how many rows of \"%s\" a row of its parent has at most", get_rel_name(child));
}

void
pegs_check_children(Oid child, const int *children, int n, int at_most, const PegsForeignKey *key)
{
	bool		rising = n == 0 || (n > 1 && children[0] == 0 && children[1] == 1);
	char	   *remedy;

	for (int i = 1; i < n; i++)
		rising &= children[i] > children[i - 1];
	if (!rising || n > MAX_CLASSES || (n > 0 && children[n - 1] > MAX_CHILDREN))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("children must be 0, 1 and numbers that rise up to %d, at most %d of them", MAX_CHILDREN, MAX_CLASSES),
				 errdetail("Each begins a class of the number of rows that refer to one row of the parent."),
				 key->unique ? errhint("Leave children out.") : errhint("%s", pegs_classes_statement(child, key, NULL, 0, at_most))));
	if (key->unique && n > 0 && (n != 2 || children[1] != 1 || at_most > 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a row of the parent has at most one row here: foreign key \"%s\" is unique", key->name),
				 errhint("Leave children out.")));
	if (at_most < 0 || at_most > MAX_CHILDREN || (at_most > 0 && (n == 0 || at_most < children[n - 1])))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 n == 0 && at_most > 0 && at_most <= MAX_CHILDREN && !key->unique ? errmsg("children must be given with at_most")
				 : errmsg("at_most must be the end of the last class of children"),
				 n == 0 && at_most > 0 && at_most <= MAX_CHILDREN && !key->unique
				 ? errdetail("at_most is the end of the last class; children says where classes begin.")
				 : errdetail("The last class goes from its beginning to at_most, which is at most %d; more rows than that count as so many.", MAX_CHILDREN),
				 key->unique ? errhint("Leave at_most out.")
				 : errhint("%s " PEGS_CHILDREN, pegs_classes_statement(child, key, children, n, n == 0 && at_most <= MAX_CHILDREN ? at_most : 0))));
	if (n > 0 && pegs_classes_missing(child, key, children, n, at_most, &remedy))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("at_most must be given with children"),
				 errdetail("Without it the last class would have no end."),
				 errhint("%s " PEGS_CHILDREN, pegs_classes_statement(child, key, children, n, 0))));
}

/* ---- declaring ---- */

void
pegs_declare_parent(const PegsSource *source, Oid parent, const PegsBinding *binding)
{
	Oid			child = source->account;
	PegsSource *above = pegs_curated_source(parent, "bind another table to its account");
	const PegsForeignKey *key;
	bool		anew;
	PegsBound	bound;

	pegs_require_curator(pegs_payer(above->account), "bind another table to its account");
	if (above->account == child)
		refuse_self(child);
	pegs_refuse_circle(child, above->account);
	/* before whatever could be mended: what is given up for it would be given up for nothing */
	if (!pegs_is_bound(child))
		pegs_require_unspent(child);
	key = pegs_key_meant(binding, source, above->account);
	pegs_refuse_key_beside(child, pegs_foreign_keys(child), key);
	pegs_check_children(child, binding->children, binding->nchildren, binding->at_most, key);
	(void) pegs_read_bound(child, &bound);
	refuse_bound_to_another(&bound, above->account, key);
	refuse_units(child, above->account, key);
	if (!bound.is)
		refuse_models_below(child);
	anew = !pegs_has_account(above->account, above->account);
	pegs_bind(&bound, above->account, key->n, key->attnum, binding->children, binding->nchildren, binding->at_most);
	/* what leads to the one leads to the other */
	if (!bound.is)
		pegs_warn_of_taken(anew ? above->account : child);
}

/* pegs_arg_names speaks of columns of models. */
static List *
key_columns(FunctionCallInfo fcinfo, int n)
{
	if (!PG_ARGISNULL(n) && ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(n)), ARR_DIMS(PG_GETARG_ARRAYTYPE_P(n))) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns must name at least one column"),
				 errhint("Name those of the foreign key, or leave columns out if there is one.")));
	return pegs_arg_names(fcinfo, n, "columns");
}

static void
let_go(Oid child)
{
	PegsBound	bound;
	Oid			payer;

	if (!pegs_read_bound(child, &bound) || !bound.is)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has no declared parent", get_rel_name(child)),
				 errhint("SELECT pegs_set_parent(%s, '...');", pegs_relation_literal(child))));
	payer = pegs_payer(child);
	if (OidIsValid(payer))
		pegs_require_curator(payer, "let a table go that is bound to its account");
	pegs_unbind(&bound);
}

/* pegs_set_parent(source regclass, parent regclass, columns name[] DEFAULT NULL, children int[] DEFAULT NULL, at_most int DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_set_parent);
Datum
pegs_set_parent(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its parent");
	PegsBinding binding = {.columns = key_columns(fcinfo, 2)};

	if (!PG_ARGISNULL(3))
		binding.children = read_children(fcinfo, 3, &binding.nchildren);
	if (!PG_ARGISNULL(4))
		binding.at_most = PG_GETARG_INT32(4) > 0 ? PG_GETARG_INT32(4) : -1;
	pegs_require_kept("parent", NULL);
	if (PG_ARGISNULL(1))
		let_go(source->account);
	else
		pegs_declare_parent(source, PG_GETARG_OID(1), &binding);
	PG_RETURN_VOID();
}
