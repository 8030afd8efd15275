/*
 * methods.c
 *	  The table of methods, and finding one.
 */
#include "core/method.h"

#include <string.h>

#define PEGS_METHOD(name) extern const pegs_method pegs_method_##name;
#include "core/methods.h"
#undef PEGS_METHOD

static const pegs_method *const methods[] = {
#define PEGS_METHOD(name) &pegs_method_##name,
#include "core/methods.h"
#undef PEGS_METHOD
	NULL
};

const pegs_method *
pegs_method_named(const char *name)
{
	for (int i = 0; methods[i]; i++)
		if (strcmp(methods[i]->name, name) == 0)
			return methods[i];
	return NULL;
}

const pegs_method *
pegs_method_of_kind(uint32_t kind)
{
	for (int i = 0; methods[i]; i++)
		if (methods[i]->walk && methods[i]->kind == kind)
			return methods[i];
	return NULL;
}
