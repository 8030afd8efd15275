/*
 * methods.h
 *	  The table of methods: a line for each, NAME of pegs_method_NAME.
 */
PEGS_METHOD(graph)
PEGS_METHOD(sealed)
PEGS_METHOD(diverse)
