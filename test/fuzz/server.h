/*
 * server.h
 *	  What the fuzz targets inside a server share.
 */
#ifndef PEGS_FUZZ_SERVER_H
#define PEGS_FUZZ_SERVER_H

#include "guard.h"

#include "input.h"
#include "lib/stringinfo.h"

typedef struct target
{
	const char *name;
	void		(*start) (void);	/* once; what it allocates stays */
	void		(*one) (input *in);	/* an error is a normal end, unless see fuzz_accepted */
	void		(*describe) (void);	/* to stderr: what the input meant, for a finding; or NULL */
} target;

extern const target check_target;
extern const target facts_target;
extern const target spec_target;
extern const target given_target;
extern const target forbid_target;
extern const target options_target;

/* The input was taken and is used: counted. After fuzz_accepted an error is a finding, too. */
extern void fuzz_reached(void);
extern void fuzz_accepted(void);

/* Says it and aborts: libFuzzer keeps the input. */
extern void fuzz_finding(const char *format,...) __attribute__((format(printf, 1, 2), noreturn));

#define MUST(condition) \
	do { if (!(condition)) fuzz_finding("%s:%d: not so: %s", __FILE__, __LINE__, #condition); } while (0)

/* The rest of an input as text, in ASCII. */
extern char *fuzz_text(input *in);

/* What the random words of a target are taken from. */
typedef struct words
{
	const char *const *keys;
	int			nkeys;
	const char *const *values;	/* without quotes */
	int			nvalues;
} words;

/* A JSON text made of an input's choices; or, now and then, the input's own bytes. */
extern char *fuzz_json(input *in, const words *words);
extern void fuzz_json_value(StringInfo out, input *in, const words *words);
extern void fuzz_json_string(StringInfo out, const char *text);

#endif							/* PEGS_FUZZ_SERVER_H */
