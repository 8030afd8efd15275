-- Files of models that no fit has written: bytes are changed, and the sum at the end (a CRC-32C) is made right.
CREATE FUNCTION int_of(b bytea, at int) RETURNS int LANGUAGE sql AS $$ SELECT get_byte(b, at) + 256 * get_byte(b, at + 1) + 65536 * get_byte(b, at + 2) $$;
CREATE FUNCTION int_at(b bytea, at int, v numeric, bytes int) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
	v := v + CASE WHEN v < 0 THEN 256::numeric ^ bytes ELSE 0 END;
	FOR i IN 0 .. bytes - 1 LOOP b := set_byte(b, at + i, (div(v, 256::numeric ^ i) % 256)::int); END LOOP;
	RETURN b;
END $$;
CREATE FUNCTION summed(b bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE crc bigint := 4294967295; t bigint[] := ARRAY[]::bigint[]; c bigint; n int := length(b) - 4; BEGIN
	FOR i IN 0 .. 255 LOOP c := i; FOR k IN 1 .. 8 LOOP c := CASE WHEN c & 1 = 1 THEN (c >> 1) # 2197175160 ELSE c >> 1 END; END LOOP; t := t || c; END LOOP;
	FOR i IN 0 .. n - 1 LOOP crc := (crc >> 8) # t[((crc # get_byte(b, i)) & 255) + 1]; END LOOP;
	RETURN int_at(b, n, crc # 4294967295, 4);
END $$;
-- bytes (core/wire.h): a head of 32, levels of columns, the spec, each to 8 bytes; then the record (core/record.h)
CREATE FUNCTION spec_at(b bytea) RETURNS int LANGUAGE sql AS $$ SELECT (32 + 4 * int_of(b, 12) + 7) / 8 * 8 $$;
CREATE FUNCTION record_at(b bytea) RETURNS int LANGUAGE sql AS $$ SELECT (spec_at(b) + int_of(b, 20) + 7) / 8 * 8 $$;
CREATE FUNCTION spec_of(b bytea) RETURNS text LANGUAGE sql AS $$ SELECT convert_from(substr(b, 1 + spec_at(b), int_of(b, 20)), 'UTF8') $$;
CREATE FUNCTION with_spec(b bytea, spec text) RETURNS bytea LANGUAGE sql AS $$
	SELECT summed(int_at(substr(b, 1, spec_at(b)), 20, octet_length(spec), 4) || convert_to(spec, 'UTF8') || decode(repeat('00', (8 - (spec_at(b) + octet_length(spec)) % 8) % 8), 'hex') || substr(b, record_at(b) + 1)) $$;
-- words in place of as many others
CREATE FUNCTION crafted(b bytea, these text, others text) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
	IF position(these::bytea IN b) = 0 OR length(these) <> length(others) THEN RAISE 'not there: %', these; END IF;
	RETURN summed(overlay(b PLACING others::bytea FROM position(these::bytea IN b)));
END $$;
