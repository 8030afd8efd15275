/*
 * wire.h
 *	  States and models as bytes: one format, one reader that believes nothing.
 *
 * Little-endian on every machine, lengths derived from the declared shape
 * only, so the size of a state says nothing about its rows. Layout:
 *
 *	"PEGS"  u16 version  u16 kind  u32 flags (0)  u32 columns  u32 tail bits
 *	u32 bytes of spec  u64 rows  u32 levels[columns]
 *	kind 2: u32 parent_start[columns + 1]  u16 parents[]
 *	spec (canonical text of the public facts)
 *	kind 1, 2, 4, 21: u64 cells[]	exact counts: as secret as the rows. 21 is pairs, and the triples after them
 *	kind 3, 5, ...: the model of a fit: its method walks it (method.h). The numbers in use: methods.h
 *	u32 CRC-32C of all bytes before it
 *
 * Each part is padded with zeros to 8 bytes.
 */
#ifndef PEGS_WIRE_H
#define PEGS_WIRE_H

#include "core/counts.h"
#include "core/method.h"

#define PEGS_WIRE_VERSION 1
#define PEGS_WITH_TRIPLES 21	/* kind of pairs with triples: what a fit that asks for triples counts, of states alone */

/* What a state or model says. */
typedef struct pegs_wire
{
	uint32_t	kind;
	uint32_t	ncols;
	const char *spec;			/* points into the bytes; not terminated */
	uint32_t	spec_len;
	uint64_t	rows;			/* of counts */
	pegs_layout layout;			/* of counts */
	uint64_t   *cells;			/* of counts */
	const pegs_method *method;	/* other kinds: whose numbers they are */
	uint32_t   *levels;			/* [ncols] */
	void	   *model;
} pegs_wire;

/* Bytes that pegs_wire_write will write. env is asked whether to stop, of writing and of merging; NULL: not asked. */
extern size_t pegs_wire_size(const pegs_wire *wire);
extern void pegs_wire_write(const pegs_env *env, const pegs_wire *wire, uint8_t *bytes);

/*
 * PEGS_ERR_FORMAT, PEGS_ERR_VERSION, PEGS_ERR_TOO_LARGE. Allocates at most a
 * small multiple of the declared shape, and nothing before the length fits.
 */
extern pegs_status pegs_wire_read(const pegs_env *env, const uint8_t *bytes, size_t length,
								  pegs_wire *wire);

/* into += from. PEGS_ERR_MISMATCH unless both count the same thing by the same spec. */
extern pegs_status pegs_wire_merge(const pegs_env *env, pegs_wire *into, const pegs_wire *from);

#endif							/* PEGS_WIRE_H */
