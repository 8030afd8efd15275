/*
 * bitwise.h
 *	  CRC-32C by its definition: one bit after the other.
 *
 * What the core's sliced one is held against. It shares nothing with it.
 */
#ifndef PEGS_BITWISE_H
#define PEGS_BITWISE_H

#include <stddef.h>
#include <stdint.h>

/* Castagnoli's polynomial, reflected. */
static uint32_t
bit_by_bit(const uint8_t *bytes, size_t n)
{
	uint32_t	crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++)
	{
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

#endif							/* PEGS_BITWISE_H */
