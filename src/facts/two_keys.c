/*
 * two_keys.c
 *	  A table that is bound by one key, and refers to another related row by a
 *	  second one: statements after which one key says both, or by which it hangs
 *	  lower; and what of that a charge makes final.
 *
 * A table is let go only while nothing is spent (budget/bind.c), so none of them
 * is printed after that. By the catalog and declarations alone: laws L1, L10.
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- one key for both ---- */

/* The column of its parent that holds what this reference to a table above that is of; 0: none does. */
static AttrNumber
parents_column(const PegsForeignKey *own, Oid above, AttrNumber referred)
{
	const PegsForeignKey *parents = pegs_own_key(own->parent);

	for (int i = 0; parents && i < parents->n; i++)
		if (pegs_is_handed_down(own->parent, parents->attnum[i], above, referred))
			return parents->attnum[i];
	return InvalidAttrNumber;
}

/*
 * Statements after which the key by which a table is bound holds this
 * reference, too; NULL: it may be to another row, or the table is not let go any more. Sent together they are one
 * transaction, and what was let go is bound in another one.
 */
static char *
one_key(Oid table, const PegsForeignKey *key, bool together)
{
	const PegsForeignKey *own = pegs_own_key(table);
	PegsForeignKey both;
	char	   *columns;
	char	   *referred;

	if (own == NULL || own->refers_to != own->parent || key->refers_to != key->parent || key->parent == own->parent || !pegs_may_let_go(table))
		return NULL;
	both = *own;
	for (int i = 0; i < key->n; i++)
	{
		AttrNumber	attnum = parents_column(own, key->parent, key->referred[i]);

		if (pegs_is_handed_down(table, key->attnum[i], key->parent, key->referred[i]))
			continue;
		if (attnum == InvalidAttrNumber || pegs_key_place(&both, key->attnum[i]) >= 0 || both.n == INDEX_MAX_KEYS)
			return NULL;
		both.attnum[both.n] = key->attnum[i];
		both.referred[both.n++] = attnum;
	}
	columns = pegs_key_columns(table, both.n, both.attnum);
	referred = pegs_key_columns(own->parent, both.n, both.referred);
	return psprintf("%sALTER TABLE %s ADD UNIQUE (%s); ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)%s;"
					" SELECT pegs_set_parent(%s, NULL); %sSELECT pegs_set_parent(%s, %s, %s%s);", together ? "BEGIN; " : "",
					pegs_relation_words(own->parent), referred, pegs_relation_words(table), columns, pegs_relation_words(own->parent), referred, pegs_unchecked(table),
					pegs_relation_literal(table), together ? "COMMIT; " : "", pegs_relation_literal(table), pegs_relation_literal(own->parent),
					pegs_key_literal(table, both.n, both.attnum), pegs_classes_argument(table));
}

/* ---- another parent, that belongs to the one that it has ---- */

/* Does this table hang below that one? */
static bool
is_below(Oid table, Oid above)
{
	PegsBound	bound;

	while (pegs_read_bound(table, &bound) && bound.is && OidIsValid(bound.parent))
	{
		if (bound.parent == above)
			return true;
		table = bound.parent;
	}
	return false;
}

/* Its rows may belong to rows of the table that it refers to, which belong to rows of its parent anyway: payments of a rental of a customer. */
static bool
lower_parent(Oid table, const PegsForeignKey *key)
{
	const PegsForeignKey *own = pegs_own_key(table);

	return own && key->refers_to == key->parent && is_below(key->parent, own->parent) && pegs_is_curator(key->parent) && pegs_may_let_go(table);
}

/* ---- in words ---- */

/* For a hint. */
char *
pegs_comes_out_null(Oid table, AttrNumber attnum)
{
	char	   *null = pegs_let_be_null(table, attnum);

	return psprintf("%s%sit comes out NULL then.", null, pegs_behind(null));
}

/* As a hint: what keeps the reference, and "" where nothing does. */
static char *
kept_words(Oid table, const PegsForeignKey *key)
{
	char	   *one = one_key(table, key, false);
	const char *let_go = psprintf("SELECT pegs_set_parent(%s, NULL);", pegs_relation_literal(table));

	if (one)
		return psprintf("If it is always the row of \"%s\" that its own belongs to, before anything is charged: %s", get_rel_name(key->parent), one);
	if (!lower_parent(table, key))
		return "";
	return psprintf("If its rows belong to rows of \"%s\", before anything is charged: %s and, in the next transaction, %s", get_rel_name(key->parent), let_go,
					key->unique ? psprintf("SELECT pegs_set_parent(%s, %s%s);", pegs_relation_literal(table), pegs_relation_literal(key->parent), pegs_which_key(table, key))
					: pegs_classes_statement(table, key, NULL, 0, 0));
}

/* The same as lines that run, or that are comments, where a person fills in a number; "" likewise. */
static char *
kept_lines(Oid table, const PegsForeignKey *key)
{
	char	   *one = one_key(table, key, true);

	if (one)
		return psprintf("%s\n%s\n", pegs_comment("if it is always the row of \"%s\" that its own belongs to, before anything is charged:", get_rel_name(key->parent)), one);
	if (!lower_parent(table, key))
		return "";
	return psprintf("%s\n%s\n", pegs_comment("if its rows belong to rows of \"%s\", before anything is charged, in a transaction of its own: SELECT pegs_set_parent(%s, NULL);",
											 get_rel_name(key->parent), pegs_relation_literal(table)), pegs_parent_proposal(table, key));
}

/* As a hint; or as statements that run, with the words as comments: of two ways the one that keeps the reference, where it needs nobody. */
char *
pegs_repair_of(Oid table, const PegsForeignKey *key, AttrNumber attnum, bool runs)
{
	char	   *null = pegs_let_be_null(table, attnum);
	char	   *kept = runs ? kept_lines(table, key) : kept_words(table, key);

	if (runs)
		return one_key(table, key, true) ? psprintf("%s%s", kept, pegs_comment("or it comes out NULL: %s", null))
			: psprintf("%s%s  %s", kept, null, pegs_comment("it comes out NULL then"));
	return *kept ? psprintf("%s Or it comes out NULL: %s", kept, null) : pegs_comes_out_null(table, attnum);
}

bool
pegs_may_be_kept(Oid table, const PegsForeignKey *key)
{
	return one_key(table, key, false) || lower_parent(table, key);
}
