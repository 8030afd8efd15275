/*
 * methods.h
 *	  The table of methods: a line for each, NAME of pegs_method_NAME.
 *
 * Kinds of models with a walk of their own, in use or of a method that is gone
 * (wire.h): 3 graph. The next is 4.
 */
PEGS_METHOD(graph)
PEGS_METHOD(sealed)
PEGS_METHOD(diverse)
