/*
 * wire.c
 *	  States and models as bytes.
 *
 * One walk serves size, write and read (cursor.h): every part of the format
 * appears once, in order, in walk().
 */
#include "core/wire.h"
#include "core/crc.h"
#include "core/cursor.h"

#include <math.h>
#include <string.h>

/* Of exact counts, which every method may share? */
static bool
is_counts(uint32_t kind)
{
	return kind == PEGS_PAIRS || kind == PEGS_CONDITIONAL || kind == PEGS_JOINT || kind == PEGS_WITH_TRIPLES;
}

/* The tables' shape; on reading this is what bounds every allocation below. */
static void
walk_layout(pegs_cursor *c, pegs_wire *wire, uint32_t *levels, uint32_t tail_bits)
{
	pegs_layout *layout = &wire->layout;
	uint32_t   *parent_start = layout->parent_start;
	uint16_t   *parents = layout->parents;

	if (wire->kind == PEGS_CONDITIONAL)
	{
		pegs_u32s(c, &parent_start, (uint64_t) wire->ncols + 1);
		if (c->status == PEGS_OK && parent_start[wire->ncols] > wire->ncols * (wire->ncols - 1))
			pegs_bad(c, PEGS_ERR_FORMAT);
		if (c->status == PEGS_OK)
			pegs_u16s(c, &parents, parent_start[wire->ncols]);
	}
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	for (uint32_t i = 0; wire->kind == PEGS_CONDITIONAL && i < wire->ncols; i++)
		if (parent_start[i] > parent_start[i + 1])
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
	c->status = wire->kind == PEGS_CONDITIONAL
		? pegs_layout_conditional(c->env, wire->ncols, levels, parent_start, parents, tail_bits, layout, NULL)
		: pegs_layout_plain(c->env, wire->kind == PEGS_WITH_TRIPLES ? PEGS_PAIRS : wire->kind, wire->ncols, levels, layout, NULL);
	if (c->status == PEGS_OK && wire->kind == PEGS_WITH_TRIPLES)
		pegs_layout_add_triples(c->env, layout);
	if (c->status == PEGS_ERR_ARGUMENT)
		c->status = PEGS_ERR_FORMAT;
}

static void
walk(pegs_cursor *c, pegs_wire *wire)
{
	uint64_t	magic = UINT64_C(0x53474550);	/* "PEGS" */
	uint64_t	version = PEGS_WIRE_VERSION;
	uint64_t	kind = wire->kind;
	uint32_t	flags = 0;
	uint32_t	tail_bits = wire->method ? 0 : wire->layout.tail_bits;
	uint32_t   *levels = wire->method ? wire->levels : wire->layout.levels;

	pegs_number(c, &magic, 4);
	if (magic != UINT64_C(0x53474550))
		pegs_bad(c, PEGS_ERR_FORMAT);
	pegs_number(c, &version, 2);
	if (c->status == PEGS_OK && version != PEGS_WIRE_VERSION)
		pegs_bad(c, version > PEGS_WIRE_VERSION ? PEGS_ERR_VERSION : PEGS_ERR_FORMAT);
	pegs_number(c, &kind, 2);
	wire->kind = (uint32_t) kind;
	pegs_u32(c, &flags);
	pegs_u32(c, &wire->ncols);
	pegs_u32(c, &tail_bits);
	pegs_u32(c, &wire->spec_len);
	pegs_number(c, &wire->rows, 8);
	if (c->status != PEGS_OK)
		return;
	wire->method = is_counts(wire->kind) ? NULL : pegs_method_of_kind(wire->kind);
	if ((!is_counts(wire->kind) && wire->method == NULL) || flags != 0
		|| tail_bits > (kind == PEGS_CONDITIONAL) || wire->rows > PEGS_MAX_ROWS
		|| wire->ncols < 1 || wire->ncols > PEGS_MAX_COLUMNS)
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pegs_pad(c);
	pegs_u32s(c, &levels, wire->ncols);
	for (uint32_t i = 0; c->status == PEGS_OK && i < wire->ncols; i++)
		if (levels[i] < 1 || levels[i] > PEGS_MAX_LEVELS)
			pegs_bad(c, PEGS_ERR_FORMAT);
	if (wire->method == NULL)
		walk_layout(c, wire, levels, tail_bits);
	if (!pegs_has_bytes(c, wire->spec_len, 1))
		return;
	if (c->pass == PEGS_WRITE)
		memcpy(c->out + c->at, wire->spec, wire->spec_len);
	else if (c->pass == PEGS_READ)
		wire->spec = (const char *) c->in + c->at;
	c->at += wire->spec_len;
	pegs_pad(c);
	if (wire->method)
	{
		wire->levels = levels;
		if (c->status == PEGS_OK)
			wire->method->walk(c, wire->ncols, levels, &wire->model);
	}
	else
		pegs_u64s(c, &wire->cells, wire->layout.ncells);
	if (c->pass == PEGS_READ && c->status == PEGS_OK && c->at != c->length)
		pegs_bad(c, PEGS_ERR_FORMAT);
}

