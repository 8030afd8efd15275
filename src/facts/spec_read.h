/*
 * spec_read.h
 *	  What the files that read a spec share.
 */
#ifndef PEGS_SPEC_READ_H
#define PEGS_SPEC_READ_H

#include "facts/facts.h"

/* ---- spec_member.c ---- */

extern void pegs_bad_spec(const char *what) __attribute__((noreturn));	/* an error */
extern JsonbValue pegs_member(JsonbContainer *object, const char *name, bool required);
extern char *pegs_member_text(JsonbContainer *object, const char *name, bool required);
extern char **pegs_member_texts(JsonbContainer *object, const char *name, int *n);

/* ---- spec_columns.c ---- */

extern void pegs_spec_columns(PegsDomain *domain, JsonbContainer *list, const Oid *types);
extern void pegs_spec_zeros(PegsDomain *domain, const JsonbValue *value);
extern void pegs_spec_derived(PegsDomain *domain, const JsonbValue *value);

#endif							/* PEGS_SPEC_READ_H */
