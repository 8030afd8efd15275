/*
 * crc.h
 *	  CRC-32C (Castagnoli), of bytes that may be read by any machine.
 *
 * Finds accidents, not attackers: whoever can change the bytes can change it.
 */
#ifndef PEGS_CRC_H
#define PEGS_CRC_H

#include "core/core.h"

/* env is asked between megabytes whether to stop; NULL: not asked. */
extern uint32_t pegs_crc32c(const pegs_env *env, const uint8_t *bytes, size_t n);

#endif							/* PEGS_CRC_H */
