/*
 * fitted.h
 *	  A model of the engine in its bytes: for the tests that make and read them.
 */
#ifndef PEGS_TEST_FITTED_H
#define PEGS_TEST_FITTED_H

#include "core/graph/engine.h"
#include "core/wire.h"

#define MODEL_KIND 3

static inline pegs_fitted *
fitted_of(const pegs_wire *wire)
{
	return wire->model;
}

/* What a pegs would write of the model. */
static inline pegs_wire
wire_of(const char *spec, pegs_fitted *model)
{
	return (pegs_wire) {.kind = MODEL_KIND, .method = pegs_method_of_kind(MODEL_KIND), .ncols = model->ncols, .levels = model->levels,
		.spec = spec, .spec_len = (uint32_t) __builtin_strlen(spec), .model = model};
}

#endif							/* PEGS_TEST_FITTED_H */
