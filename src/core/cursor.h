/*
 * cursor.h
 *	  A place in bytes that are measured, written or read: one walk over a
 *	  format does all three.
 *
 * It must never trust a length, a count or an offset that it reads: a bad one
 * makes the cursor bad and every later part a no-op. Little-endian.
 */
#ifndef PEGS_CURSOR_H
#define PEGS_CURSOR_H

#include "core/core.h"

typedef enum pegs_pass
{
	PEGS_SIZE, PEGS_WRITE, PEGS_READ
} pegs_pass;

typedef struct pegs_cursor
{
	pegs_pass	pass;
	const pegs_env *env;		/* reading; writing: or NULL */
	uint8_t    *out;			/* writing */
	const uint8_t *in;			/* reading */
	size_t		at;
	size_t		length;			/* reading: of what comes before the CRC */
	pegs_status status;
} pegs_cursor;

/* Bytes of an array between two questions whether to stop. */
#define PEGS_WIRE_STEP (UINT64_C(1) << 16)

/* The walk is bad from here on; false. The first reason counts. */
extern bool pegs_bad(pegs_cursor *c, pegs_status status);

/* Are n items of `size` bytes there? */
extern bool pegs_has_bytes(pegs_cursor *c, uint64_t n, size_t size);

/* The low `size` bytes of *value; 4 bytes; a finite double; zeros up to 8 bytes. */
extern void pegs_number(pegs_cursor *c, uint64_t *value, size_t size);
extern void pegs_u32(pegs_cursor *c, uint32_t *value);
extern void pegs_f64(pegs_cursor *c, double *value);
extern void pegs_pad(pegs_cursor *c);

/* Arrays, padded: allocated when they are read, once the bytes are known to be there. */
extern void pegs_u16s(pegs_cursor *c, uint16_t **array, uint64_t n);
extern void pegs_u32s(pegs_cursor *c, uint32_t **array, uint64_t n);
extern void pegs_u64s(pegs_cursor *c, uint64_t **array, uint64_t n);
extern void pegs_f64s(pegs_cursor *c, double **array, uint64_t n);

#endif							/* PEGS_CURSOR_H */
