/*
 * cursor.c
 *	  A place in bytes that are measured, written or read.
 */
#include "core/cursor.h"

#include <math.h>
#include <string.h>

bool
pegs_bad(pegs_cursor *c, pegs_status status)
{
	if (c->status == PEGS_OK)
		c->status = status;
	return false;
}

bool
pegs_has_bytes(pegs_cursor *c, uint64_t n, size_t size)
{
	if (c->status != PEGS_OK)
		return false;
	if (c->pass == PEGS_READ && n > (c->length - c->at) / size)
		return pegs_bad(c, PEGS_ERR_FORMAT);
	return true;
}

void
pegs_number(pegs_cursor *c, uint64_t *value, size_t size)
{
	if (!pegs_has_bytes(c, 1, size))
		return;
	if (c->pass == PEGS_READ)
		*value = 0;
	for (size_t i = 0; i < size; i++)
	{
		if (c->pass == PEGS_WRITE)
			c->out[c->at + i] = (uint8_t) (*value >> (8 * i));
		else if (c->pass == PEGS_READ)
			*value |= (uint64_t) c->in[c->at + i] << (8 * i);
	}
	c->at += size;
}

void
pegs_u32(pegs_cursor *c, uint32_t *value)
{
	uint64_t	v = *value;

	pegs_number(c, &v, 4);
	*value = (uint32_t) v;
}

void
pegs_f64(pegs_cursor *c, double *value)
{
	uint64_t	bits;

	memcpy(&bits, value, 8);
	pegs_number(c, &bits, 8);
	memcpy(value, &bits, 8);
	if (!isfinite(*value))
		pegs_bad(c, PEGS_ERR_FORMAT);
}

void
pegs_pad(pegs_cursor *c)
{
	while (c->status == PEGS_OK && c->at % 8 != 0)
	{
		uint64_t	zero = 0;

		pegs_number(c, &zero, 1);
		if (zero != 0)
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
}

/* ---- arrays ---- */

static inline uint16_t
load16(const uint8_t *p)
{
	return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
load32(const uint8_t *p)
{
	return p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

static inline uint64_t
load64(const uint8_t *p)
{
	return (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16 | (uint64_t) p[3] << 24
		| (uint64_t) p[4] << 32 | (uint64_t) p[5] << 40 | (uint64_t) p[6] << 48 | (uint64_t) p[7] << 56;
}

static inline double
load_double(const uint8_t *p)
{
	uint64_t	bits = load64(p);
	double		value;

	memcpy(&value, &bits, 8);
	return value;
}

static inline void
store(uint8_t *p, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		p[i] = (uint8_t) (value >> (8 * i));
}

static inline void
store_double(uint8_t *p, double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, 8);
	store(p, bits, 8);
}

/* The body of each: all of `array`, n items of `size` bytes. */
#define ARRAY(type, size, load, put) \
{ \
	if (!pegs_has_bytes(c, n, size)) \
		return; \
	if (c->pass == PEGS_READ) \
		*array = c->env->alloc(c->env->context, sizeof(type) * (n + 1)); \
	for (uint64_t i = 0; c->pass != PEGS_SIZE && i < n;) \
	{ \
		uint64_t	end = n - i > PEGS_WIRE_STEP ? i + PEGS_WIRE_STEP : n; \
\
		if (c->env) \
			c->env->check(c->env->context); \
		if (c->pass == PEGS_READ) \
			for (const uint8_t *p = c->in + c->at + i * (size); i < end; i++, p += (size)) \
				(*array)[i] = load(p); \
		else \
			for (uint8_t *p = c->out + c->at + i * (size); i < end; i++, p += (size)) \
				put; \
	} \
	c->at += n * (size); \
	pegs_pad(c); \
}

void
pegs_u16s(pegs_cursor *c, uint16_t **array, uint64_t n)
ARRAY(uint16_t, 2, load16, store(p, (*array)[i], 2))

void
pegs_u32s(pegs_cursor *c, uint32_t **array, uint64_t n)
ARRAY(uint32_t, 4, load32, store(p, (*array)[i], 4))

void
pegs_u64s(pegs_cursor *c, uint64_t **array, uint64_t n)
ARRAY(uint64_t, 8, load64, store(p, (*array)[i], 8))

void
pegs_f64s(pegs_cursor *c, double **array, uint64_t n)
ARRAY(double, 8, load_double, store_double(p, (*array)[i]))
