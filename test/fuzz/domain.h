/*
 * domain.h
 *	  The columns that the targets given, forbid and options work on.
 */
#ifndef PEGS_FUZZ_DOMAIN_H
#define PEGS_FUZZ_DOMAIN_H

#include "server.h"

#include "codes/codes.h"
#include "facts/facts.h"
#include "models/models.h"
#include "read/read.h"
#include "rows/rows.h"

#include "core/graph/draw.h"

extern PegsDomain *fuzz_domain(void);	/* made once */
extern const words *fuzz_domain_words(void);
extern PegsSpec *fuzz_spec(bool sealed);	/* pairs, or conditional with some parents */
extern const pegs_fitted *fuzz_fitted(void);	/* of a few rows */
extern PegsCounter *fuzz_counts(bool sealed);

/* Does the JSON scalar mean this code of the column? Said apart from encode.c: by canonical text and by compare. */
extern bool fuzz_means(const PegsColumn *column, const JsonbValue *value, int code);

#endif							/* PEGS_FUZZ_DOMAIN_H */
