/*
 * methods.h
 *	  The table of methods: a line for each, NAME of pegs_method_NAME.
 *
 * Kinds of models with a walk of their own, in use or of a method that is gone
 * (wire.h): 3 graph, 5 table, 6 marginals, 7 copula, 8 regression, 9 pmse, 11 regression published, 12 copula published,
 * 16 additive, 17 additive of a model, 18 tree, 19 forest, 20 tree published. 1, 2, 4 and 21 are exact counts. The next is 22.
 */
PEGS_METHOD(graph)
PEGS_METHOD(table)
PEGS_METHOD(sealed)
PEGS_METHOD(diverse)
PEGS_METHOD(regression)
PEGS_METHOD(regression_published)
PEGS_METHOD(copula)
PEGS_METHOD(copula_published)
PEGS_METHOD(pmse)
PEGS_METHOD(marginals)
PEGS_METHOD(table_sealed)
PEGS_METHOD(table_published)
PEGS_METHOD(marginals_sealed)
PEGS_METHOD(marginals_published)
PEGS_METHOD(additive)
PEGS_METHOD(additive_of_model)
PEGS_METHOD(tree)
PEGS_METHOD(forest)
PEGS_METHOD(tree_published)