size_t
pegs_wire_size(const pegs_wire *wire)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	pegs_wire	copy = *wire;

	walk(&c, &copy);
	return c.at + 4;
}

void
pegs_wire_write(const pegs_env *env, const pegs_wire *wire, uint8_t *bytes)
{
	pegs_cursor c = {.pass = PEGS_WRITE, .env = env, .out = bytes};
	pegs_wire	copy = *wire;
	uint32_t	crc;

	walk(&c, &copy);
	crc = pegs_crc32c(env, bytes, c.at);
	for (int i = 0; i < 4; i++)
		bytes[c.at + i] = (uint8_t) (crc >> (8 * i));
}

/* Do these n cells sum to the number of rows? */
static bool
holds_rows(const pegs_env *env, const pegs_wire *wire, uint64_t first, uint64_t n)
{
	uint64_t	left = wire->rows;

	for (uint64_t i = 0; i < n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			env->check(env->context);
		if (wire->cells[first + i] > left)
			return false;
		left -= wire->cells[first + i];
	}
	return left == 0;
}

/* Every table holds the rows, once. */
static bool
holds_together(const pegs_env *env, const pegs_wire *wire)
{
	const pegs_layout *layout = &wire->layout;
	uint32_t	m = wire->ncols;

	if (layout->tables == PEGS_JOINT)
		return holds_rows(env, wire, 0, layout->ncells);
	for (uint32_t i = 0; i < m; i++)
	{
		if (!holds_rows(env, wire, layout->offset[i],
						layout->levels[i] * (layout->tables == PEGS_CONDITIONAL ? layout->keys[i] : 1)))
			return false;
		for (uint32_t j = i + 1; layout->tables == PEGS_PAIRS && j < m; j++)
		{
			if (!holds_rows(env, wire, layout->pair_offset[i * m + j], (uint64_t) layout->levels[i] * layout->levels[j]))
				return false;
			for (uint32_t k = j + 1; layout->triple_offset && k < m; k++)
			{
				uint64_t	at = pegs_triple_at(layout, i, j, k);

				if (at > 0 && !holds_rows(env, wire, at, (uint64_t) layout->levels[i] * layout->levels[j] * layout->levels[k]))
					return false;
			}
		}
	}
	return true;
}

pegs_status
pegs_wire_read(const pegs_env *env, const uint8_t *bytes, size_t length, pegs_wire *wire)
{
	pegs_cursor c = {.pass = PEGS_READ, .env = env, .in = bytes};
	uint32_t	crc = 0;

	memset(wire, 0, sizeof(*wire));
	if (length < 4)
		return PEGS_ERR_FORMAT;
	c.length = length - 4;
	for (int i = 0; i < 4; i++)
		crc |= (uint32_t) bytes[c.length + i] << (8 * i);
	/* a later version may end otherwise: look at its number before the CRC */
	if (length >= 8 && memcmp(bytes, "PEGS", 4) == 0 && (bytes[4] | bytes[5] << 8) > PEGS_WIRE_VERSION)
		return PEGS_ERR_VERSION;
	if (crc != pegs_crc32c(env, bytes, c.length))
		return PEGS_ERR_FORMAT;
	walk(&c, wire);
	if (c.status == PEGS_OK && wire->method == NULL && !holds_together(env, wire))
		return PEGS_ERR_FORMAT;
	return c.status;
}

static bool
same_layout(const pegs_layout *a, const pegs_layout *b)
{
	if (a->tables != b->tables || a->ncols != b->ncols || a->tail_bits != b->tail_bits || a->ncells != b->ncells
		|| memcmp(a->levels, b->levels, sizeof(uint32_t) * a->ncols) != 0)
		return false;
	return a->tables != PEGS_CONDITIONAL
		|| (memcmp(a->parent_start, b->parent_start, sizeof(uint32_t) * (a->ncols + 1)) == 0
			&& memcmp(a->parents, b->parents, sizeof(uint16_t) * a->parent_start[a->ncols]) == 0);
}

pegs_status
pegs_wire_merge(const pegs_env *env, pegs_wire *into, const pegs_wire *from)
{
	if (into->kind != from->kind || into->method
		|| !same_layout(&into->layout, &from->layout)
		|| into->spec_len != from->spec_len || memcmp(into->spec, from->spec, into->spec_len) != 0)
		return PEGS_ERR_MISMATCH;
	if (into->rows + from->rows > PEGS_MAX_ROWS)
		return PEGS_ERR_RANGE;
	into->rows += from->rows;
	for (uint64_t i = 0; i < into->layout.ncells; i++)
	{
		if (env && i % PEGS_WIRE_STEP == 0)
			env->check(env->context);
		into->cells[i] += from->cells[i];
	}
	return PEGS_OK;
}
