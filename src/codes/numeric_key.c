/*
 * numeric_key.c
 *	  A numeric as an ordered 64-bit key.
 */
#include "codes/codes.h"

#include "common/int.h"

/*
 * A numeric as floor(value * 10000^places), read from its digits: numeric_cmp
 * would copy every value first. *exact says that nothing was cut off; values
 * beyond int64 are held at its ends. False for NaN and infinities. The layout
 * (numeric.c) has not changed since 9.1; numeric_keys_work() tries it on every
 * column before it is trusted.
 */
bool
pegs_numeric_key(const char *p, uint32 n, int places, int64 *key, bool *exact)
{
	uint16		header;
	int16		weight;
	bool		negative;
	int			ndigits;
	int64		value = 0;
	bool		cut = false;
	bool		beyond = false;

	memcpy(&header, p, 2);
	if ((header & 0xC000) == 0xC000)
		return false;
	if (header & 0x8000)
	{
		negative = (header & 0x2000) != 0;
		weight = (int16) ((header & 0x0040 ? ~0x003F : 0) | (header & 0x003F));
		p += 2;
		n -= 2;
	}
	else
	{
		negative = (header & 0x4000) != 0;
		memcpy(&weight, p + 2, 2);
		p += 4;
		n -= 4;
	}
	ndigits = n / 2;
	if (ndigits > 0 && weight + places > 4)
		beyond = true;
	else if (ndigits > 0)
	{
		int			used = Max(weight + places + 1, 0);

		for (int i = 0; i < used; i++)
		{
			int16		digit = 0;

			if (i < ndigits)
				memcpy(&digit, p + 2 * i, 2);
			beyond |= pg_mul_s64_overflow(value, 10000, &value) || pg_add_s64_overflow(value, digit, &value);
		}
		cut = ndigits > used;
	}
	if (beyond)
		value = PG_INT64_MAX - 1;
	*key = negative ? -value - cut : value;
	*exact = !cut && !beyond;
	return true;
}
