/*
 * draw.c
 *	  Fuzz target: rows from models and states that the reader takes.
 *
 * An input's choices are made into a model or a state (model.h), so every
 * input gets behind the reader: fits of every method, tables that no fit would
 * give, with something given, structural zeros, and a stream of extreme numbers. What pegs writes
 * it must read back the same; rows have what is given and nothing forbidden.
 */
#include "use.h"

/* Two states that have nothing to do with each other, or by chance the same shape. */
static void
merge_others(const pegs_env *env, input *in, pegs_wire *wire)
{
	pegs_wire	other;
	uint64_t	rows = wire->rows;
	pegs_status status;

	make_wire(env, in, &other);
	status = pegs_wire_merge(NULL, wire, &other);
	MUST(status == PEGS_OK || status == PEGS_ERR_MISMATCH || status == PEGS_ERR_RANGE);
	MUST(wire->rows == rows + (status == PEGS_OK ? other.rows : 0) && wire->rows <= PEGS_MAX_ROWS);
	if (status != PEGS_ERR_MISMATCH)
		MUST(wire->kind == other.kind && wire->method == NULL && pegs_wire_size(wire) == pegs_wire_size(&other)
			 && wire->layout.ncells == other.layout.ncells);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static memory m;
	pegs_env	env = memory_env(&m);
	input		in = {data, size};
	pegs_wire	wire;
	pegs_wire	read;
	uint8_t    *bytes;
	uint8_t    *again;
	size_t		length;
	size_t		length_again;

	m.limit = SIZE_MAX;
	make_wire(&env, &in, &wire);
	bytes = written(&env, &wire, &length);
	MUST(pegs_wire_read(&env, bytes, length, &read) == PEGS_OK);
	again = written(&env, &read, &length_again);
	MUST(length_again == length && memcmp(again, bytes, length) == 0);
	use_wire(&env, &in, &read);
	merge_others(&env, &in, &read);
	memory_forget(&m);
	return 0;
}
