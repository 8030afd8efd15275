/*
 * methods.h
 *	  The table of methods: a line for each, NAME of pegs_method_NAME.
 *
 * Kinds of models with a walk of their own, in use or of a method that is gone
 * (wire.h): 3 graph, 5 table, 6 marginals. 1, 2 and 4 are exact counts. The next is 7.
 */
PEGS_METHOD(graph)
PEGS_METHOD(table)
PEGS_METHOD(sealed)
PEGS_METHOD(diverse)
PEGS_METHOD(marginals)
PEGS_METHOD(table_sealed)
PEGS_METHOD(table_published)
PEGS_METHOD(marginals_sealed)
PEGS_METHOD(marginals_published)
