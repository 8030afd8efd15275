/*
 * methods.c
 *	  The table of methods, and finding one.
 */
#include "core/method.h"

#include <string.h>

const pegs_method *const pegs_methods[] = {
#define PEGS_METHOD(name) &pegs_method_##name,
#include "core/methods.h"
#undef PEGS_METHOD
	NULL
};

const pegs_method *
pegs_method_named(const char *name)
{
	for (int i = 0; pegs_methods[i]; i++)
		if (strcmp(pegs_methods[i]->name, name) == 0)
			return pegs_methods[i];
	return NULL;
}

const pegs_method *
pegs_method_of_kind(uint32_t kind)
{
	for (int i = 0; pegs_methods[i]; i++)
		if (pegs_methods[i]->walk && pegs_methods[i]->kind == kind)
			return pegs_methods[i];
	return NULL;
}
